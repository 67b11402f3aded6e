//! The round trip: each message is written in each format, read back, and compared value by value.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

use polywire_core::format::{Dialect, Format};
use polywire_core::schema::Schema;
use polywire_core::tools::Count;
use polywire_core::tools::adapt::{Doubles, Walker};
use polywire_core::tools::diff::{Lockstep, differences};
use polywire_core::tools::loss::LossReport;
use polywire_core::value::Tree;
use polywire_core::walk::{Path, PathStep};
use polywire_core::{Error, Frame, LossKind, Needs, Result, Sink, Writer};
use polywire_schema::accept::accepts;

use crate::changes::Changes;
use crate::comparison::{Lost, RowSchema, Verdict};
use crate::holdout::{self, Holdout};
use crate::messages::{Arranged, Messages, effective};
use crate::progress::{Progress, Watch};
use crate::spoken::Spoken;

/// Result of the round trip through one format.
pub(crate) struct Proof {
    pub(crate) format: &'static Format,
    /// Dialect of the round trip.
    pub(crate) dialect: Dialect,
    /// Needs of its writer.
    pub(crate) needs: Needs,
    pub(crate) verdict: Verdict,
    pub(crate) why: Option<String>,
    pub(crate) losses: Vec<Lost>,
    pub(crate) remarks: Vec<Lost>,
    pub(crate) more: u64,
    /// Bytes of the measured messages that fit the schema, without separators.
    pub(crate) raw: u64,
    /// Measured messages that do not fit an inferred schema, in order.
    pub(crate) unfit: Vec<usize>,
    /// The messages of the sample as this format writes them.
    pub(crate) written: Written,
    /// Schema of its dialect.
    pub(crate) schema: Option<RowSchema>,
}

/// Messages of a sample, as a format writes them.
#[derive(Default)]
pub(crate) struct Written {
    /// Indices of the sample, in order.
    sample: Arc<Vec<usize>>,
    /// The messages, each with a separator behind it.
    bytes: Vec<u8>,
    /// Start and end of each; `None` for one that does not fit the schema. It ends early if the
    /// format gave up.
    places: Vec<Option<(usize, usize)>>,
}

impl Written {
    /// Returns a message of the sample, if it fits.
    fn message(&self, index: usize) -> Option<&[u8]> {
        let (start, end) = (*self.places.get(self.sample.binary_search(&index).ok()?)?)?;
        Some(&self.bytes[start..end])
    }
}

impl Proof {
    /// Returns a message of the sample as this format writes it, if it fits.
    pub(crate) fn message(&self, index: usize) -> Option<&[u8]> {
        self.written.message(index)
    }

    /// Reports whether its times are measured.
    pub(crate) fn is_timed(&self) -> bool {
        !matches!(self.verdict, Verdict::Impossible | Verdict::Unfit)
    }
}

/// Bytes of messages that are proved before the work is divided: their time says how.
const CALIBRATION: usize = 64 << 10;

/// Bytes of messages that are proved at most before the work is divided again. The time that a
/// format takes changes, such as when it is disproved.
const PERIOD: usize = 8 << 20;

/// Messages with lost values that disprove a format: later ones are written, and not read back.
pub(crate) const DISPROVED: usize = 10_000;

/// Proves every format on every message. Memory: the bytes that all formats write of the `sample`.
pub(crate) fn prove(
    messages: &Messages,
    spoken: Vec<Spoken>,
    holdout: Holdout,
    sample: &Arc<Vec<usize>>,
    watch: &mut Watch<'_>,
) -> Result<Vec<Proof>> {
    let trips: Vec<Trip> = spoken.into_iter().map(|spoken| Trip::new(spoken, messages, holdout, sample.clone())).collect();
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(trips.len());
    let mut groups = vec![Group::new(messages, trips.into_iter().enumerate().collect())];
    let (mut done, mut period) = (0, CALIBRATION);
    while done < messages.len() {
        let end = messages.end_of(done, period);
        run(&mut groups, done..end, watch)?;
        period = PERIOD.min(16 * period);
        while groups.len() < threads && end < messages.len() {
            let mut group = Group::new(messages, Vec::new());
            group.follow(end)?;
            groups.push(group);
        }
        divide(&mut groups);
        done = end;
    }
    let mut trips: Vec<(usize, Trip)> = groups.into_iter().flat_map(|group| group.trips).collect();
    trips.sort_by_key(|(place, _)| *place);
    let measured = holdout.measured().len();
    Ok(trips.into_iter().map(|(_, trip)| trip.finish(measured)).collect())
}

/// Proves messages in all groups at once, each on a thread of its own.
fn run(groups: &mut [Group<'_>], messages: Range<usize>, watch: &mut Watch<'_>) -> Result<()> {
    let done: Result<Vec<()>> = std::thread::scope(|scope| {
        let (own, others) = groups.split_first_mut().ok_or_else(|| Error::internal("no group of formats"))?;
        let others: Vec<_> = others
            .iter_mut()
            .map(|group| {
                let messages = messages.clone();
                scope.spawn(move || group.run(messages, &mut |_| ()))
            })
            .collect();
        let total = own.messages.len();
        let outcome = own.run(messages, &mut |done| watch(Progress { stage: "proving", format: "", done, total }));
        let joined = others.into_iter().map(|other| other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        [outcome].into_iter().chain(joined.collect::<Vec<Result<()>>>()).collect()
    });
    done.map(|_| ())
}

/// Divides the formats among the groups by the time that each has just taken, the slowest first to
/// where the least is to do.
fn divide(groups: &mut [Group<'_>]) {
    let taken = groups.iter_mut().flat_map(|group| group.taken.drain(..).zip(group.trips.drain(..)));
    let mut trips: Vec<(Duration, (usize, Trip))> = taken.collect();
    trips.sort_by_key(|(taken, _)| std::cmp::Reverse(*taken));
    let mut loads = vec![Duration::ZERO; groups.len()];
    for (taken, trip) in trips {
        if let Some((load, group)) = loads.iter_mut().zip(groups.iter_mut()).min_by_key(|(load, _)| **load) {
            *load += taken;
            group.trips.push(trip);
        }
    }
    groups.iter_mut().for_each(Group::prepare);
}

/// Formats that are proved together: each message is read once for all of them.
struct Group<'m> {
    messages: &'m Messages,
    walker: Walker,
    /// Forms of the tree that the writers need; the first is what comes back is compared with.
    kinds: Vec<Needs>,
    spare: Vec<Tree<'static>>,
    /// The formats, with their place in the order of all.
    trips: Vec<(usize, Trip)>,
    /// Time that each has taken since the work was divided.
    taken: Vec<Duration>,
}

impl<'m> Group<'m> {
    fn new(messages: &'m Messages, trips: Vec<(usize, Trip)>) -> Group<'m> {
        let walker = messages.walker(messages.dialect().clone());
        let mut group = Group { messages, walker, kinds: Vec::new(), spare: Vec::new(), trips, taken: Vec::new() };
        group.prepare();
        group
    }

    /// Makes ready for the formats that the group has.
    fn prepare(&mut self) {
        self.kinds = vec![effective(Needs::GROUPED, self.messages.format())];
        for (_, trip) in &self.trips {
            if !self.kinds.contains(&trip.needs) {
                self.kinds.push(trip.needs);
            }
        }
        self.spare.resize_with(self.kinds.len(), Tree::new);
        self.taken = vec![Duration::ZERO; self.trips.len()];
    }

    /// Reads the first `count` messages and drops them: a later one may lean on them.
    fn follow(&mut self, count: usize) -> Result<()> {
        for index in 0..count {
            let (bytes, base) = self.messages.get(index);
            self.walker.walk(bytes, base, &mut Count::default())?;
        }
        Ok(())
    }

    /// Proves messages.
    fn run(&mut self, messages: Range<usize>, watch: &mut dyn FnMut(usize)) -> Result<()> {
        for index in messages {
            watch(index);
            self.message(index)?;
        }
        Ok(())
    }

    fn message(&mut self, index: usize) -> Result<()> {
        let (bytes, base) = self.messages.get(index);
        let mut trees = Vec::with_capacity(self.kinds.len());
        for (needs, tree) in self.kinds.iter().zip(self.spare.drain(..)) {
            let mut sink = Arranged::new(tree.recycle(), *needs);
            self.walker.walk(bytes, base, &mut sink)?;
            trees.push(sink.tree);
        }
        for ((_, trip), taken) in self.trips.iter_mut().zip(&mut self.taken) {
            let kind = self.kinds.iter().position(|needs| *needs == trip.needs).unwrap_or(0);
            let start = Instant::now();
            trip.message(index, self.messages, &trees[kind], &trees[0], &mut self.walker);
            *taken += start.elapsed();
        }
        self.spare.extend(trees.into_iter().map(Tree::recycle));
        Ok(())
    }
}

/// Round trip of one format through the messages.
struct Trip {
    format: &'static Format,
    dialect: Dialect,
    walker: Walker,
    writer: Option<Box<dyn Writer>>,
    needs: Needs,
    holdout: Holdout,
    /// The message under way.
    out: Vec<u8>,
    raw: u64,
    written: Written,
    /// `None` for a format whose stream holds one message.
    apart: Option<Apart>,
    schema: Option<RowSchema>,
    /// The inferred schema that the dialect adopted.
    learned: Option<Arc<Schema>>,
    unfit: Vec<usize>,
    /// Number of messages that lost values.
    disproved: usize,
    back: Tree<'static>,
    report: LossReport,
    changes: Changes,
    why: Option<String>,
}

impl Trip {
    fn new(spoken: Spoken, messages: &Messages, holdout: Holdout, sample: Arc<Vec<usize>>) -> Trip {
        let Spoken { dialect, why, schema, learned } = spoken;
        let format = dialect.format();
        let writer = if why.is_none() { in_stream(&dialect) } else { None };
        let needs = writer.as_deref().map_or(Needs::NONE, Sink::<'static>::needs);
        Trip {
            format,
            // The messages have no duplicate keys that are not meant, and are compared with these.
            walker: messages.walker(dialect.clone()).doubles(Doubles::Keep),
            needs: effective(needs, messages.format()),
            why: why.or_else(|| writer.is_none().then(|| "the format can be read only".to_string())),
            apart: writer.as_ref().is_some_and(|writer| writer.only_one().is_none()).then(|| Apart::new(messages.walker(dialect.clone()))),
            dialect,
            writer,
            holdout,
            out: Vec::new(),
            raw: 0,
            written: Written { sample, ..Written::default() },
            schema,
            learned,
            unfit: Vec::new(),
            disproved: 0,
            back: Tree::new(),
            report: LossReport::default(),
            changes: Changes::default(),
        }
    }

    /// Writes the message from `given`, reads it back and compares it with `wanted`. `source` reads
    /// the original. A message that fails, or comes back changed, counts as unfit if the inferred
    /// schema does not accept it.
    fn message<'m>(&mut self, index: usize, messages: &'m Messages, given: &Tree<'m>, wanted: &Tree<'m>, source: &mut Walker) {
        if self.why.is_some() {
            return;
        }
        let (bytes, base) = messages.get(index);
        let learned = self.learned.clone();
        let is_unfit = |source: &mut Walker| learned.as_ref().is_some_and(|schema| !is_accepted(schema, bytes, base, source));
        let Some(writer) = &mut self.writer else { return };
        self.out.clear();
        let written = writer.tree(given).and_then(|()| writer.finish(&mut self.out));
        if let Err(error) = written {
            writer.reset();
            if is_unfit(source) {
                self.set_aside(index);
                return;
            }
            // Walking the original into the writer fails at the same place, and knows its path.
            let error = source.walk(bytes, base, &mut **writer).err().unwrap_or(error);
            self.give_up(format!("message {} cannot be written: {error}", index + 1));
            return;
        }
        let lost = writer.losses();
        if self.disproved >= DISPROVED {
            self.keep(index);
            return;
        }
        // Most messages come back in the same order, which shows without a tree.
        let mut lockstep = Lockstep::new(wanted);
        let followed = self.walker.walk(&self.out, 0, &mut lockstep);
        if followed.is_ok() && lockstep.is_equal() && lost.is_empty() {
            self.keep(index);
            return;
        }
        let mut sink = Arranged::new(std::mem::take(&mut self.back).recycle(), Needs::GROUPED);
        let read = self.walker.walk(&self.out, 0, &mut sink);
        let doubtful = || read.is_err() || lost.iter().any(|lost| lost.kind == LossKind::Value) || changed(wanted, &sink.tree);
        if self.learned.is_some() && doubtful() && is_unfit(source) {
            self.back = sink.tree.recycle();
            // A reader may be in any state after an error.
            self.walker = messages.walker(self.dialect.clone());
            self.set_aside(index);
            return;
        }
        self.disproved += usize::from(lost.iter().any(|lost| lost.kind == LossKind::Value));
        source.losses(&mut self.report, bytes, base, &lost);
        let found = read.and_then(|()| self.changes.compare(wanted, &sink.tree));
        self.back = sink.tree.recycle();
        if let Err(error) = found {
            self.give_up(format!("message {} cannot be read back: {error}", index + 1));
            return;
        }
        self.keep(index);
    }

    /// Keeps the sizes of the message that was proved, and its bytes if it is in the sample.
    fn keep(&mut self, index: usize) {
        if self.holdout.measures(index) {
            self.raw += self.out.len() as u64;
        }
        let separator = self.format.separator.as_bytes();
        if let Some(apart) = &mut self.apart {
            apart.add(index, &self.out, separator);
        }
        let written = &mut self.written;
        if written.sample.get(written.places.len()) == Some(&index) {
            let start = written.bytes.len();
            written.bytes.extend_from_slice(&self.out);
            written.places.push(Some((start, written.bytes.len())));
            written.bytes.extend_from_slice(separator);
        }
    }

    /// Counts a message that does not fit; what was written of it is dropped.
    fn set_aside(&mut self, index: usize) {
        if self.holdout.measures(index) {
            self.unfit.push(index);
        }
        if self.written.sample.get(self.written.places.len()) == Some(&index) {
            self.written.places.push(None);
        }
    }

    fn give_up(&mut self, why: String) {
        self.why = Some(why);
        self.written = Written::default();
    }

    fn finish(mut self, measured: usize) -> Proof {
        let mut losses: Vec<Lost> = Vec::new();
        let mut remarks = Vec::new();
        let mut explained: Vec<Path> = Vec::new();
        if self.why.is_none() {
            for loss in self.report.iter().chain(self.report.cautions()) {
                let example = self.changes.example(&loss.path);
                let lost = Lost { path: loss.path.to_string(), what: loss.what.to_string(), count: loss.count, example };
                if loss.kind == LossKind::Value {
                    losses.push(lost);
                    explained.push(loss.path.clone());
                } else {
                    // A format that rounds a number is ranked, with a remark.
                    if loss.kind == LossKind::Rounded {
                        explained.push(loss.path.clone());
                    }
                    remarks.push(lost);
                }
            }
            let known = |path: &Path| explained.iter().any(|known| starts_with(path, known));
            losses.extend(self.changes.lost("not the same after the round trip", known));
            if let Some(what) = self.apart.as_mut().and_then(Apart::finish) {
                losses.push(Lost { path: "the stream".to_string(), what, count: 1, example: None });
            }
        }
        let verdict = match (&self.why, losses.is_empty()) {
            (Some(_), _) => Verdict::Impossible,
            (None, false) => Verdict::Lossy,
            (None, true) if !holdout::fits(self.unfit.len(), measured) => Verdict::Unfit,
            (None, true) => Verdict::Exact,
        };
        Proof {
            format: self.format,
            dialect: self.dialect,
            needs: self.needs,
            verdict,
            why: self.why,
            losses,
            remarks,
            more: self.changes.more + self.report.others(),
            raw: self.raw,
            unfit: self.unfit,
            written: self.written,
            schema: self.schema,
        }
    }
}

/// Frames the written messages again as they come. Memory: two messages.
struct Apart {
    walker: Walker,
    /// The stream from the last place on that framing reached.
    bytes: Vec<u8>,
    /// Offset of these bytes in the stream.
    base: u64,
    /// Messages in these bytes that were not found again: index, start and end, as offsets in the
    /// stream.
    due: VecDeque<(usize, u64, u64)>,
    mistake: Option<String>,
}

impl Apart {
    fn new(walker: Walker) -> Apart {
        Apart { walker, bytes: Vec::new(), base: 0, due: VecDeque::new(), mistake: None }
    }

    /// Adds a written message.
    fn add(&mut self, index: usize, message: &[u8], separator: &[u8]) {
        if self.mistake.is_some() {
            return;
        }
        let start = self.base + self.bytes.len() as u64;
        self.bytes.extend_from_slice(message);
        self.due.push_back((index, start, start + message.len() as u64));
        self.bytes.extend_from_slice(separator);
        // The last message may not be known to have ended.
        while self.due.len() > 1 && self.next(false) {}
    }

    /// Finds the next message. Returns false if that takes more bytes, or it is not found.
    fn next(&mut self, eof: bool) -> bool {
        let Some((index, from, to)) = self.due.front().copied() else { return false };
        let next = self.due.get(1).map_or(self.base + self.bytes.len() as u64, |(_, from, _)| *from);
        let base = self.base;
        match self.walker.frame(&self.bytes, base, eof) {
            Ok(Frame::Message { start, end }) if base + start as u64 == from && (to..=next).contains(&(base + end as u64)) => {
                self.bytes.drain(..end);
                self.base += end as u64;
                self.due.pop_front();
                true
            }
            Ok(Frame::More(_)) if !eof => false,
            Ok(_) => {
                self.mistake = Some(format!("message {} does not end where it was written to end", index + 1));
                false
            }
            Err(error) => {
                self.mistake = Some(format!("message {} is not found again: {error}", index + 1));
                false
            }
        }
    }

    /// Returns the mistake if the messages come apart elsewhere.
    fn finish(&mut self) -> Option<String> {
        while self.mistake.is_none() && !self.due.is_empty() {
            self.next(true);
        }
        self.mistake.take()
    }
}

/// Reports whether a schema accepts a message as it came.
fn is_accepted(schema: &Schema, bytes: &[u8], base: u64, source: &mut Walker) -> bool {
    let mut tree = Tree::new();
    source.walk(bytes, base, &mut tree).is_ok() && tree.root().is_some_and(|root| accepts(schema, root).is_ok())
}

/// Reports whether a message came back changed.
fn changed(wanted: &Tree<'_>, found: &Tree<'_>) -> bool {
    match (wanted.root(), found.root()) {
        (Some(wanted), Some(found)) => !differences(wanted, found, 1).is_empty(),
        _ => true,
    }
}

/// Returns a writer of messages that follow each other, if the dialect has a writer.
pub(crate) fn in_stream(dialect: &Dialect) -> Option<Box<dyn Writer>> {
    let mut writer = dialect.writer()?;
    writer.begin_stream();
    Some(writer)
}

/// Returns true if `path` is at or below `known`. Steps to any element of a list do not count.
fn starts_with(path: &Path, known: &Path) -> bool {
    let steps = |path: &Path| path.0.iter().filter(|step| **step != PathStep::Each).cloned().collect::<Vec<PathStep>>();
    steps(path).starts_with(&steps(known))
}

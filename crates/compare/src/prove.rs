//! The round trip: each message is written in each format, read back, and compared value by value.

use polywire_core::format::{Dialect, Format};
use polywire_core::tools::adapt::Walker;
use polywire_core::tools::loss::LossReport;
use polywire_core::value::Tree;
use polywire_core::walk::{Path, PathStep};
use polywire_core::{Frame, LossKind, Needs, Result, Sink, Writer};

use crate::changes::Changes;
use crate::comparison::{Lost, Verdict};
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
    /// All messages as this format writes them, with separators.
    pub(crate) batch: Vec<u8>,
    /// Start and end of each message in `batch`.
    pub(crate) places: Vec<(usize, usize)>,
}

/// Proves every format on every message. Memory: the bytes that all formats write.
pub(crate) fn prove(messages: &Messages, spoken: Vec<Spoken>, watch: &mut Watch<'_>) -> Result<Vec<Proof>> {
    let mut walker = messages.walker(messages.dialect().clone());
    let mut trips: Vec<Trip> = spoken.into_iter().map(|spoken| Trip::new(spoken, messages)).collect();
    let grouped = effective(Needs::GROUPED, messages.format());
    let mut kinds = vec![grouped];
    for trip in &trips {
        if !kinds.contains(&trip.needs) {
            kinds.push(trip.needs);
        }
    }
    let mut spare: Vec<Tree<'static>> = kinds.iter().map(|_| Tree::new()).collect();
    for index in 0..messages.len() {
        watch(Progress { stage: "proving", format: "", done: index, total: messages.len() });
        let (bytes, base) = messages.get(index);
        let mut trees = Vec::with_capacity(kinds.len());
        for (needs, tree) in kinds.iter().zip(spare.drain(..)) {
            let mut sink = Arranged::new(tree.recycle(), *needs);
            walker.walk(bytes, base, &mut sink)?;
            trees.push(sink.tree);
        }
        for trip in &mut trips {
            let kind = kinds.iter().position(|needs| *needs == trip.needs).unwrap_or(0);
            trip.message(index, (bytes, base), &trees[kind], &trees[0], &mut walker);
        }
        spare.extend(trees.into_iter().map(Tree::recycle));
    }
    Ok(trips.into_iter().map(Trip::finish).collect())
}

/// Round trip of one format through the messages.
struct Trip {
    format: &'static Format,
    dialect: Dialect,
    walker: Walker,
    writer: Option<Box<dyn Writer>>,
    needs: Needs,
    batch: Vec<u8>,
    places: Vec<(usize, usize)>,
    back: Tree<'static>,
    report: LossReport,
    changes: Changes,
    why: Option<String>,
}

impl Trip {
    fn new(spoken: Spoken, messages: &Messages) -> Trip {
        let Spoken { dialect, why } = spoken;
        let format = dialect.format();
        let writer = if why.is_none() { in_stream(&dialect) } else { None };
        let needs = writer.as_deref().map_or(Needs::NONE, Sink::<'static>::needs);
        Trip {
            format,
            walker: messages.walker(dialect.clone()),
            needs: effective(needs, messages.format()),
            why: why.or_else(|| writer.is_none().then(|| "the format can be read only".to_string())),
            dialect,
            writer,
            batch: Vec::new(),
            places: Vec::new(),
            back: Tree::new(),
            report: LossReport::default(),
            changes: Changes::default(),
        }
    }

    /// Writes the message from `given`, reads it back and compares it with `wanted`. `source` reads
    /// the original.
    fn message<'m>(&mut self, index: usize, (bytes, base): (&'m [u8], u64), given: &Tree<'m>, wanted: &Tree<'m>, source: &mut Walker) {
        if self.why.is_some() {
            return;
        }
        let Some(writer) = &mut self.writer else { return };
        let start = self.batch.len();
        let written = given.emit(&mut **writer).and_then(|()| writer.finish(&mut self.batch));
        if let Err(error) = written {
            writer.reset();
            // Walking the original into the writer fails at the same place, and knows its path.
            let error = source.walk(bytes, base, &mut **writer).err().unwrap_or(error);
            self.give_up(format!("message {} cannot be written: {error}", index + 1));
            return;
        }
        let lost = writer.losses();
        source.losses(&mut self.report, bytes, base, &lost);
        let end = self.batch.len();
        let mut sink = Arranged::new(std::mem::take(&mut self.back).recycle(), Needs::GROUPED);
        let found = match self.walker.walk(&self.batch[start..end], 0, &mut sink) {
            Ok(()) => self.changes.compare(wanted, &sink.tree),
            Err(error) => Err(error),
        };
        self.back = sink.tree.recycle();
        if let Err(error) = found {
            self.give_up(format!("message {} cannot be read back: {error}", index + 1));
            return;
        }
        self.places.push((start, end));
        self.batch.extend_from_slice(self.format.separator.as_bytes());
    }

    fn give_up(&mut self, why: String) {
        self.why = Some(why);
        (self.batch, self.places) = (Vec::new(), Vec::new());
    }

    fn finish(mut self) -> Proof {
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
            // A stream of a format without framing holds only one message.
            if self.writer.as_ref().is_none_or(|writer| writer.only_one().is_none())
                && let Some(what) = self.run_together()
            {
                losses.push(Lost { path: "the stream".to_string(), what, count: 1, example: None });
            }
        }
        let verdict = match (&self.why, losses.is_empty()) {
            (Some(_), _) => Verdict::Impossible,
            (None, true) => Verdict::Exact,
            (None, false) => Verdict::Lossy,
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
            batch: self.batch,
            places: self.places,
        }
    }

    /// Frames the written messages again. Returns the mistake if they come apart elsewhere.
    fn run_together(&mut self) -> Option<String> {
        let mut at = 0;
        for (index, (from, to)) in self.places.iter().enumerate() {
            let next = self.places.get(index + 1).map_or(self.batch.len(), |place| place.0);
            match self.walker.frame(&self.batch[at..], at as u64, true) {
                Ok(Frame::Message { start, end }) if at + start == *from && (*to..=next).contains(&(at + end)) => at += end,
                Ok(_) => return Some(format!("message {} does not end where it was written to end", index + 1)),
                Err(error) => return Some(format!("message {} is not found again: {error}", index + 1)),
            }
        }
        None
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

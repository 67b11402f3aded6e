//! The round trip: each message is written in each format, read back, and compared value by value.

use std::sync::Arc;

use polywire_core::format::{Dialect, Format};
use polywire_core::schema::Schema;
use polywire_core::tools::adapt::Walker;
use polywire_core::tools::diff::differences;
use polywire_core::tools::loss::LossReport;
use polywire_core::value::Tree;
use polywire_core::walk::{Path, PathStep};
use polywire_core::{Frame, LossKind, Needs, Result, Sink, Writer};
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
    /// All messages as this format writes them, with separators.
    pub(crate) batch: Vec<u8>,
    /// Start and end of each message in `batch`; `None` for one that does not fit the schema.
    pub(crate) places: Vec<Option<(usize, usize)>>,
    /// Schema of its dialect.
    pub(crate) schema: Option<RowSchema>,
    /// Number of messages that do not fit an inferred schema.
    pub(crate) unfit: usize,
}

impl Proof {
    /// Returns a message as this format writes it, if it fits.
    pub(crate) fn message(&self, index: usize) -> Option<&[u8]> {
        let (start, end) = (*self.places.get(index)?)?;
        Some(&self.batch[start..end])
    }

    /// Reports whether its times are measured.
    pub(crate) fn is_timed(&self) -> bool {
        !matches!(self.verdict, Verdict::Impossible | Verdict::Unfit)
    }
}

/// Proves every format on every message. Memory: the bytes that all formats write.
pub(crate) fn prove(messages: &Messages, spoken: Vec<Spoken>, holdout: Holdout, watch: &mut Watch<'_>) -> Result<Vec<Proof>> {
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
            trip.message(index, messages, &trees[kind], &trees[0], &mut walker);
        }
        spare.extend(trees.into_iter().map(Tree::recycle));
    }
    let measured = holdout.measured().len();
    Ok(trips.into_iter().map(|trip| trip.finish(measured)).collect())
}

/// Round trip of one format through the messages.
struct Trip {
    format: &'static Format,
    dialect: Dialect,
    walker: Walker,
    writer: Option<Box<dyn Writer>>,
    needs: Needs,
    batch: Vec<u8>,
    places: Vec<Option<(usize, usize)>>,
    schema: Option<RowSchema>,
    /// The inferred schema that the dialect adopted.
    learned: Option<Arc<Schema>>,
    unfit: usize,
    back: Tree<'static>,
    report: LossReport,
    changes: Changes,
    why: Option<String>,
}

impl Trip {
    fn new(spoken: Spoken, messages: &Messages) -> Trip {
        let Spoken { dialect, why, schema, learned } = spoken;
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
            schema,
            learned,
            unfit: 0,
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
        let start = self.batch.len();
        let written = given.emit(&mut **writer).and_then(|()| writer.finish(&mut self.batch));
        if let Err(error) = written {
            writer.reset();
            if is_unfit(source) {
                self.set_aside(start);
                return;
            }
            // Walking the original into the writer fails at the same place, and knows its path.
            let error = source.walk(bytes, base, &mut **writer).err().unwrap_or(error);
            self.give_up(format!("message {} cannot be written: {error}", index + 1));
            return;
        }
        let lost = writer.losses();
        let end = self.batch.len();
        let mut sink = Arranged::new(std::mem::take(&mut self.back).recycle(), Needs::GROUPED);
        let read = self.walker.walk(&self.batch[start..end], 0, &mut sink);
        let doubtful = || read.is_err() || lost.iter().any(|lost| lost.kind == LossKind::Value) || changed(wanted, &sink.tree);
        if self.learned.is_some() && doubtful() && is_unfit(source) {
            self.back = sink.tree.recycle();
            // A reader may be in any state after an error.
            self.walker = messages.walker(self.dialect.clone());
            self.set_aside(start);
            return;
        }
        source.losses(&mut self.report, bytes, base, &lost);
        let found = read.and_then(|()| self.changes.compare(wanted, &sink.tree));
        self.back = sink.tree.recycle();
        if let Err(error) = found {
            self.give_up(format!("message {} cannot be read back: {error}", index + 1));
            return;
        }
        self.places.push(Some((start, end)));
        self.batch.extend_from_slice(self.format.separator.as_bytes());
    }

    /// Counts a message that does not fit; what was written of it, from `start` on, is dropped.
    fn set_aside(&mut self, start: usize) {
        self.batch.truncate(start);
        self.places.push(None);
        self.unfit += 1;
    }

    fn give_up(&mut self, why: String) {
        self.why = Some(why);
        (self.batch, self.places) = (Vec::new(), Vec::new());
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
            // A stream of a format without framing holds only one message.
            if self.writer.as_ref().is_none_or(|writer| writer.only_one().is_none())
                && let Some(what) = self.run_together()
            {
                losses.push(Lost { path: "the stream".to_string(), what, count: 1, example: None });
            }
        }
        let verdict = match (&self.why, losses.is_empty()) {
            (Some(_), _) => Verdict::Impossible,
            (None, false) => Verdict::Lossy,
            (None, true) if !holdout::fits(self.unfit, measured) => Verdict::Unfit,
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
            batch: self.batch,
            places: self.places,
            schema: self.schema,
            unfit: self.unfit,
        }
    }

    /// Frames the written messages again. Returns the mistake if they come apart elsewhere.
    fn run_together(&mut self) -> Option<String> {
        let mut at = 0;
        let written: Vec<(usize, (usize, usize))> =
            self.places.iter().enumerate().filter_map(|(index, place)| Some((index, (*place)?))).collect();
        for (place, (index, (from, to))) in written.iter().enumerate() {
            let next = written.get(place + 1).map_or(self.batch.len(), |(_, (from, _))| *from);
            match self.walker.frame(&self.batch[at..], at as u64, true) {
                Ok(Frame::Message { start, end }) if at + start == *from && (*to..=next).contains(&(at + end)) => at += end,
                Ok(_) => return Some(format!("message {} does not end where it was written to end", index + 1)),
                Err(error) => return Some(format!("message {} is not found again: {error}", index + 1)),
            }
        }
        None
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

//! A reader with all adapters that stand between it and a sink.

use std::any::Any;
use std::borrow::Cow;

use crate::columns::Filling;
use crate::error::{Error, ErrorKind, Result};
use crate::format::declaration::{Format, Framing, Repeats};
use crate::format::dialect::Dialect;
use crate::limits::{Budget, Limits};
use crate::tools::adapt::arrange::Spare;
use crate::tools::adapt::chain::Chain;
use crate::tools::adapt::entries::Entries;
use crate::tools::adapt::flatten::Flatten;
use crate::tools::adapt::numbers::{Numbers, Unrounded};
use crate::tools::adapt::opened::{Opened, Opening};
use crate::tools::adapt::unflatten::Unflatten;
use crate::tools::adapt::unknown::{Unknown, WithoutUnknown};
use crate::tools::adapt::whole_entries::WholeEntries;
use crate::tools::adapt::{Arrange, Missed, Projection, Sought};
use crate::tools::locate::{locate, locate_scalar};
use crate::tools::loss::LossReport;
use crate::tools::message::Message;
use crate::walk::entries::{Amended, EntryPath};
use crate::walk::event::{Field, Next, Open, Part, Scalar, Span};
use crate::walk::loss::{Losses, Lost};
use crate::walk::path::Path;
use crate::walk::read::{Frame, Reader, Surrogates};
use crate::walk::sink::{Needs, Sink};
use crate::walk::write::Writer;

/// Treatment of duplicate keys, in formats where they have no meaning of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Doubles {
    /// An error.
    #[default]
    Refuse,
    /// The first value counts.
    First,
    /// The last value counts.
    Last,
    /// Both stay, for sinks that can hold them.
    Keep,
}

/// The shape of records for a sink, if it is another one than that of the messages. The text is
/// the separator between the parts of names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shape {
    /// Records within records become columns of one: see [`Flatten`].
    Flat(String),
    /// Columns become records within records: see [`Unflatten`].
    Nested(String),
}

/// Walks the messages of one format into any sink, with the adapters that the sink needs, and adds
/// the path to errors.
pub struct Walker {
    dialect: Dialect,
    reader: Box<dyn Reader>,
    entries: Option<Entries>,
    /// True if the messages are entries of documents.
    each: bool,
    doubles: Doubles,
    projection: Option<(Projection, Sought)>,
    /// True if the projection leads into values of a record.
    nested: bool,
    opening: Option<(Opening, Sought)>,
    unknown: Unknown,
    numbers: Numbers,
    surrogates: Surrogates,
    shape: Option<Shape>,
    /// Losses of another shape.
    shaped: Losses,
    sorted: bool,
    only_walks: bool,
    /// True if spans count bits.
    bits: bool,
    budget: Budget,
    spare: Spare,
}

impl Walker {
    /// Makes a walker of a format or dialect, every message within `limits`.
    pub fn new(dialect: impl Into<Dialect>, limits: &Limits) -> Walker {
        let dialect = dialect.into();
        Walker {
            reader: dialect.reader(),
            dialect,
            entries: None,
            each: false,
            doubles: Doubles::default(),
            projection: None,
            nested: false,
            opening: None,
            unknown: Unknown::default(),
            numbers: Numbers::default(),
            surrogates: Surrogates::default(),
            shape: None,
            shaped: Losses::default(),
            sorted: false,
            only_walks: false,
            bits: false,
            budget: Budget::new(limits),
            spare: Spare::default(),
        }
    }

    /// Sets the treatment of duplicate keys.
    #[must_use]
    pub fn doubles(mut self, doubles: Doubles) -> Walker {
        self.doubles = doubles;
        self
    }

    /// Sets whether sinks get the fields of records and maps in the order of their names, as
    /// [`Arrange::by_name`]. A sink that needs another order gets that.
    #[must_use]
    pub fn sorted(mut self, sorted: bool) -> Walker {
        self.sorted = sorted;
        self
    }

    /// Sets whether [`Walker::fill`] leaves all messages to the walk: its twin, for tests.
    #[must_use]
    pub fn only_walks(mut self, only: bool) -> Walker {
        self.only_walks = only;
        self
    }

    /// Makes the entries of documents at `path` the messages. A document needs the memory of an
    /// entry if [`Walker::reads_whole`] returns false afterwards.
    #[must_use]
    pub fn each(mut self, path: Option<EntryPath>) -> Walker {
        let Some(path) = path else { return self };
        self.each = true;
        match self.dialect.format().structure.filter(|_| !self.dialect.is_bound()) {
            Some(structure) => self.entries = Some(Entries::new(structure(), path)),
            None => {
                let repeats = self.dialect.format().repeats == Repeats::List;
                self.reader = Box::new(WholeEntries::new(self.reader, path, repeats, self.budget.limits()));
            }
        }
        self
    }

    /// Reports whether the messages are entries of documents that are read whole, within the
    /// limits. The bytes of such an entry need not be a message of the format.
    pub fn reads_whole(&self) -> bool {
        self.each && self.entries.is_none()
    }

    /// Returns the error of a path to entries that led to none so far, with the names that are
    /// there.
    pub fn no_entry(&self) -> Option<Error> {
        let descent = match &self.entries {
            Some(entries) => entries.descent(),
            None => (self.reader.as_ref() as &dyn Any).downcast_ref::<WholeEntries>()?.descent(),
        };
        descent.missed().map(|error| error.format_is(self.dialect.format().name))
    }

    /// Returns the message that was framed last with what its bytes lack, if they lack something.
    pub(crate) fn amended(&self, message: &[u8]) -> Option<Amended> {
        self.entries.as_ref().and_then(|entries| entries.amended(message))
    }

    /// Sets the treatment of halves of surrogate pairs.
    #[must_use]
    pub fn surrogates(mut self, surrogates: Surrogates) -> Walker {
        self.surrogates = surrogates;
        self.reader.surrogates(surrogates);
        self
    }

    /// Makes the spans of walks count bits, as [`Reader::count_bits`]. Returns false if the
    /// format's values begin at bytes.
    pub fn count_bits(&mut self) -> bool {
        self.bits = self.reader.count_bits(true);
        self.bits
    }

    /// Walks only the values that `projection` names. A message is held as a tree if a path has
    /// positions.
    #[must_use]
    pub fn select(mut self, projection: Option<Projection>) -> Walker {
        self.nested = projection.as_ref().is_some_and(|projection| !projection.is_names());
        self.projection = projection.map(|projection| {
            let sought = Sought::new(&projection);
            (projection, sought)
        });
        self
    }

    /// Replaces the values that `opening` names by the messages that they hold.
    #[must_use]
    pub fn open(mut self, opening: Option<Opening>) -> Walker {
        self.opening = opening.map(|opening| {
            let sought = Sought::new(&opening.paths);
            (opening, sought)
        });
        self
    }

    /// Sets the treatment of what the reader does not understand.
    #[must_use]
    pub fn unknown(mut self, unknown: Unknown) -> Walker {
        self.unknown = unknown;
        self
    }

    /// Sets the treatment of decimals that no binary64 number is.
    #[must_use]
    pub fn numbers(mut self, numbers: Numbers) -> Walker {
        self.numbers = numbers;
        self
    }

    /// Has sinks get values of the types that the common schema of a bound format has: see
    /// [`Dialect::typed`]. Call it before the first message. Entries of documents stay as they are.
    ///
    /// Returns true if there are such types.
    pub fn show_types(&mut self) -> bool {
        let has_types = !self.each && self.dialect.has_types();
        if !self.each {
            self.dialect = self.dialect.clone().typed();
            self.reader = self.dialect.reader();
            self.reader.surrogates(self.surrogates);
        }
        has_types
    }

    /// Makes a walker that does the same with other messages, such as those of another thread.
    /// `None` if the messages are entries of documents, which only this one can follow.
    pub fn fork(&self) -> Option<Walker> {
        if self.each {
            return None;
        }
        let mut fork = Walker {
            projection: self.projection.as_ref().map(|(projection, _)| (projection.clone(), Sought::new(projection))),
            opening: self.opening.as_ref().map(|(opening, _)| (opening.clone(), Sought::new(&opening.paths))),
            ..Walker::new(self.dialect.clone(), self.budget.limits())
        };
        (fork.doubles, fork.unknown, fork.numbers, fork.sorted) = (self.doubles, self.unknown, self.numbers, self.sorted);
        (fork.shape, fork.only_walks) = (self.shape.clone(), self.only_walks);
        Some(fork.surrogates(self.surrogates))
    }

    /// Makes a walker that does the same with messages behind those so far, where these depend on
    /// the first one. `None` if only this one knows enough.
    pub fn follower(&self) -> Option<Walker> {
        let mut reader = self.reader.follower()?;
        let fork = self.fork()?;
        reader.surrogates(self.surrogates);
        Some(Walker { reader, ..fork })
    }

    /// Takes over what the paths of a fork named, whose messages come behind those so far.
    pub fn join(&mut self, fork: Walker) {
        if let (Some((_, own)), Some((_, other))) = (&mut self.projection, fork.projection) {
            own.join(other);
        }
        if let (Some((_, own)), Some((_, other))) = (&mut self.opening, fork.opening) {
            own.join(other);
        }
    }

    /// Forgets the message whose walk failed, so that a later one can be walked.
    pub fn recover(&mut self) {
        self.shaped.take();
        if !self.dialect.format().first_gives_fields {
            self.reader = self.dialect.reader();
            self.reader.surrogates(self.surrogates);
        }
    }

    /// Forgets a message that failed. Returns true if its framing holds, so that the next message
    /// begins behind it.
    pub fn recover_from(&mut self, message: Message<'_>) -> bool {
        self.recover();
        self.is_framed(message.bytes, message.base)
    }

    /// Reports whether a message whose walk failed ends where it was framed to end.
    fn is_framed(&mut self, msg: &[u8], base: u64) -> bool {
        match self.dialect.format().framing {
            Framing::Contents => false,
            Framing::Lines | Framing::Lengths => true,
            Framing::Counts => self.reader.walk(msg, base, &mut Answer(Next::Skip), &mut Budget::new(&Limits::MAX)).is_ok(),
        }
    }

    /// Sets another shape of records.
    #[must_use]
    pub fn shape(mut self, shape: Option<Shape>) -> Walker {
        self.shape = shape;
        self
    }

    /// Returns the budget with what the last message spent.
    pub(crate) fn budget(&self) -> &Budget {
        &self.budget
    }

    /// Returns the format that it reads.
    pub fn format(&self) -> &'static Format {
        self.dialect.format()
    }

    /// Finds the first message in a buffer: see [`Reader::frame`].
    pub fn frame(&mut self, buf: &[u8], base: u64, eof: bool) -> Result<Frame> {
        let framed = match &mut self.entries {
            Some(entries) => entries.frame(self.reader.as_mut(), buf, base, eof),
            None => self.reader.frame(buf, base, eof),
        };
        framed.map_err(|error| {
            let error = error.or_at(base).format_is(self.dialect.format().name);
            // The end of the message is not known, so none of its values is.
            if error.path().is_none() { error.path_is(Path::default()) } else { error }
        })
    }

    /// Appends the bounds of the first messages of a buffer, if the reader finds many at once: see
    /// [`Reader::frame_many`].
    pub fn frame_many(&mut self, buf: &[u8], base: u64, most: usize, found: &mut Vec<(usize, usize)>) {
        if self.entries.is_none() {
            self.reader.frame_many(buf, base, most, found);
        }
    }

    /// Returns the paths to select that named nothing in any message so far.
    pub fn unselected(&self) -> Vec<Missed> {
        self.projection.as_ref().map(|(projection, sought)| sought.missed(projection, false)).unwrap_or_default()
    }

    /// Returns the paths to open that named no text or bytes in any message so far.
    pub fn unopened(&self) -> Vec<Missed> {
        self.opening.as_ref().map(|(opening, sought)| sought.missed(&opening.paths, true)).unwrap_or_default()
    }

    /// Walks one message into `sink`. Errors of the reader and of the sink carry offset and path.
    pub fn walk<'m>(&mut self, msg: &'m [u8], base: u64, sink: &mut dyn Sink<'m>) -> Result<()> {
        self.budget.reset();
        let outcome = self.adapted(msg, base, sink);
        if outcome.is_ok() {
            self.seek(msg, base);
        }
        outcome.map_err(|error| {
            let error = self.as_read_whole(msg, base, error).format_is(self.dialect.format().name);
            match (error.path(), error.offset()) {
                (None, Some(offset)) => {
                    // Values that share a byte differ in their bits.
                    let bit = error.bit_offset().filter(|_| self.reader.count_bits(true));
                    let at = bit.map_or(offset, |bit| offset * 8 + u64::from(bit));
                    let path = locate(self.reader.as_mut(), msg, base, at, self.budget.limits());
                    self.reader.count_bits(self.bits);
                    error.path_is(path)
                }
                _ => error,
            }
        })
    }

    /// Returns the error of a message that is cut off as it is where nothing is stepped over.
    #[cold]
    fn as_read_whole(&mut self, msg: &[u8], base: u64, error: Error) -> Error {
        if error.kind() != ErrorKind::Truncated {
            return error;
        }
        let mut budget = Budget::new(self.budget.limits());
        match self.reader.walk(msg, base, &mut Answer(Next::Enter), &mut budget) {
            Err(whole) if whole.kind() == ErrorKind::Truncated && whole.offset() == error.offset() => whole,
            _ => error,
        }
    }

    /// Steps over one message that nobody wants. Its contents are not checked; the reader learns
    /// from it what later messages depend on.
    pub fn pass(&mut self, msg: &[u8], base: u64) {
        self.budget.reset();
        let _ = self.reader.walk(msg, base, &mut Answer(Next::Stop), &mut self.budget);
    }

    /// Makes a writer of `to` for this walker's events. If they come straight from a reader of the
    /// same message type, the writer keeps bytes that the schema does not know.
    pub fn writer(&self, to: &Dialect) -> Option<Box<dyn Writer>> {
        let straight = self.is_straight() && self.projection.is_none();
        if straight && self.dialect.is_bound_as(to) { to.relay() } else { to.writer() }
    }

    /// Introduces its reader to the writer that gets its events from here on.
    pub fn meets(&mut self, writer: &mut dyn Writer) {
        writer.meets(self.reader.as_mut());
    }

    /// Has `writer` append a message to `out` straight from its bytes, if it can: [`Writer::pass`].
    /// Returns false if the message has to be walked.
    pub fn pass_to(&mut self, msg: &[u8], base: u64, writer: &mut dyn Writer, out: &mut Vec<u8>) -> bool {
        // Policies of values and keys are the walk's.
        if self.sorted
            || self.nested
            || !self.is_straight()
            || self.unknown != Unknown::Keep
            || self.numbers != Numbers::Nearest
            || self.doubles != Doubles::Refuse
        {
            return false;
        }
        let wanted = |name: &str| match &self.projection {
            Some((projection, _)) => projection.keeps(name),
            None => true,
        };
        writer.pass(self.reader.as_mut(), msg, base, &wanted, self.budget.limits(), out)
    }

    /// Has the reader append a message to columns straight from its bytes, if it can:
    /// [`Reader::fill`]. Returns false if the message has to be walked.
    pub fn fill(&mut self, msg: &[u8], base: u64, filling: &mut Filling<'_>) -> bool {
        self.may_fill() && self.reader.fill(msg, base, filling, self.budget.limits())
    }

    /// Has the reader append the first messages of `bytes` to columns, if it can:
    /// [`Reader::fill_many`]. Returns the number of their bytes, and their number.
    pub fn fill_many(&mut self, bytes: &[u8], base: u64, most: usize, filling: &mut Filling<'_>) -> (usize, usize) {
        match self.may_fill() {
            true => self.reader.fill_many(bytes, base, most, filling, self.budget.limits()),
            false => (0, 0),
        }
    }

    /// Reports whether columns may be filled without a walk.
    fn may_fill(&self) -> bool {
        // Policies of values and keys are the walk's.
        !self.only_walks
            && !self.sorted
            && self.projection.is_none()
            && self.is_straight()
            && self.unknown == Unknown::Keep
            && self.numbers == Numbers::Nearest
            && self.doubles == Doubles::Refuse
    }

    /// Reports whether all messages have the fields of the first one.
    pub fn has_steady_fields(&self) -> bool {
        self.is_straight() && self.reader.has_steady_fields()
    }

    /// Returns the remarks of its reader: see [`Reader::remarks`].
    pub fn remarks(&self) -> Vec<String> {
        self.reader.remarks()
    }

    /// Reports whether the reader's messages are walked as they are, perhaps in part.
    fn is_straight(&self) -> bool {
        !self.each && self.shape.is_none() && self.opening.is_none() && matches!(self.doubles, Doubles::Refuse | Doubles::Keep)
    }

    /// Adds a writer's losses of one message to `report`, with their paths.
    pub fn losses(&mut self, report: &mut LossReport, msg: &[u8], base: u64, lost: &[Lost]) {
        let shaped = self.shaped.take();
        let lost = if shaped.is_empty() { Cow::Borrowed(lost) } else { Cow::Owned([lost, &shaped].concat()) };
        report.add(self.reader.as_mut(), msg, base, &lost, self.budget.limits());
    }

    fn adapted<'m>(&mut self, msg: &'m [u8], base: u64, sink: &mut dyn Sink<'m>) -> Result<()> {
        let Some(shape) = self.shape.take() else { return self.ordered(msg, base, sink) };
        let (depth, mut shaped) = (self.budget.limits().depth, Losses::default());
        let outcome = match &shape {
            Shape::Flat(separator) => self.ordered(msg, base, &mut Flatten::new(sink, separator, &mut shaped)),
            Shape::Nested(separator) => self.ordered(msg, base, &mut Unflatten::new(sink, separator, depth)),
        };
        (self.shape, self.shaped) = (Some(shape), shaped);
        outcome
    }

    /// Walks a message into `sink`, in the order that was asked for.
    fn ordered<'m>(&mut self, msg: &'m [u8], base: u64, sink: &mut dyn Sink<'m>) -> Result<()> {
        let needs = sink.needs();
        if !self.sorted || needs.has(Needs::SCHEMA_ORDER) {
            return self.in_order(msg, base, needs, sink);
        }
        let mut arrange = Arrange::by_name();
        self.in_order(msg, base, needs, &mut arrange)?;
        arrange.finish(sink)
    }

    /// Walks a message into `sink`, in the order in which it stands, as `needs` asks.
    fn in_order<'m>(&mut self, msg: &'m [u8], base: u64, needs: Needs, sink: &mut dyn Sink<'m>) -> Result<()> {
        let limits = *self.budget.limits();
        let chain = Chain {
            format: self.dialect.format(),
            reader: self.reader.as_mut(),
            doubles: self.doubles,
            projection: self.projection.as_mut().map(|(projection, sought)| (&*projection, &mut sought.hits)),
            msg,
            base,
            budget: &mut self.budget,
            spare: &mut self.spare,
        };
        let mut without;
        let sink: &mut dyn Sink<'m> = match self.unknown {
            Unknown::Keep => sink,
            unknown => {
                without = WithoutUnknown::new(sink, unknown);
                &mut without
            }
        };
        let mut unrounded;
        let sink: &mut dyn Sink<'m> = match self.numbers {
            Numbers::Nearest => sink,
            Numbers::Text => {
                unrounded = Unrounded::new(sink);
                &mut unrounded
            }
        };
        let Some((opening, sought)) = &mut self.opening else { return chain.walk(needs, sink) };
        let needs = needs | Needs::WHOLE_TEXT;
        let mut opened = Opened::new(sink, opening, &mut sought.hits, self.doubles, needs, &limits);
        let outcome = opened.walk(chain);
        let failed = opened.failed();
        outcome.map_err(|error| match failed.and_then(|at| locate_scalar(self.reader.as_mut(), msg, base, at, &limits)) {
            Some(path) => error.path_is(path),
            None => error,
        })
    }

    /// Looks for names in a message, where paths have named nothing so far.
    fn seek(&mut self, msg: &[u8], base: u64) {
        let limits = *self.budget.limits();
        if let Some(mut names) = self.projection.as_mut().and_then(|(projection, sought)| sought.names(projection, false)) {
            // The message was walked before; an error would have been met then.
            let _ = self.reader.walk(msg, base, &mut names, &mut Budget::new(&limits));
        }
        if let Some(mut names) = self.opening.as_mut().and_then(|(opening, sought)| sought.names(&opening.paths, true)) {
            let _ = self.reader.walk(msg, base, &mut names, &mut Budget::new(&limits));
        }
    }
}

/// The sink of a message whose contents nobody wants: it gives one answer to all.
struct Answer(Next);

impl<'m> Sink<'m> for Answer {
    fn open(&mut self, _: Open<'_>, _: Span) -> Result<Next> {
        Ok(self.0)
    }

    fn field(&mut self, _: Field<'m, '_>, _: Span) -> Result<Next> {
        Ok(self.0)
    }

    fn scalar(&mut self, _: Scalar<'m, '_>, _: Span) -> Result<()> {
        Ok(())
    }

    fn part(&mut self, _: Part<'_>, _: Span) -> Result<()> {
        Ok(())
    }

    fn close(&mut self, _: Span) -> Result<()> {
        Ok(())
    }
}

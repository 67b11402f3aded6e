//! The input: all messages, checked, in memory.

use std::io::Read;
use std::sync::Arc;

use polywire_core::format::Dialect;
use polywire_core::format::{Format, Repeats};
use polywire_core::tools::Stream;
use polywire_core::tools::adapt::{Doubles, Opening, Walker};
use polywire_core::value::Tree;
use polywire_core::walk::{EntryPath, Forward};
use polywire_core::{Error, ErrorKind, Fault, Limits, Needs, Note, Result, Sink, Span, Writer};

use crate::kinds;
use crate::shapes::Shapes;

/// Messages of one format, to compare formats with. Memory: their bytes, and 24 bytes each.
pub struct Messages {
    dialect: Dialect,
    limits: Limits,
    doubles: Doubles,
    opening: Option<Opening>,
    sources: Vec<String>,
    /// Path to the messages within documents.
    each: Option<EntryPath>,
    /// Description of the kind, if the input has messages of others too.
    kind: Option<String>,
    bytes: Arc<Vec<u8>>,
    places: Vec<Place>,
    shapes: Shapes,
}

/// Place of a message.
#[derive(Debug, Clone, Copy)]
struct Place {
    start: usize,
    end: usize,
    /// Offset in its own input.
    base: u64,
    /// Number of its outline.
    outline: u32,
}

impl Messages {
    /// Returns an empty set for messages of a format or dialect, each within `limits`.
    pub fn new(dialect: impl Into<Dialect>, limits: &Limits) -> Messages {
        Messages {
            dialect: dialect.into(),
            limits: *limits,
            doubles: Doubles::default(),
            opening: None,
            sources: Vec::new(),
            each: None,
            kind: None,
            bytes: Arc::default(),
            places: Vec::new(),
            shapes: Shapes::default(),
        }
    }

    /// Sets the meaning of duplicate keys, for messages that are added later.
    #[must_use]
    pub fn doubles(mut self, doubles: Doubles) -> Messages {
        self.doubles = doubles;
        self
    }

    /// Sets the values that are replaced by the message that they hold, in messages that are added
    /// later. Such messages are written anew.
    pub fn open(&mut self, opening: Option<Opening>) {
        self.opening = opening;
    }

    /// Adds every message of one input, which reports call `name`. Returns their number.
    ///
    /// # Errors
    /// The first message that cannot be read, with its offset in this input and its path. No
    /// message of the input is added then.
    pub fn add<R: Read>(&mut self, name: &str, input: &mut Stream<R>) -> Result<usize> {
        self.add_framed(name, input, self.dialect.format(), None)
    }

    /// Adds every message of one input that is framed by `framing`; with `each`, every entry of its
    /// documents at that path. Each message has the set's format. If that cannot read entries one
    /// by one, they are written anew by it.
    ///
    /// # Errors
    /// As [`Messages::add`]; or there is no entry, or entries cannot be written.
    pub fn add_framed<R: Read>(
        &mut self,
        name: &str,
        input: &mut Stream<R>,
        framing: &'static Format,
        each: Option<&EntryPath>,
    ) -> Result<usize> {
        let (bytes, count) = (self.bytes.len(), self.places.len());
        let outcome = self.collect(input, framing, each);
        if outcome.is_err() {
            Arc::make_mut(&mut self.bytes).truncate(bytes);
            self.places.truncate(count);
        }
        outcome?;
        self.sources.push(name.to_string());
        self.each = self.each.take().or_else(|| each.cloned());
        Ok(self.places.len() - count)
    }

    fn collect<R: Read>(&mut self, input: &mut Stream<R>, framing: &'static Format, each: Option<&EntryPath>) -> Result<()> {
        // A dialect frames its own messages.
        let own = framing.name == self.format().name;
        let mut walker = self.walker(if own { self.dialect.clone() } else { framing.into() }).each(each.cloned());
        walker = walker.open(self.opening.clone());
        let mut anew = if walker.reads_whole() || self.opening.is_some() { Some(Anew::new(self)?) } else { None };
        let first = self.places.len();
        let bytes = Arc::make_mut(&mut self.bytes);
        while let Some(message) = input.next(&mut walker)? {
            let start = bytes.len();
            let taken = walker.walk(message.bytes, message.base, self.shapes.next()).and_then(|()| match &mut anew {
                None => {
                    bytes.extend_from_slice(message.bytes);
                    Ok(())
                }
                Some(anew) => anew.write(&mut walker, message.bytes, message.base, bytes),
            });
            let base = message.base;
            taken.map_err(|error| input.explain(error))?;
            self.places.push(Place { start, end: bytes.len(), base, outline: self.shapes.done() });
        }
        match walker.no_entry() {
            Some(error) if self.places.len() == first => Err(error),
            _ => Ok(()),
        }
    }

    /// Splits the messages by their kind: those whose fields are mostly the same are together, the
    /// largest group first. Messages that depend on an earlier one stay together.
    pub fn into_kinds(self) -> Vec<Messages> {
        let groups = self.shapes.groups();
        let count = groups.iter().max().map_or(1, |last| last + 1);
        if count == 1 {
            return vec![self];
        }
        let group = |place: &Place| groups.get(place.outline as usize).copied().unwrap_or(0);
        let parts = (0..count).map(|number| {
            let places: Vec<Place> = self.places.iter().filter(|place| group(place) == number).copied().collect();
            let mut part = Messages {
                dialect: self.dialect.clone(),
                limits: self.limits,
                doubles: self.doubles,
                opening: None,
                sources: self.sources.clone(),
                each: self.each.clone(),
                kind: None,
                bytes: self.bytes.clone(),
                places,
                shapes: self.shapes.clone(),
            };
            part.kind = Some(kinds::description(&part));
            part
        });
        let parts: Vec<Messages> = parts.collect();
        // The first of them came without the head of its stream, if there is one.
        if parts.iter().all(Messages::stands_alone) { parts } else { vec![self] }
    }

    /// Reports whether the first message has the fields that it had within its stream.
    fn stands_alone(&self) -> bool {
        let Some(place) = self.places.first() else { return false };
        let (bytes, base) = self.get(0);
        let mut shapes = Shapes::default();
        let walked = self.walker(self.dialect.clone()).walk(bytes, base, shapes.next());
        walked.is_ok() && self.shapes.is_same(place.outline, &shapes)
    }

    /// Returns the format of the messages.
    pub fn format(&self) -> &'static Format {
        self.dialect.format()
    }

    /// Returns the dialect of the messages.
    pub fn dialect(&self) -> &Dialect {
        &self.dialect
    }

    /// Returns the limits that each message keeps.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Returns the end of a run of messages from `first` on, which has at least `bytes` bytes, or
    /// all that there are.
    pub(crate) fn end_of(&self, first: usize, bytes: usize) -> usize {
        let mut left = bytes;
        let fits = |place: &&Place| {
            let before = left;
            left = left.saturating_sub(place.end - place.start);
            before > 0
        };
        first + self.places[first..].iter().take_while(fits).count()
    }

    /// Returns a walker of a format or dialect with the same limits and the same meaning of
    /// duplicate keys.
    pub(crate) fn walker(&self, dialect: impl Into<Dialect>) -> Walker {
        Walker::new(dialect, &self.limits).doubles(self.doubles)
    }

    /// Returns the names of the inputs, in the order of adding.
    pub fn sources(&self) -> &[String] {
        &self.sources
    }

    /// Returns the path to the messages within documents, if they are entries.
    pub fn each(&self) -> Option<&EntryPath> {
        self.each.as_ref()
    }

    /// Returns what these messages have in common, if the input has messages of other kinds too.
    pub fn kind(&self) -> Option<&str> {
        self.kind.as_deref()
    }

    /// Returns the number of messages.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Returns true if there is no message.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Returns the bytes of all messages together, without separators.
    pub fn bytes(&self) -> usize {
        self.places.iter().map(|place| place.end - place.start).sum()
    }

    /// Returns the bytes of message `index`, and their offset in its input.
    pub(crate) fn get(&self, index: usize) -> (&[u8], u64) {
        let place = self.places[index];
        (&self.bytes[place.start..place.end], place.base)
    }

    /// Returns every `step`-th of the messages `of`, at least one, such that they have at most
    /// `bytes` bytes together.
    pub(crate) fn sample(&self, of: &[usize], bytes: usize) -> Vec<usize> {
        let all: usize = of.iter().map(|index| self.get(*index).0.len()).sum();
        let mut step = all.div_ceil(bytes.max(1)).max(1);
        loop {
            let chosen: Vec<usize> = of.iter().copied().step_by(step).collect();
            let total: usize = chosen.iter().map(|index| self.get(*index).0.len()).sum();
            if total <= bytes || chosen.len() <= 1 {
                return chosen;
            }
            step += step.div_ceil(4);
        }
    }
}

/// Writes entries anew, whose bytes are no messages.
struct Anew(Box<dyn Writer>);

impl Anew {
    fn new(messages: &Messages) -> Result<Anew> {
        let format = messages.format();
        match messages.dialect.writer().filter(|_| !messages.dialect.is_bound()) {
            Some(writer) => Ok(Anew(writer)),
            None => Err(Error::new(ErrorKind::Unsupported, Fault::Caller)
                .seen(format!("entries of {}", format.name))
                .expected("a format whose entries are messages of it")
                .hint("write them in another format first: polywire convert --each PATH --to jsonl")),
        }
    }

    fn write(&mut self, walker: &mut Walker, bytes: &[u8], base: u64, out: &mut Vec<u8>) -> Result<()> {
        walker.walk(bytes, base, &mut *self.0)?;
        self.0.finish(out)
    }
}

/// Tree sink with a writer's needs, which leaves out white space between values.
pub(crate) struct Arranged<'m> {
    pub(crate) tree: Tree<'m>,
    needs: Needs,
}

impl<'m> Arranged<'m> {
    pub(crate) fn new(tree: Tree<'m>, needs: Needs) -> Arranged<'m> {
        Arranged { tree, needs }
    }
}

/// Returns the part of a writer's needs that changes the tree of a message of `format`. Writers
/// with equal parts share a tree.
pub(crate) fn effective(needs: Needs, format: &'static Format) -> Needs {
    let mut kept = Needs::NONE;
    if needs.has(Needs::GROUPED) && format.repeats == Repeats::List {
        kept = kept | Needs::GROUPED;
    }
    if needs.has(Needs::SCHEMA_ORDER) {
        kept = kept | Needs::SCHEMA_ORDER;
    }
    kept
}

impl<'m> Forward<'m> for Arranged<'m> {
    type To = Tree<'m>;

    fn to(&mut self) -> &mut Tree<'m> {
        &mut self.tree
    }

    fn needs(&self) -> Needs {
        self.needs
    }

    fn note(&mut self, note: Note<'_>, at: Span) -> Result<()> {
        match note {
            Note::Layout(_) => Ok(()),
            other => self.tree.note(other, at),
        }
    }
}

/// Returns the error for an input without messages.
pub(crate) fn none() -> Error {
    Error::usage("an input without messages").expected("at least one message")
}

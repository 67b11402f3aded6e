//! The input: all messages, checked, in memory.

use std::io::Read;

use polywire_core::format::Dialect;
use polywire_core::format::{Format, Repeats};
use polywire_core::tools::Count;
use polywire_core::tools::Stream;
use polywire_core::tools::adapt::{Doubles, Walker};
use polywire_core::value::Tree;
use polywire_core::walk::Forward;
use polywire_core::{Error, Limits, Needs, Note, Result, Sink, Span};

/// Messages of one format, to compare formats with. Memory: their bytes, and 24 bytes each.
pub struct Messages {
    dialect: Dialect,
    limits: Limits,
    doubles: Doubles,
    sources: Vec<String>,
    bytes: Vec<u8>,
    places: Vec<Place>,
}

/// Place of a message.
#[derive(Debug, Clone, Copy)]
struct Place {
    start: usize,
    end: usize,
    /// Offset in its own input.
    base: u64,
}

impl Messages {
    /// Returns an empty set for messages of a format or dialect, each within `limits`.
    pub fn new(dialect: impl Into<Dialect>, limits: &Limits) -> Messages {
        Messages {
            dialect: dialect.into(),
            limits: *limits,
            doubles: Doubles::default(),
            sources: Vec::new(),
            bytes: Vec::new(),
            places: Vec::new(),
        }
    }

    /// Sets the meaning of duplicate keys, for messages that are added later.
    #[must_use]
    pub fn doubles(mut self, doubles: Doubles) -> Messages {
        self.doubles = doubles;
        self
    }

    /// Adds every message of one input, which reports call `name`. Returns their number.
    ///
    /// # Errors
    /// The first message that cannot be read, with its offset in this input and its path. No
    /// message of the input is added then.
    pub fn add<R: Read>(&mut self, name: &str, input: &mut Stream<R>) -> Result<usize> {
        self.add_framed(name, input, self.dialect.format())
    }

    /// Adds every message of one input that is framed by `framing`. Each message has the set's
    /// format.
    ///
    /// # Errors
    /// As [`Messages::add`].
    pub fn add_framed<R: Read>(&mut self, name: &str, input: &mut Stream<R>, framing: &'static Format) -> Result<usize> {
        let (bytes, count) = (self.bytes.len(), self.places.len());
        let outcome = self.collect(input, framing);
        if outcome.is_err() {
            self.bytes.truncate(bytes);
            self.places.truncate(count);
        }
        outcome?;
        self.sources.push(name.to_string());
        Ok(self.places.len() - count)
    }

    fn collect<R: Read>(&mut self, input: &mut Stream<R>, framing: &'static Format) -> Result<()> {
        // A dialect frames its own messages.
        let own = framing.name == self.format().name;
        let mut walker = self.walker(if own { self.dialect.clone() } else { framing.into() });
        while let Some(message) = input.next(&mut walker)? {
            walker.walk(message.bytes, message.base, &mut Count::default())?;
            let start = self.bytes.len();
            self.bytes.extend_from_slice(message.bytes);
            self.places.push(Place { start, end: self.bytes.len(), base: message.base });
        }
        Ok(())
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

    /// Returns a walker of a format or dialect with the same limits and the same meaning of
    /// duplicate keys.
    pub(crate) fn walker(&self, dialect: impl Into<Dialect>) -> Walker {
        Walker::new(dialect, &self.limits).doubles(self.doubles)
    }

    /// Returns the names of the inputs, in the order of adding.
    pub fn sources(&self) -> &[String] {
        &self.sources
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
        self.bytes.len()
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

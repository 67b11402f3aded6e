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

/// The messages to compare formats with, all of one format. Memory: their bytes, and 24 bytes each.
pub struct Messages {
    dialect: Dialect,
    limits: Limits,
    doubles: Doubles,
    sources: Vec<String>,
    bytes: Vec<u8>,
    places: Vec<Place>,
}

/// Where a message lies.
#[derive(Debug, Clone, Copy)]
struct Place {
    start: usize,
    end: usize,
    /// Offset in its own input.
    base: u64,
}

impl Messages {
    /// No messages yet, of a format or dialect; each must keep `limits`.
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

    /// Sets what a key means that comes twice in one record. Say it before adding messages.
    #[must_use]
    pub fn doubles(mut self, doubles: Doubles) -> Messages {
        self.doubles = doubles;
        self
    }

    /// Adds every message of one input, which reports call `name`. Returns how many there were.
    ///
    /// # Errors
    /// The first message that can't be read, with its offset in this input and the path; that and the messages before it stay out.
    pub fn add<R: Read>(&mut self, name: &str, input: &mut Stream<R>) -> Result<usize> {
        self.add_framed(name, input, self.dialect.format())
    }

    /// Adds every message of one input whose messages follow each other as `framing` says; each is of the format of all.
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

    /// The format of the messages.
    pub fn format(&self) -> &'static Format {
        self.dialect.format()
    }

    /// That format, as it is spoken here.
    pub fn dialect(&self) -> &Dialect {
        &self.dialect
    }

    /// The bounds that each message kept.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// A walker of a format or dialect within the same bounds, to which doubled keys mean the same.
    pub(crate) fn walker(&self, dialect: impl Into<Dialect>) -> Walker {
        Walker::new(dialect, &self.limits).doubles(self.doubles)
    }

    /// The names of the inputs, in the order in which they were added.
    pub fn sources(&self) -> &[String] {
        &self.sources
    }

    /// Number of messages.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Bytes of all messages together, without what separates them.
    pub fn bytes(&self) -> usize {
        self.bytes.len()
    }

    /// The bytes of message `index`, and their offset in the input.
    pub(crate) fn get(&self, index: usize) -> (&[u8], u64) {
        let place = self.places[index];
        (&self.bytes[place.start..place.end], place.base)
    }

    /// Every `step`-th message so that they have at most `bytes` bytes together, but one at least.
    pub(crate) fn sample(&self, bytes: usize) -> Vec<usize> {
        let mut step = self.bytes().div_ceil(bytes.max(1)).max(1);
        loop {
            let chosen: Vec<usize> = (0..self.len()).step_by(step).collect();
            let total: usize = chosen.iter().map(|index| self.get(*index).0.len()).sum();
            if total <= bytes || chosen.len() <= 1 {
                return chosen;
            }
            step += step.div_ceil(4);
        }
    }
}

/// A tree that asks for what a writer would ask for, and leaves out the white space between values.
pub(crate) struct Arranged<'m> {
    pub(crate) tree: Tree<'m>,
    needs: Needs,
}

impl<'m> Arranged<'m> {
    pub(crate) fn new(tree: Tree<'m>, needs: Needs) -> Arranged<'m> {
        Arranged { tree, needs }
    }
}

/// What of a writer's needs changes the tree of a message of `format`: writers with the same are given the same tree.
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

/// The error for an input without messages.
pub(crate) fn none() -> Error {
    Error::usage("an input without messages").expected("at least one message")
}

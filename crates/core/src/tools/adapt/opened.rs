//! Replaces text and bytes by the messages that they hold.

use crate::error::{Error, ErrorKind, Fault, Result};
use crate::format::declaration::Format;
use crate::format::payload::{Contents, Payloads};
use crate::limits::{Budget, Limits};
use crate::tools::adapt::arrange::Spare;
use crate::tools::adapt::chain::Chain;
use crate::tools::adapt::places::{Called, Child, children};
use crate::tools::adapt::{Doubles, Hits, Places, Projection};
use crate::value::tree::Tree;
use crate::walk::event::{Field, Next, Note, Open, Part, Scalar, Span};
use crate::walk::read::Frame;
use crate::walk::sink::{Needs, Sink};

/// The values that are opened, and the formats looked for in them.
#[derive(Debug, Clone)]
pub struct Opening {
    /// Their paths. A path may lead into a value that a shorter one opens.
    pub paths: Projection,
    /// The formats and codecs that are recognised.
    pub payloads: &'static Payloads,
}

/// Replaces each value that [`Opening`] names by the message that it holds. All events of that
/// message have the span of the outer value.
///
/// Limits hold for a message with all its payloads: depth is counted from the outermost container.
pub(crate) struct Opened<'a, 'm> {
    inner: &'a mut dyn Sink<'m>,
    opening: &'a Opening,
    hits: &'a mut Hits,
    doubles: Doubles,
    needs: Needs,
    budget: Budget,
    levels: Vec<Level>,
    /// Places of the next value, if its name is known or it is a payload's message.
    due: Option<Places>,
    /// The value whose payload could not be opened.
    failed: Option<Span>,
}

struct Level {
    places: Places,
    /// Format of the value in it, until that is opened.
    holds: Option<&'static Format>,
    /// True for a tag that the message in it replaces.
    replaced: bool,
    /// True if names lead to the values, and not positions.
    named: bool,
}

impl<'a, 'm> Opened<'a, 'm> {
    /// Makes the adapter before `inner`, for one message. Paths that open something are marked in
    /// `hits`.
    pub(crate) fn new(
        inner: &'a mut dyn Sink<'m>,
        opening: &'a Opening,
        hits: &'a mut Hits,
        doubles: Doubles,
        needs: Needs,
        limits: &Limits,
    ) -> Self {
        Opened { inner, opening, hits, doubles, needs, budget: Budget::new(limits), levels: Vec::new(), due: None, failed: None }
    }

    /// Walks the message of `chain` into this adapter.
    pub(crate) fn walk(&mut self, chain: Chain<'_, 'm>) -> Result<()> {
        walk(chain, self.needs, Places::root(), self)
    }

    /// Returns the span of the value whose payload could not be opened, if the walk failed for that
    /// reason.
    pub(crate) fn failed(&self) -> Option<Span> {
        self.failed
    }

    /// Returns the places of the value that comes next.
    fn places(&mut self) -> Places {
        match (self.due.take(), self.levels.last()) {
            (Some(places), _) => places,
            (None, None) => Places::root(),
            // A key that is no text, or its value.
            (None, Some(level)) if level.named => Places::NOWHERE,
            (None, Some(level)) => level.places.clone(),
        }
    }

    /// Opens the payload `bytes` of the value at `at`.
    fn payload(&mut self, bytes: &[u8], at: Span, places: &Places) -> Result<()> {
        let payloads = self.opening.payloads;
        let declared = self.levels.last_mut().and_then(|level| level.holds.take()).map(Contents::plain);
        let Some(contents) = declared.or_else(|| payloads.look_harder(bytes)) else {
            return Err(Error::data(ErrorKind::UnknownFormat, at.start)
                .seen("a payload that looks like no format")
                .expected("a message in a known format, compressed or not")
                .hint("leave its path out of those that are opened to keep it as it is"));
        };
        let mut decoded = Vec::new();
        let msg = if contents.codecs.is_empty() {
            bytes
        } else {
            let outcome = payloads.decode(bytes, &contents.codecs, &mut self.budget, at.start, &mut decoded);
            outcome.map_err(|error| within(&error, &contents, at, false))?;
            &decoded
        };
        let mut reader = (contents.format.reader)();
        let frame = reader.frame(msg, 0, true).map_err(|error| within(&error, &contents, at, true))?;
        let Frame::Message { start, end } = frame else {
            return Err(within(&Error::truncated(msg.len() as u64, "a message"), &contents, at, true));
        };
        let end = end.min(msg.len());
        if !matches!(reader.frame(&msg[end..], end as u64, true), Ok(Frame::End)) {
            let error = Error::data(ErrorKind::Trailing, end as u64).seen("bytes after the message");
            return Err(within(&error, &contents, at, true));
        }
        let places = places.inside(&self.opening.paths);
        let mut budget = self.budget.inner(self.levels.len());
        let (needs, doubles) = (self.needs, self.doubles);
        let mut inside = Inside { outer: self, at, refused: false };
        let chain = Chain {
            format: contents.format,
            reader: &mut *reader,
            doubles,
            projection: None,
            msg: &msg[start..end],
            base: start as u64,
            budget: &mut budget,
            spare: &mut Spare::default(),
        };
        let outcome = walk(chain, needs, places, &mut inside);
        let refused = inside.refused;
        self.budget.settle(&budget);
        outcome.map_err(|error| if refused { error } else { within(&error, &contents, at, true) })
    }
}

#[cold]
fn not_opened(kind: &'static str, at: Span) -> Error {
    Error::data(ErrorKind::Unsupported, at.start)
        .seen(format!("a value of kind {kind}"))
        .expected("text or bytes that hold a message")
        .hint("leave its path out of those that are opened to keep it as it is")
}

/// Turns a payload's error into one of the message that holds it. With `placed`, its offset counts
/// from the start of the decoded payload.
#[cold]
fn within(error: &Error, contents: &Contents, at: Span, placed: bool) -> Error {
    let place = match error.offset() {
        Some(offset) if placed => format!(", at byte {offset} of it"),
        _ => String::new(),
    };
    let seen = format!("a payload ({contents}) that cannot be opened: {}{place}", error.what());
    let hint = if error.advice().is_empty() { "leave its path out of those that are opened to keep it as it is" } else { error.advice() };
    Error::new(error.kind(), if error.fault() == Fault::Us { Fault::Us } else { Fault::Data })
        .at(at.start)
        .seen(seen)
        .hint(hint.to_string())
}

impl<'m> Sink<'m> for Opened<'_, 'm> {
    fn needs(&self) -> Needs {
        self.needs
    }

    fn open(&mut self, open: Open<'_>, at: Span) -> Result<Next> {
        if self.levels.last().is_some_and(|level| level.holds.is_some()) {
            self.failed = self.failed.or(Some(at));
            return Err(not_opened(open.kind(), at));
        }
        let places = self.places();
        let places = match open {
            Open::Variant { name, .. } => places.named(&self.opening.paths, name),
            _ => places,
        };
        if let Open::Tagged { space, code } = open
            && places.is_whole(&self.opening.paths)
            && let Some(format) = (self.opening.payloads.tagged)(space, code)
        {
            self.levels.push(Level { places, holds: Some(format), replaced: true, named: false });
            return Ok(Next::Enter);
        }
        let next = self.inner.open(open, at)?;
        if next == Next::Enter {
            self.levels.push(Level { places, holds: None, replaced: false, named: matches!(open, Open::Record { .. } | Open::Map(_)) });
        }
        Ok(next)
    }

    fn field(&mut self, field: Field<'m, '_>, at: Span) -> Result<Next> {
        let places = self.levels.last().map_or(Places::NOWHERE, |level| level.places.named(&self.opening.paths, field.name.get()));
        let next = self.inner.field(field, at)?;
        self.due = (next == Next::Enter).then_some(places);
        Ok(next)
    }

    fn scalar(&mut self, value: Scalar<'m, '_>, at: Span) -> Result<()> {
        let places = self.places();
        if !places.is_whole(&self.opening.paths) {
            return self.inner.scalar(value, at);
        }
        places.mark(&self.opening.paths, self.hits);
        let outcome = match value {
            Scalar::Text(text) => self.payload(text.get().as_bytes(), at, &places),
            Scalar::Bytes(bytes) | Scalar::Octets(bytes) => self.payload(bytes.get(), at, &places),
            // Nothing in the place of a payload is nothing in the place of what it would hold.
            Scalar::Null => return self.inner.scalar(value, at),
            other => Err(not_opened(other.kind(), at)),
        };
        outcome.inspect_err(|_| self.failed = self.failed.or(Some(at)))
    }

    fn part(&mut self, part: Part<'_>, at: Span) -> Result<()> {
        if part.last {
            self.places();
        }
        self.inner.part(part, at)
    }

    fn close(&mut self, at: Span) -> Result<()> {
        match self.levels.pop() {
            Some(Level { replaced: true, .. }) => Ok(()),
            _ => self.inner.close(at),
        }
    }

    fn note(&mut self, note: Note<'_>, at: Span) -> Result<()> {
        self.inner.note(note, at)
    }
}

/// A sink that goes by the places of values, and may have them from outside.
trait Placed<'m>: Sink<'m> {
    /// Returns the paths that it follows.
    fn paths(&self) -> &Projection;

    /// Sets the places of the value that comes next.
    fn comes(&mut self, places: Places);
}

impl<'m> Placed<'m> for Opened<'_, 'm> {
    fn paths(&self) -> &Projection {
        &self.opening.paths
    }

    fn comes(&mut self, places: Places) {
        self.due = Some(places);
    }
}

impl<'d> Placed<'d> for Inside<'_, '_, '_> {
    fn paths(&self) -> &Projection {
        &self.outer.opening.paths
    }

    fn comes(&mut self, places: Places) {
        self.outer.due = Some(places);
    }
}

/// Walks a message into `sink`, whose paths it meets at `places`. If they have positions, it is
/// held as a tree, so that the lengths of lists are known.
fn walk<'m>(chain: Chain<'_, 'm>, needs: Needs, places: Places, sink: &mut impl Placed<'m>) -> Result<()> {
    if !sink.paths().has_positions() {
        sink.comes(places);
        return chain.walk(needs, sink);
    }
    let repeats = chain.repeats();
    let mut tree = Tree::new();
    chain.walk(needs, &mut tree)?;
    let root = tree.skip_notes(0);
    for note in 0..root {
        tree.emit_node(note, sink)?;
    }
    follow(&tree, root, places, repeats, sink)?;
    for note in tree.after_value(root)..tree.node_count() {
        tree.emit_node(note, sink)?;
    }
    Ok(())
}

/// Emits the value at `at`, and sets before each value in it where that stands. Returns false after
/// [`Next::Stop`]. Recursion is bounded by the depth that the reader's budget allowed.
fn follow<'m>(tree: &Tree<'m>, at: usize, places: Places, repeats: bool, sink: &mut impl Placed<'m>) -> Result<bool> {
    let below = (tree.after_value(at) != at + 1).then(|| children(tree, at, &places, sink.paths(), repeats));
    sink.comes(places);
    match tree.emit_node(at, sink)? {
        Next::Enter => {}
        next => return Ok(next == Next::Skip),
    }
    let Some(below) = below else { return Ok(true) };
    for child in below {
        let (called, at, places) = match child {
            Child::Note(note) => {
                tree.emit_node(note, sink)?;
                continue;
            }
            Child::Value { called, at, places } => (called, at, places),
        };
        match called {
            Called::Nothing => {}
            Called::Field(field) => match tree.emit_node(field, sink)? {
                Next::Enter => {}
                Next::Skip => continue,
                Next::Stop => return Ok(false),
            },
            Called::Key(key) if !follow(tree, key, Places::NOWHERE, repeats, sink)? => return Ok(false),
            Called::Key(_) => {}
        }
        if !follow(tree, at, places, repeats, sink)? {
            return Ok(false);
        }
    }
    sink.close(tree.span(tree.after_value(at) - 1))?;
    Ok(true)
}

/// Passes the events of a payload to the sink of the message around it. The payload's bytes live
/// for the call only.
struct Inside<'x, 'a, 'm> {
    outer: &'x mut Opened<'a, 'm>,
    at: Span,
    /// The outer sink failed: the error is its own.
    refused: bool,
}

impl Inside<'_, '_, '_> {
    fn told<T>(&mut self, outcome: Result<T>) -> Result<T> {
        self.refused |= outcome.is_err();
        outcome
    }
}

impl<'d> Sink<'d> for Inside<'_, '_, '_> {
    fn open(&mut self, open: Open<'_>, _: Span) -> Result<Next> {
        let outcome = self.outer.open(open, self.at);
        self.told(outcome)
    }

    fn field(&mut self, field: Field<'d, '_>, _: Span) -> Result<Next> {
        // A slot refers to a schema of the payload, which the sink does not know.
        let outcome = self.outer.field(Field { name: field.name.scratch(), id: field.id, slot: None }, self.at);
        self.told(outcome)
    }

    fn scalar(&mut self, value: Scalar<'d, '_>, _: Span) -> Result<()> {
        let outcome = self.outer.scalar(value.scratch(), self.at);
        self.told(outcome)
    }

    fn part(&mut self, part: Part<'_>, _: Span) -> Result<()> {
        let outcome = self.outer.part(part, self.at);
        self.told(outcome)
    }

    fn close(&mut self, _: Span) -> Result<()> {
        let outcome = self.outer.close(self.at);
        self.told(outcome)
    }

    fn note(&mut self, note: Note<'_>, _: Span) -> Result<()> {
        let outcome = self.outer.note(note, self.at);
        self.told(outcome)
    }
}

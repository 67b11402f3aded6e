//! Replaces text and bytes by the messages that they hold.

use crate::error::{Error, ErrorKind, Fault, Result};
use crate::format::payload::{Contents, Payloads};
use crate::limits::{Budget, Limits};
use crate::tools::adapt::chain::Chain;
use crate::tools::adapt::{Doubles, Projection};
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
    doubles: Doubles,
    needs: Needs,
    budget: Budget,
    levels: Vec<Level>,
    /// Place of the next value, if its name is known or it is a payload's message.
    due: Option<Place>,
    /// The value whose payload could not be opened.
    failed: Option<Span>,
}

#[derive(Clone, Copy)]
struct Level {
    place: Place,
    /// True if names lead to the values, and not positions.
    named: bool,
}

/// Where a value stands among the paths.
#[derive(Clone, Copy)]
struct Place {
    node: Option<usize>,
    /// True for a payload's message, which is not opened again unless a longer path names it.
    opened: bool,
}

impl Place {
    const NOWHERE: Place = Place { node: None, opened: false };
}

impl<'a, 'm> Opened<'a, 'm> {
    /// Makes the adapter before `inner`, for one message.
    pub(crate) fn new(inner: &'a mut dyn Sink<'m>, opening: &'a Opening, doubles: Doubles, needs: Needs, limits: &Limits) -> Self {
        Opened { inner, opening, doubles, needs, budget: Budget::new(limits), levels: Vec::new(), due: None, failed: None }
    }

    /// Returns the span of the value whose payload could not be opened, if the walk failed for that
    /// reason.
    pub(crate) fn failed(&self) -> Option<Span> {
        self.failed
    }

    /// Returns the place of the next value.
    fn place(&mut self) -> Place {
        match (self.due.take(), self.levels.last()) {
            (Some(place), _) => place,
            (None, None) => Place { node: Some(Projection::ROOT), opened: false },
            // A key that is no text, or its value.
            (None, Some(level)) if level.named => Place::NOWHERE,
            (None, Some(level)) => level.place,
        }
    }

    fn child(&self, node: Option<usize>, name: &str) -> Place {
        Place { node: node.and_then(|node| self.opening.paths.child(node, name)), opened: false }
    }

    /// Opens the payload `bytes` of the value at `at`.
    fn payload(&mut self, bytes: &[u8], at: Span, node: usize) -> Result<()> {
        let payloads = self.opening.payloads;
        let Some(contents) = payloads.look_harder(bytes) else {
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
        self.due = Some(Place { node: Some(node), opened: true });
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
        };
        let outcome = chain.walk(needs, &mut inside);
        let refused = inside.refused;
        self.budget.settle(&budget);
        outcome.map_err(|error| if refused { error } else { within(&error, &contents, at, true) })
    }
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
        let place = self.place();
        let place = match open {
            Open::Variant { name, .. } => self.child(place.node, name),
            _ => place,
        };
        let next = self.inner.open(open, at)?;
        if next == Next::Enter {
            self.levels.push(Level { place, named: matches!(open, Open::Record { .. } | Open::Map(_)) });
        }
        Ok(next)
    }

    fn field(&mut self, field: Field<'m, '_>, at: Span) -> Result<Next> {
        let node = self.levels.last().and_then(|level| level.place.node);
        let place = self.child(node, field.name.get());
        let next = self.inner.field(field, at)?;
        self.due = (next == Next::Enter).then_some(place);
        Ok(next)
    }

    fn scalar(&mut self, value: Scalar<'m, '_>, at: Span) -> Result<()> {
        let place = self.place();
        let node = match place {
            Place { node: Some(node), opened: false } if self.opening.paths.is_whole(node) => node,
            _ => return self.inner.scalar(value, at),
        };
        let outcome = match value {
            Scalar::Text(text) => self.payload(text.get().as_bytes(), at, node),
            Scalar::Bytes(bytes) | Scalar::Octets(bytes) => self.payload(bytes.get(), at, node),
            // Nothing in the place of a payload is nothing in the place of what it would hold.
            Scalar::Null => return self.inner.scalar(value, at),
            other => Err(Error::data(ErrorKind::Unsupported, at.start)
                .seen(format!("a value of kind {}", other.kind()))
                .expected("text or bytes that hold a message")
                .hint("leave its path out of those that are opened to keep it as it is")),
        };
        outcome.inspect_err(|_| self.failed = self.failed.or(Some(at)))
    }

    fn part(&mut self, part: Part<'_>, at: Span) -> Result<()> {
        if part.last {
            self.place();
        }
        self.inner.part(part, at)
    }

    fn close(&mut self, at: Span) -> Result<()> {
        self.levels.pop();
        self.inner.close(at)
    }

    fn note(&mut self, note: Note<'_>, at: Span) -> Result<()> {
        self.inner.note(note, at)
    }
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

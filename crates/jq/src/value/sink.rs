//! The sink that makes values of a walk's events.

use std::sync::{Arc, OnceLock};

use polywire_core::{Error, Field, Hint, Needs, Next, Note, Open, Part, PartKind, Result, Scalar, Sink, Span, Timestamp};

use super::number::{Exact, Number};
use super::{List, Moment, Object, Tagged, Text, Val, Variant};
use crate::wanted::{Place, Wanted};

/// Makes a value of the events of a message, of the parts that are wanted.
///
/// Parts that a filter does not look at are skipped. Scalars stay where the filter goes deeper, so
/// that it fails on them as it would on the whole message.
#[derive(Debug, Default)]
pub struct ValSink {
    wanted: Option<Arc<Wanted>>,
    /// Values of containers that are open; in objects, keys and values.
    values: Vec<Val>,
    levels: Vec<Level>,
    /// Place of the value that comes, if its name said it.
    due: Option<Place>,
    part: Vec<u8>,
    done: Option<Val>,
    unknown: u64,
}

#[derive(Debug)]
struct Level {
    kind: Opened,
    /// Index of the first of its values.
    from: usize,
    /// Place of the container itself; of its elements where it is no object.
    place: Place,
}

#[derive(Debug)]
enum Opened {
    List,
    Tuple,
    Record(Option<Box<str>>),
    Map,
    Variant(Box<str>, u32),
    Tagged(Box<str>, u64),
}

impl ValSink {
    /// Makes a sink for whole messages.
    pub fn new() -> ValSink {
        ValSink::default()
    }

    /// Makes a sink for the parts of messages that a filter looks at.
    pub(crate) fn of_wanted(wanted: Arc<Wanted>) -> ValSink {
        ValSink { wanted: Some(wanted), ..ValSink::default() }
    }

    /// Returns the value, if a whole one was received, and is ready for the next message.
    pub fn take(&mut self) -> Option<Val> {
        self.values.clear();
        self.levels.clear();
        self.due = None;
        self.part.clear();
        self.done.take()
    }

    /// Returns the number of notes of bytes that the reader did not understand, since the last
    /// call.
    pub fn take_unknown(&mut self) -> u64 {
        std::mem::take(&mut self.unknown)
    }

    #[inline]
    fn put(&mut self, value: Val) {
        if self.levels.is_empty() {
            self.done = Some(value);
        } else {
            self.values.push(value);
        }
    }

    /// Returns the place of the value that comes.
    #[inline]
    fn place(&mut self) -> Place {
        let Some(wanted) = &self.wanted else { return Place::WHOLE };
        match (self.due.take(), self.levels.last()) {
            (Some(due), _) => due,
            (None, None) => wanted.root(),
            // The value of a key that is no text, or the key itself.
            (None, Some(Level { kind: Opened::Map | Opened::Record(_), .. })) => Place::WHOLE,
            (None, Some(level)) => level.place,
        }
    }
}

/// Returns the value of a scalar.
pub(crate) fn scalar(value: Scalar<'_, '_>) -> Val {
    let exact = |number: Number, hint: Hint<'_>| Val::Exact(Arc::new(Exact::new(number, hint)));
    match value {
        Scalar::Text(text) => Val::Text(Text::from(text.get())),
        Scalar::UInt(value, hint) => match (i64::try_from(value), hint.spelling()) {
            (Ok(value), None) => Val::Int(value),
            (Err(_), None) => Val::UInt(value),
            _ => exact(Number::UInt(value), hint),
        },
        Scalar::Int(value, hint) if hint.spelling().is_none() => Val::Int(value),
        Scalar::Int(value, hint) => exact(Number::Int(value), hint),
        Scalar::F64(value, hint) => match hint.spelling() {
            None => Val::F64(value),
            Some(spelling)
                if spelling.width.is_none()
                    && spelling.exponent.is_none()
                    && spelling.wire.is_none()
                    && !spelling.exact
                    && spelling.digits.is_none_or(|digits| polywire_core::value::lexical::is_redundant(digits, value)) =>
            {
                Val::F64(value)
            }
            Some(_) => exact(Number::F64(value), hint),
        },
        Scalar::Null => Val::Null,
        Scalar::Bool(value) => Val::Bool(value),
        Scalar::F32(value, hint) => exact(Number::F32(value), hint),
        Scalar::Big(digits, hint) => exact(Number::Big(digits.get().to_string()), hint),
        Scalar::Decimal(digits, hint) => exact(Number::Decimal(digits.get().to_string()), hint),
        Scalar::Bytes(bytes) => Val::Bytes(Arc::new(bytes.get().to_vec())),
        Scalar::Octets(bytes) => Val::Octets(Arc::new(bytes.get().to_vec())),
        Scalar::Time(time) => time_of(time),
        // The model may grow; a newer kind of scalar has no form here.
        _ => Val::Null,
    }
}

fn time_of(time: Timestamp) -> Val {
    Val::Time(Arc::new(Moment { time, text: OnceLock::new() }))
}

impl<'m> Sink<'m> for ValSink {
    fn needs(&self) -> Needs {
        Needs::GROUPED | Needs::WHOLE_TEXT
    }

    fn open(&mut self, open: Open<'_>, _: Span) -> Result<Next> {
        let place = self.place();
        let elements = || self.wanted.as_ref().map_or(Some(Place::WHOLE), |wanted| wanted.each(place));
        let entries = (!place.is_nothing()).then_some(place);
        let (kind, inner) = match open {
            Open::List(_) => (Opened::List, elements()),
            Open::Tuple(_) => (Opened::Tuple, elements()),
            Open::Map(_) => (Opened::Map, entries),
            Open::Record { name, .. } => (Opened::Record(Some(name.into())), entries),
            // Cases are rare, and filters look through them in ways of their own.
            Open::Variant { name, index } => (Opened::Variant(name.into(), index), Some(Place::WHOLE)),
            Open::Tagged { space, code } => (Opened::Tagged(space.into(), code), Some(place)),
            other => return Err(Error::unknown_event(other.kind())),
        };
        let Some(place) = inner else {
            // Its kind matters, its contents do not.
            let is_list = matches!(kind, Opened::List | Opened::Tuple);
            self.put(if is_list { Val::list(Vec::new()) } else { Val::empty_object() });
            return Ok(Next::Skip);
        };
        self.levels.push(Level { kind, from: self.values.len(), place });
        Ok(Next::Enter)
    }

    #[inline]
    fn field(&mut self, field: Field<'m, '_>, _: Span) -> Result<Next> {
        let name = field.name.get();
        if let (Some(wanted), Some(level)) = (&self.wanted, self.levels.last()) {
            let Some(place) = wanted.field(level.place, name) else { return Ok(Next::Skip) };
            self.due = Some(place);
        }
        self.values.push(Val::Text(Text::from(name)));
        Ok(Next::Enter)
    }

    #[inline]
    fn scalar(&mut self, value: Scalar<'m, '_>, _: Span) -> Result<()> {
        self.due = None;
        self.put(scalar(value));
        Ok(())
    }

    fn part(&mut self, part: Part<'_>, _: Span) -> Result<()> {
        self.part.extend_from_slice(part.bytes);
        if !part.last {
            return Ok(());
        }
        self.due = None;
        let bytes = std::mem::take(&mut self.part);
        let value = match part.kind {
            PartKind::Bytes => Val::Bytes(Arc::new(bytes)),
            PartKind::Octets => Val::Octets(Arc::new(bytes)),
            PartKind::Text => match String::from_utf8(bytes) {
                Ok(text) => Val::Text(Text::from(text)),
                Err(_) => return Err(Error::internal("parts of text that are no UTF-8")),
            },
        };
        self.put(value);
        Ok(())
    }

    fn close(&mut self, _: Span) -> Result<()> {
        let Some(level) = self.levels.pop() else { return Err(Error::internal("a close without its open")) };
        let values = self.values.drain(level.from..);
        let value = match level.kind {
            Opened::List => Val::list(values.collect()),
            Opened::Tuple => Val::List(Arc::new(List { values: values.collect(), tuple: true })),
            Opened::Record(record) => Val::Object(Arc::new(Object::of(record, pairs(values)))),
            Opened::Map => Val::Object(Arc::new(Object::of(None, pairs(values)))),
            Opened::Variant(name, index) => Val::Variant(Arc::new(Variant { name: Val::text(&name), index, values: values.collect() })),
            Opened::Tagged(space, code) => {
                let value = { values }.next_back().unwrap_or_default();
                Val::Tagged(Arc::new(Tagged { space, code, value }))
            }
        };
        self.put(value);
        Ok(())
    }

    fn note(&mut self, note: Note<'_>, _: Span) -> Result<()> {
        self.unknown += u64::from(matches!(note, Note::Unknown(_)));
        Ok(())
    }
}

fn pairs(mut values: std::vec::Drain<'_, Val>) -> Vec<(Val, Val)> {
    let mut pairs = Vec::with_capacity(values.len() / 2);
    while let (Some(key), Some(value)) = (values.next(), values.next()) {
        pairs.push((key, value));
    }
    pairs
}

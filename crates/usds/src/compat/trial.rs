//! Trial of documents of one version with readers of the other.

use std::sync::Arc;

use polywire_core::schema::language::{Direction, Reading, Witness};
use polywire_core::value::{Value, ValueSink};
use polywire_core::{Budget, Limits, Reader, Writer};

use super::notation;
use super::pairing::{self, Tags};
use super::side::Side;
use crate::dictionary::{Field, Type};
use crate::document::Form;
use crate::walk::{UsdsReader, UsdsWriter};

/// Most values that are generated and tried in one comparison. Later findings have no witness.
const MOST_VALUES: usize = 1_000_000;

/// Trial of documents, in both directions.
pub(crate) struct Trial<'s> {
    pub(super) sides: [&'s Side; 2],
    pub(super) tags: &'s Tags,
    /// Writers of bodies without a head, one per side.
    writers: [Option<UsdsWriter>; 2],
    left: usize,
}

/// Outcome for one document.
pub(crate) struct Tried {
    pub(crate) witness: Witness,
    /// True if the document was read as its writer meant it.
    pub(crate) as_meant: bool,
}

/// Returns the version that writes in a direction, and the one that reads.
pub(crate) const fn roles(direction: Direction) -> [usize; 2] {
    match direction {
        Direction::Backward => [0, 1],
        Direction::Forward => [1, 0],
    }
}

impl<'s> Trial<'s> {
    pub(crate) fn new(sides: [&'s Side; 2], tags: &'s Tags) -> Trial<'s> {
        let writers = sides.map(|side| UsdsWriter::documents(Arc::clone(&side.plan), Form::Body).ok());
        Trial { sides, tags, writers, left: MOST_VALUES }
    }

    /// Counts work.
    pub(super) fn spend(&mut self, values: usize) {
        self.left = self.left.saturating_sub(values);
    }

    /// Returns whether more values may be tried.
    pub(super) fn is_open(&self) -> bool {
        self.left > 0
    }

    /// Encodes a document in that form, and has the other side decode it. `None` if the document
    /// cannot be encoded.
    pub(crate) fn run(&mut self, direction: Direction, document: &Value, form: Form) -> Option<Tried> {
        self.spend(values(document));
        let [writer, reader] = roles(direction).map(|side| self.sides[side]);
        let mut bytes = Vec::new();
        let mut other;
        let out = match form {
            Form::Body => self.writers[roles(direction)[0]].as_mut()?,
            form => {
                other = UsdsWriter::documents(Arc::clone(&writer.plan), form).ok()?;
                &mut other
            }
        };
        if document.emit(out).and_then(|()| out.finish(&mut bytes)).is_err() {
            out.reset();
            return None;
        }
        let meant = read(writer, &bytes).ok()?;
        let came = read(reader, &bytes);
        let expected = self.document(direction, &meant);
        let as_meant = matches!((&came, &expected), (Ok(came), Some(expected)) if is_same(came, expected));
        let read = match came {
            Ok(value) => Reading::As(notation::show(&value)),
            Err(error) => Reading::Refused(error),
        };
        Some(Tried { witness: Witness { bytes, meant: notation::show(&meant), read }, as_meant })
    }

    /// Returns the document that the reader should decode, or `None` if it has no equivalent.
    fn document(&self, direction: Direction, document: &Value) -> Option<Value> {
        let Value::Record { fields, .. } = document else { return None };
        let [writer, reader] = roles(direction).map(|side| self.sides[side]);
        let mut roots = Vec::new();
        for (name, value) in fields {
            let tag = writer.dictionary.tag_id(name)?;
            let other = self.tags.other(direction == Direction::Backward, tag)?;
            roots.push((reader.tag_name(other).to_string(), self.value(direction, writer.tag_type(tag), reader.tag_type(other), value)?));
        }
        Some(Value::record(roots))
    }

    /// Returns the value that the reader should decode. Recursion is bounded by the depth of the
    /// value.
    fn value(&self, direction: Direction, from: &Type, to: &Type, value: &Value) -> Option<Value> {
        let [writer, reader] = roles(direction).map(|side| self.sides[side]);
        let (from, to) = (writer.dictionary.resolve(from), reader.dictionary.resolve(to));
        match (from, to, value) {
            (Type::Simple(one), Type::Simple(other), value) => {
                (one == other || one.range().is_some() && other.range().is_some()).then(|| value.clone())
            }
            (Type::Text { .. }, Type::Text { .. }, value) => Some(value.clone()),
            (Type::Array(from), Type::Array(to), Value::List(values)) => {
                Some(Value::List(values.iter().map(|value| self.value(direction, from, to, value)).collect::<Option<_>>()?))
            }
            (Type::Structure(from), Type::Structure(to), Value::Record { fields, .. }) => self.record(direction, from, to, fields),
            (Type::Enumeration(one), Type::Enumeration(other), Value::Variant { name, .. }) => {
                let paired = match direction {
                    Direction::Backward => pairing::enumerators(one, other),
                    Direction::Forward => pairing::turned(&pairing::enumerators(other, one), other.members.len()),
                };
                let at = one.members.iter().position(|(known, _)| known == name)? as u32;
                let found = paired.iter().position(|position| *position == Some(at))?;
                Some(super::sample::enumerator(other, found))
            }
            (Type::Enumeration(one), Type::Simple(simple), Value::Variant { name, .. }) => {
                simple.range()?;
                let (_, number) = one.members.iter().find(|(known, _)| known == name)?;
                Some(Value::int(*number))
            }
            (Type::Simple(_), Type::Enumeration(other), Value::Int(_) | Value::UInt(_)) => {
                let number = match value {
                    Value::Int(number) => *number,
                    Value::UInt(number) => i64::try_from(*number).ok()?,
                    _ => return None,
                };
                let at = other.members.iter().position(|(_, known)| *known == number)?;
                Some(super::sample::enumerator(other, at))
            }
            (Type::Polymorph(_), Type::Polymorph(_), Value::Variant { name, values, .. }) => {
                let tag = writer.dictionary.tag_id(name)?;
                let other = self.tags.other(direction == Direction::Backward, tag)?;
                let inside = self.value(direction, writer.tag_type(tag), reader.tag_type(other), values.first()?)?;
                Some(super::sample::member(reader, other, inside))
            }
            _ => None,
        }
    }

    fn record(&self, direction: Direction, from: &[Field], to: &[Field], values: &[(String, Value)]) -> Option<Value> {
        let [writer, reader] = roles(direction).map(|side| self.sides[side]);
        // For each field of the reader, the position of the writer's.
        let paired = match direction {
            Direction::Backward => pairing::fields(writer, from, reader, to),
            Direction::Forward => pairing::turned(&pairing::fields(reader, to, writer, from), to.len()),
        };
        let mut fields = Vec::new();
        let mut told = 0;
        for (field, position) in to.iter().zip(paired) {
            let own = position.map(|position| &from[position as usize]);
            let value = own.and_then(|own| Some((own, values.iter().find(|(name, _)| *name == own.name)?)));
            match value {
                Some((own, (_, value))) => {
                    told += 1;
                    fields.push((field.name.clone(), self.value(direction, &own.ty, &field.ty, value)?));
                }
                None if field.nullable => {}
                None => return None,
            }
        }
        // Fields unknown to the reader are lost.
        (told == values.len()).then(|| Value::record(fields))
    }
}

fn read(side: &Side, bytes: &[u8]) -> Result<Value, String> {
    let mut reader = UsdsReader::documents(Arc::clone(&side.plan));
    let mut sink = ValueSink::default();
    reader.walk(bytes, 0, &mut sink, &mut Budget::new(&Limits::DEFAULT)).map_err(|error| error.to_string())?;
    sink.finish().ok_or_else(|| "no value".to_string())
}

/// Returns the number of values, itself included.
fn values(value: &Value) -> usize {
    1 + match value {
        Value::List(inner) | Value::Variant { values: inner, .. } => inner.iter().map(values).sum::<usize>(),
        Value::Record { fields, .. } => fields.iter().map(|(_, value)| values(value)).sum(),
        _ => 0,
    }
}

/// Returns whether two values are equal: members and enumerators by name, text by its bytes, floats
/// by their bits.
fn is_same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::List(one), Value::List(other)) => one.len() == other.len() && one.iter().zip(other).all(|(one, other)| is_same(one, other)),
        (Value::Record { fields: one, .. }, Value::Record { fields: other, .. }) => {
            one.len() == other.len() && one.iter().zip(other).all(|((a, one), (b, other))| a == b && is_same(one, other))
        }
        (Value::Variant { name: a, values: one, .. }, Value::Variant { name: b, values: other, .. }) => {
            a == b && one.len() == other.len() && one.iter().zip(other).all(|(one, other)| is_same(one, other))
        }
        (Value::F32(one), Value::F32(other)) => one.to_bits() == other.to_bits(),
        (Value::F64(one), Value::F64(other)) => one.to_bits() == other.to_bits(),
        (Value::Text(_) | Value::Octets(_), Value::Text(_) | Value::Octets(_)) => bytes(one) == bytes(other),
        _ => one == other,
    }
}

fn bytes(value: &Value) -> &[u8] {
    match value {
        Value::Text(text) => text.as_bytes(),
        Value::Octets(bytes) => bytes,
        _ => &[],
    }
}

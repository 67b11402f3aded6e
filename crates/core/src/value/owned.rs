//! The owned value, for values that outlive their message or are built by hand.

use std::borrow::Cow;

use crate::error::{Error, Result};
use crate::value::tree::{Entry, Item, View};
use crate::walk::event::{Field, Len, Next, Open, Part, PartKind, Scalar, Span, Str};
use crate::walk::sink::Sink;
use crate::walk::time::Timestamp;

/// A value that owns all of its parts. [`Value::emit`] emits it to a sink; [`ValueSink`] is the
/// sink that makes one.
///
/// ```
/// use polywire_core::{Tree, Value};
///
/// let value = Value::record([("id", Value::int(7)), ("name", Value::text("Ann"))]);
/// let mut tree = Tree::new();
/// value.emit(&mut tree)?;
/// assert_eq!(Value::from(tree.root().unwrap()), value);
/// # Ok::<(), polywire_core::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// No value.
    Null,
    /// Truth value.
    Bool(bool),
    /// A whole number below zero.
    Int(i64),
    /// A whole number from zero up.
    UInt(u64),
    /// IEEE 754 binary32.
    F32(f32),
    /// IEEE 754 binary64.
    F64(f64),
    /// Decimal digits of a whole number outside `i64` and `u64`.
    Big(String),
    /// A decimal number that an `f64` would change, in JSON's number syntax.
    Decimal(String),
    /// Unicode text.
    Text(String),
    /// Binary data.
    Bytes(Vec<u8>),
    /// Text in an unknown character set.
    Octets(Vec<u8>),
    /// A moment in time.
    Time(Timestamp),
    /// Values in order, any number.
    List(Vec<Value>),
    /// Values in order, a fixed number of them.
    Tuple(Vec<Value>),
    /// Pairs of key and value.
    Map(Vec<(Value, Value)>),
    /// Named fields in order; a name may repeat.
    Record {
        /// Type name, empty if unknown.
        name: String,
        /// Fields in order.
        fields: Vec<(String, Value)>,
    },
    /// A case of a sum type.
    Variant {
        /// Name of the case.
        name: String,
        /// Index of the case in its type.
        index: u32,
        /// Values that the case carries: 0, 1 or n.
        values: Vec<Value>,
    },
    /// A value that a format marks as special.
    Tagged {
        /// Tag space: name of the numbering that `code` belongs to.
        space: Cow<'static, str>,
        /// Number of the tag.
        code: u64,
        /// The tagged value.
        value: Box<Value>,
    },
}

impl Value {
    /// Makes text.
    pub fn text(text: impl Into<String>) -> Value {
        Value::Text(text.into())
    }

    /// Makes a record of unknown type.
    pub fn record<N: Into<String>>(fields: impl IntoIterator<Item = (N, Value)>) -> Value {
        Value::Record { name: String::new(), fields: fields.into_iter().map(|(name, value)| (name.into(), value)).collect() }
    }

    /// Makes a whole number in its one form.
    pub fn int(value: i64) -> Value {
        if value < 0 { Value::Int(value) } else { Value::UInt(value as u64) }
    }

    /// Emits this value to `sink`, with exact counts and empty spans.
    ///
    /// # Errors
    /// `sink` returned an error.
    pub fn emit<'m>(&'m self, sink: &mut dyn Sink<'m>) -> Result<()> {
        self.tell(sink).map(|_| ())
    }

    /// Emits this value; returns false after [`Next::Stop`]. Recursion is as deep as the value. A
    /// function of its own makes the scalars, so that a level takes little of the stack.
    fn tell<'m>(&'m self, sink: &mut dyn Sink<'m>) -> Result<bool> {
        match self {
            Value::List(values) => tell_values(Open::List(len(values)), values, sink),
            Value::Tuple(values) => tell_values(Open::Tuple(len(values)), values, sink),
            Value::Variant { name, index, values } => tell_values(Open::Variant { name, index: *index }, values, sink),
            Value::Tagged { space, code, value } => tell_values(Open::Tagged { space, code: *code }, std::slice::from_ref(&**value), sink),
            Value::Map(pairs) => {
                match sink.open(Open::Map(len(pairs)), Span::NONE)? {
                    Next::Enter => {}
                    next => return Ok(next == Next::Skip),
                }
                for (key, value) in pairs {
                    let go = match key {
                        Value::Text(name) => tell_field(name, value, sink)?,
                        key => key.tell(sink)? && value.tell(sink)?,
                    };
                    if !go {
                        return Ok(false);
                    }
                }
                sink.close(Span::NONE)?;
                Ok(true)
            }
            Value::Record { name, fields } => {
                match sink.open(Open::Record { name, len: len(fields) }, Span::NONE)? {
                    Next::Enter => {}
                    next => return Ok(next == Next::Skip),
                }
                for (name, value) in fields {
                    if !tell_field(name, value, sink)? {
                        return Ok(false);
                    }
                }
                sink.close(Span::NONE)?;
                Ok(true)
            }
            _ => {
                sink.scalar(self.scalar(), Span::NONE)?;
                Ok(true)
            }
        }
    }

    /// Returns this value as a scalar; null if it is a container.
    fn scalar(&self) -> Scalar<'_, '_> {
        match self {
            Value::Bool(value) => Scalar::Bool(*value),
            Value::Int(value) => Scalar::int(*value),
            Value::UInt(value) => Scalar::uint(*value),
            Value::F32(value) => Scalar::f32(*value),
            Value::F64(value) => Scalar::f64(*value),
            Value::Big(text) => Scalar::big(Str::Input(text)),
            Value::Decimal(text) => Scalar::decimal(Str::Input(text)),
            Value::Text(text) => Scalar::Text(Str::Input(text)),
            Value::Bytes(bytes) => Scalar::Bytes(Str::Input(bytes)),
            Value::Octets(bytes) => Scalar::Octets(Str::Input(bytes)),
            Value::Time(moment) => Scalar::Time(*moment),
            _ => Scalar::Null,
        }
    }
}

fn len<T>(values: &[T]) -> Len {
    Len::Claimed(values.len() as u64)
}

fn tell_values<'m>(open: Open<'_>, values: &'m [Value], sink: &mut dyn Sink<'m>) -> Result<bool> {
    match sink.open(open, Span::NONE)? {
        Next::Enter => {}
        next => return Ok(next == Next::Skip),
    }
    for value in values {
        if !value.tell(sink)? {
            return Ok(false);
        }
    }
    sink.close(Span::NONE)?;
    Ok(true)
}

fn tell_field<'m>(name: &'m str, value: &'m Value, sink: &mut dyn Sink<'m>) -> Result<bool> {
    match sink.field(Field::named(Str::Input(name)), Span::NONE)? {
        Next::Enter => value.tell(sink),
        next => Ok(next == Next::Skip),
    }
}

/// Copies a value out of a tree.
impl<'t, 'm: 't> From<Item<'t, 'm>> for Value {
    fn from(item: Item<'t, 'm>) -> Value {
        let values = || item.entries().map(|entry| Value::from(entry.value())).collect::<Vec<Value>>();
        match item.view() {
            View::Scalar(scalar) => Value::from(scalar),
            View::Open(open) => match open {
                Open::List(_) => Value::List(values()),
                Open::Tuple(_) => Value::Tuple(values()),
                Open::Variant { name, index } => Value::Variant { name: name.to_string(), index, values: values() },
                Open::Tagged { space, code } => {
                    let value = Box::new(values().pop().unwrap_or(Value::Null));
                    Value::Tagged { space: Cow::Owned(space.to_owned()), code, value }
                }
                Open::Map(_) => Value::Map(
                    item.entries()
                        .map(|entry| match entry {
                            Entry::Field(name, value) => (Value::text(name), Value::from(value)),
                            Entry::Pair(key, value) => (Value::from(key), Value::from(value)),
                            Entry::Element(value) => (Value::Null, Value::from(value)),
                        })
                        .collect(),
                ),
                Open::Record { name, .. } => Value::Record {
                    name: name.to_string(),
                    fields: item
                        .entries()
                        .map(|entry| match entry {
                            Entry::Field(name, value) => (name.to_string(), Value::from(value)),
                            other => (String::new(), Value::from(other.value())),
                        })
                        .collect(),
                },
            },
        }
    }
}

impl From<Scalar<'_, '_>> for Value {
    fn from(scalar: Scalar<'_, '_>) -> Value {
        match scalar {
            Scalar::Null => Value::Null,
            Scalar::Bool(value) => Value::Bool(value),
            Scalar::Int(value, _) => Value::Int(value),
            Scalar::UInt(value, _) => Value::UInt(value),
            Scalar::F32(value, _) => Value::F32(value),
            Scalar::F64(value, _) => Value::F64(value),
            Scalar::Big(text, _) => Value::Big(text.get().to_string()),
            Scalar::Decimal(text, _) => Value::Decimal(text.get().to_string()),
            Scalar::Text(text) => Value::Text(text.get().to_string()),
            Scalar::Bytes(bytes) => Value::Bytes(bytes.get().to_vec()),
            Scalar::Octets(bytes) => Value::Octets(bytes.get().to_vec()),
            Scalar::Time(moment) => Value::Time(moment),
        }
    }
}

/// The sink that makes an owned [`Value`].
#[derive(Debug, Default)]
pub struct ValueSink {
    open: Vec<(Value, Option<Value>)>,
    part: Option<Vec<u8>>,
    done: Option<Value>,
}

impl ValueSink {
    /// Returns the value, if a whole one was received.
    pub fn finish(self) -> Option<Value> {
        self.done
    }

    fn put(&mut self, value: Value) {
        let Some((container, key)) = self.open.last_mut() else {
            self.done = Some(value);
            return;
        };
        match container {
            Value::List(values) | Value::Tuple(values) | Value::Variant { values, .. } => values.push(value),
            Value::Map(pairs) => match key.take() {
                None => *key = Some(value),
                Some(key) => pairs.push((key, value)),
            },
            Value::Record { fields, .. } => {
                let name = match key.take() {
                    Some(Value::Text(name)) => name,
                    _ => String::new(),
                };
                fields.push((name, value));
            }
            Value::Tagged { value: content, .. } => **content = value,
            _ => {}
        }
    }
}

impl<'m> Sink<'m> for ValueSink {
    fn open(&mut self, open: Open<'_>, _: Span) -> Result<Next> {
        let container = match open {
            Open::List(_) => Value::List(Vec::new()),
            Open::Map(_) => Value::Map(Vec::new()),
            Open::Tuple(_) => Value::Tuple(Vec::new()),
            Open::Record { name, .. } => Value::Record { name: name.to_string(), fields: Vec::new() },
            Open::Variant { name, index } => Value::Variant { name: name.to_string(), index, values: Vec::new() },
            Open::Tagged { space, code } => Value::Tagged { space: Cow::Owned(space.to_owned()), code, value: Box::new(Value::Null) },
        };
        self.open.push((container, None));
        Ok(Next::Enter)
    }

    fn field(&mut self, field: Field<'m, '_>, _: Span) -> Result<Next> {
        if let Some((_, key)) = self.open.last_mut() {
            *key = Some(Value::text(field.name.get()));
        }
        Ok(Next::Enter)
    }

    fn scalar(&mut self, value: Scalar<'m, '_>, _: Span) -> Result<()> {
        self.put(Value::from(value));
        Ok(())
    }

    fn part(&mut self, part: Part<'_>, _: Span) -> Result<()> {
        let mut bytes = self.part.take().unwrap_or_default();
        bytes.extend_from_slice(part.bytes);
        if !part.last {
            self.part = Some(bytes);
            return Ok(());
        }
        let value = match part.kind {
            PartKind::Bytes => Value::Bytes(bytes),
            PartKind::Octets => Value::Octets(bytes),
            PartKind::Text => Value::Text(String::from_utf8(bytes).map_err(|_| Error::internal("parts of text that are no UTF-8"))?),
        };
        self.put(value);
        Ok(())
    }

    fn close(&mut self, _: Span) -> Result<()> {
        let Some((value, _)) = self.open.pop() else { return Err(Error::internal("a close without its open")) };
        self.put(value);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::tree::Tree;

    fn sample() -> Value {
        Value::record([
            ("list", Value::List(vec![Value::Null, Value::int(-3), Value::F64(0.5), Value::Bytes(vec![1, 2])])),
            (
                "map",
                Value::Map(vec![
                    (Value::text("a"), Value::Bool(true)),
                    (Value::Tuple(vec![Value::UInt(1)]), Value::Big("18446744073709551616".into())),
                    (Value::UInt(7), Value::record::<&str>([])),
                ]),
            ),
            ("case", Value::Variant { name: "Some".into(), index: 1, values: vec![Value::text("x")] }),
            ("tag", Value::Tagged { space: "test".into(), code: 9, value: Box::new(Value::Decimal("0.10000000000000000001".into())) }),
            ("list", Value::Time(Timestamp::new(5, 6).unwrap())),
        ])
    }

    #[test]
    fn both_trees_are_sinks_and_sources() {
        let value = sample();
        let mut sink = ValueSink::default();
        value.emit(&mut sink).unwrap();
        assert_eq!(sink.finish().as_ref(), Some(&value));

        let mut tree = Tree::new();
        value.emit(&mut tree).unwrap();
        assert_eq!(Value::from(tree.root().unwrap()), value);
        let mut again = ValueSink::default();
        tree.emit(&mut again).unwrap();
        assert_eq!(again.finish().as_ref(), Some(&value));
        assert!(tree.recycle().root().is_none());
    }

    #[test]
    fn parts_become_one_value() {
        let mut sink = ValueSink::default();
        let mut tree = Tree::new();
        for (bytes, last) in [(&b"ab"[..], false), (b"", false), (b"c", true)] {
            let part = Part { bytes, kind: PartKind::Text, total: None, last };
            sink.part(part, Span::NONE).unwrap();
            tree.part(part, Span::NONE).unwrap();
        }
        assert_eq!(sink.finish(), Some(Value::text("abc")));
        assert_eq!(Value::from(tree.root().unwrap()), Value::text("abc"));
    }
}

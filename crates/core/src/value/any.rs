//! A value of any type as bytes that describe themselves, for the places of a schema that hold
//! values of any type.
//!
//! A byte gives the kind; then come numbers as varints, floats and moments with a fixed length, and
//! texts with their length. A container has the number of its entries, and these follow.

use crate::bytes::{Input, put_varint};
use crate::error::{Error, ErrorKind, Result};
use crate::limits::Budget;
use crate::value::lexical::{Lexical, classify};
use crate::value::tree::{Entry, Item, View};
use crate::walk::event::{Field, Len, Next, Open, Scalar, Span, Str};
use crate::walk::sink::Sink;
use crate::walk::time::Timestamp;

const NULL: u8 = 0;
const FALSE: u8 = 1;
const TRUE: u8 = 2;
const UINT: u8 = 3;
/// A number below zero; the varint is the number of steps below -1.
const INT: u8 = 4;
const F32: u8 = 5;
const F64: u8 = 6;
const TEXT: u8 = 7;
const OCTETS: u8 = 8;
const BYTES: u8 = 9;
const BIG: u8 = 10;
const DECIMAL: u8 = 11;
const TIME: u8 = 12;
const LIST: u8 = 13;
const TUPLE: u8 = 14;
const MAP: u8 = 15;
const RECORD: u8 = 16;
const VARIANT: u8 = 17;
const TAGGED: u8 = 18;
/// An entry of a map whose key is text, and one with another key.
const NAMED: u8 = 0;
const PAIR: u8 = 1;

fn sized(kind: u8, bytes: &[u8], out: &mut Vec<u8>) {
    out.push(kind);
    text(bytes, out);
}

fn text(bytes: &[u8], out: &mut Vec<u8>) {
    put_varint(bytes.len() as u64, out);
    out.extend_from_slice(bytes);
}

/// Appends a scalar.
pub fn put_any_scalar(scalar: Scalar<'_, '_>, out: &mut Vec<u8>) {
    match scalar {
        Scalar::Null => out.push(NULL),
        Scalar::Bool(value) => out.push(if value { TRUE } else { FALSE }),
        Scalar::UInt(number, _) => {
            out.push(UINT);
            put_varint(number, out);
        }
        Scalar::Int(number, _) => {
            out.push(INT);
            put_varint(!number as u64, out);
        }
        Scalar::F32(number, _) => {
            out.push(F32);
            out.extend_from_slice(&number.to_le_bytes());
        }
        Scalar::F64(number, _) => {
            out.push(F64);
            out.extend_from_slice(&number.to_le_bytes());
        }
        Scalar::Text(value) => sized(TEXT, value.get().as_bytes(), out),
        Scalar::Octets(value) => sized(OCTETS, value.get(), out),
        Scalar::Bytes(value) => sized(BYTES, value.get(), out),
        Scalar::Big(digits, _) => sized(BIG, digits.get().as_bytes(), out),
        Scalar::Decimal(digits, _) => sized(DECIMAL, digits.get().as_bytes(), out),
        Scalar::Time(moment) => {
            out.push(TIME);
            out.extend_from_slice(&moment.seconds().to_le_bytes());
            out.extend_from_slice(&moment.nanos().to_le_bytes());
        }
    }
}

/// Appends a value. Recursion is bounded by the depth of the tree.
pub fn put_any(item: Item<'_, '_>, out: &mut Vec<u8>) {
    let open = match item.view() {
        View::Scalar(scalar) => return put_any_scalar(scalar, out),
        View::Open(open) => open,
    };
    match open {
        Open::List(_) => out.push(LIST),
        Open::Tuple(_) => out.push(TUPLE),
        Open::Map(_) => out.push(MAP),
        Open::Record { name, .. } => sized(RECORD, name.as_bytes(), out),
        Open::Variant { name, index } => {
            sized(VARIANT, name.as_bytes(), out);
            put_varint(u64::from(index), out);
        }
        Open::Tagged { space, code } => {
            sized(TAGGED, space.as_bytes(), out);
            put_varint(code, out);
        }
    }
    if !matches!(open, Open::Tagged { .. }) {
        put_varint(item.entries().count() as u64, out);
    }
    for entry in item.entries() {
        match entry {
            Entry::Element(value) => put_any(value, out),
            Entry::Field(name, value) => {
                if matches!(open, Open::Map(_)) {
                    out.push(NAMED);
                }
                text(name.as_bytes(), out);
                put_any(value, out);
            }
            Entry::Pair(key, value) => {
                out.push(PAIR);
                put_any(key, out);
                put_any(value, out);
            }
        }
    }
}

/// Emits the value that [`put_any`] made, which starts at offset `base`. Returns [`Next::Stop`] if
/// the sink stopped.
///
/// # Errors
/// The bytes are no such value, or exceed the budget; the sink's errors.
pub fn emit_any<'m, S: Sink<'m> + ?Sized>(bytes: &'m [u8], base: u64, sink: &mut S, budget: &mut Budget) -> Result<Next> {
    let mut reading = Reading { input: Input::new(bytes, base), sink, budget };
    match reading.value(false)? {
        Next::Stop => Ok(Next::Stop),
        _ if reading.input.remaining() > 0 => {
            let left = reading.input.remaining();
            Err(Error::data(ErrorKind::Trailing, reading.input.offset()).seen(format!("{left} bytes after a value of any type")))
        }
        next => Ok(next),
    }
}

struct Reading<'r, 'm, S: ?Sized> {
    input: Input<'m>,
    sink: &'r mut S,
    budget: &'r mut Budget,
}

impl<'m, S: Sink<'m> + ?Sized> Reading<'_, 'm, S> {
    fn text(&mut self) -> Result<&'m str> {
        let bytes = self.bytes()?;
        self.input.utf8(bytes)
    }

    fn bytes(&mut self) -> Result<&'m [u8]> {
        let len = self.input.varint("a length")?;
        self.input.take(len, "a text")
    }

    /// Reads a value, and emits it unless it is silent. Recursion is bounded by the budget's depth.
    fn value(&mut self, silent: bool) -> Result<Next> {
        let start = self.input.offset();
        self.budget.item(start)?;
        let kind = self.input.u8("a kind of value")?;
        let scalar: Scalar<'m, '_> = match kind {
            NULL => Scalar::Null,
            FALSE | TRUE => Scalar::Bool(kind == TRUE),
            UINT => Scalar::uint(self.input.varint("a number")?),
            INT => {
                let number = i64::try_from(self.input.varint("a number")?);
                Scalar::int(!number.map_err(|_| wrong(start, "a number below those of 64 bits", "one of 64 bits"))?)
            }
            F32 => Scalar::f32(f32::from_le_bytes(self.input.array("a float")?)),
            F64 => Scalar::f64(f64::from_le_bytes(self.input.array("a float")?)),
            TEXT => Scalar::Text(Str::Input(self.text()?)),
            OCTETS => Scalar::Octets(Str::Input(self.bytes()?)),
            BYTES => Scalar::Bytes(Str::Input(self.bytes()?)),
            BIG | DECIMAL => {
                let digits = self.text()?;
                self.budget.digits(digits.len(), start)?;
                match (kind, classify(digits)) {
                    (BIG, Lexical::Big) => Scalar::big(Str::Input(digits)),
                    (DECIMAL, Lexical::Decimal) => Scalar::decimal(Str::Input(digits)),
                    _ => return Err(wrong(start, "digits of a number that fits 64 bits, or of none", "a number that does not fit")),
                }
            }
            TIME => {
                let seconds = i64::from_le_bytes(self.input.array("seconds")?);
                let nanos = u32::from_le_bytes(self.input.array("nanoseconds")?);
                let moment = Timestamp::new(seconds, nanos);
                Scalar::Time(moment.ok_or_else(|| wrong(start, "a second of more nanoseconds than 10⁹", "fewer"))?)
            }
            kind => return self.container(kind, start, silent),
        };
        if !silent {
            self.sink.scalar(scalar, Span::new(start, self.input.offset()))?;
        }
        Ok(Next::Enter)
    }

    fn container(&mut self, kind: u8, start: u64, silent: bool) -> Result<Next> {
        let (name, number) = match kind {
            RECORD => (self.text()?, 0),
            VARIANT | TAGGED => (self.text()?, self.input.varint("a number")?),
            _ => ("", 0),
        };
        let count = if kind == TAGGED { 1 } else { self.input.varint("a count")? };
        let len = Len::Claimed(count);
        let open = match kind {
            LIST => Open::List(len),
            TUPLE => Open::Tuple(len),
            MAP => Open::Map(len),
            RECORD => Open::Record { name, len },
            VARIANT => Open::Variant { name, index: u32::try_from(number).unwrap_or(u32::MAX) },
            TAGGED => Open::Tagged { space: name, code: number },
            _ => return Err(wrong(start, "a byte that is no kind of value", "a kind of value")),
        };
        if count > self.input.remaining() as u64 {
            return Err(wrong(start, "more entries than bytes", "a byte at least for each entry"));
        }
        let next = if silent { Next::Skip } else { self.sink.open(open, Span::new(start, self.input.offset()))? };
        if next == Next::Stop {
            return Ok(Next::Stop);
        }
        let silent = next == Next::Skip;
        self.budget.enter(start)?;
        for _ in 0..count {
            let mut hidden = silent;
            let has_name = kind == RECORD || kind == MAP && self.input.u8("a kind of key")? == NAMED;
            if has_name {
                let at = self.input.offset();
                let name = self.text()?;
                if !silent {
                    match self.sink.field(Field::named(Str::Input(name)), Span::new(at, self.input.offset()))? {
                        Next::Stop => return Ok(Next::Stop),
                        Next::Skip => hidden = true,
                        Next::Enter => {}
                    }
                }
            } else if kind == MAP && self.value(silent)? == Next::Stop {
                return Ok(Next::Stop);
            }
            if self.value(hidden)? == Next::Stop {
                return Ok(Next::Stop);
            }
        }
        self.budget.leave();
        if !silent {
            let end = self.input.offset();
            self.sink.close(Span::new(end, end))?;
        }
        Ok(Next::Enter)
    }
}

#[cold]
fn wrong(at: u64, seen: &'static str, expected: &'static str) -> Error {
    Error::data(ErrorKind::Syntax, at).seen(seen).expected(expected)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;
    use crate::value::{Tree, Value, ValueSink};

    fn bytes(value: &Value) -> Vec<u8> {
        let mut tree = Tree::new();
        value.emit(&mut tree).unwrap();
        let mut out = Vec::new();
        put_any(tree.root().unwrap(), &mut out);
        out
    }

    fn read(bytes: &[u8]) -> Result<Value> {
        let mut sink = ValueSink::default();
        emit_any(bytes, 7, &mut sink, &mut Budget::new(&Limits::DEFAULT))?;
        Ok(sink.finish().unwrap())
    }

    #[test]
    fn every_value_comes_back() {
        let scalars = vec![
            Value::Null,
            Value::Bool(true),
            Value::Bool(false),
            Value::UInt(u64::MAX),
            Value::Int(i64::MIN),
            Value::int(-1),
            Value::F32(1.5),
            Value::F64(-0.0),
            Value::text("ünï"),
            Value::Octets(vec![0xff]),
            Value::Bytes(vec![0; 200]),
            Value::Big("123456789012345678901".into()),
            Value::Decimal("0.10000000000000000001".into()),
            Value::Time(Timestamp::new(-5, 999_999_999).unwrap()),
        ];
        let case = Value::Variant { name: "C".into(), index: 7, values: vec![Value::Null, Value::UInt(1)] };
        let tagged = Value::Tagged { space: "cbor".into(), code: u64::MAX, value: Box::new(Value::List(vec![])) };
        let map = Value::Map(vec![(Value::UInt(1), Value::text("a")), (Value::text("b"), Value::Tuple(vec![case.clone()]))]);
        let all =
            Value::List(vec![Value::List(scalars), map, tagged, Value::Record { name: "N".into(), fields: vec![("a".into(), case)] }]);
        let written = bytes(&all);
        assert_eq!(read(&written).unwrap(), all);
        // Damage is an error or another value, and never a panic.
        for end in 0..written.len() {
            assert!(read(&written[..end]).is_err(), "{end}");
            let mut damaged = written.clone();
            damaged[end] ^= 0x1b;
            let _ = read(&damaged);
        }
        assert_eq!(read(&[NULL, NULL]).unwrap_err().kind(), ErrorKind::Trailing);
        let error = read(&[LIST, 1].repeat(5000)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Limit, "{error}");
        assert_eq!(read(&[99, 0]).unwrap_err().offset(), Some(7));
    }
}

//! Plain values as the messages that stand for them: `Struct`, `ListValue` and `Value`.

use polywire_core::value::nearest_f64;
use polywire_core::value::{Entry, Item, View};
use polywire_core::{Error, ErrorKind, Fault, Hint, Losses, Open, Result, Scalar, Span};

use crate::model::WellKnown;
use crate::wire::{NAME, WireType, tag_of, varint};

/// Appends the bytes of the message of a type that stands for a value. Recursion is bounded by the
/// depth of the value.
pub(super) fn put(item: Item<'_, '_>, known: WellKnown, out: &mut Vec<u8>, at: Span, losses: &mut Losses) -> Result<()> {
    let open = match item.view() {
        View::Scalar(scalar) => return put_scalar(scalar.scratch(), out, at, losses),
        View::Open(open) => open,
    };
    let is_list = match (open, known) {
        (Open::Record { .. } | Open::Map(_), WellKnown::Struct) => false,
        (Open::List(_) | Open::Tuple(_), WellKnown::ListValue) => true,
        (Open::Record { .. } | Open::Map(_), WellKnown::Value) => return within(item, 5, WellKnown::Struct, out, at, losses),
        (Open::List(_) | Open::Tuple(_), WellKnown::Value) => return within(item, 6, WellKnown::ListValue, out, at, losses),
        (other, _) => return Err(misfit(other.kind(), at)),
    };
    for entry in item.entries() {
        match (entry, is_list) {
            (Entry::Element(value), true) => within(value, 1, WellKnown::Value, out, at, losses)?,
            (Entry::Field(name, value), false) => {
                let mut pair = Vec::new();
                piece(1, name.as_bytes(), &mut pair);
                within(value, 2, WellKnown::Value, &mut pair, at, losses)?;
                piece(1, &pair, out);
            }
            _ => return Err(misfit("key that is no text", at)),
        }
    }
    Ok(())
}

/// Appends a value as the message of field `number`.
fn within(item: Item<'_, '_>, number: u32, known: WellKnown, out: &mut Vec<u8>, at: Span, losses: &mut Losses) -> Result<()> {
    let mut inner = Vec::new();
    put(item, known, &mut inner, at, losses)?;
    piece(number, &inner, out);
    Ok(())
}

fn piece(number: u32, bytes: &[u8], out: &mut Vec<u8>) {
    varint::put(out, u64::from(tag_of(number, WireType::Len)));
    varint::put(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

/// Appends the bytes of the message `Value` that holds a scalar.
pub(super) fn put_scalar(scalar: Scalar<'_, '_>, out: &mut Vec<u8>, at: Span, losses: &mut Losses) -> Result<()> {
    let whole = |number: f64, is_same: bool, losses: &mut Losses| {
        if !is_same {
            losses.rounded(polywire_core::value::ROUNDED, at);
        }
        number
    };
    let number = match scalar {
        Scalar::Null => {
            varint::put(out, u64::from(tag_of(1, WireType::Varint)));
            out.push(0);
            return Ok(());
        }
        Scalar::Bool(value) => {
            varint::put(out, u64::from(tag_of(4, WireType::Varint)));
            out.push(u8::from(value));
            return Ok(());
        }
        Scalar::Text(text) => {
            piece(3, text.get().as_bytes(), out);
            return Ok(());
        }
        Scalar::Time(moment) => {
            losses.value("timestamp became a string", at);
            piece(3, moment.to_string().as_bytes(), out);
            return Ok(());
        }
        Scalar::F64(value, _) => value,
        Scalar::F32(value, _) => f64::from(value),
        Scalar::Int(value, _) => whole(value as f64, value as f64 as i128 == i128::from(value), losses),
        Scalar::UInt(value, _) => whole(value as f64, value as f64 as i128 == i128::from(value), losses),
        Scalar::Big(text, _) => {
            whole(nearest_f64(text.get(), Hint::NONE).ok_or_else(|| misfit("number beyond 64 bits", at))?, false, losses)
        }
        Scalar::Decimal(text, hint) => {
            whole(nearest_f64(text.get(), hint).ok_or_else(|| misfit("number beyond 64 bits", at))?, false, losses)
        }
        other => return Err(misfit(other.kind(), at)),
    };
    varint::put(out, u64::from(tag_of(2, WireType::Fixed64)));
    out.extend_from_slice(&number.to_le_bytes());
    Ok(())
}

#[cold]
fn misfit(seen: &str, at: Span) -> Error {
    let error = Error::new(ErrorKind::Unsupported, Fault::Data).seen(format!("a {seen}")).at(at.start).format_is(NAME);
    error.expected("null, a bool, a number, text, a list, or a record, as google.protobuf.Value has")
}

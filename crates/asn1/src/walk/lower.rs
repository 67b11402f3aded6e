//! Values of any message to contents octets: the mapping that all encodings share when they write.
//!
//! A writer holds a message as a tree, since components may come in any order and lengths come
//! before contents. The functions here take one value of it and a type.

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD};
use num_bigint::BigInt;
use polywire_core::value::{DeclaredFloat, Entry, Item, View};
use polywire_core::walk::PathStep;
use polywire_core::{Error, ErrorKind, Fault, Losses, Open, Result, Scalar, Span, Timestamp};

use super::octets;
use super::plan::{Bits, Choice, Enumeration, Occurrence, Op, Plan, Structure};
use super::raise::WIRE;
use super::{LENGTH, UNKNOWN, VALUE};
use crate::model::{StringKind, TimeKind};

/// Value in the tree of a message.
pub(crate) type Value<'t> = Item<'t, 'static>;

/// Puts a step in front of the path of an error.
pub(crate) fn below(error: Error, step: PathStep) -> Error {
    let mut path = error.path().cloned().unwrap_or_default();
    path.0.insert(0, step);
    error.path_is(path)
}

/// Returns the name of a value's kind, for people.
pub(crate) fn kind(item: Value<'_>) -> &'static str {
    match item.view() {
        View::Scalar(scalar) => scalar.kind(),
        View::Open(open) => open.kind(),
    }
}

/// Makes the error of a value that its type cannot have.
#[cold]
pub(crate) fn misfit(item: Value<'_>, expected: impl Into<std::borrow::Cow<'static, str>>) -> Error {
    refused(kind(item), expected, item.opening())
}

#[cold]
fn refused(seen: impl Into<std::borrow::Cow<'static, str>>, expected: impl Into<std::borrow::Cow<'static, str>>, at: Span) -> Error {
    Error::new(ErrorKind::Unsupported, Fault::Data)
        .seen(seen)
        .expected(expected)
        .hint("the value does not fit the type that the module gives it")
        .at(at.start)
}

/// Component that a message gives, by the index in its structure.
pub(crate) type Given<'t> = Vec<Option<Value<'t>>>;

/// Appends the components of a structure that a record gives to `given`, one place each, and the
/// unknown additions that a relay writes back to `unknown`.
///
/// # Errors
/// The value is no record, or has a component twice.
pub(crate) fn components<'t>(
    plan: &Plan,
    structure: &Structure,
    item: Value<'t>,
    given: &mut Given<'t>,
    unknown: &mut Vec<Value<'t>>,
    losses: &mut Losses,
) -> Result<()> {
    let what = if structure.is_set { "a record, as the type is a SET" } else { "a record, as the type is a SEQUENCE" };
    if !matches!(item.view(), View::Open(Open::Record { .. } | Open::Map(_))) {
        return Err(misfit(item, what));
    }
    let start = given.len();
    given.resize(start + structure.components.len(), None);
    let mut hint = 0;
    for entry in item.entries() {
        let Entry::Field(name, value) = entry else { return Err(misfit(entry.value(), "a component under its name")) };
        let Some(index) = structure.named(name, hint) else {
            if name == UNKNOWN {
                unknown.push(value);
            } else {
                losses.value("field that the module does not have dropped", value.opening());
            }
            continue;
        };
        hint = index + 1;
        let component = &structure.components[index as usize];
        if matches!(value.view(), View::Scalar(Scalar::Null))
            && component.presence != Occurrence::Required
            && !takes_null(plan, component.ty)
        {
            losses.value("null dropped: the component is absent", value.opening());
            continue;
        }
        if given[start + index as usize].replace(value).is_some() {
            let error = Error::new(ErrorKind::DoubledKey, Fault::Data).seen(format!("a second component `{name}`"));
            return Err(error.expected("one").at(value.opening().start));
        }
    }
    Ok(())
}

/// Returns whether null may be a value of a type.
fn takes_null(plan: &Plan, ty: crate::model::TypeId) -> bool {
    matches!(plan.node(ty).op, Op::Null | Op::Open | Op::Choice(_))
}

/// Makes the error of a component that a message lacks.
#[cold]
pub(crate) fn absent(plan: &Plan, structure: &Structure, index: u32, item: Value<'_>) -> Error {
    let component = &structure.components[index as usize];
    refused(format!("no component `{}`", component.name), format!("one of type {}", plan.shown(component.ty)), item.opening())
}

/// Alternative that a message gives.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Chosen<'t> {
    /// Index of an alternative, and its value. Without a value it is NULL.
    Known(u32, Option<Value<'t>>),
    /// Alternative of a later version: the index that its reader gave, and the encoding's own
    /// bytes.
    Unknown(u32, &'t [u8]),
}

/// Returns the alternative that a value names: a case of a sum type, a record of one field, or a
/// text alone for one whose type is NULL.
///
/// # Errors
/// The value names none.
pub(crate) fn chosen<'t>(plan: &Plan, choice: &Choice, item: Value<'t>) -> Result<Chosen<'t>> {
    let mut entries = item.entries();
    let (name, index, value) = match (item.view(), entries.next(), entries.next()) {
        (View::Open(Open::Variant { name, index }), Some(Entry::Element(value)), None) => (name, index, Some(value)),
        (View::Open(Open::Variant { name, index }), None, None) => (name, index, None),
        (View::Open(Open::Record { .. } | Open::Map(_)), Some(Entry::Field(name, value)), None) => (name, 0, Some(value)),
        (View::Scalar(Scalar::Text(name)), ..) => (name.get(), 0, None),
        _ => return Err(misfit(item, "an alternative of a CHOICE: a case, or a record of one field")),
    };
    if let Some(found) = choice.named(name) {
        let is_null = plan.node(choice.alternatives[found as usize].ty).op == Op::Null;
        if value.is_none() && !is_null {
            return Err(refused(format!("`{name}` without a value"), "its value", item.opening()));
        }
        return Ok(Chosen::Known(found, value));
    }
    if let (true, "", Some(View::Scalar(Scalar::Bytes(bytes)))) = (choice.extensible, name, value.map(Item::view)) {
        return Ok(Chosen::Unknown(index, bytes.get()));
    }
    let names: Vec<&str> = choice.alternatives.iter().take(8).map(|known| &*known.name).collect();
    let more = if choice.alternatives.len() > 8 { ", …" } else { "" };
    Err(refused(format!("`{name}`"), format!("an alternative: {}{more}", names.join(", ")), item.opening()))
}

/// Returns the elements of a list.
///
/// # Errors
/// The value is none.
pub(crate) fn elements<'t>(item: Value<'t>) -> Result<polywire_core::value::Entries<'t, 'static>> {
    match item.view() {
        View::Open(Open::List(_) | Open::Tuple(_)) => Ok(item.entries()),
        _ => Err(misfit(item, "a list")),
    }
}

fn scalar<'t>(item: Value<'t>, expected: &'static str, losses: &mut Losses) -> Result<Scalar<'t, 't>> {
    match item.view() {
        View::Scalar(scalar) => Ok(scalar.scratch()),
        View::Open(Open::Tagged { .. }) => match item.entries().next() {
            Some(Entry::Element(inner)) if matches!(inner.view(), View::Scalar(_)) => {
                losses.value("tag dropped: the module gives the type", item.opening());
                scalar(inner, expected, losses)
            }
            _ => Err(misfit(item, expected)),
        },
        View::Open(_) => Err(misfit(item, expected)),
    }
}

/// Returns a value of BOOLEAN.
///
/// # Errors
/// The value is none.
pub(crate) fn boolean(item: Value<'_>, losses: &mut Losses) -> Result<bool> {
    match scalar(item, "BOOLEAN", losses)? {
        Scalar::Bool(value) => Ok(value),
        _ => Err(misfit(item, "BOOLEAN")),
    }
}

/// Checks a value of NULL.
///
/// # Errors
/// The value is another.
pub(crate) fn null(item: Value<'_>, losses: &mut Losses) -> Result<()> {
    match scalar(item, "NULL", losses)? {
        Scalar::Null => Ok(()),
        _ => Err(misfit(item, "NULL")),
    }
}

/// Appends the contents octets of an INTEGER, and returns the number if it has at most 128 bits.
/// `names` are the named numbers of the type.
///
/// # Errors
/// The value is no whole number.
pub(crate) fn integer(
    item: Value<'_>,
    names: &[(smol_str::SmolStr, i128)],
    losses: &mut Losses,
    out: &mut Vec<u8>,
) -> Result<Option<i128>> {
    let number = match scalar(item, "INTEGER", losses)? {
        Scalar::UInt(number, _) => i128::from(number),
        Scalar::Int(number, _) => i128::from(number),
        Scalar::Big(digits, _) => match digits.get().parse() {
            Ok(number) => number,
            Err(_) => {
                let number: BigInt = digits.get().parse().map_err(|_| misfit(item, "INTEGER"))?;
                out.extend_from_slice(&number.to_signed_bytes_be());
                return Ok(None);
            }
        },
        Scalar::Text(name) => {
            let found = names.iter().find(|(known, _)| known == name.get());
            found.map(|(_, number)| *number).ok_or_else(|| misfit(item, "INTEGER, or the name of one"))?
        }
        // Formats with one kind of number write whole ones so.
        Scalar::F64(value, _) if value.fract() == 0.0 && value.abs() < 9_007_199_254_740_992.0 => value as i128,
        _ => return Err(misfit(item, "INTEGER")),
    };
    octets::put_integer(number, out);
    Ok(Some(number))
}

/// Enumerator that a message gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Enumerator {
    /// Index of an item.
    Known(u32),
    /// Number of an item of a later version.
    Number(i128),
    /// Index among the additions of a later version, for encodings that write no numbers.
    Addition(u32),
}

/// Returns the enumerator that a value names, by name or number.
///
/// # Errors
/// The value is none.
pub(crate) fn enumerator(enumeration: &Enumeration, item: Value<'_>) -> Result<Enumerator> {
    let number = match item.view() {
        View::Scalar(Scalar::Text(name)) => {
            if let Some(found) = enumeration.named(name.get()) {
                return Ok(Enumerator::Known(found));
            }
            None
        }
        View::Scalar(Scalar::UInt(number, _)) => Some(i128::from(number)),
        View::Scalar(Scalar::Int(number, _)) => Some(i128::from(number)),
        View::Open(Open::Variant { name, index }) if item.entries().next().is_none() => match enumeration.named(name) {
            Some(found) => return Ok(Enumerator::Known(found)),
            None if name.is_empty() && enumeration.extensible => return Ok(Enumerator::Addition(index)),
            None => None,
        },
        _ => return Err(misfit(item, "an enumerator, by name or number")),
    };
    if let Some(found) = number.and_then(|number| enumeration.numbered(number)) {
        return Ok(Enumerator::Known(found));
    }
    match number {
        Some(number) if enumeration.extensible => Ok(Enumerator::Number(number)),
        _ => {
            let names: Vec<&str> = enumeration.items.iter().take(8).map(|(name, _)| &**name).collect();
            let more = if enumeration.items.len() > 8 { ", …" } else { "" };
            let seen = match (item.view(), number) {
                (View::Scalar(Scalar::Text(name)), _) => format!("`{}`", name.get()),
                (_, Some(number)) => number.to_string(),
                _ => kind(item).to_string(),
            };
            Err(refused(seen, format!("an enumerator: {}{more}", names.join(", ")), item.opening()))
        }
    }
}

/// Appends the contents octets of a REAL.
///
/// # Errors
/// The value is no number.
pub(crate) fn real(item: Value<'_>, losses: &mut Losses, out: &mut Vec<u8>) -> Result<()> {
    let scalar = scalar(item, "REAL", losses)?;
    if let Some(octets) = item.wire(WIRE) {
        out.extend_from_slice(octets);
        return Ok(());
    }
    let is_decimal = matches!(scalar, Scalar::Decimal(..)) || item.exponent().is_some();
    if let (true, Some(digits)) = (is_decimal, item.digits()) {
        return octets::put_decimal(digits, out).ok_or_else(|| misfit(item, "REAL"));
    }
    let value = match scalar {
        Scalar::Text(text) => special(text.get()),
        scalar => DeclaredFloat::new(&scalar).map(|number| {
            number.report(losses, item.opening());
            number.value()
        }),
    };
    octets::put_real(value.ok_or_else(|| misfit(item, "REAL"))?, out);
    Ok(())
}

/// Returns the bits of a REAL that is a binary32 or binary64 number (X.696 12).
///
/// # Errors
/// The value is none.
pub(crate) fn float(item: Value<'_>, single: bool, losses: &mut Losses) -> Result<u64> {
    let scalar = scalar(item, "REAL", losses)?;
    if let (true, Scalar::F32(value, _)) = (single, scalar) {
        // Every bit pattern is kept.
        return Ok(u64::from(value.to_bits()));
    }
    let number = match scalar {
        Scalar::Text(text) => special(text.get()).and_then(|value| DeclaredFloat::new(&Scalar::f64(value))),
        scalar => DeclaredFloat::new(&scalar),
    };
    let mut number = number.ok_or_else(|| misfit(item, "REAL"))?;
    let value = number.value();
    let narrow = number.single(item.digits());
    if single && !value.is_nan() && f64::from(narrow) != value {
        number.narrowed();
    }
    number.report(losses, item.opening());
    Ok(if single { u64::from(narrow.to_bits()) } else { value.to_bits() })
}

/// Returns the number of a text, which formats without such numbers write (X.697).
fn special(text: &str) -> Option<f64> {
    match text {
        "NaN" => Some(f64::NAN),
        "INF" | "Infinity" => Some(f64::INFINITY),
        "-INF" | "-Infinity" => Some(f64::NEG_INFINITY),
        "-0" => Some(-0.0),
        _ => None,
    }
}

/// Appends binary data. Text is base64, as formats without bytes write them.
///
/// # Errors
/// The value is none.
pub(crate) fn bytes(item: Value<'_>, losses: &mut Losses, out: &mut Vec<u8>) -> Result<()> {
    match scalar(item, "OCTET STRING", losses)? {
        Scalar::Bytes(bytes) | Scalar::Octets(bytes) => out.extend_from_slice(bytes.get()),
        Scalar::Text(text) => out.extend_from_slice(&base64(text.get()).ok_or_else(|| misfit(item, "bytes, or base64 text"))?),
        _ => return Err(misfit(item, "OCTET STRING")),
    }
    Ok(())
}

/// Returns the bytes of base64 text, in either alphabet, with or without padding.
fn base64(text: &str) -> Option<Vec<u8>> {
    [&STANDARD, &URL_SAFE, &STANDARD_NO_PAD, &URL_SAFE_NO_PAD].iter().find_map(|engine| engine.decode(text).ok())
}

/// Appends the bits of a BIT STRING, those behind the last as zeros, and returns their number.
///
/// # Errors
/// The value is none.
pub(crate) fn bits(bits: &Bits, item: Value<'_>, losses: &mut Losses, out: &mut Vec<u8>) -> Result<u64> {
    let start = out.len();
    let count = match item.view() {
        View::Open(Open::List(_) | Open::Tuple(_)) => {
            for entry in item.entries() {
                let bit = match scalar(entry.value(), "the name or number of a bit", losses)? {
                    Scalar::Text(name) => bits.names.iter().find(|(known, _)| known == name.get()).map(|(_, number)| *number),
                    Scalar::UInt(number, _) => Some(i128::from(number)),
                    _ => None,
                };
                // Bits by number cost memory that the message does not have.
                let bit = bit.and_then(|bit| usize::try_from(bit).ok()).filter(|bit| *bit < MOST_BITS);
                let bit = bit.ok_or_else(|| misfit(entry.value(), "the name or number of a bit"))?;
                if out.len() - start <= bit / 8 {
                    out.resize(start + bit / 8 + 1, 0);
                }
                out[start + bit / 8] |= 0x80 >> (bit % 8);
            }
            // Zeros at the end do not count (X.680 22.7), unless a size asks for them.
            let last = out[start..].iter().rposition(|octet| *octet != 0);
            let count = last.map_or(0, |last| last as u64 * 8 + u64::from(8 - out[start + last].trailing_zeros()));
            let count = count.max(bits.least);
            out.resize(start + usize::try_from(count.div_ceil(8)).unwrap_or(0), 0);
            return Ok(count);
        }
        View::Open(Open::Record { .. } | Open::Map(_)) => {
            let mut count = None;
            for entry in item.entries() {
                match entry {
                    Entry::Field(VALUE, value) => bytes(value, losses, out)?,
                    Entry::Field(LENGTH, value) => match scalar(value, "a number of bits", losses)? {
                        Scalar::UInt(number, _) => count = Some(number),
                        _ => return Err(misfit(value, "a number of bits")),
                    },
                    entry => return Err(misfit(entry.value(), "`value` or `length` of a BIT STRING")),
                }
            }
            count
        }
        View::Scalar(_) | View::Open(Open::Tagged { .. }) => {
            bytes(item, losses, out)?;
            bits.fixed
        }
        View::Open(_) => return Err(misfit(item, "BIT STRING")),
    };
    let most = (out.len() - start) as u64 * 8;
    let count = count.unwrap_or(most);
    if count > most || most - count > 7 {
        return Err(refused(format!("{} bytes for {count} bits", most / 8), "as many bytes as the bits need", item.opening()));
    }
    if let Some(last) = out[start..].last_mut() {
        *last &= 0xff << (most - count);
    }
    Ok(count)
}

/// Most bits that names and numbers may set.
const MOST_BITS: usize = 1 << 20;

/// Appends an object identifier.
///
/// # Errors
/// The value is none.
pub(crate) fn oid(item: Value<'_>, relative: bool, losses: &mut Losses, out: &mut Vec<u8>) -> Result<()> {
    let what = if relative { "RELATIVE-OID" } else { "OBJECT IDENTIFIER" };
    match scalar(item, what, losses)? {
        Scalar::Text(text) => octets::put_oid_text(text.get(), relative, out).ok_or_else(|| {
            let expected = if relative { "arcs with points between" } else { "arcs with points between, as 1.2.840" };
            refused(format!("`{}`", shortened(text.get())), expected, item.opening())
        }),
        _ => Err(misfit(item, what)),
    }
}

fn shortened(text: &str) -> &str {
    text.char_indices().nth(60).map_or(text, |(at, _)| &text[..at])
}

/// Appends the octets of a character string or time.
///
/// # Errors
/// The value is none, or has characters that the type lacks.
pub(crate) fn text(kind: StringKind, item: Value<'_>, losses: &mut Losses, out: &mut Vec<u8>) -> Result<()> {
    let scalar = scalar(item, kind.keyword(), losses)?;
    if matches!(kind, StringKind::UtcTime | StringKind::GeneralizedTime) {
        return time_text(kind, scalar, item, out);
    }
    let made;
    let text = match scalar {
        Scalar::Text(text) => text.get(),
        Scalar::Octets(octets) => {
            out.extend_from_slice(octets.get());
            return Ok(());
        }
        Scalar::Time(moment) => {
            losses.value("timestamp became a string", item.opening());
            made = moment.to_string();
            &made
        }
        _ => return Err(misfit(item, kind.keyword())),
    };
    match kind {
        StringKind::Bmp => {
            for unit in text.encode_utf16() {
                out.extend_from_slice(&unit.to_be_bytes());
            }
        }
        StringKind::Universal => {
            for character in text.chars() {
                out.extend_from_slice(&u32::from(character).to_be_bytes());
            }
        }
        StringKind::Utf8 => out.extend_from_slice(text.as_bytes()),
        _ => {
            if !text.is_ascii() {
                return Err(refused("characters beyond ASCII", kind.keyword(), item.opening()));
            }
            out.extend_from_slice(text.as_bytes());
        }
    }
    Ok(())
}

/// Appends UTCTime or GeneralizedTime: a moment as DER writes it (X.690 11.7, 11.8), or text of the
/// type's own.
fn time_text(kind: StringKind, scalar: Scalar<'_, '_>, item: Value<'_>, out: &mut Vec<u8>) -> Result<()> {
    let moment = match scalar {
        Scalar::Time(moment) => moment,
        Scalar::Text(text) => match Timestamp::from_any_rfc3339(text.get()) {
            Some(moment) => moment,
            None if is_time(text.get()) => {
                out.extend_from_slice(text.get().as_bytes());
                return Ok(());
            }
            None => return Err(refused(format!("`{}`", shortened(text.get())), kind.keyword(), item.opening())),
        },
        Scalar::Octets(octets) => {
            out.extend_from_slice(octets.get());
            return Ok(());
        }
        _ => return Err(misfit(item, kind.keyword())),
    };
    let expected = if kind == StringKind::UtcTime { "whole seconds of the years 1950 to 2049" } else { "the years 0 to 9999" };
    let text = moment.to_rfc3339().ok_or_else(|| refused(moment.to_string(), expected, item.opening()))?;
    let digits = |part: &str| part.bytes().filter(u8::is_ascii_digit).collect::<Vec<u8>>();
    let (date, time) = text.split_once('T').unwrap_or((&text, ""));
    let (clock, fraction) = time.split_once('.').unwrap_or((time, ""));
    if kind == StringKind::UtcTime {
        if !matches!(text.get(..4).and_then(|year| year.parse().ok()), Some(1950..=2049)) || !fraction.is_empty() {
            return Err(refused(text, expected, item.opening()));
        }
        out.extend_from_slice(&digits(date)[2..]);
    } else {
        out.extend_from_slice(&digits(date));
    }
    out.extend_from_slice(&digits(clock));
    let fraction = fraction.trim_end_matches('Z').trim_end_matches('0');
    if !fraction.is_empty() {
        out.push(b'.');
        out.extend_from_slice(fraction.as_bytes());
    }
    out.push(b'Z');
    Ok(())
}

/// Returns whether text may be a time of X.680 46 or 47: digits first, then a fraction and a zone.
fn is_time(text: &str) -> bool {
    text.len() >= 10
        && text.bytes().take(10).all(|digit| digit.is_ascii_digit())
        && text.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b',' | b'+' | b'-' | b'Z'))
}

/// Returns the text of a time of X.680 38.
///
/// # Errors
/// The value is none.
pub(crate) fn time<'t>(kind: TimeKind, item: Value<'t>, losses: &mut Losses) -> Result<&'t str> {
    match scalar(item, kind.keyword(), losses)? {
        Scalar::Text(text) => Ok(text.get()),
        _ => Err(misfit(item, kind.keyword())),
    }
}

/// Returns the text of an OID-IRI.
///
/// # Errors
/// The value is none.
pub(crate) fn iri<'t>(item: Value<'t>, losses: &mut Losses) -> Result<&'t str> {
    match scalar(item, "OID-IRI", losses)? {
        Scalar::Text(text) => Ok(text.get()),
        _ => Err(misfit(item, "OID-IRI")),
    }
}

//! The objects of types, and what they mean (Extended JSON v2, "Conversion table").

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use polywire_core::value::{Entry, Item, View};
use polywire_core::{Error, ErrorKind, Hint, Len, Next, Open, Result, Scalar, Sink, Span, Spelling, Str, Timestamp};

use super::decimal;
use crate::bson::decimal128::{self, Number};
use crate::bson::read::{WIDE, moment};
use crate::bson::wire::{self, DECIMAL128, GENERIC, NAME as SPACE, OBJECT_ID_LEN};

/// Names that an object of a type begins with.
const TYPES: &[&str] = &[
    "$oid",
    "$numberInt",
    "$numberLong",
    "$numberDouble",
    "$numberDecimal",
    "$date",
    "$binary",
    "$uuid",
    "$timestamp",
    "$regularExpression",
    "$code",
    "$scope",
    "$symbol",
    "$dbPointer",
    "$minKey",
    "$maxKey",
    "$undefined",
];

/// Returns whether an object whose first name this is stands for a value of a type.
pub(super) fn is_type(name: &str) -> bool {
    name.starts_with('$') && TYPES.contains(&name)
}

/// The meaning of an object of a type.
pub(super) enum Meaning<'t, 'm> {
    /// Its value was emitted, as far as the sink wanted it.
    Value(Next),
    /// Code whose scope came before it, and is not yet emitted.
    Scoped { code: &'t str, code_at: Span, scope: Item<'t, 'm> },
}

/// Emits the value that an object of a type stands for.
pub(super) fn emit<'t, 'm: 't>(object: Item<'t, 'm>, to: &mut dyn Sink<'m>) -> Result<Meaning<'t, 'm>> {
    let first = object.entries().find_map(|entry| match entry {
        Entry::Field(name, _) => Some(name),
        _ => None,
    });
    let Some(first) = first else { return Err(wrong(object.span(), "an object without a name", "the name of a type")) };
    let at = object.span();
    let next = match first {
        "$numberInt" => {
            let number = number::<i32>(object, first, "a 32-bit integer in quotes")?;
            to.scalar(Scalar::int(i64::from(number)), at)?;
            Next::Enter
        }
        "$numberLong" => {
            let value = number::<i64>(object, first, "a 64-bit integer in quotes")?;
            let hint = if i32::try_from(value).is_ok() { Hint::new(&WIDE) } else { Hint::NONE };
            to.scalar(if value < 0 { Scalar::Int(value, hint) } else { Scalar::UInt(value as u64, hint) }, at)?;
            Next::Enter
        }
        "$numberDouble" => {
            let [value] = members(object, [first])?;
            let number = double(text(value)?).ok_or_else(|| not(value, "a number, \"NaN\", \"Infinity\" or \"-Infinity\" in quotes"))?;
            to.scalar(Scalar::f64(number), at)?;
            Next::Enter
        }
        "$numberDecimal" => {
            let [value] = members(object, [first])?;
            let bytes = decimal::parse(text(value)?)
                .ok_or_else(|| not(value, "a decimal of at most 34 digits in quotes, or \"NaN\" or \"Infinity\""))?;
            emit_decimal(bytes, object, value, to)?
        }
        "$date" => {
            let [value] = members(object, [first])?;
            to.scalar(Scalar::Time(date(value)?), at)?;
            Next::Enter
        }
        "$oid" => {
            let [value] = members(object, [first])?;
            let id = object_id(value)?;
            tagged(wire::OBJECT_ID.into(), Scalar::Bytes(Str::Scratch(&id)), object, value, to)?
        }
        "$binary" => binary(object, to)?,
        "$uuid" => {
            let [value] = members(object, [first])?;
            let uuid = uuid(text(value)?).ok_or_else(|| not(value, "32 hexadecimal digits with hyphens, 8-4-4-4-12"))?;
            tagged(wire::binary_code(UUID), Scalar::Bytes(Str::Scratch(&uuid)), object, value, to)?
        }
        "$timestamp" => {
            let [value] = members(object, [first])?;
            let [seconds, increment] = members(value, ["t", "i"])?;
            let number = u64::from(short(seconds)?) << 32 | u64::from(short(increment)?);
            tagged(wire::TIMESTAMP.into(), Scalar::uint(number), object, value, to)?
        }
        "$regularExpression" => {
            let [value] = members(object, [first])?;
            let [pattern, options] = members(value, ["pattern", "options"])?;
            let (text_of_pattern, text_of_options) = (cstring(pattern)?, cstring(options)?);
            let sorted = wire::sorted_options(text_of_options);
            let options_text = sorted.as_deref().unwrap_or(text_of_options);
            let pair =
                [(Scalar::Text(Str::Scratch(text_of_pattern)), pattern.span()), (Scalar::Text(Str::Scratch(options_text)), options.span())];
            tuple(wire::REGEX, pair, object, value, to)?
        }
        "$dbPointer" => {
            let [value] = members(object, [first])?;
            let [name, id] = members(value, ["$ref", "$id"])?;
            let [oid] = members(id, ["$oid"])?;
            let bytes = object_id(oid)?;
            let pair = [(Scalar::Text(Str::Scratch(text(name)?)), name.span()), (Scalar::Bytes(Str::Scratch(&bytes)), id.span())];
            tuple(wire::DB_POINTER, pair, object, value, to)?
        }
        "$symbol" => {
            let [value] = members(object, [first])?;
            tagged(wire::SYMBOL.into(), Scalar::Text(Str::Scratch(text(value)?)), object, value, to)?
        }
        "$code" if object.entries().nth(1).is_none() => {
            let [value] = members(object, [first])?;
            tagged(wire::CODE.into(), Scalar::Text(Str::Scratch(text(value)?)), object, value, to)?
        }
        "$code" | "$scope" => {
            let [code, scope] = members(object, ["$code", "$scope"])?;
            if !matches!(scope.view(), View::Open(Open::Record { .. } | Open::Map(_))) {
                return Err(not(scope, "a document, the scope of the code"));
            }
            return Ok(Meaning::Scoped { code: text(code)?, code_at: code.span(), scope });
        }
        "$minKey" | "$maxKey" => {
            let [value] = members(object, [first])?;
            if !matches!(value.view(), View::Scalar(Scalar::UInt(1, _))) {
                return Err(not(value, "1"));
            }
            let kind = if first == "$minKey" { wire::MIN_KEY } else { wire::MAX_KEY };
            tagged(kind.into(), Scalar::Null, object, value, to)?
        }
        _ => {
            let [value] = members(object, ["$undefined"])?;
            if !matches!(value.view(), View::Scalar(Scalar::Bool(true))) {
                return Err(not(value, "true"));
            }
            tagged(wire::UNDEFINED.into(), Scalar::Null, object, value, to)?
        }
    };
    Ok(Meaning::Value(next))
}

/// Subtype of a UUID.
const UUID: u8 = 4;

/// Returns the values of exactly these names.
fn members<'t, 'm: 't, const N: usize>(object: Item<'t, 'm>, names: [&str; N]) -> Result<[Item<'t, 'm>; N]> {
    if !matches!(object.view(), View::Open(Open::Record { .. } | Open::Map(_))) {
        return Err(not(object, &format!("an object with {}", listed(&names))));
    }
    let mut found = [None; N];
    for entry in object.entries() {
        let Entry::Field(name, value) = entry else { continue };
        match names.iter().position(|known| *known == name) {
            Some(index) if found[index].is_none() => found[index] = Some(value),
            _ => return Err(wrong(value.span(), format!("the key {name:?}"), format!("{} alone", listed(&names)))),
        }
    }
    let mut values = [object; N];
    for ((value, found), name) in values.iter_mut().zip(found).zip(names) {
        *value = found.ok_or_else(|| wrong(object.span(), format!("an object without {name:?}"), listed(&names)))?;
    }
    Ok(values)
}

fn listed(names: &[&str]) -> String {
    names.iter().map(|name| format!("{name:?}")).collect::<Vec<_>>().join(" and ")
}

fn text<'t, 'm: 't>(value: Item<'t, 'm>) -> Result<&'t str> {
    match value.view() {
        View::Scalar(Scalar::Text(text)) => Ok(text.get()),
        _ => Err(not(value, "text")),
    }
}

/// Returns a text that BSON ends by a zero byte.
fn cstring<'t, 'm: 't>(value: Item<'t, 'm>) -> Result<&'t str> {
    let text = text(value)?;
    if text.contains('\0') { Err(not(value, "text without a zero byte")) } else { Ok(text) }
}

fn number<T: std::str::FromStr>(object: Item<'_, '_>, name: &str, expected: &'static str) -> Result<T> {
    let [value] = members(object, [name])?;
    let text = text(value)?;
    let digits = text.strip_prefix('-').unwrap_or(text);
    let is_plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| is_plain).ok_or_else(|| not(value, expected))
}

/// Returns the double of a text.
pub(super) fn double(text: &str) -> Option<f64> {
    match text {
        "NaN" => Some(f64::NAN),
        "Infinity" => Some(f64::INFINITY),
        "-Infinity" => Some(f64::NEG_INFINITY),
        _ if text.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'+' | b'-' | b'.' | b'e' | b'E')) => {
            text.parse().ok().filter(|value: &f64| value.is_finite())
        }
        _ => None,
    }
}

fn short(value: Item<'_, '_>) -> Result<u32> {
    match value.view() {
        View::Scalar(Scalar::UInt(number, _)) => u32::try_from(number).map_err(|_| not(value, "a number of 32 bits")),
        _ => Err(not(value, "a number of 32 bits")),
    }
}

fn date(value: Item<'_, '_>) -> Result<Timestamp> {
    const EXPECTED: &str = "RFC 3339 text, or an object with \"$numberLong\", the milliseconds since 1970";
    match value.view() {
        View::Scalar(Scalar::Text(text)) => Timestamp::from_any_rfc3339(text.get()).ok_or_else(|| not(value, EXPECTED)),
        View::Open(_) => moment(number::<i64>(value, "$numberLong", "a 64-bit integer in quotes")?),
        View::Scalar(_) => Err(not(value, EXPECTED)),
    }
}

fn object_id(value: Item<'_, '_>) -> Result<[u8; OBJECT_ID_LEN]> {
    let mut id = [0; OBJECT_ID_LEN];
    if hex(text(value)?, &mut id) { Ok(id) } else { Err(not(value, "24 hexadecimal digits")) }
}

fn uuid(text: &str) -> Option<[u8; 16]> {
    let parts: Vec<&str> = text.split('-').collect();
    let mut uuid = [0; 16];
    let fits = parts.iter().map(|part| part.len()).eq([8, 4, 4, 4, 12]);
    (fits && hex(&parts.concat(), &mut uuid)).then_some(uuid)
}

/// Fills `bytes` with hexadecimal digits; returns false if they are others, or another number.
fn hex(digits: &str, bytes: &mut [u8]) -> bool {
    let digit = |byte: u8| char::from(byte).to_digit(16).map(|digit| digit as u8);
    let (pairs, rest) = digits.as_bytes().as_chunks::<2>();
    if pairs.len() != bytes.len() || !rest.is_empty() {
        return false;
    }
    bytes.iter_mut().zip(pairs).all(|(byte, &[high, low])| match (digit(high), digit(low)) {
        (Some(high), Some(low)) => {
            *byte = high << 4 | low;
            true
        }
        _ => false,
    })
}

/// Emits binary data: the object of version 2, or the two names of version 1.
fn binary<'m>(object: Item<'_, 'm>, to: &mut dyn Sink<'m>) -> Result<Next> {
    let is_old = object.entries().nth(1).is_some();
    let (digits, subtype, at) = if is_old {
        let [digits, subtype] = members(object, ["$binary", "$type"])?;
        (digits, subtype, digits)
    } else {
        let [value] = members(object, ["$binary"])?;
        let [digits, subtype] = members(value, ["base64", "subType"])?;
        (digits, subtype, value)
    };
    let bytes = STANDARD.decode(text(digits)?).map_err(|_| not(digits, "base64"))?;
    let kind = text(subtype)?;
    let kind = u8::from_str_radix(kind, 16)
        .ok()
        .filter(|_| kind.len() <= 2 && !kind.starts_with('+'))
        .ok_or_else(|| not(subtype, "one or two hexadecimal digits"))?;
    match kind {
        GENERIC => {
            to.scalar(Scalar::Bytes(Str::Scratch(&bytes)), object.span())?;
            Ok(Next::Enter)
        }
        kind => tagged(wire::binary_code(kind), Scalar::Bytes(Str::Scratch(&bytes)), object, at, to),
    }
}

/// Emits a decimal128 as BSON's reader does.
fn emit_decimal<'m>(bytes: [u8; 16], object: Item<'_, 'm>, value: Item<'_, 'm>, to: &mut dyn Sink<'m>) -> Result<Next> {
    match decimal128::decode(bytes) {
        Number::Finite(number) => {
            let spelling = number.spelling();
            to.scalar(number.scalar(Hint::new(&spelling)), object.span())?;
            Ok(Next::Enter)
        }
        Number::Special(special) => {
            let spelling = Spelling::default();
            tagged(DECIMAL128.into(), Scalar::F64(special, Hint::new(&spelling)), object, value, to)
        }
    }
}

/// Emits a tagged value. `value` is the part of `object` that stands for it.
fn tagged<'m>(code: u64, scalar: Scalar<'_, '_>, object: Item<'_, 'm>, value: Item<'_, 'm>, to: &mut dyn Sink<'m>) -> Result<Next> {
    let (object, value) = (object.span(), value.span());
    let next = to.open(Open::Tagged { space: SPACE, code }, Span::new(object.start, value.start))?;
    if next == Next::Enter {
        to.scalar(scalar.scratch(), value)?;
        to.close(Span::new(value.end, object.end))?;
    }
    Ok(next)
}

/// Emits a tagged pair.
fn tuple<'m>(
    kind: u8,
    pair: [(Scalar<'_, '_>, Span); 2],
    object: Item<'_, 'm>,
    value: Item<'_, 'm>,
    to: &mut dyn Sink<'m>,
) -> Result<Next> {
    let (object, value) = (object.span(), value.span());
    let next = to.open(Open::Tagged { space: SPACE, code: kind.into() }, Span::new(object.start, value.start))?;
    if next != Next::Enter {
        return Ok(next);
    }
    match to.open(Open::Tuple(Len::Claimed(2)), Span::new(value.start, value.start + 1))? {
        Next::Enter => {
            for (scalar, at) in pair {
                to.scalar(scalar.scratch(), at)?;
            }
            to.close(Span::new(value.end - 1, value.end))?;
        }
        Next::Skip => {}
        Next::Stop => return Ok(Next::Stop),
    }
    to.close(Span::new(value.end, object.end))?;
    Ok(Next::Enter)
}

#[cold]
fn not(value: Item<'_, '_>, expected: &str) -> Error {
    let seen = match value.view() {
        View::Scalar(Scalar::Text(text)) => format!("{:?}", text.get().chars().take(60).collect::<String>()),
        View::Scalar(scalar) => format!("a value of kind {}", scalar.kind()),
        View::Open(open) => format!("a {}", open.kind()),
    };
    wrong(value.span(), seen, expected.to_string())
}

/// Makes the error of a value that is not as its type demands.
#[cold]
pub(super) fn wrong(at: Span, seen: impl Into<String>, expected: impl Into<String>) -> Error {
    Error::data(ErrorKind::Syntax, at.start).seen(seen.into()).expected(expected.into())
}

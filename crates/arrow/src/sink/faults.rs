//! Errors of values that do not fit their columns.

use polywire_core::{Error, ErrorKind, Fault, Span};

use super::numbers::bits;
use crate::plan::Kind;

#[cold]
pub(super) fn mismatch(
    seen: impl Into<std::borrow::Cow<'static, str>>,
    expected: impl Into<std::borrow::Cow<'static, str>>,
    at: Span,
) -> Error {
    Error::new(ErrorKind::Mismatch, Fault::Data).seen(seen).expected(expected).at(at.start)
}

#[cold]
pub(super) fn full(at: Span) -> Error {
    Error::data(ErrorKind::Limit, at.start).seen("more than 2 GiB in one column of a batch").expected("a shorter message")
}

pub(super) fn article(word: &str) -> &'static str {
    match word.as_bytes().first() {
        _ if matches!(word, "text" | "bytes" | "octets" | "null") => "",
        Some(b'a' | b'e' | b'i' | b'o' | b'u') => "an",
        _ => "a",
    }
}

/// Returns the values of a column, for people.
pub(super) fn expected(kind: &Kind) -> String {
    match kind {
        Kind::Null => "null".into(),
        Kind::Bool => "a bool".into(),
        Kind::Unit | Kind::Record(_) => "a record".into(),
        Kind::Int(width) => format!("a whole number of {} bits", bits(*width)),
        Kind::UInt(width) => format!("a whole number from zero up, of {} bits", bits(*width)),
        Kind::F32 => "a binary32 number".into(),
        Kind::F64 | Kind::Number => "a binary64 number".into(),
        Kind::Digits(true) | Kind::Fixed { whole: true, .. } => "a whole number".into(),
        Kind::Digits(false) => "a decimal number".into(),
        Kind::Fixed { precision, scale, .. } => format!("a decimal number of {precision} digits, {scale} after the point"),
        Kind::Text => "text".into(),
        Kind::Octets => "text or octets".into(),
        Kind::Bytes => "bytes".into(),
        Kind::Time(_) => "a timestamp".into(),
        Kind::Names(_) => "a known name".into(),
        Kind::List { .. } => "a list".into(),
        Kind::Map { .. } => "a map".into(),
        Kind::Tuple(items) => format!("a tuple of {}", items.len()),
        Kind::Sum(_) => "one of the cases".into(),
        Kind::Json => "any value".into(),
    }
}

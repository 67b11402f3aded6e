//! The one error, as serde's errors.

use std::fmt::Display;

use serde_core::de::{Expected, Unexpected};
use serde_core::{de, ser};

use crate::error::{Error, ErrorKind, Fault};

/// Makes the error of a value that is none of the wanted type.
#[cold]
pub fn mismatch(seen: impl Into<std::borrow::Cow<'static, str>>) -> Error {
    Error::new(ErrorKind::Mismatch, Fault::Data).seen(seen)
}

/// Description of bytes, where a type takes none.
pub(super) const BYTES: &str = "bytes";

/// Start of what was seen where a type lacks a field.
const WITHOUT: &str = "a record without the field";

/// Returns whether an error is that of a record without a field that its type has.
pub fn is_missing_field(error: &Error) -> bool {
    error.kind() == ErrorKind::Mismatch && error.seen_text().starts_with(WITHOUT)
}

impl de::Error for Error {
    #[cold]
    fn custom<T: Display>(message: T) -> Error {
        mismatch(message.to_string())
    }

    #[cold]
    fn invalid_type(seen: Unexpected<'_>, expected: &dyn Expected) -> Error {
        mismatch(shown(seen)).expected(expected.to_string())
    }

    #[cold]
    fn invalid_value(seen: Unexpected<'_>, expected: &dyn Expected) -> Error {
        mismatch(shown(seen)).expected(expected.to_string())
    }

    #[cold]
    fn invalid_length(len: usize, expected: &dyn Expected) -> Error {
        mismatch(format!("{len} values")).expected(expected.to_string())
    }

    #[cold]
    fn unknown_variant(variant: &str, expected: &'static [&'static str]) -> Error {
        mismatch(format!("the case `{}`", excerpt(variant))).expected(one_of(expected, "no case, as the type has none"))
    }

    #[cold]
    fn unknown_field(field: &str, expected: &'static [&'static str]) -> Error {
        mismatch(format!("the field `{}`", excerpt(field))).expected(one_of(expected, "no field"))
    }

    #[cold]
    fn missing_field(field: &'static str) -> Error {
        mismatch(format!("{WITHOUT} `{field}`"))
    }

    #[cold]
    fn duplicate_field(field: &'static str) -> Error {
        Error::new(ErrorKind::DoubledKey, Fault::Data).seen(format!("the field `{field}` a second time"))
    }
}

impl ser::Error for Error {
    #[cold]
    fn custom<T: Display>(message: T) -> Error {
        Error::new(ErrorKind::Mismatch, Fault::Caller).seen(message.to_string())
    }
}

/// Most characters of the message's text that an error repeats.
const EXCERPT: usize = 64;

fn excerpt(text: &str) -> String {
    match text.char_indices().nth(EXCERPT) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_string(),
    }
}

fn shown(seen: Unexpected<'_>) -> String {
    match seen {
        Unexpected::Str(text) => format!("the text {:?}", excerpt(text)),
        Unexpected::Bytes(_) => BYTES.to_string(),
        Unexpected::Unit => "null".to_string(),
        Unexpected::Seq => "a list".to_string(),
        Unexpected::Map => "a record".to_string(),
        other => format!("the {other}"),
    }
}

fn one_of(names: &[&str], none: &'static str) -> String {
    if names.is_empty() { none.to_string() } else { format!("one of {}", names.join(", ")) }
}

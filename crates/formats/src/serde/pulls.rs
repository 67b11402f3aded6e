//! The formats with a pull reader or a serializer of their own, one line each.
//!
//! A pull reader makes the values of a type straight from a message's bytes, and a serializer
//! writes them so. Both are exceptions beside the walk, for speed. Tests hold them equal to the
//! walk: `crates/polywire/tests/serde_twins.rs`.

use polywire_core::tools::Count;
use polywire_core::{Budget, Format, Limits, Result};
use serde_core::{Deserialize, Serialize};

use crate::registry;
#[cfg(any(feature = "cbor", feature = "msgpack"))]
use crate::serde::counted;

/// Names of the formats with a pull reader. Formats that only frame their messages have it too.
#[rustfmt::skip] // One line each.
pub const PULLED: &[&str] = &[
    #[cfg(feature = "json")] "json",
    #[cfg(feature = "msgpack")] "msgpack",
    #[cfg(feature = "cbor")] "cbor",
];

/// Names of the formats with a serializer of their own. Formats that only frame their messages have
/// it too.
#[rustfmt::skip] // One line each.
pub const PUSHED: &[&str] = &[
    #[cfg(feature = "json")] "json",
    #[cfg(feature = "msgpack")] "msgpack",
    #[cfg(feature = "cbor")] "cbor",
    #[cfg(feature = "xml")] "xml",
];

/// Returns whether messages of `format` are read by a pull reader.
pub fn is_pulled(format: &'static Format) -> bool {
    PULLED.contains(&registry::unframed(format).name)
}

/// Reads a message by the pull reader of the format with this name; `None` if it has none.
#[inline]
pub(super) fn pull<'de, T: Deserialize<'de>>(name: &str, msg: &'de [u8], base: u64, limits: &Limits) -> Option<Result<T>> {
    match name {
        "json" => Some(crate::json::serde::read(msg, base, limits)),
        #[cfg(feature = "cbor")]
        "cbor" => Some(crate::cbor::serde::read(msg, base, limits)),
        #[cfg(feature = "msgpack")]
        "msgpack" => Some(crate::msgpack::serde::read(msg, base, limits)),
        _ => None,
    }
}

/// Appends a value by the serializer of the format with this name. Returns `None`, and appends
/// nothing, if it has none, or if that one leaves the value to events.
#[inline]
pub(super) fn push<T: Serialize + ?Sized>(name: &str, value: &T, out: &mut Vec<u8>) -> Option<Result<()>> {
    match name {
        "json" => crate::json::serde::push(value, out),
        #[cfg(feature = "cbor")]
        "cbor" => counted::push::<crate::cbor::serde::Direct, T>(value, out),
        #[cfg(feature = "msgpack")]
        "msgpack" => counted::push::<crate::msgpack::serde::Direct, T>(value, out),
        #[cfg(feature = "xml")]
        "xml" => crate::xml::serde::push(value, out),
        _ => None,
    }
}

/// Returns whether a message of `len` bytes could exceed the limits that a pull reader does not
/// count: those on values, and on bytes and digits that decoding makes. It is walked first then.
pub(crate) fn walk_first(len: usize, limits: &Limits) -> bool {
    let len = len as u64;
    limits.items < len.saturating_add(2) || limits.decoded < len.saturating_mul(4) || limits.digits < 20
}

/// Walks a message, and keeps nothing of it.
///
/// # Errors
/// Those of the walk.
#[cold]
pub(crate) fn check(format: &Format, msg: &[u8], base: u64, limits: &Limits) -> Result<()> {
    (format.reader)().walk(msg, base, &mut Count::default(), &mut Budget::new(limits))
}

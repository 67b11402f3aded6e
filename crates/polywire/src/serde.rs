//! Types of your own, to and from every format by way of serde.
//!
//! [`read`] and [`write()`] take one message, [`read_all`] and [`write_all`] take streams.
//! [`TypedReader`] and [`TypedWriter`] have options, and use their memory again from message to
//! message.
//!
//! ```
//! use serde::{Deserialize, Serialize};
//!
//! #[derive(Debug, PartialEq, Serialize, Deserialize)]
//! struct Ticket<'a> {
//!     seat: u16,
//!     #[serde(borrow)]
//!     holder: &'a str,
//!     price: Option<f64>,
//! }
//!
//! let ticket: Ticket = polywire::read(br#"{"seat":12,"holder":"Ann","price":49.5}"#, "json")?;
//! assert_eq!(ticket, Ticket { seat: 12, holder: "Ann", price: Some(49.5) });
//!
//! let cbor = polywire::write(&ticket, "cbor")?;
//! assert_eq!(polywire::read::<Ticket>(&cbor, "cbor")?, ticket);
//! # Ok::<(), polywire::Error>(())
//! ```

use std::io::{Read, Write};

pub use polywire_formats::serde::{Messages, TypedReader, TypedWriter};
use serde_core::de::DeserializeOwned;
use serde_core::{Deserialize, Serialize};

use crate::{Error, IntoDialect, Limits, Result};

/// Reads the one message of `bytes` as a type, which may borrow texts and bytes from them.
///
/// ```
/// let point: (i32, i32) = polywire::read(b"- 1\n- -2\n", "yaml")?;
/// assert_eq!(point, (1, -2));
///
/// let error = polywire::read::<(i32, i32)>(b"[1, \"two\"]", "json").unwrap_err();
/// assert_eq!(error.to_string(), "json: expected i32, saw the text \"two\", at byte 4, in [1]");
/// # Ok::<(), polywire::Error>(())
/// ```
///
/// # Errors
/// The format has no such name or is not compiled in; the bytes are no message of it, or more than
/// one; or the message is none of the type.
pub fn read<'de, T: Deserialize<'de>>(bytes: &'de [u8], format: impl IntoDialect) -> Result<T> {
    polywire_formats::serde::from_slice(bytes, format.into_dialect()?, &Limits::DEFAULT)
}

/// Writes a value as one message.
///
/// ```
/// let msgpack = polywire::write(&("on", 1.5), "msgpack")?;
/// assert_eq!(msgpack, b"\x92\xa2on\xcb\x3f\xf8\0\0\0\0\0\0");
///
/// // Nothing is lost silently.
/// let error = polywire::write(&f64::NAN, "json").unwrap_err();
/// assert_eq!(error.kind(), polywire::ErrorKind::Loss);
/// # Ok::<(), polywire::Error>(())
/// ```
///
/// # Errors
/// The format has no such name or is not compiled in, needs a schema, or cannot hold the value.
pub fn write<T: Serialize + ?Sized>(value: &T, format: impl IntoDialect) -> Result<Vec<u8>> {
    polywire_formats::serde::to_vec(value, format.into_dialect()?)
}

/// Reads a stream of messages, one by one, each as a type. The iterator ends after the first error.
///
/// Memory: a buffer, and at most twice the longest message.
///
/// ```
/// #[derive(serde::Deserialize)]
/// struct Reading {
///     sensor: String,
///     celsius: f64,
/// }
///
/// let lines = "{\"sensor\":\"roof\",\"celsius\":-3.5}\n{\"sensor\":\"hall\",\"celsius\":20.0}\n";
/// let readings = polywire::read_all::<Reading>(lines.as_bytes(), "jsonl")?;
/// let warmest = readings.map(|reading| reading.map(|reading| reading.celsius)).max_by(|a, b| {
///     a.as_ref().unwrap_or(&f64::MAX).total_cmp(b.as_ref().unwrap_or(&f64::MAX))
/// });
/// assert_eq!(warmest.transpose()?, Some(20.0));
/// # Ok::<(), polywire::Error>(())
/// ```
///
/// # Errors
/// The format has no such name or is not compiled in. Errors of messages come from the iterator.
pub fn read_all<T: DeserializeOwned>(input: impl Read, format: impl IntoDialect) -> Result<impl Iterator<Item = Result<T>>> {
    Ok(Messages::new(input, format.into_dialect()?, &Limits::DEFAULT))
}

/// Writes values as a stream of messages, and returns their number. Values before an error are
/// written.
///
/// ```
/// let mut csv = Vec::new();
/// let rows = [("a", 1), ("b", 2)].map(|(name, count)| std::collections::BTreeMap::from([("count", count.to_string()), ("name", name.to_string())]));
/// polywire::write_all(rows, &mut csv, "csv")?;
/// assert_eq!(String::from_utf8_lossy(&csv).lines().count(), 3, "a head and two rows");
/// # Ok::<(), polywire::Error>(())
/// ```
///
/// # Errors
/// The format has no such name or is not compiled in, needs a schema, or cannot hold a value; or
/// `output` failed.
pub fn write_all<T: Serialize>(values: impl IntoIterator<Item = T>, output: &mut dyn Write, format: impl IntoDialect) -> Result<u64> {
    let mut writer = TypedWriter::new(format.into_dialect()?)?;
    writer.begin_stream();
    let (mut out, mut count) = (Vec::new(), 0);
    let failed = |error| Error::io("writing", &error);
    for value in values {
        let outcome = writer.write(&value, &mut out);
        if outcome.is_ok() {
            out.extend_from_slice(writer.dialect().format().separator.as_bytes());
            count += 1;
        }
        if outcome.is_err() || out.len() >= 64 << 10 {
            output.write_all(&out).map_err(failed)?;
            out.clear();
        }
        outcome?;
    }
    output.write_all(&out).map_err(failed)?;
    Ok(count)
}

/// The page's Rust runs as a test.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/serde.md")]
struct Page;

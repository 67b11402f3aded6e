//! Types of your own, to and from every format by way of serde.
//!
//! [`read`] and [`write()`] take one message, [`read_all`] and [`write_all`] take streams.
//! [`Messages`] and [`StreamWriter`] are streams with options, message by message; those over
//! tokio's readers are `polywire::tokio::TypedMessages`. [`TypedReader`] and [`TypedWriter`] take
//! single messages, and use their memory again from one to the next.
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

pub use polywire_formats::serde::{DEPTH, Messages, StreamWriter, TypedReader, TypedWriter};
use serde_core::de::DeserializeOwned;
use serde_core::{Deserialize, Serialize};

use crate::{IntoDialect, Limits, Result};

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
    polywire_formats::serde::from_slice(bytes, format, &Limits::DEFAULT)
}

/// Writes a value as one message. A line of JSON Lines ends with its line break.
///
/// ```
/// let msgpack = polywire::write(&("on", 1.5), "msgpack")?;
/// assert_eq!(msgpack, b"\x92\xa2on\xcb\x3f\xf8\0\0\0\0\0\0");
/// assert_eq!(polywire::write(&("on", 1.5), "jsonl")?, b"[\"on\",1.5]\n");
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
    polywire_formats::serde::to_vec(value, format)
}

/// Reads a stream of messages, one by one, each as a type.
///
/// The iterator ends after the first error, as the place of the next message may depend on the bad
/// one. Each message is held to the default [`Limits`] and the depth [`DEPTH`];
/// [`Messages::limits`] sets others. Memory: a buffer, and at most twice the longest message.
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
/// The bytes of the last message are at hand, and their range in the stream:
///
/// ```
/// let stream: &[u8] = b"\x92\x01\x02\x92\x03\xc0";
/// let mut points = polywire::read_all::<(u8, u8)>(stream, "msgpack")?;
/// assert_eq!(points.next().unwrap()?, (1, 2));
/// let error = points.next().unwrap().unwrap_err();
/// assert_eq!((points.range(), points.bytes()), (3..6, &b"\x92\x03\xc0"[..]));
/// assert_eq!(error.to_string(), "msgpack: expected u8, saw null, at byte 5, in [1], message 2");
/// assert!(points.next().is_none());
/// # Ok::<(), polywire::Error>(())
/// ```
///
/// # Errors
/// The format has no such name or is not compiled in. Errors of messages come from the iterator.
pub fn read_all<T: DeserializeOwned>(input: impl Read, format: impl IntoDialect) -> Result<Messages<impl Read, T>> {
    Messages::new(input, format)
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
    let mut writer = StreamWriter::new(output, format)?;
    for value in values {
        if let Err(error) = writer.write(&value) {
            writer.flush()?;
            return Err(error);
        }
    }
    writer.flush()?;
    Ok(writer.written())
}

/// The page's Rust runs as a test.
#[cfg(all(doctest, feature = "full"))]
#[doc = include_str!("../../../docs/serde.md")]
struct Page;

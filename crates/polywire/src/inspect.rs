//! The meaning of bytes, row by row: where each value lies in a message.

use polywire_core::tools::inspect as core;
use polywire_formats::payload::PAYLOADS;
use polywire_formats::registry;

pub use core::{Inspection, Options, Row, What};

use crate::{IntoDialect, Result};

/// Passes the meaning of `bytes`, a stream of a format, to `rows`.
///
/// Every byte belongs to exactly one row. Broken input is no error: the rows go as far as it makes
/// sense. [`Inspection::broken`] then has the reason.
///
/// ```
/// let mut lines = Vec::new();
/// let outcome = polywire::inspect::inspect(b"\x81\xa2id\xcd\x01", "msgpack", &mut |row| {
///     lines.push(format!("{:02x?} {} {}", row.raw, row.kind, row.value));
///     Ok(())
/// })?;
/// assert_eq!(lines[2], "[a2, 69, 64] field id");
/// assert!(outcome.broken.is_some(), "a number that is cut");
/// # Ok::<(), polywire::Error>(())
/// ```
///
/// # Errors
/// The format has no such name or is not compiled in, or those of `rows`.
pub fn inspect(bytes: &[u8], format: impl IntoDialect, rows: &mut dyn FnMut(&Row<'_>) -> Result<()>) -> Result<Inspection> {
    let options = Options { payloads: Some(&PAYLOADS), tag_name: registry::tag_name, ..Options::default() };
    inspect_with(bytes, format, &options, rows)
}

/// Does the same as [`inspect`] with options.
///
/// # Errors
/// As [`inspect`].
pub fn inspect_with(
    bytes: &[u8],
    format: impl IntoDialect,
    options: &Options,
    rows: &mut dyn FnMut(&Row<'_>) -> Result<()>,
) -> Result<Inspection> {
    core::inspect(format.into_dialect()?, bytes, options, rows)
}

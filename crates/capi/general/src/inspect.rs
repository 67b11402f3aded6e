//! The meaning of every byte.

use polywire_core::Error;
use polywire_core::tools::inspect::{Options as Rows, inspect};
use polywire_formats::payload::PAYLOADS;
use polywire_formats::registry;
use polywire_report::RowLine;

use crate::error::{ErrorObject, Status};
use crate::format::{FormatObject, dialect};
use crate::guard::guard;
use crate::options::Options;
use crate::outcome::Outcome;
use crate::pointer::{BytesIn, New};

/// Describes every byte of an input: one JSON object on each line, as `polywire inspect --report
/// json` writes them (docs/inspect.md). Null for `format` means the one that the bytes look like.
///
/// Bytes that are broken have a status and an error, and a result too: the rows before the mistake,
/// and one for the bytes that were not understood.
#[unsafe(no_mangle)]
pub extern "C" fn polywire_inspect(
    bytes: *const u8,
    length: usize,
    format: *const FormatObject,
    options: *const Options,
    result: *mut *mut Outcome,
    error: *mut *mut ErrorObject,
) -> Status {
    result.clear();
    guard(error, || {
        let bytes = bytes.bytes(length)?;
        let options = Options::of(options);
        let rows = Rows {
            limits: options.limits,
            shown: usize::MAX,
            payloads: Some(&PAYLOADS),
            depth: options.payload_depth,
            tag_name: registry::tag_name,
            ..Rows::default()
        };
        let mut out = Vec::new();
        let done = inspect(dialect(format, bytes)?, bytes, &rows, &mut |row| {
            RowLine::new(row).write(&mut out).map_err(|error| Error::io("writing a row", &error))
        })?;
        result.make(Outcome::new(out, done.messages, "[]"));
        done.broken.map_or(Ok(()), Err)
    })
}

//! Values in the notation of protocols: `{ v = (-2, []); on = true }`, `Busy 3`.

use polywire_core::value::{Notation, ValueSink};
use polywire_core::{Budget, Limits, Reader};

use crate::walk::ExtprotReader;

/// Approximate limit of a text in bytes.
const MAX_BYTES: usize = 2000;

const NOTATION: Notation = Notation { null: "()", element: "; ", field: "; ", tuple: ("(", ")") };

/// Returns a message as its reader understands it, or the text of the error.
pub(super) fn read(reader: &mut ExtprotReader, bytes: &[u8]) -> Result<String, String> {
    let mut sink = ValueSink::default();
    reader.walk(bytes, 0, &mut sink, &mut Budget::new(&Limits::DEFAULT)).map_err(|error| error.to_string())?;
    let mut out = String::new();
    if let Some(value) = sink.finish() {
        NOTATION.write(&value, MAX_BYTES, &mut out);
    }
    Ok(out)
}

//! String literals of the text format.

use std::io::Write;

use polywire_core::{Error, Result};

/// Appends a string literal. In text, bytes beyond ASCII stay as they are.
pub(super) fn quoted(out: &mut Vec<u8>, bytes: &[u8], is_text: bool) -> Result<()> {
    out.push(b'"');
    for &byte in bytes {
        match byte {
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            b'\t' => out.extend_from_slice(b"\\t"),
            b'"' | b'\'' | b'\\' => out.extend_from_slice(&[b'\\', byte]),
            0x20..=0x7e => out.push(byte),
            0x80..=0xff if is_text => out.push(byte),
            other => write!(out, "\\{other:03o}").map_err(|error| Error::io("writing to memory", &error))?,
        }
    }
    out.push(b'"');
    Ok(())
}

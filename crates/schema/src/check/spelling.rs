//! Places and bytes as text.

use std::fmt::Write;

use polywire_core::text::diagnostic::{Place, Source};

/// Returns a place as `name:line:column`.
pub(super) fn position(sources: &[Source], place: Option<Place>) -> Option<(String, usize, usize)> {
    let place = place?;
    let source = sources.get(place.source as usize)?;
    let (line, column) = source.line_column(place.start as usize);
    Some((source.name.clone(), line, column))
}

/// Returns bytes in hexadecimal digits.
pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        // Writing to a String cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

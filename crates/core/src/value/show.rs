//! Values as short text for people: in dumps, differences and errors.

use std::fmt::Write;

use crate::value::tree::{Item, View};
use crate::walk::event::Scalar;

/// Returns a scalar on one line, cut to about `max` characters with `…`. Text is quoted and
/// escaped, bytes are `h'…'`.
pub fn scalar(value: &Scalar<'_, '_>, max: usize) -> String {
    let mut text = String::new();
    write_scalar(value, max, &mut text);
    text
}

/// Appends a scalar as [`scalar`] returns it.
pub fn write_scalar(value: &Scalar<'_, '_>, max: usize, out: &mut String) {
    // Writing to a String cannot fail.
    let _ = match value {
        Scalar::Null => out.write_str("null"),
        Scalar::Bool(value) => out.write_str(if *value { "true" } else { "false" }),
        Scalar::Int(value, _) => write!(out, "{value}"),
        Scalar::UInt(value, _) => write!(out, "{value}"),
        Scalar::F32(value, _) => write!(out, "{value:?}"),
        Scalar::F64(value, _) => write!(out, "{value:?}"),
        Scalar::Big(text, _) | Scalar::Decimal(text, _) => out.write_str(&cut(text.get(), max)),
        Scalar::Text(value) => write!(out, "{:?}", cut(value.get(), max)),
        Scalar::Bytes(bytes) | Scalar::Octets(bytes) => {
            let bytes = bytes.get();
            out.push_str("h'");
            for byte in bytes.iter().take(max / 2) {
                let _ = write!(out, "{byte:02x}");
            }
            out.write_str(if bytes.len() > max / 2 { "…'" } else { "'" })
        }
        Scalar::Time(moment) => write!(out, "{moment}"),
    };
}

/// Returns a value on one line: a scalar as by [`scalar`], a container as kind and number of
/// entries.
pub fn item(value: Item<'_, '_>, max: usize) -> String {
    match value.view() {
        View::Scalar(Scalar::Null) => "null".into(),
        View::Scalar(value) => format!("{} {}", value.kind(), scalar(&value, max)),
        View::Open(open) => format!("{} of {}", open.kind(), value.entries().count()),
    }
}

/// Appends `text`, quoted and escaped. Cuts it after `max` characters, with `…` and its whole
/// length in bytes.
pub fn quoted(text: &str, max: usize, out: &mut String) {
    out.push('"');
    let whole = escaped(text, max, out);
    out.push('"');
    if !whole {
        // Writing to a String cannot fail.
        let _ = write!(out, " ({} bytes)", text.len());
    }
}

/// Appends `text`, escaped and not quoted. Cuts it after `max` characters, with `…`. Returns
/// whether it is whole.
pub fn escaped(text: &str, max: usize, out: &mut String) -> bool {
    // Most text needs no escapes.
    if text.len() <= max && text.bytes().all(|byte| matches!(byte, b' '..=b'~') && byte != b'"' && byte != b'\\') {
        out.push_str(text);
        return true;
    }
    for (n, c) in text.chars().enumerate() {
        if n == max {
            out.push('…');
            return false;
        }
        if c == '\'' { out.push(c) } else { out.extend(c.escape_debug()) }
    }
    true
}

/// Appends the number of bytes, and the first `max` of them as text if they are printable ASCII.
pub fn binary(bytes: &[u8], max: usize, out: &mut String) {
    // Writing to a String cannot fail.
    let _ = write!(out, "{} byte{}", bytes.len(), if bytes.len() == 1 { "" } else { "s" });
    let head = &bytes[..bytes.len().min(max)];
    if let (Ok(text), false) = (std::str::from_utf8(head), head.is_empty())
        && head.iter().all(|byte| matches!(byte, b' '..=b'~'))
    {
        out.push_str(", \"");
        escaped(text, max, out);
        out.push_str(if head.len() < bytes.len() { "…\"" } else { "\"" });
    }
}

/// Appends text of an unknown character set, quoted, with `\x…` for bytes that are not printable
/// ASCII. Cuts it after `max` bytes, with `…` and its whole length.
pub fn octets(bytes: &[u8], max: usize, out: &mut String) {
    // Writing to a String cannot fail.
    let _ = write!(out, "\"{}", bytes[..bytes.len().min(max)].escape_ascii());
    out.push_str(if bytes.len() > max { "…\"" } else { "\"" });
    if bytes.len() > max {
        let _ = write!(out, " ({} bytes)", bytes.len());
    }
}

fn cut(text: &str, max: usize) -> String {
    match text.char_indices().nth(max) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_string(),
    }
}

//! Values as short text for people: in dumps, differences and errors.

use std::fmt::Write;

use crate::value::tree::{Item, View};
use crate::walk::event::Scalar;

/// Returns a scalar on one line, cut to about `max` characters with `…`. Text is quoted and
/// escaped, bytes are `h'…'`.
pub fn scalar(value: &Scalar<'_, '_>, max: usize) -> String {
    match value {
        Scalar::Null => "null".into(),
        Scalar::Bool(value) => value.to_string(),
        Scalar::Int(value, _) => value.to_string(),
        Scalar::UInt(value, _) => value.to_string(),
        Scalar::F32(value, _) => format!("{value:?}"),
        Scalar::F64(value, _) => format!("{value:?}"),
        Scalar::Big(text, _) | Scalar::Decimal(text, _) => cut(text.get(), max),
        Scalar::Text(value) => {
            let value = value.get();
            let shown = cut(value, max);
            format!("{shown:?}")
        }
        Scalar::Bytes(bytes) | Scalar::Octets(bytes) => {
            let bytes = bytes.get();
            let mut text = String::from("h'");
            for byte in bytes.iter().take(max / 2) {
                // Writing to a String cannot fail.
                let _ = write!(text, "{byte:02x}");
            }
            if bytes.len() > max / 2 {
                text.push('…');
            }
            text.push('\'');
            text
        }
        Scalar::Time(moment) => moment.to_string(),
    }
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

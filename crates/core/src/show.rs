//! Values as short text for people: dumps, differences, messages.

use std::fmt::Write;

use crate::event::Scalar;
use crate::tree::{Item, View};

/// A scalar on one line, cut to about `max` characters with `…`: text in quotes and escaped, bytes as `h'…'`.
pub fn scalar(value: &Scalar<'_, '_>, max: usize) -> String {
    match value {
        Scalar::Null => "null".into(),
        Scalar::Bool(value) => value.to_string(),
        Scalar::Int(value) => value.to_string(),
        Scalar::UInt(value) => value.to_string(),
        Scalar::F32(value) => format!("{value:?}"),
        Scalar::F64(value) => format!("{value:?}"),
        Scalar::Big(text) | Scalar::Decimal(text) => cut(text.get(), max),
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

/// A value on one line: scalars as [`scalar`] shows them, containers by kind and number of entries.
pub fn item(value: Item<'_, '_>, max: usize) -> String {
    match value.view() {
        View::Scalar(value) => format!("{} {}", value.kind(), scalar(&value, max)),
        View::Open(open) => format!("{} of {}", open.kind(), value.entries().count()),
    }
}

fn cut(text: &str, max: usize) -> String {
    match text.char_indices().nth(max) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_string(),
    }
}

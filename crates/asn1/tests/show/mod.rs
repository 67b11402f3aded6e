//! Messages as text: JSON with bytes in hex.

use std::fmt::Write as _;

use polywire_core::value::{Entry, Item, View};
use polywire_core::{Open, Scalar};

/// Returns the bytes of hex digits.
pub fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len() / 2).filter_map(|at| u8::from_str_radix(hex.get(at * 2..at * 2 + 2)?, 16).ok()).collect()
}

/// Returns bytes as hex digits.
pub fn hex(bytes: &[u8]) -> String {
    let mut out = String::new();
    for byte in bytes {
        let _ = write!(out, "{byte:02x}");
    }
    out
}

fn quoted(text: &str, out: &mut String) {
    out.push('"');
    for character in text.chars() {
        match character {
            '"' | '\\' => {
                out.push('\\');
                out.push(character);
            }
            '\0'..='\u{1f}' | '\u{7f}'.. => {
                let mut units = [0; 2];
                for unit in character.encode_utf16(&mut units) {
                    let _ = write!(out, "\\u{unit:04x}");
                }
            }
            _ => out.push(character),
        }
    }
    out.push('"');
}

/// Appends a value as JSON; bytes are hex behind `0x`.
pub fn show(item: Item<'_, '_>, out: &mut String) {
    match item.view() {
        View::Scalar(scalar) => match scalar {
            Scalar::Null => out.push_str("null"),
            Scalar::Bool(value) => out.push_str(if value { "true" } else { "false" }),
            Scalar::Int(value, _) => out.push_str(&value.to_string()),
            Scalar::UInt(value, _) => out.push_str(&value.to_string()),
            Scalar::F32(value, _) if value.is_finite() => out.push_str(&format!("{value:?}")),
            Scalar::F64(value, _) if value.is_finite() => out.push_str(&format!("{value:?}")),
            Scalar::Big(text, _) | Scalar::Decimal(text, _) => out.push_str(text.get()),
            Scalar::Text(text) => quoted(text.get(), out),
            Scalar::Bytes(bytes) | Scalar::Octets(bytes) => quoted(&format!("0x{}", hex(bytes.get())), out),
            other => quoted(&format!("{other:?}"), out),
        },
        View::Open(open) => {
            let (start, end) = match open {
                Open::List(_) | Open::Tuple(_) => ('[', ']'),
                _ => ('{', '}'),
            };
            out.push(start);
            for (at, entry) in item.entries().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                match (entry, open) {
                    (Entry::Field(name, _), _) => {
                        quoted(name, out);
                        out.push(':');
                    }
                    (Entry::Element(_), Open::Variant { name, index }) => {
                        quoted(if name.is_empty() { "?" } else { name }, out);
                        let _ = index;
                        out.push(':');
                    }
                    _ => {}
                }
                show(entry.value(), out);
            }
            out.push(end);
        }
    }
}

//! Values as people write them about dictionaries: `Sales { n = 7, goods = [{ id = 1 }] }`.

use std::fmt::Write;

use polywire_core::value::Value;

/// Most bytes of a text, and a bit; what is longer is cut.
const MOST: usize = 2000;

/// A document, a record of its roots, on one line.
pub(super) fn show(document: &Value) -> String {
    let mut out = String::new();
    match document {
        Value::Record { fields, .. } if fields.is_empty() => out.push_str("no roots"),
        Value::Record { fields, .. } => {
            for (n, (name, value)) in fields.iter().enumerate() {
                out.push_str(if n > 0 { "; " } else { "" });
                out.push_str(name);
                out.push(' ');
                write(value, &mut out);
            }
        }
        value => write(value, &mut out),
    }
    out
}

/// Recursion is bounded by the depth of the document.
fn write(value: &Value, out: &mut String) {
    if out.len() > MOST {
        if !out.ends_with('…') {
            out.push('…');
        }
        return;
    }
    // Writing to a String cannot fail.
    let _ = match value {
        Value::Null => write!(out, "NULL"),
        Value::Bool(value) => write!(out, "{value}"),
        Value::Int(value) => write!(out, "{value}"),
        Value::UInt(value) => write!(out, "{value}"),
        Value::F32(value) => write!(out, "{value:?}"),
        Value::F64(value) => write!(out, "{value:?}"),
        Value::Big(text) | Value::Decimal(text) => write!(out, "{text}"),
        Value::Text(text) => write!(out, "{text:?}"),
        Value::Bytes(bytes) | Value::Octets(bytes) => write!(out, "\"{}\"", bytes.escape_ascii()),
        Value::Time(moment) => write!(out, "{moment}"),
        Value::List(values) | Value::Tuple(values) => {
            out.push('[');
            for (n, value) in values.iter().enumerate() {
                out.push_str(if n > 0 { ", " } else { "" });
                write(value, out);
            }
            out.push(']');
            return;
        }
        Value::Record { fields, .. } => {
            out.push('{');
            for (n, (name, value)) in fields.iter().enumerate() {
                let _ = write!(out, "{} {name} = ", if n > 0 { "," } else { "" });
                write(value, out);
            }
            out.push_str(" }");
            return;
        }
        Value::Variant { name, values, .. } => {
            out.push_str(name);
            for value in values {
                out.push(' ');
                write(value, out);
            }
            return;
        }
        Value::Map(pairs) => write!(out, "{} pairs", pairs.len()),
        Value::Tagged { value, .. } => return write(value, out),
    };
}

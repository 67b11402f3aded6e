//! Values as people write them about protocols: `{ v = (-2, []); on = true }`, `Busy 3`.

use std::fmt::Write;

use polywire_core::value::{Value, ValueSink};
use polywire_core::{Budget, Limits, Reader};

use crate::walk::ExtprotReader;

/// Most bytes of a text, and a bit; what is longer is cut.
const MOST: usize = 2000;

/// A message as its reader understands it, or the error.
pub(super) fn read(reader: &mut ExtprotReader, bytes: &[u8]) -> Result<String, String> {
    let mut sink = ValueSink::default();
    reader.walk(bytes, 0, &mut sink, &mut Budget::new(&Limits::DEFAULT)).map_err(|error| error.to_string())?;
    Ok(sink.finish().map_or_else(String::new, |value| show(&value)))
}

/// A value on one line.
fn show(value: &Value) -> String {
    let mut out = String::new();
    write(value, &mut out);
    out
}

fn write(value: &Value, out: &mut String) {
    if out.len() > MOST {
        if !out.ends_with('…') {
            out.push('…');
        }
        return;
    }
    // Writing to a String cannot fail.
    let _ = match value {
        Value::Null => write!(out, "()"),
        Value::Bool(value) => write!(out, "{value}"),
        Value::Int(value) => write!(out, "{value}"),
        Value::UInt(value) => write!(out, "{value}"),
        Value::F32(value) => write!(out, "{value:?}"),
        Value::F64(value) => write!(out, "{value:?}"),
        Value::Big(text) | Value::Decimal(text) => write!(out, "{text}"),
        Value::Text(text) => write!(out, "{text:?}"),
        Value::Bytes(bytes) | Value::Octets(bytes) => write!(out, "\"{}\"", bytes.escape_ascii()),
        Value::Time(moment) => write!(out, "{moment}"),
        Value::List(values) => return row("[", "; ", "]", values, out),
        Value::Tuple(values) => return row("(", ", ", ")", values, out),
        Value::Map(pairs) => {
            out.push('[');
            for (n, (key, value)) in pairs.iter().enumerate() {
                out.push_str(if n > 0 { "; (" } else { "(" });
                write(key, out);
                out.push_str(", ");
                write(value, out);
                out.push(')');
            }
            out.push(']');
            return;
        }
        Value::Record { fields, .. } => return record(fields, out),
        Value::Variant { name, values, .. } => {
            out.push_str(name);
            for value in values {
                out.push(' ');
                let nested = matches!(value, Value::Variant { values, .. } if !values.is_empty());
                out.push_str(if nested { "(" } else { "" });
                write(value, out);
                out.push_str(if nested { ")" } else { "" });
            }
            return;
        }
        Value::Tagged { value, .. } => return write(value, out),
    };
}

fn row(open: &str, between: &str, close: &str, values: &[Value], out: &mut String) {
    out.push_str(open);
    for (n, value) in values.iter().enumerate() {
        out.push_str(if n > 0 { between } else { "" });
        write(value, out);
    }
    out.push_str(close);
}

fn record(fields: &[(String, Value)], out: &mut String) {
    out.push_str("{ ");
    for (n, (name, value)) in fields.iter().enumerate() {
        out.push_str(if n > 0 { "; " } else { "" });
        out.push_str(name);
        out.push_str(" = ");
        write(value, out);
    }
    out.push_str(" }");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_written_as_in_protocols() {
        let busy = Value::Variant { name: "Busy".into(), index: 1, values: vec![Value::Int(-3)] };
        let nested = Value::Variant { name: "At".into(), index: 0, values: vec![busy, Value::Bool(true)] };
        let value = Value::record([
            ("v", Value::Tuple(vec![Value::UInt(2), Value::List(vec![])])),
            ("s", nested),
            ("t", Value::Octets(vec![0xff, b'a'])),
        ]);
        assert_eq!(show(&value), r#"{ v = (2, []); s = At (Busy -3) true; t = "\xffa" }"#);
    }
}

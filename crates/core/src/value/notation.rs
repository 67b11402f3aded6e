//! Values on one line, in the notation of a schema language: `{ v = (-2, []); on = true }`.

use std::fmt::Write;

use crate::value::Value;

/// Notation of values in a schema language. The parts that differ are fields; all else is the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Notation {
    /// Text of a null.
    pub null: &'static str,
    /// Separator between the elements of a list.
    pub element: &'static str,
    /// Separator between the fields of a record.
    pub field: &'static str,
    /// Brackets of a tuple, whose elements are separated by commas.
    pub tuple: (&'static str, &'static str),
}

impl Notation {
    /// Appends `value` to `out`, up to about `max` bytes; `…` stands for the rest.
    ///
    /// Open brackets are always closed. Recursion is bounded by the depth of the value.
    pub fn write(&self, value: &Value, max: usize, out: &mut String) {
        if is_full(max, out) {
            return;
        }
        // Writing to a String cannot fail.
        let _ = match value {
            Value::Null => write!(out, "{}", self.null),
            Value::Bool(value) => write!(out, "{value}"),
            Value::Int(value) => write!(out, "{value}"),
            Value::UInt(value) => write!(out, "{value}"),
            Value::F32(value) => write!(out, "{value:?}"),
            Value::F64(value) => write!(out, "{value:?}"),
            Value::Big(text) | Value::Decimal(text) => return put(text, max, out),
            Value::Text(text) => {
                let kept = cut(text, max, out);
                let shown = format!("{kept:?}");
                let rest = if kept.len() < text.len() { "…\"" } else { "\"" };
                write!(out, "{}{rest}", &shown[..shown.len() - 1])
            }
            Value::Bytes(bytes) | Value::Octets(bytes) => {
                let kept = &bytes[..bytes.len().min(room(max, out))];
                write!(out, "\"{}{}\"", kept.escape_ascii(), if kept.len() < bytes.len() { "…" } else { "" })
            }
            Value::Time(moment) => write!(out, "{moment}"),
            Value::List(values) => return self.elements(("[", "]"), self.element, values, max, out),
            Value::Tuple(values) => return self.elements(self.tuple, ", ", values, max, out),
            Value::Map(pairs) => return self.map(pairs, max, out),
            Value::Record { fields, .. } => return self.record(fields, max, out),
            Value::Variant { name, values, .. } => return self.variant(name, values, max, out),
            Value::Tagged { value, .. } => return self.write(value, max, out),
        };
    }

    fn elements(&self, (open, close): (&str, &str), between: &str, values: &[Value], max: usize, out: &mut String) {
        out.push_str(open);
        for (n, value) in values.iter().enumerate() {
            if n > 0 && is_full(max, out) {
                break;
            }
            out.push_str(if n > 0 { between } else { "" });
            self.write(value, max, out);
        }
        out.push_str(close);
    }

    /// Writes a map as a list of pairs.
    fn map(&self, pairs: &[(Value, Value)], max: usize, out: &mut String) {
        out.push('[');
        for (n, (key, value)) in pairs.iter().enumerate() {
            if n > 0 && is_full(max, out) {
                break;
            }
            out.push_str(if n > 0 { self.element } else { "" });
            out.push('(');
            self.write(key, max, out);
            out.push_str(", ");
            self.write(value, max, out);
            out.push(')');
        }
        out.push(']');
    }

    fn record(&self, fields: &[(String, Value)], max: usize, out: &mut String) {
        out.push('{');
        for (n, (name, value)) in fields.iter().enumerate() {
            if n > 0 && is_full(max, out) {
                break;
            }
            out.push_str(if n > 0 { self.field } else { " " });
            put(name, max, out);
            out.push_str(" = ");
            self.write(value, max, out);
        }
        out.push_str(" }");
    }

    fn variant(&self, name: &str, values: &[Value], max: usize, out: &mut String) {
        put(name, max, out);
        for value in values {
            if is_full(max, out) {
                break;
            }
            let nested = matches!(value, Value::Variant { values, .. } if !values.is_empty());
            out.push_str(if nested { " (" } else { " " });
            self.write(value, max, out);
            out.push_str(if nested { ")" } else { "" });
        }
    }
}

/// Returns true if `out` holds more than `max` bytes. It then ends in `…`, or in one that closed
/// brackets and quotes follow.
fn is_full(max: usize, out: &mut String) -> bool {
    let full = out.len() > max;
    if full && !out.trim_end_matches([')', ']', '}', ' ', '"']).ends_with('…') {
        out.push('…');
    }
    full
}

/// Returns the number of bytes of a text or name that may follow.
fn room(max: usize, out: &str) -> usize {
    (max + 1).saturating_sub(out.len())
}

/// Returns the start of `text` that may follow.
fn cut<'t>(text: &'t str, max: usize, out: &str) -> &'t str {
    let mut end = room(max, out).min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// Writes a text without quotes.
fn put(text: &str, max: usize, out: &mut String) {
    let kept = cut(text, max, out);
    out.push_str(kept);
    out.push_str(if kept.len() < text.len() { "…" } else { "" });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_notation_differs_in_its_parts_only() {
        let busy = Value::Variant { name: "Busy".into(), index: 1, values: vec![Value::Int(-3)] };
        let nested = Value::Variant { name: "At".into(), index: 0, values: vec![busy, Value::Bool(true)] };
        let value = Value::record([
            ("v", Value::Tuple(vec![Value::UInt(2), Value::List(vec![Value::Null, Value::UInt(1)])])),
            ("s", nested),
            ("t", Value::Octets(vec![0xff, b'a'])),
        ]);
        let shown = |notation: Notation, max| {
            let mut out = String::new();
            notation.write(&value, max, &mut out);
            out
        };
        let one = Notation { null: "()", element: "; ", field: "; ", tuple: ("(", ")") };
        assert_eq!(shown(one, 100), r#"{ v = (2, [(); 1]); s = At (Busy -3) true; t = "\xffa" }"#);
        let other = Notation { null: "NULL", element: ", ", field: ", ", tuple: ("[", "]") };
        assert_eq!(shown(other, 100), r#"{ v = [2, [NULL, 1]], s = At (Busy -3) true, t = "\xffa" }"#);
        assert_eq!(shown(one, 4), "{ v = … }");
        assert_eq!(shown(one, 30), "{ v = (2, [(); 1]); s = At (Bus…) }");
    }

    #[test]
    fn the_length_is_bounded() {
        let one = Notation { null: "()", element: "; ", field: "; ", tuple: ("(", ")") };
        let long = "ä\0".repeat(1 << 20);
        let many = vec![Value::UInt(7); 1 << 20];
        let deep = (0..1000).fold(Value::Null, |inner, _| Value::Map(vec![(inner.clone(), Value::Null), (Value::Null, Value::Null)]));
        let fields: Vec<_> = (0..1 << 16).map(|n| (format!("{n}{long:.100}"), Value::Null)).collect();
        for (value, most) in [
            (Value::Text(long.clone()), 600),
            (Value::Bytes(vec![255; 1 << 20]), 500),
            (Value::Big("1".repeat(1 << 20)), 120),
            (Value::List(many.clone()), 120),
            (Value::Tuple(many.clone()), 120),
            (Value::Map(many.iter().map(|value| (value.clone(), value.clone())).collect()), 120),
            (Value::Record { name: String::new(), fields }, 300),
            (Value::Record { name: String::new(), fields: vec![(long.clone(), Value::Null)] }, 130),
            (Value::Variant { name: long, index: 0, values: many }, 130),
            (deep, 3100),
        ] {
            let mut out = String::new();
            one.write(&value, 100, &mut out);
            assert!(out.len() <= most, "{} bytes: {out}", out.len());
            assert!(out.contains('…'), "{out}");
        }
    }
}

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
    /// Appends `value` to `out`. Once `out` holds more than `max` bytes, each further value is `…`.
    ///
    /// Recursion is bounded by the depth of the value. The number of values is not: names and
    /// separators after `max` bytes are still written.
    pub fn write(&self, value: &Value, max: usize, out: &mut String) {
        if out.len() > max {
            if !out.ends_with('…') {
                out.push('…');
            }
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
            Value::Big(text) | Value::Decimal(text) => write!(out, "{text}"),
            Value::Text(text) => write!(out, "{text:?}"),
            Value::Bytes(bytes) | Value::Octets(bytes) => write!(out, "\"{}\"", bytes.escape_ascii()),
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
            out.push_str(if n > 0 { between } else { "" });
            self.write(value, max, out);
        }
        out.push_str(close);
    }

    /// Writes a map as a list of pairs.
    fn map(&self, pairs: &[(Value, Value)], max: usize, out: &mut String) {
        out.push('[');
        for (n, (key, value)) in pairs.iter().enumerate() {
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
            out.push_str(if n > 0 { self.field } else { " " });
            out.push_str(name);
            out.push_str(" = ");
            self.write(value, max, out);
        }
        out.push_str(" }");
    }

    fn variant(&self, name: &str, values: &[Value], max: usize, out: &mut String) {
        out.push_str(name);
        for value in values {
            let nested = matches!(value, Value::Variant { values, .. } if !values.is_empty());
            out.push_str(if nested { " (" } else { " " });
            self.write(value, max, out);
            out.push_str(if nested { ")" } else { "" });
        }
    }
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
        assert_eq!(shown(one, 4), "{ v = …; s = …; t = … }");
    }
}

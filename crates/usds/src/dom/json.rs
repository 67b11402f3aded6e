//! JSON layout of the original (docs/spec/usds.md 6).

use std::fmt::Write;

use polywire_core::walk::PathStep;

use super::arena::Document;
use super::value::{Array, Structure, Value};
use crate::error::{DecodeError, Problem};
use crate::events::Scalar;

/// Returns a document in the original's JSON layout; see [`Document::to_legacy_json`].
///
/// # Errors
/// Text whose encoding JSON does not have.
pub fn legacy(document: &Document<'_, '_>) -> Result<String, DecodeError> {
    if document.is_empty() {
        return Ok("{}".into());
    }
    let mut writing = Writing { out: String::from("{\n"), document };
    for (n, (tag, value)) in document.roots().enumerate() {
        if n > 0 {
            writing.out.push_str(",\n");
        }
        let name = document.plan().tag_name(tag);
        writing.out.push('\t');
        writing.name(name);
        writing.value(value, 1).map_err(|failure| failure.below(PathStep::Name(name.to_string())))?;
    }
    writing.out.push_str("\n}");
    Ok(writing.out)
}

/// JSON output in progress. Recursion is bounded by the depth of the document.
struct Writing<'w, 'a, 'm> {
    out: String,
    document: &'w Document<'a, 'm>,
}

impl Writing<'_, '_, '_> {
    fn line(&mut self, depth: usize, text: &str) {
        self.out.push('\n');
        self.out.extend(std::iter::repeat_n('\t', depth));
        self.out.push_str(text);
    }

    fn name(&mut self, name: &str) {
        let _ = write!(self.out, "\"{name}\": ");
    }

    fn value(&mut self, value: Value<'_>, depth: usize) -> Result<(), DecodeError> {
        match value {
            Value::Null => self.out.push_str("null"),
            Value::Scalar(scalar) => return self.scalar(scalar),
            Value::Structure(structure) | Value::Member { structure, .. } => return self.structure(structure, depth),
            Value::Array(array) => return self.array(array, depth),
        }
        Ok(())
    }

    fn structure(&mut self, structure: Structure<'_>, depth: usize) -> Result<(), DecodeError> {
        self.line(depth, "{");
        let mut first = true;
        for (_, name, value) in structure.fields() {
            // Leaves out fields that are null or not set.
            let Some(value) = value.filter(|value| !matches!(value, Value::Null)) else { continue };
            if !first {
                self.out.push(',');
            }
            first = false;
            self.line(depth + 1, "");
            self.name(name);
            self.value(value, depth + 1).map_err(|failure| failure.below(PathStep::Name(name.to_string())))?;
        }
        self.line(depth, "}");
        Ok(())
    }

    fn array(&mut self, array: Array<'_>, depth: usize) -> Result<(), DecodeError> {
        if array.is_empty() {
            self.out.push_str("[]");
            return Ok(());
        }
        self.line(depth, "[");
        for (n, value) in array.iter().enumerate() {
            if n > 0 {
                self.out.push_str(", ");
            }
            self.value(value, depth + 1).map_err(|failure| failure.below(PathStep::Index(n as u64)))?;
        }
        self.line(depth, "]");
        Ok(())
    }

    fn scalar(&mut self, scalar: Scalar<'_>) -> Result<(), DecodeError> {
        let _ = match scalar {
            Scalar::Bool(value) => write!(self.out, "{value}"),
            Scalar::Int(value) => write!(self.out, "{value}"),
            Scalar::UInt(value) => write!(self.out, "{value}"),
            Scalar::F32(value) => return self.float(f64::from(value)),
            Scalar::F64(value) => return self.float(value),
            Scalar::Text(text) => return self.text(text),
            Scalar::Octets(bytes) => match std::str::from_utf8(bytes) {
                Ok(text) => return self.text(text),
                Err(_) => return Err(self.document.failure(Problem::Text).seen("text in no encoding that JSON has")),
            },
            Scalar::Enumerator { enumeration, position, .. } => {
                let name = self.document.plan().enumerator(enumeration, position);
                write!(self.out, "\"{name}\"")
            }
        };
        Ok(())
    }

    fn float(&mut self, value: f64) -> Result<(), DecodeError> {
        let _ = match value {
            value if value.is_finite() => write!(self.out, "{value:.6}"),
            value if value.is_nan() => write!(self.out, "\"NaN\""),
            value => write!(self.out, "\"{}Infinity\"", if value < 0.0 { "-" } else { "" }),
        };
        Ok(())
    }

    fn text(&mut self, text: &str) -> Result<(), DecodeError> {
        self.out.push('"');
        for c in text.chars() {
            match c {
                '"' | '\\' => self.out.extend(['\\', c]),
                '\n' => self.out.push_str("\\n"),
                '\r' => self.out.push_str("\\r"),
                '\t' => self.out.push_str("\\t"),
                c if c < ' ' => drop(write!(self.out, "\\u{:04x}", u32::from(c))),
                c => self.out.push(c),
            }
        }
        self.out.push('"');
        Ok(())
    }
}

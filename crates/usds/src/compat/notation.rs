//! Values in the notation of dictionaries: `Sales { n = 7, goods = [{ id = 1 }] }`.

use polywire_core::value::{Notation, Value};

/// Approximate limit of a text in bytes.
const MAX_BYTES: usize = 2000;

const NOTATION: Notation = Notation { null: "NULL", element: ", ", field: ", ", tuple: ("[", "]") };

/// Returns a document, a record of its roots, on one line.
pub(super) fn show(document: &Value) -> String {
    let mut out = String::new();
    match document {
        Value::Record { fields, .. } if fields.is_empty() => out.push_str("no roots"),
        Value::Record { fields, .. } => {
            for (n, (name, value)) in fields.iter().enumerate() {
                out.push_str(if n > 0 { "; " } else { "" });
                out.push_str(name);
                out.push(' ');
                NOTATION.write(value, MAX_BYTES, &mut out);
            }
        }
        value => NOTATION.write(value, MAX_BYTES, &mut out),
    }
    out
}

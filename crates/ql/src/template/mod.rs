//! References and templates (docs/spec/ql.md 5).
//!
//! | file | holds |
//! |---|---|
//! | `reference`, `value` | `{a.b}`: values from variables; literals with references (docs/spec/ql.md 5.1) |
//! | `token` | the common part of all text templates: literal text and tokens, which may be nested |
//! | `text` | text with tokens: headers, column names (docs/spec/ql.md 5.2) |
//! | `uri`, `place` | URI templates, their handling of lists (docs/spec/ql.md 5.3), and the part of the URI that a value stays in |
//! | `mutable` | URIs whose parameters hooks change (docs/spec/ql.md 5.4) |

pub mod mutable;
mod place;
pub mod reference;
pub mod text;
mod token;
pub mod uri;
pub mod value;

use polywire_doc::{Datum, Ref, View};

/// A source of values for tokens.
pub trait Lookup {
    /// Returns the value of a dotted name.
    fn lookup(&self, name: &str) -> Option<Datum>;

    /// Returns the value of a dotted name that a token can show: present and not empty. A source in
    /// layers looks in the next layer otherwise.
    fn usable(&self, name: &str) -> Option<Datum> {
        self.lookup(name).filter(|value| is_present(value.view()))
    }
}

/// Values by closure.
impl<F: Fn(&str) -> Option<Datum>> Lookup for F {
    fn lookup(&self, name: &str) -> Option<Datum> {
        self(name)
    }
}

/// Returns the value of `name` in `object`: the member of that very name, else the value that the
/// names between the dots lead to. A list on the way stands for its first element.
pub fn walk(object: Ref<'_>, name: &str) -> Option<Datum> {
    if let Some(member) = object.get(name) {
        return Some(member.to_datum());
    }
    if !name.contains('.') {
        return None;
    }
    let mut here = object;
    for part in name.split('.') {
        while here.is_list() {
            here = here.index(0)?;
        }
        here = here.get(part)?;
    }
    Some(here.to_datum())
}

/// Returns whether a value counts as given: not null, no empty text, no list without elements. Zero
/// and false are values.
pub fn is_present(value: Ref<'_>) -> bool {
    match value.view() {
        View::Null => false,
        View::Text(text) => !text.is_empty(),
        View::List(items) => items.len() > 0,
        _ => true,
    }
}

/// Returns the text of a scalar, as JavaScript prints it; `None` for null, lists and objects.
pub fn scalar_text(value: Ref<'_>) -> Option<String> {
    match value.view() {
        View::Null | View::List(_) | View::Object(_) => None,
        View::Text(text) => Some(text.to_string()),
        View::Bool(value) => Some(value.to_string()),
        View::Time(moment) => Some(moment.to_string()),
        View::Bytes(bytes) => Some(String::from_utf8_lossy(bytes).into_owned()),
        _ => {
            let mut out = Vec::new();
            value.write_json(&mut out);
            String::from_utf8(out).ok()
        }
    }
}

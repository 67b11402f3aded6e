//! References to variables (docs/spec/ql.md 5.1).

use polywire_doc::{Datum, Ref};

use super::scalar_text;
use crate::limits::{Exhausted, Work};
use crate::path::{JsonPath, PathStep, column};

/// Deepest nesting of references.
const MAX_DEPTH: usize = 16;

/// A source of variables.
pub trait Variables: Sync {
    /// Returns the variable of that name, which has no dots.
    fn variable(&self, name: &str) -> Option<Datum>;

    /// Returns all variables, if they are known.
    fn all(&self) -> Vec<(std::sync::Arc<str>, Datum)> {
        Vec::new()
    }
}

/// Text that stands for the value of a variable, or of something in it: `{a.b[0]}`.
#[derive(Debug, Clone, PartialEq)]
pub struct Reference {
    /// True if a caret stands before the name: the statement then runs only if there is a value.
    pub condition: bool,
    target: Target,
}

#[derive(Debug, Clone, PartialEq)]
enum Target {
    /// A variable and a path in it.
    Known(String, JsonPath),
    /// Nested references: the path is known once these are resolved.
    Made(Vec<Piece>),
}

#[derive(Debug, Clone, PartialEq)]
enum Piece {
    Text(String),
    Inner(Reference),
}

impl Reference {
    /// Reads a reference. Returns `None` for any other text, which stands for itself.
    pub fn read(text: &str) -> Option<Reference> {
        read(text, 0)
    }

    /// Makes a reference to the variable `name`.
    pub fn to(name: &str) -> Reference {
        Reference { condition: false, target: Target::Known(name.to_string(), JsonPath::default()) }
    }

    /// Makes a reference to the value at `path`, whose first step is the variable.
    pub fn at(path: &JsonPath) -> Option<Reference> {
        Some(Reference { condition: false, target: Target::Known(path.first()?.to_string(), path.tail()) })
    }

    /// Returns the variables that it reads, as far as they are known before it is resolved.
    pub fn variables(&self) -> Vec<&str> {
        match &self.target {
            Target::Known(name, _) => vec![name],
            Target::Made(pieces) => {
                let mut found = Vec::new();
                if let Some(Piece::Text(text)) = pieces.first()
                    && let Some(end) = text.find(['.', '['])
                {
                    found.push(&text[..end]);
                }
                for piece in pieces {
                    if let Piece::Inner(reference) = piece {
                        found.extend(reference.variables());
                    }
                }
                found
            }
        }
    }

    /// Returns the variable and the path in it, if both are known.
    pub fn known(&self) -> Option<(&str, &JsonPath)> {
        match &self.target {
            Target::Known(name, path) => Some((name, path)),
            Target::Made(_) => None,
        }
    }

    /// Returns the value; `None` if the variable is absent or null, or nothing is found in it.
    ///
    /// # Errors
    /// Not enough work is left.
    pub fn resolve(&self, variables: &dyn Variables, work: &Work) -> Result<Option<Datum>, Exhausted> {
        match &self.target {
            Target::Known(name, path) => {
                let Some(value) = variables.variable(name).filter(|value| !value.view().is_null()) else { return Ok(None) };
                within(value, path, work)
            }
            Target::Made(pieces) => {
                let mut text = String::from("{");
                for piece in pieces {
                    match piece {
                        Piece::Text(literal) => text.push_str(literal),
                        Piece::Inner(reference) => {
                            let value = reference.resolve(variables, work)?;
                            text.push_str(&value.and_then(|value| scalar_text(value.view())).unwrap_or_default());
                        }
                    }
                }
                text.push('}');
                work.spend(text.len() as u64)?;
                match read(&text, MAX_DEPTH) {
                    Some(Reference { target: Target::Known(name, path), .. }) => {
                        Reference { condition: false, target: Target::Known(name, path) }.resolve(variables, work)
                    }
                    _ => Ok(None),
                }
            }
        }
    }
}

/// Returns the value of `path` in the value of a variable. A list is searched element by element,
/// unless the path begins with an index.
fn within(value: Datum, path: &JsonPath, work: &Work) -> Result<Option<Datum>, Exhausted> {
    let view = value.view();
    match path.steps.first() {
        None => Ok(Some(value)),
        Some(PathStep::Descend(_)) => Ok(None),
        Some(PathStep::Name(_) | PathStep::All) if view.is_list() => {
            let found: Result<Vec<Datum>, Exhausted> =
                view.items().map(|item: Ref<'_>| Ok(column(path, item, work)?.unwrap_or_default())).collect();
            Ok(Some(Datum::from(found?)))
        }
        Some(_) => column(path, view, work),
    }
}

fn read(text: &str, depth: usize) -> Option<Reference> {
    let inner = text.strip_prefix('{')?.strip_suffix('}')?;
    let (condition, inner) = inner.strip_prefix('^').map_or((false, inner), |inner| (true, inner));
    if !inner.contains(['{', '}']) {
        let end = inner.find(['.', '[']).unwrap_or(inner.len());
        let odd = |c: char| c.is_whitespace() || c.is_control() || matches!(c, '"' | '\'' | '(' | ')' | ']' | ',');
        if end == 0 || inner[..end].contains(odd) {
            return None;
        }
        return Some(Reference { condition, target: Target::Known(inner[..end].to_string(), JsonPath::read(&inner[end..])?) });
    }
    if depth >= MAX_DEPTH {
        return None;
    }
    let mut pieces = Vec::new();
    let (mut from, mut open) = (0, 0u32);
    for (at, c) in inner.char_indices() {
        match c {
            '{' => {
                if open == 0 {
                    if at > from {
                        pieces.push(Piece::Text(inner[from..at].to_string()));
                    }
                    from = at;
                }
                open += 1;
            }
            '}' => {
                open = open.checked_sub(1)?;
                if open == 0 {
                    pieces.push(Piece::Inner(read(&inner[from..=at], depth + 1)?));
                    from = at + 1;
                }
            }
            c if open == 0 && c.is_whitespace() => return None,
            _ => {}
        }
    }
    if open > 0 {
        return None;
    }
    if from < inner.len() {
        pieces.push(Piece::Text(inner[from..].to_string()));
    }
    Some(Reference { condition, target: Target::Made(pieces) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{datum, json};

    struct Members(Datum);

    impl Variables for Members {
        fn variable(&self, name: &str) -> Option<Datum> {
            self.0.view().get(name).map(Ref::to_datum)
        }
    }

    fn resolved(text: &str) -> String {
        let variables = Members(datum(
            r#"{"o":{"a":{"b":{"c":"deep"}},"n":12,"z":0,"f":false,"e":"","nil":null,"l":[{"x":1},{"x":2}],"t":[]},
                "list":[{"n":"fig","q":{"r":1}},{"m":2},{"n":0}],"pick":"a","null":null,"s":"text","num":3,"k":{"{":1}}"#,
        ));
        match Reference::read(text) {
            None => "text".into(),
            Some(reference) => reference.resolve(&variables, &Work::new(1000)).unwrap().map_or("undefined".into(), |value| json(&value)),
        }
    }

    #[test]
    fn references_keep_the_kind_of_their_value() {
        for (text, expected) in [
            ("{o.a.b.c}", r#""deep""#),
            ("{o.n}", "12"),
            ("{o.z}", "0"),
            ("{o.f}", "false"),
            ("{o.e}", r#""""#),
            ("{o.nil}", "null"),
            ("{o.t}", "[]"),
            ("{o.l[1].x}", "2"),
            ("{o.l[?(@.x > 1)].x}", "2"),
            ("{o..x}", "undefined"),
            ("{o.a..c}", r#""deep""#),
            ("{o.$..x}", "[1,2]"),
            ("{o.$.n}", "12"),
            ("{list.$..r}", "[1,null,null]"),
            ("{list.n}", r#"["fig",null,0]"#),
            ("{list.q.r}", "[1,null,null]"),
            ("{list[0].n}", r#""fig""#),
            ("{o.{pick}}", r#"{"b":{"c":"deep"}}"#),
            ("{{pick}}", "undefined"),
            ("{o.l[{num}]}", "undefined"),
            ("{null}", "undefined"),
            ("{null.x}", "undefined"),
            ("{missing}", "undefined"),
            ("{s}", r#""text""#),
            ("{^s}", r#""text""#),
        ] {
            assert_eq!(resolved(text), expected, "{text}");
        }
    }

    #[test]
    fn other_text_stands_for_itself() {
        for text in ["", "{", "}", "{}", "a {s}", "{s} b", "{a b}", r#"{"a":1}"#, "{s} and {s}", "{.a}", "{a", "{{}", "{a..}", "{{a}b}}"] {
            assert_eq!(resolved(text), "text", "{text}");
        }
        assert!(Reference::read(&("{".repeat(5000) + &"}".repeat(5000))).is_none());
    }

    #[test]
    fn variables_are_those_that_are_read() {
        let variables = |text| Reference::read(text).unwrap().variables().join(" ");
        assert_eq!(variables("{a.b.c}"), "a");
        assert_eq!(variables("{a.{b.c}}"), "a b");
        assert_eq!(variables("{{a}.{b}}"), "a b");
        assert!(Reference::read("{^a}").unwrap().condition);
    }
}

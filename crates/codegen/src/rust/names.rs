//! Names of the schema as names of Rust: in the usual case, never a keyword, never twice.

use std::collections::HashSet;

/// Words that can't be raw identifiers.
const NEVER_RAW: &[&str] = &["self", "Self", "super", "crate", "_"];

/// Keywords, strict and reserved, of all editions up to 2024. They become raw identifiers of
/// fields.
const KEYWORDS: &[&str] = &[
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "do", "dyn", "else", "enum", "extern", "false",
    "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop", "macro", "match", "mod", "move", "mut", "override", "priv", "pub",
    "ref", "return", "static", "struct", "trait", "true", "try", "type", "typeof", "unsafe", "unsized", "use", "virtual", "where", "while",
    "yield",
];

/// Names of types with another meaning in generated code, or in programs that use it.
const TAKEN_TYPES: &[&str] = &[
    "Arena",
    "Box",
    "Check",
    "Clone",
    "Copy",
    "Debug",
    "Decode",
    "DecodeOwned",
    "Default",
    "Encode",
    "Eq",
    "Err",
    "Error",
    "Failed",
    "Field",
    "Form",
    "Hash",
    "Lazy",
    "None",
    "Ok",
    "Option",
    "Output",
    "Own",
    "PartialEq",
    "Read",
    "Reader",
    "Result",
    "Self",
    "Shape",
    "Some",
    "String",
    "Validate",
    "Vec",
    "Absent",
    "Primitive",
];

/// The names that are taken in one name space.
#[derive(Debug, Default)]
pub struct Scope {
    given: HashSet<String>,
}

impl Scope {
    /// Takes and returns `name` or, if it is taken, the first free one of `name2`, `name3` ….
    pub fn give(&mut self, name: &str) -> String {
        self.give_all(name, &[""])
    }

    /// Does what [`give`](Self::give) does, for a name that is used with several suffixes.
    pub fn give_all(&mut self, name: &str, endings: &[&str]) -> String {
        let mut number = 1;
        loop {
            let candidate = if number == 1 { name.to_string() } else { format!("{name}{number}") };
            if endings.iter().all(|ending| !self.given.contains(&format!("{candidate}{ending}"))) {
                self.given.extend(endings.iter().map(|ending| format!("{candidate}{ending}")));
                return candidate;
            }
            number += 1;
        }
    }
}

/// Returns the words of a name in lower case. A word ends at an underscore, and before a capital
/// after a small letter or digit.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = '_';
    for char in name.chars() {
        let starts = char.is_ascii_uppercase() && (before.is_ascii_lowercase() || before.is_ascii_digit());
        if starts || !char.is_ascii_alphanumeric() {
            words.push(String::new());
        }
        if char.is_ascii_alphanumeric() {
            words.last_mut().expect("there is one").push(char.to_ascii_lowercase());
        }
        before = char;
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Returns a name in the case of types and of cases of an enum.
pub fn camel(name: &str) -> String {
    let mut out = String::new();
    for word in words(name) {
        // Digits of one word would run into those of the next.
        if out.ends_with(|char: char| char.is_ascii_digit()) && word.starts_with(|char: char| char.is_ascii_digit()) {
            out.push('_');
        }
        out.push_str(&word[..1].to_ascii_uppercase());
        out.push_str(&word[1..]);
    }
    if out.is_empty() || out.starts_with(|char: char| char.is_ascii_digit()) {
        out.insert(0, 'X');
    }
    out
}

/// Returns the name of a type that does not hide one in scope.
pub fn type_name(name: &str) -> String {
    let name = camel(name);
    if TAKEN_TYPES.contains(&name.as_str()) || name.ends_with("Ref") { format!("{name}Type") } else { name }
}

/// Returns the name of a case of an enum.
pub fn case_name(name: &str) -> String {
    let name = camel(name);
    if name == "Self" { "Self_".into() } else { name }
}

/// Returns a name in the case of fields, not yet raw.
pub fn snake(name: &str) -> String {
    let name = words(name).join("_");
    if name.is_empty() || name.starts_with(|char: char| char.is_ascii_digit()) { format!("x{name}") } else { name }
}

/// Returns a field's name in code: raw if it is a keyword.
pub fn field_name(name: &str) -> String {
    if NEVER_RAW.contains(&name) {
        format!("{name}_")
    } else if KEYWORDS.contains(&name) {
        format!("r#{name}")
    } else {
        name.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_get_the_case_that_is_usual() {
        for (name, as_type, as_field) in [
            ("complex_rtt", "ComplexRtt", "complex_rtt"),
            ("L19", "L19", "l19"),
            ("None_", "None", "none"),
            ("FOO_BAR", "FooBar", "foo_bar"),
            ("httpPort", "HttpPort", "http_port"),
            ("x'", "X", "x"),
            ("a_1_2", "A1_2", "a_1_2"),
            ("_", "X", "x"),
            ("_9", "X9", "x9"),
        ] {
            assert_eq!((camel(name).as_str(), snake(name).as_str()), (as_type, as_field), "{name}");
        }
    }

    #[test]
    fn no_name_is_a_keyword_or_given_twice() {
        assert_eq!(field_name(&snake("match")), "r#match");
        assert_eq!(field_name(&snake("self")), "self_");
        assert_eq!(case_name("self"), "Self_");
        assert_eq!(type_name("result"), "ResultType");
        let mut scope = Scope::default();
        assert_eq!([scope.give("a"), scope.give("a"), scope.give("a2"), scope.give("a")], ["a", "a2", "a22", "a3"]);
        assert_eq!([scope.give_all("T", &["", "Ref"]), scope.give_all("T", &["", "Ref"])], ["T", "T2"]);
    }
}

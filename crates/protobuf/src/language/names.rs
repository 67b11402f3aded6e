//! Names of other languages as Protobuf identifiers.

use std::collections::HashSet;

/// Names that are taken in one scope.
#[derive(Debug, Default)]
pub struct Names {
    taken: HashSet<String>,
}

impl Names {
    /// Returns whether the name is taken.
    pub fn has(&self, name: &str) -> bool {
        self.taken.contains(name)
    }

    /// Takes a free name like `wish`: `wish` itself, or with a number behind it.
    pub fn take(&mut self, wish: &str) -> String {
        let mut name = wish.to_string();
        let mut number = 2;
        while !self.taken.insert(name.clone()) {
            name = format!("{wish}_{number}");
            number += 1;
        }
        name
    }
}

/// Returns a name as an identifier: `name` if it is one, else with `_` for letters that are not
/// allowed.
pub fn identifier(name: &str, otherwise: &str) -> String {
    let mut letters: String = name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' }).collect();
    if letters.bytes().all(|byte| byte == b'_') {
        letters = otherwise.to_string();
    }
    if letters.starts_with(|c: char| c.is_ascii_digit()) {
        letters.insert(0, '_');
    }
    letters
}

/// Returns the name of a type without a name of its own: `UnitPrice` for the field `unit_price`.
pub fn ty(name: &str) -> String {
    let mut out = String::new();
    let mut upper = true;
    for c in identifier(name, "Value").chars() {
        if c == '_' {
            upper = true;
        } else {
            out.push(if upper { c.to_ascii_uppercase() } else { c });
            upper = false;
        }
    }
    identifier(&out, "Value")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_identifiers() {
        let mut names = Names::default();
        for (name, own) in [("a-b", "a_b"), ("a_b", "a_b_2"), ("2nd", "_2nd"), ("§", "x"), ("a.b", "a_b_3")] {
            assert_eq!(names.take(&identifier(name, "x")), own);
        }
        assert_eq!((ty("unit_price"), ty("3d"), ty("§")), ("UnitPrice".into(), "3d".to_string().replace("3d", "_3d"), "Value".into()));
    }
}

//! Names of other languages as names of ASN.1 (X.680 12.2 and 12.3).

use std::collections::HashSet;

use crate::lex::KEYWORDS;

/// Names in use in one name space.
#[derive(Debug, Default)]
pub struct Names {
    taken: HashSet<String>,
}

impl Names {
    /// Returns a unique name: `wish` itself, or `wish` with a number behind it.
    pub fn take(&mut self, wish: String) -> String {
        if !KEYWORDS.contains(&wish.as_str()) && self.taken.insert(wish.clone()) {
            return wish;
        }
        let mut number = 2;
        loop {
            let name = format!("{wish}-{number}");
            if self.taken.insert(name.clone()) {
                return name;
            }
            number += 1;
        }
    }
}

/// Replaces the characters that names do not have by single hyphens.
fn letters(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for letter in name.chars() {
        if letter.is_ascii_alphanumeric() {
            out.push(letter);
        } else if !out.is_empty() && !out.ends_with('-') {
            out.push('-');
        }
    }
    out.truncate(out.trim_end_matches('-').len());
    out
}

/// Returns the name of a component, alternative, enumerator or bit: `name` itself if it is valid.
pub fn identifier(name: &str) -> String {
    let letters = letters(name);
    match letters.chars().next() {
        None => "field".into(),
        Some(first) if first.is_ascii_digit() => format!("n{letters}"),
        // A name of upper-case letters only becomes lower case as a whole.
        Some(_) if letters.len() > 1 && !letters.bytes().any(|byte| byte.is_ascii_lowercase()) => letters.to_ascii_lowercase(),
        Some(first) => format!("{}{}", first.to_ascii_lowercase(), &letters[1..]),
    }
}

/// Returns the name of a type: `name` itself if it is valid.
pub fn reference(name: &str) -> String {
    let letters = letters(name);
    match letters.chars().next() {
        None => "Type".into(),
        Some(first) if first.is_ascii_digit() => format!("N{letters}"),
        Some(first) => format!("{}{}", first.to_ascii_uppercase(), &letters[1..]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_valid() {
        for (name, expected) in [
            ("id", "id"),
            ("goods-name", "goods-name"),
            ("goods_name", "goods-name"),
            ("Name", "name"),
            ("OPEN_FOR_ALL", "open-for-all"),
            ("A", "a"),
            ("a--b-", "a-b"),
            ("1x", "n1x"),
            ("", "field"),
            ("日本", "field"),
        ] {
            assert_eq!(identifier(name), expected, "{name}");
        }
        for (name, expected) in [("Voucher", "Voucher"), ("shop.Order", "Shop-Order"), ("item", "Item"), ("9", "N9"), ("_", "Type")] {
            assert_eq!(reference(name), expected, "{name}");
        }
        let mut names = Names::default();
        let wishes = ["A", "A", "A-2", "SEQUENCE"];
        assert_eq!(wishes.map(|wish| names.take(wish.into())), ["A", "A-2", "A-2-2", "SEQUENCE-2"]);
    }
}

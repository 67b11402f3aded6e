//! Names of other languages as extprot identifiers.

use std::collections::HashSet;

use crate::protocol::lex::is_reserved;

/// Names in use in one name space.
#[derive(Debug, Default)]
pub struct Names {
    taken: HashSet<String>,
}

impl Names {
    /// Returns a unique name: `wish` itself, or `wish` with a number appended.
    pub fn take(&mut self, wish: String) -> String {
        if !is_reserved(&wish) && self.taken.insert(wish.clone()) {
            return wish;
        }
        let mut number = if is_reserved(&wish) { 1 } else { 2 };
        loop {
            let name = if number == 1 { format!("{wish}_") } else { format!("{wish}_{number}") };
            if self.taken.insert(name.clone()) {
                return name;
            }
            number += 1;
        }
    }
}

/// Replaces characters that identifiers do not allow by `_`.
fn letters(name: &str) -> String {
    let letters: String = name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' }).collect();
    // A name of replaced characters only is useless.
    if letters.bytes().all(|byte| byte == b'_') && !name.bytes().all(|byte| byte == b'_') { String::new() } else { letters }
}

/// Returns the name of a field: `name` itself if it is valid.
pub fn field(name: &str) -> String {
    let letters = letters(name);
    match letters.as_bytes().first() {
        None => "field".into(),
        Some(b'a'..=b'z' | b'_') => letters,
        Some(b'A'..=b'Z') => lower_first(&letters),
        Some(_) => format!("_{letters}"),
    }
}

/// Returns the name of a constructor or variant: `name` itself if it is valid.
pub fn case(name: &str) -> String {
    let letters = letters(name);
    let letters = letters.trim_start_matches('_');
    match letters.chars().next() {
        None => "Case".into(),
        Some(first) if first.is_ascii_alphabetic() => format!("{}{}", first.to_ascii_uppercase(), &letters[1..]),
        Some(_) => format!("N{letters}"),
    }
}

/// Returns the name of a type: words in lower case, joined by `_`.
pub fn ty(name: &str) -> String {
    let mut out = String::new();
    let mut last = '_';
    for letter in letters(name).chars() {
        if letter.is_ascii_uppercase() && (last.is_ascii_lowercase() || last.is_ascii_digit()) {
            out.push('_');
        }
        if letter != '_' || last != '_' {
            out.push(letter.to_ascii_lowercase());
        }
        last = letter;
    }
    let out = out.trim_matches('_');
    match out.as_bytes().first() {
        None => "value".into(),
        Some(b'a'..=b'z') => out.into(),
        Some(_) => format!("t{out}"),
    }
}

fn lower_first(name: &str) -> String {
    format!("{}{}", name[..1].to_ascii_lowercase(), &name[1..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_identifiers() {
        for (name, expected) in [
            ("id", "id"),
            ("goodsName", "goodsName"),
            ("Name", "name"),
            ("a-b", "a_b"),
            ("1x", "_1x"),
            ("", "field"),
            ("日本", "field"),
            ("_", "_"),
        ] {
            assert_eq!(field(name), expected, "{name}");
        }
        for (name, expected) in [("open", "Open"), ("Open", "Open"), ("_x", "X"), ("3d", "N3d"), ("", "Case"), ("-", "Case")] {
            assert_eq!(case(name), expected, "{name}");
        }
        for (name, expected) in [
            ("Voucher", "voucher"),
            ("SearchReply", "search_reply"),
            ("a.b.C", "a_b_c"),
            ("HTTPHead", "httphead"),
            ("", "value"),
            ("9", "t9"),
        ] {
            assert_eq!(ty(name), expected, "{name}");
        }
        let mut names = Names::default();
        assert_eq!(
            ["a", "a", "a_2", "a", "type", "type"].map(|wish| names.take(wish.into())),
            ["a", "a_2", "a_2_2", "a_3", "type_", "type_2"]
        );
    }
}

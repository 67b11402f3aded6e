//! Names of tables, parameters and files: valid, unique, bounded.

use std::collections::HashSet;

/// The longest name that is made, in bytes. File systems have room for 255.
const LONGEST: usize = 120;

/// The names that file systems of Windows keep for devices.
const DEVICES: [&str; 6] = ["con", "prn", "aux", "nul", "com", "lpt"];

/// The names that were given so far, whatever their letter case: some file systems don't see it.
#[derive(Debug, Default)]
pub struct Names(HashSet<String>);

impl Names {
    /// Returns true for a name that was given.
    pub fn has(&self, name: &str) -> bool {
        self.0.contains(&name.to_ascii_lowercase())
    }

    /// Returns a name that was not given before: `wanted`, perhaps with a number behind it.
    pub fn unique(&mut self, wanted: String) -> String {
        let mut name = wanted.clone();
        let mut count = 1;
        while !self.0.insert(name.to_ascii_lowercase()) {
            count += 1;
            name = format!("{wanted}_{count}");
        }
        name
    }
}

/// Returns a word of the language: letters, digits and `_`, beginning with a letter.
///
/// ```
/// use polywire_import::names::word;
///
/// assert_eq!(word("per-page", "p"), "per_page");
/// assert_eq!(word("2fa", "p"), "p2fa");
/// assert_eq!(word("../..", "p"), "p");
/// ```
pub fn word(text: &str, otherwise: &str) -> String {
    let mut made = String::new();
    for letter in text.chars() {
        match letter {
            letter if letter.is_ascii_alphanumeric() => made.push(letter),
            _ if made.is_empty() || made.ends_with('_') => {}
            _ => made.push('_'),
        }
        if made.len() >= LONGEST / 2 {
            break;
        }
    }
    made.truncate(made.trim_end_matches('_').len());
    if !made.starts_with(|first: char| first.is_ascii_alphabetic()) {
        made.insert_str(0, otherwise);
    }
    made
}

/// Returns the name of a table, of the parts of a path or of a full name.
pub fn table<'p>(prefix: Option<&'p str>, parts: impl IntoIterator<Item = &'p str>) -> String {
    let mut name = String::new();
    let words = prefix.into_iter().flat_map(|prefix| prefix.split('.')).chain(parts);
    for part in words.filter(|part| part.chars().any(|letter| letter.is_ascii_alphanumeric())) {
        let part = word(part, "t");
        if name.len() + part.len() >= LONGEST {
            break;
        }
        if !name.is_empty() {
            name.push('.');
        }
        name.push_str(&part);
    }
    if name.is_empty() { "root".to_owned() } else { name }
}

/// Returns the name of a table's file, without an extension: no device's name, no hidden file.
pub fn file(table: &str) -> String {
    let first = table.split('.').next().unwrap_or_default().to_ascii_lowercase();
    let stem = first.trim_end_matches(|last: char| last.is_ascii_digit());
    if DEVICES.contains(&stem) { format!("table.{table}") } else { table.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_valid_and_bounded() {
        assert_eq!(table(None, ["repos", "{owner}", "pull-requests"]), "repos.owner.pull_requests");
        assert_eq!(table(Some("git.hub"), ["..", "/etc/passwd", "\0"]), "git.hub.etc_passwd");
        assert_eq!(table(None, ["", "é"]), "root");
        assert!(table(None, std::iter::repeat_n("abcdefgh", 100)).len() < LONGEST);
        assert!(word(&"a".repeat(1000), "p").len() < LONGEST);
        assert_eq!((file("NUL.x"), file("com1"), file("console")), ("table.NUL.x".into(), "table.com1".into(), "console".into()));
    }

    #[test]
    fn names_are_given_once() {
        let mut names = Names::default();
        let given = ["a", "A", "a", "a_2"].map(|name| names.unique(name.to_owned()));
        assert_eq!(given, ["a", "A_2", "a_3", "a_2_2"]);
    }
}

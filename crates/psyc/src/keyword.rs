//! Keywords: inheritance, matching, and tables (docs/spec/psyc.md 12.1 and 12.4).

/// The relation of a short keyword to a long one, numbered as in docs/spec/psyc.md 12.1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// 0: the long one inherits from the short one, or matches it.
    Yes,
    /// 1: it does not.
    No,
    /// -2: one of them is empty or does not begin with `_`.
    NoKeyword,
    /// -3: the short one is longer than the long one.
    Longer,
    /// -4: the long one starts with the short one, but not with its last word; or, matching, they
    /// are of one length and differ.
    Differs,
}

impl Relation {
    /// Returns the number of docs/spec/psyc.md 12.1.
    pub const fn number(self) -> i32 {
        match self {
            Relation::Yes => 0,
            Relation::No => 1,
            Relation::NoKeyword => -2,
            Relation::Longer => -3,
            Relation::Differs => -4,
        }
    }
}

/// Makes the test that both functions begin with.
fn comparable(short: &[u8], long: &[u8]) -> Option<Relation> {
    if short.first() != Some(&b'_') || long.first() != Some(&b'_') {
        Some(Relation::NoKeyword)
    } else if short.len() > long.len() {
        Some(Relation::Longer)
    } else {
        None
    }
}

/// Returns whether `long` inherits from `short`: it is `short`, or `short` followed by further
/// words.
///
/// ```
/// use polywire_psyc::keyword::{Relation, inherits};
///
/// assert_eq!(inherits(b"_notice", b"_notice_update"), Relation::Yes);
/// assert_eq!(inherits(b"_not", b"_notice"), Relation::Differs);
/// ```
pub fn inherits(short: &[u8], long: &[u8]) -> Relation {
    if let Some(relation) = comparable(short, long) {
        return relation;
    }
    match long.strip_prefix(short) {
        None => Relation::No,
        Some([] | [b'_', ..]) => Relation::Yes,
        Some(_) => Relation::Differs,
    }
}

/// Returns whether the words of `short` occur in `long` in the same order, with or without other
/// words between them.
///
/// A word follows each `_`, and words are compared whole. An empty word, which
/// docs/spec/psyc.md 12.1 leaves open, is a word like others.
pub fn matches(short: &[u8], long: &[u8]) -> Relation {
    if let Some(relation) = comparable(short, long) {
        return relation;
    }
    if short.len() == long.len() {
        return if short == long { Relation::Yes } else { Relation::Differs };
    }
    let mut of_long = words(long);
    if words(short).all(|word| of_long.any(|other| other == word)) { Relation::Yes } else { Relation::No }
}

/// Returns the words of a keyword, without their underscores. Bytes before the first underscore
/// belong to no word.
///
/// ```
/// assert!(polywire_psyc::keyword::words(b"_notice_update").eq([&b"notice"[..], b"update"]));
/// ```
pub fn words(keyword: &[u8]) -> impl Iterator<Item = &[u8]> {
    keyword.split(|byte| *byte == b'_').skip(1)
}

/// Returns a keyword and all it inherits from, longest first. Bytes that do not begin with `_` have
/// only themselves.
///
/// ```
/// let names: Vec<&[u8]> = polywire_psyc::keyword::lineage(b"_notice_update_fast").collect();
/// assert_eq!(names, [&b"_notice_update_fast"[..], b"_notice_update", b"_notice"]);
/// ```
pub fn lineage(keyword: &[u8]) -> impl Iterator<Item = &[u8]> {
    core::iter::successors(Some(keyword), |name| parent(name))
}

/// Returns the keyword without its last word. Returns `None` if that is its only one.
pub fn parent(keyword: &[u8]) -> Option<&[u8]> {
    if keyword.first() != Some(&b'_') {
        return None;
    }
    match memchr::memrchr(b'_', keyword) {
        Some(0) | None => None,
        Some(at) => Some(&keyword[..at]),
    }
}

/// Returns the result of `known` for a name or, failing that, for the longest keyword that it
/// inherits from.
///
/// ```
/// use std::collections::BTreeMap;
///
/// let known = BTreeMap::from([(&b"_notice"[..], 1), (b"_notice_update", 2)]);
/// assert_eq!(polywire_psyc::keyword::resolve(b"_notice_update_fast", |name| known.get(name)), Some(&2));
/// ```
pub fn resolve<T>(name: &[u8], mut known: impl FnMut(&[u8]) -> Option<T>) -> Option<T> {
    lineage(name).find_map(&mut known)
}

/// Returns whether bytes can be looked up in tables: two of them at least, the first `_`.
fn can_be_looked_up(name: &[u8]) -> bool {
    name.len() >= 2 && name[0] == b'_'
}

/// A table whose keys ascend, byte by byte. A lookup takes a binary search for each word of the
/// name.
#[derive(Debug, Clone, Copy)]
pub struct Table<'t, T> {
    entries: &'t [(&'t [u8], T)],
}

impl<'t, T> Table<'t, T> {
    /// Returns a table of entries whose keys ascend strictly. Returns `None` if they do not.
    pub fn new(entries: &'t [(&'t [u8], T)]) -> Option<Table<'t, T>> {
        entries.windows(2).all(|pair| pair[0].0 < pair[1].0).then_some(Table { entries })
    }

    /// Returns its entries, in order.
    pub const fn entries(&self) -> &'t [(&'t [u8], T)] {
        self.entries
    }

    /// Returns the entry with exactly this name.
    pub fn get(&self, name: &[u8]) -> Option<&'t T> {
        if !can_be_looked_up(name) {
            return None;
        }
        let found = self.entries.binary_search_by(|(key, _)| (*key).cmp(name)).ok()?;
        Some(&self.entries[found].1)
    }

    /// Returns the entry of the name, or of the longest keyword with an entry that it inherits
    /// from.
    pub fn inherited(&self, name: &[u8]) -> Option<&'t T> {
        if !can_be_looked_up(name) {
            return None;
        }
        resolve(name, |name| self.get(name))
    }
}

/// Looks a name up in a table of any order (docs/spec/psyc.md 12.4). Returns the entry with exactly
/// this name or, if `inherit` is set, the first one in order that the name inherits from.
///
/// In a table with longer keys before their prefixes, that is the longest.
pub fn lookup<'t, T>(entries: impl IntoIterator<Item = (&'t [u8], T)>, name: &[u8], inherit: bool) -> Option<T> {
    if !can_be_looked_up(name) {
        return None;
    }
    let mut first = None;
    for (key, value) in entries {
        if key == name {
            return Some(value);
        }
        if inherit && first.is_none() && key.len() >= 2 && inherits(key, name) == Relation::Yes {
            first = Some(value);
        }
    }
    first
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn section_12_1() {
        for (short, long, inherited, matched) in [
            ("_notice", "_notice", 0, 0),
            ("_notice", "_notice_update", 0, 0),
            ("_not", "_notice", -4, 1),
            ("_b", "_a_b", 1, 0),
            ("_b", "_bc", -4, 1),
            ("_c_a", "_a_b_c", 1, 1),
            ("_a_a", "_a_b", 1, -4),
            ("_a_a", "_a_b_c", 1, 1),
            ("_a_c", "_a_b_c", 1, 0),
            ("", "_a", -2, -2),
            ("_a", "", -2, -2),
            ("a", "_a", -2, -2),
            ("_a_b", "_a", -3, -3),
        ] {
            assert_eq!(inherits(short.as_bytes(), long.as_bytes()).number(), inherited, "{short} {long}");
            assert_eq!(matches(short.as_bytes(), long.as_bytes()).number(), matched, "{short} {long}");
        }
    }

    #[test]
    fn exact_entries_win_and_then_the_first() {
        let entries = [(&b"_a"[..], 1), (b"_a_b", 2), (b"_a_b_c", 3)];
        assert_eq!(lookup(entries, b"_a_b", true), Some(2));
        assert_eq!(lookup(entries, b"_a_b_x", true), Some(1));
        assert_eq!(lookup(entries, b"_a_b_x", false), None);
        assert_eq!(lookup(entries, b"_", true), None);
        let table = Table::new(&entries).expect("in order");
        assert_eq!((table.inherited(b"_a_b_x"), table.get(b"_a_b_x"), table.inherited(b"_b")), (Some(&2), None, None));
        assert_eq!((table.inherited(b""), table.inherited(b"_"), table.inherited(b"a_b")), (None, None, None));
        assert!(Table::new(&[(&b"_b"[..], 1), (b"_a", 2)]).is_none());
    }
}

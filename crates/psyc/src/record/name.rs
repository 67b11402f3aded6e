//! Names of any characters as keywords, and back.
//!
//! A name that is letters, digits and single underscores within is the keyword with an underscore before it. Any other byte is two
//! underscores and two hexadecimal digits. A keyword that no name has is a name that starts with `~`.

use std::borrow::Cow;

use super::words;
use crate::wire::is_keyword;

/// Marks names that are keywords as they stand.
const RAW: u8 = b'~';

/// Where a keyword stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// The name of a variable, a type, a case.
    Name,
    /// A method. The empty name is no method at all.
    Method,
}

/// Appends the keyword of a name.
pub(crate) fn put(name: &str, place: Place, out: &mut Vec<u8>) {
    let bytes = name.as_bytes();
    if let [RAW, keyword @ ..] = bytes
        && is_keyword(keyword)
        && !words::is_own(keyword)
        && plain(keyword, place).is_none()
    {
        out.extend_from_slice(keyword);
        return;
    }
    put_escaped(bytes, out);
}

/// The same, with the first letter escaped, so that the keyword has no other meaning.
pub(crate) fn put_masked(name: &str, out: &mut Vec<u8>) {
    if let [first, rest @ ..] = name.as_bytes() {
        out.push(b'_');
        hex(*first, out);
        put_rest(rest, out);
    } else {
        out.push(b'_');
    }
}

fn put_escaped(name: &[u8], out: &mut Vec<u8>) {
    out.push(b'_');
    match name {
        [b'_', rest @ ..] => {
            hex(b'_', out);
            put_rest(rest, out);
        }
        all => put_rest(all, out),
    }
}

fn put_rest(bytes: &[u8], out: &mut Vec<u8>) {
    for (n, byte) in bytes.iter().enumerate() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => out.push(*byte),
            // An underscore before another, or before an escape, would be taken for the start of one.
            b'_' if bytes.get(n + 1).is_none_or(u8::is_ascii_alphanumeric) => out.push(b'_'),
            other => hex(*other, out),
        }
    }
}

fn hex(byte: u8, out: &mut Vec<u8>) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    out.extend_from_slice(&[b'_', b'_', DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]);
}

/// The name of a keyword.
pub(crate) fn of(keyword: &[u8], place: Place) -> Cow<'_, str> {
    plain(keyword, place).unwrap_or_else(|| {
        let mut name = String::from(RAW as char);
        // Keywords are ASCII.
        name.extend(keyword.iter().map(|byte| *byte as char));
        Cow::Owned(name)
    })
}

/// The name whose keyword this is, if there is one.
pub(crate) fn plain(keyword: &[u8], place: Place) -> Option<Cow<'_, str>> {
    let [b'_', rest @ ..] = keyword else { return None };
    if rest.is_empty() {
        return (place == Place::Name).then_some(Cow::Borrowed(""));
    }
    if !rest.starts_with(b"_") && !rest.windows(2).any(|pair| pair == b"__") {
        return std::str::from_utf8(rest).ok().map(Cow::Borrowed);
    }
    let mut bytes = Vec::with_capacity(rest.len());
    let mut rest = rest;
    loop {
        match rest {
            [] => break,
            [b'_', b'_', high, low, after @ ..] => {
                let digit = |byte: u8| match byte {
                    b'0'..=b'9' => Some(byte - b'0'),
                    b'a'..=b'f' => Some(byte - b'a' + 10),
                    _ => None,
                };
                bytes.push(digit(*high)? << 4 | digit(*low)?);
                rest = after;
            }
            [byte, after @ ..] => {
                bytes.push(*byte);
                rest = after;
            }
        }
    }
    let name = String::from_utf8(bytes).ok()?;
    // One keyword per name, the one that is written; or one with its first letter masked, where that says something.
    let mut again = Vec::with_capacity(keyword.len());
    put(&name, place, &mut again);
    if again != keyword {
        again.clear();
        put_masked(&name, &mut again);
        if again != keyword || !words::is_ambiguous(&name) {
            return None;
        }
    }
    Some(Cow::Owned(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keyword(name: &str, place: Place) -> String {
        let mut out = Vec::new();
        put(name, place, &mut out);
        assert!(is_keyword(&out), "{name:?}");
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn names_are_keywords() {
        for (name, expected) in [
            ("name", "_name"),
            ("shift_number", "_shift_number"),
            ("", "_"),
            ("a b", "_a__20b"),
            ("_id", "___5fid"),
            ("a__b", "_a__5f_b"),
            ("a_", "_a_"),
            ("a_ ", "_a__5f__20"),
            ("#text", "___23text"),
            ("ä", "___c3__a4"),
            ("~c", "c"),
            ("~_c", "___7e_c"),
            ("~", "___7e"),
        ] {
            assert_eq!(keyword(name, Place::Name), expected, "{name:?}");
            assert_eq!(of(expected.as_bytes(), Place::Name), name, "{expected}");
        }
    }

    #[test]
    fn every_name_and_every_keyword_comes_back() {
        let mut rng = fastrand::Rng::with_seed(3);
        let parts = ["_", "__", "a", "7e", "5f", "~", "c", "20", " ", "ä", "list", "text", "pair", "data", "value"];
        for place in [Place::Name, Place::Method] {
            for _ in 0..20_000 {
                let name: String = (0..rng.usize(1..7)).map(|_| parts[rng.usize(..parts.len())]).collect();
                assert_eq!(of(keyword(&name, place).as_bytes(), place), name);
                let mut masked = Vec::new();
                put_masked(&name, &mut masked);
                if words::is_ambiguous(&name) {
                    assert_eq!(of(&masked, place), name);
                }
                let word: String = name.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
                if !word.is_empty() && !words::is_own(word.as_bytes()) {
                    let name = of(word.as_bytes(), place).into_owned();
                    let again = keyword(&name, place);
                    assert!(again == word || words::is_ambiguous(&name), "{word} is {name:?} is {again}");
                }
            }
        }
    }
}

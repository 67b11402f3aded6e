//! Names of any characters as keywords, and back.
//!
//! A name that is letters, digits and single underscores within is the keyword with an underscore
//! before it. Any other byte is two underscores and two hexadecimal digits. A keyword that no name
//! has is a name that starts with `~`.

use polywire_core::Str;

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
        && matches!(plain(keyword, place, &mut Room::default()), Plain::None)
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
            // An underscore before another, or before an escape, would be taken for the start of
            // one.
            b'_' if bytes.get(n + 1).is_none_or(u8::is_ascii_alphanumeric) => out.push(b'_'),
            other => hex(*other, out),
        }
    }
}

fn hex(byte: u8, out: &mut Vec<u8>) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    out.extend_from_slice(&[b'_', b'_', DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]);
}

/// Room for names that are no part of the message, used from name to name.
#[derive(Debug, Default)]
pub(crate) struct Room {
    name: String,
    keyword: Vec<u8>,
}

/// Returns the name of a keyword.
pub(crate) fn of<'k, 'r>(keyword: &'k [u8], place: Place, room: &'r mut Room) -> Str<'k, 'r, str> {
    match plain(keyword, place, room) {
        Plain::Input(name) => Str::Input(name),
        Plain::Room => Str::Scratch(&room.name),
        Plain::None => {
            room.name.clear();
            room.name.push(RAW as char);
            // Keywords are ASCII.
            room.name.extend(keyword.iter().map(|byte| *byte as char));
            Str::Scratch(&room.name)
        }
    }
}

/// The name whose keyword this is.
enum Plain<'k> {
    /// A part of the keyword.
    Input(&'k str),
    /// In the room.
    Room,
    /// There is none.
    None,
}

fn plain<'k>(keyword: &'k [u8], place: Place, room: &mut Room) -> Plain<'k> {
    let [b'_', rest @ ..] = keyword else { return Plain::None };
    if rest.is_empty() {
        return if place == Place::Name { Plain::Input("") } else { Plain::None };
    }
    if !rest.starts_with(b"_") && !rest.windows(2).any(|pair| pair == b"__") {
        return std::str::from_utf8(rest).map_or(Plain::None, Plain::Input);
    }
    let mut bytes = std::mem::take(&mut room.name).into_bytes();
    bytes.clear();
    let decoded = unescape(rest, &mut bytes);
    match String::from_utf8(bytes) {
        Ok(name) => room.name = name,
        Err(error) => {
            // Its room is kept, without what is no name.
            let mut bytes = error.into_bytes();
            bytes.clear();
            room.name = String::from_utf8(bytes).unwrap_or_default();
            return Plain::None;
        }
    }
    if !decoded {
        return Plain::None;
    }
    // One keyword per name, the one that is written; or one with its first letter masked, where
    // that says something.
    let again = &mut room.keyword;
    again.clear();
    put(&room.name, place, again);
    if again != keyword {
        again.clear();
        put_masked(&room.name, again);
        if again != keyword || !words::is_ambiguous(&room.name) {
            return Plain::None;
        }
    }
    Plain::Room
}

/// Appends the bytes of an escaped name. False if an escape is none.
fn unescape(mut rest: &[u8], bytes: &mut Vec<u8>) -> bool {
    let digit = |byte: u8| match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        _ => None,
    };
    loop {
        match rest {
            [] => return true,
            [b'_', b'_', high, low, after @ ..] => {
                let (Some(high), Some(low)) = (digit(*high), digit(*low)) else { return false };
                bytes.push(high << 4 | low);
                rest = after;
            }
            [byte, after @ ..] => {
                bytes.push(*byte);
                rest = after;
            }
        }
    }
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

    fn named(keyword: &[u8], place: Place) -> String {
        of(keyword, place, &mut Room::default()).get().to_string()
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
            assert_eq!(named(expected.as_bytes(), Place::Name), name, "{expected}");
        }
    }

    #[test]
    fn every_name_and_every_keyword_comes_back() {
        let mut rng = fastrand::Rng::with_seed(3);
        let parts = ["_", "__", "a", "7e", "5f", "~", "c", "20", " ", "ä", "list", "text", "pair", "data", "value"];
        for place in [Place::Name, Place::Method] {
            for _ in 0..20_000 {
                let name: String = (0..rng.usize(1..7)).map(|_| parts[rng.usize(..parts.len())]).collect();
                assert_eq!(named(keyword(&name, place).as_bytes(), place), name);
                let mut masked = Vec::new();
                put_masked(&name, &mut masked);
                if words::is_ambiguous(&name) {
                    assert_eq!(named(&masked, place), name);
                }
                let word: String = name.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
                if !word.is_empty() && !words::is_own(word.as_bytes()) {
                    let name = named(word.as_bytes(), place);
                    let again = keyword(&name, place);
                    assert!(again == word || words::is_ambiguous(&name), "{word} is {name:?} is {again}");
                }
            }
        }
    }
}

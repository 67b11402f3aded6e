//! Compact JSON text with the names of all objects in order.

use std::borrow::Cow;
use std::ops::Range;

use polywire_core::{Error, Result};
use polywire_json::cursor::{Cursor, Text};
use polywire_json::string::{Short, plain_end, string_of_utf8};

/// Appends `compact`, the text of one message, with the names of each object in the order of their
/// UTF-16 code units (RFC 8785 3.2.3), and with the escapes of RFC 8785 3.2.2.2. Returns the number
/// of entries that are left out, since an earlier one of the object has their name: RFC 8785 3.1
/// takes RFC 7493, where that is a mistake.
///
/// Time is that of sorting, and memory is linear in the text.
pub(super) fn put(compact: &str, out: &mut Vec<u8>) -> Result<usize> {
    let objects = Objects::of(compact)?;
    let bytes = compact.as_bytes();
    let mut around: Vec<Around> = Vec::new();
    let (mut at, mut end) = (0, bytes.len());
    loop {
        while at < end {
            match bytes[at] {
                b'"' => {
                    let after = string_end(bytes, at + 1);
                    string(&bytes[at..after], out);
                    at = after;
                }
                b'{' => {
                    let object = objects.at(at)?;
                    out.push(b'{');
                    around.push(Around { entries: object.entries.clone(), after: object.end, end });
                    (at, end) = (0, 0);
                }
                byte => {
                    out.push(byte);
                    at += 1;
                }
            }
        }
        let Some(object) = around.last_mut() else { return Ok(objects.dropped) };
        match object.entries.next() {
            Some(entry) => {
                if out.last() != Some(&b'{') {
                    out.push(b',');
                }
                let entry = &objects.entries[entry];
                string(&bytes[entry.name.clone()], out);
                out.push(b':');
                (at, end) = (entry.value.start, entry.value.end);
            }
            None => {
                out.push(b'}');
                (at, end) = (object.after, object.end);
                around.pop();
            }
        }
    }
}

/// An object whose entries are being written.
struct Around {
    /// The entries that follow.
    entries: Range<usize>,
    /// Place after the object, and the end of the text that it stands in.
    after: usize,
    end: usize,
}

/// All objects of a text, in the order in which they start.
struct Objects {
    objects: Vec<Object>,
    /// The entries of one object stand together, in order.
    entries: Vec<Entry>,
    /// Entries that are left out.
    dropped: usize,
}

struct Object {
    start: usize,
    end: usize,
    entries: Range<usize>,
}

struct Entry {
    /// Place of the name, with its quotes.
    name: Range<usize>,
    value: Range<usize>,
}

impl Objects {
    fn of(compact: &str) -> Result<Objects> {
        let bytes = compact.as_bytes();
        let mut all = Objects { objects: Vec::new(), entries: Vec::new(), dropped: 0 };
        // Entries of objects that are open, and for each open container its object's index and the
        // number of entries before its own.
        let mut pending: Vec<Entry> = Vec::new();
        let mut open: Vec<Option<(usize, usize)>> = Vec::new();
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            match byte {
                b'{' => {
                    open.push(Some((all.objects.len(), pending.len())));
                    all.objects.push(Object { start: at, end: at, entries: 0..0 });
                }
                b'[' => open.push(None),
                b']' => {
                    open.pop();
                }
                b'}' => {
                    let Some(Some((object, first))) = open.pop() else { return Err(broken()) };
                    if let Some(last) = pending[first..].last_mut() {
                        last.value.end = at;
                    }
                    let start = all.entries.len();
                    let mut named: Vec<(Cow<'_, str>, Entry)> =
                        pending.drain(first..).map(|entry| (unescaped(&compact[entry.name.clone()]), entry)).collect();
                    // UTF-16 differs from UTF-8 only where a character beyond U+FFFF meets one from
                    // U+E000 on.
                    named.sort_by(|(one, _), (other, _)| one.encode_utf16().cmp(other.encode_utf16()));
                    let count = named.len();
                    named.dedup_by(|(later, _), (first, _)| later == first);
                    all.dropped += count - named.len();
                    all.entries.extend(named.into_iter().map(|(_, entry)| entry));
                    all.objects[object].entries = start..all.entries.len();
                    all.objects[object].end = at + 1;
                }
                b'"' => {
                    let end = string_end(bytes, at + 1);
                    let opened = matches!(bytes.get(at.wrapping_sub(1)), Some(b'{' | b','));
                    if let (Some(Some((_, first))), true) = (open.last(), opened) {
                        if let Some(before) = pending[*first..].last_mut() {
                            before.value.end = at - 1;
                        }
                        pending.push(Entry { name: at..end, value: end + 1..end + 1 });
                    }
                    at = end;
                    continue;
                }
                _ => {}
            }
            at += 1;
        }
        if open.is_empty() { Ok(all) } else { Err(broken()) }
    }

    /// Returns the object that starts at `at`.
    fn at(&self, at: usize) -> Result<&Object> {
        let index = self.objects.binary_search_by_key(&at, |object| object.start).map_err(|_| broken())?;
        Ok(&self.objects[index])
    }
}

/// Returns the characters of a string in quotes.
fn unescaped(quoted: &str) -> Cow<'_, str> {
    let mut scratch = String::new();
    match (Cursor { text: quoted, at: 1 }).string(&mut scratch) {
        Ok(Text::Plain(name)) => Cow::Borrowed(name),
        _ => Cow::Owned(scratch),
    }
}

/// Appends a string of the JSON writer with the short escapes that it does not use.
fn string(quoted: &[u8], out: &mut Vec<u8>) {
    if !quoted.contains(&b'\\') {
        return out.extend_from_slice(quoted);
    }
    match std::str::from_utf8(quoted) {
        Ok(text) => string_of_utf8(out, unescaped(text).as_bytes(), Short::All),
        Err(_) => out.extend_from_slice(quoted),
    }
}

/// Returns the place after the string whose contents start at `at`.
fn string_end(text: &[u8], mut at: usize) -> usize {
    loop {
        at = plain_end(text, at);
        match text.get(at) {
            Some(b'\\') => at += 2,
            _ => return (at + 1).min(text.len()),
        }
    }
}

#[cold]
fn broken() -> Error {
    Error::internal("JSON text with brackets that do not match").format_is(super::NAME)
}

#[cfg(test)]
mod tests {
    use super::put;

    #[test]
    fn names_are_in_order_on_all_levels() {
        for (text, expected) in [
            ("{}", "{}"),
            ("12", "12"),
            (r#"[{"b":1,"a":{"d":[{}],"c":"{\"x\":"}},[]]"#, r#"[{"a":{"c":"{\"x\":","d":[{}]},"b":1},[]]"#),
            // A character beyond U+FFFF comes before U+FB33 in UTF-16 (RFC 8785 3.2.3).
            ("{\"\u{fb33}\":1,\"😀\":2,\"\\r\":3,\"1\":[]}", "{\"\\r\":3,\"1\":[],\"😀\":2,\"\u{fb33}\":1}"),
            (r#"{"\u0008":"\u000c\u0001"}"#, r#"{"\b":"\f\u0001"}"#),
        ] {
            let mut out = Vec::new();
            assert_eq!(put(text, &mut out).unwrap(), 0);
            assert_eq!(String::from_utf8(out).unwrap(), expected);
        }
        let mut out = Vec::new();
        assert_eq!(put(r#"{"b":0,"a":1,"\u0061":2,"a":[]}"#, &mut out).unwrap(), 2);
        assert_eq!(out, br#"{"a":1,"b":0}"#);
        assert!(put("{\"a\":1", &mut Vec::new()).is_err());
    }

    #[test]
    fn deep_and_wide_texts_take_linear_time() {
        let depth = 2000;
        let text = format!("{}{}{}", "{\"b\":1,\"a\":".repeat(depth), "[1]", "}".repeat(depth));
        let mut out = Vec::new();
        put(&text, &mut out).unwrap();
        assert_eq!(out.len(), text.len());
        assert!(out.starts_with(b"{\"a\":{\"a\":") && out.ends_with(b",\"b\":1},\"b\":1}"));
    }
}

//! Parts that a document has only in the values profile: decided at its end, inserted in one copy.

use std::collections::HashSet;

use foldhash::fast::RandomState;

use super::super::values::{MESSAGE, NAMESPACE, PREFIX};

/// A part to insert.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Patch {
    /// Nothing, unless changed later.
    Nothing,
    /// The prefix of the marks.
    Prefix,
    /// The declaration of that prefix, on the root.
    Declaration,
    /// The start tag of an element around everything.
    Message,
    /// The mark of text that looks like another scalar.
    TextMark,
    /// The mark of a map, or of a record that looks like a scalar.
    MapMark,
}

/// The bytes of a document, with the places of its patches.
#[derive(Debug, Default)]
pub struct Body {
    /// The bytes without patches.
    pub bytes: Vec<u8>,
    patches: Vec<(usize, Patch)>,
}

impl Body {
    /// Appends bytes.
    #[inline]
    pub fn put(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Leaves a place for a patch here; returns its number.
    #[inline]
    pub fn patch(&mut self, patch: Patch) -> usize {
        self.patches.push((self.bytes.len(), patch));
        self.patches.len() - 1
    }

    /// Replaces a patch that was placed.
    pub fn change(&mut self, number: usize, patch: Patch) {
        self.patches[number].1 = patch;
    }

    /// Drops all bytes and patches.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.patches.clear();
    }

    /// Appends the document to `out`. It has its patches if it has `values`, and an element around
    /// it if it is `wrapped`, which is a map's if it `is_map`. `taken` holds the numbers of
    /// prefixes in use.
    pub fn finish(&mut self, out: &mut Vec<u8>, values: bool, wrapped: bool, is_map: bool, taken: &HashSet<u32, RandomState>) {
        if !values {
            out.extend_from_slice(&self.bytes);
            return;
        }
        let number = (0..).find(|number| !taken.contains(number)).unwrap_or(0);
        let prefix = if number == 0 { PREFIX.to_owned() } else { format!("{PREFIX}{number}") };
        let declaration = format!(" xmlns:{prefix}=\"{NAMESPACE}\"");
        let map_mark = format!(" {prefix}:t=\"map\"");
        let text_mark = format!(" {prefix}:t=\"text\"");
        let message = format!("<{MESSAGE}{declaration} {prefix}:root=\"value\"{}>", if is_map { &map_mark } else { "" });
        let mut copied = 0;
        for &(at, patch) in &self.patches {
            out.extend_from_slice(&self.bytes[copied..at]);
            copied = at;
            let inserted = match patch {
                Patch::Prefix => &prefix,
                Patch::Declaration if !wrapped => &declaration,
                Patch::Message if wrapped => &message,
                Patch::TextMark => &text_mark,
                Patch::MapMark => &map_mark,
                Patch::Nothing | Patch::Declaration | Patch::Message => continue,
            };
            out.extend_from_slice(inserted.as_bytes());
        }
        out.extend_from_slice(&self.bytes[copied..]);
    }
}

/// Returns the number of a prefix that the marks could have: `pw` is 0, `pw7` is 7.
pub fn prefix_number(prefix: &str) -> Option<u32> {
    let digits = prefix.strip_prefix(PREFIX)?;
    match digits.parse::<u32>() {
        _ if digits.is_empty() => Some(0),
        Ok(number) if number > 0 && number.to_string() == digits => Some(number),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patches_are_inserted_only_with_values() {
        let mut body = Body::default();
        body.patch(Patch::Message);
        body.put(b"<a");
        body.patch(Patch::Declaration);
        let slot = body.patch(Patch::Nothing);
        body.put(b"/>");
        body.change(slot, Patch::TextMark);
        let written = |values, wrapped, taken: &[u32]| {
            let mut out = Vec::new();
            Body { bytes: body.bytes.clone(), patches: body.patches.clone() }.finish(
                &mut out,
                values,
                wrapped,
                false,
                &taken.iter().copied().collect(),
            );
            String::from_utf8(out).unwrap()
        };
        assert_eq!(written(false, false, &[]), "<a/>");
        assert_eq!(written(true, false, &[]), "<a xmlns:pw=\"urn:polywire:values\" pw:t=\"text\"/>");
        assert_eq!(written(true, true, &[1, 0]), "<message xmlns:pw2=\"urn:polywire:values\" pw2:root=\"value\"><a pw2:t=\"text\"/>");
    }

    #[test]
    fn prefixes_have_numbers() {
        for (prefix, number) in [("pw", Some(0)), ("pw1", Some(1)), ("pw01", None), ("pw0", None), ("p", None), ("pwx", None)] {
            assert_eq!(prefix_number(prefix), number, "{prefix}");
        }
    }
}

//! Guesses about length-delimited values without a schema.

use std::ops::Range;

use crate::wire::{self, MAX_FIELD, Tag, WireType, skip, varint};

/// The guessed type of a length-delimited value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Guess {
    Text,
    Message,
    Varints,
    Floats,
    Doubles,
    Bytes,
}

/// A guess, its reason, and alternatives, the likeliest first.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ranked {
    pub(crate) guess: Guess,
    pub(crate) why: &'static str,
    pub(crate) others: [&'static str; 2],
}

const NONE: &str = "";

/// Depth of nested groups that a guess looks into.
const GROUPS: u32 = 64;

/// Least numbers of values that are evidence.
const FEW_FLOATS: usize = 4;
const FEW_VARINTS: usize = 2;

/// Looks at values from the outside in. A range of clean text is remembered, so that values within
/// values are not scanned again for each level.
#[derive(Debug, Default)]
pub(crate) struct Guesser {
    /// A range of printable text that ends before a byte that is not.
    clean: Range<usize>,
}

impl Guesser {
    pub(crate) fn clear(&mut self) {
        self.clean = 0..0;
    }

    /// Guesses the type of the bytes in `range` of a message.
    pub(crate) fn guess(&mut self, msg: &[u8], range: Range<usize>) -> Ranked {
        let value = &msg[range.clone()];
        let ranked = |guess, why, others| Ranked { guess, why, others };
        if value.is_empty() {
            return ranked(Guess::Text, "empty: text, bytes, a message or a packed list", [NONE; 2]);
        }
        let is_message = is_message(value);
        if self.is_clean(msg, range) {
            let others = if is_message { ["else a message: its bytes are fields to the end", "else bytes"] } else { ["else bytes", NONE] };
            return ranked(Guess::Text, "taken for text: printable UTF-8", others);
        }
        if is_message {
            let others = if is_text(value) { ["else text: UTF-8", "else bytes"] } else { ["else bytes", NONE] };
            return ranked(Guess::Message, "taken for a message: its bytes are fields to the end", others);
        }
        if is_text(value) {
            return ranked(Guess::Text, "taken for text: UTF-8 with no control characters but line breaks and tabs", ["else bytes", NONE]);
        }
        if all::<8>(value, 2, |eight| plausible(f64::from_le_bytes(eight))) {
            return ranked(Guess::Doubles, "taken for packed doubles: all are of common size", ["else packed fixed64", "else bytes"]);
        }
        if all::<4>(value, FEW_FLOATS, |four| plausible(f64::from(f32::from_le_bytes(four)))) {
            return ranked(Guess::Floats, "taken for packed floats: all are of common size", ["else packed fixed32", "else bytes"]);
        }
        match varints(value) {
            Some(true) => ranked(Guess::Varints, "taken for packed varints: each is short and in its shortest form", ["else bytes", NONE]),
            Some(false) => ranked(Guess::Bytes, "taken for bytes: neither text nor fields", ["else packed varints", NONE]),
            None => ranked(Guess::Bytes, "taken for bytes: neither text, fields nor varints", [NONE; 2]),
        }
    }

    /// Returns whether the bytes are UTF-8 without control characters.
    fn is_clean(&mut self, msg: &[u8], range: Range<usize>) -> bool {
        if range.start >= self.clean.start && range.start < self.clean.end {
            // A character may cross the bounds of the range.
            return range.end <= self.clean.end && std::str::from_utf8(&msg[range]).is_ok();
        }
        if range.start == self.clean.end && !self.clean.is_empty() {
            return false;
        }
        let value = &msg[range.clone()];
        let text = match std::str::from_utf8(value) {
            Ok(text) => text,
            Err(error) => std::str::from_utf8(&value[..error.valid_up_to()]).unwrap_or_default(),
        };
        let end = text.find(char::is_control).unwrap_or(text.len());
        self.clean = range.start..range.start + end;
        end == value.len()
    }
}

/// Returns whether the bytes are UTF-8 of one or more lines.
fn is_text(value: &[u8]) -> bool {
    std::str::from_utf8(value).is_ok_and(|text| !text.chars().any(|c| c.is_control() && !matches!(c, '\n' | '\r' | '\t')))
}

/// Returns whether the bytes are fields to their end, with numbers that a schema may have.
pub(crate) fn is_message(value: &[u8]) -> bool {
    let mut at = 0;
    while at < value.len() {
        match field(value, at) {
            Some(next) => at = next,
            None => return false,
        }
    }
    true
}

/// Returns the end of the field at `at`, if it looks like one.
pub(super) fn field(value: &[u8], at: usize) -> Option<usize> {
    let (tag, wire, next) = wire::tag(value, at).ok()?;
    // Numbers from 19,000 to 19,999 are reserved for implementations (language guide, "Assigning
    // Field Numbers"). Nobody writes longer tags than needed.
    let reserved = (19_000..20_000).contains(&tag.number());
    if reserved || tag.number() > MAX_FIELD || next - at != varint::len(u64::from(tag.0)) {
        return None;
    }
    skip::value(value, next, Tag(tag.0), wire, GROUPS).ok().filter(|_| wire != WireType::End)
}

fn all<const N: usize>(value: &[u8], few: usize, is: impl Fn([u8; N]) -> bool) -> bool {
    let (pieces, rest) = value.as_chunks::<N>();
    rest.is_empty() && pieces.len() >= few && pieces.iter().all(|piece| is(*piece))
}

/// Returns whether people and sensors produce such numbers. Random bits rarely do.
pub(super) fn plausible(number: f64) -> bool {
    number == 0.0 || (1e-7..1e10).contains(&number.abs())
}

/// Returns whether varints to the end look likely, or `None` if the bytes are no varints. Text with
/// an unusual character does not look likely.
fn varints(value: &[u8]) -> Option<bool> {
    let printable = value.iter().filter(|byte| (0x20..0x7f).contains(*byte)).count();
    let (mut at, mut count, mut likely) = (0, 0, printable * 4 < value.len() * 3);
    while at < value.len() {
        let (number, next) = varint::read(value, at).ok()?;
        likely &= next - at == varint::len(number) && next - at <= 3;
        count += 1;
        at = next;
    }
    Some(likely && count >= FEW_VARINTS)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guess(value: &[u8]) -> Guess {
        Guesser::default().guess(value, 0..value.len()).guess
    }

    #[test]
    fn the_likeliest_reading_wins() {
        assert_eq!(guess(b""), Guess::Text);
        assert_eq!(guess("héllo, wörld".as_bytes()), Guess::Text);
        assert_eq!(guess(b"two\nlines"), Guess::Text);
        // Printable text that happens to be fields.
        assert!(is_message(b"(0") && guess(b"(0") == Guess::Text);
        assert_eq!(guess(&[0x08, 0x96, 0x01]), Guess::Message);
        assert_eq!(guess(&[0x0a, 5, b'h', b'e', b'l', b'l', b'o']), Guess::Message);
        assert_eq!(guess(&[1, 2, 0x83, 0x01, 4]), Guess::Varints);
        assert_eq!(guess(&[1.5f64, -2.25].map(f64::to_le_bytes).concat()), Guess::Doubles);
        assert_eq!(guess(&[1.5f32, -2.25, 0.0, 1e6].map(f32::to_le_bytes).concat()), Guess::Floats);
        assert_eq!(guess(&[0xde, 0xad, 0xbe, 0xef, 0xff, 0xff]), Guess::Bytes);
    }

    #[test]
    fn what_is_clean_is_looked_at_once() {
        let msg = b"\x12clean text here\x01more";
        let mut guesser = Guesser::default();
        assert_eq!(guesser.guess(msg, 1..17).guess, Guess::Bytes);
        assert_eq!(guesser.clean, 1..16);
        assert_eq!(guesser.guess(msg, 2..7).guess, Guess::Text);
        assert_eq!(guesser.clean, 1..16);
        assert_eq!(guesser.guess(msg, 17..21).guess, Guess::Text);
        assert_eq!(guesser.clean, 17..21);
    }
}

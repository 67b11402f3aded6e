//! Lines and columns of a text that arrives in pieces.

use memchr::{memchr, memchr_iter, memrchr};

/// Number of lines and characters that have passed. Memory: two numbers, however long the text is.
///
/// ```
/// use polywire_core::text::lines::Lines;
///
/// let mut lines = Lines::default();
/// lines.pass(b"one\ntwo");
/// let place = lines.place(b" words\n", 1);
/// assert_eq!((place.line, place.column), (2, 5));
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Lines {
    /// Line breaks so far.
    breaks: u64,
    /// Characters since the last one.
    chars: u64,
}

/// A place in a text, with the line that it is in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextPlace {
    /// Line, from 1. A line ends at U+000A.
    pub line: u64,
    /// Column, from 1. Columns count characters; a byte that is no part of UTF-8 is one or none.
    pub column: u64,
    /// The line without its break, or the part of a long one around the place.
    pub excerpt: Vec<u8>,
    /// Offset of the place in the excerpt.
    pub at: usize,
    /// True if the line begins before the excerpt.
    pub cut_before: bool,
    /// True if the line goes on after the excerpt.
    pub cut_after: bool,
}

impl Lines {
    /// Counts bytes of the text as passed.
    pub fn pass(&mut self, bytes: &[u8]) {
        match memrchr(b'\n', bytes) {
            None => self.chars += chars(bytes),
            Some(last) => {
                self.breaks += memchr_iter(b'\n', &bytes[..=last]).count() as u64;
                self.chars = chars(&bytes[last + 1..]);
            }
        }
    }

    /// Returns the place of offset `at` in `bytes`, which follow those that passed. The line is
    /// shown as far as it is in `bytes`.
    pub fn place(&self, bytes: &[u8], at: usize) -> TextPlace {
        let at = at.min(bytes.len());
        let mut before = *self;
        before.pass(&bytes[..at]);
        let line = memrchr(b'\n', &bytes[..at]).map_or(0, |last| last + 1);
        let end = memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |found| at + found);
        // Long lines are cut between characters, as far as the bytes are UTF-8.
        let mut start = line.max(at.saturating_sub(TextPlace::AROUND));
        let inside = bytes[start..at].iter().take(3).take_while(|byte| is_inside(**byte)).count();
        start += if start > line { inside } else { 0 };
        let mut stop = end.min(at + TextPlace::AROUND);
        let inside =
            bytes[at..end].get(..stop - at + 1).unwrap_or_default().iter().rev().take(3).take_while(|byte| is_inside(**byte)).count();
        stop -= inside;
        let mut excerpt = &bytes[start..stop];
        if stop == end {
            excerpt = excerpt.strip_suffix(b"\r").unwrap_or(excerpt);
        }
        TextPlace {
            line: before.breaks + 1,
            column: before.chars + 1,
            excerpt: excerpt.to_vec(),
            at: (at - start).min(excerpt.len()),
            // A line whose start has passed is cut, too.
            cut_before: start > line || line == 0 && self.chars > 0,
            cut_after: stop < end,
        }
    }
}

impl TextPlace {
    /// Most bytes of a line that are shown on either side of a place.
    const AROUND: usize = 240;
}

/// Reports whether a byte of UTF-8 is inside a character.
fn is_inside(byte: u8) -> bool {
    byte & 0xc0 == 0x80
}

/// Returns the number of characters that begin in `bytes`.
fn chars(bytes: &[u8]) -> u64 {
    bytes.iter().filter(|byte| !is_inside(**byte)).count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_the_same_however_the_text_is_cut() {
        let text = "eins\r\nzw\u{f6}lf \u{1f600}x\n\n\tende".as_bytes();
        let whole: Vec<(u64, u64)> =
            (0..=text.len()).map(|at| Lines::default().place(text, at)).map(|place| (place.line, place.column)).collect();
        for cut in 0..=text.len() {
            let mut lines = Lines::default();
            lines.pass(&text[..cut / 2]);
            lines.pass(&text[cut / 2..cut]);
            for (at, expected) in whole.iter().enumerate().skip(cut) {
                let place = lines.place(&text[cut..], at - cut);
                assert_eq!((place.line, place.column), *expected, "{cut} {at}");
            }
        }
        let at = text.iter().position(|byte| *byte == b'x').unwrap();
        let place = Lines::default().place(text, at);
        assert_eq!((place.line, place.column, place.excerpt.as_slice()), (2, 8, "zw\u{f6}lf \u{1f600}x".as_bytes()));
        assert_eq!(place.excerpt[place.at], b'x');
        assert_eq!(Lines::default().place(text, 4).excerpt, b"eins", "without the carriage return");
    }

    #[test]
    fn long_lines_are_cut_around_the_place() {
        let text = "\u{20ac}".repeat(100_000);
        for at in [0, 3, 300, 150_000, 299_997, 300_000] {
            let place = Lines::default().place(text.as_bytes(), at);
            assert!(place.excerpt.len() <= 2 * TextPlace::AROUND, "{at}");
            assert!(std::str::from_utf8(&place.excerpt).is_ok(), "{at}: whole characters");
            assert_eq!((place.line, place.column), (1, at as u64 / 3 + 1));
            assert_eq!((place.cut_before, place.cut_after), (at > TextPlace::AROUND, at + TextPlace::AROUND < text.len()), "{at}");
        }
        let mut lines = Lines::default();
        lines.pass(b"[1,2");
        assert!(lines.place(b"x]", 0).cut_before, "its start has passed");
        let broken = Lines::default().place(&[0x80; 5000], 2500);
        assert_eq!((broken.line, broken.column), (1, 1));
    }
}

//! A cursor over one JSON text (RFC 8259): white space, words and strings.

use crate::string::plain_end;

/// A position in a JSON text.
#[derive(Debug, Clone, Copy)]
pub struct Cursor<'m> {
    /// The text.
    pub text: &'m str,
    /// Offset of the next byte.
    pub at: usize,
}

/// A string, and the memory that holds it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Text<'m> {
    /// Part of the text, without escapes.
    Plain(&'m str),
    /// In the scratch memory, unescaped.
    Unescaped,
}

/// A mistake in a JSON text, and its offset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mistake {
    /// Offset of the byte that does not fit, or of the text's end. For half a pair, offset of its
    /// escape.
    pub at: usize,
    /// The kind of mistake.
    pub kind: MistakeKind,
}

/// The kinds of mistakes in strings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MistakeKind {
    /// A control character that is not escaped.
    Control,
    /// A string that the text ends in.
    Unclosed,
    /// An unknown escape.
    Escape,
    /// Fewer than four hexadecimal digits behind `\u`.
    Digits {
        /// Offset of the first of the four.
        first: usize,
    },
    /// Half of a surrogate pair, with its code.
    HalfPair(u32),
}

impl<'m> Cursor<'m> {
    /// Makes a cursor at the start of a text.
    #[inline(always)]
    pub const fn new(text: &'m str) -> Cursor<'m> {
        Cursor { text, at: 0 }
    }

    /// Returns the next byte.
    #[inline(always)]
    pub fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// Steps over white space.
    #[inline(always)]
    pub fn white(&mut self) {
        // Most bytes are above the space, so one comparison suffices.
        while let Some(byte) = self.byte()
            && byte <= b' '
            && matches!(byte, b' ' | b'\n' | b'\r' | b'\t')
        {
            self.at += 1;
        }
    }

    /// Reads the string whose opening quote is before the cursor. A string with escapes goes to
    /// `scratch`.
    ///
    /// # Errors
    /// The string has no end, an unknown or incomplete escape, or a control character. The cursor
    /// stays in it.
    #[inline(always)]
    pub fn string(&mut self, scratch: &mut String) -> Result<Text<'m>, Mistake> {
        let start = self.at;
        let end = plain_end(self.text.as_bytes(), start);
        if self.text.as_bytes().get(end) == Some(&b'"') {
            self.at = end + 1;
            return Ok(Text::Plain(&self.text[start..end]));
        }
        self.unescape(end, scratch).map(|()| Text::Unescaped)
    }

    /// Reads a string into `scratch`, which is emptied first. The text from the cursor to `end` has
    /// no escapes.
    ///
    /// # Errors
    /// As for [`Cursor::string`].
    #[inline(never)]
    pub fn unescape(&mut self, mut end: usize, scratch: &mut String) -> Result<(), Mistake> {
        let bytes = self.text.as_bytes();
        scratch.clear();
        loop {
            scratch.push_str(&self.text[self.at..end]);
            self.at = end;
            match bytes.get(end) {
                Some(b'"') => {
                    self.at = end + 1;
                    return Ok(());
                }
                Some(b'\\') => {
                    let (char, next) = escaped(bytes, end)?;
                    scratch.push(char);
                    self.at = next;
                }
                Some(_) => return Err(Mistake { at: end, kind: MistakeKind::Control }),
                None => return Err(Mistake { at: end, kind: MistakeKind::Unclosed }),
            }
            end = plain_end(bytes, self.at);
        }
    }
}

impl Cursor<'_> {
    /// Reads a string like [`Cursor::unescape`], in WTF-8: halves of surrogate pairs are characters
    /// of three bytes.
    ///
    /// # Errors
    /// As for [`Cursor::string`], but for halves of pairs.
    #[cold]
    pub fn unescape_wide(&mut self, mut end: usize, scratch: &mut Vec<u8>) -> Result<(), Mistake> {
        let bytes = self.text.as_bytes();
        scratch.clear();
        loop {
            scratch.extend_from_slice(&bytes[self.at..end]);
            self.at = end;
            match bytes.get(end) {
                Some(b'"') => {
                    self.at = end + 1;
                    return Ok(());
                }
                Some(b'\\') => match escaped(bytes, end) {
                    Ok((char, next)) => {
                        scratch.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes());
                        self.at = next;
                    }
                    Err(Mistake { kind: MistakeKind::HalfPair(half), .. }) => {
                        scratch.extend([0xe0 | (half >> 12) as u8, 0x80 | (half >> 6 & 0x3f) as u8, 0x80 | (half & 0x3f) as u8]);
                        self.at = end + 6;
                    }
                    Err(mistake) => return Err(mistake),
                },
                Some(_) => return Err(Mistake { at: end, kind: MistakeKind::Control }),
                None => return Err(Mistake { at: end, kind: MistakeKind::Unclosed }),
            }
            end = plain_end(bytes, self.at);
        }
    }
}

/// Returns the character of the escape at `at`, and the offset behind it (RFC 8259 section 7).
fn escaped(bytes: &[u8], at: usize) -> Result<(char, usize), Mistake> {
    let char = match bytes.get(at + 1) {
        Some(plain @ (b'"' | b'\\' | b'/')) => char::from(*plain),
        Some(b'b') => '\u{8}',
        Some(b'f') => '\u{c}',
        Some(b'n') => '\n',
        Some(b'r') => '\r',
        Some(b't') => '\t',
        Some(b'u') => return unicode(bytes, at),
        _ => return Err(Mistake { at: at + 1, kind: MistakeKind::Escape }),
    };
    Ok((char, at + 2))
}

/// Returns the character of the escape `\uXXXX` at `at`, or of two that are a pair.
fn unicode(bytes: &[u8], at: usize) -> Result<(char, usize), Mistake> {
    let first = four_digits(bytes, at + 2)?;
    if (0xd800..0xdc00).contains(&first) && bytes[at + 6..].starts_with(b"\\u") {
        let second = four_digits(bytes, at + 8)?;
        if let Some(low) = second.checked_sub(0xdc00).filter(|low| *low < 0x400)
            && let Some(char) = char::from_u32(0x10000 + ((first - 0xd800) << 10) + low)
        {
            return Ok((char, at + 12));
        }
    }
    match char::from_u32(first) {
        Some(char) => Ok((char, at + 6)),
        None => Err(Mistake { at, kind: MistakeKind::HalfPair(first) }),
    }
}

/// Returns the number of the four hexadecimal digits at `first`.
fn four_digits(bytes: &[u8], first: usize) -> Result<u32, Mistake> {
    let mut code = 0;
    for at in first..first + 4 {
        let digit = bytes.get(at).and_then(|byte| char::from(*byte).to_digit(16));
        code = code << 4 | digit.ok_or(Mistake { at, kind: MistakeKind::Digits { first } })?;
    }
    Ok(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<(String, usize), Mistake> {
        let (mut cursor, mut scratch) = (Cursor { text, at: 1 }, String::new());
        let read = match cursor.string(&mut scratch)? {
            Text::Plain(plain) => plain.to_string(),
            Text::Unescaped => scratch,
        };
        Ok((read, cursor.at))
    }

    #[test]
    fn strings_are_unescaped() {
        for (text, expected) in [
            (r#""""#, ""),
            (r#""plain é🦀""#, "plain é🦀"),
            (r#""a\"b\\c\/d\be\ff\ng\rh\ti""#, "a\"b\\c/d\u{8}e\u{c}f\ng\rh\ti"),
            (r#""\u00e9\ud83e\udd80 \u0041""#, "é🦀 A"),
        ] {
            assert_eq!(read(text), Ok((expected.to_string(), text.len())), "{text}");
        }
    }

    #[test]
    fn mistakes_have_their_place() {
        for (text, at, kind) in [
            ("\"abc", 4, MistakeKind::Unclosed),
            ("\"ab\\", 4, MistakeKind::Escape),
            ("\"a\nb\"", 2, MistakeKind::Control),
            (r#""a\qb""#, 3, MistakeKind::Escape),
            (r#""\u12x4""#, 5, MistakeKind::Digits { first: 3 }),
            (r#""\u12"#, 5, MistakeKind::Digits { first: 3 }),
            (r#""\ud83e\u12""#, 11, MistakeKind::Digits { first: 9 }),
            (r#""\ud83e""#, 1, MistakeKind::HalfPair(0xd83e)),
            (r#""-\ud83e\u0041""#, 2, MistakeKind::HalfPair(0xd83e)),
            (r#""\udd80""#, 1, MistakeKind::HalfPair(0xdd80)),
        ] {
            assert_eq!(read(text), Err(Mistake { at, kind }), "{text}");
        }
    }

    #[test]
    fn halves_of_pairs_have_a_wide_form() {
        for (text, expected) in [
            (r#""a\ud83e\u0041""#, &b"a\xed\xa0\xbeA"[..]),
            (r#""\udd80\ud83e\udd80\n""#, b"\xed\xb6\x80\xf0\x9f\xa6\x80\n"),
            (r#""\ud83e\ud83e\udd80""#, b"\xed\xa0\xbe\xf0\x9f\xa6\x80"),
        ] {
            let (mut cursor, mut scratch) = (Cursor { text, at: 1 }, Vec::new());
            cursor.unescape_wide(plain_end(text.as_bytes(), 1), &mut scratch).unwrap();
            assert_eq!((&scratch[..], cursor.at), (expected, text.len()), "{text}");
        }
        let (mut cursor, mut scratch) = (Cursor { text: r#""\ud83e\x""#, at: 1 }, Vec::new());
        assert_eq!(cursor.unescape_wide(1, &mut scratch), Err(Mistake { at: 8, kind: MistakeKind::Escape }));
    }

    #[test]
    fn white_space_is_stepped_over() {
        let mut cursor = Cursor::new(" \t\r\n\u{b}x");
        cursor.white();
        assert_eq!((cursor.at, cursor.byte()), (4, Some(0xb)));
    }
}

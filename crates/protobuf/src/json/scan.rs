//! A cursor over JSON text (RFC 8259), by the parts of `polywire_json`.

use polywire_core::{Error, ErrorKind, Result};
use polywire_json::string::plain_end;

/// A cursor over one text.
#[derive(Debug)]
pub(super) struct Scan<'m> {
    pub(super) text: &'m str,
    pub(super) at: usize,
    pub(super) base: u64,
    /// Memory for strings with escapes.
    pub(super) scratch: String,
}

/// The kind of a value, by its first byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token {
    Object,
    Array,
    String,
    Number,
    True,
    False,
    Null,
}

impl Token {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Token::Object => "an object",
            Token::Array => "an array",
            Token::String => "a string",
            Token::Number => "a number",
            Token::True | Token::False => "a truth value",
            Token::Null => "null",
        }
    }
}

/// A string, and the memory that holds it.
pub(super) enum Text<'m> {
    Plain(&'m str),
    /// Unescaped, in the scratch memory.
    Unescaped,
}

impl<'m> Scan<'m> {
    pub(super) fn new(text: &'m str, base: u64, scratch: String) -> Scan<'m> {
        Scan { text, at: 0, base, scratch }
    }

    #[cold]
    pub(super) fn wrong(&self, at: usize, expected: &'static str) -> Error {
        let error = Error::data(ErrorKind::Syntax, self.base + at as u64);
        match self.text.get(at..).and_then(|rest| rest.chars().next()) {
            Some(c) => error.seen(format!("{c:?}")).expected(expected),
            None => Error::truncated(self.base + self.text.len() as u64, expected),
        }
    }

    #[inline(always)]
    pub(super) fn white(&mut self) {
        let bytes = self.text.as_bytes();
        // Most bytes are above the space, so one comparison suffices.
        while let Some(&byte) = bytes.get(self.at)
            && byte <= b' '
            && matches!(byte, b' ' | b'\n' | b'\r' | b'\t')
        {
            self.at += 1;
        }
    }

    /// Returns the next byte that is not white space, without consuming it.
    #[inline(always)]
    pub(super) fn peek(&mut self) -> Option<u8> {
        self.white();
        self.text.as_bytes().get(self.at).copied()
    }

    /// Consumes `byte`, if it comes next.
    #[inline(always)]
    pub(super) fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    #[inline(always)]
    pub(super) fn expect(&mut self, byte: u8, expected: &'static str) -> Result<()> {
        if self.eat(byte) { Ok(()) } else { Err(self.wrong(self.at, expected)) }
    }

    /// Returns the kind of the next value, without consuming it.
    #[inline]
    pub(super) fn token(&mut self) -> Result<Token> {
        Ok(match self.peek() {
            Some(b'{') => Token::Object,
            Some(b'[') => Token::Array,
            Some(b'"') => Token::String,
            Some(b'-' | b'0'..=b'9') => Token::Number,
            Some(b't') => Token::True,
            Some(b'f') => Token::False,
            Some(b'n') => Token::Null,
            _ => return Err(self.wrong(self.at, "a value")),
        })
    }

    /// Consumes the word of a token.
    pub(super) fn word(&mut self, word: &'static str) -> Result<()> {
        if !self.text.as_bytes()[self.at..].starts_with(word.as_bytes()) {
            return Err(self.wrong(self.at, "true, false or null"));
        }
        self.at += word.len();
        Ok(())
    }

    /// Reads the string at the cursor.
    #[inline]
    pub(super) fn string(&mut self) -> Result<Text<'m>> {
        if !self.eat(b'"') {
            return Err(self.wrong(self.at, "a string"));
        }
        let start = self.at;
        let end = plain_end(self.text.as_bytes(), start);
        if self.text.as_bytes().get(end) == Some(&b'"') {
            self.at = end + 1;
            return Ok(Text::Plain(&self.text[start..end]));
        }
        self.unescape(start, end)
    }

    #[inline(never)]
    fn unescape(&mut self, start: usize, mut end: usize) -> Result<Text<'m>> {
        self.scratch.clear();
        let mut from = start;
        let bytes = self.text.as_bytes();
        loop {
            self.scratch.push_str(&self.text[from..end]);
            match bytes.get(end) {
                Some(b'"') => {
                    self.at = end + 1;
                    return Ok(Text::Unescaped);
                }
                Some(b'\\') => {
                    let (c, next) = self.escape(end + 1)?;
                    self.scratch.push(c);
                    from = next;
                }
                _ => return Err(self.wrong(end, "the end of a string, or a character that needs no escape")),
            }
            end = plain_end(bytes, from);
        }
    }

    fn escape(&self, at: usize) -> Result<(char, usize)> {
        let c = match self.text.as_bytes().get(at) {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                let first = self.four(at + 1)?;
                if (0xd800..0xdc00).contains(&first) && self.text.as_bytes().get(at + 5..at + 7) == Some(b"\\u") {
                    let second = self.four(at + 7)?;
                    if (0xdc00..0xe000).contains(&second)
                        && let Some(c) = char::from_u32(0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00))
                    {
                        return Ok((c, at + 11));
                    }
                }
                let c = char::from_u32(first).ok_or_else(|| {
                    Error::data(ErrorKind::Encoding, self.base + at as u64 - 1)
                        .seen(format!("\\u{first:04x}, half a character"))
                        .expected("both halves")
                })?;
                return Ok((c, at + 5));
            }
            _ => return Err(self.wrong(at, "an escape")),
        };
        Ok((c, at + 1))
    }

    fn four(&self, at: usize) -> Result<u32> {
        let digits = self.text.get(at..at + 4).filter(|digits| digits.bytes().all(|c| c.is_ascii_hexdigit()));
        digits.and_then(|digits| u32::from_str_radix(digits, 16).ok()).ok_or_else(|| self.wrong(at, "four hexadecimal digits"))
    }

    /// Reads the number at the cursor, as text.
    #[inline]
    pub(super) fn number(&mut self) -> Result<&'m str> {
        let bytes = self.text.as_bytes();
        let start = self.at;
        let mut at = start;
        let digits = |mut at: usize| {
            while bytes.get(at).is_some_and(u8::is_ascii_digit) {
                at += 1;
            }
            at
        };
        at += usize::from(bytes.get(at) == Some(&b'-'));
        let whole = digits(at);
        if whole == at || bytes[at] == b'0' && whole > at + 1 {
            return Err(self.wrong(at, "a number as JSON writes it"));
        }
        at = whole;
        if bytes.get(at) == Some(&b'.') {
            let end = digits(at + 1);
            if end == at + 1 {
                return Err(self.wrong(end, "a digit"));
            }
            at = end;
        }
        if let Some(b'e' | b'E') = bytes.get(at) {
            let sign = at + 1 + usize::from(matches!(bytes.get(at + 1), Some(b'+' | b'-')));
            let end = digits(sign);
            if end == sign {
                return Err(self.wrong(end, "a digit"));
            }
            at = end;
        }
        self.at = at;
        Ok(&self.text[start..at])
    }

    /// Steps over a value whose containers nest at most `depth` deep.
    pub(super) fn skip(&mut self, depth: u32) -> Result<()> {
        let mut open: Vec<u8> = Vec::new();
        loop {
            match self.token()? {
                Token::String => {
                    self.string()?;
                }
                Token::Number => {
                    self.number()?;
                }
                Token::True => self.word("true")?,
                Token::False => self.word("false")?,
                Token::Null => self.word("null")?,
                token => {
                    if open.len() >= depth as usize {
                        return Err(Error::data(ErrorKind::Limit, self.base + self.at as u64)
                            .seen(format!("more than {depth} containers within each other"))
                            .hint("the limit `depth` guards against hostile input; raise it if the message is genuine"));
                    }
                    self.at += 1;
                    let close = if token == Token::Object { b'}' } else { b']' };
                    if !self.eat(close) {
                        open.push(close);
                        if close == b'}' {
                            self.key()?;
                        }
                        continue;
                    }
                }
            }
            loop {
                let Some(&close) = open.last() else { return Ok(()) };
                if self.eat(b',') {
                    if close == b'}' {
                        self.key()?;
                    }
                    break;
                }
                self.expect(close, "',' or the end of the container")?;
                open.pop();
            }
        }
    }

    fn key(&mut self) -> Result<()> {
        self.string()?;
        self.expect(b':', "':'")
    }
}

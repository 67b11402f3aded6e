//! Tokens of one JSON text (RFC 8259), for readers that know by a schema what comes next. Mistakes
//! are errors with their offset.

use polywire_core::{Error, ErrorKind, Result};

use crate::cursor::{Cursor, Mistake, MistakeKind, Text};
use crate::number::{self, Number};

/// A scanner of one text.
#[derive(Debug)]
pub struct Scan<'m> {
    /// Place of the next byte.
    pub cursor: Cursor<'m>,
    /// Offset of the text in its stream.
    pub base: u64,
    /// Memory for strings with escapes.
    pub scratch: String,
}

/// The kind of a value, by its first byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "each has the name of its value in RFC 8259")]
pub enum Token {
    Object,
    Array,
    String,
    Number,
    True,
    False,
    Null,
}

impl Token {
    /// Returns the name of the kind with its article, for errors.
    pub const fn name(self) -> &'static str {
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

impl<'m> Scan<'m> {
    /// Makes a scanner at the start of `text`, which begins at `base` in its stream. `scratch` is
    /// memory to be used.
    pub fn new(text: &'m str, base: u64, scratch: String) -> Scan<'m> {
        Scan { cursor: Cursor::new(text), base, scratch }
    }

    /// Makes the error of the character at `at`, where `expected` should be.
    #[cold]
    pub fn wrong(&self, at: usize, expected: &'static str) -> Error {
        let text = self.cursor.text;
        let error = Error::data(ErrorKind::Syntax, self.base + at as u64);
        match text.get(at..).and_then(|rest| rest.chars().next()) {
            Some(c) => error.seen(format!("{c:?}")).expected(expected),
            None => Error::truncated(self.base + text.len() as u64, expected),
        }
    }

    /// Returns the next byte that is not white space, without consuming it.
    #[inline(always)]
    pub fn peek(&mut self) -> Option<u8> {
        self.cursor.white();
        self.cursor.byte()
    }

    /// Consumes `byte`, if it comes next.
    #[inline(always)]
    pub fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.cursor.at += usize::from(found);
        found
    }

    /// Consumes `byte`.
    ///
    /// # Errors
    /// Another byte comes next.
    #[inline(always)]
    pub fn expect(&mut self, byte: u8, expected: &'static str) -> Result<()> {
        if self.eat(byte) { Ok(()) } else { Err(self.wrong(self.cursor.at, expected)) }
    }

    /// Returns the kind of the next value, without consuming it.
    ///
    /// # Errors
    /// No value begins here.
    #[inline]
    pub fn token(&mut self) -> Result<Token> {
        Ok(match self.peek() {
            Some(b'{') => Token::Object,
            Some(b'[') => Token::Array,
            Some(b'"') => Token::String,
            Some(b'-' | b'0'..=b'9') => Token::Number,
            Some(b't') => Token::True,
            Some(b'f') => Token::False,
            Some(b'n') => Token::Null,
            _ => return Err(self.wrong(self.cursor.at, "a value")),
        })
    }

    /// Consumes the word of a token.
    ///
    /// # Errors
    /// Another word is there.
    pub fn word(&mut self, word: &'static str) -> Result<()> {
        if !self.cursor.text.as_bytes()[self.cursor.at..].starts_with(word.as_bytes()) {
            return Err(self.wrong(self.cursor.at, "true, false or null"));
        }
        self.cursor.at += word.len();
        Ok(())
    }

    /// Reads the string at the cursor.
    ///
    /// # Errors
    /// There is none, or it has a mistake.
    #[inline]
    pub fn string(&mut self) -> Result<Text<'m>> {
        if !self.eat(b'"') {
            return Err(self.wrong(self.cursor.at, "a string"));
        }
        match self.cursor.string(&mut self.scratch) {
            Ok(text) => Ok(text),
            Err(mistake) => Err(self.mistake(mistake)),
        }
    }

    #[cold]
    fn mistake(&self, Mistake { at, kind }: Mistake) -> Error {
        match kind {
            MistakeKind::Control | MistakeKind::Unclosed => self.wrong(at, "the end of a string, or a character that needs no escape"),
            MistakeKind::Escape => self.wrong(at, "an escape"),
            MistakeKind::Digits { first } => self.wrong(first, "four hexadecimal digits"),
            MistakeKind::HalfPair(code) => Error::data(ErrorKind::Encoding, self.base + at as u64)
                .seen(format!("\\u{code:04x}, half of a surrogate pair"))
                .expected("both halves"),
        }
    }

    /// Reads the number at the cursor, which a token announced.
    ///
    /// # Errors
    /// It is none of RFC 8259 section 6.
    #[inline(always)]
    pub fn number(&mut self) -> Result<(&'m str, Number)> {
        let Cursor { text, at: start } = self.cursor;
        let bytes = text.as_bytes();
        match number::scan(bytes, start) {
            Ok(number) if !matches!(bytes.get(number.end), Some(b'0'..=b'9')) => {
                self.cursor.at = number.end;
                Ok((&text[start..number.end], number))
            }
            Ok(_) => Err(self.wrong(start + usize::from(bytes.get(start) == Some(&b'-')), "a number without leading zeros")),
            Err(malformed) => Err(self.wrong(malformed.at, malformed.expected)),
        }
    }

    /// Does as [`Scan::number`], without inlining.
    ///
    /// # Errors
    /// As those of [`Scan::number`].
    #[inline(never)]
    pub fn any_number(&mut self) -> Result<(&'m str, Number)> {
        self.number()
    }

    /// Steps over a value whose containers nest at most `depth` deep.
    ///
    /// # Errors
    /// The value is none of RFC 8259, or deeper.
    pub fn skip(&mut self, depth: u32) -> Result<()> {
        let mut open: Vec<u8> = Vec::new();
        loop {
            match self.token()? {
                Token::String => {
                    self.string()?;
                }
                Token::Number => {
                    self.any_number()?;
                }
                Token::True => self.word("true")?,
                Token::False => self.word("false")?,
                Token::Null => self.word("null")?,
                token => {
                    if open.len() >= depth as usize {
                        return Err(Error::data(ErrorKind::Limit, self.base + self.cursor.at as u64)
                            .seen(format!("more than {depth} containers within each other"))
                            .hint("the limit `depth` guards against hostile input; raise it if the message is genuine"));
                    }
                    self.cursor.at += 1;
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

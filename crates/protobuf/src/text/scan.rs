//! Tokens of the text format (specification, "Characters" to "String Literals").

use polywire_core::{Error, ErrorKind, Result};

use crate::model::unescape;

/// A cursor over one text.
#[derive(Debug)]
pub(super) struct Scan<'m> {
    text: &'m str,
    at: usize,
    base: u64,
}

impl<'m> Scan<'m> {
    pub(super) fn new(text: &'m str, base: u64) -> Scan<'m> {
        Scan { text, at: 0, base }
    }

    /// Returns the offset in the stream.
    pub(super) fn offset(&self) -> u64 {
        self.base + self.at as u64
    }

    /// Returns the next byte that is neither white space nor in a comment.
    pub(super) fn peek(&mut self) -> Option<u8> {
        let bytes = self.text.as_bytes();
        loop {
            match bytes.get(self.at) {
                Some(b' ' | b'\t' | b'\r' | b'\n' | 11 | 12) => self.at += 1,
                Some(b'#') => {
                    let rest = &bytes[self.at..];
                    self.at += rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
                }
                next => return next.copied(),
            }
        }
    }

    /// Consumes that byte, if it comes next.
    pub(super) fn take(&mut self, byte: u8) -> bool {
        let there = self.peek() == Some(byte);
        self.at += usize::from(there);
        there
    }

    /// Consumes that byte.
    pub(super) fn expect(&mut self, byte: u8) -> Result<()> {
        if self.take(byte) { Ok(()) } else { Err(self.wrong(format!("`{}`", char::from(byte)))) }
    }

    /// Returns the error for the next token.
    #[cold]
    pub(super) fn wrong(&mut self, expected: impl Into<String>) -> Error {
        let expected = expected.into();
        match self.peek() {
            None => Error::truncated(self.offset(), expected),
            Some(_) => {
                let seen = self.text[self.at..].chars().next().map_or_else(String::new, |c| format!("`{}`", c.escape_debug()));
                Error::data(ErrorKind::Syntax, self.offset()).seen(seen).expected(expected)
            }
        }
    }

    fn run(&mut self, is_part: impl Fn(&[u8], u8) -> bool) -> &'m str {
        self.peek();
        let rest = &self.text[self.at..];
        let bytes = rest.as_bytes();
        let length = (0..bytes.len()).find(|at| !is_part(&bytes[..*at], bytes[*at])).unwrap_or(bytes.len());
        self.at += length;
        &rest[..length]
    }

    /// Reads a name, empty if there is none.
    pub(super) fn name(&mut self) -> &'m str {
        self.run(|before, byte| byte == b'_' || byte.is_ascii_alphabetic() || byte.is_ascii_digit() && !before.is_empty())
    }

    /// Reads a number or a name, without a sign; empty if there is none.
    pub(super) fn word(&mut self) -> &'m str {
        self.run(|before, byte| {
            let exponent = matches!(before, [b'0'..=b'9' | b'.', .., b'e' | b'E']) && !before.starts_with(b"0x");
            byte == b'_' || byte == b'.' || byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-') && exponent
        })
    }

    /// Reads the name in brackets behind the first one: that of an extension, or a type's with its
    /// prefix.
    pub(super) fn bracketed(&mut self) -> Result<String> {
        let mut name = String::new();
        loop {
            let part =
                self.run(|_, byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'/' | b'-' | b'~' | b'%' | b'!' | b'$'));
            if part.is_empty() {
                self.expect(b']')?;
                return Ok(name);
            }
            name.push_str(part);
        }
    }

    /// Steps over a field's value, from behind its name. Messages and lists in it nest at most
    /// `depth` deep.
    pub(super) fn skip_value(&mut self, depth: u32) -> Result<()> {
        // Closing brackets of the open messages and lists.
        let mut open = Vec::new();
        let mut opened = self.skip_start(true, &mut open)?;
        while let Some(&close) = open.last() {
            if open.len() > depth as usize {
                return Err(Error::data(ErrorKind::Limit, self.offset())
                    .seen(format!("more than {depth} messages within each other"))
                    .hint("the limit `depth` guards against hostile input; raise it if the message is genuine"));
            }
            // A comma separates the elements of a list, and may follow a field.
            if !opened && close != b']' {
                self.separator();
            } else if !opened && self.take(b',') {
                if self.peek() == Some(b']') {
                    return Err(self.wrong("a value behind the comma"));
                }
            } else if !opened && self.peek() != Some(b']') {
                return Err(self.wrong("`,` or `]`"));
            }
            if self.take(close) {
                open.pop();
                opened = false;
                continue;
            }
            let is_field = close != b']';
            if is_field {
                let named = if self.take(b'[') { !self.bracketed()?.is_empty() } else { !self.name().is_empty() };
                if !named {
                    return Err(self.wrong(format!("the name of a field, or `{}`", char::from(close))));
                }
            }
            opened = self.skip_start(is_field, &mut open)?;
        }
        Ok(())
    }

    /// Steps over a scalar, or opens a message or list and returns `true`. A field's value has a
    /// colon before it, which messages may lack.
    fn skip_start(&mut self, is_field: bool, open: &mut Vec<u8>) -> Result<bool> {
        let colon = !is_field || self.take(b':');
        let close = match self.peek() {
            Some(b'{') => b'}',
            Some(b'<') => b'>',
            Some(b'[') if is_field && colon => b']',
            _ if !colon => return Err(self.wrong("`:` and a value")),
            Some(b'"' | b'\'') => return self.strings(&mut Vec::new()).map(|()| false),
            _ => {
                self.take(b'-');
                if self.word().is_empty() {
                    return Err(self.wrong("a value"));
                }
                return Ok(false);
            }
        };
        self.at += 1;
        open.push(close);
        Ok(true)
    }

    /// Steps over an optional separator behind a field.
    pub(super) fn separator(&mut self) {
        let _ = self.take(b',') || self.take(b';');
    }

    /// Reads adjacent string literals, and appends their contents.
    pub(super) fn strings(&mut self, out: &mut Vec<u8>) -> Result<()> {
        let Some(b'"' | b'\'') = self.peek() else { return Err(self.wrong("a string in quotes")) };
        while let Some(quote @ (b'"' | b'\'')) = self.peek() {
            let start = self.at + 1;
            let bytes = self.text.as_bytes();
            let mut end = start;
            loop {
                match bytes.get(end) {
                    Some(byte) if *byte == quote => break,
                    Some(b'\\') => end += 2,
                    Some(b'\n') | None => {
                        return Err(Error::truncated(self.base + end.min(bytes.len()) as u64, "the quote that ends a string"));
                    }
                    Some(_) => end += 1,
                }
            }
            let said = unescape(&self.text[start..end]);
            let said = said.ok_or_else(|| {
                Error::data(ErrorKind::Syntax, self.offset())
                    .seen("an escape")
                    .expected("an escape of C, or \\u and four hexadecimal digits")
            })?;
            out.extend(said);
            self.at = end + 1;
        }
        Ok(())
    }
}

//! The words of `.proto` text (language spec, "Lexical Elements"), with their places.

use polywire_core::text::diagnostic::{Diagnostic, Place};

/// Distance of the stops of tabulators in source code info (`protoc`, `io::Tokenizer`).
const TAB: u32 = 8;

/// Kind of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// The end of the text.
    End,
    /// A name or keyword.
    Word,
    /// Digits in base 8, 10 or 16.
    Integer,
    /// A number with a point or an exponent.
    Float,
    /// One quoted string.
    Text,
    /// Any other single character.
    Symbol,
}

/// A word and its place. No word spans lines.
#[derive(Debug, Clone, Copy)]
pub(super) struct Token {
    pub kind: Kind,
    /// Offsets of its first byte, and after its last.
    pub start: u32,
    pub end: u32,
    /// Line and columns from 0, as source code info counts them.
    pub line: u32,
    pub column: u32,
    pub end_column: u32,
}

/// Splits a text into words.
pub(super) struct Lexer<'t> {
    pub text: &'t str,
    /// Index of the text among the sources.
    pub source: u32,
    pub faults: Vec<Diagnostic>,
    at: usize,
    line: u32,
    column: u32,
    /// Offset at which the text ends for this lexer.
    end: usize,
    /// True if `#` starts a comment, as in the text format.
    hashes: bool,
}

/// Largest number of faults of one text.
pub(super) const MAX_FAULTS: usize = 100;

impl<'t> Lexer<'t> {
    pub fn new(text: &'t str, source: u32) -> Lexer<'t> {
        Lexer { text, source, faults: Vec::new(), at: 0, line: 0, column: 0, end: text.len(), hashes: false }
    }

    /// Returns a lexer of a part of the text that is in the text format.
    pub fn part(text: &'t str, source: u32, start: u32, end: u32) -> Lexer<'t> {
        Lexer { at: start as usize, end: end as usize, hashes: true, ..Lexer::new(text, source) }
    }

    pub fn fault(&mut self, finding: Diagnostic) {
        if self.faults.len() < MAX_FAULTS {
            self.faults.push(finding);
        }
    }

    pub fn place(&self, start: usize, end: usize) -> Place {
        Place { source: self.source, start: start as u32, end: end as u32 }
    }

    fn wrong(&mut self, start: usize, end: usize, message: &str, hint: &str) {
        let place = self.place(start, end);
        self.fault(Diagnostic::error("schema_error", place, message).hint(hint));
    }

    pub fn line(&self) -> u32 {
        self.line
    }

    fn peek(&self) -> u8 {
        self.ahead(0)
    }

    fn ahead(&self, by: usize) -> u8 {
        if self.at + by < self.end { self.text.as_bytes()[self.at + by] } else { 0 }
    }

    pub fn done(&self) -> bool {
        self.at >= self.end
    }

    fn step(&mut self) {
        match self.peek() {
            b'\n' => (self.line, self.column) = (self.line + 1, 0),
            b'\t' => self.column += TAB - self.column % TAB,
            _ => self.column += 1,
        }
        self.at += 1;
    }

    fn take(&mut self, byte: u8) -> bool {
        let taken = !self.done() && self.peek() == byte;
        if taken {
            self.step();
        }
        taken
    }

    /// Steps over white space within a line.
    pub fn blanks(&mut self) {
        while matches!(self.peek(), b' ' | b'\t' | b'\r' | 11 | 12) {
            self.step();
        }
    }

    /// Steps over one line break.
    pub fn newline(&mut self) -> bool {
        self.take(b'\n')
    }

    /// Reports whether a comment starts here: `Some(true)` if it ends with its line.
    pub fn comment_kind(&self) -> Option<bool> {
        match (self.peek(), self.ahead(1)) {
            (b'/', b'/') => Some(true),
            (b'/', b'*') => Some(false),
            (b'#', _) if self.hashes => Some(true),
            _ => None,
        }
    }

    /// Steps over a comment to the end of its line, line break included, and appends its text.
    pub fn line_comment(&mut self, out: Option<&mut String>) {
        let start = self.at + 1 + usize::from(self.peek() == b'/');
        let rest = &self.text.as_bytes()[self.at..self.end];
        let end = rest.iter().position(|byte| *byte == b'\n').map_or(self.end, |length| self.at + length + 1);
        if let Some(out) = out {
            out.push_str(self.text.get(start..end).unwrap_or_default());
        }
        while self.at < end {
            self.step();
        }
    }

    /// Steps over a comment between `/*` and `*/`, and appends its text without the white space and
    /// asterisk that start each line.
    pub fn block_comment(&mut self, mut out: Option<&mut String>) {
        let opening = self.at;
        self.step();
        self.step();
        let mut start = self.at;
        let mut put = |text: &str| {
            if let Some(out) = &mut out {
                out.push_str(text);
            }
        };
        loop {
            if self.done() {
                put(&self.text[start..self.at]);
                return self.wrong(opening, opening + 2, "a comment without an end", "close it with `*/`");
            }
            match self.peek() {
                b'\n' => {
                    self.step();
                    put(&self.text[start..self.at]);
                    self.blanks();
                    if self.take(b'*') && self.take(b'/') {
                        return;
                    }
                    start = self.at;
                }
                b'*' if self.ahead(1) == b'/' => {
                    put(&self.text[start..self.at]);
                    self.step();
                    return self.step();
                }
                b'/' if self.ahead(1) == b'*' => {
                    self.wrong(self.at, self.at + 2, "a comment within a comment", "remove this `/*`, since the first `*/` ends both");
                    self.step();
                }
                _ => self.step(),
            }
        }
    }

    /// Returns the next word, behind white space and comments.
    pub fn next(&mut self) -> Token {
        loop {
            self.blanks();
            match self.comment_kind() {
                Some(true) => self.line_comment(None),
                Some(false) => self.block_comment(None),
                None if self.newline() => {}
                None => break,
            }
        }
        let (start, line, column) = (self.at, self.line, self.column);
        let kind = self.word(start);
        Token { kind, start: start as u32, end: self.at as u32, line, column, end_column: self.column }
    }

    fn letters(&mut self) {
        while self.peek().is_ascii_alphanumeric() || self.peek() == b'_' {
            self.step();
        }
    }

    fn word(&mut self, start: usize) -> Kind {
        match self.peek() {
            _ if self.done() => Kind::End,
            byte if byte.is_ascii_alphabetic() || byte == b'_' => {
                self.letters();
                if self.peek() == b'.' && self.ahead(1).is_ascii_digit() {
                    self.wrong(self.at, self.at + 1, "a number right behind a name", "put a space between them");
                }
                Kind::Word
            }
            byte if byte.is_ascii_digit() || (byte == b'.' && self.ahead(1).is_ascii_digit()) => self.number(start),
            quote @ (b'"' | b'\'') => {
                self.string(start, quote);
                Kind::Text
            }
            byte => {
                let mut length = 1;
                if !(b' '..127).contains(&byte) {
                    length = self.text[start..].chars().next().map_or(1, char::len_utf8);
                    let seen = format!("{:?} has no meaning here", self.text[start..].chars().next().unwrap_or_default());
                    self.wrong(start, start + length, &seen, "outside of strings and comments, texts are ASCII");
                }
                for _ in 0..length {
                    self.step();
                }
                Kind::Symbol
            }
        }
    }

    fn number(&mut self, start: usize) -> Kind {
        let mut kind = Kind::Integer;
        let digits = |this: &mut Self, test: fn(&u8) -> bool| {
            while test(&this.peek()) {
                this.step();
            }
        };
        if self.peek() == b'0' && matches!(self.ahead(1), b'x' | b'X') {
            self.step();
            self.step();
            if !self.peek().is_ascii_hexdigit() {
                self.wrong(start, self.at, "a hexadecimal number without digits", "write digits behind `0x`");
            }
            digits(self, u8::is_ascii_hexdigit);
        } else if self.peek() == b'0' && self.ahead(1).is_ascii_digit() {
            digits(self, u8::is_ascii_digit);
            if self.text.as_bytes()[start..self.at].iter().any(|byte| *byte > b'7') {
                self.wrong(start, self.at, "a number with a leading zero is octal, with digits up to 7", "remove the leading zero");
            }
        } else {
            digits(self, u8::is_ascii_digit);
            if self.take(b'.') {
                kind = Kind::Float;
                digits(self, u8::is_ascii_digit);
            }
            if matches!(self.peek(), b'e' | b'E') {
                kind = Kind::Float;
                self.step();
                if matches!(self.peek(), b'+' | b'-') {
                    self.step();
                }
                if !self.peek().is_ascii_digit() {
                    self.wrong(start, self.at, "an exponent without digits", "write digits behind `e`");
                }
                digits(self, u8::is_ascii_digit);
            }
        }
        if self.peek().is_ascii_alphabetic() || self.peek() == b'_' {
            self.wrong(self.at, self.at + 1, "a name right behind a number", "put a space between them");
        } else if self.peek() == b'.' {
            self.wrong(self.at, self.at + 1, "a point that the number cannot have", "hexadecimal and octal numbers are integers");
        }
        kind
    }

    fn string(&mut self, start: usize, quote: u8) {
        self.step();
        loop {
            match self.peek() {
                _ if self.done() => return self.wrong(start, start + 1, "a string without an end", "close it with the same quote"),
                b'\n' => {
                    return self.wrong(start, self.at, "a string without an end on its line", "write `\\n` for a line break");
                }
                0 => {
                    self.wrong(self.at, self.at + 1, "a zero byte in a string", "write `\\0`");
                    self.step();
                }
                b'\\' if self.ahead(1) != b'\n' && self.at + 1 < self.end => {
                    self.step();
                    self.step();
                }
                byte => {
                    self.step();
                    if byte == quote {
                        return;
                    }
                }
            }
        }
    }
}

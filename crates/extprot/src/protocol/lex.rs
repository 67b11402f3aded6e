//! Text to tokens (docs/spec/extprot.md 2.1).

use polywire_core::text::diagnostic::{Diagnostic, Place};

use super::comment;

/// Kind of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Token {
    /// Identifier with a lower case initial that is not a reserved word.
    Lower,
    /// Identifier with an upper case initial.
    Upper,
    /// Reserved word.
    Reserved,
    /// String literal.
    String,
    /// Integer literal.
    Int,
    /// Integer literal with the suffix `L`.
    Long,
    /// Number literal with a point or an exponent.
    Float,
    /// Punctuation, compound tokens included.
    Mark(&'static str),
    /// End of the file.
    End,
}

/// A token with its place.
#[derive(Debug, Clone)]
pub struct Lexeme {
    /// Kind of the token.
    pub token: Token,
    /// Offset of its first byte.
    pub start: u32,
    /// Offset after its last byte.
    pub end: u32,
    /// Number of comments before it.
    pub comments: u32,
}

/// A comment with its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Comment {
    /// Offset of `(*`.
    pub start: u32,
    /// Offset after `*)`.
    pub end: u32,
}

/// Tokens of a text; the last one is [`Token::End`].
#[derive(Debug, Default)]
pub struct Lexed {
    /// Tokens in order.
    pub tokens: Vec<Lexeme>,
    /// Comments in order.
    pub comments: Vec<Comment>,
    /// Lexical errors.
    pub findings: Vec<Diagnostic>,
}

const RESERVED: &[&str] = &[
    "message", "type", "include", "options", "mutable", "not", "bool", "byte", "int", "long", "float", "string", "true", "false", "eager",
    "lazy", "autolazy",
];

/// Returns whether a word is reserved.
pub fn is_reserved(word: &str) -> bool {
    RESERVED.contains(&word)
}

const COMPOUND: &[&str] = &["[|", "|]", "{|", "|}", "[@"];
const SINGLE: &[&str] = &["=", ":", ";", ",", ".", "*", "|", "'", "-", "(", ")", "<", ">", "{", "}", "[", "]", "@"];

/// Splits a text into tokens. `source` is its number in places.
pub fn lex(text: &str, source: u32) -> Lexed {
    let mut lexer = Lexer { text, bytes: text.as_bytes(), at: 0, source, out: Lexed::default() };
    lexer.run();
    lexer.out
}

struct Lexer<'t> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
    source: u32,
    out: Lexed,
}

impl Lexer<'_> {
    fn run(&mut self) {
        while let Some(&byte) = self.bytes.get(self.at) {
            let start = self.at;
            match byte {
                b' ' | b'\t' | b'\n' | b'\r' | b'\x0c' => self.at += 1,
                b'(' if self.bytes.get(start + 1) == Some(&b'*') => {
                    match comment::end(self.bytes, start) {
                        Some(end) => self.at = end,
                        None => {
                            self.at = self.bytes.len();
                            let opening = self.place(start, start + 2);
                            self.out.findings.push(
                                Diagnostic::error("syntax_error", opening, "a comment without end")
                                    .hint("comments nest, and a string in a comment hides a `*)` in it: each `(*` needs its own `*)`"),
                            );
                        }
                    }
                    self.out.comments.push(Comment { start: start as u32, end: self.at as u32 });
                }
                b'a'..=b'z' | b'_' | b'A'..=b'Z' => {
                    self.skip(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'\''));
                    let word = &self.text[start..self.at];
                    self.push(
                        start,
                        match byte {
                            b'A'..=b'Z' => Token::Upper,
                            _ if is_reserved(word) => Token::Reserved,
                            _ => Token::Lower,
                        },
                    );
                }
                b'0'..=b'9' => {
                    let token = self.number();
                    self.push(start, token);
                }
                b'"' => self.string(),
                _ => self.mark(),
            }
        }
        self.push(self.at, Token::End);
    }

    fn place(&self, start: usize, end: usize) -> Place {
        Place { source: self.source, start: start as u32, end: end as u32 }
    }

    fn push(&mut self, start: usize, token: Token) {
        let comments = self.out.comments.len() as u32;
        self.out.tokens.push(Lexeme { token, start: start as u32, end: self.at as u32, comments });
    }

    fn skip(&mut self, belongs: impl Fn(u8) -> bool) {
        while self.bytes.get(self.at).is_some_and(|byte| belongs(*byte)) {
            self.at += 1;
        }
    }

    fn mark(&mut self) {
        let start = self.at;
        let rest = &self.bytes[start..];
        if let Some(mark) = COMPOUND.iter().chain(SINGLE).find(|mark| rest.starts_with(mark.as_bytes())) {
            self.at += mark.len();
            return self.push(start, Token::Mark(mark));
        }
        let Some(letter) = self.text[start..].chars().next() else { return };
        // A run of foreign characters is one finding, so that text in another script is one error.
        let foreign = |c: &char| !c.is_ascii() || c.is_ascii_control() || "!#$%&+/?\\^`~".contains(*c);
        let length: usize = self.text[start..].chars().take_while(|c| foreign(c) && !c.is_whitespace()).map(char::len_utf8).sum();
        self.at += length.max(letter.len_utf8());
        if letter.is_alphabetic() {
            // Probably meant as a name, or as part of one.
            self.skip(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'\''));
            match self.out.tokens.last_mut() {
                Some(word) if word.end as usize == start && matches!(word.token, Token::Lower | Token::Upper | Token::Reserved) => {
                    word.end = self.at as u32;
                    if word.token == Token::Reserved {
                        word.token = Token::Lower;
                    }
                }
                _ => self.push(start, Token::Lower),
            }
        }
        let finding = Diagnostic::error("syntax_error", self.place(start, self.at), format!("{letter:?} has no meaning here"));
        self.out.findings.push(match letter.is_ascii() {
            true => finding,
            false => finding.hint("names are ASCII; other letters are allowed in strings and comments only"),
        });
    }

    fn number(&mut self) -> Token {
        let base = match (self.bytes[self.at], self.bytes.get(self.at + 1).map(u8::to_ascii_lowercase)) {
            (b'0', Some(b'x')) => 16,
            (b'0', Some(b'o')) => 8,
            (b'0', Some(b'b')) => 2,
            _ => 10,
        };
        let is_digit = |byte: &u8| char::from(*byte).is_digit(base);
        if base != 10 && self.bytes.get(self.at + 2).is_some_and(is_digit) {
            self.at += 2;
            self.skip(|byte| is_digit(&byte) || byte == b'_');
        } else {
            let digits = |byte: u8| byte.is_ascii_digit() || byte == b'_';
            self.skip(digits);
            let mut float = false;
            if self.bytes.get(self.at) == Some(&b'.') {
                float = true;
                self.at += 1;
                self.skip(digits);
            }
            if matches!(self.bytes.get(self.at), Some(b'e' | b'E')) {
                let sign = usize::from(matches!(self.bytes.get(self.at + 1), Some(b'+' | b'-')));
                if self.bytes.get(self.at + 1 + sign).is_some_and(u8::is_ascii_digit) {
                    float = true;
                    self.at += 1 + sign;
                    self.skip(digits);
                }
            }
            if float {
                return Token::Float;
            }
        }
        if self.bytes.get(self.at) == Some(&b'L') {
            self.at += 1;
            return Token::Long;
        }
        Token::Int
    }

    fn string(&mut self) {
        let start = self.at;
        self.at += 1;
        loop {
            match self.bytes.get(self.at) {
                None => {
                    let opening = self.place(start, start + 1);
                    self.out
                        .findings
                        .push(Diagnostic::error("syntax_error", opening, "a string without an end").hint("close it with `\"`"));
                    break;
                }
                Some(b'"') => {
                    self.at += 1;
                    break;
                }
                Some(b'\\') => match escape(&self.bytes[self.at..]) {
                    Some((length, _)) => self.at += length,
                    None => {
                        let letter = self.text[self.at + 1..].chars().next().map_or(0, char::len_utf8);
                        let at = self.place(self.at, self.at + 1 + letter);
                        self.out.findings.push(
                            Diagnostic::error("syntax_error", at, "an unknown escape")
                                .hint("there are \\n \\t \\b \\r \\\\ \\\" \\' \\065 (three decimal digits, at most 255) and \\x41"),
                        );
                        self.at += 1 + letter;
                    }
                },
                Some(_) => self.at += 1,
            }
        }
        self.push(start, Token::String);
    }
}

/// Returns the length of the escape at the start of `bytes`, and its byte; `None` for the byte of
/// an escaped line break.
fn escape(bytes: &[u8]) -> Option<(usize, Option<u8>)> {
    let digits = |at: usize, count: usize, base: u32| {
        let digits = bytes.get(at..at + count)?;
        digits.iter().try_fold(0u32, |value, digit| Some(value * base + char::from(*digit).to_digit(base)?))
    };
    Some(match bytes.get(1)? {
        b'n' => (2, Some(b'\n')),
        b't' => (2, Some(b'\t')),
        b'b' => (2, Some(b'\x08')),
        b'r' => (2, Some(b'\r')),
        letter @ (b'\\' | b'"' | b'\'') => (2, Some(*letter)),
        b'x' => (4, Some(digits(2, 2, 16)? as u8)),
        b'0'..=b'9' => (4, Some(u8::try_from(digits(1, 3, 10)?).ok()?)),
        b'\n' | b'\r' => {
            let newline = if bytes[1..].starts_with(b"\r\n") { 3 } else { 2 };
            let blanks = bytes[newline..].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
            (newline + blanks, None)
        }
        _ => return None,
    })
}

/// Returns the bytes of a string literal, with or without its quotes.
pub fn unescaped(literal: &[u8]) -> Vec<u8> {
    let inner = literal.strip_prefix(b"\"").unwrap_or(literal);
    let mut out = Vec::with_capacity(inner.len());
    let mut at = 0;
    while let Some(&byte) = inner.get(at) {
        match byte {
            b'"' => break,
            b'\\' => match escape(&inner[at..]) {
                Some((length, stands_for)) => {
                    out.extend(stands_for);
                    at += length;
                    continue;
                }
                None => out.push(byte),
            },
            _ => out.push(byte),
        }
        at += 1;
    }
    out
}

/// Appends the string literal of `bytes`: UTF-8 as it is, other bytes as escapes.
pub fn escaped(bytes: &[u8], out: &mut String) {
    out.push('"');
    for chunk in bytes.utf8_chunks() {
        for letter in chunk.valid().chars() {
            match letter {
                '"' => out.push_str("\\\""),
                '\\' => out.push_str("\\\\"),
                '\n' => out.push_str("\\n"),
                '\t' => out.push_str("\\t"),
                '\r' => out.push_str("\\r"),
                '\x08' => out.push_str("\\b"),
                c if c.is_control() && c.is_ascii() => out.push_str(&format!("\\x{:02x}", c as u32)),
                c => out.push(c),
            }
        }
        for byte in chunk.invalid() {
            out.push_str(&format!("\\x{byte:02x}"));
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Vec<Token> {
        let lexed = lex(text, 0);
        assert!(lexed.findings.is_empty(), "{text}: {:?}", lexed.findings);
        lexed.tokens.iter().map(|lexeme| lexeme.token).collect()
    }

    #[test]
    fn tokens_are_as_specified() {
        use Token::{End, Float, Int, Long, Lower, Mark, Reserved, String, Upper};
        assert_eq!(tokens("type a' = Foo 'b"), [Reserved, Lower, Mark("="), Upper, Mark("'"), Lower, End]);
        assert_eq!(
            tokens("[|x|] {|a|} [@ [ @"),
            [Mark("[|"), Lower, Mark("|]"), Mark("{|"), Lower, Mark("|}"), Mark("[@"), Mark("["), Mark("@"), End]
        );
        assert_eq!(tokens("0x1F 0O17 0b1_1 1_000L 1. 1.5 2e10 3E-4 9"), [Int, Int, Int, Long, Float, Float, Float, Float, Int, End]);
        assert_eq!(tokens("(* (* \"*)\" *) *) \"(*\""), [String, End]);
        assert_eq!(tokens(">>"), [Mark(">"), Mark(">"), End]);
    }

    #[test]
    fn strings_have_the_escapes_of_the_language() {
        assert_eq!(unescaped(b"\"a\\n\\x41\\066\\\\\\\"\\'\""), b"a\nAB\\\"'");
        assert_eq!(unescaped(b"\"one \\\n   two\""), b"one two");
        for bad in ["\"\\q\"", "\"\\256\"", "\"\\x4\"", "\"open", "(* open", "ü", "\u{0}", "(* \" *)"] {
            assert!(!lex(bad, 0).findings.is_empty(), "{bad}");
        }
        for bytes in [&b"plain"[..], b"q\"b\\ n\n t\t \xff\x00\x7f \xc3\xa4", b""] {
            let mut literal = String::new();
            escaped(bytes, &mut literal);
            assert_eq!(unescaped(literal.as_bytes()), bytes, "{literal}");
            assert_eq!(tokens(&literal), [Token::String, Token::End]);
        }
    }
}

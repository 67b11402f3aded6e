//! Words of a module's text (X.680 clause 12), each with its bytes.

use polywire_core::text::diagnostic::{Diagnostic, Place};

/// Kind of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A word that starts with an upper-case letter: a type reference, module name or keyword.
    Upper,
    /// A word that starts with a lower-case letter: an identifier or value reference.
    Lower,
    /// `&` and an upper-case name: a field of types, value sets or object sets (X.681 7).
    UpperField,
    /// `&` and a lower-case name: a field of a value or object (X.681 7).
    LowerField,
    /// Digits alone.
    Number,
    /// Digits with a fraction or an exponent.
    Real,
    /// `'…'B`.
    Bits,
    /// `'…'H`.
    Hex,
    /// `"…"`, with the quotes.
    Text,
    /// `::=`.
    Assign,
    /// `..`.
    Range,
    /// `...`.
    Ellipsis,
    /// `[[`, with no space between.
    OpenGroup,
    /// `]]`, with no space between.
    CloseGroup,
    /// Any other sign of X.680 12.37, and a character that ASN.1 does not have.
    Sign(char),
    /// End of the text.
    End,
}

/// Word of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Word {
    /// Kind of the word.
    pub kind: Kind,
    /// True if nothing but white space and comments is before it on its line.
    pub first: bool,
    /// Offset of its first byte.
    pub start: u32,
    /// Offset after its last byte.
    pub end: u32,
}

/// Text with its words and comments.
#[derive(Debug, Clone, Default)]
pub struct Words {
    /// Index of the source that places refer to.
    pub source: u32,
    /// The text.
    pub text: String,
    /// The words in order; the last one is [`Kind::End`].
    pub words: Vec<Word>,
    /// Byte ranges of the comments in order, with their `--` or `/* */`.
    pub comments: Vec<(u32, u32)>,
}

impl Words {
    /// Splits a text into words. Returns the cautions and errors about its characters as well. The
    /// text must be shorter than 4 GiB.
    pub fn new(source: u32, text: String) -> (Words, Vec<Diagnostic>) {
        let mut lexer = Lexer { source, text: &text, at: 0, first: true, words: Vec::new(), comments: Vec::new(), found: Vec::new() };
        lexer.run();
        let Lexer { words, comments, found, .. } = lexer;
        (Words { source, text, words, comments }, found)
    }

    /// Returns the bytes of a word as text.
    pub fn of(&self, word: Word) -> &str {
        &self.text[word.start as usize..word.end as usize]
    }

    /// Returns the place of a word.
    pub fn place(&self, word: Word) -> Place {
        Place { source: self.source, start: word.start, end: word.end }
    }
}

/// Keywords of X.680 12.38 and of its amendments, which no type may have as its name.
pub const KEYWORDS: &[&str] = &[
    "ABSENT",
    "ABSTRACT-SYNTAX",
    "ALL",
    "APPLICATION",
    "AUTOMATIC",
    "BEGIN",
    "BIT",
    "BMPString",
    "BOOLEAN",
    "BY",
    "CHARACTER",
    "CHOICE",
    "CLASS",
    "COMPONENT",
    "COMPONENTS",
    "CONSTRAINED",
    "CONTAINING",
    "DATE",
    "DATE-TIME",
    "DEFAULT",
    "DEFINITIONS",
    "DURATION",
    "EMBEDDED",
    "ENCODED",
    "ENCODING-CONTROL",
    "END",
    "ENUMERATED",
    "EXCEPT",
    "EXPLICIT",
    "EXPORTS",
    "EXTENSIBILITY",
    "EXTERNAL",
    "FALSE",
    "FROM",
    "GeneralString",
    "GeneralizedTime",
    "GraphicString",
    "IA5String",
    "IDENTIFIER",
    "IMPLICIT",
    "IMPLIED",
    "IMPORTS",
    "INCLUDES",
    "INSTANCE",
    "INSTRUCTIONS",
    "INTEGER",
    "INTERSECTION",
    "ISO646String",
    "MAX",
    "MIN",
    "MINUS-INFINITY",
    "NOT-A-NUMBER",
    "NULL",
    "NumericString",
    "OBJECT",
    "OCTET",
    "OF",
    "OID-IRI",
    "OPTIONAL",
    "ObjectDescriptor",
    "PATTERN",
    "PDV",
    "PLUS-INFINITY",
    "PRESENT",
    "PRIVATE",
    "PrintableString",
    "REAL",
    "RELATIVE-OID",
    "RELATIVE-OID-IRI",
    "SEQUENCE",
    "SET",
    "SETTINGS",
    "SIZE",
    "STRING",
    "SYNTAX",
    "T61String",
    "TAGS",
    "TIME",
    "TIME-OF-DAY",
    "TRUE",
    "TYPE-IDENTIFIER",
    "TeletexString",
    "UNION",
    "UNIQUE",
    "UNIVERSAL",
    "UTCTime",
    "UTF8String",
    "UniversalString",
    "VideotexString",
    "VisibleString",
    "WITH",
];

struct Lexer<'t> {
    source: u32,
    text: &'t str,
    at: usize,
    first: bool,
    words: Vec<Word>,
    comments: Vec<(u32, u32)>,
    found: Vec<Diagnostic>,
}

impl Lexer<'_> {
    fn run(&mut self) {
        let bytes = self.text.as_bytes();
        while let Some(&byte) = bytes.get(self.at) {
            let next = bytes.get(self.at + 1).copied();
            match byte {
                b'\n' | 0x0b | 0x0c | b'\r' => {
                    self.first = true;
                    self.at += 1;
                }
                b' ' | b'\t' | 0 | 0x1a => self.at += 1,
                b'-' if next == Some(b'-') => self.line_comment(),
                b'/' if next == Some(b'*') => self.block_comment(),
                b'A'..=b'Z' => self.name(Kind::Upper),
                b'a'..=b'z' => self.name(Kind::Lower),
                b'&' => self.field(next),
                b'0'..=b'9' => self.number(),
                b'"' => self.text(),
                b'\'' => self.quoted_digits(),
                b':' if bytes[self.at..].starts_with(b"::=") => self.push(Kind::Assign, 3),
                b':' if self.torn_assign() > 0 => self.push(Kind::Assign, self.torn_assign()),
                b'.' if bytes[self.at..].starts_with(b"...") => self.push(Kind::Ellipsis, 3),
                b'.' if next == Some(b'.') => self.push(Kind::Range, 2),
                b'[' if next == Some(b'[') => self.push(Kind::OpenGroup, 2),
                b']' if next == Some(b']') => self.push(Kind::CloseGroup, 2),
                0..0x80 => self.push(Kind::Sign(char::from(byte)), 1),
                _ => self.foreign(),
            }
        }
        self.push(Kind::End, 0);
    }

    fn place(&self, start: usize, end: usize) -> Place {
        Place { source: self.source, start: start as u32, end: end as u32 }
    }

    fn push(&mut self, kind: Kind, length: usize) {
        let start = self.at;
        self.at += length;
        self.words.push(Word { kind, first: self.first, start: start as u32, end: self.at as u32 });
        self.first = false;
    }

    /// X.680 12.6.3: to the next `--`, or to the end of the line.
    fn line_comment(&mut self) {
        let start = self.at;
        let bytes = self.text.as_bytes();
        self.at += 2;
        while let Some(&byte) = bytes.get(self.at) {
            if matches!(byte, b'\n' | 0x0b | 0x0c | b'\r') {
                break;
            }
            if byte == b'-' && bytes.get(self.at + 1) == Some(&b'-') {
                self.at += 2;
                break;
            }
            self.at += 1;
        }
        self.comments.push((start as u32, self.at as u32));
    }

    /// X.680 12.6.4: comments of this form may be within each other.
    fn block_comment(&mut self) {
        let start = self.at;
        let bytes = self.text.as_bytes();
        let mut depth = 0usize;
        while let Some(&byte) = bytes.get(self.at) {
            match (byte, bytes.get(self.at + 1)) {
                (b'/', Some(b'*')) => (depth, self.at) = (depth + 1, self.at + 2),
                (b'*', Some(b'/')) => (depth, self.at) = (depth - 1, self.at + 2),
                _ => self.at += 1,
            }
            if depth == 0 {
                break;
            }
        }
        if depth > 0 {
            let place = self.place(start, start + 2);
            self.found.push(Diagnostic::error("open_comment", place, "this comment has no end").hint("close it with */ (X.680 12.6)"));
        }
        self.comments.push((start as u32, self.at as u32));
    }

    /// Returns the length of a `::=` with blanks in it, or 0.
    fn torn_assign(&self) -> usize {
        let Some(rest) = self.text[self.at..].strip_prefix("::") else { return 0 };
        let blank = rest.len() - rest.trim_start_matches(' ').len();
        if blank > 0 && rest[blank..].starts_with('=') { 3 + blank } else { 0 }
    }

    /// X.680 12.2 and 12.3. Underscores, and a hyphen at the end, are not standard.
    fn name(&mut self, kind: Kind) {
        let bytes = self.text.as_bytes();
        let start = self.at;
        let mut end = start + 1;
        let mut odd = "";
        while let Some(&byte) = bytes.get(end) {
            match byte {
                b'_' => odd = "an underscore",
                b'-' if bytes.get(end + 1) == Some(&b'-') => break,
                b'-' if !bytes.get(end + 1).is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_') => break,
                b'-' => {}
                byte if byte.is_ascii_alphanumeric() => {}
                // A dash between letters is a hyphen that a word processor has changed.
                0x80.. if self.dash(end) > 0 => {
                    odd = "a dash that is no hyphen";
                    end += self.dash(end) - 1;
                }
                _ => break,
            }
            end += 1;
        }
        if !odd.is_empty() {
            let place = self.place(start, end);
            let name = &self.text[start..end];
            self.found.push(
                Diagnostic::warning("odd_name", place, format!("the name `{name}` has {odd}"))
                    .hint("names have letters, digits and single hyphens (X.680 12.2)"),
            );
        }
        self.push(kind, end - start);
    }

    /// Returns the length of a dash before a letter or digit, or 0.
    fn dash(&self, at: usize) -> usize {
        let mut letters = self.text[at..].chars();
        match (letters.next(), letters.next()) {
            (Some(dash @ '\u{2010}'..='\u{2015}'), Some(next)) if next.is_ascii_alphanumeric() => dash.len_utf8(),
            _ => 0,
        }
    }

    fn field(&mut self, next: Option<u8>) {
        let kind = match next {
            Some(b'A'..=b'Z') => Kind::UpperField,
            Some(b'a'..=b'z') => Kind::LowerField,
            _ => return self.push(Kind::Sign('&'), 1),
        };
        let start = self.at;
        self.at += 1;
        self.name(kind);
        if let Some(word) = self.words.last_mut() {
            word.start = start as u32;
        }
    }

    /// X.680 12.8 and 12.9.
    fn number(&mut self) {
        let bytes = self.text.as_bytes();
        let digits = |mut at: usize| {
            while bytes.get(at).is_some_and(u8::is_ascii_digit) {
                at += 1;
            }
            at
        };
        let mut kind = Kind::Number;
        let mut end = digits(self.at);
        if bytes.get(end) == Some(&b'.') && bytes.get(end + 1) != Some(&b'.') {
            kind = Kind::Real;
            end = digits(end + 1);
        }
        if matches!(bytes.get(end), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(bytes.get(end + 1), Some(b'-' | b'+')));
            if bytes.get(end + 1 + sign).is_some_and(u8::is_ascii_digit) {
                kind = Kind::Real;
                end = digits(end + 1 + sign);
            }
        }
        self.push(kind, end - self.at);
    }

    /// X.680 12.14: a quote inside is written twice.
    fn text(&mut self) {
        let bytes = self.text.as_bytes();
        let mut end = self.at + 1;
        loop {
            match bytes.get(end) {
                None => {
                    let place = self.place(self.at, self.at + 1);
                    self.found.push(Diagnostic::error("open_text", place, "this text has no closing quote").hint("X.680 12.14"));
                    break;
                }
                Some(b'"') if bytes.get(end + 1) == Some(&b'"') => end += 2,
                Some(b'"') => {
                    end += 1;
                    break;
                }
                Some(_) => end += 1,
            }
        }
        self.push(Kind::Text, end - self.at);
    }

    /// X.680 12.10 and 12.12.
    fn quoted_digits(&mut self) {
        let bytes = self.text.as_bytes();
        // A word processor writes two single quotes for one that opens, and for one that closes.
        let quotes =
            if bytes[self.at..].starts_with(b"''") && !matches!(bytes.get(self.at + 2), Some(b'B' | b'b' | b'H' | b'h')) { 2 } else { 1 };
        let start = self.at + quotes;
        let close = bytes[start..].iter().position(|byte| *byte == b'\'').map(|length| start + length);
        let Some(close) = close else { return self.push(Kind::Sign('\''), 1) };
        let end = if bytes[close..].starts_with(b"''") && quotes == 2 { close + 2 } else { close + 1 };
        let kind = match bytes.get(end) {
            Some(b'B' | b'b') => Kind::Bits,
            Some(b'H' | b'h') => Kind::Hex,
            _ => return self.push(Kind::Sign('\''), 1),
        };
        let wrong = |byte: &u8| match kind {
            Kind::Bits => !matches!(byte, b'0' | b'1') && !byte.is_ascii_whitespace(),
            _ => !byte.is_ascii_hexdigit() && !byte.is_ascii_whitespace(),
        };
        if let Some(wrong) = bytes[start..close].iter().position(wrong) {
            let at = start + wrong;
            let place = self.place(at, at + self.text[at..].chars().next().map_or(1, char::len_utf8));
            self.found.push(Diagnostic::error("odd_digit", place, "this is no digit of the quoted number").hint("X.680 12.10, 12.12"));
        }
        if quotes == 2 {
            let place = self.place(self.at, end + 1);
            self.found.push(
                Diagnostic::warning("doubled_quotes", place, "a number in doubled quotes")
                    .hint("one quote stands at each side (X.680 12.10, 12.12)"),
            );
        }
        self.push(kind, end + 1 - self.at);
    }

    fn foreign(&mut self) {
        let Some(letter) = self.text[self.at..].chars().next() else { return };
        let length = letter.len_utf8();
        let blank = letter.is_whitespace() || matches!(letter, '\u{feff}' | '\u{200b}' | '\u{1a}');
        if blank {
            if letter == '\u{85}' || letter == '\u{2028}' {
                self.first = true;
            }
            self.at += length;
        } else if matches!(letter, '\u{2010}'..='\u{2015}' | '\u{2212}') {
            let place = self.place(self.at, self.at + length);
            self.found.push(
                Diagnostic::warning("odd_hyphen", place, format!("`{letter}` is taken for a hyphen"))
                    .hint("ASN.1 has the hyphen-minus U+002D alone (X.680 12.1)"),
            );
            self.push(Kind::Sign('-'), length);
        } else {
            self.push(Kind::Sign(letter), length);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<(Kind, String)> {
        let (words, _) = Words::new(0, text.to_string());
        words.words.iter().map(|word| (word.kind, words.of(*word).to_string())).collect()
    }

    #[test]
    fn doubled_quotes_are_a_caution() {
        let (words, found) = Words::new(0, "''01''B ''AF''H ''01'B ''B ''H".to_string());
        let kinds: Vec<Kind> = words.words.iter().map(|word| word.kind).collect();
        assert_eq!(kinds, [Kind::Bits, Kind::Hex, Kind::Bits, Kind::Bits, Kind::Hex, Kind::End]);
        assert_eq!(found.iter().map(|one| one.code).collect::<Vec<_>>(), ["doubled_quotes"; 3]);
    }

    #[test]
    fn words_have_their_kinds() {
        let found = kinds("My-Type ::= [[ &Type &id a-b--c--1..2 1.5E-3 '01 1'B 'AF'H \"a\"\"b\" ... ]]");
        let expected = [
            (Kind::Upper, "My-Type"),
            (Kind::Assign, "::="),
            (Kind::OpenGroup, "[["),
            (Kind::UpperField, "&Type"),
            (Kind::LowerField, "&id"),
            (Kind::Lower, "a-b"),
            (Kind::Number, "1"),
            (Kind::Range, ".."),
            (Kind::Number, "2"),
            (Kind::Real, "1.5E-3"),
            (Kind::Bits, "'01 1'B"),
            (Kind::Hex, "'AF'H"),
            (Kind::Text, "\"a\"\"b\""),
            (Kind::Ellipsis, "..."),
            (Kind::CloseGroup, "]]"),
            (Kind::End, ""),
        ];
        assert_eq!(found, expected.map(|(kind, text)| (kind, text.to_string())));
    }

    #[test]
    fn comments_end_where_the_standard_says() {
        let (words, found) = Words::new(0, "a -- b -- c -- d\ne /* f /* g */ h */ i -- j".to_string());
        let names: Vec<&str> = words.words.iter().map(|word| words.of(*word)).collect();
        assert_eq!(names, ["a", "c", "e", "i", ""]);
        assert_eq!(words.comments.len(), 4);
        assert!(found.is_empty());
        let (_, found) = Words::new(0, "a /* /* */".to_string());
        assert_eq!((found[0].code, found[0].at.start), ("open_comment", 2));
    }
}

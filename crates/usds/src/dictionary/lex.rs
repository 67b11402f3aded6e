//! Words of both syntaxes (docs/spec/usds.md 2.1).

use polywire_core::text::diagnostic::Place;

use crate::error::Revision;

/// WordKind of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WordKind {
    /// A name.
    Name,
    /// A keyword, which may consist of several words.
    Keyword(&'static str),
    /// Digits, with `-` before them where that is allowed.
    Number,
    /// A sign: `: = . { } [ ] ; < > ,`.
    Sign(u8),
    /// `||`.
    Or,
    /// Quoted text, including the quotes.
    Text,
    /// An illegal character, or text without its closing quote.
    Illegal,
    /// End of the text.
    End,
}

/// A word of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Word {
    /// WordKind of the word.
    pub kind: WordKind,
    /// Place of the word.
    pub at: Place,
}

/// Words separated by blanks other than line breaks, which form one keyword of A.
pub const HEAD_A: &str = "USDS DICTIONARY ID";
const JOINED_A: &[&[&str]] = &[&["USDS", "DICTIONARY", "ID"], &["UNSIGNED", "VARINT"]];
const JOINED_A_NAMES: &[&str] = &[HEAD_A, "UNSIGNED VARINT"];
const KEYWORDS_A: &[&str] =
    &["STRUCT", "RESTRICT", "notRoot", "BOOLEAN", "INT", "LONG", "DOUBLE", "VARINT", "STRING", "ARRAY", "true", "false"];
const KEYWORDS_B: &[&str] = &[
    "USDS", "RESTRICT", "notRoot", "BOOLEAN", "BYTE", "UBYTE", "SHORT", "USHORT", "INT", "UINT", "LONG", "ULONG", "INT128", "UINT128",
    "FLOAT", "DOUBLE", "VARINT", "UVARINT", "STRING", "ENUM", "NULL", "true", "false",
];

/// Returns whether texts of the revision allow the word as a name.
pub fn is_name(word: &str, revision: Revision) -> bool {
    has_form(word) && !keywords(revision).contains(&word)
}

/// Returns whether the word has the form of a name, keyword or not.
pub fn has_form(word: &str) -> bool {
    let bytes = word.as_bytes();
    bytes.first().is_some_and(|first| is_first(*first)) && bytes.iter().all(|byte| is_inner(*byte))
}

fn keywords(revision: Revision) -> &'static [&'static str] {
    if revision.is_a() { KEYWORDS_A } else { KEYWORDS_B }
}

fn is_first(byte: u8) -> bool {
    byte == b'_' || byte.is_ascii_alphabetic()
}

fn is_inner(byte: u8) -> bool {
    byte == b'_' || byte.is_ascii_alphanumeric()
}

/// Returns whether the text starts like one of A, with any white space between its words.
pub fn looks_like_a(text: &str) -> bool {
    let mut words = text.split([' ', '\t', '\r', '\n']).filter(|word| !word.is_empty());
    words.next() == Some("USDS")
        && words.next() == Some("DICTIONARY")
        && words.next().is_some_and(|word| word.strip_prefix("ID").is_some_and(|rest| !rest.bytes().next().is_some_and(is_inner)))
}

/// Returns the words of a text, with a [`WordKind::End`] at the end.
pub fn words(text: &str, revision: Revision) -> Vec<Word> {
    let mut words = Vec::new();
    let mut at = 0;
    if !revision.is_a() && text.starts_with('\u{feff}') {
        at = 3;
    }
    loop {
        let rest = &text[at..];
        let blank = rest.bytes().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n')).count();
        at += blank;
        let rest = &rest[blank..];
        let (kind, len) = match rest.bytes().next() {
            None => {
                words.push(Word { kind: WordKind::End, at: place(at, at) });
                return words;
            }
            Some(first) => word(rest, first, revision),
        };
        words.push(Word { kind, at: place(at, at + len) });
        at += len;
    }
}

/// Returns a range of the text.
pub fn place(start: usize, end: usize) -> Place {
    Place { source: 0, start: start as u32, end: end as u32 }
}

fn word(rest: &str, first: u8, revision: Revision) -> (WordKind, usize) {
    let digits = |from: usize| rest.bytes().skip(from).take_while(u8::is_ascii_digit).count();
    match first {
        b':' | b'=' | b'.' | b'{' | b'}' | b';' | b'<' | b'>' => (WordKind::Sign(first), 1),
        b'[' | b']' | b',' if !revision.is_a() => (WordKind::Sign(first), 1),
        b'|' if !revision.is_a() && rest.starts_with("||") => (WordKind::Or, 2),
        b'0'..=b'9' => (WordKind::Number, digits(0)),
        b'-' if !revision.is_a() && digits(1) > 0 => (WordKind::Number, 1 + digits(1)),
        b'"' if !revision.is_a() => text_literal(rest),
        _ if is_first(first) => name(rest, revision),
        _ => (WordKind::Illegal, rest.chars().next().map_or(1, char::len_utf8)),
    }
}

fn text_literal(rest: &str) -> (WordKind, usize) {
    let bytes = rest.as_bytes();
    let mut at = 1;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => return (WordKind::Text, at + 1),
            b'\\' if bytes.get(at + 1) == Some(&b'"') => at += 2,
            _ => at += 1,
        }
    }
    (WordKind::Illegal, rest.len())
}

/// Returns the value of quoted text: `\"` is a quote, and nothing else is special.
pub fn unquoted(literal: &str) -> String {
    literal[1..literal.len() - 1].replace("\\\"", "\"")
}

fn name(rest: &str, revision: Revision) -> (WordKind, usize) {
    let length = |text: &str| text.bytes().take_while(|byte| is_inner(*byte)).count();
    let len = length(rest);
    let own = &rest[..len];
    if own == "UTF" && rest[len..].starts_with("-8") {
        return (WordKind::Keyword("UTF-8"), len + 2);
    }
    if revision.is_a() {
        if own == "v" && rest[len..].starts_with('.') {
            return (WordKind::Keyword("v."), 2);
        }
        for (parts, whole) in JOINED_A.iter().zip(JOINED_A_NAMES) {
            if let Some(len) = joined(rest, parts) {
                return (WordKind::Keyword(whole), len);
            }
        }
    } else if own == "ENCODE" || own == "ENUMERATOR" {
        let blank = rest[len..].bytes().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n')).count();
        if rest[len + blank..].starts_with(':') {
            return (WordKind::Keyword(if own == "ENCODE" { "ENCODE:" } else { "ENUMERATOR:" }), len + blank + 1);
        }
    }
    match keywords(revision).iter().find(|keyword| **keyword == own) {
        Some(keyword) => (WordKind::Keyword(keyword), len),
        None => (WordKind::Name, len),
    }
}

/// Returns the total length of the words, if they are present with blanks but no line breaks
/// between them, and the last one ends where a name would.
fn joined(rest: &str, parts: &[&str]) -> Option<usize> {
    let mut at = 0;
    for (n, part) in parts.iter().enumerate() {
        if n > 0 {
            let blank = rest[at..].bytes().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r')).count();
            if blank == 0 {
                return None;
            }
            at += blank;
        }
        at += rest[at..].strip_prefix(part).map(|_| part.len())?;
    }
    (!rest[at..].bytes().next().is_some_and(is_inner)).then_some(at)
}

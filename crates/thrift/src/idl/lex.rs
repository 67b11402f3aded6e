//! Words of a text, each with its bytes. Comments are kept apart.

use polywire_core::text::diagnostic::{Diagnostic, Place};

/// Kind of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A name, with dots, or a keyword.
    Name,
    /// A whole number: digits or hexadecimal digits, with a sign.
    Int,
    /// A number with a point or an exponent.
    Double,
    /// Text in quotes.
    Literal,
    /// Any other character.
    Symbol,
    /// The end of the text.
    End,
}

/// A word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Word {
    pub kind: Kind,
    pub at: Place,
    /// Index of the first comment behind it.
    pub comments: usize,
}

/// A comment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Comment {
    pub at: Place,
    /// True for `/* … */`, false for a comment to the end of its line.
    pub block: bool,
}

/// Words and comments of a text. The last word is its end.
#[derive(Debug, Default)]
pub(crate) struct Words {
    pub words: Vec<Word>,
    pub comments: Vec<Comment>,
}

/// Splits a text, which is the source of that number.
///
/// # Errors
/// A comment or literal does not end, or a character belongs to no word.
pub(crate) fn lex(text: &str, source: u32) -> Result<Words, Box<Diagnostic>> {
    let bytes = text.as_bytes();
    let place = |start: usize, end: usize| Place { source, start: start as u32, end: end as u32 };
    let mut words = Words::default();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let start = at;
        let rest = &bytes[at..];
        let kind = match byte {
            b' ' | b'\t' | b'\r' | b'\n' => {
                at += 1;
                continue;
            }
            b'#' => line(&mut at, bytes),
            b'/' if rest.starts_with(b"//") => line(&mut at, bytes),
            b'/' if rest.starts_with(b"/*") => {
                let Some(end) = text[at + 2..].find("*/") else {
                    return Err(Diagnostic::error("open_comment", place(at, at + 2), "a comment without an end")
                        .hint("end it with `*/`")
                        .into());
                };
                at += end + 4;
                Some(true)
            }
            _ => None,
        }
        .map_or_else(|| word(text, &mut at).map(Ok), |block| Some(Err(block)));
        match kind {
            Some(Ok(kind)) => words.words.push(Word { kind, at: place(start, at), comments: words.comments.len() }),
            Some(Err(block)) => words.comments.push(Comment { at: place(start, at), block }),
            None => {
                let seen = text[start..].chars().next().unwrap_or_default();
                let (code, what) = match seen {
                    '"' | '\'' => ("open_literal", "text in quotes without an end".to_string()),
                    other => ("unknown_character", format!("the character {other:?}, which no word has")),
                };
                return Err(Diagnostic::error(code, place(start, start + seen.len_utf8()), what).into());
            }
        }
    }
    words.words.push(Word { kind: Kind::End, at: place(at, at), comments: words.comments.len() });
    Ok(words)
}

/// Steps to the end of the line, without the break.
fn line(at: &mut usize, bytes: &[u8]) -> Option<bool> {
    *at += bytes[*at..].iter().position(|byte| *byte == b'\n').unwrap_or(bytes.len() - *at);
    Some(false)
}

/// Steps over a word. `None` if there is none.
fn word(text: &str, at: &mut usize) -> Option<Kind> {
    let bytes = text.as_bytes();
    let start = *at;
    let skip = |at: &mut usize, is: fn(&u8) -> bool| *at += bytes[*at..].iter().take_while(|byte| is(byte)).count();
    match bytes[start] {
        b'a'..=b'z' | b'A'..=b'Z' | b'_' => {
            skip(at, |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.'));
            // Names of scopes have hyphens.
            Some(Kind::Name)
        }
        b'"' | b'\'' => {
            let mut end = start + 1;
            while *bytes.get(end)? != bytes[start] {
                end += if bytes[end] == b'\\' { 2 } else { 1 };
            }
            *at = end + 1;
            Some(Kind::Literal)
        }
        b'0'..=b'9' | b'+' | b'-' | b'.' => number(bytes, at),
        b'{' | b'}' | b'(' | b')' | b'[' | b']' | b'<' | b'>' | b',' | b';' | b':' | b'=' | b'*' | b'@' | b'&' => {
            *at += 1;
            Some(Kind::Symbol)
        }
        _ => None,
    }
}

fn number(bytes: &[u8], at: &mut usize) -> Option<Kind> {
    let digits = |from: usize| bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut end = *at + usize::from(matches!(bytes[*at], b'+' | b'-'));
    if matches!(bytes.get(end..end + 2), Some(b"0x" | b"0X")) {
        let hex = bytes[end + 2..].iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
        *at = end + 2 + hex;
        return (hex > 0).then_some(Kind::Int);
    }
    let whole = digits(end);
    end += whole;
    let mut kind = Kind::Int;
    let mut fraction = 0;
    if bytes.get(end) == Some(&b'.') {
        fraction = digits(end + 1);
        end += 1 + fraction;
        kind = Kind::Double;
    }
    if whole + fraction == 0 {
        return None;
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let exponent = if end + 1 + sign <= bytes.len() { digits(end + 1 + sign) } else { 0 };
        if exponent > 0 {
            end += 1 + sign + exponent;
            kind = Kind::Double;
        }
    }
    *at = end;
    Some(kind)
}

/// Returns the text of a literal without its quotes and escapes.
pub(crate) fn unquote(literal: &str) -> String {
    let inner = literal.get(1..literal.len().saturating_sub(1)).unwrap_or_default();
    let mut out = String::with_capacity(inner.len());
    let mut letters = inner.chars();
    while let Some(letter) = letters.next() {
        if letter != '\\' {
            out.push(letter);
            continue;
        }
        match letters.next() {
            Some('n') => out.push('\n'),
            Some('r') => out.push('\r'),
            Some('t') => out.push('\t'),
            Some(other @ ('"' | '\'' | '\\')) => out.push(other),
            Some(other) => out.extend(['\\', other]),
            None => out.push('\\'),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_have_their_places() {
        let text = "struct A { // one\n 1: i32 x = -0x1F, /* two */ 2: double y = .5e-3; 'it\\'s' } # three";
        let words = lex(text, 0).unwrap();
        let shown: Vec<&str> = words.words.iter().map(|word| &text[word.at.range()]).collect();
        let expected =
            ["struct", "A", "{", "1", ":", "i32", "x", "=", "-0x1F", ",", "2", ":", "double", "y", "=", ".5e-3", ";", "'it\\'s'", "}", ""];
        assert_eq!(shown, expected);
        let comments: Vec<&str> = words.comments.iter().map(|comment| &text[comment.at.range()]).collect();
        assert_eq!(comments, ["// one", "/* two */", "# three"]);
        assert_eq!(unquote("'it\\'s \\n \\q'"), "it's \n \\q");
        for (bad, code) in [
            ("/* x", "open_comment"),
            ("'x", "open_literal"),
            ("a ? b", "unknown_character"),
            ("'\\", "open_literal"),
            ("-", "unknown_character"),
        ] {
            assert_eq!(lex(bad, 0).unwrap_err().code, code, "{bad}");
        }
    }
}

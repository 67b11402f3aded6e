//! Words of a text. Comments are kept apart.

use polywire_core::text::diagnostic::{Diagnostic, Place};

/// Kind of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A keyword, or a name, which may have periods.
    Name,
    Number,
    /// Text in quotes.
    String,
    /// Any other character.
    Symbol,
    /// The end of the text.
    End,
}

/// A word.
#[derive(Debug, Clone, Copy)]
pub(super) struct Word {
    pub kind: Kind,
    pub at: Place,
    /// Number of comments before it.
    pub comments: usize,
}

/// A comment.
#[derive(Debug, Clone, Copy)]
pub(super) struct Comment {
    pub at: Place,
    /// True for `/* … */`, false for a comment to the end of its line.
    pub block: bool,
}

/// Words and comments of a text. The last word is its end.
#[derive(Debug)]
pub(super) struct Words {
    pub words: Vec<Word>,
    pub comments: Vec<Comment>,
}

/// Splits a text, which is the source of that number.
///
/// # Errors
/// A comment or a string does not end, or a character belongs to no word.
pub(super) fn lex(text: &str, source: u32) -> Result<Words, Box<Diagnostic>> {
    let bytes = text.as_bytes();
    let place = |start: usize, end: usize| Place { source, start: start as u32, end: end as u32 };
    let count = |from: usize, is: fn(&u8) -> bool| bytes[from..].iter().take_while(|byte| is(byte)).count();
    let (mut words, mut comments) = (Vec::new(), Vec::new());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let start = at;
        let kind = match byte {
            b' ' | b'\t' | b'\r' | b'\n' | b'\x0c' => {
                at += 1;
                continue;
            }
            b'#' | b'/' if byte == b'#' || bytes[at..].starts_with(b"//") => {
                at += count(at, |byte| !matches!(byte, b'\r' | b'\n'));
                comments.push(Comment { at: place(start, at), block: false });
                continue;
            }
            b'/' if bytes[at..].starts_with(b"/*") => {
                let Some(end) = text[at + 2..].find("*/") else {
                    let error = Diagnostic::error("open_comment", place(at, at + 2), "a comment without an end");
                    return Err(error.hint("end it with `*/`").into());
                };
                at += end + 4;
                comments.push(Comment { at: place(start, at), block: true });
                continue;
            }
            b'a'..=b'z' | b'A'..=b'Z' => {
                let part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
                at += count(at, part);
                while bytes.get(at) == Some(&b'.') && bytes.get(at + 1).is_some_and(u8::is_ascii_alphabetic) {
                    at += 1 + count(at + 1, part);
                }
                Kind::Name
            }
            b'"' => {
                let end = string(&bytes[at..]).ok_or_else(|| {
                    Diagnostic::error("open_string", place(at, at + 1), "a string without an end in its line, or with an unknown escape")
                })?;
                at += end;
                Kind::String
            }
            b'0'..=b'9' | b'-' | b'.' => {
                at += number(&bytes[at..])
                    .ok_or_else(|| Diagnostic::error("number", place(at, at + 1), format!("`{}`, which begins no number", byte as char)))?;
                Kind::Number
            }
            b'@' | b',' | b'=' | b';' | b'(' | b')' | b'{' | b'}' | b'[' | b']' => {
                at += 1;
                Kind::Symbol
            }
            _ => {
                let seen = text[at..].chars().next().unwrap_or_default();
                let at = place(at, at + seen.len_utf8());
                return Err(Diagnostic::error("unknown_character", at, format!("the character {seen:?}, which no word has")).into());
            }
        };
        words.push(Word { kind, at: place(start, at), comments: comments.len() });
    }
    words.push(Word { kind: Kind::End, at: place(at, at), comments: comments.len() });
    Ok(Words { words, comments })
}

/// Returns the length of a string with its quotes.
fn string(bytes: &[u8]) -> Option<usize> {
    let mut at = 1;
    loop {
        match bytes.get(at)? {
            b'"' => return Some(at + 1),
            b'\r' | b'\n' => return None,
            b'\\' => match bytes.get(at + 1)? {
                b'"' | b'\\' | b'r' | b'n' | b't' => at += 2,
                b'u' if bytes.get(at + 2..at + 6)?.iter().all(u8::is_ascii_hexdigit) => at += 6,
                _ => return None,
            },
            _ => at += 1,
        }
    }
}

/// Returns the length of a number.
fn number(bytes: &[u8]) -> Option<usize> {
    let count = |from: usize, is: fn(&u8) -> bool| bytes.iter().skip(from).take_while(|byte| is(byte)).count();
    let digits = |from: usize| count(from, u8::is_ascii_digit);
    let prefixed = match bytes {
        [b'0', b'x' | b'X', ..] => Some(count(2, u8::is_ascii_hexdigit)),
        [b'0', b'b' | b'B', ..] => Some(count(2, |byte| matches!(byte, b'0' | b'1'))),
        _ => None,
    };
    if let Some(digits) = prefixed {
        return (digits > 0).then_some(2 + digits);
    }
    let mut end = usize::from(bytes.first() == Some(&b'-'));
    let whole = digits(end);
    end += whole;
    let mut fraction = 0;
    if bytes.get(end) == Some(&b'.') {
        fraction = digits(end + 1);
        end += 1 + fraction;
    }
    if whole + fraction == 0 {
        return None;
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(bytes.get(end + 1) == Some(&b'-'));
        let exponent = digits(end + 1 + sign);
        end += if exponent > 0 { 1 + sign + exponent } else { 0 };
    }
    Some(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_have_their_places() {
        let text = "module a.b_1 // x\n# y\n/** doc */ const double D = -1.5e-3 \"q\\\"\\u0041\" 0x1F 0b10 .5 [ ]";
        let Words { words, comments } = lex(text, 0).unwrap();
        let remarks: Vec<&str> = comments.iter().map(|comment| &text[comment.at.range()]).collect();
        assert_eq!(remarks, ["// x", "# y", "/** doc */"]);
        let shown: Vec<&str> = words.iter().map(|word| &text[word.at.range()]).collect();
        assert_eq!(
            shown,
            ["module", "a.b_1", "const", "double", "D", "=", "-1.5e-3", "\"q\\\"\\u0041\"", "0x1F", "0b10", ".5", "[", "]", ""]
        );
        for (bad, code) in [
            ("/* x", "open_comment"),
            ("\"x", "open_string"),
            ("\"\\q\"", "open_string"),
            ("\"\\u12", "open_string"),
            ("a ? b", "unknown_character"),
            ("_a", "unknown_character"),
            ("-", "number"),
            ("0x", "number"),
            (".", "number"),
        ] {
            assert_eq!(lex(bad, 0).unwrap_err().code, code, "{bad}");
        }
    }
}

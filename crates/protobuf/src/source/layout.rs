//! The layout of `.proto` text. Lines are indented by the brackets around them, without trailing
//! white space, with at most one empty line in a row.
//!
//! Nothing within a line changes, so that comments and columns stay as people set them.

use polywire_core::text::diagnostic::{Diagnostic, Place};

/// One level of indentation.
const STEP: &str = "  ";

/// Returns the offset behind the string that starts at `at`, or behind its line if it has no end.
pub(crate) fn string_end(bytes: &[u8], at: usize) -> usize {
    let quote = bytes[at];
    let mut end = at + 1;
    while let Some(byte) = bytes.get(end) {
        match byte {
            b'\n' => return end,
            b'\\' => end += 1,
            byte if *byte == quote => return end + 1,
            _ => {}
        }
        end += 1;
    }
    end.min(bytes.len())
}

/// Returns the offset behind the comment that starts at `at`, before its line break, or `None` if
/// no comment starts there.
pub(crate) fn comment_end(bytes: &[u8], at: usize) -> Option<usize> {
    let rest = &bytes[at..];
    if rest.starts_with(b"//") {
        return Some(at + rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len()));
    }
    if !rest.starts_with(b"/*") {
        return None;
    }
    Some(rest[2..].windows(2).position(|pair| pair == b"*/").map_or(bytes.len(), |end| at + 2 + end + 2))
}

/// White space within a line (language spec, "Lexical Elements").
fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | 11 | 12)
}

/// Returns the text in that layout.
///
/// # Errors
/// A bracket has no counterpart.
pub fn lay_out(text: &str) -> Result<String, Box<Diagnostic>> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let bytes = text.as_bytes();
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    let mut open: Vec<(u8, usize)> = Vec::new();
    // The current statement began on an earlier line.
    let mut continued = false;
    let mut at = 0;
    let mut empty = 0;
    while at < bytes.len() {
        let line = &bytes[at..];
        let blank = line.iter().take_while(|byte| is_blank(**byte)).count();
        let start = at + blank;
        if bytes.get(start).is_none_or(|byte| *byte == b'\n') {
            empty += 1;
            at = start + 1;
            continue;
        }
        if !out.is_empty() && empty > 0 {
            out.push('\n');
        }
        empty = 0;
        let before = open.len();
        // Closing brackets at the start of a line reduce its own indentation.
        let mut leading = true;
        let mut closed = 0;
        let was_continued = continued;
        let mut end = start;
        let mut comment_only = true;
        while let Some(byte) = bytes.get(end) {
            match byte {
                b'\n' => break,
                b'"' | b'\'' => {
                    (leading, comment_only, continued) = (false, false, true);
                    end = string_end(bytes, end);
                    continue;
                }
                b'/' if comment_end(bytes, end).is_some() => {
                    leading = false;
                    end = comment_end(bytes, end).unwrap_or(bytes.len());
                    continue;
                }
                b'{' | b'[' | b'(' => {
                    open.push((*byte, end));
                    (leading, comment_only, continued) = (false, false, false);
                }
                b'}' | b']' | b')' => {
                    let expected = match byte {
                        b'}' => b'{',
                        b']' => b'[',
                        _ => b'(',
                    };
                    match open.pop() {
                        Some((first, _)) if first == expected => {}
                        _ => return Err(misplaced(end, *byte)),
                    }
                    if leading {
                        closed += 1;
                    }
                    (comment_only, continued) = (false, *byte != b'}');
                }
                b';' | b',' => (leading, comment_only, continued) = (false, false, false),
                byte if is_blank(*byte) => {}
                _ => (leading, comment_only, continued) = (false, false, true),
            }
            end += 1;
        }
        let depth = before.saturating_sub(closed) + usize::from(was_continued && closed == 0 && !comment_only);
        for _ in 0..depth {
            out.push_str(STEP);
        }
        // Later lines of a block comment stay as they are.
        let line = &text[start..end];
        for (index, part) in line.split('\n').enumerate() {
            if index > 0 {
                out.push('\n');
            }
            out.push_str(part.trim_end_matches(|c| u8::try_from(c).is_ok_and(is_blank)));
        }
        out.push('\n');
        at = end + 1;
    }
    match open.pop() {
        Some((byte, at)) => Err(misplaced(at, byte)),
        None => Ok(out),
    }
}

#[cold]
fn misplaced(at: usize, byte: u8) -> Box<Diagnostic> {
    let place = Place { source: 0, start: at as u32, end: at as u32 + 1 };
    Box::new(Diagnostic::error("syntax_error", place, format!("unmatched `{}`", char::from(byte))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_indented_by_their_brackets() {
        let text = "\n\nsyntax = \"proto3\";\n\n\n// } no bracket\nmessage  M {\n// of f\n    string f = 1 [\n(x) = \"}\",\n  deprecated = true\n ];  // behind \n/* a\n     b */ int32\nlong_name = 2;\n}\n";
        let laid = "syntax = \"proto3\";\n\n// } no bracket\nmessage  M {\n  // of f\n  string f = 1 [\n    (x) = \"}\",\n    deprecated = true\n  ];  // behind\n  /* a\n     b */ int32\n    long_name = 2;\n}\n";
        assert_eq!(lay_out(text).unwrap(), laid);
        assert_eq!(lay_out(laid).unwrap(), laid);
    }

    #[test]
    fn brackets_come_in_pairs() {
        for text in ["message M {", "}", "( ]"] {
            assert!(lay_out(text).is_err(), "{text}");
        }
    }
}

//! Recognises YAML: by its marks, or by lines of keys and items.

use polywire_core::format::Confidence;

use super::frame::BOM;

/// Lines that are looked at, at most.
const LINES: usize = 40;

/// Judges `start`. Only YAML's own directive is certain: much text has lines with a colon.
pub fn recognise(start: &[u8], whole: bool) -> Confidence {
    let bytes = start.strip_prefix(BOM).unwrap_or(start);
    let bytes = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        // The last character may be cut.
        Err(error) if !whole && error.error_len().is_none() => std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default(),
        Err(_) => return Confidence::No,
    };
    if bytes.chars().any(|char| char.is_control() && !matches!(char, '\t' | '\n' | '\r')) {
        return Confidence::No;
    }
    let is_comment = |line: &&str| line.trim_start().starts_with('#');
    let first = bytes.lines().find(|line| !line.trim().is_empty());
    let commented = first.as_ref().is_some_and(is_comment);
    let mut lines = bytes.lines().filter(|line| !line.trim().is_empty() && !is_comment(line)).peekable();
    match lines.peek() {
        Some(line) if line.starts_with("%YAML ") => return Confidence::Certain,
        Some(line) if *line == "---" || line.starts_with("--- ") => return Confidence::Likely,
        _ => {}
    }
    let (mut keys, mut items) = (0, 0);
    for line in lines.take(LINES) {
        if is_key(line) {
            keys += 1;
        } else if line == "-" || line.starts_with("- ") {
            items += 1;
        } else if !(keys + items > 0 && line.starts_with(' ')) {
            // The last line may be cut.
            let last = !whole && bytes.ends_with(line);
            if !last {
                return Confidence::No;
            }
        }
    }
    match (keys, keys + items) {
        // After a comment, one key is enough: of the other formats, few have such comments.
        (1, 1) if commented => Confidence::Possible,
        (_, 0 | 1) => Confidence::No,
        (0, _) => Confidence::Possible,
        _ => Confidence::Likely,
    }
}

/// Reports whether a line starts with a word and a colon.
fn is_key(line: &str) -> bool {
    let len = line.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')).count();
    let rest = line[len..].strip_prefix(':');
    line.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recognises_its_own_and_little_else() {
        for (start, confidence) in [
            ("%YAML 1.2\n---\na\n", Confidence::Certain),
            ("# made by hand\n---\na: 1\n", Confidence::Likely),
            ("--- [1]\n", Confidence::Likely),
            ("a: 1\nb:\n  - c\n", Confidence::Likely),
            ("- a\n- b\n", Confidence::Possible),
            ("a: 1\n", Confidence::No),
            ("# a comment\na: 1\n", Confidence::Possible),
            ("  # a comment\n\nserver:\n  host: x\n  # more\n  port: 1\n", Confidence::Possible),
            ("# a comment\na: 1\nb: 2\n", Confidence::Likely),
            ("# a comment\n", Confidence::No),
            ("# Polywire\n\nOne walk: all formats.\n", Confidence::No),
            ("2026-11-21 10:00:00 INFO a: b\n2026-11-21 10:00:01 INFO a: b\n", Confidence::No),
            ("{\"a\": 1}\n", Confidence::No),
            ("a,b\n1,2\n", Confidence::No),
            (":_source\tpsyc://example\n\n_message\n", Confidence::No),
            ("<a>\n</a>\n", Confidence::No),
            ("----\na\n", Confidence::No),
            ("", Confidence::No),
        ] {
            assert_eq!(recognise(start.as_bytes(), true), confidence, "{start:?}");
        }
    }
}

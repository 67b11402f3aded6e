//! Recognises JSON by its first tokens.

use polywire_core::format::Confidence;
use polywire_json::frame::BOM;

use crate::jsonl::recognise as lines;

/// Judges how well `start` looks like JSON.
pub(super) fn recognise(start: &[u8], whole: bool) -> Confidence {
    let text = start.strip_prefix(BOM).unwrap_or(start).trim_ascii_start();
    let Some((&first, rest)) = text.split_first() else { return Confidence::No };
    let second = rest.trim_ascii_start().first().copied();
    match (first, second) {
        // If each line is a value, the lines are meant as separate messages.
        (b'{', Some(b'"' | b'}')) if lines::recognise(start, whole) == Confidence::Certain => Confidence::Likely,
        (b'{', Some(b'"' | b'}')) => Confidence::Certain,
        (b'[', Some(b'{' | b'[' | b'"' | b']' | b'-' | b'0'..=b'9' | b't' | b'f' | b'n')) => Confidence::Likely,
        // A string before a comma is a cell of a table.
        (b'"', Some(_)) => match after_string(rest) {
            Some(b',' | b';' | b'\t' | b'|') => Confidence::No,
            _ => Confidence::Likely,
        },
        (b'{' | b'[', None) => Confidence::Possible,
        (b'-' | b'0'..=b'9' | b't' | b'f' | b'n', _) => {
            let token = text.split(u8::is_ascii_whitespace).next().unwrap_or_default();
            let ended = whole || token.len() < text.len();
            let is_value = matches!(token, b"true" | b"false" | b"null") || polywire_json::number::is_number(token);
            if ended && is_value { Confidence::Likely } else { Confidence::No }
        }
        _ => Confidence::No,
    }
}

/// Returns the byte that follows a string; `text` begins after its first quote.
fn after_string(text: &[u8]) -> Option<u8> {
    let mut at = 0;
    loop {
        match text.get(at)? {
            b'"' => return text.get(at + 1).copied(),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recognises_its_own() {
        for (start, confidence) in [
            (&b" {\"a\""[..], Confidence::Certain),
            (b"\xef\xbb\xbf{}", Confidence::Certain),
            (b"[1", Confidence::Likely),
            (b"12\n13", Confidence::Likely),
            (b"12", Confidence::Likely),
            (b"12ab", Confidence::No),
            (b"true", Confidence::Likely),
            (b"<a/>", Confidence::No),
            (b"\"a\\\"\" \"b\"", Confidence::Likely),
            (b"\"a\",\"b\"\n\"c\",\"d\"", Confidence::No),
            (b"{\"a\":1}\n{\"a\":2}", Confidence::Likely),
            (b"{\"a\":\n1}\n{\"a\":2}", Confidence::Certain),
            (b"", Confidence::No),
            (b"{,", Confidence::No),
        ] {
            assert_eq!(recognise(start, true), confidence, "{}", String::from_utf8_lossy(start));
        }
    }
}

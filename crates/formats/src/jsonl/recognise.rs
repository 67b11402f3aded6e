//! Recognises JSON Lines: each line is a value.

use polywire_core::format::Confidence;
use polywire_json::frame::BOM;

use super::read::is_value;
use crate::json::start::may_start;

/// Lines that are looked at, at most.
const LINES: usize = 16;

/// Returns `Certain` for two or more lines that each hold one object or array. A single line proves
/// nothing about the next.
pub(crate) fn recognise(start: &[u8], whole: bool) -> Confidence {
    let text = start.strip_prefix(BOM).unwrap_or(start);
    let (mut lines, mut containers) = (0, 0);
    for line in text.split_inclusive(|byte| *byte == b'\n') {
        let complete = whole || line.ends_with(b"\n");
        let line = line.trim_ascii();
        if line.is_empty() {
            continue;
        }
        if !complete && lines > 0 {
            break;
        }
        if !(if complete { is_value(line) } else { may_start(line) }) {
            return Confidence::No;
        }
        lines += 1;
        containers += usize::from(matches!(line[0], b'{' | b'['));
        if lines == LINES {
            break;
        }
    }
    match lines {
        0 => Confidence::No,
        1 => Confidence::Possible,
        lines if lines == containers => Confidence::Certain,
        _ => Confidence::Likely,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recognises_values_line_by_line() {
        for (start, whole, confidence) in [
            (&b"{\"a\":1}\n{\"a\":2}\n"[..], true, Confidence::Certain),
            (b"\xef\xbb\xbf{}\r\n\r\n[1]\r\n{\"a", false, Confidence::Certain),
            (b"{\"a\":1}\n{\"a\":2", true, Confidence::No),
            (b"{\"a\":1}\n{\"a\":2", false, Confidence::Possible),
            (b"{\n\"a\":1}\n", true, Confidence::No),
            (b"[1,\n2]\n", true, Confidence::No),
            (b"1 2\n3\n", true, Confidence::No),
            (b"1\n2\n", true, Confidence::Likely),
            (b"{\"a\":1}", true, Confidence::Possible),
            (b"{\"a\":1", false, Confidence::Possible),
            (b"<a>", false, Confidence::No),
            (b"\n\n", true, Confidence::No),
            (b"", true, Confidence::No),
        ] {
            assert_eq!(recognise(start, whole), confidence, "{}", String::from_utf8_lossy(start));
        }
    }
}

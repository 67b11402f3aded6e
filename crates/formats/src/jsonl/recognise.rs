//! Recognises JSON Lines: each line is a value.

use polywire_core::format::Confidence;
use polywire_json::frame::BOM;

use super::read::is_value;
use crate::json::start::may_start;

/// Lines that are looked at, at most.
const LINES: usize = 16;

/// Returns `Certain` for two or more lines that each hold one object or array. A single line proves
/// nothing about the next.
///
/// One line that is no value changes nothing among such lines, so that its error names it: a value
/// that goes over several lines has two of them at least. If there are more, but fewer than objects
/// and arrays, `Possible` lets the file extension decide.
pub(crate) fn recognise(start: &[u8], whole: bool) -> Confidence {
    let text = start.strip_prefix(BOM).unwrap_or(start);
    let (mut values, mut containers, mut broken) = (0, 0, 0);
    // A value over several lines may begin on the last line that is looked at.
    let (mut good, mut ended) = (true, whole);
    for line in text.split_inclusive(|byte| *byte == b'\n') {
        let complete = whole || line.ends_with(b"\n");
        let line = line.trim_ascii();
        if line.is_empty() {
            continue;
        }
        if !complete && values + broken > 0 {
            break;
        }
        if values + broken == LINES {
            ended = false;
            break;
        }
        good = if complete { is_value(line) } else { may_start(line) };
        values += usize::from(good);
        containers += usize::from(good && matches!(line[0], b'{' | b'['));
        // Bytes, or a line such as a table's head, are no part of JSON Lines.
        if !good && !(is_text(line) && (values > 0 || matches!(line[0], b'{' | b'['))) {
            return Confidence::No;
        }
        broken += usize::from(!good);
    }
    match (values, broken) {
        (0, _) => Confidence::No,
        (_, 1..) if values > containers || broken >= values && values > 1 => Confidence::No,
        (1, 0 | 1) => Confidence::Possible,
        (1, _) => Confidence::No,
        (_, 1) if good || ended => Confidence::Certain,
        (_, 1..) => Confidence::Possible,
        _ if values == containers => Confidence::Certain,
        _ => Confidence::Likely,
    }
}

fn is_text(line: &[u8]) -> bool {
    simdutf8::basic::from_utf8(line).is_ok_and(|line| !line.contains(|char: char| char.is_control() && char != '\t'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recognises_values_line_by_line() {
        for (start, whole, confidence) in [
            (&b"{\"a\":1}\n{\"a\":2}\n"[..], true, Confidence::Certain),
            (b"\xef\xbb\xbf{}\r\n\r\n[1]\r\n{\"a", false, Confidence::Certain),
            (b"{\"a\":1}\n{\"a\":2", true, Confidence::Possible),
            (b"{\"a\":1}\n{\"a\":!}\n{\"a\":2}\n", true, Confidence::Certain),
            (b"{\"a\":1}\noops\n{\"a\":2}\n", false, Confidence::Certain),
            (b"{\"a\":1}x\n[]\n{\"a\":2}\n", true, Confidence::Certain),
            (b"{}\n{}\n{\"a\":2", true, Confidence::Certain),
            (b"{}\n{}\n{\"a\":\n", false, Confidence::Possible),
            (b"{}\n{}\n{\n\"a\":2}\n", true, Confidence::No),
            (b"{}\n{}\n{\"a\":\n{}}\n", true, Confidence::No),
            (b"{}\n!\n{}\n!\n{}\n", true, Confidence::Possible),
            (b"1\n!\n2\n", true, Confidence::No),
            (b"\xa1\x61b\x58\x18{}\n{}\n{}\n", true, Confidence::No),
            (b"{}\n\x01\n{}\n", true, Confidence::No),
            (b"head\n[1]\n[2]\n", true, Confidence::No),
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

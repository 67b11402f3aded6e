//! JSON Lines: JSON, one value on each line. `docs/formats/jsonl.md` describes the convention.

mod frame;
mod read;

pub use read::JsonLinesReader;

use polywire_core::format::{Confidence, Format, Nature, Repeats, SchemaNeed};

use crate::json::JsonWriter;

/// The line of JSON Lines in the registry.
pub static FORMAT: Format = Format {
    name: "jsonl",
    title: "JSON Lines",
    media_types: &["application/jsonl", "application/x-ndjson", "application/x-jsonlines"],
    extensions: &["jsonl", "ndjson"],
    magic: "a whole JSON value on each line",
    nature: Nature::Text,
    schema: SchemaNeed::None,
    repeats: Repeats::Doubled,
    separator: "\n",
    recognise,
    reader: || Box::new(JsonLinesReader::default()),
    // JSON is written without line breaks.
    writer: Some(|| Box::new(JsonWriter::default())),
    binder: None,
};

/// Lines that are looked at, at most.
const LINES: usize = 16;

/// Returns `Certain` for two or more lines that each hold one object or array. A single line proves
/// nothing about the next.
pub(crate) fn recognise(start: &[u8], whole: bool) -> Confidence {
    let text = start.strip_prefix(crate::json::BOM).unwrap_or(start);
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
        if !(if complete { read::is_value(line) } else { crate::json::may_start(line) }) {
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

//! JSON (RFC 8259). The convention is described in `docs/formats/json.md`.

mod frame;
mod number;
mod read;
mod scan;
mod write;

pub use read::JsonReader;
pub use write::JsonWriter;

use polywire_core::format::{Confidence, Format, Nature, Repeats, SchemaNeed};

/// JSON's line in the registry.
pub static FORMAT: Format = Format {
    name: "json",
    title: "JSON",
    media_types: &["application/json", "text/json", "application/x-ndjson", "application/jsonl"],
    extensions: &["json", "jsonl", "ndjson", "geojson"],
    magic: "{ or [ or \", after white space",
    nature: Nature::Text,
    schema: SchemaNeed::None,
    repeats: Repeats::Doubled,
    separator: "\n",
    recognise,
    reader: || Box::new(JsonReader::default()),
    writer: Some(|| Box::new(JsonWriter::default())),
};

/// The byte order mark that some editors put before UTF-8 text; RFC 8259 section 8.1 allows to ignore it.
const BOM: &[u8] = b"\xef\xbb\xbf";

fn recognise(start: &[u8], whole: bool) -> Confidence {
    let text = start.strip_prefix(BOM).unwrap_or(start).trim_ascii_start();
    let Some((&first, rest)) = text.split_first() else { return Confidence::No };
    let second = rest.trim_ascii_start().first().copied();
    match (first, second) {
        (b'{', Some(b'"' | b'}')) => Confidence::Certain,
        (b'[', Some(b'{' | b'[' | b'"' | b']' | b'-' | b'0'..=b'9' | b't' | b'f' | b'n')) => Confidence::Likely,
        (b'"', Some(_)) => Confidence::Likely,
        (b'{' | b'[', None) => Confidence::Possible,
        (b'-' | b'0'..=b'9' | b't' | b'f' | b'n', _) => {
            let token = text.split(u8::is_ascii_whitespace).next().unwrap_or_default();
            let ended = whole || token.len() < text.len();
            let is_value = matches!(token, b"true" | b"false" | b"null") || number::is_number(token);
            if ended && is_value { Confidence::Likely } else { Confidence::No }
        }
        _ => Confidence::No,
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
            (b"", Confidence::No),
            (b"{,", Confidence::No),
        ] {
            assert_eq!(recognise(start, true), confidence, "{}", String::from_utf8_lossy(start));
        }
    }
}

//! XML 1.0 with namespaces: any document as a record, and any value as a document.
//! `docs/formats/xml.md` describes the convention.
//!
//! The markup is scanned by hand; `quick-xml` is a judge in the tests. A tokenizer would not help.
//! Strict checks of names, characters, attributes, references and the document type look at every
//! byte of a tag again, after the tokenizer has found its end. Text would be checked for UTF-8
//! twice, and names kept twice for matching end tags. Entities with markup and the framing of
//! streams need a scanner of their own anyway. The rest of a tokenizer's work is to find `<` and
//! `>`.
//!
//! | file | holds |
//! |---|---|
//! | `chars`, `markup` | characters, names, references, comments |
//! | `prolog`, `dtd` | the document before the root element |
//! | `encoding` | encodings other than UTF-8 |
//! | `frame` | the ends of documents in a stream |
//! | `read` | the walk |
//! | `write` | the writer |
//! | `values` | the words of the values profile |
//! | `plain` | the writer of XML without marks |
//! | `layout` | documents on several lines |
//! | `options` | settings |
//! | `objects` | documents as data, by several conventions |

mod chars;
mod dtd;
mod encoding;
mod frame;
mod layout;
mod markup;
mod objects;
mod options;
mod plain;
mod prolog;
mod read;
#[cfg(feature = "serde")]
pub(crate) mod serde;
mod structure;
mod values;
mod write;

use polywire_core::format::{Confidence, Format, Nature, Repeats};

use chars::{is_space, may_start_name, skip_space};

#[cfg(feature = "exi")]
pub(crate) use {
    chars::{first_illegal, is_blank, is_qname, split},
    markup::{Reference, XML_SPACE, XMLNS_SPACE, reference},
    read::Places,
    structure::doctype_end,
    values::NAMESPACE,
    write::escape::{attribute as escape_attribute, text as escape_text},
    write::tag::{Attributes, Prefixes},
};

pub use objects::XmlObjects;
pub use read::XmlReader;
pub use write::XmlWriter;

/// XML's line in the registry.
pub static FORMAT: Format = Format::new("xml", "XML", Nature::Text, recognise, || Box::<XmlReader>::default())
    .media_types(&["application/xml", "text/xml"])
    .extensions(&["xml", "svg", "rss", "atom", "soap", "wsdl", "xsd", "xsl", "xslt", "xhtml", "rdf", "gpx", "kml", "plist", "pom"])
    .magic("`<?xml`, or `<` and a name, a comment or `<!DOCTYPE`")
    .repeats(Repeats::List)
    .names_charset()
    // A comment behind the root element belongs to its document.
    .ends_with_input()
    .separator("\n")
    .settings(&options::XmlSettings)
    .writer(|| Box::<XmlWriter>::default())
    .structure(|| Box::new(structure::XmlStructure::default()));

/// Judges how well `start` looks like XML (XML 1.0, appendix F).
fn recognise(start: &[u8], whole: bool) -> Confidence {
    const UTF16_STARTS: [&[u8]; 4] = [b"\xfe\xff\0<", b"\xff\xfe<\0", b"\0<\0?", b"<\0?\0"];
    if UTF16_STARTS.iter().any(|mark| start.starts_with(mark)) {
        return Confidence::Certain;
    }
    let text = start.strip_prefix(encoding::UTF8_MARK).unwrap_or(start);
    if text.strip_prefix(b"<?xml").and_then(<[u8]>::first).copied().is_some_and(is_space) {
        return Confidence::Certain;
    }
    match &text[skip_space(text, 0)..] {
        [b'<', byte, ..] if may_start_name(*byte) => Confidence::Likely,
        [b'<', b'?', byte, ..] if may_start_name(*byte) => Confidence::Likely,
        rest if rest.starts_with(b"<!--") || rest.starts_with(b"<!DOCTYPE") => Confidence::Likely,
        [b'<'] | [b'<', b'!'] if !whole => Confidence::Possible,
        _ => Confidence::No,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_recognised_by_their_start() {
        for (start, confidence) in [
            (&b"<?xml version='1.0'?>"[..], Confidence::Certain),
            (b"\xef\xbb\xbf<?xml version='1.0'?>", Confidence::Certain),
            (b"\xff\xfe<\0a\0", Confidence::Certain),
            (b" \n<a/>", Confidence::Likely),
            (b"<!-- x -->", Confidence::Likely),
            (b"<!DOCTYPE x>", Confidence::Likely),
            (b"<?xml-stylesheet?>", Confidence::Likely),
            (b"<1>", Confidence::No),
            (b"{}", Confidence::No),
            (b"", Confidence::No),
        ] {
            assert_eq!(recognise(start, true), confidence, "{}", String::from_utf8_lossy(start));
        }
    }
}

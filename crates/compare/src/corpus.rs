//! Bundled messages, for a first look.

use polywire_core::{Error, Result};

/// A bundled input.
#[derive(Debug, Clone, Copy)]
pub struct Corpus {
    /// Name on command lines.
    pub name: &'static str,
    /// File name; the file extension gives the format.
    pub file: &'static str,
    /// Short description.
    pub about: &'static str,
    /// Content.
    pub bytes: &'static [u8],
}

/// One line of [`CORPORA`].
macro_rules! corpus {
    ($name:literal, $file:literal, $about:literal) => {
        Corpus { name: $name, file: $file, about: $about, bytes: include_bytes!(concat!("../../../examples/", $file)) }
    };
}

/// All bundled inputs.
pub const CORPORA: &[Corpus] = &[
    corpus!("packets", "packets.jsonl", "seven small messages of chat and social networks"),
    corpus!("packets-xml", "packets.xml", "their seven twins with markup, as such services send them"),
    corpus!("tickets-2", "tickets-2.json", "a shop's shift report with 2 vouchers"),
    corpus!("tickets-1000", "tickets-1000.json", "a shop's shift report with 1,000 vouchers"),
    corpus!("tickets", "tickets.jsonl", "500 shift reports with 2 vouchers each"),
    corpus!("nested", "nested.jsonl", "2,000 random values of a nested type: lists of tuples, truth values, sum types"),
    corpus!("search-reply", "search-reply.json", "a market place's search reply with 50 items"),
    corpus!("search-reply-xml", "search-reply.xml", "the same reply with markup, in an envelope"),
];

/// Returns the corpus of that name.
///
/// # Errors
/// There is none. The error lists the names that exist.
pub fn find(name: &str) -> Result<&'static Corpus> {
    CORPORA.iter().find(|corpus| corpus.name == name).ok_or_else(|| {
        let names: Vec<&str> = CORPORA.iter().map(|corpus| corpus.name).collect();
        Error::usage(format!("the corpus `{name}`")).expected(format!("one of {}", names.join(", ")))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_corpus_has_its_own_name_and_bytes() {
        for corpus in CORPORA {
            assert_eq!(find(corpus.name).unwrap().file, corpus.file);
            assert!(corpus.bytes.len() > 100 && corpus.file.contains('.') && !corpus.about.is_empty());
        }
        let error = find("nothing").unwrap_err().to_string();
        assert!(error.contains("packets, packets-xml"), "{error}");
    }
}

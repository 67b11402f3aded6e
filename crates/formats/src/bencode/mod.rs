//! Bencode, BEP 3 (<https://www.bittorrent.org/beps/bep_0003.html>, "bencoding"): integers, byte
//! strings, lists and dictionaries, as BitTorrent uses them.
//!
//! `docs/formats/bencode.md` describes how values map.

mod order;
mod read;
mod recognise;
mod skip;
mod wire;
mod write;

use polywire_core::format::{Format, ListMarks, Nature};

pub use read::BencodeReader;
pub use wire::NAME;
pub use write::BencodeWriter;

/// Bencode's line in the registry.
pub static FORMAT: Format = Format::new(NAME, "Bencode", Nature::Binary, recognise::recognise, || Box::new(BencodeReader::default()))
    .media_types(&["application/x-bencode", "application/x-bittorrent"])
    .extensions(&["bencode", "torrent"])
    .magic("none; d and the length of a name, l, or i and digits")
    .writer(|| Box::new(BencodeWriter::default()))
    .list_marks(&ListMarks { open: b"l", between: b"", close: b"e" });

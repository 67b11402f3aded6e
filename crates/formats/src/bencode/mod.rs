//! Bencode, BEP 3 (<https://www.bittorrent.org/beps/bep_0003.html>, "bencoding"): integers, byte strings, lists and dictionaries, as
//! BitTorrent uses them.
//!
//! How values map is told in `docs/formats/bencode.md`.

mod order;
mod read;
mod recognise;
mod skip;
mod wire;
mod write;

use polywire_core::format::{Format, Nature};

pub use read::BencodeReader;
pub use write::BencodeWriter;

/// Name in the registry and in errors.
pub const NAME: &str = "bencode";

/// Bencode's line in the registry.
pub static FORMAT: Format = Format::new(NAME, "Bencode", Nature::Binary, recognise::recognise, || Box::new(BencodeReader::default()))
    .media_types(&["application/x-bencode", "application/x-bittorrent"])
    .extensions(&["bencode", "torrent"])
    .magic("none; d and the length of a name, l, or i and digits")
    .writer(|| Box::new(BencodeWriter::default()));

//! CBOR, RFC 8949, and sequences of it, RFC 8742.
//!
//! `docs/formats/cbor.md` describes how values map.

pub(crate) mod heads;
mod plain;
mod read;
#[cfg(feature = "serde")]
pub mod serde;
mod skip;
mod special;
mod structure;
mod tags;
pub(crate) mod wire;
mod write;

use polywire_core::format::{Confidence, Format, Framing, ListMarks, Nature};

use crate::likeness;

pub use read::CborReader;
pub use wire::{NAME, SIMPLE};
pub use write::CborWriter;

/// CBOR's line in the registry.
pub static FORMAT: Format = Format::new(NAME, "CBOR", Nature::Binary, recognise, || Box::new(CborReader::default()))
    .media_types(&["application/cbor", "application/cbor-seq"])
    .extensions(&["cbor", "cborseq"])
    .magic("optional: d9 d9 f7 (tag 55799); 80..bf start a list or a map")
    .framing(Framing::Counts)
    .writer(|| Box::new(CborWriter::default()))
    .tag_name(tags::name)
    .tag_holds(tags::holds)
    .structure(|| Box::<crate::counted_structure::Counted<structure::CborHeads>>::default())
    .list_marks(&ListMarks { open: b"\x9f", between: b"", close: b"\xff" });

fn recognise(start: &[u8], whole: bool) -> Confidence {
    // RFC 8949 3.4.6: the tag distinguishes CBOR from other data.
    if start.starts_with(&wire::SELF_DESCRIBED_HEAD) {
        return Confidence::Certain;
    }
    likeness::judge(start, whole, &mut CborReader::default(), &mut CborReader::of_cut_messages(), wire::is_container)
}

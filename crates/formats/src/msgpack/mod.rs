//! MessagePack: one byte holds the type of a value and, of small values, all of it.
//!
//! `docs/formats/msgpack.md` describes how values map. The layout is that of the MessagePack
//! specification (<https://github.com/msgpack/msgpack/blob/master/spec.md>).

mod plain;
mod read;
#[cfg(feature = "serde")]
pub mod serde;
mod skip;
mod structure;
mod wire;
mod write;

use polywire_core::format::{Confidence, Format, Framing, Nature};

use crate::likeness;

pub use read::MsgpackReader;
pub use wire::NAME;
pub use write::MsgpackWriter;

/// MessagePack's line in the registry.
pub static FORMAT: Format = Format::new(NAME, "MessagePack", Nature::Binary, recognise, || Box::new(MsgpackReader::default()))
    .media_types(&["application/msgpack", "application/vnd.msgpack", "application/x-msgpack"])
    .extensions(&["msgpack", "mp"])
    .magic("none; 80..9f or dc..df start a map or a list")
    .framing(Framing::Counts)
    .writer(|| Box::new(MsgpackWriter::default()))
    // Extension -1; one that no moment is stays tagged.
    .tag_name(|space, code| (space == NAME && code == u64::from(wire::TIMESTAMP)).then_some("timestamp"))
    .structure(|| Box::<crate::counted_structure::Counted<structure::MsgpackHeads>>::default());

fn recognise(start: &[u8], whole: bool) -> Confidence {
    likeness::judge(start, whole, &mut MsgpackReader::default(), &mut MsgpackReader::of_cut_messages(), wire::is_container)
}

//! MessagePack: one byte says what a value is and, of small ones, all of it.
//!
//! How values map is told in `docs/formats/msgpack.md`; the layout is that of the MessagePack specification
//! (<https://github.com/msgpack/msgpack/blob/master/spec.md>).

mod read;
mod skip;
mod wire;
mod write;

use polywire_core::format::{Confidence, Format, Nature};

use crate::likeness;

pub use read::MsgpackReader;
pub use write::MsgpackWriter;

/// Name in the registry, in errors, and the space of its tagged values: their code is the extension type as an unsigned byte.
pub const NAME: &str = "msgpack";

/// MessagePack's line in the registry.
pub static FORMAT: Format = Format::new(NAME, "MessagePack", Nature::Binary, recognise, || Box::new(MsgpackReader::default()))
    .media_types(&["application/msgpack", "application/vnd.msgpack", "application/x-msgpack"])
    .extensions(&["msgpack", "mp"])
    .magic("none; 80..9f or dc..df start a map or a list")
    .writer(|| Box::new(MsgpackWriter::default()));

fn recognise(start: &[u8], whole: bool) -> Confidence {
    likeness::judge(start, whole, &mut MsgpackReader::default(), &mut MsgpackReader::of_cut_messages(), wire::is_container)
}

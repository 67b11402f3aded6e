//! Messages without their protocol (docs/spec/extprot.md 9): the tree that every message describes
//! itself, and the format's registry entry.

mod read;
mod recognise;

use polywire_core::format::{Format, Nature, SchemaNeed};

pub use read::PlainReader;

use crate::bind::Protocols;
use crate::walk::NAME;

/// Registry entry of extprot. Without a protocol, the format can only be read.
pub static FORMAT: Format = Format::new(NAME, "extprot", Nature::Binary, recognise::recognise, || Box::<PlainReader>::default())
    .media_types(&["application/x-extprot"])
    .extensions(&["epm"])
    .magic("none; mostly 01, a length, and a number of fields")
    .schema(SchemaNeed::Optional)
    .binder(&Protocols);

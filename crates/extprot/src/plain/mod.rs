//! Messages without their protocol (section 9): the tree that every message tells by itself, and the format's line in the registry.

mod read;
mod recognise;

use polywire_core::format::{Format, Nature, SchemaNeed};

pub use read::PlainReader;

use crate::bind::Protocols;
use crate::walk::NAME;

/// extprot's line in the registry. Without a protocol it can only be read.
pub static FORMAT: Format = Format::new(NAME, "extprot", Nature::Binary, recognise::recognise, || Box::<PlainReader>::default())
    .media_types(&["application/x-extprot"])
    .extensions(&["epm"])
    .magic("none; mostly 01, a length, and a number of fields")
    .schema(SchemaNeed::Optional)
    .binder(&Protocols);

//! Messages without their protocol (docs/spec/extprot.md 9): the tree that every message describes
//! itself, and the format's registry entry.

mod read;
mod recognise;

use polywire_core::format::{Format, Nature, Repeats, SchemaNeed};

pub use read::PlainReader;

use crate::bind::Protocols;
use crate::walk::NAME;

/// Registry entry of extprot. Without a protocol, the format can only be read.
pub static FORMAT: Format = Format {
    name: NAME,
    title: "extprot",
    media_types: &["application/x-extprot"],
    extensions: &["epm"],
    magic: "none; mostly 01, a length, and a number of fields",
    nature: Nature::Binary,
    schema: SchemaNeed::Optional,
    repeats: Repeats::Doubled,
    separator: "",
    recognise: recognise::recognise,
    reader: || Box::<PlainReader>::default(),
    writer: None,
    binder: Some(&Protocols),
};

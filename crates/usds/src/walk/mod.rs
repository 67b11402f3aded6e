//! Documents as events, and events as documents.

mod read;
mod recognise;
mod write;

use polywire_core::format::{Format, Nature, Repeats, SchemaNeed};

pub use read::UsdsReader;
pub(crate) use read::root_head;
pub use write::UsdsWriter;

/// Name in the registry and in errors.
pub const NAME: &str = "usds";

/// What one message is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Message {
    /// A document of any parts: a record of its roots by the names of their tags, which repeat.
    Document,
    /// A body of one root of that tag: its value.
    Root(u32),
}

/// USDS in the registry: documents that carry their dictionary, or mean one that came before in the stream.
pub static FORMAT: Format = Format::new(NAME, "USDS", Nature::Binary, recognise::recognise, || Box::<UsdsReader>::default())
    .media_types(&["application/x-usds"])
    .extensions(&["usds"])
    .magic("24 53 01 00 (`$S`, 1.0); a body alone starts with 42, 62 or 70")
    .schema(SchemaNeed::Optional)
    .repeats(Repeats::List)
    .binder(&crate::bind::Dictionaries);

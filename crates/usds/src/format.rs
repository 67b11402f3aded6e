//! USDS in the registry.

use polywire_core::format::{Confidence, Format, Nature, Repeats, SchemaNeed};

use crate::walk::{NAME, UsdsReader};
use crate::wire::codes::HEAD;

/// Registry entry of USDS: documents that carry their dictionary, or refer to an earlier one of the
/// stream.
pub static FORMAT: Format = Format::new(NAME, "USDS", Nature::Binary, recognise, || Box::<UsdsReader>::default())
    .media_types(&["application/x-usds"])
    .extensions(&["usds"])
    .magic("24 53 01 00 (`$S`, 1.0); a body alone starts with 42, 62 or 70")
    .schema(SchemaNeed::Optional)
    .repeats(Repeats::List)
    .binder(&crate::bind::Dictionaries);

/// Recognises a head by its four bytes. Other parts are recognisable only with the dictionary.
fn recognise(start: &[u8], _whole: bool) -> Confidence {
    if start.len() >= 11 && start.starts_with(&HEAD) { Confidence::Certain } else { Confidence::No }
}

//! A format that the house does not have: this folder, and one line in the registry of the test.
//!
//! A message is `TOY1`, the length of its body (32 bits, big-endian), and one value. A value is a
//! head byte and its contents. Texts, bytes and containers have a length before the contents.
//! Lengths and whole numbers are LEB128 varints.

mod read;
mod wire;
mod write;

use polywire_core::format::{Confidence, Format, Nature};

pub use wire::NAME;

/// The toy's line in the registry.
pub static FORMAT: Format = Format::new(NAME, "Toy", Nature::Binary, recognise, || Box::new(read::ToyReader::default()))
    .media_types(&["application/x-toy"])
    .extensions(&["toy"])
    .magic("TOY1")
    .writer(|| Box::new(write::ToyWriter::default()));

/// Returns `Certain` for the magic number, and `Possible` for the first bytes of it.
fn recognise(start: &[u8], whole: bool) -> Confidence {
    if start.starts_with(wire::MAGIC) {
        Confidence::Certain
    } else if !whole && !start.is_empty() && wire::MAGIC.starts_with(start) {
        Confidence::Possible
    } else {
        Confidence::No
    }
}

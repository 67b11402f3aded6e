//! Bodies that several fuzz targets share. The others wrap functions that the crates' own tests run.

// They are shared with tests, which have no documentation of their own.
#[path = "../../crates/formats/tests/judges/mod.rs"]
pub mod judges;

#[path = "../../crates/asn1/tests/ber_bytes/mod.rs"]
pub mod ber_bytes;

#[path = "../../crates/asn1/tests/per_bytes/mod.rs"]
pub mod per_bytes;

#[path = "../../crates/asn1/tests/language_texts/mod.rs"]
pub mod language_texts;

#[path = "../../crates/thrift/tests/language_texts/mod.rs"]
pub mod thrift_texts;

#[path = "../../crates/thrift/tests/schema_bytes/mod.rs"]
pub mod thrift_bytes;

#[path = "../../crates/etch/tests/schema_bytes/mod.rs"]
pub mod etch_bytes;

#[path = "../../crates/asn1/tests/jer_bytes/mod.rs"]
pub mod jer_bytes;

#[path = "../../crates/asn1/tests/xer_bytes/mod.rs"]
pub mod xer_bytes;

#[path = "../../crates/arrow/tests/hostile_bytes/mod.rs"]
pub mod hostile_bytes;

#[path = "../../crates/arrow/tests/random/mod.rs"]
pub mod random;

use polywire_formats::registry;
use polywire_testing as testing;

/// Runs all bodies of a format on one input: its walk, its framing with the stream cut in two, its
/// skipping, writing and inspection, and its documents by the walk and by its conventions.
///
/// # Panics
/// A promise is broken.
pub fn format(name: &str, bytes: &[u8]) {
    let format = registry::find(name).unwrap_or_else(|error| panic!("{error}"));
    testing::fuzz_walk(format, bytes);
    testing::fuzz_skip(format, bytes);
    testing::fuzz_rewrite(format, bytes);
    testing::fuzz_inspect(format, bytes);
    testing::fuzz_document(format, bytes);
    if let Some(conventions) = registry::conventions(format) {
        testing::fuzz_conventions(conventions, bytes);
    }
    // Somewhere, but always there for the same bytes.
    let sum = bytes.iter().fold(0usize, |sum, byte| sum.wrapping_mul(31).wrapping_add(usize::from(*byte)));
    testing::fuzz_frames(format, bytes, sum % (bytes.len() + 1));
    testing::fuzz_entries(format, bytes, 1 + sum % 64);
}

//! The format's name, and the remarks that readers and the writer share.

use polywire_core::{Scalar, Str};

/// Name in the registry and in errors, and the tag space of the format's tagged values.
pub const NAME: &str = "extprot";

/// Remark about a primitive that is read from a tuple. The unknown elements that follow are in that
/// tuple.
pub(super) const FIRST_OF_TUPLE: &str = "the first element of a tuple";

/// Remark about a primitive that is the only element of a tuple.
pub(super) const ONLY_OF_TUPLE: &str = "the only element of a tuple";

/// Most strings that hold values within each other. Their types are around themselves, so that
/// messages bound the recursion.
pub(super) const MAX_NESTED: usize = 64;

/// Returns a string as text if it is valid UTF-8, as octets otherwise; extprot declares no
/// character set.
#[inline]
pub(crate) fn text_or_octets(bytes: &[u8]) -> Scalar<'_, '_> {
    match simdutf8::basic::from_utf8(bytes) {
        Ok(text) => Scalar::Text(Str::Input(text)),
        Err(_) => Scalar::Octets(Str::Input(bytes)),
    }
}

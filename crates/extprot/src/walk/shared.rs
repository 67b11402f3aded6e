//! The name of the format, and what readers and the writer have to agree on.

use polywire_core::{Scalar, Str};

/// Name in the registry, in errors, and the space of its tagged values.
pub const NAME: &str = "extprot";

/// The remark about a primitive that is read from a tuple: what is unknown behind it lies in that tuple.
pub(super) const FIRST_OF_TUPLE: &str = "the first element of a tuple";

/// The same where nothing is behind it.
pub(super) const ONLY_OF_TUPLE: &str = "the only element of a tuple";

/// A string, whose character set nobody tells.
#[inline]
pub(crate) fn text_or_octets(bytes: &[u8]) -> Scalar<'_, '_> {
    match simdutf8::basic::from_utf8(bytes) {
        Ok(text) => Scalar::Text(Str::Input(text)),
        Err(_) => Scalar::Octets(Str::Input(bytes)),
    }
}

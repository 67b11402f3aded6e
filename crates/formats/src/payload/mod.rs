//! Payloads of text and bytes: the codecs that may be around a message, and the evidence that one
//! is inside.

mod base64;
#[cfg(feature = "compression")]
mod bzip2;
mod closed;
pub(crate) mod codecs;
mod evidence;
#[cfg(feature = "compression")]
mod gzip;
#[cfg(feature = "compression")]
mod lz4;
#[cfg(any(feature = "asn1", feature = "ber"))]
mod pem;
#[cfg(feature = "compression")]
mod xz;
#[cfg(feature = "compression")]
mod zstd;

use polywire_core::format::payload::Payloads;

use crate::registry;

pub use closed::{Closed, closed};
pub use codecs::{CODECS, may_be_packed};

/// All formats and all codecs that are compiled in.
pub static PAYLOADS: Payloads =
    Payloads { codecs: CODECS, evident: evidence::evident, likely: evidence::likely, tagged: registry::tag_holds };

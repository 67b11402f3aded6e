//! Messages on the wire: read, convert, check and stream them, in any format.
//!
//! ```
//! let cbor = polywire::convert(br#"{"id":7}"#, "json", "cbor")?;
//! assert_eq!(cbor, b"\xa1\x62id\x07");
//! # Ok::<(), polywire::Error>(())
//! ```
#![forbid(unsafe_code)]

mod conversion;
mod dialect;
#[cfg(feature = "serde")]
pub mod serde;

pub use conversion::{Conversion, Converted, Copied, convert};
pub use dialect::IntoDialect;
pub use polywire_core::tools::loss::{Loss, LossReport};
pub use polywire_core::{Dialect, Error, ErrorKind, Fault, Format, Limits, LossKind, Result};

#[cfg(feature = "serde")]
pub use polywire_core::{Timestamp, Value};
#[cfg(feature = "serde")]
pub use serde::{read, read_all, write, write_all};

/// Returns the format with this name, or this file extension.
///
/// ```
/// assert_eq!(polywire::format("msgpack")?.title, "MessagePack");
/// assert!(polywire::format("mesagepack").is_err());
/// # Ok::<(), polywire::Error>(())
/// ```
///
/// # Errors
/// There is none, or its feature was not compiled in.
pub fn format(name: &str) -> Result<&'static Format> {
    polywire_formats::registry::find(name)
}

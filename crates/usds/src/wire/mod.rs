//! Byte layout of values (docs/spec/usds.md 4).

pub mod codes;
mod number;
mod read;
pub mod signature;
mod write;

pub use number::{number, put_number};
pub(crate) use number::{put_whole, whole};
pub use polywire_core::bytes::utf8;
pub use read::{FALSE, MAX_ID, TRUE, Wire, array, boolean, id, size, sized, uvarint, varint};
pub(crate) use write::{put_bytes, put_sized};
pub use write::{put_uvarint, put_varint, uvarint_len};

//! Bytes on the wire, written and read by hand: no library would send most of them.

pub mod bomb;
pub mod hpack;
pub mod http1;
pub mod http2;

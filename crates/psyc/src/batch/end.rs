//! The end of a batch.

use crate::wire::parser::ParseError;

/// The largest part of a buffer that is parsed, almost four gigabytes: offsets have 32 bits.
pub const MAX: usize = u32::MAX as usize - 255;

/// The end of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// The end of a packet.
    Complete,
    /// A place inside a packet, or [`MAX`]. Parse the rest again with more bytes appended.
    More {
        /// The offset of the rest.
        start: usize,
        /// The least number of bytes missing; 0 if the buffer is longer than [`MAX`].
        missing: usize,
    },
    /// An error. The packets before it are valid; the stream cannot be read after it.
    ParseError(ParseError),
}

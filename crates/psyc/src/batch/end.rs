//! The end of a batch.

use crate::wire::parser::Fault;

/// Bytes of a buffer that are looked at, four gigabytes nearly: offsets have 32 bits.
pub const MAX: usize = u32::MAX as usize - 255;

/// How a batch ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// With the end of a packet.
    Complete,
    /// Inside of a packet, or at [`MAX`]. The rest is to be parsed again, with more behind it.
    More {
        /// Offset of the rest.
        start: usize,
        /// How many bytes are missing at least; 0 if the buffer is longer than [`MAX`].
        missing: usize,
    },
    /// With a mistake. The packets before it are good; the stream is of no use after it.
    Fault(Fault),
}

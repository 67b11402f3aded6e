//! A message of a stream.

/// A message and where it starts in the stream.
#[derive(Debug, Clone, Copy)]
pub struct Message<'b> {
    /// All its bytes.
    pub bytes: &'b [u8],
    /// Offset of the first.
    pub base: u64,
}

//! Memory that messages are written to, one after the other.

/// Memory for one message at a time. It grows to the size of the largest, and is used again.
#[derive(Debug, Default)]
pub struct Buffer {
    bytes: Vec<u8>,
}

impl Buffer {
    /// Returns a buffer without memory. The first message takes some.
    pub const fn new() -> Buffer {
        Buffer { bytes: Vec::new() }
    }

    /// Returns the vector that the next message is written to. It is empty.
    #[inline]
    pub fn empty(&mut self) -> &mut Vec<u8> {
        self.bytes.clear();
        &mut self.bytes
    }
}

//! Memory that one message after the other is written to.

/// Memory for one message at a time: it grows to what the largest takes, and is used again.
#[derive(Debug, Default)]
pub struct Buffer {
    /// Always empty: messages are in its free memory.
    bytes: Vec<u8>,
}

impl Buffer {
    /// A buffer without memory. The first message takes some.
    pub const fn new() -> Buffer {
        Buffer { bytes: Vec::new() }
    }

    /// What an [`Output`](crate::output::Output) writes to: it stays empty.
    pub fn empty(&mut self) -> &mut Vec<u8> {
        &mut self.bytes
    }
}

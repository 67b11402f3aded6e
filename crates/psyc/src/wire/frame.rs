//! The ends of packets in a stream that is cut anywhere.

use polywire_core::Frame;

use super::parse::PacketStep;
use super::parser::Parser;

/// Finds the ends of packets. Sized values and contents are skipped by their size, and no byte is
/// looked at twice.
#[derive(Debug, Default)]
pub struct Framer(Parser);

impl Framer {
    /// Finds the packet at the start of `buf`, as [`Reader::frame`](polywire_core::Reader::frame)
    /// does. One that breaks the grammar ends with the byte that does.
    pub fn frame(&mut self, buf: &[u8], eof: bool) -> Frame {
        if buf.is_empty() {
            return if eof { Frame::End } else { Frame::More(1) };
        }
        let end = loop {
            match self.0.next(buf) {
                Ok(PacketStep::Complete) => break self.0.cursor(),
                Ok(PacketStep::More) if eof => break buf.len(),
                Ok(PacketStep::More) => return Frame::More(self.0.missing()),
                Ok(_) => {}
                Err(fault) if fault.at < buf.len() => break fault.at + 1,
                Err(_) if eof => break buf.len(),
                // The byte at fault is not there yet; what it is changes nothing but where the
                // message ends.
                Err(_) => return Frame::More(1),
            }
        };
        self.0 = Parser::default();
        Frame::Message { start: 0, end }
    }
}

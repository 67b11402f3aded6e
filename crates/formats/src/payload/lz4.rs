//! LZ4 frames (lz4_Frame_format.md 1.6.4).

use std::io::{self, Read};

use lz4_flex::frame::FrameDecoder;
use polywire_core::format::payload::Codec;

/// The codec. Blocks have 4 MiB at most.
pub static CODEC: Codec = Codec { name: "lz4", recognise, certain: true, decoder: |input| Ok(Box::new(Frames(FrameDecoder::new(input)))) };

/// Reports whether the magic number of a frame is there, and a descriptor of version 1 whose
/// reserved bits are zero.
fn recognise(start: &[u8], _: bool) -> bool {
    start.starts_with(b"\x04\x22\x4d\x18") && matches!(start.get(4..6), Some([flags, block]) if flags & 0xc2 == 0x40 && block & 0x8f == 0)
}

/// Frames one after the other.
struct Frames<R: Read>(FrameDecoder<R>);

impl<R: Read> Read for Frames<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if buf.is_empty() {
            return Ok(0);
        }
        // The end of a frame reads as the end of the input; behind the last one comes nothing.
        match self.0.read(buf)? {
            0 => self.0.read(buf),
            read => Ok(read),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_bytes_decide() {
        assert!(recognise(b"\x04\x22\x4d\x18\x64\x40\xa7", false));
        assert!(!recognise(b"\x04\x22\x4d\x18", true) && !recognise(b"\x04\x22\x4d\x18\0\0", true));
    }
}

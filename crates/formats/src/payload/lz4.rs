//! LZ4 frames (lz4_Frame_format.md 1.6.4).

use std::io::{self, Read, Write};

use lz4_flex::frame::{BlockSize, FrameDecoder, FrameEncoder, FrameInfo};
use polywire_core::format::payload::{Codec, Encoder, Encoding};

/// The codec. Blocks have 4 MiB at most.
pub static CODEC: Codec = Codec {
    name: "lz4",
    extensions: &["lz4"],
    recognise,
    certain: true,
    decoder: |input| Ok(Box::new(Frames(FrameDecoder::new(input)))),
    encoder: Some(Encoder {
        levels: 1..=1,
        level: 1,
        encode: |out, _| {
            let info = FrameInfo::new().block_size(BlockSize::Max4MB).content_checksum(true);
            Ok(Box::new(Lz4(FrameEncoder::with_frame_info(info, out))))
        },
    }),
};

/// LZ4 on its way out.
struct Lz4<'a>(FrameEncoder<Box<dyn Write + 'a>>);

impl Write for Lz4<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl Encoding for Lz4<'_> {
    fn finish(self: Box<Self>) -> io::Result<()> {
        self.0.finish()?.flush()
    }
}

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

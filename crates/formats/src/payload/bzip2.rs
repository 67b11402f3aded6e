//! bzip2.

use std::io::{self, Write};

use ::bzip2::Compression;
use ::bzip2::read::MultiBzDecoder;
use ::bzip2::write::BzEncoder;
use polywire_core::format::payload::{Codec, Encoder, Encoding};

/// The codec. Its blocks have 900 kB at most.
pub static CODEC: Codec = Codec {
    name: "bzip2",
    extensions: &["bz2"],
    recognise,
    certain: true,
    decoder: |input| Ok(Box::new(MultiBzDecoder::new(input))),
    encoder: Some(Encoder {
        levels: 1..=9,
        level: 9,
        encode: |out, level| Ok(Box::new(Bzip2(BzEncoder::new(out, Compression::new(level))))),
    }),
};

/// bzip2 on its way out.
struct Bzip2<'a>(BzEncoder<Box<dyn Write + 'a>>);

impl Write for Bzip2<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl Encoding for Bzip2<'_> {
    fn finish(self: Box<Self>) -> io::Result<()> {
        self.0.finish()?.flush()
    }
}

/// Reports whether a block or the end of the stream follows the signature and the block size.
fn recognise(start: &[u8], _: bool) -> bool {
    let Some((head, rest)) = start.split_at_checked(4) else { return false };
    head.starts_with(b"BZh")
        && matches!(head[3], b'1'..=b'9')
        && (rest.starts_with(b"\x31\x41\x59\x26\x53\x59") || rest.starts_with(b"\x17\x72\x45\x38\x50\x90"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_bytes_decide() {
        assert!(recognise(b"BZh91AY&SY\x12", false) && recognise(b"BZh9\x17rE8P\x90\0\0", true));
        assert!(!recognise(b"BZh", true) && !recognise(b"BZh9 is a name", true));
    }
}

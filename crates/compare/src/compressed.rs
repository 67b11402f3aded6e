//! Lengths of compressed bytes.

use std::io::{self, Write};

use flate2::write::GzEncoder;
use flate2::{Compression, GzBuilder};

/// Level of gzip: the default of the program of that name.
pub(crate) const GZIP_LEVEL: u32 = 6;

/// Level of zstd: the default of the program of that name.
pub(crate) const ZSTD_LEVEL: i32 = 3;

/// Higher level of zstd, for times of compression.
pub(crate) const ZSTD_HIGH: i32 = 9;

/// Writer that only counts bytes.
struct Counter(usize);

impl Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Returns the length of bytes with gzip.
pub(crate) fn gzip(bytes: &[u8]) -> io::Result<usize> {
    let mut encoder: GzEncoder<Counter> = GzBuilder::new().write(Counter(0), Compression::new(GZIP_LEVEL));
    encoder.write_all(bytes)?;
    Ok(encoder.finish()?.0)
}

/// Returns the length of bytes with zstd.
pub(crate) fn zstd_stream(bytes: &[u8]) -> io::Result<usize> {
    let mut encoder = zstd::stream::Encoder::new(Counter(0), ZSTD_LEVEL)?;
    encoder.set_pledged_src_size(Some(bytes.len() as u64))?;
    encoder.write_all(bytes)?;
    Ok(encoder.finish()?.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gzip_and_zstd_count_what_they_would_write() {
        let bytes = b"to and fro and to and fro and to and fro and to and fro".repeat(20);
        let mut whole = Vec::new();
        let mut encoder = GzEncoder::new(&mut whole, Compression::new(GZIP_LEVEL));
        encoder.write_all(&bytes).unwrap();
        encoder.finish().unwrap();
        assert_eq!(gzip(&bytes).unwrap(), whole.len());
        assert!(zstd_stream(&bytes).unwrap() < bytes.len() / 4);
        let mut back = Vec::new();
        io::copy(&mut flate2::read::GzDecoder::new(&whole[..]), &mut back).unwrap();
        assert_eq!(back, bytes);
    }
}

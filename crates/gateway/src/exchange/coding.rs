//! Removal of content codings: gzip, deflate, br and zstd (docs/spec/ql.md 8.7, ql-D20; RFC 9110
//! 8.4).

use std::io::{self, Read};

use bytes::{Buf, Bytes};
use flate2::bufread::MultiGzDecoder;
use flate2::{Decompress, FlushDecompress, Status};
use http::HeaderMap;
use http::header::{CONTENT_ENCODING, CONTENT_LENGTH, TRANSFER_ENCODING};

use super::error::ErrorKind;
use crate::aside::aside;

/// The understood codings, as a value of `Accept-Encoding`.
pub const ACCEPTED: &str = "gzip, deflate, br, zstd";

/// Returns true if a coding is understood.
pub fn is_known(coding: &str) -> bool {
    matches!(coding, "gzip" | "x-gzip" | "deflate" | "br" | "zstd")
}

/// The most codings over each other; services use one.
const LAYERS: usize = 3;

/// The bytes decoded at a time; between them other exchanges have their turn.
const SLICE: usize = 64 << 10;

/// The largest window of a zstd frame, as a power of two (RFC 9659 3). Larger ones are refused
/// before memory is taken.
const WINDOW_LOG: u32 = 23;

/// Removes the codings of a body, `limit` bytes at most, and the headers that described the coded
/// body. Bodies of more than `long` bytes are decoded aside, few at a time.
pub async fn decode(headers: &mut HeaderMap, body: Bytes, limit: u64, long: usize) -> Result<Bytes, ErrorKind> {
    let mut codings = Vec::new();
    for value in headers.get_all(CONTENT_ENCODING) {
        let value = String::from_utf8_lossy(value.as_bytes()).to_ascii_lowercase();
        codings
            .extend(value.split(',').map(|coding| coding.trim().to_owned()).filter(|coding| !matches!(coding.as_str(), "" | "identity")));
    }
    // Replies without a body, such as those to HEAD, may name the coding all the same.
    if codings.is_empty() || body.is_empty() {
        return Ok(body);
    }
    if codings.len() > LAYERS {
        let reason = format!("{} codings over each other; at most {LAYERS} are removed", codings.len());
        return Err(ErrorKind::Coding { coding: codings.join(", "), reason });
    }
    let mut body = body;
    for coding in codings.iter().rev() {
        body = one(coding, body, limit, long).await?;
    }
    for name in [CONTENT_ENCODING, CONTENT_LENGTH, TRANSFER_ENCODING] {
        headers.remove(name);
    }
    Ok(body)
}

/// Removes one coding.
async fn one(coding: &str, body: Bytes, limit: u64, long: usize) -> Result<Bytes, ErrorKind> {
    let broken = |error: io::Error| ErrorKind::Coding { coding: coding.to_owned(), reason: error.to_string() };
    let size = body.len();
    let mut reader = decoder(coding, body)?;
    let decoded = if size > long {
        // A stream of empty parts is long work that makes nothing, so that there is no slice after
        // which others could have their turn.
        let drained = aside(size, move || {
            let mut bytes = Vec::new();
            loop {
                if let Some(end) = slice(&mut *reader, &mut bytes, limit)? {
                    return Ok(end.then(|| Bytes::from(bytes)));
                }
            }
        });
        drained.await.unwrap_or_else(|| Err(io::Error::other("the decoder failed")))
    } else {
        let mut bytes = Vec::new();
        loop {
            match slice(&mut *reader, &mut bytes, limit) {
                Ok(None) => tokio::task::yield_now().await,
                Ok(Some(end)) => break Ok(end.then(|| Bytes::from(bytes))),
                Err(error) => break Err(error),
            }
        }
    };
    decoded.map_err(broken)?.ok_or(ErrorKind::TooLong { limit, decoded: true })
}

/// Returns a reader of what was coded.
fn decoder(coding: &str, body: Bytes) -> Result<Box<dyn Read + Send>, ErrorKind> {
    let broken = |error: io::Error| ErrorKind::Coding { coding: coding.to_owned(), reason: error.to_string() };
    Ok(match coding {
        // RFC 9110 8.4.1.3: the two names mean the same.
        "gzip" | "x-gzip" => Box::new(MultiGzDecoder::new(body.reader())),
        "deflate" => Box::new(Deflate::new(body)),
        "br" => Box::new(brotli_decompressor::Decompressor::new(body.reader(), SLICE)),
        "zstd" => {
            let mut decoder = zstd::stream::read::Decoder::with_buffer(body.reader()).map_err(broken)?;
            decoder.window_log_max(WINDOW_LOG).map_err(broken)?;
            Box::new(decoder)
        }
        _ => {
            return Err(ErrorKind::Coding { coding: coding.to_owned(), reason: format!("it is unknown; the gateway asks for {ACCEPTED}") });
        }
    })
}

/// Reads the next slice. Returns true at the end, and false beyond `limit` bytes. Memory grows with
/// the output, never with a claimed length.
fn slice(reader: &mut dyn Read, bytes: &mut Vec<u8>, limit: u64) -> io::Result<Option<bool>> {
    let made = reader.take(SLICE as u64).read_to_end(bytes)?;
    if bytes.len() as u64 > limit {
        return Ok(Some(false));
    }
    Ok((made < SLICE).then_some(true))
}

/// `deflate` is zlib's format (RFC 9110 8.4.1.2), but services send the raw one too (ql-D20).
struct Deflate {
    body: Bytes,
    state: Decompress,
    ended: bool,
}

impl Deflate {
    fn new(body: Bytes) -> Self {
        // RFC 1950 2.2: method 8, and a check that the first two bytes are a multiple of 31.
        let zlib = body.len() >= 2 && body[0] & 0x0f == 8 && u16::from_be_bytes([body[0], body[1]]).is_multiple_of(31);
        Deflate { body, state: Decompress::new(zlib), ended: false }
    }
}

impl Read for Deflate {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        loop {
            if self.ended || buf.is_empty() {
                return Ok(0);
            }
            let (read, made) = (self.state.total_in(), self.state.total_out());
            let status = self.state.decompress(&self.body, buf, FlushDecompress::None).map_err(io::Error::from)?;
            let (read, made) = (self.state.total_in() - read, self.state.total_out() - made);
            self.body.advance(usize::try_from(read).unwrap_or(usize::MAX));
            self.ended = status == Status::StreamEnd;
            if self.ended && !self.body.is_empty() {
                return Err(io::Error::other(format!("{} bytes after its end", self.body.len())));
            }
            if made > 0 || self.ended {
                return Ok(usize::try_from(made).unwrap_or(usize::MAX));
            }
            if read == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aside::LONG;
    use flate2::Compression;
    use flate2::read::{DeflateEncoder, GzEncoder, ZlibEncoder};

    /// "gateway " 100 times, as `brotli -q 11` writes it: no dependency has a brotli encoder.
    const BROTLI: &[u8] = &[
        0x1b, 0x1f, 0x03, 0xf8, 0x8d, 0x94, 0x6e, 0xde, 0xb4, 0x06, 0x09, 0x2b, 0x3b, 0x93, 0x74, 0x77, 0x79, 0xd1, 0x5b, 0x38, 0x40, 0xda,
        0x2a, 0x07,
    ];

    fn text() -> Vec<u8> {
        b"gateway ".repeat(100)
    }

    fn encode(coding: &str, text: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::new();
        let level = Compression::default();
        match coding {
            "gzip" => GzEncoder::new(text, level).read_to_end(&mut bytes).unwrap(),
            "zlib" => ZlibEncoder::new(text, level).read_to_end(&mut bytes).unwrap(),
            "raw" => DeflateEncoder::new(text, level).read_to_end(&mut bytes).unwrap(),
            _ => bytes.write(&zstd::encode_all(text, 0).unwrap()),
        };
        bytes
    }

    trait Append {
        fn write(&mut self, bytes: &[u8]) -> usize;
    }

    impl Append for Vec<u8> {
        fn write(&mut self, bytes: &[u8]) -> usize {
            self.extend_from_slice(bytes);
            bytes.len()
        }
    }

    async fn decoded(coding: &str, body: impl Into<Bytes>, limit: u64) -> Result<Bytes, ErrorKind> {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_ENCODING, coding.parse().unwrap());
        headers.insert(CONTENT_LENGTH, 1.into());
        let decoded = decode(&mut headers, body.into(), limit, LONG).await;
        assert_eq!(headers.is_empty(), decoded.is_ok() && !matches!(coding, "identity" | ""), "{coding}");
        decoded
    }

    fn all() -> [(&'static str, Vec<u8>); 5] {
        let text = text();
        [
            ("gzip", encode("gzip", &text)),
            ("deflate", encode("zlib", &text)),
            ("deflate", encode("raw", &text)),
            ("zstd", encode("zstd", &text)),
            ("br", BROTLI.to_vec()),
        ]
    }

    #[tokio::test]
    async fn each_coding() {
        for (coding, body) in all() {
            assert_eq!(decoded(coding, body.clone(), 800).await.unwrap(), text(), "{coding}");
            assert_eq!(decoded(coding, body, 799).await, Err(ErrorKind::TooLong { limit: 799, decoded: true }), "{coding}");
        }
        assert_eq!(decoded("identity", "abc", 3).await.unwrap(), "abc");
        let twice = encode("gzip", &encode("zlib", &text()));
        assert_eq!(decoded("Deflate, x-gzip", twice, 800).await.unwrap(), text());
        let members = [encode("gzip", b"ab"), encode("gzip", b"c")].concat();
        assert_eq!(decoded("gzip", members, 3).await.unwrap(), "abc");
    }

    #[tokio::test]
    async fn broken_bodies() {
        for (coding, body) in all() {
            for end in 1..body.len() {
                assert!(
                    matches!(decoded(coding, body[..end].to_vec(), 10_000).await, Err(ErrorKind::Coding { .. })),
                    "{coding} cut at {end}"
                );
            }
            assert!(matches!(decoded(coding, "never compressed", 100).await, Err(ErrorKind::Coding { .. })), "{coding}");
        }
        let after = [encode("zlib", b"x"), b"y".to_vec()].concat();
        assert!(decoded("deflate", after, 10).await.is_err());
        assert!(decoded("compress", "x", 10).await.is_err());
        assert!(decoded("gzip, gzip, gzip, gzip", "x", 10).await.is_err());
    }

    #[tokio::test]
    async fn long_bodies_are_decoded_elsewhere() {
        let mut random = vec![0; 300_000];
        fastrand::Rng::with_seed(7).fill(&mut random);
        for (name, coding) in [("gzip", "gzip"), ("deflate", "zlib"), ("zstd", "zstd")] {
            let body = encode(coding, &random);
            assert!(body.len() > LONG, "{coding}");
            assert_eq!(decoded(name, body.clone(), 300_000).await.unwrap(), random, "{coding}");
            assert!(matches!(decoded(name, body[..body.len() - 9].to_vec(), 300_000).await, Err(ErrorKind::Coding { .. })), "{coding}");
        }
        // Many parts that hold nothing.
        let empty = encode("gzip", b"").repeat(100_000);
        assert_eq!(decoded("gzip", empty, 10).await.unwrap(), "");
    }

    #[tokio::test]
    async fn bombs_stop_at_the_limit() {
        let zeros = vec![0; 50_000_000];
        for coding in ["gzip", "zlib", "zstd"] {
            let bomb = encode(coding, &zeros);
            assert!(bomb.len() < 100_000);
            let name = if coding == "zlib" { "deflate" } else { coding };
            assert_eq!(decoded(name, bomb, 1_000_000).await, Err(ErrorKind::TooLong { limit: 1_000_000, decoded: true }));
        }
    }
}

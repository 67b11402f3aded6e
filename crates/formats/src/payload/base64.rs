//! base64: bytes as text in its two alphabets (RFC 4648 4 and 5), with or without padding and line
//! breaks.

use std::io::{self, Read};

use ::base64::alphabet::STANDARD;
use ::base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use ::base64::read::DecoderReader;
use polywire_core::format::payload::Codec;

/// Characters of the shortest text that is taken for base64: many a word is valid base64.
const SHORTEST: usize = 16;

const PADDED_OR_NOT: GeneralPurposeConfig = GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
static ENGINE: GeneralPurpose = GeneralPurpose::new(&STANDARD, PADDED_OR_NOT);

/// The codec.
pub static CODEC: Codec = Codec {
    name: "base64",
    extensions: &["b64", "base64"],
    recognise,
    certain: false,
    decoder: |input| Ok(Box::new(DecoderReader::new(OneAlphabet(input), &ENGINE))),
    encoder: None,
};

fn recognise(start: &[u8], whole: bool) -> bool {
    let (mut digits, mut padding, mut alphabets) = (0, 0, [false; 2]);
    for byte in start {
        match byte {
            b'\r' | b'\n' => continue,
            b'=' => padding += 1,
            _ if padding > 0 => return false,
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' => digits += 1,
            b'+' | b'/' => (digits, alphabets[0]) = (digits + 1, true),
            b'-' | b'_' => (digits, alphabets[1]) = (digits + 1, true),
            _ => return false,
        }
    }
    let ends_well = !whole || digits % 4 != 1 && (padding == 0 || (digits + padding) % 4 == 0 && padding <= 2);
    digits >= SHORTEST && alphabets != [true; 2] && ends_well
}

/// Drops line breaks, and translates the alphabet for URLs to the other.
struct OneAlphabet<R>(R);

impl<R: Read> Read for OneAlphabet<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        loop {
            let read = self.0.read(buf)?;
            let mut kept = 0;
            for at in 0..read {
                let digit = match buf[at] {
                    b'\r' | b'\n' => continue,
                    b'-' => b'+',
                    b'_' => b'/',
                    other => other,
                };
                buf[kept] = digit;
                kept += 1;
            }
            // Reading nothing means the end, so a run of line breaks must not read as nothing.
            if kept > 0 || read == 0 {
                return Ok(kept);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(text: &str) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        CODEC.reader(Box::new(text.as_bytes()))?.read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    #[test]
    fn both_alphabets_padded_or_not_in_lines_or_not() {
        let bytes: Vec<u8> = (0..=255).cycle().take(257).collect();
        let standard = ::base64::Engine::encode(&::base64::engine::general_purpose::STANDARD, &bytes);
        let urls = standard.replace('+', "-").replace('/', "_");
        let lines: String = standard.as_bytes().chunks(7).map(|line| format!("{}\r\n\n\n", std::str::from_utf8(line).unwrap())).collect();
        for text in [&standard, standard.trim_end_matches('='), &urls, urls.trim_end_matches('='), &lines] {
            assert!(recognise(text.as_bytes(), true), "{text}");
            assert_eq!(decoded(text).unwrap(), bytes);
        }
    }

    #[test]
    fn what_it_is_not() {
        for text in [
            "",
            "abcd",
            "YWJj=YWJjYWJjYWJj",
            "two words are no base64",
            "YWJjYWJjYWJj+WJj_WJj",
            "YWJjYWJjYWJjYWJjY",
            "YWJjYWJjYWJjYWJjYWI===",
        ] {
            assert!(!recognise(text.as_bytes(), true), "{text}");
        }
        assert!(recognise(b"YWJjYWJjYWJjYWJjY", false));
        assert!(decoded("YWJjYWJjYWJj!WJj").unwrap_err().to_string().contains("base64"));
    }
}

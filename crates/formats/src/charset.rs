//! Input in other character sets: decoded to UTF-8 as it is read.

use std::io::{self, Read};

use encoding_rs::{CoderResult, Decoder, DecoderResult, Encoding, UTF_8, UTF_16BE, UTF_16LE};
use polywire_core::{Error, ErrorKind, Result};

/// A character set that input may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Charset {
    /// ISO 8859-1 as it is defined: byte n is character n. The Encoding Standard takes the name for
    /// windows-1252, which changes 0x80 to 0x9F.
    Latin1,
    /// ASCII: nothing above 0x7F.
    Ascii,
    /// Any other one of the Encoding Standard. A byte order mark decides between those of UTF-16.
    Other(&'static Encoding),
}

/// Treatment of bytes that are no character.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Invalid {
    /// An error.
    #[default]
    Refuse,
    /// They become U+FFFD.
    Replace,
}

impl Charset {
    /// Returns the character set of this name, a label of the Encoding Standard.
    ///
    /// # Errors
    /// There is none.
    pub fn named(name: &str) -> Result<Charset> {
        let label = name.trim().to_ascii_lowercase();
        match label.as_str() {
            "iso-8859-1" | "iso_8859-1" | "iso8859-1" | "latin1" | "latin-1" | "l1" => Ok(Charset::Latin1),
            "ascii" | "us-ascii" => Ok(Charset::Ascii),
            _ => match Encoding::for_label_no_replacement(label.as_bytes()) {
                Some(encoding) => Ok(Charset::Other(encoding)),
                None => Err(Error::usage(format!("the character set `{name}`"))
                    .expected("one of the Encoding Standard, such as latin1, windows-1252, utf-16le or shift_jis")),
            },
        }
    }

    /// Returns the character set that the first bytes of a text show by a mark, other than UTF-8.
    pub fn marked(start: &[u8]) -> Option<Charset> {
        match start {
            [0xff, 0xfe, 0, 0, ..] | [0, 0, 0xfe, 0xff, ..] => None,
            [0xff, 0xfe, ..] => Some(Charset::Other(UTF_16LE)),
            [0xfe, 0xff, ..] => Some(Charset::Other(UTF_16BE)),
            _ => None,
        }
    }

    /// Returns its name for people.
    pub fn name(self) -> &'static str {
        match self {
            Charset::Latin1 => "ISO-8859-1",
            Charset::Ascii => "US-ASCII",
            Charset::Other(encoding) => encoding.name(),
        }
    }

    /// Makes a reader of the text in UTF-8, without its byte order mark. Memory: two buffers.
    ///
    /// The reader fails at bytes that are no character with an [`Error`] inside of its own error,
    /// whose offset counts in `input`.
    pub fn reader(self, input: Box<dyn Read>, invalid: Invalid) -> Box<dyn Read> {
        let decoder = match self {
            Charset::Latin1 | Charset::Ascii => None,
            // The mark of one order comes before the other's name.
            Charset::Other(encoding) if encoding == UTF_16LE || encoding == UTF_16BE || encoding == UTF_8 => Some(encoding.new_decoder()),
            Charset::Other(encoding) => Some(encoding.new_decoder_without_bom_handling()),
        };
        Box::new(Decoded {
            input,
            charset: self,
            decoder,
            invalid,
            raw: vec![0; CHUNK],
            from: 0,
            to: 0,
            base: 0,
            eof: false,
            text: Vec::new(),
            given: 0,
            failed: None,
            done: false,
        })
    }
}

/// Bytes that are read at a time.
const CHUNK: usize = 32 << 10;

/// A reader that decodes another one's bytes.
struct Decoded {
    input: Box<dyn Read>,
    charset: Charset,
    decoder: Option<Decoder>,
    invalid: Invalid,
    /// Bytes of the input; those at `from..to` are not decoded yet.
    raw: Vec<u8>,
    from: usize,
    to: usize,
    /// Offset of `raw[from]` in the input.
    base: u64,
    eof: bool,
    /// Decoded text; `given` bytes of it are handed out.
    text: Vec<u8>,
    given: usize,
    /// Offset of the bytes that are no character.
    failed: Option<u64>,
    done: bool,
}

impl Read for Decoded {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        while self.given == self.text.len() {
            if let Some(at) = self.failed {
                return Err(invalid(at, self.charset));
            }
            if self.done || out.is_empty() {
                return Ok(0);
            }
            if self.from == self.to && !self.eof {
                self.fill()?;
            }
            self.decode();
        }
        let count = out.len().min(self.text.len() - self.given);
        out[..count].copy_from_slice(&self.text[self.given..self.given + count]);
        self.given += count;
        Ok(count)
    }
}

impl Decoded {
    fn fill(&mut self) -> io::Result<()> {
        (self.from, self.to) = (0, 0);
        loop {
            match self.input.read(&mut self.raw) {
                Ok(count) => {
                    self.to = count;
                    self.eof = count == 0;
                    return Ok(());
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Decodes what was read, up to bytes that are no character.
    fn decode(&mut self) {
        let raw = &self.raw[self.from..self.to];
        // The longest text of a chunk: three bytes for each byte of a single-byte set, and some for
        // what a decoder holds back.
        self.text.resize(3 * CHUNK + 16, 0);
        self.given = 0;
        let mut full = false;
        let (read, written) = match &mut self.decoder {
            None => {
                let bad = match self.charset {
                    Charset::Ascii => raw.iter().position(|byte| !byte.is_ascii()),
                    _ => None,
                };
                let good = bad.unwrap_or(raw.len());
                let written = encoding_rs::mem::convert_latin1_to_utf8(&raw[..good], &mut self.text);
                match bad {
                    Some(at) if self.invalid == Invalid::Refuse => {
                        self.failed = Some(self.base + at as u64);
                        (good, written)
                    }
                    Some(at) => {
                        let replacement = "\u{fffd}".as_bytes();
                        self.text[written..written + replacement.len()].copy_from_slice(replacement);
                        (at + 1, written + replacement.len())
                    }
                    None => (good, written),
                }
            }
            Some(decoder) if self.invalid == Invalid::Replace => {
                let (result, read, written, _) = decoder.decode_to_utf8(raw, &mut self.text, self.eof);
                full = result == CoderResult::OutputFull;
                (read, written)
            }
            Some(decoder) => {
                let (result, read, written) = decoder.decode_to_utf8_without_replacement(raw, &mut self.text, self.eof);
                full = result == DecoderResult::OutputFull;
                if let DecoderResult::Malformed(length, behind) = result {
                    self.failed = Some((self.base + read as u64).saturating_sub(u64::from(length) + u64::from(behind)));
                }
                (read, written)
            }
        };
        self.text.truncate(written);
        self.from += read;
        self.base += read as u64;
        self.done = self.eof && self.from == self.to && !full;
    }
}

#[cold]
fn invalid(at: u64, charset: Charset) -> io::Error {
    let error = Error::data(ErrorKind::Encoding, at).seen("bytes that are no character").expected(format!("text in {}", charset.name()));
    io::Error::new(io::ErrorKind::InvalidData, error)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hands out `bytes` in pieces.
    struct Pieces(Vec<u8>, usize);

    impl Read for Pieces {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            let count = self.1.min(out.len()).min(self.0.len());
            out[..count].copy_from_slice(&self.0[..count]);
            self.0.drain(..count);
            Ok(count)
        }
    }

    fn text(charset: &str, bytes: &[u8], piece: usize, invalid: Invalid) -> io::Result<String> {
        let mut text = String::new();
        let input = Box::new(Pieces(bytes.to_vec(), piece));
        Charset::named(charset).unwrap().reader(input, invalid).read_to_string(&mut text)?;
        Ok(text)
    }

    #[test]
    fn text_is_decoded_however_it_is_cut() {
        let le: Vec<u8> = "\u{feff}aé🦀".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let be: Vec<u8> = "\u{feff}aé🦀".encode_utf16().flat_map(u16::to_be_bytes).collect();
        for piece in [1, 2, 3, 100] {
            for (charset, bytes, expected) in [
                ("latin1", &b"a\xe9\x80"[..], "aé\u{80}"),
                ("windows-1252", b"a\xe9\x80", "aé€"),
                ("ISO-8859-15", b"\xa4", "€"),
                ("utf-16le", &le, "aé🦀"),
                ("utf-16", &be, "aé🦀"),
                ("utf-8", "\u{feff}é".as_bytes(), "é"),
                ("shift_jis", b"\x93\xfa\x96\x7b", "日本"),
                ("ascii", b"abc", "abc"),
                ("utf-8", b"", ""),
            ] {
                assert_eq!(text(charset, bytes, piece, Invalid::Refuse).unwrap(), expected, "{charset}");
            }
        }
        let long = vec![0xe9; 3 * CHUNK + 1];
        assert_eq!(text("latin1", &long, usize::MAX, Invalid::Refuse).unwrap(), "é".repeat(long.len()));
        assert_eq!(text("windows-1251", &vec![0x88; 2 * CHUNK], usize::MAX, Invalid::Refuse).unwrap(), "€".repeat(2 * CHUNK));
    }

    #[test]
    fn bytes_that_are_no_character_have_a_place() {
        let long: Vec<u8> = [vec![b'a'; 3 * CHUNK], b"\xff".to_vec()].concat();
        for (charset, bytes, at, replaced) in [
            ("utf-8", &b"ab\xffc"[..], 2, "ab\u{fffd}c"),
            ("utf-8", b"ab\xe2\x82", 2, "ab\u{fffd}"),
            ("ascii", b"a\xe9b", 1, "a\u{fffd}b"),
            ("utf-16le", b"a\0\x00\xd8b\0", 2, "a\u{fffd}b"),
            ("utf-16le", b"a\0b", 2, "a\u{fffd}"),
            ("shift_jis", b"ab\x81\x20c", 2, "ab\u{fffd} c"),
            ("utf-8", &long, 3 * CHUNK as u64, &("a".repeat(3 * CHUNK) + "\u{fffd}")),
        ] {
            for piece in [1, 100, usize::MAX] {
                let error = text(charset, bytes, piece, Invalid::Refuse).expect_err(charset);
                let inner = error.into_inner().and_then(|inner| inner.downcast::<Error>().ok()).expect("an error of ours");
                assert_eq!((inner.kind(), inner.offset()), (ErrorKind::Encoding, Some(at)), "{charset}");
                assert_eq!(text(charset, bytes, piece, Invalid::Replace).unwrap(), replaced, "{charset}");
            }
        }
    }

    #[test]
    fn names_and_marks() {
        assert!(Charset::named("utf-9").is_err());
        assert_eq!(Charset::named(" Latin-1 ").unwrap(), Charset::Latin1);
        assert_eq!(Charset::marked(b"\xff\xfea\0").map(Charset::name), Some("UTF-16LE"));
        assert_eq!(Charset::marked(b"\xff\xfe\0\0"), None);
        assert_eq!(Charset::marked(b"\xef\xbb\xbfa"), None);
    }
}

//! Documents in encodings other than UTF-8 (XML 1.0, section 4.3.3 and appendix F). Their first
//! bytes identify the encoding, and they are decoded whole.

use encoding_rs::{DecoderResult, EncoderResult, Encoding, UTF_16BE, UTF_16LE};
use polywire_core::{Error, ErrorKind, Result};

/// The byte order mark of UTF-8.
pub const UTF8_MARK: &[u8] = b"\xef\xbb\xbf";

/// Bytes in which the end of an XML declaration is searched. Declarations are below 100 bytes.
const DECLARATION_REACH: usize = 1024;

/// The encoding of a document's characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Charset {
    /// UTF-8.
    Utf8,
    /// ISO 8859-1 as it is defined: byte n is character n. The Encoding Standard takes the name for
    /// windows-1252, which changes 0x80 to 0x9F.
    Latin1,
    /// ASCII: nothing above 0x7F.
    Ascii,
    /// Any other encoding.
    Other(&'static Encoding),
}

impl Charset {
    /// Returns true if `<`, `>` and quotes are always bytes of their own, so that markup can be
    /// found without decoding.
    pub fn shows_markup(self) -> bool {
        match self {
            Charset::Utf8 | Charset::Latin1 | Charset::Ascii => true,
            Charset::Other(encoding) => encoding.is_single_byte(),
        }
    }

    /// Returns the number of bytes of `c`.
    fn width(self, c: char) -> usize {
        match self {
            Charset::Utf8 => c.len_utf8(),
            Charset::Latin1 | Charset::Ascii => 1,
            Charset::Other(encoding) if encoding == UTF_16LE || encoding == UTF_16BE => 2 * c.len_utf16(),
            Charset::Other(encoding) if encoding.is_single_byte() || c.is_ascii() => 1,
            Charset::Other(encoding) => {
                let mut buffer = [0; 16];
                let text = c.encode_utf8(&mut [0; 4]).to_owned();
                match encoding.new_encoder().encode_from_utf8_without_replacement(&text, &mut buffer, true) {
                    (EncoderResult::InputEmpty, _, written) => written,
                    _ => 1,
                }
            }
        }
    }
}

/// Returns the encoding of a document, and the length of its byte order mark.
///
/// A mark, or UTF-16 that shows in the first bytes, comes before the declaration, which must not
/// contradict it ([`check_declaration`]). Without both, the encoding is UTF-8.
pub fn detect(bytes: &[u8], base: u64) -> Result<(Charset, usize)> {
    let unsupported = |what: &'static str| {
        Error::data(ErrorKind::Encoding, base).seen(what).expected("UTF-8, UTF-16 or an encoding of the Encoding Standard")
    };
    match bytes {
        [0xef, 0xbb, 0xbf, ..] => return Ok((Charset::Utf8, 3)),
        [0, 0, 0xfe, 0xff, ..] | [0xff, 0xfe, 0, 0, ..] | [0, 0, 0, b'<', ..] | [b'<', 0, 0, 0, ..] => return Err(unsupported("UTF-32")),
        [0xfe, 0xff, ..] => return Ok((Charset::Other(UTF_16BE), 2)),
        [0xff, 0xfe, ..] => return Ok((Charset::Other(UTF_16LE), 2)),
        [0, b'<', ..] => return Ok((Charset::Other(UTF_16BE), 0)),
        [b'<', 0, ..] => return Ok((Charset::Other(UTF_16LE), 0)),
        _ => {}
    }
    let Some((label, at)) = declared(bytes) else { return Ok((Charset::Utf8, 0)) };
    let lower = label.to_ascii_lowercase();
    let charset = match &lower[..] {
        b"utf-8" | b"utf8" => Charset::Utf8,
        b"us-ascii" | b"ascii" => Charset::Ascii,
        b"iso-8859-1" | b"iso_8859-1" | b"latin1" | b"l1" => Charset::Latin1,
        _ => match Encoding::for_label_no_replacement(&lower) {
            Some(encoding) if encoding == encoding_rs::UTF_8 => Charset::Utf8,
            Some(encoding) if encoding.is_ascii_compatible() || encoding == encoding_rs::ISO_2022_JP => Charset::Other(encoding),
            found => {
                let seen = format!("encoding=\"{}\"", String::from_utf8_lossy(label));
                let error = Error::data(ErrorKind::Encoding, base + at as u64).seen(seen);
                return Err(match found {
                    Some(_) => {
                        error.expected("the encoding of the declaration itself").hint("drop the declaration, or encode the document")
                    }
                    None => error.expected("an encoding of the Encoding Standard").hint("convert the document to UTF-8 first"),
                });
            }
        },
    };
    Ok((charset, 0))
}

/// Checks that the declaration at the start of `text`, which was decoded, does not name another
/// encoding than the one that the first bytes show (section 4.3.3). Returns the offset in `text` of
/// a label that does, and the error.
pub fn check_declaration(text: &[u8], charset: Charset) -> std::result::Result<(), (usize, Error)> {
    let Some((label, at)) = declared(text) else { return Ok(()) };
    let lower = label.to_ascii_lowercase();
    let (agrees, expected) = match charset {
        Charset::Utf8 => (matches!(&lower[..], b"utf-8" | b"utf8"), "`UTF-8`, as the byte order mark shows"),
        _ => (
            lower.starts_with(b"utf-16") || matches!(&lower[..], b"utf16" | b"unicode" | b"ucs-2" | b"iso-10646-ucs-2"),
            "`UTF-16`, as the first bytes show",
        ),
    };
    if agrees {
        return Ok(());
    }
    let seen = format!("encoding=\"{}\"", String::from_utf8_lossy(label));
    let error = Error::data(ErrorKind::Encoding, at as u64).seen(seen).expected(expected);
    Err((at, error.hint("drop the declaration, or correct it")))
}

/// Returns the encoding label of an XML declaration at the start of `bytes`, and its offset.
fn declared(bytes: &[u8]) -> Option<(&[u8], usize)> {
    let declaration = declaration(bytes)?;
    let name = memchr::memmem::find(declaration, b"encoding")? + b"encoding".len();
    let space = |at: usize| super::chars::skip_space(declaration, at);
    let equals = space(name);
    let open = (declaration.get(equals) == Some(&b'=')).then(|| space(equals + 1))?;
    let quote = *declaration.get(open).filter(|quote| matches!(quote, b'"' | b'\''))?;
    let label = &declaration[open + 1..];
    Some((&label[..memchr::memchr(quote, label)?], open + 1))
}

/// Returns the XML declaration at the start of `bytes`, up to its `?>`.
fn declaration(bytes: &[u8]) -> Option<&[u8]> {
    let rest = bytes.strip_prefix(b"<?xml")?;
    if !rest.first().copied().is_some_and(super::chars::is_space) {
        return None;
    }
    let end = memchr::memmem::find(&bytes[..bytes.len().min(DECLARATION_REACH)], b"?>")?;
    Some(&bytes[..end])
}

/// Reports whether `bytes` may start with an XML declaration whose end needs more bytes.
pub fn declaration_is_open(bytes: &[u8]) -> bool {
    const START: &[u8] = b"<?xml";
    let start = bytes.len().min(START.len());
    bytes.len() < DECLARATION_REACH
        && bytes[..start] == START[..start]
        && bytes.get(START.len()).copied().is_none_or(super::chars::is_space)
        && declaration(bytes).is_none()
}

/// Returns the error for `bytes`, which start at `base` of the stream and are no UTF-8.
#[cold]
pub fn not_utf8(bytes: &[u8], base: u64) -> Error {
    let at = std::str::from_utf8(bytes).err().map_or(0, |error| error.valid_up_to());
    undecodable(bytes, at, base, "UTF-8")
}

fn undecodable(bytes: &[u8], at: usize, base: u64, name: &str) -> Error {
    let seen = bytes.get(at).map_or_else(|| "the end of the input".to_owned(), |byte| format!("byte 0x{byte:02x}"));
    Error::data(ErrorKind::Encoding, base + at as u64).seen(seen).expected(format!("{name} text"))
}

/// Decodes `bytes`, which start at `base` of the stream, after any byte order mark.
pub fn decode(bytes: &[u8], charset: Charset, base: u64) -> Result<String> {
    let wrong = |at: usize, name: &str| undecodable(bytes, at, base, name);
    match charset {
        Charset::Utf8 => std::str::from_utf8(bytes).map(str::to_owned).map_err(|_| not_utf8(bytes, base)),
        Charset::Ascii => match bytes.iter().position(|byte| !byte.is_ascii()) {
            None => Ok(String::from_utf8_lossy(bytes).into_owned()),
            Some(at) => Err(wrong(at, "US-ASCII")),
        },
        Charset::Latin1 => Ok(encoding_rs::mem::decode_latin1(bytes).into_owned()),
        Charset::Other(encoding) => {
            let mut decoder = encoding.new_decoder_without_bom_handling();
            let room = decoder.max_utf8_buffer_length_without_replacement(bytes.len()).unwrap_or(bytes.len());
            let mut text = String::with_capacity(room);
            let mut read = 0;
            loop {
                let (result, more) = decoder.decode_to_string_without_replacement(&bytes[read..], &mut text, true);
                read += more;
                match result {
                    DecoderResult::InputEmpty => return Ok(text),
                    DecoderResult::OutputFull => text.reserve(room),
                    DecoderResult::Malformed(bad, after) => {
                        return Err(wrong(read.saturating_sub(usize::from(bad) + usize::from(after)), encoding.name()));
                    }
                }
            }
        }
    }
}

/// Maps places in the decoded text to bytes of the original, by counting on from the last place.
///
/// A walk asks for places close to each other, so all answers together take time linear in the
/// text.
#[derive(Debug)]
pub struct Offsets<'t> {
    text: &'t str,
    charset: Charset,
    at: usize,
    original: u64,
    end: u64,
}

impl<'t> Offsets<'t> {
    /// Maps `text`, which was decoded from the bytes at `start..end` of the stream.
    pub fn new(text: &'t str, charset: Charset, start: u64, end: u64) -> Self {
        Offsets { text, charset, at: 0, original: start, end }
    }

    /// Returns the offset in the stream of `text[at..]`.
    pub fn find(&mut self, at: usize) -> u64 {
        let at = (0..=at.min(self.text.len())).rev().find(|&at| self.text.is_char_boundary(at)).unwrap_or(0);
        let bytes = |piece: &str| piece.chars().map(|c| self.charset.width(c) as u64).sum::<u64>();
        self.original = if at >= self.at {
            self.original + bytes(&self.text[self.at..at])
        } else {
            self.original.saturating_sub(bytes(&self.text[at..self.at]))
        };
        self.at = at;
        self.original.min(self.end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_and_declarations_are_recognised() {
        let utf16 = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
        assert_eq!(detect(b"<a/>", 0).unwrap(), (Charset::Utf8, 0));
        assert_eq!(detect(b"\xef\xbb\xbf<a/>", 0).unwrap(), (Charset::Utf8, 3));
        assert_eq!(detect(&utf16("<a/>"), 0).unwrap(), (Charset::Other(UTF_16LE), 0));
        assert_eq!(detect(b"\xfe\xff\0<", 0).unwrap(), (Charset::Other(UTF_16BE), 2));
        assert_eq!(detect(b"<?xml version='1.0' encoding = \"ISO-8859-1\"?>", 0).unwrap(), (Charset::Latin1, 0));
        assert_eq!(detect(b"<?xml version='1.0' encoding='koi8-r' ?>", 0).unwrap(), (Charset::Other(encoding_rs::KOI8_R), 0));
        assert_eq!(detect(b"<?xml version='1.0' encoding='UTF-16'?>", 7).unwrap_err().offset(), Some(37));
        assert_eq!(detect(b"<?xml version='1.0' encoding='klingon'?>", 0).unwrap_err().kind(), ErrorKind::Encoding);
        assert_eq!(detect(b"<\0\0\0", 0).unwrap_err().kind(), ErrorKind::Encoding);
    }

    #[test]
    fn an_open_declaration_wants_more_bytes() {
        for (bytes, open) in
            [("", true), ("<", true), ("<?xml", true), ("<?xml version", true), ("<?xml ?>", false), ("<?xm-", false), ("<a", false)]
        {
            assert_eq!(declaration_is_open(bytes.as_bytes()), open, "{bytes}");
        }
    }

    #[test]
    fn offsets_go_back_to_the_original() {
        for (encoding, text) in [(UTF_16LE, "aé🦀b日"), (encoding_rs::SHIFT_JIS, "a日本bテ")] {
            let mut offsets = Offsets::new(text, Charset::Other(encoding), 10, 1000);
            let mut at = 10;
            let mut places = vec![(0, at)];
            for (n, c) in text.char_indices() {
                at += if encoding == UTF_16LE { 2 * c.len_utf16() as u64 } else { encoding.encode(&c.to_string()).0.len() as u64 };
                places.push((n + c.len_utf8(), at));
            }
            for &(n, original) in places.iter().chain(places.iter().rev()) {
                assert_eq!(offsets.find(n), original);
            }
        }
    }

    #[test]
    fn what_cannot_be_decoded_is_named_by_its_offset() {
        assert_eq!(decode(b"a\0\xd8\x00\x00", Charset::Other(UTF_16LE), 5).unwrap_err().kind(), ErrorKind::Encoding);
        assert_eq!(decode(b"ab\x81\x20c", Charset::Other(encoding_rs::SHIFT_JIS), 5).unwrap_err().offset(), Some(7));
        assert_eq!(decode(b"ab\x80", Charset::Ascii, 5).unwrap_err().offset(), Some(7));
        assert_eq!(decode(b"\x80\xff", Charset::Latin1, 0).unwrap(), "\u{80}ÿ");
    }
}

//! Texts that people know for bytes with a tag: ObjectIds, UUIDs, and what CBOR's tags ask for.
//!
//! Formats of text that drop tags write these in place of base64. One room knows them, so that a
//! value has the same text in all of them.

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use polywire_core::{Losses, Scalar, Span};

use crate::spaces::bson::{NAME as BSON, OBJECT_ID, binary_code};
use crate::spaces::cbor::NAME as CBOR;

/// The text of bytes behind a tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Spelling {
    /// Twelve bytes in hexadecimal digits, as MongoDB shows them.
    ObjectId,
    /// Sixteen bytes in groups (RFC 9562, section 4).
    Uuid,
    /// MD5's sixteen bytes in hexadecimal digits.
    Md5,
    /// Base64url without padding (RFC 8949, section 3.4.5.2).
    Base64Url,
    /// Base64 with padding.
    Base64,
    /// Hexadecimal digits, which RFC 8949 wants in upper case.
    Hex,
}

impl Spelling {
    fn of(space: &str, code: u64) -> Option<Spelling> {
        Some(match (space, code) {
            (BSON, code) if code == u64::from(OBJECT_ID) => Spelling::ObjectId,
            (BSON, code) if code == binary_code(4) => Spelling::Uuid,
            (BSON, code) if code == binary_code(5) => Spelling::Md5,
            (CBOR, 37) => Spelling::Uuid,
            (CBOR, 21) => Spelling::Base64Url,
            (CBOR, 22) => Spelling::Base64,
            (CBOR, 23) => Spelling::Hex,
            _ => return None,
        })
    }

    /// Returns the text of `bytes`, and what is lost by it, if the bytes are of the tag's type.
    fn text(self, bytes: &[u8]) -> Option<(String, &'static str)> {
        Some(match (self, bytes.len()) {
            (Spelling::ObjectId, 12) => (hex(bytes), "ObjectId became its hexadecimal digits"),
            (Spelling::Md5, 16) => (hex(bytes), "MD5 became its hexadecimal digits"),
            (Spelling::Uuid, 16) => {
                let digits = hex(bytes);
                let groups = [&digits[..8], &digits[8..12], &digits[12..16], &digits[16..20], &digits[20..]];
                (groups.join("-"), "UUID became text")
            }
            (Spelling::Base64Url, _) => (URL_SAFE_NO_PAD.encode(bytes), "bytes became base64url text, as their tag asks"),
            (Spelling::Base64, _) => (STANDARD.encode(bytes), "bytes became base64 text, as their tag asks"),
            (Spelling::Hex, _) => (hex(bytes).to_ascii_uppercase(), "bytes became hexadecimal text, as their tag asks"),
            _ => return None,
        })
    }
}

/// Returns bytes as hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]).map(|digit| char::from(b"0123456789abcdef"[usize::from(digit)])).collect()
}

/// The tag before the next value, for writers that drop tags.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct TagText(Option<(Spelling, Span)>);

impl TagText {
    /// Reports whether a tag's bytes have a text of their own.
    pub(crate) fn knows(space: &str, code: u64) -> bool {
        Spelling::of(space, code).is_some()
    }

    /// Takes a tag at `at`. Unless the text of its value may say what it is, it is a loss at once.
    pub(crate) fn open(&mut self, space: &str, code: u64, at: Span, losses: &mut Losses) {
        self.drop(losses);
        match Spelling::of(space, code) {
            Some(spelling) => self.0 = Some((spelling, at)),
            None => losses.value(DROPPED, at),
        }
    }

    /// Reports whether the text of the next value depends on its tag.
    #[inline(always)]
    pub(crate) fn is_open(&self) -> bool {
        self.0.is_some()
    }

    /// Returns the text in place of the tag's value, if that is a scalar of the tag's type, and
    /// notes what is lost.
    #[cold]
    pub(crate) fn text(&mut self, value: &Scalar<'_, '_>, at: Span, losses: &mut Losses) -> Option<String> {
        let (spelling, tag) = self.0.take()?;
        let found = if let Scalar::Bytes(bytes) = value { spelling.text(bytes.get()) } else { None };
        match found {
            Some((text, lost)) => {
                losses.value(lost, at);
                Some(text)
            }
            None => {
                losses.value(DROPPED, tag);
                None
            }
        }
    }

    /// Drops the tag of a value that has no text.
    #[inline]
    pub(crate) fn drop(&mut self, losses: &mut Losses) {
        if let Some((_, tag)) = self.0.take() {
            losses.value(DROPPED, tag);
        }
    }

    /// Forgets the tag.
    pub(crate) fn clear(&mut self) {
        self.0 = None;
    }
}

const DROPPED: &str = "tag dropped";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_have_the_text_of_their_tag() {
        let text = |space, code, bytes: &[u8]| Spelling::of(space, code).and_then(|spelling| spelling.text(bytes)).map(|(text, _)| text);
        assert_eq!(text(BSON, 7, b"\x66\x5f\x1c\x2e\x9b\x1e\x8a\0\x01\xc0\xff\xee").as_deref(), Some("665f1c2e9b1e8a0001c0ffee"));
        assert_eq!(text(BSON, 7, b"short"), None);
        let sixteen: Vec<u8> = (0..16).collect();
        for (space, code) in [(BSON, 5 * 256 + 4), (CBOR, 37)] {
            assert_eq!(text(space, code, &sixteen).as_deref(), Some("00010203-0405-0607-0809-0a0b0c0d0e0f"));
            assert_eq!(text(space, code, &sixteen[1..]), None);
        }
        assert_eq!(text(BSON, 5 * 256 + 5, &sixteen).as_deref(), Some("000102030405060708090a0b0c0d0e0f"));
        assert_eq!(text(BSON, 5 * 256 + 3, &sixteen), None);
        assert_eq!(text(CBOR, 21, b"\xff\xfe").as_deref(), Some("__4"));
        assert_eq!(text(CBOR, 22, b"\xff\xfe").as_deref(), Some("//4="));
        assert_eq!(text(CBOR, 23, b"\xff\xfe").as_deref(), Some("FFFE"));
        assert_eq!(text(CBOR, 24, b""), None);
    }
}

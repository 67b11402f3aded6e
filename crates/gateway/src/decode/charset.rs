//! Text in other character sets, converted to UTF-8.

use bytes::Bytes;
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};
use polywire_core::{Error, ErrorKind, Fault, Result};

use super::media_type::BodyType;

/// UTF-8's byte order mark.
const MARK: &[u8] = b"\xef\xbb\xbf";

/// Returns `body` in UTF-8 without a byte order mark, and true if the media type named the
/// character set. The reader checks text that claims to be UTF-8.
///
/// # Errors
/// The character set is unknown, or the body is not in it.
pub(super) fn to_utf8(body: &Bytes, body_type: &BodyType) -> Result<(Bytes, bool)> {
    let Some(label) = &body_type.charset else { return Ok((unmarked(body), false)) };
    let Some(encoding) = Encoding::for_label(label.trim().as_bytes()) else {
        return Err(Error::new(ErrorKind::Encoding, Fault::Data)
            .seen(format!("the character set `{label}`"))
            .expected("one of the Encoding Standard")
            .hint("the service names it in its media type"));
    };
    if encoding == UTF_8 || (encoding.is_ascii_compatible() && body.is_ascii()) {
        return Ok((unmarked(body), true));
    }
    let encoding = if encoding == UTF_16LE && starts_with_high_zero(body) { UTF_16BE } else { encoding };
    let (text, used, wrong) = encoding.decode(body);
    if wrong {
        return Err(Error::new(ErrorKind::Encoding, Fault::Data)
            .seen("bytes that stand for no character")
            .expected(format!("text in {}, as its media type says", used.name())));
    }
    Ok((Bytes::from(text.into_owned()), true))
}

/// Returns whether text in UTF-16 without a byte order mark begins with an ASCII character in
/// big-endian order. The Encoding Standard reads it as little-endian; services that say `UCS-2` or
/// `UTF-16` may mean either (RFC 2781 3.3).
fn starts_with_high_zero(body: &[u8]) -> bool {
    matches!(body, [0, 1..=0x7f, ..])
}

/// Returns a body as text, in the character set of its media type, else UTF-8; `None` if it is not
/// in that.
pub fn body_text(body: &Bytes, content_type: Option<&str>) -> Option<String> {
    let (text, _) = to_utf8(body, &BodyType::parse(content_type)).ok()?;
    String::from_utf8(text.to_vec()).ok()
}

fn unmarked(body: &Bytes) -> Bytes {
    if body.starts_with(MARK) { body.slice(MARK.len()..) } else { body.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn converted(bytes: &'static [u8], content_type: &str) -> Result<(Bytes, bool)> {
        to_utf8(&Bytes::from_static(bytes), &BodyType::parse(Some(content_type)))
    }

    #[test]
    fn text_becomes_utf8() {
        for (bytes, charset, text) in [
            (&b"caf\xe9"[..], "iso-8859-1", "café"),
            (b"\xff\xfea\0", "utf-16", "a"),
            (b"\0a\x20\xac", "ucs-2", "a€"),
            (b"a\0\xac\x20", "ucs-2", "a€"),
            (b"\x93\xfa\x96\x7b", "Shift_JIS", "日本"),
            (b"\xef\xbb\xbfa", "utf-8", "a"),
            (b"plain", "us-ascii", "plain"),
        ] {
            let (body, named) = converted(bytes, &format!("text/xml; charset={charset}")).unwrap();
            assert_eq!((&body[..], named), (text.as_bytes(), true), "{charset}");
        }
        assert_eq!(converted(b"\xef\xbb\xbfa", "text/xml").unwrap(), (Bytes::from_static(b"a"), false));
    }

    #[test]
    fn what_is_no_text_is_told() {
        assert!(converted(b"a", "text/xml; charset=klingon").unwrap_err().to_string().contains("klingon"));
        assert!(converted(b"\x81\x20", "text/xml; charset=shift_jis").unwrap_err().to_string().contains("Shift_JIS"));
    }
}

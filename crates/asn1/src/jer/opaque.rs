//! Values of open types whose table does not have the type.
//!
//! Their bytes are the JSON text of the value. Bytes that are no JSON text, which another encoding
//! had, are written as hexadecimal digits in a string. Each text gives other bytes, and back.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use polywire_core::Limits;
use polywire_json::scan::Scan;

/// Returns whether bytes are one JSON text, without white space around it.
pub(super) fn is_json(bytes: &[u8]) -> bool {
    let Some(text) = polywire_core::bytes::utf8(bytes) else { return false };
    let mut scan = Scan::new(text, 0, String::new());
    !text.starts_with([' ', '\n', '\r', '\t']) && scan.skip(Limits::MAX_DEPTH).is_ok() && scan.cursor.at == text.len()
}

/// Appends the octets of a text that is a string of hexadecimal digits for bytes that are not
/// written as they are. Returns false if it is no such string.
pub(super) fn from_hex(text: &str, out: &mut Vec<u8>) -> bool {
    let start = out.len();
    let digits = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
    let found = digits.is_some_and(|digits| unhex(digits, out)) && !stays(&out[start..]);
    if !found {
        out.truncate(start);
    }
    found
}

/// Returns whether bytes are a text that is read as itself. Each recursion halves the bytes.
fn stays(bytes: &[u8]) -> bool {
    is_json(bytes) && std::str::from_utf8(bytes).is_ok_and(|text| !from_hex(text, &mut Vec::new()))
}

/// Appends the text of bytes.
pub(super) fn put(bytes: &[u8], out: &mut Vec<u8>) {
    if stays(bytes) {
        return out.extend_from_slice(bytes);
    }
    out.push(b'"');
    hex(bytes, out);
    out.push(b'"');
}

/// Appends hexadecimal digits.
pub(crate) fn hex(bytes: &[u8], out: &mut Vec<u8>) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    out.reserve(bytes.len() * 2);
    out.extend(bytes.iter().flat_map(|byte| [DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]));
}

/// Appends Base64 in quotes (X.697 15).
pub(super) fn base64(bytes: &[u8], out: &mut Vec<u8>) {
    out.push(b'"');
    out.extend_from_slice(STANDARD.encode(bytes).as_bytes());
    out.push(b'"');
}

/// Appends the octets of Base64, which may have ends of lines. Returns false if the text is none.
pub(super) fn unbase64(text: &str, out: &mut Vec<u8>) -> bool {
    let is_white = |byte: u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
    if text.bytes().any(is_white) {
        let plain: Vec<u8> = text.bytes().filter(|byte| !is_white(*byte)).collect();
        return STANDARD.decode_vec(plain, out).is_ok();
    }
    STANDARD.decode_vec(text, out).is_ok()
}

/// Appends the octets of hexadecimal digits. Returns false if the text is none, or has an odd one.
pub(super) fn unhex(text: &str, out: &mut Vec<u8>) -> bool {
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    let digit = |byte: u8| char::from(byte).to_digit(16).map(|digit| digit as u8);
    out.reserve(pairs.len());
    rest.is_empty() && pairs.iter().all(|[high, low]| digit(*high).zip(digit(*low)).map(|(high, low)| out.push(high << 4 | low)).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_text_has_bytes_of_its_own() {
        let written = |bytes: &[u8]| {
            let mut out = Vec::new();
            put(bytes, &mut out);
            String::from_utf8(out).unwrap()
        };
        let read = |text: &str| {
            let mut out = Vec::new();
            if !from_hex(text, &mut out) {
                out = text.as_bytes().to_vec();
            }
            out
        };
        for (bytes, text) in [
            (&b"\x00\xff"[..], "\"00FF\""),
            (b"", "\"\""),
            (b"{\"a\": 1}", "{\"a\": 1}"),
            (b"\"word\"", "\"word\""),
            // Digits of a text: the text itself comes back.
            (b"\"3135\"", "\"3135\""),
            (b"15", "15"),
            // A string of digits for other bytes would be taken for them.
            (b"\"00FF\"", "\"223030464622\""),
            (b" 1", "\"2031\""),
        ] {
            assert_eq!(written(bytes), text);
            assert_eq!(read(text), bytes, "{text}");
        }
    }
}

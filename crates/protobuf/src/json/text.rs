//! JSON strings.

/// Appends `text` as a JSON string, escaping what RFC 8259 section 7 says must be.
pub(crate) fn string(out: &mut Vec<u8>, text: &str) {
    out.push(b'"');
    let bytes = text.as_bytes();
    let mut from = 0;
    loop {
        let end = plain_end(bytes, from);
        out.extend_from_slice(&bytes[from..end]);
        let Some(&byte) = bytes.get(end) else { break };
        match byte {
            b'"' => out.extend_from_slice(b"\\\""),
            b'\\' => out.extend_from_slice(b"\\\\"),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            b'\t' => out.extend_from_slice(b"\\t"),
            0x08 => out.extend_from_slice(b"\\b"),
            0x0c => out.extend_from_slice(b"\\f"),
            other => {
                let digit = |nibble: u8| b"0123456789abcdef"[usize::from(nibble)];
                out.extend_from_slice(&[b'\\', b'u', b'0', b'0', digit(other >> 4), digit(other & 15)]);
            }
        }
        from = end + 1;
    }
    out.push(b'"');
}

/// Where the first byte at or behind `from` is that a JSON string does not hold as it is.
#[inline]
pub(crate) fn plain_end(bytes: &[u8], from: usize) -> usize {
    let mut at = from;
    while let Some(eight) = bytes.get(at..).and_then(|rest| rest.first_chunk::<8>()) {
        let found = special(u64::from_le_bytes(*eight));
        if found != 0 {
            return at + (found.trailing_zeros() / 8) as usize;
        }
        at += 8;
    }
    while let Some(&byte) = bytes.get(at) {
        if byte < 0x20 || byte == b'"' || byte == b'\\' {
            break;
        }
        at += 1;
    }
    at
}

/// The highest bit of each byte that is below 0x20, a quote or a backslash. Bytes above the first of them may be marked falsely, so only the first counts.
#[inline(always)]
const fn special(eight: u64) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x8080_8080_8080_8080;
    let quote = eight ^ (ONES * b'"' as u64);
    let backslash = eight ^ (ONES * b'\\' as u64);
    let control = eight.wrapping_sub(ONES * 0x20);
    (control | quote.wrapping_sub(ONES) | backslash.wrapping_sub(ONES)) & !eight & HIGH
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_must_be_is_escaped() {
        let mut out = Vec::new();
        string(&mut out, "plain text with \"quotes\", \\ and \n\t\u{1}\u{7f}é🦀 in it");
        assert_eq!(String::from_utf8(out).unwrap(), "\"plain text with \\\"quotes\\\", \\\\ and \\n\\t\\u0001\u{7f}é🦀 in it\"");
    }

    #[test]
    fn the_first_special_byte_is_found() {
        let plain = |bytes: &[u8]| bytes.iter().position(|byte| *byte < 0x20 || *byte == b'"' || *byte == b'\\').unwrap_or(bytes.len());
        for byte in 0..=255u8 {
            for at in 0..17 {
                for around in [b'a', 0x80, 0xff, b'!', b'#', b'[', b']', 0x20] {
                    let mut bytes = [around; 17];
                    bytes[at] = byte;
                    assert_eq!(plain_end(&bytes, 0), plain(&bytes), "{bytes:?}");
                }
            }
        }
    }
}

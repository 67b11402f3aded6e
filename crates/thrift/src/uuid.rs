//! Identifiers of 16 bytes as text (RFC 9562 4).

/// Number of characters of the text.
pub(crate) const LEN: usize = 36;

/// Writes an identifier as hexadecimal digits with hyphens.
pub(crate) fn text(bytes: &[u8; 16]) -> String {
    let mut out = String::with_capacity(LEN);
    for (n, byte) in bytes.iter().enumerate() {
        if matches!(n, 4 | 6 | 8 | 10) {
            out.push('-');
        }
        for digit in [byte >> 4, byte & 15] {
            out.push(char::from_digit(u32::from(digit), 16).unwrap_or('0'));
        }
    }
    out
}

/// Reads an identifier of its text. `None` if it is none.
pub(crate) fn parse(text: &str) -> Option<[u8; 16]> {
    let text = text.as_bytes();
    if text.len() != LEN {
        return None;
    }
    let mut out = [0; 16];
    let mut at = 0;
    for (n, byte) in out.iter_mut().enumerate() {
        if matches!(n, 4 | 6 | 8 | 10) {
            if text[at] != b'-' {
                return None;
            }
            at += 1;
        }
        let digit = |at: usize| char::from(text[at]).to_digit(16);
        *byte = (digit(at)? << 4 | digit(at + 1)?) as u8;
        at += 2;
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_bytes_belong_together() {
        let bytes: [u8; 16] = std::array::from_fn(|n| (n * 17) as u8);
        let written = "00112233-4455-6677-8899-aabbccddeeff";
        assert_eq!(text(&bytes), written);
        assert_eq!((parse(written), parse(&written.to_uppercase())), (Some(bytes), Some(bytes)));
        for bad in
            ["", "00112233-4455-6677-8899-aabbccddeef", "00112233-4455-6677-8899+aabbccddeeff", "0011223g-4455-6677-8899-aabbccddeeff"]
        {
            assert_eq!(parse(bad), None, "{bad}");
        }
    }
}

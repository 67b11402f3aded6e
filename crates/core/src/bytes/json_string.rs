//! Strings of JSON (RFC 8259, section 7): their ends found sixteen bytes at a time, and their escapes.

use wide::u8x16;

/// Position, from `at` on, of the first byte that ends a run of plain string characters (`"`, `\`, or a control character: RFC 8259 section 7),
/// or the length of `bytes`.
#[inline]
pub fn plain_end(bytes: &[u8], mut at: usize) -> usize {
    while let Some(chunk) = bytes.get(at..).and_then(|rest| rest.first_chunk::<16>()) {
        let specials = specials(chunk);
        if specials != 0 {
            return at + specials.trailing_zeros() as usize;
        }
        at += 16;
    }
    while at < bytes.len() && bytes[at] >= 0x20 && bytes[at] != b'"' && bytes[at] != b'\\' {
        at += 1;
    }
    at
}

/// One bit for each byte that is `"`, `\`, or below 0x20.
#[inline]
fn specials(chunk: &[u8; 16]) -> u32 {
    let bytes = u8x16::new(*chunk);
    let control = bytes.min(u8x16::splat(0x1f)).simd_eq(bytes);
    (bytes.simd_eq(u8x16::splat(b'"')) | bytes.simd_eq(u8x16::splat(b'\\')) | control).to_bitmask()
}

/// Which control characters have a short escape, where the standard leaves a choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Short {
    /// Line feed, carriage return and tab.
    Lines,
    /// These, backspace and form feed: all that there are.
    All,
}

/// Appends `text` as a string, escaping what must be.
#[inline]
pub fn string(out: &mut Vec<u8>, text: &str, short: Short) {
    string_of_utf8(out, text.as_bytes(), short);
}

/// As [`string`], of bytes that are known to be UTF-8; others would stand in the string as they are.
pub fn string_of_utf8(out: &mut Vec<u8>, bytes: &[u8], short: Short) {
    out.push(b'"');
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
            0x08 if short == Short::All => out.extend_from_slice(b"\\b"),
            0x0c if short == Short::All => out.extend_from_slice(b"\\f"),
            other => {
                let digit = |nibble: u8| b"0123456789abcdef"[usize::from(nibble)];
                out.extend_from_slice(&[b'\\', b'u', b'0', b'0', digit(other >> 4), digit(other & 15)]);
            }
        }
        from = end + 1;
    }
    out.push(b'"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_must_be_is_escaped() {
        let text = "plain text with \"quotes\", \\ and \n\t\u{8}\u{c}\u{1}\u{7f}é🦀 in it";
        for (short, two) in [(Short::Lines, "\\u0008\\u000c"), (Short::All, "\\b\\f")] {
            let mut out = Vec::new();
            string(&mut out, text, short);
            let expected = format!("\"plain text with \\\"quotes\\\", \\\\ and \\n\\t{two}\\u0001\u{7f}é🦀 in it\"");
            assert_eq!(String::from_utf8(out).unwrap(), expected);
        }
    }

    /// The plain twin.
    fn naive(bytes: &[u8], at: usize) -> usize {
        (at..bytes.len()).find(|&at| bytes[at] < 0x20 || bytes[at] == b'"' || bytes[at] == b'\\').unwrap_or(bytes.len())
    }

    #[test]
    fn agrees_with_its_twin_for_every_byte_at_every_place() {
        for byte in 0..=255 {
            for length in 0..36 {
                for place in 0..length {
                    let mut bytes = vec![b'a'; length];
                    bytes[place] = byte;
                    for at in 0..length {
                        assert_eq!(plain_end(&bytes, at), naive(&bytes, at), "{byte:#x} at {place} of {length} from {at}");
                    }
                }
            }
        }
    }

    #[test]
    fn agrees_with_its_twin_on_random_bytes() {
        let mut rng = fastrand::Rng::with_seed(1);
        for _ in 0..20_000 {
            let bytes: Vec<u8> = (0..rng.usize(..40)).map(|_| if rng.bool() { rng.u8(..) } else { rng.u8(0x1e..0x24) }).collect();
            let at = rng.usize(..=bytes.len());
            assert_eq!(plain_end(&bytes, at), naive(&bytes, at), "{bytes:?} from {at}");
        }
    }
}

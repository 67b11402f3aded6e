//! Strings of JSON (RFC 8259 section 7): the search for their ends, sixteen bytes at a time, and
//! their escapes.

use polywire_core::bytes::framed;
use polywire_lanes::U8x16;

/// Returns the position, from `at` on, of the first `"`, `\` or control character (RFC 8259 section
/// 7), or the length of `bytes`.
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

/// Returns what [`plain_end`] does, faster for strings of more than sixteen bytes.
#[inline(always)]
pub fn long_plain_end(bytes: &[u8], at: usize) -> usize {
    // Half of all strings end in the first piece and half in the second, so a branch between them
    // would be guessed wrong as often.
    if let Some(chunk) = bytes.get(at..).and_then(|rest| rest.first_chunk::<32>())
        && let (Some(first), Some(second)) = (chunk.first_chunk::<16>(), chunk.last_chunk::<16>())
    {
        let specials = specials(first) | specials(second) << 16;
        if specials != 0 {
            return at + specials.trailing_zeros() as usize;
        }
        return plain_end(bytes, at + 32);
    }
    plain_end(bytes, at)
}

/// Returns one bit for each byte that is `"`, `\`, or below 0x20.
#[inline]
fn specials(chunk: &[u8; 16]) -> u32 {
    let bytes = U8x16::new(*chunk);
    let control = bytes.simd_min(U8x16::splat(0x1f)).simd_eq(bytes);
    (bytes.simd_eq(U8x16::splat(b'"')) | bytes.simd_eq(U8x16::splat(b'\\')) | control).to_bitmask()
}

/// Returns whether a text has none of the characters that are escaped. Texts of more than 32 bytes
/// are not looked at, and the answer is false.
#[inline(always)]
pub fn is_short_and_plain(bytes: &[u8]) -> bool {
    // Two pieces of one size, which may overlap, make any length from one piece to two.
    if let (8..=16, Some(first), Some(last)) = (bytes.len(), bytes.first_chunk::<8>(), bytes.last_chunk::<8>()) {
        specials(&both(first, last)) == 0
    } else if let (4..=7, Some(first), Some(last)) = (bytes.len(), bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        specials(&both(first, last)) == 0
    } else if let (17..=32, Some(first), Some(last)) = (bytes.len(), bytes.first_chunk::<16>(), bytes.last_chunk::<16>()) {
        specials(first) | specials(last) == 0
    } else {
        bytes.len() < 4 && bytes.iter().all(|byte| *byte >= 0x20 && *byte != b'"' && *byte != b'\\')
    }
}

/// Returns two pieces as one, with spaces behind them.
#[inline(always)]
fn both<const N: usize>(first: &[u8; N], last: &[u8; N]) -> [u8; 16] {
    let mut both = [b' '; 16];
    both[..N].copy_from_slice(first);
    both[N..2 * N].copy_from_slice(last);
    both
}

/// Control characters with a short escape, where the standard leaves a choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Short {
    /// Line feed, carriage return and tab.
    Lines,
    /// Line feed, carriage return, tab, backspace and form feed.
    All,
}

/// Copies the plain characters at the start of `from[start..end]` to the start of `to`, sixteen
/// bytes at a time, and returns the number of bytes copied.
///
/// The copy ends before the first character that is not plain, and where `from` or `to` has fewer
/// than sixteen bytes left. With `ASCII`, only ASCII is plain. Later bytes of `to` have no meaning.
#[inline(always)]
pub fn copy_plain<const ASCII: bool>(from: &[u8], start: usize, end: usize, to: &mut [u8]) -> usize {
    let mut done = 0;
    while start + done < end {
        let chunk = from.get(start + done..).and_then(|rest| rest.first_chunk::<16>());
        let place = to.get_mut(done..).and_then(|rest| rest.first_chunk_mut::<16>());
        let (Some(chunk), Some(place)) = (chunk, place) else { break };
        *place = *chunk;
        let specials = if ASCII { specials(chunk) | U8x16::new(*chunk).to_bitmask() } else { specials(chunk) };
        if specials != 0 {
            done += specials.trailing_zeros() as usize;
            break;
        }
        done += 16;
    }
    done.min(end - start)
}

/// Returns the escape of a byte that a string cannot hold, and its length.
pub fn escape(byte: u8, short: Short) -> ([u8; 6], usize) {
    let two = |byte: u8| ([b'\\', byte, 0, 0, 0, 0], 2);
    match byte {
        b'"' | b'\\' => two(byte),
        b'\n' => two(b'n'),
        b'\r' => two(b'r'),
        b'\t' => two(b't'),
        0x08 if short == Short::All => two(b'b'),
        0x0c if short == Short::All => two(b'f'),
        other => {
            let digit = |nibble: u8| b"0123456789abcdef"[usize::from(nibble)];
            ([b'\\', b'u', b'0', b'0', digit(other >> 4), digit(other & 15)], 6)
        }
    }
}

/// Appends `text` as a string, with the required escapes.
#[inline]
pub fn string(out: &mut Vec<u8>, text: &str, short: Short) {
    quoted(out, *b"\"", text, *b"\"", short);
}

/// Appends `text` as a string between `before`, which ends with its opening quote, and `after`,
/// which begins with its closing quote. Both have at most four bytes.
#[inline]
pub fn quoted<const B: usize, const A: usize>(out: &mut Vec<u8>, before: [u8; B], text: &str, after: [u8; A], short: Short) {
    if is_short_and_plain(text.as_bytes()) {
        return framed(out, before, text.as_bytes(), after);
    }
    out.extend_from_slice(&before[..B - 1]);
    string_of_utf8(out, text.as_bytes(), short);
    out.extend_from_slice(&after[1..]);
}

/// Appends like [`string`] without a check of UTF-8: other bytes are copied as they are.
pub fn string_of_utf8(out: &mut Vec<u8>, bytes: &[u8], short: Short) {
    out.push(b'"');
    let mut from = 0;
    loop {
        let end = plain_end(bytes, from);
        out.extend_from_slice(&bytes[from..end]);
        let Some(&byte) = bytes.get(end) else { break };
        let (escape, length) = escape(byte, short);
        out.extend_from_slice(&escape[..length]);
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

    #[test]
    fn short_texts_are_plain_as_their_twin_says() {
        for byte in 0..=255 {
            for length in 0..=32 {
                for place in 0..length {
                    let mut bytes = vec![b'a'; length];
                    bytes[place] = byte;
                    assert_eq!(is_short_and_plain(&bytes), naive(&bytes, 0) == length, "{byte:#x} at {place} of {length}");
                }
            }
        }
        assert!(is_short_and_plain(b"") && !is_short_and_plain(&[b'a'; 33]));
    }

    #[test]
    fn strings_are_those_of_the_plain_way() {
        let mut rng = fastrand::Rng::with_seed(4);
        for _ in 0..20_000 {
            let odd = rng.u8(..30);
            let text: String =
                (0..rng.usize(..50)).map(|_| if rng.u8(..) < odd { rng.char('\0'..'\u{300}') } else { rng.lowercase() }).collect();
            let mut expected = b",".to_vec();
            string_of_utf8(&mut expected, text.as_bytes(), Short::Lines);
            expected.push(b':');
            let mut out = Vec::new();
            quoted(&mut out, *b",\"", &text, *b"\":", Short::Lines);
            assert_eq!(out, expected);
        }
    }

    /// Does as [`plain_end`]: its twin.
    fn naive(bytes: &[u8], at: usize) -> usize {
        (at..bytes.len()).find(|&at| bytes[at] < 0x20 || bytes[at] == b'"' || bytes[at] == b'\\').unwrap_or(bytes.len())
    }

    #[test]
    fn agrees_with_its_twin_for_every_byte_at_every_place() {
        for byte in 0..=255 {
            for length in 0..52 {
                for place in 0..length {
                    let mut bytes = vec![b'a'; length];
                    bytes[place] = byte;
                    for at in 0..length {
                        assert_eq!(plain_end(&bytes, at), naive(&bytes, at), "{byte:#x} at {place} of {length} from {at}");
                        assert_eq!(long_plain_end(&bytes, at), naive(&bytes, at), "{byte:#x} at {place} of {length} from {at}");
                    }
                }
            }
        }
    }

    #[test]
    fn agrees_with_its_twin_on_random_bytes() {
        let mut rng = fastrand::Rng::with_seed(1);
        for _ in 0..20_000 {
            let bytes: Vec<u8> = (0..rng.usize(..80)).map(|_| if rng.u8(..) < 20 { rng.u8(..) } else { rng.u8(0x20..0x24) }).collect();
            let at = rng.usize(..=bytes.len());
            assert_eq!(plain_end(&bytes, at), naive(&bytes, at), "{bytes:?} from {at}");
            assert_eq!(long_plain_end(&bytes, at), naive(&bytes, at), "{bytes:?} from {at}");
        }
    }

    #[test]
    fn what_is_copied_is_plain() {
        let mut rng = fastrand::Rng::with_seed(2);
        for _ in 0..20_000 {
            let odd = rng.u8(..30);
            let from: Vec<u8> = (0..rng.usize(..80)).map(|_| if rng.u8(..) < odd { rng.u8(..) } else { rng.u8(b'a'..=b'z') }).collect();
            let end = rng.usize(..=from.len());
            let start = rng.usize(..=end);
            let mut to = vec![0; rng.usize(..100)];
            let plain = naive(&from[..end], start) - start;
            // As far as sixteen bytes can be read and written.
            let reach = |length: usize| length / 16 * 16;
            let most = plain.min(reach(from.len() - start)).min(reach(to.len()));
            let done = copy_plain::<false>(&from, start, end, &mut to);
            assert_eq!((done, &to[..done]), (most, &from[start..start + done]));
            let ascii = from[start..start + most].iter().position(|byte| !byte.is_ascii()).unwrap_or(most);
            assert_eq!(copy_plain::<true>(&from, start, end, &mut to), ascii);
        }
    }
}

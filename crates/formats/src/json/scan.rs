//! Finding the end of strings, eight bytes at a time.

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = 0x8080_8080_8080_8080;

/// The high bit of each byte of `word` that is `"`, `\` or below 0x20. Bytes above the first marked one may be marked wrongly.
#[inline]
const fn special_bytes(word: u64) -> u64 {
    let quote = word ^ (ONES * b'"' as u64);
    let backslash = word ^ (ONES * b'\\' as u64);
    // A byte with its high bit set is none of them: `& !word` clears those.
    let below_space = word.wrapping_sub(ONES * 0x20);
    ((quote.wrapping_sub(ONES) & !quote) | (backslash.wrapping_sub(ONES) & !backslash) | (below_space & !word)) & HIGH
}

/// Position, from `at` on, of the first byte that ends a run of plain string characters (`"`, `\`, or a control character: RFC 8259 section 7),
/// or the length of `bytes`.
#[inline]
pub fn plain_end(bytes: &[u8], mut at: usize) -> usize {
    while let Some(chunk) = bytes.get(at..).and_then(|rest| rest.first_chunk::<8>()) {
        let found = special_bytes(u64::from_le_bytes(*chunk));
        if found != 0 {
            return at + (found.trailing_zeros() / 8) as usize;
        }
        at += 8;
    }
    while at < bytes.len() && bytes[at] >= 0x20 && bytes[at] != b'"' && bytes[at] != b'\\' {
        at += 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::plain_end;

    /// The plain twin.
    fn naive(bytes: &[u8], at: usize) -> usize {
        (at..bytes.len()).find(|&at| bytes[at] < 0x20 || bytes[at] == b'"' || bytes[at] == b'\\').unwrap_or(bytes.len())
    }

    #[test]
    fn agrees_with_its_twin_for_every_byte_at_every_place() {
        for byte in 0..=255 {
            for length in 0..20 {
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
        let mut rng = polywire_core::testing::Rng::with_seed(1);
        for _ in 0..20_000 {
            let bytes: Vec<u8> = (0..rng.usize(..40)).map(|_| if rng.bool() { rng.u8(..) } else { rng.u8(0x1e..0x24) }).collect();
            let at = rng.usize(..=bytes.len());
            assert_eq!(plain_end(&bytes, at), naive(&bytes, at), "{bytes:?} from {at}");
        }
    }
}

//! Finding the end of strings, sixteen bytes at a time.

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
        let mut rng = polywire_core::testing::Rng::with_seed(1);
        for _ in 0..20_000 {
            let bytes: Vec<u8> = (0..rng.usize(..40)).map(|_| if rng.bool() { rng.u8(..) } else { rng.u8(0x1e..0x24) }).collect();
            let at = rng.usize(..=bytes.len());
            assert_eq!(plain_end(&bytes, at), naive(&bytes, at), "{bytes:?} from {at}");
        }
    }
}

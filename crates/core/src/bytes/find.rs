//! Search for the first of a few bytes that is near, sixteen bytes at a time and with nothing to
//! set up. Where it may be far, the crate memchr is faster.

use polywire_lanes::U8x16;

/// Returns the position, from `at` on, of the first byte that is one of `wanted`.
#[inline]
pub fn find_any<const N: usize>(bytes: &[u8], mut at: usize, wanted: [u8; N]) -> Option<usize> {
    while let Some(chunk) = bytes.get(at..).and_then(|rest| rest.first_chunk::<16>()) {
        let chunk = U8x16::new(*chunk);
        let mut found = 0;
        for byte in wanted {
            found |= chunk.simd_eq(U8x16::splat(byte)).to_bitmask();
        }
        if found != 0 {
            return Some(at + found.trailing_zeros() as usize);
        }
        at += 16;
    }
    let rest = bytes.get(at..)?;
    rest.iter().position(|byte| wanted.contains(byte)).map(|n| at + n)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_its_twin() {
        let mut rng = fastrand::Rng::with_seed(3);
        for _ in 0..20_000 {
            let bytes: Vec<u8> = (0..rng.usize(..60)).map(|_| rng.u8(0x30..0x40)).collect();
            let at = rng.usize(..=bytes.len() + 1);
            let twin = |wanted: &[u8]| (at..bytes.len()).find(|&at| wanted.contains(&bytes[at]));
            assert_eq!(find_any(&bytes, at, [b'<']), twin(b"<"));
            assert_eq!(find_any(&bytes, at, [b'<', b'>']), twin(b"<>"));
            assert_eq!(find_any(&bytes, at, [b'<', b'0', b':']), twin(b"<0:"));
        }
    }
}

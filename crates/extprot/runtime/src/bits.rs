//! A bit for each byte: sixteen at a time where the processor has an instruction for it.

/// Bytes that bits are made of at a time.
pub(crate) const BLOCK: usize = 16;

/// Of sixteen bytes: which have the top bit, and which are `byte`.
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
#[inline(always)]
pub(crate) fn bits(block: &[u8; BLOCK], byte: u8) -> (u64, u64) {
    use std::arch::x86_64::{__m128i, _mm_cmpeq_epi8, _mm_loadu_si128, _mm_movemask_epi8, _mm_set1_epi8};
    // SAFETY: what this is compiled for has these instructions, as every x86-64 has, and the load is of the sixteen bytes of `block`.
    let (top, equal) = unsafe {
        let block = _mm_loadu_si128(block.as_ptr().cast::<__m128i>());
        (_mm_movemask_epi8(block), _mm_movemask_epi8(_mm_cmpeq_epi8(block, _mm_set1_epi8(byte as i8))))
    };
    (u64::from(top as u16), u64::from(equal as u16))
}

/// Of sixteen bytes: which have the top bit, and which are `byte`.
#[cfg(not(all(target_arch = "x86_64", target_feature = "sse2")))]
#[inline(always)]
pub(crate) fn bits(block: &[u8; BLOCK], byte: u8) -> (u64, u64) {
    plain(block, byte)
}

/// The same, one byte after the other.
#[cfg(any(test, not(all(target_arch = "x86_64", target_feature = "sse2"))))]
fn plain(block: &[u8; BLOCK], byte: u8) -> (u64, u64) {
    let (mut top, mut equal) = (0, 0);
    for (index, &one) in block.iter().enumerate() {
        top |= u64::from(one >= 0x80) << index;
        equal |= u64::from(one == byte) << index;
    }
    (top, equal)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_those_of_the_bytes() {
        let mut random = fastrand::Rng::with_seed(11);
        for _ in 0..10_000 {
            let block: [u8; BLOCK] = std::array::from_fn(|_| [0, 2, 0x7f, 0x80, 0xff, random.u8(..)][random.usize(..6)]);
            let byte = random.u8(..4);
            assert_eq!(bits(&block, byte), plain(&block, byte), "{block:x?} {byte}");
        }
    }
}

//! Masks with a bit for each byte, made of sixteen bytes at a time where the processor has an
//! instruction for it.

/// Bytes that a mask is made of at a time.
pub const BLOCK: usize = 16;

/// Returns two masks over sixteen bytes: top bit set, and equal to `byte`.
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
#[inline(always)]
pub fn bits(block: &[u8; BLOCK], byte: u8) -> (u64, u64) {
    use std::arch::x86_64::{__m128i, _mm_cmpeq_epi8, _mm_loadu_si128, _mm_movemask_epi8, _mm_set1_epi8};
    // SAFETY: what this is compiled for has these instructions, as every x86-64 has, and the load
    // is of the sixteen bytes of `block`.
    let (top, equal) = unsafe {
        let block = _mm_loadu_si128(block.as_ptr().cast::<__m128i>());
        (_mm_movemask_epi8(block), _mm_movemask_epi8(_mm_cmpeq_epi8(block, _mm_set1_epi8(byte as i8))))
    };
    (u64::from(top as u16), u64::from(equal as u16))
}

/// Returns two masks over sixteen bytes: top bit set, and equal to `byte`.
#[cfg(not(all(target_arch = "x86_64", target_feature = "sse2")))]
#[inline(always)]
pub fn bits(block: &[u8; BLOCK], byte: u8) -> (u64, u64) {
    plain(block, byte)
}

/// Does what [`bits`] does, one byte after the other.
#[cfg(any(test, not(all(target_arch = "x86_64", target_feature = "sse2"))))]
fn plain(block: &[u8; BLOCK], byte: u8) -> (u64, u64) {
    let (mut top, mut equal) = (0, 0);
    for (index, &one) in block.iter().enumerate() {
        top |= u64::from(one >= 0x80) << index;
        equal |= u64::from(one == byte) << index;
    }
    (top, equal)
}

/// Returns for sixteen pairs of bytes a mask of those whose first byte is `byte`, with a bit for
/// every other byte, and whether the second byte of each is not zero.
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
#[inline(always)]
pub fn pairs(window: &[u8; 2 * BLOCK], byte: u8) -> (u64, [bool; BLOCK]) {
    use std::arch::x86_64::{
        __m128i, _mm_cmpeq_epi8, _mm_loadu_si128, _mm_min_epu8, _mm_movemask_epi8, _mm_packus_epi16, _mm_set1_epi8, _mm_srli_epi16,
    };
    // SAFETY: what this is compiled for has these instructions, as every x86-64 has, and the loads
    // are of the 32 bytes of `window`. The smaller of a byte and one is a bool.
    unsafe {
        let low = _mm_loadu_si128(window.as_ptr().cast::<__m128i>());
        let high = _mm_loadu_si128(window.as_ptr().cast::<__m128i>().add(1));
        let equal = |half| _mm_movemask_epi8(_mm_cmpeq_epi8(half, _mm_set1_epi8(byte as i8))) as u16;
        let first = u64::from(equal(low)) | u64::from(equal(high)) << BLOCK;
        let second = _mm_packus_epi16(_mm_srli_epi16::<8>(low), _mm_srli_epi16::<8>(high));
        (first & 0x5555_5555, std::mem::transmute::<__m128i, [bool; BLOCK]>(_mm_min_epu8(second, _mm_set1_epi8(1))))
    }
}

/// Returns for sixteen pairs of bytes a mask of those whose first byte is `byte`, with a bit for
/// every other byte, and whether the second byte of each is not zero.
#[cfg(not(all(target_arch = "x86_64", target_feature = "sse2")))]
#[inline(always)]
pub fn pairs(window: &[u8; 2 * BLOCK], byte: u8) -> (u64, [bool; BLOCK]) {
    plain_pairs(window, byte)
}

/// Does what [`pairs`] does, one pair after the other.
#[cfg(any(test, not(all(target_arch = "x86_64", target_feature = "sse2"))))]
fn plain_pairs(window: &[u8; 2 * BLOCK], byte: u8) -> (u64, [bool; BLOCK]) {
    let (mut first, mut second) = (0, [false; BLOCK]);
    for (index, pair) in window.as_chunks::<2>().0.iter().enumerate() {
        first |= u64::from(pair[0] == byte) << (2 * index);
        second[index] = pair[1] != 0;
    }
    (first, second)
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
            let window: [u8; 2 * BLOCK] = std::array::from_fn(|_| [0, 2, 1, 0x80, 0xff, random.u8(..)][random.usize(..6)]);
            assert_eq!(pairs(&window, byte), plain_pairs(&window, byte), "{window:x?} {byte}");
        }
    }
}

//! The lanes as a vector of SSE2, which every 64-bit x86 has.

#[cfg(target_arch = "x86")]
use core::arch::x86 as arch;
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64 as arch;

pub(super) type Lanes = arch::__m128i;

#[inline(always)]
pub(super) fn new(bytes: [u8; 16]) -> Lanes {
    // SAFETY: both have sixteen bytes, and any bytes are such a vector.
    unsafe { core::mem::transmute::<[u8; 16], Lanes>(bytes) }
}

#[inline(always)]
pub(super) fn splat(byte: u8) -> Lanes {
    // SAFETY: what this is compiled for has these instructions; so below.
    unsafe { arch::_mm_set1_epi8(byte as i8) }
}

#[inline(always)]
pub(super) fn equal(a: Lanes, b: Lanes) -> Lanes {
    // SAFETY: as above.
    unsafe { arch::_mm_cmpeq_epi8(a, b) }
}

#[inline(always)]
pub(super) fn min(a: Lanes, b: Lanes) -> Lanes {
    // SAFETY: as above.
    unsafe { arch::_mm_min_epu8(a, b) }
}

#[inline(always)]
pub(super) fn and(a: Lanes, b: Lanes) -> Lanes {
    // SAFETY: as above.
    unsafe { arch::_mm_and_si128(a, b) }
}

#[inline(always)]
pub(super) fn or(a: Lanes, b: Lanes) -> Lanes {
    // SAFETY: as above.
    unsafe { arch::_mm_or_si128(a, b) }
}

#[inline(always)]
pub(super) fn difference(a: Lanes, b: Lanes) -> Lanes {
    // SAFETY: as above.
    unsafe { arch::_mm_sub_epi8(a, b) }
}

#[inline(always)]
pub(super) fn mask(lanes: Lanes) -> u32 {
    // SAFETY: as above.
    unsafe { arch::_mm_movemask_epi8(lanes) as u32 }
}

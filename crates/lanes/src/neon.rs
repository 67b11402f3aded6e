//! The lanes as a vector of NEON, which every AArch64 has.

use core::arch::aarch64::{
    uint8x16_t, vaddvq_u16, vandq_u8, vceqq_u8, vcltzq_s8, vdupq_n_u8, vminq_u8, vorrq_u8, vqtbl1q_u8, vreinterpretq_s8_u8,
    vreinterpretq_u16_u8, vsubq_u8,
};

pub(super) type Lanes = uint8x16_t;

#[inline(always)]
pub(super) fn new(bytes: [u8; 16]) -> Lanes {
    // SAFETY: both have sixteen bytes, and any bytes are such a vector.
    unsafe { core::mem::transmute::<[u8; 16], Lanes>(bytes) }
}

#[inline(always)]
pub(super) fn splat(byte: u8) -> Lanes {
    // SAFETY: what this is compiled for has these instructions; so below.
    unsafe { vdupq_n_u8(byte) }
}

#[inline(always)]
pub(super) fn equal(a: Lanes, b: Lanes) -> Lanes {
    // SAFETY: as above.
    unsafe { vceqq_u8(a, b) }
}

#[inline(always)]
pub(super) fn min(a: Lanes, b: Lanes) -> Lanes {
    // SAFETY: as above.
    unsafe { vminq_u8(a, b) }
}

#[inline(always)]
pub(super) fn and(a: Lanes, b: Lanes) -> Lanes {
    // SAFETY: as above.
    unsafe { vandq_u8(a, b) }
}

#[inline(always)]
pub(super) fn or(a: Lanes, b: Lanes) -> Lanes {
    // SAFETY: as above.
    unsafe { vorrq_u8(a, b) }
}

#[inline(always)]
pub(super) fn difference(a: Lanes, b: Lanes) -> Lanes {
    // SAFETY: as above.
    unsafe { vsubq_u8(a, b) }
}

#[inline(always)]
pub(super) fn mask(lanes: Lanes) -> u32 {
    /// The bit of each lane within its half.
    const BITS: [u8; 16] = [1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128];
    /// Each lane of the lower half beside that of the upper one: a sum of pairs keeps the order.
    const PAIRS: [u8; 16] = [0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15];
    let (bits, pairs) = (new(BITS), new(PAIRS));
    // SAFETY: as above.
    unsafe {
        let set = vandq_u8(vcltzq_s8(vreinterpretq_s8_u8(lanes)), bits);
        u32::from(vaddvq_u16(vreinterpretq_u16_u8(vqtbl1q_u8(set, pairs))))
    }
}

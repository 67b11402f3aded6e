//! The lanes as bytes, one after the other: for processors without such vectors, and as the twin
//! of the others.

pub(super) type Lanes = [u8; 16];

#[inline(always)]
pub(super) fn new(bytes: [u8; 16]) -> Lanes {
    bytes
}

#[inline(always)]
pub(super) fn splat(byte: u8) -> Lanes {
    [byte; 16]
}

#[inline(always)]
fn each(a: Lanes, b: Lanes, both: impl Fn(u8, u8) -> u8) -> Lanes {
    core::array::from_fn(|lane| both(a[lane], b[lane]))
}

#[inline(always)]
pub(super) fn equal(a: Lanes, b: Lanes) -> Lanes {
    each(a, b, |a, b| if a == b { 0xff } else { 0 })
}

#[inline(always)]
pub(super) fn min(a: Lanes, b: Lanes) -> Lanes {
    each(a, b, u8::min)
}

#[inline(always)]
pub(super) fn and(a: Lanes, b: Lanes) -> Lanes {
    each(a, b, |a, b| a & b)
}

#[inline(always)]
pub(super) fn or(a: Lanes, b: Lanes) -> Lanes {
    each(a, b, |a, b| a | b)
}

#[inline(always)]
pub(super) fn difference(a: Lanes, b: Lanes) -> Lanes {
    each(a, b, u8::wrapping_sub)
}

#[inline(always)]
pub(super) fn mask(lanes: Lanes) -> u32 {
    lanes.iter().rev().fold(0, |mask, lane| mask << 1 | u32::from(lane >> 7))
}

//! Sixteen bytes at a time, for scans of text and packets: by the vectors that every processor of
//! its kind has (SSE2 of x86, NEON of AArch64), and byte by byte elsewhere.
//!
//! [`U8x16`] has what these scans need. Methods have the names of those of `std::simd`, which is
//! not stable.
//!
//! ```
//! use polywire_lanes::U8x16;
//!
//! let bytes = U8x16::new(*b"name=value; x=1;");
//! assert_eq!(bytes.simd_eq(U8x16::splat(b'=')).to_bitmask(), 1 << 4 | 1 << 13);
//! ```
#![no_std]
#![deny(unsafe_code)]

use core::ops::{BitAnd, BitOr, BitOrAssign, Sub};

#[cfg(all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"))]
#[allow(unsafe_code)]
#[path = "neon.rs"]
mod lanes;
#[cfg(all(any(target_arch = "x86", target_arch = "x86_64"), target_feature = "sse2"))]
#[allow(unsafe_code)]
#[path = "sse2.rs"]
mod lanes;
#[cfg(any(
    test,
    not(any(
        all(any(target_arch = "x86", target_arch = "x86_64"), target_feature = "sse2"),
        all(target_arch = "aarch64", target_feature = "neon", target_endian = "little")
    ))
))]
mod plain;
#[cfg(not(any(
    all(any(target_arch = "x86", target_arch = "x86_64"), target_feature = "sse2"),
    all(target_arch = "aarch64", target_feature = "neon", target_endian = "little")
)))]
use plain as lanes;

/// Sixteen bytes, each in a lane of its own.
#[derive(Clone, Copy)]
pub struct U8x16(lanes::Lanes);

impl U8x16 {
    /// Makes the lanes of `bytes`, the first one first.
    #[inline(always)]
    pub fn new(bytes: [u8; 16]) -> U8x16 {
        U8x16(lanes::new(bytes))
    }

    /// Makes sixteen lanes of `byte`.
    #[inline(always)]
    pub fn splat(byte: u8) -> U8x16 {
        U8x16(lanes::splat(byte))
    }

    /// Compares lane by lane: 0xff where both are equal, 0 elsewhere.
    #[inline(always)]
    #[must_use]
    pub fn simd_eq(self, other: U8x16) -> U8x16 {
        U8x16(lanes::equal(self.0, other.0))
    }

    /// Returns the smaller one of each two lanes.
    #[inline(always)]
    #[must_use]
    pub fn simd_min(self, other: U8x16) -> U8x16 {
        U8x16(lanes::min(self.0, other.0))
    }

    /// Returns the top bit of each lane; that of the first lane is the lowest.
    #[inline(always)]
    pub fn to_bitmask(self) -> u32 {
        lanes::mask(self.0)
    }
}

impl BitAnd for U8x16 {
    type Output = U8x16;

    #[inline(always)]
    fn bitand(self, other: U8x16) -> U8x16 {
        U8x16(lanes::and(self.0, other.0))
    }
}

impl BitOr for U8x16 {
    type Output = U8x16;

    #[inline(always)]
    fn bitor(self, other: U8x16) -> U8x16 {
        U8x16(lanes::or(self.0, other.0))
    }
}

impl BitOrAssign for U8x16 {
    #[inline(always)]
    fn bitor_assign(&mut self, other: U8x16) {
        *self = *self | other;
    }
}

/// Differences wrap around.
impl Sub for U8x16 {
    type Output = U8x16;

    #[inline(always)]
    fn sub(self, other: U8x16) -> U8x16 {
        U8x16(lanes::difference(self.0, other.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reports whether the lanes are `bytes`.
    fn holds(lanes: U8x16, bytes: [u8; 16]) -> bool {
        lanes.simd_eq(U8x16::new(bytes)).to_bitmask() == 0xffff
    }

    #[test]
    fn agree_with_their_plain_twin() {
        let mut rng = fastrand::Rng::with_seed(5);
        for round in 0..20_000 {
            // Some lanes are equal, and some a little apart.
            let spread = [1, 4, 0xff][round % 3];
            let a: [u8; 16] = core::array::from_fn(|_| 0x7eu8.wrapping_add(rng.u8(..=spread)));
            let b: [u8; 16] = core::array::from_fn(|_| 0x7eu8.wrapping_add(rng.u8(..=spread)));
            let (x, y) = (U8x16::new(plain::new(a)), U8x16::new(b));
            assert_eq!(x.to_bitmask(), plain::mask(a), "{a:?}");
            assert_eq!(x.simd_eq(y).to_bitmask(), plain::mask(plain::equal(a, b)), "{a:?} {b:?}");
            assert!(holds(x.simd_eq(y), plain::equal(a, b)), "{a:?} {b:?}");
            assert!(holds(x.simd_min(y), plain::min(a, b)), "{a:?} {b:?}");
            assert!(holds(x & y, plain::and(a, b)), "{a:?} {b:?}");
            assert!(holds(x | y, plain::or(a, b)), "{a:?} {b:?}");
            assert!(holds(x - y, plain::difference(a, b)), "{a:?} {b:?}");
            assert!(holds(U8x16::splat(a[0]), plain::splat(a[0])), "{a:?}");
            let mut all = x;
            all |= y;
            assert!(holds(all, plain::or(a, b)), "{a:?} {b:?}");
        }
    }

    #[test]
    fn each_lane_has_its_bit() {
        for lane in 0..16 {
            let mut bytes = [0x7f; 16];
            bytes[lane] = 0x80;
            assert_eq!(U8x16::new(bytes).to_bitmask(), 1 << lane);
            assert_eq!(U8x16::new(bytes).simd_eq(U8x16::splat(0x80)).to_bitmask(), 1 << lane);
            assert!(!holds(U8x16::new(bytes), [0x7f; 16]));
        }
    }
}

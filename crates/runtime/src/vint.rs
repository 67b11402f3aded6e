//! Arithmetic of numbers of variable length, seven bits a byte, the low ones first.

/// Returns the signed number of a zigzag one.
#[inline(always)]
pub const fn unzigzag(number: u64) -> i64 {
    (number >> 1) as i64 ^ -((number & 1) as i64)
}

/// Returns the zigzag form of a signed number, which is small if the number is near zero.
#[inline(always)]
pub const fn zigzag(number: i64) -> u64 {
    ((number << 1) ^ (number >> 63)) as u64
}

/// Returns the low seven bits of eight bytes, side by side: byte 0's are the lowest.
#[inline(always)]
pub const fn gather(word: u64) -> u64 {
    let word = (word & 0x007f_007f_007f_007f) | ((word & 0x7f00_7f00_7f00_7f00) >> 1);
    let word = (word & 0x0000_3fff_0000_3fff) | ((word & 0x3fff_0000_3fff_0000) >> 2);
    (word & 0x0fff_ffff) | ((word & 0x0fff_ffff_0000_0000) >> 4)
}

/// Reverses [`gather`], for numbers below 2^56.
#[inline(always)]
pub const fn scatter(number: u64) -> u64 {
    let word = (number & 0x0fff_ffff) | ((number & 0x00ff_ffff_f000_0000) << 4);
    let word = (word & 0x0000_3fff_0000_3fff) | ((word & 0x0fff_c000_0fff_c000) << 2);
    (word & 0x007f_007f_007f_007f) | ((word & 0x3f80_3f80_3f80_3f80) << 1)
}

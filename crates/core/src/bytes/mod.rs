//! Byte primitives for the formats' readers and writers.

mod find;
mod growing;
mod input;
mod output;
mod room;
mod short;
mod starter;
mod text;

pub use find::find_any;
pub use growing::Growing;
pub use input::Input;
pub use output::{Mark, OutBuf, Piece, put_varint};
pub use room::{Fit, Place, Room};
pub use short::framed;
pub use starter::Starter;
pub use text::utf8;

/// Maps signed integers to unsigned ones, small magnitudes to small numbers: 0, -1, 1, -2, … to 0,
/// 1, 2, 3, …
#[inline]
pub const fn zigzag(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)) as u64
}

/// Inverts [`zigzag`].
#[inline]
pub const fn unzigzag(value: u64) -> i64 {
    (value >> 1) as i64 ^ -((value & 1) as i64)
}

/// Returns the offset of `part` in `whole`, if it is a slice of it. Readers that use a library get
/// their spans so.
#[inline]
pub fn offset_in(whole: &[u8], part: &[u8]) -> Option<usize> {
    let offset = (part.as_ptr() as usize).checked_sub(whole.as_ptr() as usize)?;
    (offset.checked_add(part.len())? <= whole.len()).then_some(offset)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zigzag_has_an_inverse() {
        for value in [0, -1, 1, i64::MIN, i64::MAX, -12345] {
            assert_eq!(unzigzag(zigzag(value)), value);
        }
        assert_eq!([0, -1, 1, -2].map(zigzag), [0, 1, 2, 3]);
    }

    #[test]
    fn offsets_are_told_only_of_parts() {
        let whole = b"hello";
        assert_eq!(offset_in(whole, &whole[1..3]), Some(1));
        assert_eq!(offset_in(&whole[1..], whole), None);
        assert_eq!(offset_in(&whole[..2], &whole[1..]), None);
    }
}

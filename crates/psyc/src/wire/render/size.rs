//! Sizes in front of values.

use crate::packet::Sizing;
use crate::wire::bytes::SIZE_THRESHOLD;

/// Returns the number of decimal digits (docs/spec/psyc.md 11.2), without floating point
/// (psyc-D32).
#[inline]
pub const fn digits(number: usize) -> usize {
    // Most sizes are short, and a logarithm is slower than comparing.
    match number {
        0..=9 => 1,
        10..=99 => 2,
        100..=999 => 3,
        _ => many_digits(number),
    }
}

/// Returns the same for a large number; apart, so that short sizes stay fast.
#[inline(never)]
const fn many_digits(number: usize) -> usize {
    number.ilog10() as usize + 1
}

/// Returns whether a value is written with its size, where `stop` would end it without one: by the
/// rule *check* of docs/spec/psyc.md 11.1, or as `sizing` decides.
#[inline]
pub fn value_wants_size(value: &[u8], sizing: Sizing, stop: u8) -> bool {
    match sizing {
        Sizing::Need => true,
        Sizing::No => false,
        Sizing::Check => value.len() > SIZE_THRESHOLD || short_contains(value, stop),
    }
}

/// Returns whether at most nine bytes contain one.
#[inline]
fn short_contains(value: &[u8], byte: u8) -> bool {
    const ONES: u64 = u64::MAX / 255;
    const TOPS: u64 = ONES << 7;
    // The bytes in one word, some of them twice.
    let word = match value {
        [] => return false,
        [first, .., last] if value.len() < 4 => {
            u64::from_le_bytes([*first, value[value.len() / 2], *last, *first, *first, *first, *first, *first])
        }
        [only] => return *only == byte,
        _ => match (value.first_chunk::<8>(), value.first_chunk::<4>(), value.last_chunk::<4>()) {
            (Some(eight), ..) if value[8..].iter().all(|other| *other != byte) => u64::from_le_bytes(*eight),
            (Some(_), ..) => return true,
            (None, Some(start), Some(end)) => u64::from(u32::from_le_bytes(*start)) << 32 | u64::from(u32::from_le_bytes(*end)),
            _ => return false,
        },
    };
    let differs = word ^ (ONES * u64::from(byte));
    differs.wrapping_sub(ONES) & !differs & TOPS != 0
}

#[cfg(test)]
mod tests {
    use super::{digits, short_contains};

    #[test]
    fn digits_are_those_of_the_text() {
        for power in 0..=usize::MAX.ilog10() {
            for number in [10usize.pow(power) - 1, 10usize.pow(power), usize::MAX] {
                assert_eq!(digits(number), number.to_string().len());
            }
        }
    }

    #[test]
    fn short_values_are_searched_as_a_loop_does() {
        for len in 0..=9 {
            for at in 0..=len {
                for (other, byte) in [(b'a', b'\n'), (0, b'|'), (b'\n' + 1, b'\n'), (b'\n' - 1, b'\n'), (0xff, b'{'), (b'\n' | 0x80, b'\n')]
                {
                    let mut value = [other; 10];
                    value[at] = byte;
                    assert_eq!(short_contains(&value[..len], byte), value[..len].contains(&byte), "{len} {at}");
                }
            }
        }
    }
}

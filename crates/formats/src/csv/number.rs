//! Numbers of cells whose bounds are known, read eight digits at a time. A cell that these
//! functions do not take may be a number as well.

/// Eight zeros.
const ZEROS: u64 = 0x3030_3030_3030_3030;

/// Powers of ten.
const POWERS: [u64; 9] = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000];
const FLOATS: [f64; 9] = [1.0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8];

/// Returns the eight bytes from `at` on, the first one lowest.
#[inline(always)]
fn word(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

/// Returns the number that the first `len` of eight bytes are the digits of, from 1 to 8.
#[inline(always)]
fn digits(word: u64, len: usize) -> Option<u64> {
    let missing = 64 - 8 * len as u32;
    // Zeros come before the digits, which are the upper bytes then.
    let word = word << missing | ZEROS >> 1 >> (8 * len - 1);
    let is_digits = word & 0xf0f0_f0f0_f0f0_f0f0 == ZEROS && word.wrapping_add(0x0606_0606_0606_0606) & 0xf0f0_f0f0_f0f0_f0f0 == ZEROS;
    let pairs = word.wrapping_sub(ZEROS);
    let pairs = pairs.wrapping_mul(10).wrapping_add(pairs >> 8);
    let upper = (pairs & 0x0000_00ff_0000_00ff).wrapping_mul(0x000f_4240_0000_0064);
    let lower = (pairs >> 16 & 0x0000_00ff_0000_00ff).wrapping_mul(0x0000_2710_0000_0001);
    is_digits.then_some(upper.wrapping_add(lower) >> 32)
}

/// Returns a whole number of at most 16 digits, if the bytes from `from` to `to` are one in JSON's
/// spelling, other than `-0`.
#[inline(always)]
pub(super) fn whole(bytes: &[u8], from: usize, to: usize) -> Option<i64> {
    let negative = bytes.get(from) == Some(&b'-');
    let from = from + usize::from(negative);
    let len = to.wrapping_sub(from);
    let first = word(bytes, from)?;
    let value = match len {
        1..=8 => digits(first, len)?,
        9..=16 => digits(first, 8)? * POWERS[len - 8] + digits(word(bytes, from + 8)?, len - 8)?,
        _ => return None,
    };
    // A number has no zero before its digits.
    if first as u8 == b'0' && (len > 1 || negative) {
        return None;
    }
    let sign = i64::from(negative).wrapping_neg();
    Some((value as i64 ^ sign) - sign)
}

/// Returns a number with a point and at most 7 digits, if the bytes from `from` to `to` are one in
/// its shortest spelling.
#[inline(always)]
pub(super) fn decimal(bytes: &[u8], from: usize, to: usize) -> Option<f64> {
    let negative = bytes.get(from) == Some(&b'-');
    let from = from + usize::from(negative);
    let len = to.wrapping_sub(from);
    if !(3..=8).contains(&len) {
        return None;
    }
    let word = word(bytes, from)?;
    let points = word ^ 0x2e2e_2e2e_2e2e_2e2e;
    let points = points.wrapping_sub(0x0101_0101_0101_0101) & !points & 0x8080_8080_8080_8080;
    let before = points.trailing_zeros() as usize / 8;
    let places = (len - 1).wrapping_sub(before);
    if before == 0 || !(1..=7).contains(&places) || before > 6 {
        return None;
    }
    // The digits without the point.
    let upper = u64::MAX << (8 * before);
    let value = digits(word & !upper | word >> 8 & upper, len - 1)?;
    let is_led = word as u8 == b'0' && before > 1;
    // The last digit is no zero, unless it is the only one behind the point, and smaller numbers
    // have an exponent.
    let is_shortest = if value % 10 == 0 { places == 1 && value > 0 } else { places <= 4 || value >= POWERS[places - 4] };
    if is_led || !is_shortest {
        return None;
    }
    let value = value as f64 / FLOATS[places];
    Some(if negative { -value } else { value })
}

#[cfg(test)]
mod tests {
    use super::{decimal, whole};

    #[test]
    fn numbers_are_those_of_the_standard_library() {
        let mut rng = fastrand::Rng::with_seed(5);
        let (mut wholes, mut decimals) = (0, 0);
        for _ in 0..200_000 {
            let len = rng.usize(1..18);
            let mut text: String = (0..len).map(|_| *rng.choice(b"0123456789").unwrap() as char).collect();
            if rng.bool() {
                text.insert(rng.usize(..=text.len().min(8)), *rng.choice(b".../:-+eE, ").unwrap() as char);
            }
            if rng.bool() {
                text.insert(0, '-');
            }
            let around = format!("7{text},12.5,1234567890123");
            let (from, to) = (1, 1 + text.len());
            if let Some(value) = whole(around.as_bytes(), from, to) {
                assert_eq!(value.to_string(), text);
                wholes += 1;
            } else if let Ok(value) = text.parse::<i64>() {
                assert!(value.to_string() != text || text.trim_start_matches('-').len() > 16, "{text}");
            }
            if let Some(value) = decimal(around.as_bytes(), from, to) {
                assert_eq!(format!("{value:?}"), text);
                decimals += 1;
            } else if let Ok(value) = text.parse::<f64>()
                && text.contains('.')
                && !text.contains('e')
            {
                assert!(format!("{value:?}") != text || text.trim_start_matches('-').len() > 8 || value == 0.0, "{text}");
            }
        }
        assert!(wholes > 20_000 && decimals > 2_000, "{wholes} {decimals}");
        assert_eq!(whole(b"12", 0, 2), None, "no eight bytes");
    }
}

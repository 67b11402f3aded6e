//! Decimal numbers that are binary64 numbers.

use std::fmt::Write;

use crate::value::same::same_decimal;
use crate::walk::event::Hint;

/// Most significant digits of a binary64 number: 2^-1074 × (2^53 - 1) has 767.
const MAX_DIGITS: usize = 767;

/// Returns the binary64 number that `text`, a number in JSON's syntax, is: the nearest one, if it
/// gives `text`'s number back when printed with as many significant digits. Zeros at the end do not
/// count.
///
/// ```
/// use polywire_core::value::binary64;
///
/// assert_eq!(binary64("-65.613616999999977"), Some(-65.613616999999977));
/// assert_eq!(binary64("0.10000000000000000001"), None);
/// ```
pub fn binary64(text: &str) -> Option<f64> {
    let value: f64 = text.parse().ok().filter(|value: &f64| value.is_finite())?;
    let mantissa = text.split(['e', 'E']).next().unwrap_or(text);
    let digits = mantissa.bytes().filter(u8::is_ascii_digit);
    let significant = digits.clone().skip_while(|digit| *digit == b'0').count();
    if significant == 0 || value == 0.0 {
        return (significant == 0).then_some(value);
    }
    // Up to 15 digits come back from every number that is not subnormal.
    if significant <= 15 && value.abs() >= f64::MIN_POSITIVE {
        return Some(value);
    }
    let zeros = digits.rev().take_while(|digit| *digit == b'0').count();
    let kept = significant - zeros;
    if kept > MAX_DIGITS {
        return None;
    }
    let mut printed = String::new();
    write!(printed, "{value:.*e}", kept - 1).expect("a string takes all");
    same_decimal(&printed, text).then_some(value)
}

/// Returns whether `value`, the nearest binary64 number to `mantissa` × 10^`power`, gives that
/// number back when printed with as many significant digits. Returns `None` where integers of 128
/// bits do not suffice to decide; [`binary64`] does then.
///
/// The number is given back if `value` is less than half a unit of its last digit away.
pub fn gives_back(mantissa: u64, power: i64, value: f64) -> Option<bool> {
    if mantissa.is_multiple_of(10) {
        return None;
    }
    let scale = 10u128.checked_pow(u32::try_from(power.checked_neg()?).ok().filter(|scale| *scale <= 22)?)?;
    let bits = value.abs().to_bits();
    let exponent = i32::try_from(bits >> 52).ok()? - 1075;
    if !(-60..=0).contains(&exponent) {
        return None;
    }
    // value × scale × 2^-exponent, below 2^53 × 2^74.
    let printed = u128::from((bits & ((1 << 52) - 1)) | 1 << 52) * scale;
    let unit = 1u128 << -exponent;
    // Below 2^64 × 2^60.
    let given = u128::from(mantissa) * unit;
    // Twice the distance, in units of the last digit. Printing breaks a tie.
    let twice = printed.abs_diff(given).checked_mul(2)?;
    (twice != unit).then_some(twice < unit)
}

/// Name of the loss of a decimal that became the nearest binary64 number.
pub const ROUNDED: &str = "decimal rounded to the nearest 64-bit float";

/// Returns the binary64 number nearest to a decimal, for a format without decimals. Returns `None`
/// for a number that must not be rounded ([`Hint::is_exact`]), and beyond the finite numbers.
///
/// A writer that takes the number reports [`ROUNDED`].
pub fn nearest_f64(decimal: &str, hint: Hint<'_>) -> Option<f64> {
    if hint.is_exact() {
        return None;
    }
    decimal.parse().ok().filter(|value: &f64| value.is_finite())
}

/// Returns the binary32 number nearest to `value`, of which `digits` may be the decimal spelling.
/// Rounding the digits once avoids the double rounding by way of binary64.
pub fn nearest_f32(value: f64, digits: Option<&str>) -> f32 {
    digits.and_then(|digits| digits.parse().ok()).unwrap_or(value as f32)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Prints with as many digits, by the definition.
    fn by_definition(mantissa: u64, power: i64) -> bool {
        let text = format!("{mantissa}e{power}");
        let value: f64 = text.parse().unwrap();
        let digits = mantissa.to_string().trim_end_matches('0').len();
        same_decimal(&format!("{value:.*e}", digits - 1), &text)
    }

    #[test]
    fn both_ways_decide_by_the_definition() {
        let mut rng = fastrand::Rng::with_seed(17);
        let mut decided = [0; 2];
        for _ in 0..200_000 {
            let most = 10u64.pow(rng.u32(1..=19));
            let mantissa = rng.u64(1..=most);
            let power = rng.i64(-24..3);
            let text = format!("{mantissa}e{power}");
            let expected = by_definition(mantissa, power);
            assert_eq!(binary64(&text).is_some(), expected, "{text}");
            if let Some(given) = gives_back(mantissa, power, text.parse().unwrap()) {
                assert_eq!(given, expected, "{text}");
                decided[usize::from(given)] += 1;
            }
        }
        assert!(decided.iter().all(|count| *count > 1000), "{decided:?}");
    }

    #[test]
    fn the_edges_are_exact() {
        for text in [
            "0",
            "-0.0",
            "0e999999999999",
            "1.50",
            "1e22",
            "5e-324",
            "4.9e-324",
            "0.5000000000000000000000000000",
            "1.7976931348623157e308",
        ] {
            assert_eq!(binary64(text).map(f64::to_bits), Some(text.parse::<f64>().unwrap().to_bits()), "{text}");
        }
        let exact = "0.1000000000000000055511151231257827021181583404541015625";
        assert_eq!(binary64(exact), Some(0.1));
        for text in ["1e400", "1e-400", "0.10000000000000000001", "9007199254740993.0000001"] {
            assert_eq!(binary64(text), None, "{text}");
        }
        assert_eq!(binary64(&format!("0.{}1", "0".repeat(2000))), None);
        assert_eq!(binary64(&format!("1.{}1", "0".repeat(2000))), None);
    }

    #[test]
    fn narrow_numbers_are_rounded_once() {
        // Halfway between two binary32 numbers but for a digit that binary64 does not hold.
        let digits = "1.00000017881393432617187499";
        assert_eq!(nearest_f32(digits.parse().unwrap(), None), 1.000_000_2);
        assert_eq!(nearest_f32(digits.parse().unwrap(), Some(digits)), 1.000_000_1);
    }
}

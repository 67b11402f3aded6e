//! IEEE 754-2008 decimal128 in binary integer decimal encoding (3.5.2), the only decimals of BSON,
//! and their spelling in walks.

use polywire_core::Hint;

use super::wire::NAME;
use crate::decimal::{self, Parts, Typed};

/// Digits of the coefficient.
pub(crate) const DIGITS: usize = 34;
/// Offset of the exponent in the encoding.
const BIAS: i64 = 6176;
/// The largest exponent.
pub(crate) const MAX_EXPONENT: i64 = 6111;
/// The smallest exponent.
pub(crate) const MIN_EXPONENT: i64 = -BIAS;
/// The largest coefficient plus one.
const COEFFICIENTS: u128 = 10u128.pow(DIGITS as u32);

const INFINITY: u128 = 0b11110 << 122;
const NAN: u128 = 0b11111 << 122;

/// A decimal128.
#[derive(Debug, PartialEq)]
pub(crate) enum Number {
    /// A number.
    Finite(Typed),
    /// NaN or an infinity.
    Special(f64),
}

/// Decodes 16 little-endian bytes. A coefficient beyond 34 digits counts as zero: IEEE 754-2008,
/// 3.5.2.
pub(crate) fn decode(bytes: [u8; 16]) -> Number {
    let bits = u128::from_le_bytes(bytes);
    let negative = bits >> 127 == 1;
    let (exponent, coefficient) = match (bits >> 122) & 0b11111 {
        0b11111 => return Number::Special(f64::NAN),
        0b11110 => return Number::Special(if negative { f64::NEG_INFINITY } else { f64::INFINITY }),
        // The encoding for large coefficients, all of which are too large.
        0b11000..=0b11101 => ((bits >> 111) & 0x3fff, 0),
        _ => ((bits >> 113) & 0x3fff, bits & ((1 << 113) - 1)),
    };
    let coefficient = if coefficient < COEFFICIENTS { coefficient } else { 0 };
    let exponent = i64::try_from(exponent).unwrap_or(BIAS) - BIAS;
    let sign = if negative { "-" } else { "" };
    // Exponents of 14 bits are within 64.
    decimal::spell(&format!("{sign}{coefficient}"), exponent).map_or(Number::Special(f64::NAN), Number::Finite)
}

/// Encodes a number of a decimal type with its own mantissa and exponent. Returns `None` if they do
/// not fit.
fn typed(parts: &Parts) -> Option<[u8; 16]> {
    let fits = (-BIAS..=MAX_EXPONENT).contains(&parts.exponent);
    if fits { encode(parts.negative, &parts.digits, parts.exponent) } else { None }
}

/// Encodes what [`decode`] returned. Other encodings of the same number exist.
pub(crate) fn encoded(number: &Number) -> Option<[u8; 16]> {
    match number {
        Number::Finite(number) => decimal::typed(Hint::new(&number.spelling())).and_then(|parts| typed(&parts)),
        Number::Special(value) => special(*value),
    }
}

/// Returns the encoding that a hint has, with the exponent and zeros that the number came with.
pub(super) fn hinted(hint: Hint<'_>) -> Option<[u8; 16]> {
    match hint.wire(NAME) {
        Some(bytes) => bytes.try_into().ok(),
        None => typed(&decimal::typed(hint)?),
    }
}

/// Encodes a whole number in decimal digits, in the spelling of [`decode`]. Returns `None` beyond
/// 34 digits.
pub(super) fn whole(text: &str) -> Option<[u8; 16]> {
    let (negative, digits) = text.strip_prefix('-').map_or((false, text), |digits| (true, digits));
    encode(negative, digits, 0)
}

/// Encodes a decimal in JSON's number syntax, in the spelling of [`decode`]. Returns `None` beyond
/// 34 digits or the exponents.
pub(super) fn decimal(text: &str) -> Option<[u8; 16]> {
    let parts = decimal::parse(text)?;
    let significant = parts.digits.trim_end_matches('0');
    let zeros = parts.digits.len() - significant.len();
    let room = DIGITS.checked_sub(significant.len()).filter(|_| !significant.is_empty())?;
    let exponent = |kept: usize| parts.exponent.checked_add(zeros as i64)?.checked_sub(kept as i64);
    // With exponent 0 it would be taken for an integer.
    let fits = |kept: &usize| exponent(*kept).is_some_and(|exponent| exponent != 0 && (-BIAS..=MAX_EXPONENT).contains(&exponent));
    let kept = (0..=room).filter(fits).min_by_key(|kept| kept.abs_diff(zeros))?;
    encode(parts.negative, &format!("{significant}{}", "0".repeat(kept)), exponent(kept)?)
}

/// Encodes the decimal128 nearest to a decimal of more than 34 digits, in the spelling of
/// [`decode`]. Returns `None` beyond the exponents.
pub(super) fn nearest(text: &str) -> Option<[u8; 16]> {
    let parts = decimal::parse(text)?;
    let (kept, dropped) = parts.digits.split_at_checked(DIGITS)?;
    let coefficient: u128 = kept.parse().ok()?;
    // A tie goes to the even digit.
    let (half, rest) = (dropped.cmp("5"), dropped.trim_end_matches('0') == "5");
    let up = half.is_ge() && !(rest && coefficient.is_multiple_of(2));
    let exponent = parts.exponent.checked_add(i64::try_from(dropped.len()).ok()?)?;
    let sign = if parts.negative { "-" } else { "" };
    decimal(&format!("{sign}{}e{exponent}", coefficient + u128::from(up)))
}

/// Encodes NaN or an infinity; returns `None` for finite numbers.
pub(crate) fn special(value: f64) -> Option<[u8; 16]> {
    let bits = match value {
        value if value.is_nan() => NAN,
        f64::INFINITY => INFINITY,
        f64::NEG_INFINITY => INFINITY | 1 << 127,
        _ => return None,
    };
    Some(bits.to_le_bytes())
}

/// Encodes a number with its own digits, at most 34, and exponent, within the range.
pub(crate) fn encode(negative: bool, digits: &str, exponent: i64) -> Option<[u8; 16]> {
    if digits.len() > DIGITS {
        return None;
    }
    let coefficient: u128 = digits.parse().ok()?;
    let exponent = u128::try_from(exponent + BIAS).ok()?;
    Some((u128::from(negative) << 127 | exponent << 113 | coefficient).to_le_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decimal::Form;

    fn bits(high: u64, low: u64) -> [u8; 16] {
        (u128::from(high) << 64 | u128::from(low)).to_le_bytes()
    }

    /// Decodes a finite number to its spelling and form.
    fn finite(bytes: [u8; 16]) -> (String, Form) {
        let Number::Finite(number) = decode(bytes) else { panic!("{bytes:x?} is finite") };
        (number.text, number.form)
    }

    #[test]
    fn encodings_of_the_standard() {
        for (high, low, text, form) in [
            (0x3040000000000000, 0, "0", Form::UInt(0)),
            (0xb040000000000000, 0, "-0.0", Form::F64(-0.0)),
            (0x303e000000000000, 0, "0.0", Form::F64(0.0)),
            (0x3040000000000000, 1, "1", Form::UInt(1)),
            (0xb040000000000000, 1, "-1", Form::Int(-1)),
            (0x303e000000000000, 15, "1.5", Form::F64(1.5)),
            (0x3042000000000000, 1, "1e1", Form::F64(10.0)),
            (0x3040000000000000, u64::MAX, "18446744073709551615", Form::UInt(u64::MAX)),
            (0x3040000000000001, 0, "18446744073709551616", Form::Big),
            (0xb040000000000000, 1 << 63, "-9223372036854775808", Form::Int(i64::MIN)),
            (0xb040000000000000, (1 << 63) + 1, "-9223372036854775809", Form::Big),
            // 34 nines at the largest exponent, and the smallest number.
            (0x5fffed09bead87c0, 0x378d8e63ffffffff, "9.999999999999999999999999999999999e6144", Form::Decimal),
            (0x0000000000000000, 1, "1e-6176", Form::Decimal),
        ] {
            let bytes = bits(high, low);
            assert_eq!(finite(bytes), (text.to_string(), form), "{high:x} {low:x}");
            let Number::Finite(number) = decode(bytes) else { panic!("{text} is finite") };
            let parts = decimal::typed(Hint::new(&number.spelling())).unwrap();
            assert_eq!(typed(&parts), Some(bytes), "{text}");
        }
        assert_eq!(decode(bits(0x7800000000000000, 0)), Number::Special(f64::INFINITY));
        assert_eq!(decode(bits(0xf800000000000000, 0)), Number::Special(f64::NEG_INFINITY));
        assert!(matches!(decode(bits(0x7c00000000000000, 0)), Number::Special(value) if value.is_nan()));
        // Coefficients that are too large, in both encodings.
        for (high, low) in [(0x3041ed09bead87c0, 0x378d8e6400000000), (0x6c10000000000000, 0)] {
            assert_eq!(finite(bits(high, low)).1, Form::UInt(0), "{high:x} {low:x}");
        }
    }

    #[test]
    fn what_is_encoded_comes_back() {
        for text in ["18446744073709551616", "-9223372036854775809", &"9".repeat(34)] {
            assert_eq!(finite(whole(text).unwrap()), (text.to_string(), Form::Big));
        }
        for text in ["0.10000000000000000001", "-1.5e400", "9007199254740993.1", "1.00000000000000000000e-6170"] {
            let (back, form) = finite(decimal(text).unwrap());
            assert_eq!(form, Form::Decimal, "{text}");
            assert!(polywire_core::value::same_decimal(&back, text), "{text}: {back}");
        }
        for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let Number::Special(back) = decode(special(value).unwrap()) else { panic!("{value} is special") };
            assert_eq!(back.is_nan(), value.is_nan());
            assert!(value.is_nan() || back == value);
        }
        assert_eq!(special(1.0), None);
    }

    #[test]
    fn numbers_out_of_reach_are_refused() {
        assert_eq!(whole(&"1".repeat(35)), None);
        for text in ["1.00000000000000000000000000000000001", "1e6145", "1e-6177", "1.5e-6176", "x", "0"] {
            assert_eq!(decimal(text), None, "{text}");
        }
        // A whole number of 34 digits has exactly 34: neither a digit more nor one less.
        assert_eq!(decimal(&format!("{}e0", "1".repeat(34))), None);
        assert_eq!(finite(decimal("1e6144").unwrap()), ("1.000000000000000000000000000000000e6144".to_string(), Form::Decimal));
    }
}

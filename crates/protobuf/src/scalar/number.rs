//! Numbers of JSON as the types of Protobuf take them: as a number or as text, whole ones with a point or exponent too (ProtoJSON format, the table of types).

use super::value::Value;
use crate::model::Kind;

/// Powers of ten that a double holds exactly, as many as there are digits of [`decimal`].
const POWERS: [f64; 16] = [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];

/// A whole number of a kind; none if the text is none, or out of its range.
#[inline]
pub(crate) fn whole(text: &str, kind: Kind) -> Option<Value<'static>> {
    let (negative, digits) = signed(text);
    // Less than 2^63, so that its sign can change.
    if let Some(value) = short(digits, 18) {
        let value = value as i64;
        return of_kind(if negative { -value } else { value }, kind);
    }
    let value = long(digits)?;
    of_kind(if negative { -value } else { value }, kind)
}

#[inline(always)]
fn signed(text: &str) -> (bool, &[u8]) {
    match text.as_bytes() {
        [b'-', digits @ ..] => (true, digits),
        digits => (false, digits),
    }
}

/// The number of one digit to `most`; none if there are others, or other characters.
#[inline(always)]
fn short(digits: &[u8], most: usize) -> Option<u64> {
    if digits.is_empty() || digits.len() > most {
        return None;
    }
    digits.iter().try_fold(0, |all, digit| {
        let digit = digit.wrapping_sub(b'0');
        (digit < 10).then(|| all * 10 + u64::from(digit))
    })
}

#[inline(always)]
fn of_kind<T>(value: T, kind: Kind) -> Option<Value<'static>>
where
    T: TryInto<i32> + TryInto<i64> + TryInto<u32> + TryInto<u64>,
{
    Some(match kind {
        Kind::Int32 | Kind::SInt32 | Kind::SFixed32 => Value::I32(value.try_into().ok()?),
        Kind::Int64 | Kind::SInt64 | Kind::SFixed64 => Value::I64(value.try_into().ok()?),
        Kind::UInt32 | Kind::Fixed32 => Value::U32(value.try_into().ok()?),
        Kind::UInt64 | Kind::Fixed64 => Value::U64(value.try_into().ok()?),
        _ => return None,
    })
}

/// More digits, a point, or an exponent. None if the number is not whole, or beyond any type.
#[cold]
fn long(text: &[u8]) -> Option<i128> {
    let text = std::str::from_utf8(text).ok()?;
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.strip_prefix('+').unwrap_or(exponent).parse::<i32>().ok()?),
        None => (text, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    if whole.is_empty() || !whole.bytes().chain(fraction.bytes()).all(|c| c.is_ascii_digit()) || mantissa.ends_with('.') {
        return None;
    }
    // Zeros at the end count for nothing.
    let digits: String = [whole, fraction].concat();
    let significant = digits.trim_end_matches('0');
    let zeros = i64::from(exponent) - fraction.len() as i64 + (digits.len() - significant.len()) as i64;
    let significant = significant.trim_start_matches('0');
    if significant.is_empty() {
        return Some(0);
    }
    if !(0..=30).contains(&zeros) || significant.len() > 30 {
        return None;
    }
    significant.parse::<i128>().ok()?.checked_mul(10i128.checked_pow(zeros as u32)?)
}

fn is_number(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    digits.starts_with(|c: char| c.is_ascii_digit()) && text.bytes().all(|c| matches!(c, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-'))
}

/// The digits of a number without an exponent as a whole number, and how many of them are its fraction; none if there are more than fifteen, which a double
/// may not hold exactly.
#[inline]
fn decimal(digits: &[u8]) -> Option<(u64, usize)> {
    let Some(point) = digits.iter().position(|c| *c == b'.') else { return short(digits, 15).map(|value| (value, 0)) };
    let (whole, fraction) = (&digits[..point], &digits[point + 1..]);
    if whole.len() + fraction.len() > 15 {
        return None;
    }
    let scale = 10u64.pow(fraction.len() as u32);
    Some((short(whole, 15)? * scale + short(fraction, 15)?, fraction.len()))
}

/// A double; none if the text is none, or beyond its range.
pub(crate) fn double(text: &str) -> Option<f64> {
    let (negative, digits) = signed(text);
    // Both numbers are exact, so that IEEE 754 gives the double that is nearest to their quotient.
    if let Some((value, fraction)) = decimal(digits) {
        let value = value as f64 / POWERS[fraction];
        return Some(if negative { -value } else { value });
    }
    match text {
        "NaN" => Some(f64::NAN),
        "Infinity" => Some(f64::INFINITY),
        "-Infinity" => Some(f64::NEG_INFINITY),
        text if is_number(text) => text.parse().ok().filter(|value: &f64| value.is_finite()),
        _ => None,
    }
}

/// A float; none if the text is none, or beyond its range.
pub(crate) fn float(text: &str) -> Option<f32> {
    let (negative, digits) = signed(text);
    // As for a double: of 24 bits, and powers of ten up to the tenth, floats are exact.
    if let Some((value @ ..=0xff_ffff, fraction @ ..=10)) = decimal(digits) {
        let value = value as f32 / POWERS[fraction] as f32;
        return Some(if negative { -value } else { value });
    }
    match text {
        "NaN" => Some(f32::NAN),
        "Infinity" => Some(f32::INFINITY),
        "-Infinity" => Some(f32::NEG_INFINITY),
        text if is_number(text) => text.parse().ok().filter(|value: &f32| value.is_finite()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_in_all_their_spellings() {
        let int = |text: &str| match whole(text, Kind::Int64) {
            Some(Value::I64(value)) => Some(value),
            _ => None,
        };
        for (text, value) in [
            ("0", 0),
            ("-0", 0),
            ("12", 12),
            ("1.0", 1),
            ("-1.50e1", -15),
            ("1e3", 1000),
            ("100e-2", 1),
            ("0.0e99", 0),
            ("-9223372036854775808", i64::MIN),
            ("9.223372036854775807e18", i64::MAX),
        ] {
            assert_eq!(int(text), Some(value), "{text}");
        }
        for bad in ["", "-", "1.5", "1e-1", "9223372036854775808", "1e400000000000", "1e31", "1.", ".5", "+1", "1e", "0x1", " 1"] {
            assert_eq!(int(bad), None, "{bad}");
        }
        assert_eq!(whole("18446744073709551615", Kind::UInt64), Some(Value::U64(u64::MAX)));
        assert_eq!((whole("-1", Kind::UInt32), whole("4294967296", Kind::UInt32)), (None, None));
    }

    #[test]
    fn numbers_of_few_digits_are_those_that_are_nearest() {
        let mut rng = fastrand::Rng::with_seed(7);
        for _ in 0..200_000 {
            let digits: String = (0..rng.usize(1..18)).map(|_| rng.digit(10)).collect();
            let point = rng.usize(0..=digits.len());
            let sign = if rng.bool() { "-" } else { "" };
            let text = match (&digits[..point], &digits[point..]) {
                (whole, "") | ("", whole) => format!("{sign}{whole}"),
                (whole, fraction) => format!("{sign}{whole}.{fraction}"),
            };
            assert_eq!(double(&text).map(f64::to_bits), text.parse().ok().map(f64::to_bits), "{text}");
            assert_eq!(float(&text).map(f32::to_bits), text.parse().ok().map(f32::to_bits), "{text}");
        }
        for bad in ["", "-", ".", "1.2.3", ".5", "--1", "1,5", "0x1", "1 "] {
            assert_eq!((double(bad), float(bad)), (None, None), "{bad}");
        }
    }

    #[test]
    fn floats_within_their_range() {
        assert_eq!(
            (double("1e308"), double("1e309"), double("-Infinity"), double("inf"), double("")),
            (Some(1e308), None, Some(f64::NEG_INFINITY), None, None)
        );
        assert_eq!((float("3.4028235e38"), float("3.5e38"), float("0.1")), (Some(f32::MAX), None, Some(0.1)));
    }
}

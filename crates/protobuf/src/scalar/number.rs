//! Numbers in JSON as Protobuf's types take them: as a number or in a string, whole ones with a
//! point or an exponent too (ProtoJSON format, the table of types).
//!
//! Strings may spell numbers in more ways than JSON has, such as `NaN` and `007`.

use polywire_json::number::{self, Number};

use super::value::Value;
use crate::model::Kind;

/// Powers of ten that a float holds exactly.
const EXACT: [f32; 11] = [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10];

/// Returns the value of a scanned number of a whole kind, or `None` if it is not whole or out of
/// range. `text` is its spelling.
#[inline(always)]
pub(crate) fn whole_of(number: &Number, text: &str, kind: Kind) -> Option<Value<'static>> {
    match number.whole() {
        // The magnitude is below 2^63, so that its sign can change.
        Some(magnitude) => of_kind(if number.is_negative() { -(magnitude as i64) } else { magnitude as i64 }, kind),
        None => other_whole(text, kind),
    }
}

/// Returns the value of a scanned number as a double, or `None` if it is out of range.
#[inline(always)]
pub(crate) fn double_of(number: &Number, text: &str) -> Option<f64> {
    match number.nearest() {
        Some(value) => Some(value),
        None => other_double(text),
    }
}

/// Returns the value of a scanned number as a float, or `None` if it is out of range.
#[inline]
pub(crate) fn float_of(number: &Number, text: &str) -> Option<f32> {
    // As for doubles: 24 bits and these powers of ten are exact.
    if let Some((mantissa @ ..=0xff_ffff, power)) = number.decimal()
        && let Some(scale) = EXACT.get(power.unsigned_abs() as usize)
    {
        let magnitude = mantissa as f32;
        let value = if power < 0 { magnitude / scale } else { magnitude * scale };
        return Some(if number.is_negative() { -value } else { value });
    }
    other_float(text)
}

/// Scans a text that may be a number.
#[inline(always)]
fn scanned(text: &str) -> Option<Number> {
    number::scan(text.as_bytes(), 0).ok().filter(|number| number.end == text.len())
}

/// Returns the value of a text of a whole kind, or `None` if it is not whole or out of range.
#[inline]
pub(crate) fn whole(text: &str, kind: Kind) -> Option<Value<'static>> {
    match scanned(text) {
        Some(number) => whole_of(&number, text, kind),
        None => other_whole(text, kind),
    }
}

/// Returns the value of a text as a double, or `None` if it is no number or out of range.
pub(crate) fn double(text: &str) -> Option<f64> {
    match scanned(text) {
        Some(number) => double_of(&number, text),
        None => other_double(text),
    }
}

/// Returns the value of a text as a float, or `None` if it is no number or out of range.
pub(crate) fn float(text: &str) -> Option<f32> {
    match scanned(text) {
        Some(number) => float_of(&number, text),
        None => other_float(text),
    }
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

/// Returns [`whole`] of a text with many digits, a point, an exponent or leading zeros.
#[cold]
fn other_whole(text: &str, kind: Kind) -> Option<Value<'static>> {
    let (negative, digits) = text.strip_prefix('-').map_or((false, text), |digits| (true, digits));
    // Standard parsing accepts a plus sign.
    if let Ok(value) = digits.parse::<u64>()
        && !digits.starts_with('+')
    {
        let value = i128::from(value);
        return of_kind(if negative { -value } else { value }, kind);
    }
    let value = long(digits)?;
    of_kind(if negative { -value } else { value }, kind)
}

/// Returns a whole number without a sign, or `None` if it is not whole or beyond any type.
fn long(text: &str) -> Option<i128> {
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    if whole.is_empty() || !whole.bytes().chain(fraction.bytes()).all(|c| c.is_ascii_digit()) || mantissa.ends_with('.') {
        return None;
    }
    let power = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
    if power.is_empty() || !power.bytes().all(|c| c.is_ascii_digit()) {
        return None;
    }
    // Trailing zeros do not count.
    let digits: String = [whole, fraction].concat();
    let significant = digits.trim_end_matches('0');
    if significant.is_empty() {
        return Some(0);
    }
    let zeros = i64::from(exponent.parse::<i32>().ok()?) - fraction.len() as i64 + (digits.len() - significant.len()) as i64;
    let significant = significant.trim_start_matches('0');
    if !(0..=30).contains(&zeros) || significant.len() > 30 {
        return None;
    }
    significant.parse::<i128>().ok()?.checked_mul(10i128.checked_pow(zeros as u32)?)
}

/// Returns [`double`] of a text that is no number of few digits.
#[inline(never)]
fn other_double(text: &str) -> Option<f64> {
    match text {
        "NaN" => Some(f64::NAN),
        "Infinity" => Some(f64::INFINITY),
        "-Infinity" => Some(f64::NEG_INFINITY),
        text if is_number(text) => text.parse().ok().filter(|value: &f64| value.is_finite()),
        _ => None,
    }
}

/// Returns [`float`] of a text that is no number of few digits.
#[inline(never)]
fn other_float(text: &str) -> Option<f32> {
    match text {
        "NaN" => Some(f32::NAN),
        "Infinity" => Some(f32::INFINITY),
        "-Infinity" => Some(f32::NEG_INFINITY),
        text if is_number(text) => text.parse().ok().filter(|value: &f32| value.is_finite()),
        _ => None,
    }
}

/// Returns whether the text looks like a number to a parser of floats.
fn is_number(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    digits.starts_with(|c: char| c.is_ascii_digit()) && text.bytes().all(|c| matches!(c, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-'))
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
            ("0e-99999999999999999999", 0),
            ("15e+0001", 150),
            ("-9223372036854775808", i64::MIN),
            ("9.223372036854775807e18", i64::MAX),
        ] {
            assert_eq!(int(text), Some(value), "{text}");
        }
        for bad in
            ["", "-", "1.5", "1e-1", "9223372036854775808", "1e400000000000", "1e31", "1e+-5", "0ex", "1.", ".5", "+1", "1e", "0x1", " 1"]
        {
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

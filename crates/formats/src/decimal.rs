//! Conversions between the two forms of decimal fractions: mantissa and exponent of ten, and JSON's
//! number syntax.

use polywire_core::value::binary64;

/// A decimal number in JSON's syntax, taken apart: ± `digits` × 10^`exponent`.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Parts {
    pub(crate) negative: bool,
    /// Digits without leading zeros; trailing ones are kept.
    pub(crate) digits: String,
    pub(crate) exponent: i64,
}

/// Takes a number in JSON's syntax apart. Returns `None` if it is no number, or its exponent is
/// beyond 64 bits.
pub(crate) fn parse(text: &str) -> Option<Parts> {
    let (negative, text) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !all_digits(whole) || !all_digits(fraction) {
        return None;
    }
    let exponent = exponent.parse::<i64>().ok()?.checked_sub(i64::try_from(fraction.len()).ok()?)?;
    let digits = format!("{whole}{fraction}");
    let digits = digits.trim_start_matches('0');
    let digits = if digits.is_empty() { "0" } else { digits };
    Some(Parts { negative, digits: digits.to_string(), exponent })
}

/// A decimal fraction as walks emit it.
#[derive(Debug, PartialEq)]
pub(crate) enum Spelled {
    /// A number that an `f64` holds exactly.
    F64(f64),
    /// A number in JSON's syntax.
    Text(String),
}

/// Zeros that may follow the point before a number is written with an exponent.
const MAX_ZEROS: i64 = 6;

/// Spells `mantissa` × 10^`exponent`. Returns `None` if the exponent of its first digit is beyond
/// 64 bits.
///
/// `mantissa` is a whole number in decimal digits, without leading zeros.
pub(crate) fn spell(mantissa: &str, exponent: i64) -> Option<Spelled> {
    let (sign, digits) = mantissa.strip_prefix('-').map_or(("", mantissa), |digits| ("-", digits));
    if digits == "0" {
        return Some(Spelled::F64(0.0));
    }
    let len = i64::try_from(digits.len()).ok()?;
    let first = exponent.checked_add(len - 1)?;
    let text = if exponent < 0 && first >= 0 {
        let (whole, fraction) = digits.split_at(usize::try_from(first + 1).ok()?);
        format!("{sign}{whole}.{fraction}")
    } else if exponent < 0 && first >= -1 - MAX_ZEROS {
        format!("{sign}0.{}{digits}", "0".repeat(usize::try_from(-1 - first).ok()?))
    } else {
        let (lead, rest) = digits.split_at(1);
        let point = if rest.is_empty() { "" } else { "." };
        format!("{sign}{lead}{point}{rest}e{first}")
    };
    Some(match binary64(&text) {
        Some(value) => Spelled::F64(value),
        None => Spelled::Text(text),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spelling_and_parsing_are_inverse() {
        for (mantissa, exponent, text) in [
            ("100000000000000000001", -20, "1.00000000000000000001"),
            ("-100000000000000000001", -21, "-0.100000000000000000001"),
            ("100000000000000000001", -27, "0.000000100000000000000000001"),
            ("100000000000000000001", -28, "1.00000000000000000001e-8"),
            ("15", 399, "1.5e400"),
            ("1", 400, "1e400"),
            ("-1", -400, "-1e-400"),
            ("100000000000000000010", 0, "1.00000000000000000010e20"),
        ] {
            assert_eq!(spell(mantissa, exponent), Some(Spelled::Text(text.into())));
            let parts = parse(text).unwrap();
            assert_eq!(format!("{}{}", if parts.negative { "-" } else { "" }, parts.digits), mantissa, "{text}");
            assert_eq!(parts.exponent, exponent, "{text}");
        }
    }

    #[test]
    fn what_an_f64_gives_back_is_one() {
        for (mantissa, exponent, value) in [
            ("27315", -2, 273.15),
            ("-15", -1, -1.5),
            ("0", 5, 0.0),
            ("3", 0, 3.0),
            ("1500", 0, 1500.0),
            ("1", 300, 1e300),
            ("5", -324, 5e-324),
        ] {
            assert_eq!(spell(mantissa, exponent), Some(Spelled::F64(value)));
        }
        assert_eq!(spell("9007199254740993", 0), Some(Spelled::Text("9.007199254740993e15".into())));
    }

    #[test]
    fn exponents_beyond_64_bits_are_refused() {
        assert_eq!(spell("12", i64::MAX), None);
        assert_eq!(parse("1e9223372036854775808"), None);
        assert_eq!(parse("0.1e-9223372036854775808"), None);
        for bad in ["", "-", "1.x", "+1", "1e", ".5"] {
            assert_eq!(parse(bad), None, "{bad}");
        }
    }
}

//! Conversions between the two forms of decimal fractions: mantissa and exponent of ten, and JSON's
//! number syntax.

use polywire_core::value::binary64;
use polywire_core::value::lexical::{is_number, spells_float};
use polywire_core::{Hint, Scalar, Spelling, Str};

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

/// A number of a decimal type: its spelling in JSON's number syntax, and its exponent.
#[derive(Debug, PartialEq)]
pub struct Typed {
    /// Digits with the point or exponent that [`parse`] makes `exponent` of.
    pub(crate) text: String,
    /// Exponent of ten; `None` beyond 32 bits.
    exponent: Option<i32>,
    pub(crate) form: Form,
}

/// The form in which walks emit a number of a decimal type.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Form {
    /// A whole number from zero up, with exponent 0.
    UInt(u64),
    /// A whole number below zero, with exponent 0.
    Int(i64),
    /// A whole number beyond 64 bits, with exponent 0.
    Big,
    /// A binary64 number, or a negative zero.
    F64(f64),
    /// Any other number.
    Decimal,
}

impl Form {
    /// Returns the form of a number in JSON's syntax.
    fn of(text: &str) -> Form {
        if spells_float(text) {
            return binary64(text).map_or(Form::Decimal, Form::F64);
        }
        match (text.parse(), text.parse()) {
            (Ok(value), _) => Form::UInt(value),
            (_, Ok(value)) => Form::Int(value),
            _ => Form::Big,
        }
    }
}

/// Zeros that may follow the point before a number is written with an exponent.
const MAX_ZEROS: i64 = 6;

/// Spells `mantissa` × 10^`exponent`. Returns `None` if the exponent of its first digit is beyond
/// 64 bits.
///
/// `mantissa` is a whole number in decimal digits, without leading zeros; `-0` is a negative zero.
pub fn spell(mantissa: &str, exponent: i64) -> Option<Typed> {
    let (sign, digits) = mantissa.strip_prefix('-').map_or(("", mantissa), |digits| ("-", digits));
    let len = i64::try_from(digits.len()).ok()?;
    let first = exponent.checked_add(len - 1)?;
    let text = if exponent == 0 && digits == "0" && !sign.is_empty() {
        // Without a point it would be an integer, which has no negative zero.
        "-0.0".to_string()
    } else if exponent == 0 {
        mantissa.to_string()
    } else if exponent < 0 && first >= 0 {
        let (whole, fraction) = digits.split_at(usize::try_from(first + 1).ok()?);
        format!("{sign}{whole}.{fraction}")
    } else if exponent < 0 && first >= -1 - MAX_ZEROS {
        format!("{sign}0.{}{digits}", "0".repeat(usize::try_from(-1 - first).ok()?))
    } else {
        let (lead, rest) = digits.split_at(1);
        let point = if rest.is_empty() { "" } else { "." };
        format!("{sign}{lead}{point}{rest}e{first}")
    };
    let form = if digits == "0" && !sign.is_empty() { Form::F64(-0.0) } else { Form::of(&text) };
    Some(Typed { text, exponent: i32::try_from(exponent).ok(), form })
}

/// Returns the number of a decimal type that came as `text`, if it is a number in JSON's syntax.
pub(crate) fn came(text: &str) -> Option<Typed> {
    if !is_number(text) {
        return None;
    }
    let exponent = parse(text).and_then(|parts| i32::try_from(parts.exponent).ok());
    Some(Typed { text: text.to_string(), exponent, form: Form::of(text) })
}

impl Typed {
    /// Returns the spelling that the scalar's hint refers to.
    pub fn spelling(&self) -> Spelling<'_> {
        match self.exponent {
            Some(exponent) => Spelling::decimal(&self.text, exponent),
            None => Spelling::digits(&self.text),
        }
    }

    /// Returns the number as walks emit it.
    pub fn scalar<'s>(&'s self, hint: Hint<'s>) -> Scalar<'static, 's> {
        match self.form {
            Form::UInt(value) => Scalar::UInt(value, hint),
            Form::Int(value) => Scalar::Int(value, hint),
            Form::Big => Scalar::Big(Str::Scratch(&self.text), hint),
            Form::F64(value) => Scalar::F64(value, hint),
            Form::Decimal => Scalar::Decimal(Str::Scratch(&self.text), hint),
        }
    }
}

/// Takes a number of a decimal type apart, with the mantissa and exponent that it came with.
/// Returns `None` for other numbers.
#[cold]
pub(crate) fn typed(hint: Hint<'_>) -> Option<Parts> {
    let exponent = i64::from(hint.exponent()?);
    let mut parts = parse(hint.digits()?)?;
    if parts.digits == "0" {
        parts.exponent = exponent;
    }
    (parts.exponent == exponent).then_some(parts)
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
            ("100000000000000000010", 1, "1.00000000000000000010e21"),
        ] {
            let spelled = spell(mantissa, exponent).unwrap();
            assert_eq!((spelled.text.as_str(), spelled.form), (text, Form::Decimal));
            let parts = parse(text).unwrap();
            assert_eq!(format!("{}{}", if parts.negative { "-" } else { "" }, parts.digits), mantissa, "{text}");
            assert_eq!(parts.exponent, exponent, "{text}");
        }
    }

    #[test]
    fn the_form_depends_on_the_value() {
        for (mantissa, exponent, text, form) in [
            ("27315", -2, "273.15", Form::F64(273.15)),
            ("-15", -1, "-1.5", Form::F64(-1.5)),
            ("0", 5, "0e5", Form::F64(0.0)),
            ("0", -2, "0.00", Form::F64(0.0)),
            ("-0", 0, "-0.0", Form::F64(-0.0)),
            ("0", 0, "0", Form::UInt(0)),
            ("3", 0, "3", Form::UInt(3)),
            ("-3", 0, "-3", Form::Int(-3)),
            ("18446744073709551616", 0, "18446744073709551616", Form::Big),
            ("15", 2, "1.5e3", Form::F64(1500.0)),
            ("1", 300, "1e300", Form::F64(1e300)),
            ("5", -324, "5e-324", Form::F64(5e-324)),
            ("10000000000000001", -17, "0.10000000000000001", Form::F64(0.1)),
            ("9007199254740993", 1, "9.007199254740993e16", Form::Decimal),
            ("90071992547409931", -1, "9007199254740993.1", Form::Decimal),
        ] {
            let spelled = spell(mantissa, exponent).unwrap();
            assert_eq!((spelled.text.as_str(), spelled.form), (text, form), "{mantissa} {exponent}");
            assert_eq!(spelled.exponent, i32::try_from(exponent).ok(), "{text}");
            if let Form::F64(value) = form {
                assert_eq!(value.is_sign_negative(), mantissa.starts_with('-'), "{text}");
            }
            let parts = typed(Hint::new(&spelled.spelling())).unwrap();
            assert_eq!(format!("{}{}", if parts.negative { "-" } else { "" }, parts.digits), mantissa, "{text}");
            assert_eq!(parts.exponent, exponent, "{text}");
        }
    }

    #[test]
    fn mantissa_and_exponent_come_back_from_the_hint() {
        let mut rng = fastrand::Rng::with_seed(3);
        for _ in 0..100_000 {
            let mantissa = format!("{}{}", if rng.bool() { "-" } else { "" }, rng.u128(..) >> rng.u32(..128));
            let exponent = rng.i64(-6176..6112) >> rng.u32(..13);
            let spelled = spell(&mantissa, exponent).unwrap();
            let parts = typed(Hint::new(&spelled.spelling())).unwrap();
            assert_eq!(format!("{}{}", if parts.negative { "-" } else { "" }, parts.digits), mantissa);
            assert_eq!(parts.exponent, exponent, "{mantissa}");
        }
        assert_eq!(typed(Hint::NONE), None);
        assert_eq!(typed(Hint::new(&Spelling::digits("1.5"))), None);
        assert_eq!(spell("1", 1 << 40).unwrap().exponent, None);
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

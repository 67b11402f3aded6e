//! Numbers, as columns of each type have them.

use std::io::Write as _;

use arrow_buffer::i256;
use polywire_core::columns::Data;
use polywire_core::schema::Width;
use polywire_core::value::nearest_f64;
use polywire_core::{Hint, Losses, Scalar, Span};

pub(super) fn whole(value: &Scalar<'_, '_>) -> Option<i128> {
    match value {
        Scalar::Int(number, _) => Some(i128::from(*number)),
        Scalar::UInt(number, _) => Some(i128::from(*number)),
        _ => None,
    }
}

/// Appends a whole number, if it fits.
pub(super) fn put_whole(data: &mut Data, number: i128) -> bool {
    macro_rules! put {
        ($values:expr) => {
            match number.try_into() {
                Ok(number) => {
                    $values.push(number);
                    true
                }
                Err(_) => false,
            }
        };
    }
    match data {
        Data::I8(values) => put!(values),
        Data::I16(values) => put!(values),
        Data::I32(values) => put!(values),
        Data::I64(values) => put!(values),
        Data::U8(values) => put!(values),
        Data::U16(values) => put!(values),
        Data::U32(values) => put!(values),
        Data::U64(values) => put!(values),
        _ => false,
    }
}

pub(super) fn single(value: &Scalar<'_, '_>) -> Option<f32> {
    match value {
        Scalar::F32(value, _) => Some(*value),
        Scalar::F64(value, _) if value.is_nan() || f64::from(*value as f32) == *value => Some(*value as f32),
        scalar => {
            whole(scalar).map(|number| (number as f32, number)).filter(|(float, number)| *float as i128 == *number).map(|(float, _)| float)
        }
    }
}

/// Returns a number as binary64. A decimal becomes the nearest one, which is a loss.
pub(super) fn double(value: &Scalar<'_, '_>, losses: &mut Losses, at: Span) -> Option<f64> {
    match value {
        Scalar::F64(value, _) => Some(*value),
        Scalar::F32(value, _) => Some(f64::from(*value)),
        Scalar::Decimal(text, hint) => {
            let value = nearest_f64(text.get(), *hint)?;
            losses.rounded(polywire_core::value::ROUNDED, at);
            Some(value)
        }
        Scalar::Big(text, _) => nearest_f64(text.get(), Hint::NONE),
        scalar => {
            whole(scalar).map(|number| (number as f64, number)).filter(|(float, number)| *float as i128 == *number).map(|(float, _)| float)
        }
    }
}

/// Appends the digits of a number to `out`. Returns false if the value is no number of the kind.
pub(super) fn digits(out: &mut Vec<u8>, value: &Scalar<'_, '_>, is_whole: bool) -> bool {
    match value {
        Scalar::Int(value, _) => out.extend_from_slice(itoa::Buffer::new().format(*value).as_bytes()),
        Scalar::UInt(value, _) => out.extend_from_slice(itoa::Buffer::new().format(*value).as_bytes()),
        Scalar::Big(text, _) => out.extend_from_slice(text.get().as_bytes()),
        _ if is_whole => return false,
        Scalar::Decimal(text, _) => out.extend_from_slice(text.get().as_bytes()),
        Scalar::F64(number, hint) if number.is_finite() => match hint.digits() {
            Some(digits) => out.extend_from_slice(digits.as_bytes()),
            None => drop(write!(out, "{number:?}")),
        },
        Scalar::F32(number, _) if number.is_finite() => drop(write!(out, "{:?}", f64::from(*number))),
        _ => return false,
    }
    true
}

/// Appends a decimal of a fixed scale, if its digits fit.
pub(super) fn put_fixed(data: &mut Data, digits: &[u8], precision: u8, scale: u8) -> bool {
    let Some((negative, digits)) = scaled(digits, precision, scale) else { return false };
    match data {
        Data::I128(values) => {
            let value = digits.iter().fold(0i128, |value, digit| value * 10 + i128::from(*digit));
            values.push(if negative { -value } else { value });
        }
        Data::I256(values) => {
            let ten = i256::from_i128(10);
            let value =
                digits.iter().fold(i256::ZERO, |value, digit| value.wrapping_mul(ten).wrapping_add(i256::from_i128(i128::from(*digit))));
            values.push(if negative { value.wrapping_neg() } else { value }.to_le_bytes());
        }
        _ => return false,
    }
    true
}

/// Returns the sign and the digits of a number times ten to the power `scale`, if it is whole then
/// and has at most `precision` digits.
pub(super) fn scaled(text: &[u8], precision: u8, scale: u8) -> Option<(bool, Vec<u8>)> {
    let text = std::str::from_utf8(text).ok()?;
    let (negative, text) = text.strip_prefix('-').map_or((false, text), |text| (true, text));
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let exponent: i64 = exponent.strip_prefix('+').unwrap_or(exponent).parse().ok()?;
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all: Vec<u8> = whole.bytes().chain(fraction.bytes()).map(|byte| byte.wrapping_sub(b'0')).collect();
    let start = all.iter().take_while(|digit| **digit == 0).count();
    let mut digits = all[start..].to_vec();
    if digits.is_empty() {
        return Some((false, digits));
    }
    let shift = exponent.checked_sub(fraction.len() as i64)?.checked_add(i64::from(scale))?;
    if shift < 0 {
        let dropped = usize::try_from(-shift).ok().filter(|dropped| *dropped <= digits.len())?;
        if digits[digits.len() - dropped..].iter().any(|digit| *digit != 0) {
            return None;
        }
        digits.truncate(digits.len() - dropped);
    } else {
        let zeros = usize::try_from(shift).ok().filter(|zeros| *zeros <= usize::from(precision))?;
        digits.resize(digits.len() + zeros, 0);
    }
    (digits.len() <= usize::from(precision)).then_some((negative, digits))
}

pub(super) fn bits(width: Width) -> u32 {
    width.bits()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_scaled_exactly() {
        let digits = |text: &str| {
            scaled(text.as_bytes(), 5, 2)
                .map(|(negative, digits)| (negative, digits.iter().fold(0, |all, digit| all * 10 + i64::from(*digit))))
        };
        assert_eq!(digits("1.5"), Some((false, 150)));
        assert_eq!(digits("-0.05"), Some((true, 5)));
        assert_eq!(digits("12e1"), Some((false, 12000)));
        assert_eq!(digits("1.2300"), Some((false, 123)));
        assert_eq!(digits("0e99"), Some((false, 0)));
        for refused in ["1000", "0.001", "1e9", "1e-9", "1e99999999999999999999"] {
            assert_eq!(digits(refused), None, "{refused}");
        }
    }
}

//! Equality of scalars.

use crate::walk::event::Scalar;

/// Returns whether two scalars are equal as [`differences`](crate::tools::diff::differences)
/// compares them.
pub fn same(left: &Scalar<'_, '_>, right: &Scalar<'_, '_>) -> bool {
    let float = |value: f64| if value.is_nan() { f64::NAN.to_bits() } else { value.to_bits() };
    match (left, right) {
        (Scalar::F32(one, _), Scalar::F32(other, _)) => float(f64::from(*one)) == float(f64::from(*other)),
        (Scalar::F32(narrow, _), Scalar::F64(wide, _)) | (Scalar::F64(wide, _), Scalar::F32(narrow, _)) => {
            float(f64::from(*narrow)) == float(*wide)
        }
        (Scalar::F64(one, _), Scalar::F64(other, _)) => float(*one) == float(*other),
        (Scalar::Big(one, _), Scalar::Big(other, _)) => one.get() == other.get(),
        (Scalar::Decimal(one, _), Scalar::Decimal(other, _)) => same_decimal(one.get(), other.get()),
        (Scalar::Text(one), Scalar::Text(other)) => one.get() == other.get(),
        (Scalar::Bytes(one), Scalar::Bytes(other)) | (Scalar::Octets(one), Scalar::Octets(other)) => one.get() == other.get(),
        (left, right) => left == right,
    }
}

/// Returns whether two decimals in JSON's number syntax are the same number, however written.
/// All exponents outside `i64` count as equal.
pub fn same_decimal(left: &str, right: &str) -> bool {
    left == right || decimal(left) == decimal(right)
}

/// Returns a decimal's sign, its digits without zeros at either end, and its last digit's exponent.
pub(crate) fn decimal(text: &str) -> (bool, String, i64) {
    let (negative, text) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    // Every exponent outside i64 counts as the largest one.
    let exponent = exponent.parse::<i64>().unwrap_or(i64::MAX).saturating_sub(fraction.len() as i64);
    let digits = format!("{whole}{fraction}");
    let kept = digits.trim_end_matches('0');
    if kept.is_empty() {
        // Zero is one number, whatever its exponent.
        return (negative, String::new(), 0);
    }
    let exponent = exponent.saturating_add((digits.len() - kept.len()) as i64);
    (negative, kept.trim_start_matches('0').to_string(), exponent)
}

//! Equality of scalars.

use std::fmt;

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
pub fn same_decimal(left: &str, right: &str) -> bool {
    left == right || decimal(left) == decimal(right)
}

/// Returns a decimal's sign, its digits without zeros at either end, and its last digit's exponent.
pub(crate) fn decimal(text: &str) -> (bool, String, Exponent) {
    let (negative, text) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    let kept = digits.trim_end_matches('0');
    if kept.is_empty() {
        // Zero is one number, whatever its exponent.
        return (negative, String::new(), Exponent::Small(0));
    }
    let shift = (digits.len() - kept.len()) as i64 - fraction.len() as i64;
    (negative, kept.trim_start_matches('0').to_string(), Exponent::new(exponent, shift))
}

/// An exponent of ten of any size, in one form per number.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) enum Exponent {
    /// Less than [`SMALL`] from zero.
    Small(i128),
    /// Any other: its sign, and its digits without leading zeros.
    Huge(bool, String),
}

/// Bound of small exponents: 10^30.
const SMALL: i128 = 1_000_000_000_000_000_000_000_000_000_000;

/// Number of digits at the end of a huge exponent that a shift may change: more than 64 bits have.
const END: usize = 30;

impl Exponent {
    /// Makes the exponent that `text` spells, plus `shift`.
    fn new(text: &str, shift: i64) -> Exponent {
        let (negative, digits) = match text.strip_prefix(['+', '-']) {
            Some(digits) => (text.starts_with('-'), digits),
            None => (false, text),
        };
        let digits = digits.trim_start_matches('0');
        if digits.len() <= END {
            // At most 30 digits are within 128 bits.
            let magnitude: i128 = digits.parse().unwrap_or_default();
            let sum = if negative { -magnitude } else { magnitude } + i128::from(shift);
            return if sum.abs() < SMALL { Exponent::Small(sum) } else { Exponent::Huge(sum < 0, sum.unsigned_abs().to_string()) };
        }
        let (head, end) = digits.split_at(digits.len() - END);
        let sum = end.parse::<i128>().unwrap_or_default() + i128::from(if negative { -shift } else { shift });
        let head = stepped(head, sum.div_euclid(SMALL));
        if head.is_empty() {
            let sum = sum.rem_euclid(SMALL);
            return Exponent::Small(if negative { -sum } else { sum });
        }
        Exponent::Huge(negative, format!("{head}{:0END$}", sum.rem_euclid(SMALL)))
    }
}

impl fmt::Display for Exponent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Exponent::Small(exponent) => write!(f, "{exponent}"),
            Exponent::Huge(negative, digits) => write!(f, "{}{digits}", if *negative { "-" } else { "" }),
        }
    }
}

/// Returns the whole number `digits`, above zero, plus `step`: -1, 0 or 1. Zero is no digits.
fn stepped(digits: &str, step: i128) -> String {
    let mut bytes = digits.as_bytes().to_vec();
    let (turning, turned) = if step < 0 { (b'0', b'9') } else { (b'9', b'0') };
    if step != 0 {
        let turns = bytes.iter().rev().take_while(|byte| **byte == turning).count();
        let first = bytes.len() - turns;
        bytes[first..].fill(turned);
        match first.checked_sub(1) {
            Some(last) if step < 0 => bytes[last] -= 1,
            Some(last) => bytes[last] += 1,
            None => bytes.insert(0, b'1'),
        }
    }
    // Digits are ASCII.
    String::from_utf8(bytes).unwrap_or_default().trim_start_matches('0').to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_compared_by_their_number() {
        for (left, right) in [
            ("1.50", "15e-1"),
            ("-0.10", "-1E-1"),
            ("0e5", "0.00"),
            ("1e+0007", "10000000"),
            ("10e99999999999999999998", "1e99999999999999999999"),
            ("0.01e-9223372036854775808", "1e-9223372036854775810"),
            ("10e999999999999999999999999999999", "1e1000000000000000000000000000000"),
            ("1e1000000000000000000000000000000", "0.1e1000000000000000000000000000001"),
            ("0.1e1000000000000000000000000000000", "1e999999999999999999999999999999"),
            ("10e-1000000000000000000000000000000", "1e-999999999999999999999999999999"),
            ("1e-1000000000000000000000000000000", "0.1e-999999999999999999999999999999"),
            ("100e99999999999999999999999999999999999999999", "1e100000000000000000000000000000000000000001"),
            ("0.01e-99999999999999999999999999999999999999999", "1e-100000000000000000000000000000000000000001"),
            ("0.001e100000000000000000000000000000000000000000000", "1e99999999999999999999999999999999999999999997"),
        ] {
            assert!(same_decimal(left, right), "{left} {right}: {:?} {:?}", decimal(left), decimal(right));
        }
        for (left, right) in [
            ("1.5", "-1.5"),
            ("1e99999999999999999999", "1e-99999999999999999999"),
            ("1e99999999999999999999", "1e99999999999999999998"),
            ("1e9223372036854775807", "1e9223372036854775808"),
            ("1e-9223372036854775808", "1e-9223372036854775809"),
            ("1e1000000000000000000000000000000", "1e-1000000000000000000000000000000"),
            ("1e100000000000000000000000000000000000000000001", "1e100000000000000000000000000000000000000000002"),
        ] {
            assert!(!same_decimal(left, right), "{left} {right}");
        }
    }

    #[test]
    fn long_exponents_take_linear_time() {
        let long = "9".repeat(1_000_000);
        assert!(same_decimal(&format!("10e{long}"), &format!("1e1{}", "0".repeat(1_000_000))));
        assert!(!same_decimal(&format!("1e{long}"), &format!("1e-{long}")));
    }
}

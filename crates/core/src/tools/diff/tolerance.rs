//! Numbers and moments that are taken for equal although they differ.

use std::hash::{Hash, Hasher};

use crate::value::same::{Exponent, decimal, same};
use crate::value::show;
use crate::walk::event::Scalar;
use crate::walk::time::Timestamp;

/// How numbers and moments are compared. Default: exactly, and 1 is not 1.0.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Tolerance {
    /// Largest difference of two numbers, absolute where both are at most 1, else relative to the
    /// larger one: `|a - b| <= epsilon * max(1, |a|, |b|)`. Two integers are compared exactly all
    /// the same. Two moments may differ by that many seconds.
    pub epsilon: Option<f64>,
    /// True if a number's kind does not count: 1, 1.0 and a decimal 1.00 are equal.
    pub same_numbers: bool,
}

/// Number of steps of `epsilon` that share a hash.
const STEPS: f64 = 64.0;

/// Magnitude up to which every integer is an `f64`.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// Most digits of an integer that is hashed as one.
const DIGITS: usize = 18;

impl Tolerance {
    /// Reports whether equal values have equal hashes, and only they.
    pub(super) fn is_exact(&self) -> bool {
        self.epsilon.is_none()
    }

    /// Returns whether two scalars are taken for equal.
    pub(super) fn same(&self, left: &Scalar<'_, '_>, right: &Scalar<'_, '_>) -> bool {
        if same(left, right) {
            return true;
        }
        if self.epsilon.is_none() && !self.same_numbers {
            return false;
        }
        if let (Some(epsilon), Scalar::Time(one), Scalar::Time(other)) = (self.epsilon, left, right) {
            return (seconds(*one) - seconds(*other)).abs() <= epsilon;
        }
        if !is_number(left) || !is_number(right) {
            return false;
        }
        if self.same_numbers && canonical(left) == canonical(right) {
            return true;
        }
        let (Some(epsilon), false) = (self.epsilon, is_whole(left) && is_whole(right)) else { return false };
        let (one, other) = (float(left), float(right));
        (one - other).abs() <= epsilon * one.abs().max(other.abs()).max(1.0)
    }

    /// Hashes a scalar so that equal ones share the hash. Those within `epsilon` mostly do.
    pub(super) fn hash(&self, scalar: &Scalar<'_, '_>, state: &mut impl Hasher) {
        match scalar {
            Scalar::Text(text) => (0u8, text.get()).hash(state),
            Scalar::Bytes(bytes) => (1u8, bytes.get()).hash(state),
            Scalar::Octets(bytes) => (2u8, bytes.get()).hash(state),
            Scalar::Null => 3u8.hash(state),
            Scalar::Bool(value) => (4u8, value).hash(state),
            Scalar::Time(moment) => match self.epsilon {
                None => (5u8, moment.seconds(), moment.nanos()).hash(state),
                Some(epsilon) => (5u8, (seconds(*moment) / (epsilon * STEPS)).round().to_bits()).hash(state),
            },
            number => self.hash_number(number, state),
        }
    }

    fn hash_number(&self, number: &Scalar<'_, '_>, state: &mut impl Hasher) {
        match (self.epsilon, self.same_numbers) {
            (Some(epsilon), _) if !is_whole(number) => {
                let value = float(number);
                let scale = value.abs().max(1.0);
                if (value - value.round()).abs() <= epsilon * scale && value.abs() < EXACT {
                    return Canonical::Integer(value.round() as i128).hash(state);
                }
                let scale = scale.log2().floor();
                (6u8, scale.to_bits(), (value / (epsilon * STEPS * scale.exp2())).round().to_bits()).hash(state);
            }
            (None, false) => match number {
                Scalar::Int(value, _) => (7u8, value).hash(state),
                Scalar::UInt(value, _) => (8u8, value).hash(state),
                Scalar::F32(value, _) => (9u8, bits(f64::from(*value))).hash(state),
                Scalar::F64(value, _) => (9u8, bits(*value)).hash(state),
                Scalar::Decimal(text, _) => (10u8, decimal(text.get())).hash(state),
                other => (11u8, show::scalar(other, usize::MAX)).hash(state),
            },
            _ => canonical(number).hash(state),
        }
    }
}

fn bits(value: f64) -> u64 {
    if value.is_nan() { f64::NAN.to_bits() } else { value.to_bits() }
}

fn is_number(scalar: &Scalar<'_, '_>) -> bool {
    is_whole(scalar) || matches!(scalar, Scalar::F32(..) | Scalar::F64(..) | Scalar::Decimal(..))
}

fn is_whole(scalar: &Scalar<'_, '_>) -> bool {
    matches!(scalar, Scalar::Int(..) | Scalar::UInt(..) | Scalar::Big(..))
}

fn seconds(moment: Timestamp) -> f64 {
    moment.seconds() as f64 + f64::from(moment.nanos()) / 1e9
}

/// Returns the nearest `f64` of a number.
fn float(number: &Scalar<'_, '_>) -> f64 {
    match number {
        Scalar::Int(value, _) => *value as f64,
        Scalar::UInt(value, _) => *value as f64,
        Scalar::F32(value, _) => f64::from(*value),
        Scalar::F64(value, _) => *value,
        Scalar::Big(text, _) | Scalar::Decimal(text, _) => text.get().parse().unwrap_or(f64::NAN),
        _ => f64::NAN,
    }
}

/// A number in one form, whatever its kind was.
#[derive(Debug, PartialEq, Eq, Hash)]
enum Canonical {
    Integer(i128),
    /// Sign, digits, exponent of the last digit.
    Decimal(bool, String, Exponent),
    /// Infinite, or no number.
    Other(u64),
}

/// Returns a number's one form. A float stands for the shortest decimal that is read as it.
fn canonical(number: &Scalar<'_, '_>) -> Canonical {
    match number {
        Scalar::Int(value, _) => Canonical::Integer(i128::from(*value)),
        Scalar::UInt(value, _) => Canonical::Integer(i128::from(*value)),
        Scalar::Big(text, _) | Scalar::Decimal(text, _) => of_text(text.get()),
        other => {
            let value = float(other);
            if !value.is_finite() {
                return Canonical::Other(bits(value));
            }
            match value.fract() == 0.0 && value.abs() < EXACT {
                true => Canonical::Integer(value as i128),
                false => of_text(&format!("{value:e}")),
            }
        }
    }
}

fn of_text(text: &str) -> Canonical {
    let (negative, digits, exponent) = decimal(text);
    if digits.is_empty() {
        // Zero has no sign.
        return Canonical::Integer(0);
    }
    let zeros = match exponent {
        Exponent::Small(zeros) if zeros >= 0 => usize::try_from(zeros).ok(),
        _ => None,
    };
    if let Some(zeros) = zeros.filter(|zeros| zeros.saturating_add(digits.len()) <= DIGITS + 20)
        && let Ok(magnitude) = format!("{digits}{:0<zeros$}", "").parse::<i128>()
    {
        return Canonical::Integer(if negative { -magnitude } else { magnitude });
    }
    Canonical::Decimal(negative, digits, exponent)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::walk::event::{Hint, Str};
    use foldhash::fast::FixedState;
    use std::hash::BuildHasher;

    fn decimal(text: &'static str) -> Scalar<'static, 'static> {
        Scalar::Decimal(Str::Input(text), Hint::NONE)
    }

    fn hash(tolerance: Tolerance, scalar: &Scalar<'_, '_>) -> u64 {
        let mut state = FixedState::default().build_hasher();
        tolerance.hash(scalar, &mut state);
        state.finish()
    }

    #[test]
    fn kinds_of_numbers_count_unless_asked_otherwise() {
        let same = Tolerance { same_numbers: true, ..Tolerance::default() };
        let big = Scalar::Big(Str::Input("1000000000000000000000000000000"), Hint::NONE);
        for (left, right) in [
            (Scalar::uint(1), Scalar::F64(1.0, Hint::NONE)),
            (Scalar::F32(0.5, Hint::NONE), decimal("0.50")),
            (Scalar::uint(0), Scalar::F64(-0.0, Hint::NONE)),
            (Scalar::F64(0.1, Hint::NONE), decimal("1e-1")),
            (Scalar::F64(1e30, Hint::NONE), big),
            (decimal("-12e2"), Scalar::Int(-1200, Hint::NONE)),
        ] {
            assert!(same.same(&left, &right) && !Tolerance::default().same(&left, &right), "{left:?} {right:?}");
            assert_eq!(hash(same, &left), hash(same, &right), "{left:?} {right:?}");
        }
        for (left, right) in [
            (Scalar::uint(1), Scalar::F64(1.5, Hint::NONE)),
            (Scalar::uint(1), Scalar::Text(Str::Input("1"))),
            (Scalar::uint(1), Scalar::Bool(true)),
            (Scalar::F32(0.1, Hint::NONE), Scalar::F64(0.1, Hint::NONE)),
            (Scalar::F64(f64::INFINITY, Hint::NONE), decimal("1e999")),
        ] {
            assert!(!same.same(&left, &right), "{left:?} {right:?}");
        }
    }

    #[test]
    fn an_epsilon_is_absolute_below_one_and_relative_above() {
        let within = |epsilon: f64| Tolerance { epsilon: Some(epsilon), ..Tolerance::default() };
        let float = |value: f64| Scalar::F64(value, Hint::NONE);
        assert!(within(1e-9).same(&float(0.1 + 0.2), &float(0.3)));
        assert!(within(1e-9).same(&float(1e12), &float(1e12 + 500.0)));
        assert!(!within(1e-9).same(&float(1e12), &float(1e12 + 5000.0)));
        assert!(!within(1e-9).same(&float(1e-6), &float(2e-6)) && within(1e-5).same(&float(1e-6), &float(2e-6)));
        assert!(within(0.1).same(&Scalar::uint(1), &decimal("1.05")) && within(0.1).same(&Scalar::uint(1), &float(1.0)));
        assert!(!within(10.0).same(&Scalar::uint(1), &Scalar::uint(2)), "integers are exact");
        assert!(!within(10.0).same(&float(1.0), &float(f64::NAN)) && within(10.0).same(&float(f64::NAN), &float(f64::NAN)));
        assert!(!within(1e-9).same(&float(f64::MAX), &float(f64::MIN)));
        let moment = |nanos: u32| Scalar::Time(Timestamp::new(1_700_000_000, nanos).unwrap());
        assert!(within(0.001).same(&moment(0), &moment(900_000)) && !within(0.001).same(&moment(0), &moment(2_000_000)));
        assert_eq!(hash(within(1e-9), &float(1.0)), hash(within(1e-9), &Scalar::uint(1)));
    }
}

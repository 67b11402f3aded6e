//! Numbers as the floats that a schema declares.

use crate::value::binary64::nearest_f32;
use crate::walk::event::{Scalar, Span};
use crate::walk::loss::Losses;

/// A number as a float, and the difference between them.
///
/// ```
/// use polywire_core::value::DeclaredFloat;
/// use polywire_core::{Scalar, Str};
///
/// let number = DeclaredFloat::new(&Scalar::decimal(Str::Input("0.10000000000000000001"))).unwrap();
/// assert_eq!((number.value(), number.is_exact()), (0.1, false));
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DeclaredFloat {
    value: f64,
    change: Change,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Change {
    None,
    /// A number with a fraction became the nearest float.
    Rounded,
    /// A whole number became another one.
    Whole,
    /// A number beyond the finite floats became an infinity.
    Infinite,
}

impl DeclaredFloat {
    /// Makes the binary64 number nearest to a number of any kind. Returns `None` for other scalars.
    pub fn new(scalar: &Scalar<'_, '_>) -> Option<DeclaredFloat> {
        let whole = |value: f64, is_same: bool| (value, if is_same { Change::None } else { Change::Whole });
        let (value, change) = match *scalar {
            Scalar::F64(value, _) => (value, Change::None),
            Scalar::F32(value, _) => (f64::from(value), Change::None),
            // Exact are numbers up to 2⁵³, and larger ones with enough trailing zero bits.
            Scalar::UInt(number, _) => whole(number as f64, (number as f64) as u128 == u128::from(number)),
            Scalar::Int(number, _) => whole(number as f64, (number as f64) as i128 == i128::from(number)),
            Scalar::Big(text, _) => whole(text.get().parse().unwrap_or(f64::NAN), false),
            Scalar::Decimal(text, _) => (text.get().parse().unwrap_or(f64::NAN), Change::Rounded),
            _ => return None,
        };
        let is_finite = value.is_finite() || matches!(scalar, Scalar::F64(..) | Scalar::F32(..));
        Some(DeclaredFloat { value, change: if is_finite { change } else { Change::Infinite } })
    }

    /// Returns the float.
    pub fn value(self) -> f64 {
        self.value
    }

    /// Returns whether the float is the number.
    pub fn is_exact(self) -> bool {
        self.change == Change::None
    }

    /// Returns the nearest binary32 number. `digits` are those of the number, if they are known;
    /// rounding them once avoids the double rounding by way of binary64.
    pub fn single(self, digits: Option<&str>) -> f32 {
        nearest_f32(self.value, digits)
    }

    /// Records that a narrower float was written, which differs from the number.
    pub fn narrowed(&mut self) {
        if self.is_exact() {
            self.change = Change::Rounded;
        }
    }

    /// Reports the difference, if there is one.
    pub fn report(self, losses: &mut Losses, at: Span) {
        match self.change {
            Change::None => {}
            Change::Rounded => losses.rounded("number rounded to a float", at),
            Change::Whole => losses.value("number rounded to a float", at),
            Change::Infinite => losses.value("number beyond the floats became an infinity", at),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::walk::event::Str;
    use crate::walk::loss::LossKind;

    #[test]
    fn each_difference_is_reported() {
        for (scalar, value, lost) in [
            (Scalar::f64(1.5), 1.5, None),
            (Scalar::f64(f64::INFINITY), f64::INFINITY, None),
            (Scalar::f32(0.1), f64::from(0.1f32), None),
            (Scalar::uint(1 << 60), 1e18 * 1.152921504606847, None),
            (Scalar::uint((1 << 53) + 1), 9007199254740992.0, Some(LossKind::Value)),
            (Scalar::int(-(1 << 53) - 1), -9007199254740992.0, Some(LossKind::Value)),
            (Scalar::big(Str::Input("18446744073709551617")), 18446744073709551616.0, Some(LossKind::Value)),
            (Scalar::decimal(Str::Input("0.10000000000000000001")), 0.1, Some(LossKind::Rounded)),
            (Scalar::decimal(Str::Input("1e-400")), 0.0, Some(LossKind::Rounded)),
            (Scalar::decimal(Str::Input("-1e400")), f64::NEG_INFINITY, Some(LossKind::Value)),
        ] {
            let number = DeclaredFloat::new(&scalar).unwrap();
            let mut losses = Losses::default();
            number.report(&mut losses, Span::NONE);
            let kinds: Vec<LossKind> = losses.take().iter().map(|lost| lost.kind).collect();
            assert_eq!((number.value(), kinds.first().copied()), (value, lost), "{scalar:?}");
            assert_eq!(number.is_exact(), lost.is_none(), "{scalar:?}");
        }
        assert_eq!(DeclaredFloat::new(&Scalar::Null), None);
    }

    #[test]
    fn a_narrower_float_is_rounded() {
        let scalar = Scalar::f64(0.1);
        let mut number = DeclaredFloat::new(&scalar).unwrap();
        assert_eq!(number.single(Some("0.1")), 0.1);
        number.narrowed();
        let mut losses = Losses::default();
        number.report(&mut losses, Span::NONE);
        assert_eq!(losses.take()[0].kind, LossKind::Rounded);
    }
}

//! Identity of keys that are scalars.

use std::borrow::Cow;

use crate::value::same::decimal;
use crate::value::show;
use crate::walk::event::Scalar;

/// Returns the kind and the whole text of a key. Keys are the same if both are equal, as their
/// values are by [`same`](crate::value::same::same).
pub(crate) fn identity<'s>(key: &Scalar<'_, 's>) -> (&'static str, Cow<'s, str>) {
    match key {
        Scalar::F32(value, _) => identity(&Scalar::f64(f64::from(*value))),
        Scalar::Decimal(text, _) => {
            let (negative, digits, exponent) = decimal(text.get());
            (key.kind(), format!("{}{digits}e{exponent}", if negative { "-" } else { "" }).into())
        }
        key => (key.kind(), show::scalar(key, usize::MAX).into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::same::same;
    use crate::walk::event::Str;

    #[test]
    fn keys_are_the_same_as_their_values_are() {
        let (long, other) = ([7; 40], [[7; 39].as_slice(), &[8]].concat());
        let keys = [
            Scalar::uint(1),
            Scalar::int(-1),
            Scalar::f64(1.0),
            Scalar::f64(f64::NAN),
            Scalar::f64(-f64::NAN),
            Scalar::f64(0.0),
            Scalar::f64(-0.0),
            Scalar::f32(1.0),
            Scalar::f32(0.1),
            Scalar::f64(f64::from(0.1f32)),
            Scalar::f64(0.1),
            Scalar::decimal(Str::Input("1.0")),
            Scalar::decimal(Str::Input("1")),
            Scalar::decimal(Str::Input("-10e-1")),
            Scalar::big(Str::Input("99999999999999999999")),
            Scalar::Text(Str::Input("1")),
            Scalar::Bytes(Str::Input(&long)),
            Scalar::Bytes(Str::Input(&other)),
            Scalar::Bytes(Str::Input(&long[1..])),
            Scalar::Octets(Str::Input(&long)),
            Scalar::Bool(true),
            Scalar::Null,
        ];
        for one in &keys {
            for other in &keys {
                assert_eq!(identity(one) == identity(other), same(one, other), "{one:?} and {other:?}");
            }
        }
    }
}

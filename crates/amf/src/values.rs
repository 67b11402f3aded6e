//! Scalars as the bytes have them.

use polywire_core::{Scalar, Str, Timestamp};

use crate::token::Version;
use crate::u29;

/// The largest whole number up to which every one is a float64: 2⁵³.
pub(crate) const EXACT: f64 = 9_007_199_254_740_992.0;

/// Returns text, or octets if it is not UTF-8.
pub(crate) fn characters(text: &[u8]) -> Scalar<'_, 'static> {
    std::str::from_utf8(text).map_or(Scalar::Octets(Str::Input(text)), |text| Scalar::Text(Str::Input(text)))
}

/// Returns the number that a double means: AMF0 has no integers, and AMF3 none beyond 29 bits.
#[inline]
pub(crate) fn number(value: f64, version: Version) -> Scalar<'static, 'static> {
    let whole = value.abs() <= EXACT && value.fract() == 0.0 && !(value == 0.0 && value.is_sign_negative());
    let beyond = value > u29::MAX_SIGNED as f64 || value < -(u29::MAX_SIGNED as f64) - 1.0;
    if whole && (version == Version::Amf0 || beyond) { Scalar::int(value as i64) } else { Scalar::f64(value) }
}

/// Returns the moment of a date that is a whole number of milliseconds.
pub(crate) fn moment(milliseconds: f64) -> Option<Timestamp> {
    if milliseconds.abs() > EXACT || milliseconds.fract() != 0.0 || milliseconds == 0.0 && milliseconds.is_sign_negative() {
        return None;
    }
    let whole = milliseconds as i64;
    Timestamp::new(whole.div_euclid(1000), whole.rem_euclid(1000) as u32 * 1_000_000)
}

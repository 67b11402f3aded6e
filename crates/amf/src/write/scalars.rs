//! Scalars as both versions of AMF have them.

use polywire_core::value::{ROUNDED, nearest_f64};
use polywire_core::{Error, Losses, Result, Scalar, Span, Timestamp};

use crate::token::Version;
use crate::values::{self, EXACT};

/// A scalar that AMF has a type for.
#[derive(Debug, Clone)]
pub(super) enum Plain<'s> {
    Null,
    Bool(bool),
    /// A whole number up to 2⁵³ from zero.
    Int(i64),
    Number(f64),
    Text(&'s [u8]),
    /// A text that was made of another scalar.
    Made(String),
    Bytes(&'s [u8]),
    /// Milliseconds.
    Date(f64),
}

/// Returns what a scalar becomes, and reports what is lost.
pub(super) fn plain<'s>(value: Scalar<'static, 's>, version: Version, at: Span, losses: &mut Losses) -> Result<Plain<'s>> {
    Ok(match value {
        Scalar::Null => Plain::Null,
        Scalar::Bool(value) => Plain::Bool(value),
        Scalar::Int(value, _) => whole(i128::from(value), at, losses),
        Scalar::UInt(value, _) => whole(i128::from(value), at, losses),
        Scalar::F32(value, _) => float(f64::from(value), version, at, losses),
        Scalar::F64(value, _) => float(value, version, at, losses),
        Scalar::Big(digits, _) => {
            losses.value("big integer became text", at);
            Plain::Text(digits.get().as_bytes())
        }
        Scalar::Decimal(digits, hint) => match nearest_f64(digits.get(), hint) {
            Some(value) => {
                losses.rounded(ROUNDED, at);
                Plain::Number(value)
            }
            None => {
                losses.value("decimal became text", at);
                Plain::Text(digits.get().as_bytes())
            }
        },
        Scalar::Text(text) => Plain::Text(text.get().as_bytes()),
        Scalar::Octets(octets) => {
            if std::str::from_utf8(octets.get()).is_ok() {
                losses.value("octets became text", at);
            }
            Plain::Text(octets.get())
        }
        Scalar::Bytes(bytes) => Plain::Bytes(bytes.get()),
        Scalar::Time(moment) => date(moment, at, losses),
        other => return Err(Error::unknown_event(other.kind())),
    })
}

fn whole(value: i128, at: Span, losses: &mut Losses) -> Plain<'static> {
    if value.unsigned_abs() <= EXACT as u128 {
        return Plain::Int(value as i64);
    }
    let nearest = value as f64;
    if nearest as i128 == value {
        losses.value("integer beyond 2⁵³ became a float", at);
    } else {
        losses.rounded(ROUNDED, at);
    }
    Plain::Number(nearest)
}

fn float(value: f64, version: Version, at: Span, losses: &mut Losses) -> Plain<'static> {
    if !matches!(values::number(value, version), Scalar::F64(..)) {
        losses.integer(at);
    }
    Plain::Number(value)
}

fn date(moment: Timestamp, at: Span, losses: &mut Losses) -> Plain<'static> {
    let milliseconds = i128::from(moment.seconds()) * 1000 + i128::from(moment.nanos() / 1_000_000);
    if milliseconds.unsigned_abs() > EXACT as u128 {
        losses.value("timestamp beyond 2⁵³ milliseconds became text", at);
        return Plain::Made(moment.to_string());
    }
    if !moment.nanos().is_multiple_of(1_000_000) {
        losses.value("fraction of a millisecond dropped from a timestamp", at);
    }
    Plain::Date(milliseconds as f64)
}

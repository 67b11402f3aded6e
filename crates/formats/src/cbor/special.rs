//! Tagged values that the model has kinds for: moments, big integers, decimal fractions (RFC 8949,
//! section 3.4).
//!
//! Values without an exact kind stay tagged values, so nothing here fails: the walk finds malformed
//! content.

use std::borrow::Cow;

use num_bigint::{BigInt, BigUint, Sign};
use polywire_core::Timestamp;
use polywire_core::bytes::Input;

use super::wire::{
    self, BREAK, BYTES, Head, INDEFINITE, LIST, NEGATIVE, TAG, TAG_BIG, TAG_BIG_NEGATIVE, TAG_DATE_TEXT, TAG_DECIMAL, TAG_EPOCH, TEXT, UINT,
};
use crate::decimal::{self, Typed};

/// A value that was written as a tag and its content.
#[derive(Debug, PartialEq)]
pub(super) enum Special {
    Time(Timestamp),
    UInt(u64),
    Int(i64),
    /// Decimal digits.
    Big(String),
    /// A decimal fraction.
    Decimal(Typed),
}

/// Bytes of the longest RFC 3339 text in the canonical form: a date, a time, nine decimals, `Z`.
const MAX_DATE: usize = 30;

/// Reads the content of tag `code`. Returns `None`, with `input` at any position, if the value
/// stays a tagged one. `digits` bounds numbers.
pub(super) fn read(code: u64, input: &mut Input<'_>, digits: u32) -> Option<Special> {
    match code {
        TAG_DATE_TEXT => {
            let head = head(input)?;
            let text = string(input, head, TEXT, MAX_DATE)?;
            Timestamp::from_rfc3339(std::str::from_utf8(&text).ok()?).map(|moment| Special::Time(moment.as_text()))
        }
        TAG_EPOCH => {
            let head = head(input)?;
            let Integer::Small(seconds) = integer(input, head, digits)? else { return None };
            Timestamp::new(i64::try_from(seconds).ok()?, 0).map(Special::Time)
        }
        TAG_BIG | TAG_BIG_NEGATIVE => {
            let number = bignum(input, code, digits)?;
            Some(match number {
                Integer::Small(small) => match (u64::try_from(small), i64::try_from(small)) {
                    (Ok(value), _) => Special::UInt(value),
                    (_, Ok(value)) => Special::Int(value),
                    _ => Special::Big(small.to_string()),
                },
                Integer::Big(text) => Special::Big(text),
            })
        }
        TAG_DECIMAL => {
            let list = head(input)?;
            if list.major != LIST || (list.info != INDEFINITE && list.arg != 2) {
                return None;
            }
            let first = head(input)?;
            let Integer::Small(exponent) = integer(input, first, digits)? else { return None };
            let second = head(input)?;
            let mantissa = match integer(input, second, digits)? {
                Integer::Small(small) => small.to_string(),
                Integer::Big(text) => text,
            };
            if list.info == INDEFINITE && input.u8("a break").ok()? != BREAK {
                return None;
            }
            decimal::spell(&mantissa, i64::try_from(exponent).ok()?).map(Special::Decimal)
        }
        _ => None,
    }
}

enum Integer {
    Small(i128),
    /// Decimal digits.
    Big(String),
}

fn head(input: &mut Input<'_>) -> Option<Head> {
    let first = input.u8("a head").ok()?;
    wire::head(input, first).ok()
}

/// Reads a whole number: of a basic type, or a bignum.
fn integer(input: &mut Input<'_>, head: Head, digits: u32) -> Option<Integer> {
    if head.info == INDEFINITE {
        return None;
    }
    match head.major {
        UINT => Some(Integer::Small(i128::from(head.arg))),
        NEGATIVE => Some(Integer::Small(-1 - i128::from(head.arg))),
        TAG if matches!(head.arg, TAG_BIG | TAG_BIG_NEGATIVE) => bignum(input, head.arg, digits),
        _ => None,
    }
}

/// Returns the bytes that a number of at most `digits` digits can have: a number of n bytes has at
/// least `(n - 1) * 2.408` digits.
fn bytes_for(digits: u32) -> usize {
    usize::try_from(u64::from(digits) * 1000 / 2408 + 1).unwrap_or(usize::MAX)
}

/// Reads the content of tag 2 or 3: RFC 8949, section 3.4.3.
fn bignum(input: &mut Input<'_>, tag: u64, digits: u32) -> Option<Integer> {
    let head = head(input)?;
    let bytes = string(input, head, BYTES, bytes_for(digits))?;
    let negative = tag == TAG_BIG_NEGATIVE;
    let fits = |small: i128| {
        let basic = u64::try_from(small).is_ok() || i64::try_from(small).is_ok();
        basic || small.unsigned_abs().checked_ilog10().unwrap_or(0) < digits
    };
    if bytes.len() < 16 {
        let magnitude = bytes.iter().fold(0i128, |n, byte| n << 8 | i128::from(*byte));
        let small = if negative { -1 - magnitude } else { magnitude };
        return fits(small).then_some(Integer::Small(small));
    }
    let magnitude = BigUint::from_bytes_be(&bytes);
    let number = if negative { -BigInt::from_biguint(Sign::Plus, magnitude + 1u32) } else { BigInt::from_biguint(Sign::Plus, magnitude) };
    if let Ok(small) = i128::try_from(&number) {
        return fits(small).then_some(Integer::Small(small));
    }
    let text = number.to_string();
    (text.len() - usize::from(negative) <= digits as usize).then_some(Integer::Big(text))
}

/// Returns the bytes of a string of type `major`, whole or in pieces, if there are at most `max`.
fn string<'m>(input: &mut Input<'m>, head: Head, major: u8, max: usize) -> Option<Cow<'m, [u8]>> {
    if head.major != major {
        return None;
    }
    if head.info != INDEFINITE {
        return if head.arg <= max as u64 { input.take(head.arg, "a string").ok().map(Cow::Borrowed) } else { None };
    }
    let mut whole = Vec::new();
    loop {
        let first = input.u8("a piece").ok()?;
        if first == BREAK {
            return Some(Cow::Owned(whole));
        }
        let piece = wire::head(input, first).ok()?;
        if piece.major != major || piece.info == INDEFINITE || piece.arg > (max - whole.len()) as u64 {
            return None;
        }
        let bytes = input.take(piece.arg, "a piece").ok()?;
        // Each piece of text must be whole UTF-8 sequences (section 3.2.3); the walk reports it.
        if major == TEXT && std::str::from_utf8(bytes).is_err() {
            return None;
        }
        whole.extend_from_slice(bytes);
    }
}

//! Numbers as filters compute with them, and their spelling.

use std::cmp::Ordering;

use num_bigint::BigInt;
use polywire_core::value::{binary64, lexical, same_decimal};
use polywire_core::{Hint, Scalar, Spelling, Str};

use super::Val;

/// Bits of the largest whole number that a filter computes. Larger results become floats, as all
/// numbers of jq are: multiplying takes quadratic time.
const MOST_BITS: u64 = 16 << 10;

/// A number that is spelled in a way of its own, or that has no variant in [`Val`].
#[derive(Debug, Clone)]
pub struct Exact {
    /// The number.
    pub(crate) number: Number,
    width: Option<u8>,
    exponent: Option<i32>,
    digits: Option<String>,
    wire: Option<(&'static str, Vec<u8>)>,
    exact: bool,
}

/// A number as its message has it.
#[derive(Debug, Clone)]
pub(crate) enum Number {
    Int(i64),
    UInt(u64),
    F32(f32),
    F64(f64),
    /// Digits of a whole number.
    Big(String),
    /// A decimal number that a float would change.
    Decimal(String),
}

impl Exact {
    pub(crate) fn new(number: Number, hint: Hint<'_>) -> Exact {
        match hint.spelling() {
            None => Exact { number, width: None, exponent: None, digits: None, wire: None, exact: false },
            Some(spelling) => Exact {
                number,
                width: spelling.width,
                exponent: spelling.exponent,
                digits: spelling.digits.map(str::to_string),
                wire: spelling.wire.map(|(format, bytes)| (format, bytes.to_vec())),
                exact: spelling.exact,
            },
        }
    }

    /// Hands the number with its spelling to `receive`.
    pub(crate) fn scalar<'m, T>(&'m self, receive: impl FnOnce(Scalar<'m, '_>) -> T) -> T {
        let mut spelling = match (self.width, &self.digits) {
            (Some(width), _) => Spelling::width(width),
            (None, Some(digits)) => Spelling::digits(digits),
            (None, None) => Spelling::default(),
        };
        spelling.exponent = self.exponent;
        spelling.digits = self.digits.as_deref();
        spelling.wire = self.wire.as_ref().map(|(format, bytes)| (*format, bytes.as_slice()));
        spelling.exact = self.exact;
        let hint = Hint::new(&spelling);
        receive(match &self.number {
            Number::Int(value) => Scalar::Int(*value, hint),
            Number::UInt(value) => Scalar::UInt(*value, hint),
            Number::F32(value) => Scalar::F32(*value, hint),
            Number::F64(value) => Scalar::F64(*value, hint),
            Number::Big(digits) => Scalar::Big(Str::Input(digits), hint),
            Number::Decimal(digits) => Scalar::Decimal(Str::Input(digits), hint),
        })
    }

    pub(crate) fn num(&self) -> Num {
        match &self.number {
            Number::Int(value) => Num::Int(*value),
            Number::UInt(value) => Num::from_i128(i128::from(*value)),
            Number::F32(value) => Num::Float(f64::from(*value)),
            Number::F64(value) => Num::Float(*value),
            Number::Big(digits) => digits.parse().map_or_else(|_| Num::Float(parse(digits)), Num::Big),
            Number::Decimal(digits) => Num::Float(parse(digits)),
        }
    }

    /// Returns whether both are decimals of the same value, where floats might differ or agree.
    pub(crate) fn is_same_decimal(&self, other: &Exact) -> bool {
        match (&self.number, &other.number) {
            (Number::Decimal(one), Number::Decimal(other)) => same_decimal(one, other),
            _ => false,
        }
    }
}

fn parse(digits: &str) -> f64 {
    digits.parse().unwrap_or(f64::NAN)
}

/// A number that is computed with.
#[derive(Debug, Clone)]
pub(crate) enum Num {
    Int(i64),
    Big(BigInt),
    Float(f64),
}

impl Num {
    fn from_i128(value: i128) -> Num {
        i64::try_from(value).map_or_else(|_| Num::Big(BigInt::from(value)), Num::Int)
    }

    fn from_big(value: BigInt) -> Num {
        match i64::try_from(&value) {
            Ok(value) => Num::Int(value),
            Err(_) if value.bits() > MOST_BITS => Num::Float(float(&value)),
            Err(_) => Num::Big(value),
        }
    }

    pub(crate) fn float(&self) -> f64 {
        match self {
            Num::Int(value) => *value as f64,
            Num::Big(value) => float(value),
            Num::Float(value) => *value,
        }
    }

    fn big(self) -> Option<BigInt> {
        match self {
            Num::Int(value) => Some(value.into()),
            Num::Big(value) => Some(value),
            Num::Float(_) => None,
        }
    }

    fn whole(self, other: Num, small: fn(i64, i64) -> i128, big: fn(BigInt, BigInt) -> BigInt, float: fn(f64, f64) -> f64) -> Num {
        match (self, other) {
            (Num::Int(one), Num::Int(other)) => Num::from_i128(small(one, other)),
            (Num::Float(one), other) => Num::Float(float(one, other.float())),
            (one, Num::Float(other)) => Num::Float(float(one.float(), other)),
            (one, other) => match (one.big(), other.big()) {
                (Some(one), Some(other)) => Num::from_big(big(one, other)),
                _ => Num::Float(f64::NAN),
            },
        }
    }

    pub(crate) fn add(self, other: Num) -> Num {
        self.whole(other, |a, b| i128::from(a) + i128::from(b), |a, b| a + b, |a, b| a + b)
    }

    pub(crate) fn sub(self, other: Num) -> Num {
        self.whole(other, |a, b| i128::from(a) - i128::from(b), |a, b| a - b, |a, b| a - b)
    }

    pub(crate) fn mul(self, other: Num) -> Num {
        self.whole(other, |a, b| i128::from(a) * i128::from(b), |a, b| a * b, |a, b| a * b)
    }

    /// Divides by a number that is not zero.
    pub(crate) fn div(self, other: Num) -> Num {
        match (&self, &other) {
            (Num::Int(one), Num::Int(other)) if *other != -1 && one % other == 0 => Num::Int(one / other),
            _ => Num::Float(self.float() / other.float()),
        }
    }

    /// Returns the remainder of whole numbers, as jq takes it: fractions are cut off first, and the
    /// sign is that of `self`. Returns `None` for a divisor of zero.
    pub(crate) fn rem(self, other: Num) -> Option<Num> {
        if self.float().is_nan() || other.float().is_nan() {
            return Some(Num::Float(f64::NAN));
        }
        let cut = |num: Num| match num {
            Num::Float(value) => value as i64,
            Num::Int(value) => value,
            Num::Big(_) => 0,
        };
        match (self, other) {
            (one @ (Num::Int(_) | Num::Float(_)), other @ (Num::Int(_) | Num::Float(_))) => match (cut(one), cut(other)) {
                (_, 0) => None,
                (one, other) => Some(Num::Int(one.checked_rem(other).unwrap_or(0))),
            },
            (one, other) => {
                let (one, other) = (one.whole_part(), other.whole_part());
                if other == BigInt::ZERO { None } else { Some(Num::from_big(one % other)) }
            }
        }
    }

    fn whole_part(self) -> BigInt {
        match self {
            Num::Float(value) => BigInt::from(value as i64),
            other => other.big().unwrap_or_default(),
        }
    }

    pub(crate) fn neg(self) -> Num {
        match self {
            Num::Int(value) => Num::from_i128(-i128::from(value)),
            Num::Big(value) => Num::from_big(-value),
            Num::Float(value) => Num::Float(-value),
        }
    }

    pub(crate) fn cmp(&self, other: &Num) -> Ordering {
        match (self, other) {
            (Num::Int(one), Num::Int(other)) => one.cmp(other),
            (Num::Big(one), Num::Big(other)) => one.cmp(other),
            (Num::Big(one), Num::Int(other)) => one.cmp(&BigInt::from(*other)),
            (Num::Int(one), Num::Big(other)) => BigInt::from(*one).cmp(other),
            _ => cmp_floats(self.float(), other.float()),
        }
    }
}

/// Compares floats as jq does: NaN is less than every number, itself included.
pub(crate) fn cmp_floats(one: f64, other: f64) -> Ordering {
    if one.is_nan() { Ordering::Less } else { one.partial_cmp(&other).unwrap_or(Ordering::Greater) }
}

fn float(value: &BigInt) -> f64 {
    // Digits of a number of a few thousand bits: `num-traits`, which converts, is not worth a
    // dependency for what is rare.
    value.to_string().parse().unwrap_or(f64::NAN)
}

impl From<Num> for Val {
    /// Makes the value of a result. A whole float is an integer, as jq prints it.
    fn from(num: Num) -> Val {
        match num {
            Num::Int(value) => Val::Int(value),
            Num::Float(value) => Val::from_float(value),
            Num::Big(value) => match u64::try_from(&value) {
                Ok(value) => Val::UInt(value),
                Err(_) => Val::Exact(std::sync::Arc::new(Exact::new(Number::Big(value.to_string()), Hint::NONE))),
            },
        }
    }
}

/// Makes the value of a number's text, in JSON's syntax or that of jq's literals. It keeps its
/// digits.
pub(crate) fn of_text(text: &str) -> Option<Val> {
    if let Ok(value) = text.parse::<i64>()
        && (text.as_bytes()[0].is_ascii_digit() || value < 0)
        && lexical::is_number(text)
    {
        return Some(Val::Int(value));
    }
    if !lexical::is_number(text) {
        let value: f64 = text.parse().ok()?;
        return Some(Val::from_float(value));
    }
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    if unsigned.bytes().all(|byte| byte.is_ascii_digit()) && unsigned != "0" {
        return Some(match text.parse::<u64>() {
            Ok(value) => Val::UInt(value),
            Err(_) => Val::Exact(std::sync::Arc::new(Exact::new(Number::Big(text.to_string()), Hint::NONE))),
        });
    }
    let spelling = Spelling::digits(text);
    Some(match binary64(text) {
        Some(value) => Val::f64(value, Hint::new(&spelling)),
        None => Val::Exact(std::sync::Arc::new(Exact::new(Number::Decimal(text.to_string()), Hint::NONE))),
    })
}

//! Numbers of a judge and ours.

use polywire_core::value::{Value, same_decimal};

/// Reports whether our number is what a judge spells in JSON's number syntax. A decimal may have
/// become the nearest binary number.
pub fn spelled(ours: &Value, digits: &str) -> bool {
    match ours {
        Value::UInt(number) => same_decimal(&number.to_string(), digits),
        Value::Int(number) => same_decimal(&number.to_string(), digits),
        Value::Big(text) | Value::Decimal(text) => same_decimal(text, digits),
        Value::F64(number) => digits.parse::<f64>().is_ok_and(|theirs| theirs.to_bits() == number.to_bits()),
        Value::F32(number) => digits.parse::<f32>().is_ok_and(|theirs| theirs.to_bits() == number.to_bits()),
        _ => false,
    }
}

/// Reports whether our number is a judge's binary number. All NaNs are one.
pub fn binary(ours: &Value, theirs: f64) -> bool {
    match ours {
        Value::F32(number) => same(f64::from(*number), theirs),
        Value::F64(number) => same(*number, theirs),
        _ => false,
    }
}

fn same(one: f64, other: f64) -> bool {
    one.to_bits() == other.to_bits() || (one.is_nan() && other.is_nan())
}

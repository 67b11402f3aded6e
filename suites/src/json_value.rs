//! Values of ours beside those of serde_json, the judge of expected values in JSON.

use polywire_core::Value;
use polywire_core::value::same_decimal;
use serde_json::Value as Json;

/// Returns whether a value is the same as the judge's: texts by letter, numbers exactly, objects
/// in any order of their members. Tagged values are never the same.
pub fn same(ours: &Value, judge: &Json) -> bool {
    match (ours, judge) {
        (Value::Null, Json::Null) => true,
        (Value::Bool(one), Json::Bool(other)) => one == other,
        (Value::Text(one), Json::String(other)) => one == other,
        (Value::List(ours), Json::Array(judge)) => ours.len() == judge.len() && ours.iter().zip(judge).all(|(one, other)| same(one, other)),
        (Value::Record { fields, .. }, Json::Object(judge)) => {
            fields.len() == judge.len() && fields.iter().all(|(name, value)| judge.get(name).is_some_and(|other| same(value, other)))
        }
        (Value::Map(pairs), Json::Object(judge)) => {
            pairs.len() == judge.len()
                && pairs.iter().all(|(key, value)| match key {
                    Value::Text(name) => judge.get(name).is_some_and(|other| same(value, other)),
                    _ => false,
                })
        }
        (ours, Json::Number(number)) => same_number(ours, &number.to_string()),
        _ => false,
    }
}

/// Returns whether a value is the number that `text` spells. A binary float is the one that is
/// nearest to it.
pub fn same_number(ours: &Value, text: &str) -> bool {
    let text = plain(text);
    match ours {
        Value::Int(value) => same_decimal(&value.to_string(), &text),
        Value::UInt(value) => same_decimal(&value.to_string(), &text),
        Value::Big(digits) | Value::Decimal(digits) => same_decimal(digits, &text),
        Value::F64(value) => text.parse::<f64>().is_ok_and(|judge| judge.to_bits() == value.to_bits()),
        Value::F32(value) => text.parse::<f64>().is_ok_and(|judge| judge.to_bits() == f64::from(*value).to_bits()),
        _ => false,
    }
}

/// Returns JSON's number syntax without the plus that serde_json may put into an exponent.
fn plain(text: &str) -> String {
    text.replace('+', "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_compared_exactly() {
        let big = Value::Big("18446744073709551616".into());
        assert!(same_number(&big, "18446744073709551616") && !same_number(&big, "18446744073709551617"));
        assert!(same_number(&Value::F64(-0.0), "-0.0") && !same_number(&Value::F64(0.0), "-0.0"));
        assert!(same_number(&Value::UInt(100), "1E+2") && !same_number(&Value::UInt(10), "1E+2"));
        assert!(!same(&Value::text("1"), &serde_json::json!(1)));
    }
}

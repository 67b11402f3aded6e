//! Diagnostic notation (RFC 8949 8) of values, for suites that demand a value in it.

use polywire_core::Value;

/// Returns every notation that a value may have: a moment in time is tag 0 or tag 1.
pub fn notations(value: &Value) -> Vec<String> {
    [true, false].map(|text| notation(value, text)).to_vec()
}

fn notation(value: &Value, dates: bool) -> String {
    let of = |value: &Value| notation(value, dates);
    let list = |values: &[Value]| values.iter().map(of).collect::<Vec<_>>().join(", ");
    match value {
        Value::Null => "null".to_string(),
        Value::Bool(value) => value.to_string(),
        Value::Int(value) => value.to_string(),
        Value::UInt(value) => value.to_string(),
        Value::Big(digits) | Value::Decimal(digits) => digits.clone(),
        Value::F32(value) => float(f64::from(*value)),
        Value::F64(value) => float(*value),
        Value::Text(text) => serde_json::Value::from(text.as_str()).to_string(),
        Value::Bytes(bytes) | Value::Octets(bytes) => format!("h'{}'", data_encoding::HEXLOWER.encode(bytes)),
        Value::Time(moment) if dates => format!("0(\"{moment}\")"),
        Value::Time(moment) => format!("1({})", moment.seconds()),
        Value::List(values) | Value::Tuple(values) => format!("[{}]", list(values)),
        Value::Map(pairs) => {
            format!("{{{}}}", pairs.iter().map(|(key, value)| format!("{}: {}", of(key), of(value))).collect::<Vec<_>>().join(", "))
        }
        Value::Record { fields, .. } => {
            let name = |name: &str| serde_json::Value::from(name).to_string();
            format!("{{{}}}", fields.iter().map(|(key, value)| format!("{}: {}", name(key), of(value))).collect::<Vec<_>>().join(", "))
        }
        Value::Tagged { space, code: 23, .. } if space == "cbor-simple" => "undefined".to_string(),
        Value::Tagged { space, code, .. } if space == "cbor-simple" => format!("simple({code})"),
        Value::Tagged { code, value, .. } => format!("{code}({})", of(value)),
        Value::Variant { name, values, .. } => format!("{name}({})", list(values)),
    }
}

fn float(value: f64) -> String {
    if value.is_nan() {
        "NaN".to_string()
    } else if value.is_infinite() {
        if value > 0.0 { "Infinity" } else { "-Infinity" }.to_string()
    } else {
        format!("{value:?}")
    }
}

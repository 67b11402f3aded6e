//! Values and bytes as texts without loss.

use polywire_core::value::Value;

/// A value in full, floats bit for bit.
pub fn shown(value: &Value) -> String {
    let all = |values: &[Value]| values.iter().map(shown).collect::<Vec<String>>().join(", ");
    match value {
        Value::F64(number) => format!("float {:016x}", number.to_bits()),
        Value::List(values) => format!("[{}]", all(values)),
        Value::Tuple(values) => format!("({})", all(values)),
        Value::Variant { name, index, values } => format!("{name}#{index}({})", all(values)),
        Value::Record { fields, .. } => {
            format!("{{{}}}", fields.iter().map(|(name, value)| format!("{name}: {}", shown(value))).collect::<Vec<String>>().join(", "))
        }
        other => format!("{other:?}"),
    }
}

/// Bytes of hexadecimal digits.
pub fn unhex(text: &str) -> Vec<u8> {
    (0..text.len()).step_by(2).map(|at| u8::from_str_radix(&text[at..at + 2], 16).expect("hexadecimal")).collect()
}

/// Hexadecimal digits of bytes.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

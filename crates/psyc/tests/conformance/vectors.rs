//! The common parts of PSYC's conformance tests, of the crate and of the C library: files of
//! vectors, and byte strings as they are compared.

use std::process::ExitCode;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use polywire_testing::vectors;
use serde_json::{Value, json};

/// Runs every case. `outcome` says what comes of one.
pub fn run_all(outcome: fn(&Value) -> Value) -> ExitCode {
    vectors::run("psyc", |case| vectors::same(&outcome(case), &normal(&case["expect"])))
}

/// An expectation with all byte strings in base64, as [`b64`] makes them.
fn normal(value: &Value) -> Value {
    match value {
        Value::Object(fields) if fields.len() == 1 && fields.contains_key("b64") => value.clone(),
        Value::Object(fields) => fields
            .iter()
            .map(|(name, value)| {
                let is_bytes = matches!(name.as_str(), "value" | "name" | "method" | "type" | "key" | "output") && value.is_string();
                let value = match name.as_str() {
                    "pieces" => value.as_array().into_iter().flatten().map(|piece| b64(&bytes(piece))).collect(),
                    "parts" => value.as_object().into_iter().flatten().map(|(part, value)| (part.clone(), b64(&bytes(value)))).collect(),
                    _ if is_bytes => b64(&bytes(value)),
                    _ => normal(value),
                };
                (name.clone(), value)
            })
            .collect::<serde_json::Map<String, Value>>()
            .into(),
        Value::Array(values) => values.iter().map(normal).collect(),
        other => other.clone(),
    }
}

/// The bytes of a byte string, in either form; none of anything else.
pub fn bytes(value: &Value) -> Vec<u8> {
    match value {
        Value::String(text) => text.clone().into_bytes(),
        Value::Object(fields) => STANDARD.decode(fields["b64"].as_str().expect("base64")).expect("base64"),
        _ => Vec::new(),
    }
}

/// Bytes as they are compared.
pub fn b64(bytes: &[u8]) -> Value {
    json!({ "b64": STANDARD.encode(bytes) })
}

//! `compile_ok` and `compile_error`.

use polywire_extprot::protocol::{NoFiles, compile};
use serde_json::{Map, Value, json};

/// The actual and the expected result of a case; `None` for cases of other kinds.
pub fn outcome(case: &Value) -> Option<(Value, Value)> {
    let expected = match case["kind"].as_str()? {
        "compile_ok" => json!("accepted"),
        "compile_error" => case["error"].clone(),
        _ => return None,
    };
    let text = case["protocol"].as_str().expect("a protocol");
    let diagnostics = match compile("protocol", text.as_bytes(), &mut NoFiles) {
        Ok(_) => return Some((json!("accepted"), expected)),
        Err(diagnostics) => diagnostics,
    };
    let first = &diagnostics.findings[0];
    let Value::Object(members) = &expected else { return Some((json!(diagnostics.to_string()), expected)) };
    // The members that the case asks for, as the finding has them.
    let mut came = Map::new();
    for (key, value) in members {
        let text = if key == "kind" { Some(first.code) } else { first.get(key) };
        let same = match value {
            Value::Number(number) => text.and_then(|text| text.parse::<u64>().ok()).is_some_and(|text| Some(text) == number.as_u64()),
            value => text.is_some_and(|text| value.as_str() == Some(text)),
        };
        came.insert(key.clone(), if same { value.clone() } else { json!(text) });
    }
    Some((Value::Object(came), expected))
}

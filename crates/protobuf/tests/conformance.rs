//! The conformance vectors: every file of `testdata/protobuf`, and of `$POLYWIRE_VECTORS/protobuf`
//! if that is set.
//!
//! Prints one line a file; a failure names the case, the expected and the actual result.
//! `messages.json` has messages with their canonical JSON and the bytes of that, `texts.json` JSON
//! texts with their bytes. Both are the output of the Python package `protobuf`.

use std::collections::HashMap;
use std::process::ExitCode;
use std::sync::Arc;

use polywire_core::schema::language::SchemaText;
use polywire_core::text::sources::NoFiles;
use polywire_core::{Budget, Limits};
use polywire_protobuf::json::{JsonParser, JsonPrinter, ParseOptions, PrintOptions};
use polywire_protobuf::plan::Plan;
use polywire_protobuf::source;
use polywire_testing::vectors;
use serde_json::{Value, json};

fn main() -> ExitCode {
    let mut plans: HashMap<String, Arc<Plan>> = HashMap::new();
    for path in vectors::files("protobuf") {
        let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let file: Value = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        for (name, text) in file["schemas"].as_object().into_iter().flatten() {
            let text = SchemaText { name, bytes: text.as_str().unwrap_or_default().as_bytes(), identity: name };
            let protos = source::read(&text, &mut NoFiles).unwrap_or_else(|found| panic!("{found}"));
            plans.insert(name.clone(), Arc::new(Plan::named(&protos.pool, Some("t.M")).unwrap_or_else(|error| panic!("{error}"))));
        }
    }
    vectors::run("protobuf", |case| run(&plans, case))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn unhex(text: &str) -> Vec<u8> {
    (0..text.len() / 2).map(|n| u8::from_str_radix(&text[n * 2..n * 2 + 2], 16).unwrap_or_else(|error| panic!("{error}: {text}"))).collect()
}

fn print(plan: &Arc<Plan>, bytes: &[u8]) -> Result<String, String> {
    let mut out = Vec::new();
    let mut printer = JsonPrinter::new(Arc::clone(plan), PrintOptions::default());
    printer.print(bytes, 0, &mut out, &mut Budget::new(&Limits::DEFAULT)).map_err(|error| error.to_string())?;
    String::from_utf8(out).map_err(|error| error.to_string())
}

fn parse(plan: &Arc<Plan>, text: &str) -> Result<Vec<u8>, String> {
    let mut out = Vec::new();
    let mut parser = JsonParser::new(Arc::clone(plan), ParseOptions::default());
    parser.parse(text.as_bytes(), 0, &mut out, &mut Budget::new(&Limits::DEFAULT)).map_err(|error| error.to_string())?;
    Ok(out)
}

fn run(plans: &HashMap<String, Arc<Plan>>, case: &Value) -> Result<(), String> {
    let plan = &plans[case["schema"].as_str().ok_or("a case without a schema")?];
    let refused = case["error"] == json!(true);
    if let Some(text) = case["text"].as_str() {
        return match (parse(plan, text), refused) {
            (Ok(bytes), false) => vectors::same(&json!(hex(&bytes)), &case["bytes"]),
            (Err(_), true) => Ok(()),
            (outcome, _) => Err(format!("expected {}\n  came     {outcome:?}", if refused { "an error" } else { "bytes" })),
        };
    }
    let bytes = unhex(case["bytes"].as_str().ok_or("a case without bytes")?);
    let printed = print(plan, &bytes);
    if refused || case["json"].is_null() {
        return printed.map_or(Ok(()), |json| Err(format!("expected an error\n  came     {json}")));
    }
    let printed = printed?;
    let told: Value = serde_json::from_str(&printed).map_err(|error| format!("{error}: {printed}"))?;
    // Whole floats have a point here.
    vectors::same(&whole(told), &whole(case["json"].clone()))?;
    vectors::same(&json!(hex(&parse(plan, &printed)?)), &case["canonical"])
}

/// Converts numbers to floats, so that 1 and 1.0 are equal.
fn whole(value: Value) -> Value {
    match value {
        Value::Number(number) => json!(number.as_f64()),
        Value::Array(values) => values.into_iter().map(whole).collect(),
        Value::Object(fields) => Value::Object(fields.into_iter().map(|(name, value)| (name, whole(value))).collect()),
        other => other,
    }
}

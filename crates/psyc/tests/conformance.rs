//! The conformance vectors: every file of `testdata/psyc`, and of `$POLYWIRE_VECTORS/psyc` if that is set.
//!
//! One line a file; a failure names the case, what was expected and what came. A case of an unknown operation fails.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

#[path = "conformance/keyword.rs"]
mod keyword;
#[path = "conformance/number.rs"]
mod number;
#[path = "conformance/parse.rs"]
mod parse;
#[path = "conformance/render.rs"]
mod render;
#[path = "conformance/text.rs"]
mod text;
#[path = "conformance/uniform.rs"]
mod uniform;

fn main() -> ExitCode {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/psyc")];
    if let Some(folder) = std::env::var_os("POLYWIRE_VECTORS") {
        folders.push(Path::new(&folder).join("psyc"));
    }
    let mut total = 0;
    let mut failed = 0;
    for folder in folders {
        let mut files: Vec<PathBuf> = std::fs::read_dir(&folder)
            .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
            .flatten()
            .map(|file| file.path())
            .filter(|path| path.extension().is_some_and(|ending| ending == "json"))
            .collect();
        files.sort();
        for file in files {
            let (passed, wrong) = run(&file);
            total += passed + wrong;
            failed += wrong;
        }
    }
    assert!(total > 0, "no case was run");
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

#[allow(clippy::print_stdout)] // A test's report.
fn run(path: &Path) -> (u32, u32) {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let file: Value = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let (mut passed, mut failed) = (0, 0);
    for case in file["cases"].as_array().expect("cases") {
        let (came, expected) = outcome(case);
        if came == expected {
            passed += 1;
        } else {
            failed += 1;
            println!("{}: {}\n  expected {expected}\n  came     {came}", path.display(), case["id"]);
        }
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    println!("psyc/{name}: {passed} passed, {failed} failed");
    (passed, failed)
}

/// What came of a case and what was expected, both with all byte strings in base64.
fn outcome(case: &Value) -> (Value, Value) {
    let expected = normal(&case["expect"]);
    let came = match case["op"].as_str().unwrap_or_default() {
        "parse" => parse::packet(case),
        "parse_list" => parse::list(case),
        "parse_dict" => parse::dict(case),
        "parse_index" => parse::index(case),
        "parse_update" => parse::update(case),
        "render" => render::packet(case),
        "render_list" => render::list(case),
        "render_dict" => render::dict(case),
        "packet_id" => render::packet_id(case),
        "uniform" => uniform::uniform(case),
        "entity_type" => uniform::entity_type(case),
        "text" => text::text(case),
        "match" => keyword::relation(case),
        "variable" => keyword::variable(case),
        "method" => keyword::method(case),
        "number" => number::number(case),
        "char_classes" => number::char_classes(),
        other => json!(format!("no such operation: {other}")),
    };
    (came, expected)
}

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

fn bytes(value: &Value) -> Vec<u8> {
    match value {
        Value::String(text) => text.clone().into_bytes(),
        Value::Object(fields) => STANDARD.decode(fields["b64"].as_str().expect("base64")).expect("base64"),
        _ => Vec::new(),
    }
}

fn b64(bytes: &[u8]) -> Value {
    json!({ "b64": STANDARD.encode(bytes) })
}

//! What the conformance tests of PSYC share, through whatever door: the files of vectors, and byte strings as they are compared.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

/// Runs every file of `testdata/psyc`, and of `$POLYWIRE_VECTORS/psyc` if that is set. One line a file; a failure names the case, what was expected
/// and what came. `outcome` says what comes of a case.
pub fn run_all(outcome: fn(&Value) -> Value) -> ExitCode {
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
            let (passed, wrong) = run(&file, outcome);
            total += passed + wrong;
            failed += wrong;
        }
    }
    assert!(total > 0, "no case was run");
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

#[allow(clippy::print_stdout)] // A test's report.
fn run(path: &Path, outcome: fn(&Value) -> Value) -> (u32, u32) {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let file: Value = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let (mut passed, mut failed) = (0, 0);
    for case in file["cases"].as_array().expect("cases") {
        let (came, expected) = (outcome(case), normal(&case["expect"]));
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

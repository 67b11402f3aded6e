//! Conformance vectors: files of cases in JSON, and the report of a test target that runs them.
//!
//! A file is an object with an array `cases`, or that array. The format decides the members of a
//! case. The file `verdicts.json` holds our answers to cases whose expected answer is wrong.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde_json::Value;

/// Name of the file of verdicts.
const VERDICTS: &str = "verdicts.json";

/// Returns our answers to cases whose expected answer is wrong: objects with `id`, `why`, and the
/// members that replace the expectation. Without a file, there are none.
///
/// # Panics
/// The file is no such array.
pub fn verdicts(format: &str) -> Vec<Value> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata").join(format).join(VERDICTS);
    if path.is_file() { cases(&path) } else { Vec::new() }
}

/// Returns the files of a format, by name: those in `testdata/<format>`, then those in
/// `$POLYWIRE_VECTORS/<format>` if that variable is set.
///
/// # Panics
/// A folder is there but cannot be read.
pub fn files(format: &str) -> Vec<PathBuf> {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata")];
    folders.extend(std::env::var_os("POLYWIRE_VECTORS").map(PathBuf::from));
    folders.iter().map(|folder| folder.join(format)).filter(|folder| folder.is_dir()).flat_map(|folder| in_folder(&folder)).collect()
}

fn in_folder(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "json") && !path.ends_with(VERDICTS));
    files.sort();
    files
}

/// Returns the cases of a file.
///
/// # Panics
/// The file cannot be read, or is no file of vectors.
pub fn cases(path: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut file: Value = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let cases = if file.is_array() { file } else { file["cases"].take() };
    match cases {
        Value::Array(cases) if !cases.is_empty() => cases,
        other => panic!("{}: {other} for an array of cases", path.display()),
    }
}

/// Runs every case of a format, for the `main` of a test target. `check` returns the error of a
/// case.
///
/// # Panics
/// There is no case, or [`cases`] panics.
pub fn run(format: &str, check: impl FnMut(&Value) -> Result<(), String>) -> ExitCode {
    let (passed, failed) = tally(format, check);
    assert!(passed + failed > 0, "no case of {format} was run");
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Runs every case of a format, and returns how many passed and how many failed. Prints a line for
/// each file, and each failed case.
///
/// # Panics
/// [`cases`] panics.
#[allow(clippy::print_stdout)] // A test's report.
pub fn tally(format: &str, mut check: impl FnMut(&Value) -> Result<(), String>) -> (u32, u32) {
    let (mut good, mut bad) = (0, 0);
    for path in files(format) {
        let (mut passed, mut failed) = (0, 0);
        for (at, case) in cases(&path).iter().enumerate() {
            // A panic fails its case alone. Its place is on standard error.
            let outcome = catch_unwind(AssertUnwindSafe(|| check(case)));
            match outcome.unwrap_or_else(|_| Err("the check panicked".into())) {
                Ok(()) => passed += 1,
                Err(found) => {
                    failed += 1;
                    let name = case.get("id").map_or_else(|| format!("case {at}"), Value::to_string);
                    println!("{}: {name}\n  {found}", path.display());
                }
            }
        }
        println!("{format}/{}: {passed} passed, {failed} failed", path.file_name().unwrap_or_default().to_string_lossy());
        good += passed;
        bad += failed;
    }
    (good, bad)
}

/// Compares a result with the expected one, for [`run`]. Numbers with a fraction or an exponent are
/// compared by value, since serde_json may compare their spelling.
///
/// # Errors
/// The results differ; the error shows both.
pub fn same(came: &Value, expected: &Value) -> Result<(), String> {
    if equal(came, expected) { Ok(()) } else { Err(format!("expected {expected}\n  came     {came}")) }
}

fn equal(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Array(one), Value::Array(other)) => one.len() == other.len() && one.iter().zip(other).all(|(one, other)| equal(one, other)),
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len() && one.iter().all(|(name, one)| other.get(name).is_some_and(|other| equal(one, other)))
        }
        (Value::Number(one), Value::Number(other)) => {
            let is_float = |text: String| text.contains(['.', 'e', 'E']);
            one == other || (is_float(one.to_string()) && is_float(other.to_string()) && one.as_f64() == other.as_f64())
        }
        _ => one == other,
    }
}

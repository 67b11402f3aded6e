//! The conformance vectors: every file of `testdata/extprot`, and of `$POLYWIRE_VECTORS/extprot` if that is set.
//!
//! One line a file; a failure names the case, what was expected and what came. A case of a kind that no module here runs fails, and so does one
//! that makes its module panic, without keeping the cases after it from being run.

#[path = "conformance/codec.rs"]
mod codec;
#[path = "conformance/compat.rs"]
mod compat;
#[path = "conformance/compile.rs"]
mod compile;
#[path = "conformance/inspect.rs"]
mod inspect;
mod twin;
#[path = "conformance/values.rs"]
mod values;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde_json::{Value, json};

/// What came of a case and what was expected; none for a case of a kind that is another module's.
type Outcome = fn(&Value) -> Option<(Value, Value)>;

/// One line per module.
const MODULES: &[Outcome] = &[compile::outcome, compat::outcome, codec::outcome, inspect::outcome];

fn main() -> ExitCode {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/extprot")];
    if let Some(folder) = std::env::var_os("POLYWIRE_VECTORS") {
        folders.push(Path::new(&folder).join("extprot"));
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
        // A panic says on standard error where it came from.
        let outcome = std::panic::catch_unwind(|| MODULES.iter().find_map(|outcome| outcome(case)));
        let (came, expected) = match outcome {
            Ok(Some(outcome)) => outcome,
            Ok(None) => (json!("no module runs cases of this kind"), case["kind"].clone()),
            Err(_) => (json!("the case can't be run: its module panicked"), case["kind"].clone()),
        };
        if came == expected {
            passed += 1;
        } else {
            failed += 1;
            println!("{}: {}\n  expected {expected}\n  came     {came}", path.display(), case["id"]);
        }
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    println!("extprot/{name}: {passed} passed, {failed} failed");
    (passed, failed)
}

//! The conformance vectors: every file of `testdata/usds`, and of `$POLYWIRE_VECTORS/usds` if that is set.
//!
//! One line a file; a failure names the case, what was expected and what came.

mod vector;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde_json::Value;

fn main() -> ExitCode {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/usds")];
    if let Some(folder) = std::env::var_os("POLYWIRE_VECTORS") {
        folders.push(Path::new(&folder).join("usds"));
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
        match vector::run(case) {
            Ok(()) => passed += 1,
            Err(found) => {
                failed += 1;
                println!("{}: {}\n  {found}", path.display(), case["id"]);
            }
        }
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    println!("usds/{name}: {passed} passed, {failed} failed");
    (passed, failed)
}

//! The vectors of every format: the files of `testdata/<format>/`, and of `$POLYWIRE_VECTORS/<format>/` if that is set.
//!
//! Prints a line for each file, and each case that fails with what was expected and what came.

#![allow(clippy::print_stdout, clippy::print_stderr)]

mod vectors;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use polywire_formats::registry::FORMATS;

fn main() -> ExitCode {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata")];
    folders.extend(std::env::var_os("POLYWIRE_VECTORS").map(PathBuf::from));
    let (mut passed, mut failed) = (0, 0);
    // A codec that is a crate of its own runs its vectors there.
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for format in FORMATS.iter().filter(|format| here.join(format.name).is_dir()) {
        for folder in &folders {
            for path in files(&folder.join(format.name)) {
                let (mut good, mut bad) = (0, 0);
                for case in vectors::load_from(&path) {
                    match vectors::wrong(format, &case) {
                        None => good += 1,
                        Some(wrong) => {
                            bad += 1;
                            eprintln!("{}: {wrong}", path.display());
                        }
                    }
                }
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                println!("{}/{name}: {good} passed, {bad} failed", format.name);
                passed += good;
                failed += bad;
            }
        }
    }
    println!("{passed} passed, {failed} failed");
    if failed == 0 && passed > 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).map(|folder| folder.flatten().map(|entry| entry.path()).collect()).unwrap_or_default();
    files.retain(|path| path.extension().is_some_and(|ending| ending == "json"));
    files.sort();
    files
}

//! The vectors of every format: the files of `testdata/<format>/`, and of `$POLYWIRE_VECTORS/<format>/` if that is set.
//!
//! Prints a line for each file, and each case that fails with what was expected and what came.

#![allow(clippy::print_stdout, clippy::print_stderr)]

mod vectors;

use std::process::ExitCode;

use polywire_formats::registry::FORMATS;

fn main() -> ExitCode {
    let (mut passed, mut failed) = (0, 0);
    for format in FORMATS {
        for path in vectors::of(format) {
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
    println!("{passed} passed, {failed} failed");
    if failed == 0 && passed > 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

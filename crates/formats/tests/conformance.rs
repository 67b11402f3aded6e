//! The vectors of every format of this crate: the files of `testdata/<format>/`, and of
//! `$POLYWIRE_VECTORS/<format>/` if that is set.

mod vectors;

use std::process::ExitCode;

use polywire_formats::registry::FORMATS;
use polywire_testing as testing;

fn main() -> ExitCode {
    let (mut passed, mut failed) = (0, 0);
    for format in FORMATS.iter().filter(|format| vectors::is_here(format)) {
        let (good, bad) = testing::vectors::tally(format.name, |case| vectors::check(format, &vectors::case(case)));
        passed += good;
        failed += bad;
    }
    if failed == 0 && passed > 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

//! The conformance vectors: every file of `testdata/usds`, and of `$POLYWIRE_VECTORS/usds` if that
//! is set.
//!
//! One line a file; a failure names the case, what was expected and what came.

mod vector;

use std::process::ExitCode;

use polywire_testing::vectors;

fn main() -> ExitCode {
    vectors::run("usds", vector::run)
}

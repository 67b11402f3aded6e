//! The command `polywire`.

use std::ffi::OsString;
use std::panic::catch_unwind;
use std::path::PathBuf;

use polywire_cli::{Started, run};
use pyo3::prelude::*;

/// The exit code of a program of Rust that panics.
const PANICKED: i32 = 101;

/// Runs the command with `arguments`, of which the first is its name, and ends the process.
///
/// `again` is the program that starts the command again, with the arguments before the command's
/// own: the gateway runs hooks in such processes. Signals have to have the handlers that a program
/// starts with.
#[pyfunction]
pub fn command(py: Python<'_>, arguments: Vec<OsString>, again: Vec<OsString>) {
    let started = Started::new(arguments);
    let started = match again.split_first() {
        Some((program, before)) => started.again(PathBuf::from(program), before.iter().cloned()),
        None => started,
    };
    let code = py.detach(|| catch_unwind(|| run(started)).map_or(PANICKED, i32::from));
    // The interpreter has nothing to end with, and its end takes time.
    std::process::exit(code)
}

//! The program `polywire`.
#![deny(unsafe_code)]

use std::process::ExitCode;

use polywire_cli::{Started, run};

fn main() -> ExitCode {
    ExitCode::from(run(Started::new(std::env::args_os())))
}

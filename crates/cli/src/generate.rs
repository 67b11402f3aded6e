//! Completion scripts and man pages, generated from the arguments' definition.

use std::path::Path;

use clap::CommandFactory;
use polywire_core::Error;

use crate::args::Cli;
use crate::failure::{Failure, unwritten};
use crate::stdout;

/// Prints a completion script.
pub fn completions(shell: clap_complete::Shell) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "polywire", &mut script);
    stdout::write(&script).map_err(|error| unwritten(&error))
}

/// Writes a man page for the program, and one for each verb.
pub fn man(folder: &Path) -> Result<(), Failure> {
    let command = Cli::command().disable_help_subcommand(true);
    clap_mangen::generate_to(command, folder)
        .map_err(|error| Failure::Error(Error::io("writing the man pages", &error), Some(folder.display().to_string())))
}

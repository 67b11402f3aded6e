//! Completion scripts, and man pages of the arguments' definition.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::Path;

use clap::CommandFactory;
use polywire_core::Error;

use crate::args::Cli;
use crate::args::examples::{EXAMPLES, Example};
use crate::failure::{Failure, unwritten};
use crate::{complete, stdout};

/// Prints a completion script, which asks this program.
pub fn completions(shell: clap_complete::Shell) -> Result<(), Failure> {
    stdout::write(&complete::script(shell)?).map_err(|error| unwritten(&error))
}

/// Writes a man page for the program, and one for each verb.
pub fn man(folder: &Path) -> Result<(), Failure> {
    let command = Cli::command().disable_help_subcommand(true);
    let unwritten = |error: io::Error| Failure::Error(Error::io("writing the man pages", &error), Some(folder.display().to_string()));
    clap_mangen::generate_to(command, folder).map_err(unwritten)?;
    for (verb, examples) in EXAMPLES {
        let page = folder.join(format!("polywire-{}.1", verb.replace(' ', "-")));
        let section = section(examples);
        OpenOptions::new().append(true).open(page).and_then(|mut file| file.write_all(section.as_bytes())).map_err(unwritten)?;
    }
    Ok(())
}

/// Returns the section of a man page with examples, in roff.
fn section(examples: &[Example]) -> String {
    let plain = |text: &str| text.replace('\\', "\\e").replace('-', "\\-").replace('\'', "\\(aq");
    let one = |(about, command): &Example| format!(".PP\n{}:\n.PP\n.RS 4\n.nf\n{}\n.fi\n.RE\n", plain(about), plain(command));
    format!(".SH EXAMPLES\n{}", examples.iter().map(one).collect::<String>())
}

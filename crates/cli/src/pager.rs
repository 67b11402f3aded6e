//! The pager: a program that shows long results on a terminal page by page.

use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};

use crate::stdout::{self, Stdout};

/// The pager where `PAGER` names none.
const DEFAULT: &str = "less";

/// Stdout, or the pager in front of it.
pub struct Output {
    /// Taken when the output ends.
    to: Option<To>,
}

enum To {
    Stdout(Stdout),
    Pager(ChildStdin, Child),
}

/// Opens the output. It goes through `$PAGER` if stdout is a terminal and `paged` says so. An empty
/// `PAGER`, or `cat`, means none, as for git; nor is one used that cannot be started.
///
/// # Errors
/// Stdout cannot be opened.
pub fn open(paged: bool) -> io::Result<Output> {
    let pager = if paged && io::stdout().is_terminal() { start() } else { None };
    let to = match pager {
        Some((input, child)) => To::Pager(input, child),
        None => To::Stdout(stdout::stdout()?),
    };
    Ok(Output { to: Some(to) })
}

fn start() -> Option<(ChildStdin, Child)> {
    let pager = std::env::var("PAGER").unwrap_or_else(|_| DEFAULT.to_string());
    let program = pager.split_whitespace().next()?;
    // A shell that finds no pager would swallow the result.
    if pager.trim() == "cat" || !is_there(Path::new(program)) {
        return None;
    }
    let mut command = if cfg!(windows) {
        Command::new(&pager)
    } else {
        // The variable may have arguments, as in `less -S`.
        let mut shell = Command::new("sh");
        shell.arg("-c").arg(&pager);
        shell
    };
    // Git's defaults: leave if one screen shows all, show colours, leave the screen as it is.
    for (name, value) in [("LESS", "FRX"), ("LV", "-c")] {
        if std::env::var_os(name).is_none() {
            command.env(name, value);
        }
    }
    let mut child = command.stdin(Stdio::piped()).spawn().ok()?;
    Some((child.stdin.take()?, child))
}

/// Reports whether a program is at its path, or in one of the folders of `PATH`.
fn is_there(program: &Path) -> bool {
    if program.components().count() > 1 {
        return program.is_file();
    }
    let file = if cfg!(windows) { program.with_extension("exe") } else { program.to_path_buf() };
    let folders = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&folders).any(|folder| folder.join(&file).is_file())
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.to {
            Some(To::Stdout(out)) => out.write(bytes),
            Some(To::Pager(input, _)) => input.write(bytes),
            None => Ok(bytes.len()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.to {
            Some(To::Stdout(out)) => out.flush(),
            Some(To::Pager(input, _)) => input.flush(),
            None => Ok(()),
        }
    }
}

impl Drop for Output {
    /// Waits for the person who reads.
    fn drop(&mut self) {
        if let Some(To::Pager(input, mut child)) = self.to.take() {
            drop(input);
            // The pager's own exit says nothing about the result.
            let _ = child.wait();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pager_that_is_not_there_is_none() {
        let this = std::env::current_exe().expect("this program");
        assert!(is_there(&this) && !is_there(&this.with_file_name("no-such-pager")) && !is_there(Path::new("no-such-pager")));
        #[cfg(unix)]
        assert!(is_there(Path::new("sh")));
    }
}

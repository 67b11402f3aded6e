//! The pager: a program that shows long results on a terminal page by page.

use std::io::{self, IsTerminal, Write};
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
    if pager.trim().is_empty() || pager == "cat" {
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

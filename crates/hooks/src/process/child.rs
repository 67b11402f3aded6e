//! One worker process.

use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{Child as Process, Command, Stdio};
use std::time::Duration;
use std::{env, io};

use super::message::{BEGIN, Begin};
use super::program::WorkerProgram;
use crate::wire::{Frames, Put, Wire};

/// One worker process. It is killed when this is dropped.
pub(super) struct Child {
    /// None once somebody else waits for its end.
    process: Option<Process>,
    pub frames: Frames,
    /// True once its engine is there.
    pub is_ready: bool,
}

impl Child {
    /// Starts a process. `most` is the size of the largest message from it. A write to it waits for
    /// `patience`.
    ///
    /// It inherits nothing but standard error and the time zone: the environment may hold secrets.
    /// A signal for the group of the gateway's processes, as from a terminal, does not reach it.
    pub fn start(program: &WorkerProgram, begin: &Begin, most: usize, patience: Duration) -> io::Result<Child> {
        let (ours, theirs) = UnixStream::pair()?;
        let mut command = Command::new(&program.path);
        command.args(&program.before).arg(WorkerProgram::ARGUMENT).env_clear().process_group(0);
        command.stdin(OwnedFd::from(theirs)).stdout(Stdio::null()).stderr(Stdio::inherit());
        if let Some(zone) = env::var_os("TZ") {
            command.env("TZ", zone);
        }
        let process = command.spawn()?;
        // It holds the other end, which must close when the process ends.
        drop(command);
        let child = Child { process: Some(process), frames: Frames::new(ours, most), is_ready: false };
        child.frames.wait_to_write(patience)?;
        let mut first = Put::sending(BEGIN, Vec::new());
        begin.put(&mut first);
        child.frames.send(&first.finish().0.ok_or(io::ErrorKind::InvalidInput)?)?;
        Ok(child)
    }

    /// Kills the process. Returns how it ended, as a text.
    pub fn end(mut self) -> String {
        let Some(mut process) = self.process.take() else { return String::new() };
        // It may have ended before.
        let _ = process.kill();
        match process.wait() {
            Ok(status) => status.to_string(),
            Err(error) => error.to_string(),
        }
    }

    /// Kills the process without waiting for its end: on a busy machine, that takes a while.
    pub fn abandon(mut self) {
        let Some(mut process) = self.process.take() else { return };
        let _ = process.kill();
        let wait = move || process.wait().map(drop);
        // Without a thread to wait, the process stays in the system's list until the gateway ends.
        let _ = std::thread::Builder::new().name("hooks-reaper".into()).stack_size(64 << 10).spawn(wait);
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        if let Some(process) = &mut self.process {
            let _ = process.kill();
            let _ = process.wait();
        }
    }
}

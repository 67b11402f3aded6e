//! Programs on a core of their own, and what they use.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::Error;

/// A running program, killed when this goes.
pub struct Process {
    child: Child,
}

/// What a program has used until now.
#[derive(Debug, Clone, Copy)]
pub struct Usage {
    /// Seconds of processor time, in user and kernel mode, of all threads.
    pub cpu: f64,
    /// Most memory that was resident, in KB.
    pub peak: u64,
    /// Memory that is resident, in KB.
    pub resident: u64,
}

/// A command that runs on `core` only.
pub fn on_core(core: usize, program: &Path) -> Command {
    let mut command = Command::new("taskset");
    command.arg("-c").arg(core.to_string()).arg(program).stdin(Stdio::null());
    command
}

impl Process {
    /// Starts a program, its output in `log`.
    pub fn start(mut command: Command, log: &Path) -> Result<Process, Error> {
        let file = fs::File::create(log)?;
        command.stdout(file.try_clone()?).stderr(file);
        let child = command.spawn().map_err(|error| format!("{:?}: {error}", command.get_program()))?;
        Ok(Process { child })
    }

    /// What it and the processes that it started have used.
    pub fn usage(&self) -> Result<Usage, Error> {
        let mut total = Usage { cpu: 0.0, peak: 0, resident: 0 };
        let mut open = vec![self.child.id()];
        while let Some(id) = open.pop() {
            let (usage, children) = of(id)?;
            total.cpu += usage.cpu;
            total.peak += usage.peak;
            total.resident += usage.resident;
            open.extend(children);
        }
        Ok(total)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Asked first, so that those which it started go too.
        let asked = Command::new("kill").arg(self.child.id().to_string()).status();
        if asked.is_err() {
            let _ = self.child.kill();
        }
        let _ = self.child.wait();
    }
}

/// Usage and children of one process.
fn of(id: u32) -> Result<(Usage, Vec<u32>), Error> {
    let stat = fs::read_to_string(format!("/proc/{id}/stat"))?;
    // proc(5): the name is in brackets and may hold anything; utime and stime are fields 14 and 15, of 100 a second.
    let fields: Vec<&str> = stat.rsplit_once(')').map_or("", |(_, rest)| rest).split_ascii_whitespace().collect();
    let ticks = |field: usize| fields.get(field - 3).and_then(|text| text.parse::<u64>().ok()).unwrap_or(0);
    let status = fs::read_to_string(format!("/proc/{id}/status"))?;
    let memory = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default();
        line.split_ascii_whitespace().next().and_then(|text| text.parse().ok()).unwrap_or(0)
    };
    let mut children = String::new();
    // Any of its threads may have started some.
    for thread in fs::read_dir(format!("/proc/{id}/task"))?.flatten() {
        children += &fs::read_to_string(thread.path().join("children")).unwrap_or_default();
        children.push(' ');
    }
    let usage = Usage { cpu: (ticks(14) + ticks(15)) as f64 / 100.0, peak: memory("VmHWM:"), resident: memory("VmRSS:") };
    Ok((usage, children.split_ascii_whitespace().filter_map(|text| text.parse().ok()).collect()))
}

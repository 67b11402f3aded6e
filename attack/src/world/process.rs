//! Processes as the system shows them: memory, threads, open files.

use std::collections::HashSet;
use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

/// The state of a process and its children.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct State {
    /// Resident memory, in bytes.
    pub memory: u64,
    /// Threads.
    pub threads: u64,
    /// Open files.
    pub files: u64,
    /// Processes, and those that have ended and nobody waits for.
    pub processes: u64,
    pub zombies: u64,
}

/// Returns the state of a process and all that it has started.
pub fn state(pid: u32) -> State {
    let mut state = State::default();
    for pid in tree(pid) {
        let Ok(status) = fs::read_to_string(format!("/proc/{pid}/status")) else { continue };
        let number = |name: &str| -> u64 {
            let line = status.lines().find_map(|line| line.strip_prefix(name));
            line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
        };
        state.processes += 1;
        state.zombies += u64::from(status.contains("\nState:\tZ"));
        state.memory += number("VmRSS:") * 1024;
        state.threads += number("Threads:");
        state.files += fs::read_dir(format!("/proc/{pid}/fd")).map_or(0, |files| files.count() as u64);
    }
    state
}

/// Returns a process and all below it.
pub fn tree(pid: u32) -> Vec<u32> {
    let (mut all, mut known) = (vec![pid], HashSet::from([pid]));
    let mut at = 0;
    while at < all.len() {
        let tasks = fs::read_dir(format!("/proc/{}/task", all[at])).into_iter().flatten().flatten();
        for task in tasks {
            let children = fs::read_to_string(task.path().join("children")).unwrap_or_default();
            all.extend(children.split_whitespace().filter_map(|child| child.parse().ok()).filter(|child| known.insert(*child)));
        }
        at += 1;
    }
    all
}

/// Looks at a process until it is asked for the most memory that it has seen.
#[derive(Debug)]
pub struct Watcher {
    stop: Arc<AtomicBool>,
    peak: Arc<AtomicU64>,
    thread: JoinHandle<()>,
}

impl Watcher {
    /// Begins to look.
    pub fn start(pid: u32) -> Watcher {
        let (stop, peak) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
        let (stopped, highest) = (stop.clone(), peak.clone());
        let thread = std::thread::spawn(move || {
            while !stopped.load(Ordering::Relaxed) {
                highest.fetch_max(state(pid).memory, Ordering::Relaxed);
                std::thread::sleep(Duration::from_millis(30));
            }
        });
        Watcher { stop, peak, thread }
    }

    /// Returns the most memory of all processes together, in bytes.
    pub fn end(self) -> u64 {
        self.stop.store(true, Ordering::Relaxed);
        // A thread that panicked has seen what it has seen.
        let _ = self.thread.join();
        self.peak.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_and_its_child() {
        let before = state(std::process::id());
        assert!(before.memory > 100_000 && before.threads > 0 && before.files > 2 && before.processes > 0, "{before:?}");
        let mut child = std::process::Command::new("sleep").arg("5").spawn().unwrap();
        assert!(state(std::process::id()).processes > before.processes);
        child.kill().unwrap();
        std::thread::sleep(Duration::from_millis(100));
        assert!(state(std::process::id()).zombies > 0);
        child.wait().unwrap();
    }
}

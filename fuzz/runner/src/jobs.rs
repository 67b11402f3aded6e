//! Several targets at once, each in a runner of its own: the processor time of a target is that of a runner's children.

use std::process::{Command, ExitCode};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::common::Result;
use crate::targets::Target;

/// Runs targets that are built, so many at once.
pub fn run(targets: &[&Target], minutes: Option<f64>, jobs: usize) -> Result<ExitCode> {
    let program = std::env::current_exe().map_err(|error| format!("the runner's own program: {error}"))?;
    let next = AtomicUsize::new(0);
    let worst = Mutex::new(0);
    std::thread::scope(|scope| {
        for _ in 0..jobs.min(targets.len()) {
            scope.spawn(|| {
                while let Some(target) = targets.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let mut command = Command::new(&program);
                    command.args(["run", "--no-build", "--exact", &target.name]);
                    if let Some(minutes) = minutes {
                        command.args(["--minutes", &minutes.to_string()]);
                    }
                    let code = command.status().ok().and_then(|status| status.code()).unwrap_or(2);
                    let mut worst = worst.lock().unwrap_or_else(PoisonError::into_inner);
                    *worst = code.max(*worst);
                }
            });
        }
    });
    let worst = worst.into_inner().unwrap_or_else(PoisonError::into_inner);
    if worst > 1 { Err("targets did not run".to_string()) } else { Ok(ExitCode::from(u8::from(worst == 1))) }
}

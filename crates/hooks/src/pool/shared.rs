//! State that callers and threads share.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use super::call::Abandon;
use super::runner::Runner;
use super::slow::{Function, Slow};
use super::tally::Tally;
use crate::engine::ScriptError;
use crate::error::HookError;
use crate::files::Files;
use crate::hook::Seen;
use crate::process::WorkerProgram;
use crate::sandbox::Sandbox;
use crate::settings::Settings;
use crate::template::Texts;

/// State of all hooks of one table directory.
#[derive(Debug)]
pub(super) struct Shared {
    pub settings: Settings,
    /// The program of worker processes; none if calls are made on threads.
    pub program: Option<WorkerProgram>,
    pub files: Arc<Files>,
    pub tally: Arc<Tally>,
    pub texts: Arc<Texts>,
    /// The parts of bodies that the hooks of each module have looked at.
    pub seen: Mutex<HashMap<Arc<str>, Arc<Seen>>>,
    pub generation: AtomicU64,
    pub state: Mutex<State>,
    /// Notified of each job, and of the end.
    pub ready: Condvar,
}

/// The queue and the threads.
#[derive(Debug, Default)]
pub(super) struct State {
    pub queue: VecDeque<Job>,
    pub seats: Vec<Arc<Seat>>,
    /// Threads that wait for a job.
    pub idle: usize,
    /// Threads that hang in a call nobody waits for any more.
    pub lost: usize,
    /// Calls in processes that take long.
    pub slow: Slow,
    /// True once the watchdog runs.
    pub watched: bool,
    pub closed: bool,
}

/// A task for a thread.
pub(super) struct Job {
    pub run: Box<dyn FnOnce(Station) -> Station + Send>,
    pub called: Called,
    /// The function that it is for.
    pub function: Function,
    /// The time since which it waits.
    pub since: Instant,
}

/// A thread of hooks, as it sees itself: the place of its calls, and whose thread it is.
pub(super) struct Station {
    pub shared: Arc<Shared>,
    pub seat: Arc<Seat>,
    pub runner: Runner,
    /// The function that the job is for.
    pub function: Function,
    /// True if the job is slow.
    pub is_slow: bool,
}

/// A thread of hooks, as others see it.
#[derive(Default)]
pub(super) struct Seat {
    work: Mutex<Work>,
    /// Ends the call that is made in a process.
    #[cfg(unix)]
    closer: Arc<crate::process::Closer>,
}

/// The work of a thread.
#[derive(Default)]
pub(super) struct Work {
    /// The call that it makes, and its start.
    pub call: Option<(Instant, Called)>,
    /// True once the watchdog has given the thread up.
    pub lost: bool,
}

/// The function that an error is about, and the caller that waits for it.
pub(super) struct Called {
    pub hook: String,
    pub module: String,
    pub ticket: Arc<dyn Abandon>,
}

impl Station {
    pub fn new(shared: &Arc<Shared>, seat: &Arc<Seat>) -> Station {
        Station { shared: shared.clone(), seat: seat.clone(), runner: shared.runner(seat), function: Function::default(), is_slow: false }
    }
}

impl Shared {
    pub fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing that can panic happens under the lock.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns a new place for calls.
    fn runner(&self, seat: &Seat) -> Runner {
        #[cfg(unix)]
        if let Some(program) = &self.program {
            return Runner::Process(crate::process::Keeper::new(&self.settings, program, self.files.root(), seat.closer.clone()));
        }
        let _ = seat;
        Runner::Thread(Sandbox::new(self.settings.limits(), self.files.clone(), self.texts.clone()))
    }

    pub fn generation(&self) -> u64 {
        self.generation.load(Ordering::Acquire)
    }
}

impl Seat {
    /// Ends the call that is made, if it is made in a process.
    pub fn close(&self) {
        #[cfg(unix)]
        self.closer.close();
    }

    pub fn lock(&self) -> MutexGuard<'_, Work> {
        // Nothing that can panic happens under the lock.
        self.work.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Called {
    pub fn fail(&self, error: ScriptError) {
        self.ticket.abandon(HookError::new(error, &self.hook, &self.module));
    }
}

impl std::fmt::Debug for Job {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Job")
    }
}

impl std::fmt::Debug for Seat {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Seat")
    }
}

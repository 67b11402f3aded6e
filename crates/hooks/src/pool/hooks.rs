//! The hooks of one table directory, and the way of a call to a thread.

use std::future::Future;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Instant;

use super::call::{Call, Ticket};
use super::callee::Callee;
use super::shared::{Called, Job, Shared, State, Station};
use super::tally::Tally;
use super::{visit, watchdog, worker};
use crate::engine::{ErrorKind, ScriptError};
use crate::error::HookError;
use crate::files::Files;
use crate::hook::Seen;
use crate::log::LogSink;
use crate::settings::Settings;
use crate::task::Task;
use crate::template::Texts;

/// The hooks of one table directory: its threads, engines and worker processes. Clones share them;
/// they end when the last clone is dropped.
#[derive(Debug, Clone)]
pub struct Hooks {
    pool: Arc<Pool>,
}

#[derive(Debug)]
struct Pool {
    shared: Arc<Shared>,
}

impl Hooks {
    /// Makes the hooks below `settings.root`. No thread is started before the first call.
    ///
    /// # Errors
    /// The directory cannot be found.
    pub fn new(settings: Settings) -> std::io::Result<Hooks> {
        let files = Arc::new(Files::below(&settings.root)?);
        let settings = Settings { threads: settings.threads.max(1), ..settings };
        let program = settings.worker.clone().filter(|_| cfg!(unix));
        let shared = Shared {
            settings,
            program,
            files,
            tally: Arc::default(),
            texts: Arc::default(),
            seen: Mutex::default(),
            generation: AtomicU64::new(0),
            state: Mutex::new(State::default()),
            ready: Condvar::new(),
        };
        Ok(Hooks { pool: Arc::new(Pool { shared: Arc::new(shared) }) })
    }

    /// Sets the generation of the files. If it changes, calls that begin from now on load their
    /// modules anew.
    pub fn set_generation(&self, generation: u64) {
        self.pool.shared.generation.store(generation, Ordering::Release);
        self.pool.shared.texts.forget();
    }

    /// Runs a task on a thread of hooks. Calls of these hooks that it makes are made right there,
    /// one after the other, and are answered when it awaits them. It must not wait for anything
    /// else. `of` names the owner of the task. Slow tasks of one owner leave threads to the others.
    ///
    /// # Errors
    /// Too many calls are queued, the task panics, or it waits for something else.
    pub fn visit<F>(&self, of: &str, task: F) -> Call<F::Output>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        self.queue(self.callee("a visit", of, None), None, move |station| visit::run(station, task))
    }

    /// Returns the counts of calls.
    pub fn tally(&self) -> &Tally {
        &self.pool.shared.tally
    }

    /// Returns the settings.
    pub fn settings(&self) -> &Settings {
        &self.pool.shared.settings
    }

    pub(crate) fn files(&self) -> &Files {
        &self.pool.shared.files
    }

    pub(crate) fn texts(&self) -> &Arc<Texts> {
        &self.pool.shared.texts
    }

    pub(crate) fn callee(&self, hook: &str, module: &str, log: Option<LogSink>) -> Callee {
        Callee { hook: hook.into(), module: module.into(), log: log.unwrap_or_else(|| self.settings().log.clone()) }
    }

    /// Returns whether calls are made in worker processes.
    pub(crate) fn is_apart(&self) -> bool {
        self.pool.shared.program.is_some()
    }

    /// Returns the memory of what the hooks of a module look at in bodies.
    pub(crate) fn seen(&self, module: &Arc<str>) -> Arc<Seen> {
        self.pool.shared.seen.lock().unwrap_or_else(PoisonError::into_inner).entry(module.clone()).or_default().clone()
    }

    /// Makes a call: at once if a task visits this thread, else when its turn comes. `finish` makes
    /// the caller's value of the answer.
    pub(crate) fn submit<T: Task, R: Send + 'static>(
        &self,
        callee: Callee,
        task: T,
        finish: impl FnOnce(T::Answer) -> R + Send + 'static,
    ) -> Call<R> {
        let span = tracing::info_span!("hook", hook = callee.hook, module = callee.module, error = tracing::field::Empty);
        let tally = &self.pool.shared.tally;
        match visit::call(&self.pool.shared, callee, task, |station, callee, task| make(station, callee, task, &span)) {
            Ok(result) => {
                tally.called();
                tally.ended(&result);
                Call::answered(result.map(finish))
            }
            Err((callee, task)) => self.queue(callee.clone(), Some(tally.clone()), move |mut station| {
                let result = make(&mut station, callee, task, &span).map(finish);
                (station, result)
            }),
        }
    }

    /// Queues a task for a thread. A call is counted in `tally`; a visit is not.
    fn queue<T: Send + 'static>(
        &self,
        callee: Callee,
        tally: Option<Arc<Tally>>,
        act: impl FnOnce(Station) -> (Station, Result<T, HookError>) + Send + 'static,
    ) -> Call<T> {
        let shared = &self.pool.shared;
        let (ticket, call) = Ticket::new(tally);
        let ticket = Arc::new(ticket);
        let answer = ticket.clone();
        let function = (callee.hook.clone(), callee.module.clone());
        let called = Called { hook: callee.hook, module: callee.module, ticket };
        let run = move |station: Station| {
            if !answer.is_wanted() {
                return station;
            }
            let (station, result) = act(station);
            answer.answer(result);
            station
        };
        let job = Job { run: Box::new(run), called, function, since: Instant::now() };
        let mut state = shared.lock();
        let refused = if state.queue.len() >= shared.settings.waiting {
            Some(format!("{} calls of hooks wait already", state.queue.len()))
        } else if state.idle <= state.queue.len()
            && worker::may_start(shared, &state)
            && state.lost <= watchdog::most_lost(&shared.settings)
        {
            start(shared, &mut state).err().map(|error| format!("no thread can be started: {error}"))
        } else if state.seats.is_empty() {
            Some("all threads hang in hooks that cannot be stopped".to_string())
        } else {
            None
        };
        match refused {
            Some(message) => {
                drop(state);
                job.called.fail(ScriptError::new(ErrorKind::Busy, message));
            }
            None => {
                state.queue.push_back(job);
                drop(state);
                shared.ready.notify_one();
            }
        }
        call
    }
}

/// Starts one more thread; before the first that runs scripts itself, the watchdog.
fn start(shared: &Arc<Shared>, state: &mut State) -> std::io::Result<()> {
    if !state.watched && shared.program.is_none() {
        watchdog::start(shared)?;
        state.watched = true;
    }
    worker::start(shared, state)
}

/// Makes a call at a station, in its span. A slow one lets another thread start.
fn make<T: Task>(station: &mut Station, callee: Callee, task: T, span: &tracing::Span) -> Result<T::Answer, HookError> {
    let Station { shared, runner, function, is_slow, .. } = station;
    let mut slow = || {
        if *is_slow {
            return;
        }
        *is_slow = true;
        let mut state = shared.lock();
        state.slow.add(function);
        // One more is there before the next call comes.
        if state.idle <= state.queue.len() && worker::may_start(shared, &state) {
            // Without it, those that wait go on waiting.
            let _ = worker::start(shared, &mut state);
        }
    };
    let result = span.in_scope(|| runner.call(shared.generation(), callee.clone(), task, &mut slow));
    if let Err(error) = &result {
        span.record("error", tracing::field::debug(error.kind()));
    }
    result.map_err(|error| callee.error(error))
}

impl Drop for Pool {
    fn drop(&mut self) {
        let mut state = self.shared.lock();
        state.closed = true;
        state.queue.clear();
        state.seats.iter().for_each(|seat| seat.close());
        drop(state);
        self.shared.ready.notify_all();
    }
}

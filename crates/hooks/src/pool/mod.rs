//! The threads on which hooks run. Callers never run scripts themselves, and so never wait for one but by choice.
//!
//! | file | holds |
//! |---|---|
//! | `call` | a call under way, to await or to wait for |
//! | `worker` | a thread with its engine |
//! | `visit` | several calls in one visit to a thread |
//! | `watchdog` | what is done about calls that no clock stops |

mod call;
mod visit;
mod watchdog;
mod worker;

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use crate::engine::{Callee, Engine, Trouble, Turn};
use crate::error::{HookError, HookErrorKind};
use crate::files::Files;
use crate::settings::Settings;
use crate::template::Texts;

use call::{Abandon, Ticket};
pub use call::{Call, CallFuture, Tally};
use visit::Station;
use worker::Seat;

/// The hooks of one table directory: its threads and engines. Cloning shares them; they end when the last clone is dropped.
#[derive(Debug, Clone)]
pub struct Hooks {
    pool: Arc<Pool>,
}

#[derive(Debug)]
struct Pool {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    settings: Settings,
    files: Arc<Files>,
    tally: Arc<Tally>,
    texts: Arc<Texts>,
    generation: AtomicU64,
    state: Mutex<State>,
    ready: Condvar,
}

#[derive(Debug, Default)]
struct State {
    queue: VecDeque<Job>,
    seats: Vec<Arc<Seat>>,
    /// Threads that wait for a job.
    idle: usize,
    /// Threads that hang in a call nobody waits for any more.
    lost: usize,
    /// The watchdog is there.
    watched: bool,
    closed: bool,
}

struct Job {
    run: Box<dyn FnOnce(Station) -> Station + Send>,
    called: Called,
}

/// Whom an error is told to, and of what.
struct Called {
    hook: String,
    module: String,
    ticket: Arc<dyn Abandon>,
}

impl Called {
    fn fail(&self, error: HookError) {
        self.ticket.abandon(error.of(&self.hook, &self.module));
    }
}

impl std::fmt::Debug for Job {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Job")
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing that can panic happens under the lock.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Hooks {
    /// The hooks below `settings.root`. No thread is started before the first call.
    ///
    /// # Errors
    /// The directory cannot be found.
    pub fn new(settings: Settings) -> std::io::Result<Hooks> {
        let files = Arc::new(Files::below(&settings.root)?);
        let settings = Settings { threads: settings.threads.max(1), ..settings };
        let shared = Shared {
            settings,
            files,
            tally: Arc::default(),
            texts: Arc::default(),
            generation: AtomicU64::new(0),
            state: Mutex::new(State::default()),
            ready: Condvar::new(),
        };
        Ok(Hooks { pool: Arc::new(Pool { shared: Arc::new(shared) }) })
    }

    /// Tells of which generation the files are. When it is another than before, calls that begin from now on load their modules anew.
    pub fn set_generation(&self, generation: u64) {
        self.pool.shared.generation.store(generation, Ordering::Release);
        self.pool.shared.texts.forget();
    }

    /// What was called so far.
    pub fn tally(&self) -> &Tally {
        &self.pool.shared.tally
    }

    /// What hooks may take.
    pub fn settings(&self) -> &Settings {
        &self.pool.shared.settings
    }

    /// The files that hooks may see.
    pub(crate) fn files(&self) -> &Files {
        &self.pool.shared.files
    }

    /// Templates that were read.
    pub(crate) fn texts(&self) -> &Arc<Texts> {
        &self.pool.shared.texts
    }

    /// Makes a call: at once where a task visits this thread, else in its turn.
    pub(crate) fn submit<T: Send + 'static>(
        &self,
        callee: Callee,
        act: impl for<'js> FnOnce(&mut Turn<'_, 'js>) -> Result<T, Trouble> + Send + 'static,
    ) -> Call<T> {
        let span = tracing::info_span!("hook", hook = callee.hook, module = callee.module, error = tracing::field::Empty);
        let tally = &self.pool.shared.tally;
        match visit::call(&self.pool.shared, callee, act, |engine, callee, act| make(engine, callee, act, &span)) {
            Ok(result) => {
                tally.called();
                tally.ended(&result);
                Call::answered(result)
            }
            Err((callee, act)) => self.queue(callee.clone(), Some(tally.clone()), move |mut station| {
                let result = make(&mut station.engine, callee, act, &span);
                (station, result)
            }),
        }
    }

    /// Queues what is to be done on a thread. A call is counted in `tally`; a visit is none.
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
        let called = Called { hook: callee.hook, module: callee.module, ticket };
        let run = move |station: Station| {
            if !answer.is_wanted() {
                return station;
            }
            let (station, result) = act(station);
            answer.answer(result);
            station
        };
        let job = Job { run: Box::new(run), called };
        let mut state = shared.lock();
        let refused = if state.queue.len() >= shared.settings.waiting {
            Some(format!("{} calls of hooks wait already", state.queue.len()))
        } else if state.idle <= state.queue.len()
            && state.seats.len() < shared.settings.threads
            && state.lost <= watchdog::most_lost(&shared.settings)
        {
            worker::start(shared, &mut state).err().map(|error| format!("no thread can be started: {error}"))
        } else if state.seats.is_empty() {
            Some("all threads hang in hooks that cannot be stopped".to_string())
        } else {
            None
        };
        match refused {
            Some(message) => {
                drop(state);
                job.called.fail(HookError::new(HookErrorKind::Busy, message));
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

/// Makes a call on an engine, in its span.
fn make<T>(
    engine: &mut Engine,
    callee: Callee,
    act: impl for<'js> FnOnce(&mut Turn<'_, 'js>) -> Result<T, Trouble>,
    span: &tracing::Span,
) -> Result<T, HookError> {
    let (hook, module) = (callee.hook.clone(), callee.module.clone());
    let result = catch_unwind(AssertUnwindSafe(|| span.in_scope(|| engine.call(callee, act)))).unwrap_or_else(|_| {
        engine.discard();
        Err(HookError::new(HookErrorKind::Internal, "the engine failed").hint("please report it").of(&hook, &module))
    });
    if let Err(error) = &result {
        span.record("error", tracing::field::debug(error.kind()));
    }
    result
}

impl Drop for Pool {
    fn drop(&mut self) {
        let mut state = self.shared.lock();
        state.closed = true;
        state.queue.clear();
        drop(state);
        self.shared.ready.notify_all();
    }
}

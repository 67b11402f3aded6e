//! A thread with its engine.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Instant;

use super::visit::Station;
use super::{Called, Shared, State, watchdog};
use crate::engine::Engine;

/// What others see of a thread.
#[derive(Default)]
pub(super) struct Seat {
    pub(super) work: Mutex<Work>,
}

/// What a thread does.
#[derive(Default)]
pub(super) struct Work {
    /// Since when it makes which call.
    pub(super) call: Option<(Instant, Called)>,
    /// The watchdog has given it up.
    pub(super) lost: bool,
}

impl Seat {
    pub(super) fn lock(&self) -> MutexGuard<'_, Work> {
        // Nothing that can panic happens under the lock.
        self.work.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::fmt::Debug for Seat {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Seat")
    }
}

/// Stack for what is not the engine's, which counts its own.
const BESIDES: usize = 4 << 20;

/// Starts one more thread; with the first, the watchdog.
pub(super) fn start(shared: &Arc<Shared>, state: &mut State) -> std::io::Result<()> {
    if !state.watched {
        watchdog::start(shared)?;
        state.watched = true;
    }
    let seat = Arc::new(Seat::default());
    let (mine, own) = (shared.clone(), seat.clone());
    thread::Builder::new().name("hooks".into()).stack_size(shared.settings.stack + BESIDES).spawn(move || work(&mine, &own))?;
    state.seats.push(seat);
    Ok(())
}

fn work(shared: &Arc<Shared>, seat: &Arc<Seat>) {
    let engine = Engine::new(shared.settings.clone(), shared.files.clone());
    let mut station = Station { shared: shared.clone(), seat: seat.clone(), engine };
    loop {
        let job = {
            let mut state = shared.lock();
            loop {
                if state.closed {
                    return;
                }
                if let Some(job) = state.queue.pop_front() {
                    break job;
                }
                state.idle += 1;
                state = shared.ready.wait(state).unwrap_or_else(PoisonError::into_inner);
                state.idle -= 1;
            }
        };
        station.engine.renew(shared.generation.load(Ordering::Acquire));
        // Before the clocks run: a start costs more than most calls. If it fails, the call tells why.
        let _ = station.engine.prepare();
        seat.lock().call = Some((Instant::now(), job.called));
        station = (job.run)(station);
        let mut work = seat.lock();
        work.call = None;
        if work.lost {
            shared.lock().lost -= 1;
            return;
        }
    }
}

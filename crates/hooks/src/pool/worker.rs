//! A thread that runs jobs.

use std::sync::{Arc, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::shared::{Job, Seat, Shared, State, Station};
use super::slow;

/// Stack for all but the engine, which counts its own.
const BESIDES: usize = 4 << 20;
/// Time after which a thread ends that was started beside slow calls.
const SURPLUS: Duration = Duration::from_secs(10);

/// Starts one more thread.
pub(super) fn start(shared: &Arc<Shared>, state: &mut State) -> std::io::Result<()> {
    let seat = Arc::new(Seat::default());
    let (mine, own) = (shared.clone(), seat.clone());
    thread::Builder::new().name("hooks".into()).stack_size(shared.settings.stack + BESIDES).spawn(move || work(&mine, &own))?;
    state.seats.push(seat);
    Ok(())
}

/// Returns whether one more thread may start. Those whose calls are slow do not count; while there
/// are some, there is one more, as those that end are replaced.
pub(super) fn may_start(shared: &Shared, state: &State) -> bool {
    let (threads, places) = (shared.settings.threads, slow::places(&shared.settings));
    let beside = match state.slow.count() {
        0 => 0,
        slow => (slow + 1).min(places),
    };
    state.seats.len() < threads + beside
}

fn work(shared: &Arc<Shared>, seat: &Arc<Seat>) {
    let mut station = Station::new(shared, seat);
    loop {
        // Before the clocks run, and before a call waits: a start costs more than most calls.
        station.runner.prepare(shared.generation());
        let Some(job) = next(shared, seat) else { return };
        station.runner.prepare(shared.generation());
        seat.lock().call = Some((Instant::now(), job.called));
        station.function = job.function;
        station = (job.run)(station);
        if std::mem::take(&mut station.is_slow) {
            shared.lock().slow.remove(&station.function);
            // Calls of the same function may wait for it.
            shared.ready.notify_all();
        }
        let mut work = seat.lock();
        work.call = None;
        if work.lost {
            shared.lock().lost -= 1;
            return;
        }
    }
}

/// Waits for a job. Returns `None` if the thread has to end.
fn next(shared: &Shared, seat: &Arc<Seat>) -> Option<Job> {
    let mut state = shared.lock();
    loop {
        if state.closed {
            return None;
        }
        if let Some(job) = state.take(slow::places(&shared.settings), shared.settings.time) {
            return Some(job);
        }
        state.idle += 1;
        if state.seats.len() <= shared.settings.threads {
            state = shared.ready.wait(state).unwrap_or_else(PoisonError::into_inner);
            state.idle -= 1;
            continue;
        }
        let (woken, waited) = shared.ready.wait_timeout(state, SURPLUS).unwrap_or_else(PoisonError::into_inner);
        state = woken;
        state.idle -= 1;
        if waited.timed_out() && state.queue.is_empty() && state.seats.len() > shared.settings.threads {
            state.seats.retain(|each| !Arc::ptr_eq(each, seat));
            return None;
        }
    }
}

impl State {
    /// Takes the first job that may begin. Those of functions with slow calls let others pass, each
    /// for at most `time`.
    fn take(&mut self, places: usize, time: Duration) -> Option<Job> {
        let State { queue, slow, .. } = self;
        let mut at = queue.iter().position(|job| slow.lets(&job.function, places))?;
        if slow.of(&queue[at].function) > 0 && queue[at].since.elapsed() < time {
            at = queue.iter().position(|job| slow.of(&job.function) == 0).unwrap_or(at);
        }
        queue.remove(at)
    }
}

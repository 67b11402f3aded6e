//! A thread that runs jobs.

use std::sync::{Arc, PoisonError};
use std::thread;
use std::time::Instant;

use super::shared::{Seat, Shared, State, Station};

/// Stack for all but the engine, which counts its own.
const BESIDES: usize = 4 << 20;

/// Starts one more thread.
pub(super) fn start(shared: &Arc<Shared>, state: &mut State) -> std::io::Result<()> {
    let seat = Arc::new(Seat::default());
    let (mine, own) = (shared.clone(), seat.clone());
    thread::Builder::new().name("hooks".into()).stack_size(shared.settings.stack + BESIDES).spawn(move || work(&mine, &own))?;
    state.seats.push(seat);
    Ok(())
}

fn work(shared: &Arc<Shared>, seat: &Arc<Seat>) {
    let mut station = Station { shared: shared.clone(), seat: seat.clone(), sandbox: shared.sandbox() };
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
        station.sandbox.renew(shared.generation());
        // Before the clocks run: a start costs more than most calls. If it fails, the call reports
        // why.
        let _ = station.sandbox.prepare();
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

//! The watchdog: gives up calls that no clock stops.
//!
//! The engine looks at its clock between steps of a script. A few built-ins run for hours without a
//! step between, e.g. searching one huge string in another. The watchdog answers their callers, and
//! starts another thread in place of the one that hangs.

use std::sync::{Arc, Weak};
use std::thread;
use std::time::{Duration, Instant};

use super::shared::Shared;
use super::worker;
use crate::engine::{ErrorKind, ScriptError};
use crate::settings::Settings;

/// Most threads that may hang, for each that works.
const LOST: usize = 2;

/// Returns how many threads may hang before no more are started.
pub(super) fn most_lost(settings: &Settings) -> usize {
    LOST * settings.threads
}

pub(super) fn start(shared: &Arc<Shared>) -> std::io::Result<()> {
    let pause = (shared.settings.time / 4).clamp(Duration::from_millis(20), Duration::from_secs(1));
    let patience = shared.settings.time + (shared.settings.time / 2).max(Duration::from_millis(250));
    let shared = Arc::downgrade(shared);
    thread::Builder::new().name("hooks-watchdog".into()).spawn(move || watch(&shared, pause, patience))?;
    Ok(())
}

fn watch(shared: &Weak<Shared>, pause: Duration, patience: Duration) {
    loop {
        thread::sleep(pause);
        let Some(shared) = shared.upgrade() else { return };
        let now = Instant::now();
        let mut state = shared.lock();
        if state.closed {
            return;
        }
        let seats = state.seats.len();
        state.seats.retain(|seat| {
            let mut work = seat.lock();
            let Some((since, called)) = &work.call else { return true };
            if now.duration_since(*since) < patience {
                return true;
            }
            called.fail(
                ScriptError::new(ErrorKind::Time, "the call took longer than it may, and cannot be stopped")
                    .with_hint("look for searches in very long texts"),
            );
            work.lost = true;
            false
        });
        state.lost += seats - state.seats.len();
        while state.seats.len() < shared.settings.threads && state.lost > 0 && state.lost <= most_lost(&shared.settings) {
            if worker::start(&shared, &mut state).is_err() {
                break;
            }
        }
        if state.seats.is_empty() {
            for job in state.queue.drain(..) {
                job.called.fail(ScriptError::new(ErrorKind::Busy, "all threads hang in hooks that cannot be stopped"));
            }
        }
    }
}

//! Several calls in one visit to a thread: while a task of a caller runs there, the calls that it
//! makes are made at once, on the spot. Each has the limits of a call.

use std::cell::RefCell;
use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Instant;

use super::callee::Callee;
use super::shared::{Seat, Shared, Station};
use crate::engine::{ErrorKind, ScriptError};
use crate::error::HookError;

thread_local! {
    /// The station of this thread, while a task visits it and makes no call.
    static VISITED: RefCell<Option<Station>> = const { RefCell::new(None) };
}

/// Runs a task on this thread; its calls are made here.
pub(super) fn run<F: Future>(station: Station, task: F) -> (Station, Result<F::Output, HookError>) {
    let (shared, seat) = (station.shared.clone(), station.seat.clone());
    VISITED.set(Some(station));
    let polled = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        let mut task = pin!(task);
        task.as_mut().poll(&mut Context::from_waker(Waker::noop()))
    }));
    let internal = |message: &str| ScriptError::new(ErrorKind::Internal, message);
    let result = match polled {
        Ok(Poll::Ready(output)) => Ok(output),
        Ok(Poll::Pending) => Err(internal("a task among hooks waits for something else")),
        Err(_) => Err(internal("a task among hooks failed").with_hint("please report it")),
    };
    // It is there, since every call puts it back.
    let station = VISITED.take().unwrap_or_else(|| Station::new(&shared, &seat));
    (station, result.map_err(HookError::from))
}

/// Makes a call on the thread that a task visits. Returns the call as `Err` if this thread is none
/// of `shared`'s.
pub(super) fn call<T, A>(
    shared: &Arc<Shared>,
    callee: Callee,
    act: A,
    make: impl FnOnce(&mut Station, Callee, A) -> Result<T, HookError>,
) -> Result<Result<T, HookError>, (Callee, A)> {
    let mine = |station: &mut Station| Arc::ptr_eq(&station.shared, shared);
    let Some(mut station) = VISITED.with_borrow_mut(|visited| visited.take_if(mine)) else { return Err((callee, act)) };
    let result = match begin(&station.seat, &callee) {
        Ok(()) => make(&mut station, callee, act),
        Err(error) => Err(error.into()),
    };
    VISITED.set(Some(station));
    Ok(result)
}

/// Starts the clock of a call of a visit, unless nobody waits for its answer.
fn begin(seat: &Seat, callee: &Callee) -> Result<(), ScriptError> {
    let mut work = seat.lock();
    // The watchdog has answered for the task.
    if work.lost {
        return Err(ScriptError::new(ErrorKind::Time, "the call took longer than it may, and could not be stopped"));
    }
    if let Some((since, called)) = &mut work.call {
        if !called.ticket.is_wanted() {
            return Err(ScriptError::new(ErrorKind::Busy, "nobody waits for the answer any more"));
        }
        *since = Instant::now();
        called.hook.clone_from(&callee.hook);
        called.module.clone_from(&callee.module);
    }
    Ok(())
}

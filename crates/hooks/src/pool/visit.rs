//! Several calls in one visit to a thread: while a task of a caller runs there, the calls that it makes are made at once, on the spot. Each has the limits of a call.

use std::cell::RefCell;
use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll, Waker};
use std::time::Instant;

use super::worker::Seat;
use super::{Call, Hooks, Shared};
use crate::engine::{Callee, Engine};
use crate::error::{HookError, HookErrorKind};

/// A thread of hooks: its engine, and whose it is.
pub(super) struct Station {
    pub shared: Arc<Shared>,
    pub seat: Arc<Seat>,
    pub engine: Engine,
}

thread_local! {
    /// That of this thread, while a task visits it and makes no call.
    static VISITED: RefCell<Option<Station>> = const { RefCell::new(None) };
}

impl Hooks {
    /// Runs a task on a thread of hooks. The calls of these hooks that it makes are made right there, one after the other, and are answered when it awaits them; it must not wait for anything else.
    ///
    /// # Errors
    /// Too many calls wait already, the task panics, or it waits for something else.
    pub fn visit<F>(&self, task: F) -> Call<F::Output>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        let callee = self.callee("a visit", "", None);
        self.queue(callee, None, move |station| {
            let (shared, seat) = (station.shared.clone(), station.seat.clone());
            VISITED.set(Some(station));
            let polled = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                let mut task = pin!(task);
                task.as_mut().poll(&mut Context::from_waker(Waker::noop()))
            }));
            let result = match polled {
                Ok(Poll::Ready(output)) => Ok(output),
                Ok(Poll::Pending) => Err(HookError::new(HookErrorKind::Internal, "a task among hooks waits for something else")),
                Err(_) => Err(HookError::new(HookErrorKind::Internal, "a task among hooks failed").hint("please report it")),
            };
            // It is there, since every call puts it back.
            let station = VISITED.take().unwrap_or_else(|| Station {
                engine: Engine::new(shared.settings.clone(), shared.files.clone()),
                shared,
                seat,
            });
            (station, result)
        })
    }
}

/// Makes a call on the thread that a task visits; `Err` gives the call back if this is none of `shared`'s.
pub(super) fn call<T, A>(
    shared: &Arc<Shared>,
    callee: Callee,
    act: A,
    make: impl FnOnce(&mut Engine, Callee, A) -> Result<T, HookError>,
) -> Result<Result<T, HookError>, (Callee, A)> {
    let mine = |station: &mut Station| Arc::ptr_eq(&station.shared, shared);
    let Some(mut station) = VISITED.with_borrow_mut(|visited| visited.take_if(mine)) else { return Err((callee, act)) };
    let result = match begin(&station.seat, &callee) {
        Ok(()) => {
            station.engine.renew(shared.generation.load(Ordering::Acquire));
            make(&mut station.engine, callee, act)
        }
        Err(error) => Err(error),
    };
    VISITED.set(Some(station));
    Ok(result)
}

/// Starts the clock of a call of a visit, unless nobody waits for what it would give.
fn begin(seat: &Seat, callee: &Callee) -> Result<(), HookError> {
    let mut work = seat.lock();
    // The watchdog has answered for the task.
    if work.lost {
        return Err(HookError::new(HookErrorKind::Time, "the call took longer than it may, and could not be stopped"));
    }
    if let Some((since, called)) = &mut work.call {
        if !called.ticket.is_wanted() {
            return Err(HookError::new(HookErrorKind::Busy, "nobody waits for the answer any more"));
        }
        *since = Instant::now();
        called.hook.clone_from(&callee.hook);
        called.module.clone_from(&callee.module);
    }
    Ok(())
}

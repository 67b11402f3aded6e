//! A call in flight.

use std::future::{Future, IntoFuture};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use oneshot::{AsyncReceiver, Receiver, Sender};

use super::tally::Tally;
use crate::engine::{ErrorKind, ScriptError};
use crate::error::HookError;

/// A call in flight. Await it, on any executor, or [`wait`](Call::wait) for it. If it is dropped
/// before a thread begins it, it is not made.
#[derive(Debug)]
#[must_use = "a call that is dropped may not be made"]
pub struct Call<T>(CallState<T>);

#[derive(Debug)]
enum CallState<T> {
    /// It needed no script.
    Answered(Result<T, HookError>),
    InFlight(Receiver<Result<T, HookError>>),
}

impl<T> Call<T> {
    /// Blocks this thread until the answer is there. Do not call it on a thread of an async
    /// executor.
    ///
    /// # Errors
    /// Any error of the hook.
    pub fn wait(self) -> Result<T, HookError> {
        match self.0 {
            CallState::Answered(result) => result,
            CallState::InFlight(receiver) => receiver.recv().unwrap_or_else(|_| Err(gone())),
        }
    }

    /// Makes a call that needs no script.
    pub(crate) fn answered(result: Result<T, HookError>) -> Call<T> {
        Call(CallState::Answered(result))
    }
}

fn gone() -> HookError {
    ScriptError::new(ErrorKind::Busy, "the hooks have been shut down").into()
}

impl<T> IntoFuture for Call<T> {
    type Output = Result<T, HookError>;
    type IntoFuture = CallFuture<T>;

    fn into_future(self) -> CallFuture<T> {
        CallFuture(match self.0 {
            CallState::Answered(result) => FutureState::Answered(Some(result)),
            CallState::InFlight(receiver) => FutureState::InFlight(receiver.into_future()),
        })
    }
}

/// The future of a [`Call`].
#[derive(Debug)]
pub struct CallFuture<T>(FutureState<T>);

#[derive(Debug)]
enum FutureState<T> {
    /// `None` once it was returned.
    Answered(Option<Result<T, HookError>>),
    InFlight(AsyncReceiver<Result<T, HookError>>),
}

impl<T> Unpin for CallFuture<T> {}

impl<T> Future for CallFuture<T> {
    type Output = Result<T, HookError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        match &mut self.0 {
            FutureState::Answered(result) => Poll::Ready(result.take().unwrap_or_else(|| Err(gone()))),
            FutureState::InFlight(receiver) => Pin::new(receiver).poll(context).map(|received| received.unwrap_or_else(|_| Err(gone()))),
        }
    }
}

/// The other end of a call, which is answered once: by the thread that makes it or, if that hangs,
/// by the watchdog.
#[derive(Debug)]
pub(super) struct Ticket<T> {
    sender: Mutex<Option<Sender<Result<T, HookError>>>>,
    /// The counts, unless it is not counted.
    tally: Option<Arc<Tally>>,
}

impl<T> Ticket<T> {
    pub fn new(tally: Option<Arc<Tally>>) -> (Ticket<T>, Call<T>) {
        if let Some(tally) = &tally {
            tally.called();
        }
        let (sender, receiver) = oneshot::channel();
        (Ticket { sender: Mutex::new(Some(sender)), tally }, Call(CallState::InFlight(receiver)))
    }

    fn take(&self) -> Option<Sender<Result<T, HookError>>> {
        self.sender.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    pub fn is_wanted(&self) -> bool {
        self.sender.lock().unwrap_or_else(PoisonError::into_inner).as_ref().is_some_and(|sender| !sender.is_closed())
    }

    pub fn answer(&self, result: Result<T, HookError>) {
        if let Some(sender) = self.take() {
            if let Some(tally) = &self.tally {
                tally.ended(&result);
            }
            // The caller may be gone.
            let _ = sender.send(result);
        }
    }
}

/// A ticket, whatever the type of its answer.
pub(super) trait Abandon: Send + Sync {
    fn is_wanted(&self) -> bool;

    fn abandon(&self, error: HookError);
}

impl<T: Send> Abandon for Ticket<T> {
    fn is_wanted(&self) -> bool {
        Ticket::is_wanted(self)
    }

    fn abandon(&self, error: HookError) {
        self.answer(Err(error));
    }
}

//! A call under way.

use std::future::{Future, IntoFuture};
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use oneshot::{AsyncReceiver, Receiver, Sender};

use crate::error::{HookError, HookErrorKind};

/// A call under way. Await it, on any executor, or [`wait`](Call::wait) for it. If it is dropped before a thread takes it up, it is not made.
#[derive(Debug)]
#[must_use = "a call that is dropped may not be made"]
pub struct Call<T>(State<T>);

#[derive(Debug)]
enum State<T> {
    /// It needed no script.
    Answered(Result<T, HookError>),
    UnderWay(Receiver<Result<T, HookError>>),
}

impl<T> Call<T> {
    /// Blocks this thread until the answer is there. Not for threads of an async executor.
    ///
    /// # Errors
    /// Whatever went wrong in the hook.
    pub fn wait(self) -> Result<T, HookError> {
        match self.0 {
            State::Answered(result) => result,
            State::UnderWay(receiver) => receiver.recv().unwrap_or_else(|_| Err(gone())),
        }
    }

    /// A call that needs no script.
    pub(crate) fn answered(result: Result<T, HookError>) -> Call<T> {
        Call(State::Answered(result))
    }
}

fn gone() -> HookError {
    HookError::new(HookErrorKind::Busy, "the hooks have been shut down")
}

impl<T> IntoFuture for Call<T> {
    type Output = Result<T, HookError>;
    type IntoFuture = CallFuture<T>;

    fn into_future(self) -> CallFuture<T> {
        CallFuture(match self.0 {
            State::Answered(result) => Coming::Answered(Some(result)),
            State::UnderWay(receiver) => Coming::UnderWay(receiver.into_future()),
        })
    }
}

/// The future of a [`Call`].
#[derive(Debug)]
pub struct CallFuture<T>(Coming<T>);

#[derive(Debug)]
enum Coming<T> {
    /// Until it is given away.
    Answered(Option<Result<T, HookError>>),
    UnderWay(AsyncReceiver<Result<T, HookError>>),
}

impl<T> Unpin for CallFuture<T> {}

impl<T> Future for CallFuture<T> {
    type Output = Result<T, HookError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        match &mut self.0 {
            Coming::Answered(result) => Poll::Ready(result.take().unwrap_or_else(|| Err(gone()))),
            Coming::UnderWay(receiver) => Pin::new(receiver).poll(context).map(|received| received.unwrap_or_else(|_| Err(gone()))),
        }
    }
}

/// What was called so far: hooks, functions, templates, and modules that were loaded.
#[derive(Debug, Default)]
pub struct Tally {
    calls: AtomicU64,
    failures: AtomicU64,
}

impl Tally {
    /// Calls, those included that are under way.
    pub fn calls(&self) -> u64 {
        self.calls.load(Ordering::Relaxed)
    }

    pub(super) fn called(&self) {
        self.calls.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn ended<T>(&self, result: &Result<T, HookError>) {
        if result.is_err() {
            self.failures.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Calls that gave an error.
    pub fn failures(&self) -> u64 {
        self.failures.load(Ordering::Relaxed)
    }
}

/// The other end of a call, which is answered once: by the thread that makes it or, if that hangs, by the watchdog.
#[derive(Debug)]
pub(super) struct Ticket<T> {
    sender: Mutex<Option<Sender<Result<T, HookError>>>>,
    /// Where it is counted, if it is one to count.
    tally: Option<Arc<Tally>>,
}

impl<T> Ticket<T> {
    pub fn new(tally: Option<Arc<Tally>>) -> (Ticket<T>, Call<T>) {
        if let Some(tally) = &tally {
            tally.called();
        }
        let (sender, receiver) = oneshot::channel();
        (Ticket { sender: Mutex::new(Some(sender)), tally }, Call(State::UnderWay(receiver)))
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
            // Whoever asked may have gone.
            let _ = sender.send(result);
        }
    }
}

/// A ticket, whatever the answer would have been.
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

//! The pace of scripts' starts. A script starts at once while few run, else when one of those ends,
//! or when a thread is idle.
//!
//! Under more load than the processors can bear, running scripts finish first, and waiting ones
//! hold no replies in memory. Where scripts only wait for slow services, threads are idle, and all
//! start.
//!
//! Scripts that have taken much processor time are long. They hand their turns to others, and share
//! half of the threads step by step.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};
use tokio::sync::{AcquireError, OwnedSemaphorePermit, Semaphore, oneshot};

/// Running scripts of each thread before others wait until it is idle: enough for work while
/// services answer, few enough that their replies stay in the processor's cache.
pub(super) const FEW: usize = 16;

/// Processor time after which a script is long.
const SHORT: Duration = Duration::from_millis(5);

/// The time of a step from which on a script's processor time is looked at, which costs a call of
/// the system.
const STEP: Duration = Duration::from_micros(300);

/// Starts scripts. Cheap to clone; clones are one. The default starts all at once.
#[derive(Debug, Clone, Default)]
pub struct Pace(Option<Arc<Inner>>);

#[derive(Debug)]
struct Inner {
    /// The number of running scripts at which others wait.
    few: usize,
    queue: Mutex<Queue>,
    /// The number of waiting scripts, to be read without the lock.
    waiting: AtomicUsize,
    /// Long scripts that take a step at the same time.
    steps: Arc<Semaphore>,
    /// Long scripts that may be under way.
    places: Arc<Semaphore>,
}

#[derive(Debug, Default)]
struct Queue {
    under_way: usize,
    waiting: VecDeque<oneshot::Sender<StartTurn>>,
}

/// A running script, until it is dropped.
#[derive(Debug)]
pub(super) struct StartTurn(Option<Arc<Inner>>);

/// The place of a script, until it is dropped: a turn, or a place among the long ones.
#[derive(Debug)]
pub(super) enum Place {
    Turn { _turn: StartTurn },
    Long { _place: OwnedSemaphorePermit },
}

/// More long scripts are under way than the processors have time for.
#[derive(Debug)]
pub(super) struct Busy;

impl Pace {
    /// Makes a pace at which scripts wait while `few` run and no thread is idle. The threads that
    /// run the scripts must call [`Pace::idle`].
    pub fn new(few: usize) -> Pace {
        let few = few.max(1);
        Pace(Some(Arc::new(Inner {
            few,
            queue: Mutex::default(),
            waiting: AtomicUsize::new(0),
            steps: Arc::new(Semaphore::new((few / 2 / FEW).max(1))),
            places: Arc::new(Semaphore::new(few)),
        })))
    }

    /// Runs a script when its turn comes. Others may wait until the place is dropped.
    ///
    /// # Errors
    /// The script is long, and too many long ones are under way.
    pub(super) async fn run<T>(&self, script: impl Future<Output = T> + Send) -> Result<(T, Place), Busy> {
        let turn = self.turn().await;
        let place = Place::Turn { _turn: turn };
        let Some(inner) = &self.0 else { return Ok((script.await, place)) };
        Paced { script: Box::pin(script), inner, place: Some(place), looked: false, spent: Duration::ZERO, next: None }.await
    }

    /// Waits until a script may start; it runs until the turn is dropped.
    pub(super) async fn turn(&self) -> StartTurn {
        let Some(inner) = &self.0 else { return StartTurn(None) };
        let receiver = {
            let mut queue = inner.queue();
            if queue.waiting.is_empty() && queue.under_way < inner.few {
                queue.under_way += 1;
                return StartTurn(Some(inner.clone()));
            }
            let (sender, receiver) = oneshot::channel();
            queue.waiting.push_back(sender);
            inner.waiting.store(queue.waiting.len(), Ordering::Release);
            receiver
        };
        // The queue is not dropped as long as this is there.
        receiver.await.unwrap_or(StartTurn(None))
    }

    /// Starts one more script, since a thread is idle. The thread looks for replies of services
    /// before it is idle again, so that no more start than it has time for.
    pub fn idle(&self) {
        let Some(inner) = &self.0 else { return };
        if inner.waiting.load(Ordering::Acquire) > 0 {
            inner.start(|_, started| started == 0);
        }
    }
}

/// A script that runs.
struct Paced<'p, F> {
    script: Pin<Box<F>>,
    inner: &'p Inner,
    place: Option<Place>,
    /// True if its processor time is looked at.
    looked: bool,
    /// Its processor time since it is looked at.
    spent: Duration,
    /// Its place in the order of long scripts' steps.
    next: Option<NextStep>,
}

type NextStep = Pin<Box<dyn Future<Output = Result<OwnedSemaphorePermit, AcquireError>> + Send>>;

impl<F: Future> Future for Paced<'_, F> {
    type Output = Result<(F::Output, Place), Busy>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = &mut *self;
        // Held during the step. Steps end where the evaluation pauses, or waits for a reply.
        let mut step = None;
        if this.spent >= SHORT {
            if !matches!(this.place, Some(Place::Long { .. })) {
                match this.inner.places.clone().try_acquire_owned() {
                    Ok(place) => this.place = Some(Place::Long { _place: place }),
                    Err(_) => return Poll::Ready(Err(Busy)),
                }
            }
            let steps = &this.inner.steps;
            let next = this.next.get_or_insert_with(|| Box::pin(steps.clone().acquire_owned()));
            // Never closed.
            step = ready!(next.as_mut().poll(cx)).ok();
            this.next = None;
        }
        let (begin, spent) = (Instant::now(), this.looked.then(processor_time));
        let outcome = this.script.as_mut().poll(cx);
        drop(step);
        match spent {
            Some(before) => this.spent += processor_time().saturating_sub(before),
            None => this.looked = begin.elapsed() >= STEP,
        }
        let outcome = ready!(outcome);
        Poll::Ready(this.place.take().map(|place| (outcome, place)).ok_or(Busy))
    }
}

/// Returns the processor time of this thread.
fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or_default())
}

impl Inner {
    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts waiting scripts, oldest first, while `more(running, started)` is true.
    fn start(self: &Arc<Self>, more: impl Fn(usize, usize) -> bool) {
        let mut started = 0;
        loop {
            let sender = {
                let mut queue = self.queue();
                if !more(queue.under_way, started) {
                    return;
                }
                let Some(sender) = queue.waiting.pop_front() else { return };
                self.waiting.store(queue.waiting.len(), Ordering::Release);
                queue.under_way += 1;
                sender
            };
            match sender.send(StartTurn(Some(self.clone()))) {
                Ok(()) => started += 1,
                // The waiting script has gone. Its turn is not dropped as such, which would start
                // the next one from within.
                Err(mut turn) => {
                    turn.0 = None;
                    self.queue().under_way -= 1;
                }
            }
        }
    }
}

impl Drop for StartTurn {
    fn drop(&mut self) {
        if let Some(inner) = self.0.take() {
            inner.queue().under_way -= 1;
            inner.start(|under_way, _| under_way < inner.few);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt;
    use std::time::Duration;

    #[tokio::test]
    async fn more_than_a_few_wait_for_one_to_end_or_for_a_thread_that_is_idle() {
        let pace = Pace::new(2);
        let (first, _second) = (pace.turn().await, pace.turn().await);
        let mut waiting: Vec<_> = (0..6).map(|_| Box::pin(pace.turn())).collect();
        for turn in &mut waiting {
            assert!(turn.as_mut().now_or_never().is_none());
        }
        drop(first);
        let third = waiting[0].as_mut().now_or_never().unwrap();
        assert!(waiting[1].as_mut().now_or_never().is_none());
        pace.idle();
        let fourth = waiting[1].as_mut().now_or_never().unwrap();
        assert!(waiting[2].as_mut().now_or_never().is_none());
        // Three run, and two would be few.
        drop(third);
        assert!(waiting[2].as_mut().now_or_never().is_none());
        drop(fourth);
        assert!(waiting[2].as_mut().now_or_never().is_some());
    }

    #[tokio::test]
    async fn who_goes_away_keeps_nobody_waiting() {
        let pace = Pace::new(1);
        let first = pace.turn().await;
        let mut gone = Box::pin(pace.turn());
        let mut late = Box::pin(pace.turn());
        let mut last = Box::pin(pace.turn());
        assert!(gone.as_mut().now_or_never().is_none() && late.as_mut().now_or_never().is_none() && last.as_mut().now_or_never().is_none());
        drop(gone);
        drop(first);
        // Its turn has come, and it doesn't take it.
        drop(late);
        let _turn = last.as_mut().now_or_never().unwrap();
        let crowd: Vec<_> = (0..100_000).map(|_| Box::pin(pace.turn())).collect();
        let crowd: Vec<_> = crowd.into_iter().map(|mut turn| (turn.as_mut().now_or_never().is_some(), turn)).collect();
        assert!(crowd.iter().all(|(started, _)| !started));
        drop(crowd);
        pace.idle();
        assert!(Pace::default().turn().now_or_never().is_some());
    }

    /// Takes processor time in steps of a millisecond.
    async fn busy(steps: usize) {
        for _ in 0..steps {
            let begin = processor_time();
            while processor_time() < begin + Duration::from_millis(1) {}
            tokio::task::yield_now().await;
        }
    }

    #[tokio::test]
    async fn short_scripts_do_not_wait_for_long_ones() {
        let pace = Pace::new(2);
        let long: Vec<_> = (0..2)
            .map(|_| {
                let pace = pace.clone();
                tokio::spawn(async move { pace.run(busy(200)).await.is_ok() })
            })
            .collect();
        tokio::task::yield_now().await;
        // Both places are taken, until the long ones have shown that they are.
        let (_, place) = pace.run(async {}).await.unwrap();
        assert!(long.iter().all(|long| !long.is_finished()));
        drop(place);
        // A third one is more than there is time for.
        assert!(pace.run(busy(200)).await.is_err());
        for long in long {
            assert!(long.await.unwrap());
        }
        assert!(pace.run(busy(20)).await.is_ok());
        assert!(Pace::default().run(busy(20)).await.is_ok());
    }

    #[test]
    fn threads_that_run_out_of_work_let_all_start() {
        let pace = Pace::new(2);
        for threads in [1, 2] {
            let idle = pace.clone();
            let mut builder = tokio::runtime::Builder::new_multi_thread();
            let runtime = builder.worker_threads(threads).enable_time().on_thread_park(move || idle.idle()).build().unwrap();
            runtime.block_on(async {
                let slow = |n: u64| {
                    let pace = pace.clone();
                    tokio::spawn(async move {
                        let _turn = pace.turn().await;
                        tokio::time::sleep(Duration::from_millis(50 + n % 3)).await;
                    })
                };
                let all: Vec<_> = (0..500).map(slow).collect();
                // One after the other, two at a time, they would take twelve seconds.
                let outcome = tokio::time::timeout(Duration::from_secs(10), futures_util::future::join_all(all)).await;
                assert!(outcome.unwrap().iter().all(Result::is_ok));
            });
        }
    }
}

//! The activity of a connection, which is closed when it does nothing, or nothing but harm.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::timeout;

/// The most requests that a connection may cancel beyond those answered. In HTTP/2 each costs a
/// caller next to nothing, and the gateway the beginning of an answer (CVE-2023-44487).
const TAKEN_BACK: usize = 100;

/// The events of a connection. Cheap to clone; clones share it.
#[derive(Debug, Clone, Default)]
pub(super) struct Activity(Arc<Counts>);

#[derive(Debug, Default)]
struct Counts {
    requests: AtomicU64,
    open: AtomicUsize,
    moved: AtomicU64,
    answered: AtomicUsize,
    taken_back: AtomicUsize,
    foreign: AtomicBool,
    harmful: Notify,
}

/// A request in flight, until it is dropped.
#[derive(Debug)]
pub(super) struct Open {
    activity: Activity,
    answered: bool,
}

impl Activity {
    /// Records the head of a request.
    pub fn request(&self) -> Open {
        self.0.requests.fetch_add(1, Ordering::Relaxed);
        self.0.open.fetch_add(1, Ordering::Relaxed);
        Open { activity: self.clone(), answered: false }
    }

    /// Records bytes that came, or were taken.
    pub fn moved(&self, bytes: usize) {
        self.0.moved.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    /// Records that the connection speaks another protocol.
    pub fn foreign(&self) {
        self.0.foreign.store(true, Ordering::Relaxed);
    }

    /// Returns true for a connection that speaks another protocol.
    pub fn is_foreign(&self) -> bool {
        self.0.foreign.load(Ordering::Relaxed)
    }

    /// Awaits `serving`, and drops it if there is no request within `first`, if no byte moves
    /// within `idle` while no request is in flight, or if most requests are cancelled.
    pub async fn bound(&self, first: Duration, idle: Duration, serving: impl Future<Output = ()>) {
        let mut serving = pin!(async {
            tokio::select! {
                () = serving => {}
                () = self.0.harmful.notified() => {}
            }
        });
        let mut patience = first;
        let mut seen = None;
        while timeout(patience, serving.as_mut()).await.is_err() {
            let moved = self.0.moved.load(Ordering::Relaxed);
            let never = self.0.requests.load(Ordering::Relaxed) == 0;
            if never || (seen == Some(moved) && self.0.open.load(Ordering::Relaxed) == 0) {
                return;
            }
            seen = Some(moved);
            patience = idle;
        }
    }
}

impl Open {
    /// Records the answer.
    pub fn answered(mut self) {
        self.answered = true;
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        let counts = &self.activity.0;
        // Idle time starts here.
        self.activity.moved(1);
        counts.open.fetch_sub(1, Ordering::Relaxed);
        if self.answered {
            counts.answered.fetch_add(1, Ordering::Relaxed);
        } else if counts.taken_back.fetch_add(1, Ordering::Relaxed) >= TAKEN_BACK + counts.answered.load(Ordering::Relaxed) {
            counts.harmful.notify_one();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::pending;
    use tokio::time::{Instant, sleep};

    const FIRST: Duration = Duration::from_secs(10);
    const IDLE: Duration = Duration::from_secs(60);

    async fn lasts(activity: &Activity, serving: impl Future<Output = ()>) -> Duration {
        let start = Instant::now();
        activity.bound(FIRST, IDLE, serving).await;
        start.elapsed()
    }

    #[tokio::test(start_paused = true)]
    async fn closed_when_nothing_happens() {
        // Bytes alone, such as a slow head, are no request.
        let activity = Activity::default();
        let dripping = async {
            loop {
                sleep(FIRST / 20).await;
                activity.moved(1);
            }
        };
        assert_eq!(lasts(&activity, dripping).await, FIRST);
        let activity = Activity::default();
        activity.request().answered();
        assert_eq!(lasts(&activity, pending()).await, FIRST + IDLE);
        assert_eq!(lasts(&activity, async {}).await, Duration::ZERO);
    }

    #[tokio::test(start_paused = true)]
    async fn open_while_something_does() {
        let activity = Activity::default();
        let working = async {
            let open = activity.request();
            sleep(10 * IDLE).await;
            open.answered();
            for _ in 0..10 {
                sleep(IDLE / 2).await;
                activity.moved(1);
            }
        };
        assert_eq!(lasts(&activity, working).await, 15 * IDLE);
    }

    #[tokio::test(start_paused = true)]
    async fn closed_when_most_requests_are_taken_back() {
        let activity = Activity::default();
        (0..50).for_each(|_| activity.request().answered());
        (0..TAKEN_BACK + 50).for_each(|_| drop(activity.request()));
        assert_eq!(lasts(&activity, sleep(FIRST / 2)).await, FIRST / 2);
        drop(activity.request());
        assert_eq!(lasts(&activity, pending()).await, Duration::ZERO);
    }
}

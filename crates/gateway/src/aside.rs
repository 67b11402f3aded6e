//! Long work on threads of its own, so that those that serve callers stay free.
//!
//! There are as many threads as processors, and the system prefers others to them. The shortest
//! work goes first: a long body does not keep short ones waiting.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, OnceLock, PoisonError};

use tokio::sync::oneshot;

/// Bodies beyond this length, in bytes, are long: about a millisecond's work.
pub(crate) const LONG: usize = 64 << 10;

/// The priority of the threads below that of others, as `nice` counts it.
const NICE: i32 = 10;

/// Does work whose length is about that of `size` bytes. Returns `None` if it panics.
pub(crate) async fn aside<T: Send + 'static>(size: usize, work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    let Some(queue) = queue() else { return Some(work()) };
    let (sender, receiver) = oneshot::channel();
    queue.put(
        size,
        Box::new(move || {
            // The caller may have gone while the work waited.
            if !sender.is_closed() {
                let _ = sender.send(work());
            }
        }),
    );
    receiver.await.ok()
}

struct Job {
    size: usize,
    /// The place in the order of arrival.
    number: u64,
    work: Box<dyn FnOnce() + Send>,
}

impl Job {
    fn key(&self) -> (usize, u64) {
        (self.size, self.number)
    }
}

impl Ord for Job {
    fn cmp(&self, other: &Job) -> Ordering {
        // The greatest of a heap comes first.
        other.key().cmp(&self.key())
    }
}

impl PartialOrd for Job {
    fn partial_cmp(&self, other: &Job) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Job {
    fn eq(&self, other: &Job) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Job {}

#[derive(Default)]
struct Queue {
    waiting: Mutex<(BinaryHeap<Job>, u64)>,
    came: Condvar,
}

impl Queue {
    fn put(&self, size: usize, work: Box<dyn FnOnce() + Send>) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.1 += 1;
        let number = waiting.1;
        waiting.0.push(Job { size, number, work });
        drop(waiting);
        self.came.notify_one();
    }

    fn take(&self) -> Job {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(job) = waiting.0.pop() {
                return job;
            }
            waiting = self.came.wait(waiting).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// Returns the queue of the process; none if it can have no threads.
fn queue() -> Option<&'static Queue> {
    static QUEUE: OnceLock<Option<Arc<Queue>>> = OnceLock::new();
    let made = QUEUE.get_or_init(|| {
        let queue = Arc::new(Queue::default());
        let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let started = (0..threads).filter(|_| {
            let queue = queue.clone();
            let thread = std::thread::Builder::new().name("aside".to_owned());
            thread.spawn(move || work(&queue)).is_ok()
        });
        (started.count() > 0).then_some(queue)
    });
    made.as_deref()
}

fn work(queue: &Queue) {
    // The calling thread alone, on Linux. Without the permission, it is a thread as others are.
    #[cfg(target_os = "linux")]
    let _ = rustix::process::setpriority_process(None, NICE);
    loop {
        let job = queue.take();
        // The caller sees that its answer is missing.
        let _ = catch_unwind(AssertUnwindSafe(job.work));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn work_is_done_elsewhere() {
        let here = std::thread::current().id();
        assert!(aside(1, move || std::thread::current().id() != here).await.unwrap());
        assert_eq!(aside(1, || -> u8 { panic!("on purpose") }).await, None);
        assert_eq!(aside(1, || 7).await, Some(7));
    }

    #[test]
    fn the_shortest_goes_first() {
        let queue = Queue::default();
        for size in [5, 1, 3, 1] {
            queue.put(size, Box::new(|| {}));
        }
        let order: Vec<(usize, u64)> = (0..4).map(|_| queue.take().key()).collect();
        assert_eq!(order, [(1, 2), (1, 4), (3, 3), (5, 1)]);
    }
}

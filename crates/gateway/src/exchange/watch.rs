//! Timeouts: no progress for too long, or not done by a deadline.

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::task::Poll;
use std::time::Duration;

use tokio::time::{Instant, Sleep, sleep_until};

/// The timeout that passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Late {
    /// Nothing happened within this time.
    Idle(Duration),
    /// The deadline passed.
    Deadline,
}

/// Waits with one timer, however many events there are: it is set forward only when it goes off.
#[derive(Debug)]
pub struct Watch {
    idle: Option<Duration>,
    deadline: Option<Instant>,
    last: Instant,
    sleep: Option<Pin<Box<Sleep>>>,
}

impl Watch {
    /// Starts to watch.
    pub fn new(idle: Option<Duration>, deadline: Option<Instant>) -> Self {
        Watch { idle, deadline, last: Instant::now(), sleep: None }
    }

    /// Returns the output of `future`, if it comes in time. Its coming counts as progress.
    pub async fn wait<F: Future>(&mut self, future: F) -> Result<F::Output, Late> {
        let mut future = pin!(future);
        poll_fn(|cx| {
            if let Poll::Ready(output) = future.as_mut().poll(cx) {
                self.last = Instant::now();
                return Poll::Ready(Ok(output));
            }
            while let Some((due, _)) = self.due() {
                let sleep = self.sleep.get_or_insert_with(|| Box::pin(sleep_until(due)));
                if sleep.as_mut().poll(cx).is_pending() {
                    break;
                }
                // An event in the meantime put the end off.
                match self.due() {
                    Some((due, late)) if Instant::now() >= due => return Poll::Ready(Err(late)),
                    _ => self.sleep = None,
                }
            }
            Poll::Pending
        })
        .await
    }

    fn due(&self) -> Option<(Instant, Late)> {
        let idle = self.idle.and_then(|idle| Some((self.last.checked_add(idle)?, Late::Idle(idle))));
        let deadline = self.deadline.map(|deadline| (deadline, Late::Deadline));
        match (idle, deadline) {
            (Some(idle), Some(deadline)) => Some(if idle.0 < deadline.0 { idle } else { deadline }),
            (idle, deadline) => idle.or(deadline),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::time::sleep;

    const TICK: Duration = Duration::from_secs(1);

    #[tokio::test(start_paused = true)]
    async fn progress_puts_the_idle_timeout_off() {
        let mut watch = Watch::new(Some(3 * TICK), None);
        for _ in 0..5 {
            assert_eq!(watch.wait(sleep(2 * TICK)).await, Ok(()));
        }
        assert_eq!(watch.wait(sleep(4 * TICK)).await, Err(Late::Idle(3 * TICK)));
    }

    #[tokio::test(start_paused = true)]
    async fn progress_does_not_put_the_deadline_off() {
        let mut watch = Watch::new(Some(3 * TICK), Some(Instant::now() + 5 * TICK));
        assert_eq!(watch.wait(sleep(2 * TICK)).await, Ok(()));
        assert_eq!(watch.wait(sleep(2 * TICK)).await, Ok(()));
        assert_eq!(watch.wait(sleep(2 * TICK)).await, Err(Late::Deadline));
        assert_eq!(watch.wait(async { 7 }).await, Ok(7));
    }
}

//! Single-flight: a value that several callers want at the same time is fetched once.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::OnceCell;

/// Fetches under way, by key.
pub(super) struct Flights<T> {
    under_way: Mutex<HashMap<String, Arc<OnceCell<T>>>>,
}

impl<T> Default for Flights<T> {
    fn default() -> Self {
        Flights { under_way: Mutex::default() }
    }
}

impl<T: Clone> Flights<T> {
    /// Returns the value of `fetch`, or of an earlier fetch under the same key; true means the
    /// latter.
    pub async fn fly(&self, key: &str, fetch: impl Future<Output = T>) -> (T, bool) {
        let seat = self.board(key);
        let mut shared = true;
        let value = seat.cell.get_or_init(|| async {
            shared = false;
            fetch.await
        });
        let value = value.await.clone();
        (value, shared)
    }

    fn board(&self, key: &str) -> Seat<'_, T> {
        let mut under_way = self.under_way.lock().unwrap_or_else(PoisonError::into_inner);
        let cell = under_way.entry(key.to_owned()).or_default().clone();
        Seat { flights: self, key: key.to_owned(), cell }
    }
}

/// One waiting caller. The flight ends with the last of them, or once the value is there.
struct Seat<'f, T> {
    flights: &'f Flights<T>,
    key: String,
    cell: Arc<OnceCell<T>>,
}

impl<T> Drop for Seat<'_, T> {
    fn drop(&mut self) {
        let mut under_way = self.flights.under_way.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(cell) = under_way.get(&self.key) else { return };
        // Where nobody else waits there are two holders: the map and this seat.
        if Arc::ptr_eq(cell, &self.cell) && (cell.initialized() || Arc::strong_count(cell) == 2) {
            under_way.remove(&self.key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::time::Duration;
    use tokio::time::{sleep, timeout};

    #[tokio::test(start_paused = true)]
    async fn once_for_many() {
        let flights = Arc::new(Flights::default());
        let fetches = Arc::new(AtomicU32::new(0));
        let mut waiting = Vec::new();
        for _ in 0..100 {
            let (flights, fetches) = (flights.clone(), fetches.clone());
            waiting.push(tokio::spawn(async move {
                flights
                    .fly("k", async {
                        sleep(Duration::from_secs(1)).await;
                        fetches.fetch_add(1, Ordering::Relaxed) + 1
                    })
                    .await
            }));
        }
        let mut first = 0;
        for task in waiting {
            let (value, shared) = task.await.unwrap();
            assert_eq!(value, 1);
            first += u32::from(!shared);
        }
        assert_eq!((first, fetches.load(Ordering::Relaxed)), (1, 1));
        assert!(flights.under_way.lock().unwrap().is_empty());
        assert_eq!(flights.fly("k", async { 2 }).await, (2, false));
    }

    #[tokio::test(start_paused = true)]
    async fn who_gives_up_is_followed() {
        let flights = Arc::new(Flights::default());
        let slow = {
            let flights = flights.clone();
            tokio::spawn(async move { timeout(Duration::from_secs(1), flights.fly("k", std::future::pending::<u32>())).await })
        };
        tokio::task::yield_now().await;
        assert_eq!(flights.fly("k", async { 7 }).await, (7, false));
        assert!(slow.await.unwrap().is_err());
        assert!(timeout(Duration::from_secs(1), flights.fly("other", std::future::pending())).await.is_err());
        assert!(flights.under_way.lock().unwrap().is_empty());
    }
}

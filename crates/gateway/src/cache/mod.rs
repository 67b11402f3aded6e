//! Replies kept for later (docs/spec/ql.md 11): their stores, their keys, and one fetch for several
//! callers.
//!
//! A cache that is down or slow costs a miss, never an answer. [`Cache`] waits for its store
//! briefly, and pauses after an error.

mod flight;
pub mod key;
pub mod memory;
pub mod remote;

use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use futures_util::future::BoxFuture;
use http::{HeaderMap, StatusCode};
use tokio::time::{Instant, timeout};

use crate::observe::{Event, Observer};
use crate::secrets::Secrets;
use flight::Flights;

/// A reply in the cache, after the hook *parse response*.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The status of the reply.
    pub status: StatusCode,
    /// Its headers.
    pub headers: HeaderMap,
    /// Its body.
    pub body: Bytes,
    /// True if the body is JSON of a structure that the hook made: no decoder reads it.
    pub made: bool,
}

/// The reason why a store could not read or write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreError(pub String);

/// A store of entries. Its futures may be dropped at any time.
pub trait Store: Send + Sync {
    /// Returns the entry under a key, unless it has expired.
    fn get(&self, key: &str) -> BoxFuture<'static, Result<Option<Arc<Entry>>, StoreError>>;

    /// Keeps an entry under a key until `expires` has passed.
    fn put(&self, key: &str, entry: Arc<Entry>, expires: Duration) -> BoxFuture<'static, Result<(), StoreError>>;
}

/// A reply fetched because the cache did not have it.
#[derive(Debug)]
pub struct Fetched {
    /// The reply.
    pub entry: Entry,
    /// True if it may be kept.
    pub keep: bool,
}

/// The longest wait for a store.
const PATIENCE: Duration = Duration::from_millis(250);

/// The longest time that an entry is kept: servers refuse times that they cannot count.
const LONGEST: Duration = Duration::from_secs(10 * 365 * 24 * 3600);

/// The pause after a store's error.
const PAUSE: Duration = Duration::from_secs(1);

/// A store behind single-flight: callers who ask for a reply that is being fetched share it. `E` is
/// the error of fetching.
pub struct Cache<E> {
    store: Arc<dyn Store>,
    flights: Flights<Result<Arc<Entry>, E>>,
    health: Arc<Health>,
    secrets: Secrets,
}

/// The state of the store.
struct Health {
    /// The end of the pause.
    paused: Mutex<Option<Instant>>,
    observer: Arc<dyn Observer>,
}

impl<E: Clone> Cache<E> {
    /// Makes a cache in `store`. Headers that `secrets` names are not kept.
    pub fn new(store: Arc<dyn Store>, secrets: Secrets, observer: Arc<dyn Observer>) -> Self {
        Cache { store, flights: Flights::default(), health: Arc::new(Health { paused: Mutex::default(), observer }), secrets }
    }

    /// Returns the reply under `key`, kept or fetched. If the fetching caller gives up or fails,
    /// one of those who wait fetches it for all of them.
    pub async fn get_or_fetch(
        &self,
        key: &str,
        expires: Duration,
        fetch: impl Future<Output = Result<Fetched, E>>,
    ) -> Result<Arc<Entry>, E> {
        if let Some(entry) = self.get(key).await {
            return Ok(entry);
        }
        let mut fetch = pin!(fetch);
        let mut second = false;
        loop {
            let flight = self.flights.fly(key, async {
                let Fetched { mut entry, keep } = fetch.as_mut().await?;
                self.secrets.remove(&mut entry.headers);
                let entry = Arc::new(entry);
                if keep && !expires.is_zero() {
                    self.put(key, entry.clone(), expires);
                }
                Ok(entry)
            });
            let (outcome, shared) = flight.await;
            // The other caller's error may have been its own deadline.
            if shared && outcome.is_err() && !second {
                second = true;
                continue;
            }
            if shared {
                self.health.observer.event(Event::CacheShared);
            }
            return outcome;
        }
    }

    async fn get(&self, key: &str) -> Option<Arc<Entry>> {
        let entry = if self.health.works() { self.health.note(timeout(PATIENCE, self.store.get(key)).await).flatten() } else { None };
        self.health.observer.event(if entry.is_some() { Event::CacheHit } else { Event::CacheMiss });
        entry
    }

    /// Stores an entry without making the caller wait: a store in memory is done at once, another
    /// gets a task.
    fn put(&self, key: &str, entry: Arc<Entry>, expires: Duration) {
        if !self.health.works() {
            return;
        }
        let health = self.health.clone();
        let stored = self.store.put(key, entry, expires.min(LONGEST));
        let mut putting: Pin<Box<dyn Future<Output = ()> + Send>> = Box::pin(async move {
            if health.note(timeout(PATIENCE, stored).await).is_some() {
                health.observer.event(Event::CacheStored);
            }
        });
        if futures_util::FutureExt::now_or_never(&mut putting).is_none() {
            tokio::spawn(putting);
        }
    }
}

impl Health {
    fn works(&self) -> bool {
        let mut paused = self.paused.lock().unwrap_or_else(PoisonError::into_inner);
        match *paused {
            None => true,
            Some(until) if Instant::now() < until => false,
            Some(_) => {
                *paused = None;
                true
            }
        }
    }

    fn note<T>(&self, outcome: Result<Result<T, StoreError>, tokio::time::error::Elapsed>) -> Option<T> {
        if let Ok(Ok(value)) = outcome {
            return Some(value);
        }
        *self.paused.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now() + PAUSE);
        self.observer.event(Event::CacheFailed);
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observe::Counters;
    use std::sync::atomic::{AtomicU32, Ordering};
    use tokio::time::{advance, sleep};

    const MINUTE: Duration = Duration::from_secs(60);

    fn fetched(body: &'static str) -> Fetched {
        let mut headers = HeaderMap::new();
        headers.insert("set-cookie", "s3cret".parse().unwrap());
        headers.insert("x", "y".parse().unwrap());
        Fetched { entry: Entry { status: StatusCode::OK, headers, body: Bytes::from_static(body.as_bytes()), made: false }, keep: true }
    }

    fn cache(store: Arc<dyn Store>) -> (Arc<Cache<String>>, Arc<Counters>) {
        let counters = Arc::new(Counters::default());
        (Arc::new(Cache::new(store, Secrets::default(), counters.clone())), counters)
    }

    async fn never() -> Result<Fetched, String> {
        panic!("it was in the cache")
    }

    #[tokio::test]
    async fn kept_without_secrets_unless_it_may_not_be() {
        let (cache, counters) = cache(Arc::new(memory::Memory::new(memory::CAPACITY)));
        let one = cache.get_or_fetch("k", MINUTE, async { Ok(fetched("one")) }).await.unwrap();
        assert!(!one.headers.contains_key("set-cookie"));
        assert_eq!(cache.get_or_fetch("k", MINUTE, never()).await.unwrap(), one);
        for _ in 0..2 {
            let passing = Fetched { keep: false, ..fetched("passing") };
            assert_eq!(cache.get_or_fetch("p", MINUTE, async { Ok(passing) }).await.unwrap().body, "passing");
            assert_eq!(cache.get_or_fetch("z", Duration::ZERO, async { Ok(fetched("z")) }).await.unwrap().body, "z");
        }
        let counts = counters.snapshot();
        assert_eq!((counts.cache_hits, counts.cache_misses, counts.cache_stored, counts.cache_failures), (1, 5, 1, 0));
    }

    #[tokio::test(start_paused = true)]
    async fn one_fetch_for_all_and_one_more_where_it_fails() {
        let (cache, counters) = cache(Arc::new(memory::Memory::new(memory::CAPACITY)));
        let fetches = Arc::new(AtomicU32::new(0));
        let callers = (0..50).map(|_| {
            let (cache, fetches) = (cache.clone(), fetches.clone());
            tokio::spawn(async move {
                let fetch = async {
                    sleep(MINUTE).await;
                    if fetches.fetch_add(1, Ordering::Relaxed) == 0 { Err("down".to_owned()) } else { Ok(fetched("up")) }
                };
                cache.get_or_fetch("k", MINUTE, fetch).await
            })
        });
        let mut failed = 0;
        for caller in callers.collect::<Vec<_>>() {
            failed += u32::from(caller.await.unwrap().is_err());
        }
        assert_eq!((failed, fetches.load(Ordering::Relaxed), counters.snapshot().cache_shared), (1, 2, 48));
    }

    /// A store without entries that records how long each was to be kept.
    #[derive(Default)]
    struct Recording(Mutex<Vec<Duration>>);

    impl Store for Recording {
        fn get(&self, _: &str) -> BoxFuture<'static, Result<Option<Arc<Entry>>, StoreError>> {
            Box::pin(async { Ok(None) })
        }

        fn put(&self, _: &str, _: Arc<Entry>, expires: Duration) -> BoxFuture<'static, Result<(), StoreError>> {
            self.0.lock().unwrap().push(expires);
            Box::pin(async { Ok(()) })
        }
    }

    #[tokio::test]
    async fn nothing_is_kept_for_ever() {
        let store = Arc::new(Recording::default());
        let (cache, _) = cache(store.clone());
        for expires in [MINUTE, Duration::from_secs(u64::MAX)] {
            cache.get_or_fetch("k", expires, async { Ok(fetched("x")) }).await.unwrap();
        }
        assert_eq!(*store.0.lock().unwrap(), [MINUTE, LONGEST]);
    }

    /// Fails, or never answers.
    struct Down {
        hangs: bool,
        asked: AtomicU32,
    }

    impl Store for Down {
        fn get(&self, _: &str) -> BoxFuture<'static, Result<Option<Arc<Entry>>, StoreError>> {
            self.asked.fetch_add(1, Ordering::Relaxed);
            if self.hangs { Box::pin(std::future::pending()) } else { Box::pin(async { Err(StoreError("down".to_owned())) }) }
        }

        fn put(&self, _: &str, _: Arc<Entry>, _: Duration) -> BoxFuture<'static, Result<(), StoreError>> {
            panic!("it failed just now")
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_store_that_fails_or_hangs_is_a_miss_and_left_alone_for_a_while() {
        for hangs in [false, true] {
            let store = Arc::new(Down { hangs, asked: AtomicU32::new(0) });
            let (cache, counters) = cache(store.clone());
            for _ in 0..10 {
                assert_eq!(cache.get_or_fetch("k", MINUTE, async { Ok(fetched("x")) }).await.unwrap().body, "x");
            }
            assert_eq!((store.asked.load(Ordering::Relaxed), counters.snapshot().cache_failures), (1, 1));
            advance(PAUSE).await;
            cache.get_or_fetch("k", MINUTE, async { Ok(fetched("x")) }).await.unwrap();
            assert_eq!(store.asked.load(Ordering::Relaxed), 2);
        }
    }
}

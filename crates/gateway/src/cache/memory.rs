//! Entries in the memory of this process.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use futures_util::FutureExt;
use futures_util::future::{BoxFuture, ready};
use moka::Expiry;
use moka::sync::Cache;

use super::{Entry, Store, StoreError};

/// Default size of the memory for entries, in bytes.
pub const CAPACITY: u64 = 64 << 20;

/// Bytes of an entry beside its key, headers and body.
const OVERHEAD: usize = 256;

/// A store of bounded size. Entries that are old or seldom used go first.
pub struct Memory(Cache<String, Kept>);

#[derive(Clone)]
struct Kept {
    entry: Arc<Entry>,
    expires: Duration,
}

struct EachItsOwn;

impl Expiry<String, Kept> for EachItsOwn {
    fn expire_after_create(&self, _: &String, kept: &Kept, _: Instant) -> Option<Duration> {
        Some(kept.expires)
    }

    fn expire_after_update(&self, _: &String, kept: &Kept, _: Instant, _: Option<Duration>) -> Option<Duration> {
        Some(kept.expires)
    }
}

impl Memory {
    /// Makes a store of `capacity` bytes.
    pub fn new(capacity: u64) -> Self {
        let weigh = |key: &String, kept: &Kept| {
            let headers: usize = kept.entry.headers.iter().map(|(name, value)| name.as_str().len() + value.len()).sum();
            u32::try_from(key.len() + headers + kept.entry.body.len() + OVERHEAD).unwrap_or(u32::MAX)
        };
        Memory(Cache::builder().max_capacity(capacity).weigher(weigh).expire_after(EachItsOwn).build())
    }
}

impl Store for Memory {
    fn get(&self, key: &str) -> BoxFuture<'static, Result<Option<Arc<Entry>>, StoreError>> {
        ready(Ok(self.0.get(key).map(|kept| kept.entry))).boxed()
    }

    fn put(&self, key: &str, entry: Arc<Entry>, expires: Duration) -> BoxFuture<'static, Result<(), StoreError>> {
        // A body may be part of a larger receive buffer, which would be kept with it.
        let body = Bytes::copy_from_slice(&entry.body);
        let entry = Arc::new(Entry { status: entry.status, headers: entry.headers.clone(), body, made: entry.made });
        self.0.insert(key.to_owned(), Kept { entry, expires });
        ready(Ok(())).boxed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::{HeaderMap, StatusCode};

    fn entry(length: usize) -> Arc<Entry> {
        Arc::new(Entry { status: StatusCode::OK, headers: HeaderMap::new(), body: vec![b'x'; length].into(), made: false })
    }

    const HOUR: Duration = Duration::from_secs(3600);

    #[tokio::test]
    async fn kept_until_it_expires() {
        let memory = Memory::new(CAPACITY);
        memory.put("a", entry(3), HOUR).await.unwrap();
        memory.put("b", entry(3), Duration::from_nanos(1)).await.unwrap();
        assert_eq!(memory.get("a").await.unwrap().unwrap(), entry(3));
        std::thread::sleep(Duration::from_millis(2));
        assert_eq!(memory.get("b").await, Ok(None));
        assert_eq!(memory.get("c").await, Ok(None));
    }

    #[tokio::test]
    async fn of_bounded_size() {
        let memory = Memory::new(100_000);
        for number in 0..1000 {
            memory.put(&number.to_string(), entry(1000), HOUR).await.unwrap();
        }
        memory.0.run_pending_tasks();
        assert!(memory.0.weighted_size() <= 100_000);
        memory.put("too long", entry(200_000), HOUR).await.unwrap();
        memory.0.run_pending_tasks();
        assert_eq!(memory.get("too long").await, Ok(None));
    }
}

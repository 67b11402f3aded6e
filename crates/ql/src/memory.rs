//! Memory that executions share, so that many of them at a time stay within one bound.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes of a unit. Shares take whole units, so that small ones take nothing and cost nothing.
const UNIT: u64 = 64 << 10;

/// Memory for many. Cheap to clone; clones are one.
///
/// # Examples
/// ```
/// use polywire_ql::memory::{Pool, Share};
///
/// let pool = Pool::new(10 << 20);
/// let (one, other) = (Share::of(&pool), Share::of(&pool));
/// assert!(one.grow(8 << 20).is_ok());
/// assert!(other.grow(8 << 20).is_err());
/// drop(one);
/// assert!(other.grow(8 << 20).is_ok());
/// ```
#[derive(Debug, Clone)]
pub struct Pool(Arc<Counts>);

#[derive(Debug)]
struct Counts {
    /// Units that nobody has.
    left: AtomicU64,
    /// Units that were given back so far.
    returned: AtomicU64,
}

/// The other shares have the memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Full;

/// The part of a pool that somebody has, until it is dropped. The default has no pool, and no
/// bound.
#[derive(Debug, Default)]
pub struct Share {
    pool: Option<Pool>,
    units: AtomicU64,
}

impl Pool {
    /// Makes a pool of that many bytes.
    pub fn new(bytes: u64) -> Pool {
        Pool(Arc::new(Counts { left: AtomicU64::new(bytes / UNIT), returned: AtomicU64::new(0) }))
    }

    /// Returns the bytes that nobody has.
    pub fn left(&self) -> u64 {
        self.0.left.load(Ordering::Relaxed) * UNIT
    }

    /// Returns the bytes that were given back so far, in all.
    pub fn returned(&self) -> u64 {
        self.0.returned.load(Ordering::Relaxed).saturating_mul(UNIT)
    }
}

impl Share {
    /// Makes an empty share.
    pub fn of(pool: &Pool) -> Share {
        Share { pool: Some(pool.clone()), units: AtomicU64::new(0) }
    }

    /// Returns true if it has taken nothing of the pool.
    pub fn is_empty(&self) -> bool {
        self.units.load(Ordering::Relaxed) == 0
    }

    /// Makes the share one of `bytes` bytes, if it is smaller.
    ///
    /// # Errors
    /// Others have the memory; the share stays as it is.
    #[inline]
    pub fn grow(&self, bytes: u64) -> Result<(), Full> {
        if bytes / UNIT <= self.units.load(Ordering::Relaxed) { Ok(()) } else { self.take(bytes / UNIT) }
    }

    #[cold]
    fn take(&self, units: u64) -> Result<(), Full> {
        let Some(Pool(counts)) = &self.pool else { return Ok(()) };
        let more = units.saturating_sub(self.units.load(Ordering::Relaxed));
        counts.left.fetch_update(Ordering::AcqRel, Ordering::Relaxed, |left| left.checked_sub(more)).map_err(|_| Full)?;
        // All of it is given back, also of two calls at the same time.
        self.units.fetch_add(more, Ordering::AcqRel);
        Ok(())
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        if let Some(Pool(counts)) = &self.pool {
            let units = *self.units.get_mut();
            counts.left.fetch_add(units, Ordering::AcqRel);
            counts.returned.fetch_add(units, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_that_are_small_take_nothing() {
        let pool = Pool::new(UNIT);
        let small: Vec<Share> = (0..100).map(|_| Share::of(&pool)).collect();
        assert!(small.iter().all(|share| share.grow(UNIT - 1).is_ok()));
        assert_eq!(pool.left(), UNIT);
        assert_eq!(small[0].grow(UNIT), Ok(()));
        assert_eq!(small[0].grow(UNIT), Ok(()));
        assert_eq!(small[1].grow(UNIT), Err(Full));
        drop(small);
        assert_eq!((pool.left(), pool.returned()), (UNIT, UNIT));
        assert_eq!(Share::default().grow(u64::MAX), Ok(()));
    }

    #[test]
    fn all_is_given_back_whoever_takes_at_the_same_time() {
        let pool = Pool::new(1000 * UNIT);
        let shared = Arc::new(Share::of(&pool));
        std::thread::scope(|scope| {
            for thread in 0..8 {
                let (pool, shared) = (&pool, shared.clone());
                scope.spawn(move || {
                    for n in 0..2000u64 {
                        let own = Share::of(pool);
                        let _ = own.grow((n * 7 + thread) % 300 * UNIT);
                        let _ = shared.grow(n % 200 * UNIT);
                    }
                });
            }
        });
        drop(shared);
        assert_eq!(pool.left(), 1000 * UNIT);
    }
}

//! The allocator, and its counts.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    static MADE: Cell<u64> = const { Cell::new(0) };
    /// Bytes that are allocated, and the most since the last reset. Another thread's bytes may be
    /// freed here, so the number can be below zero.
    static LIVE: Cell<(i64, i64)> = const { Cell::new((0, 0)) };
}

struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Returns the number of allocations that this thread has made so far, reallocations included.
pub fn made() -> u64 {
    MADE.try_with(Cell::get).unwrap_or(0)
}

/// Returns the bytes that this thread has allocated and not freed. Another thread's bytes may be
/// freed here, so the number can be below zero.
pub fn live() -> i64 {
    LIVE.try_with(Cell::get).unwrap_or((0, 0)).0
}

/// Returns the most that [`live`] was since the last [`reset`].
pub fn peak() -> i64 {
    LIVE.try_with(Cell::get).unwrap_or((0, 0)).1
}

/// Lets [`peak`] begin anew.
pub fn reset() {
    let _ = LIVE.try_with(|live| live.set((live.get().0, live.get().0)));
}

/// Counts an allocation that takes `bytes` more.
fn count(bytes: i64) {
    // A thread at its end has no cell any more. Nothing is measured then.
    let _ = MADE.try_with(|made| made.set(made.get().wrapping_add(1)));
    let _ = LIVE.try_with(|live| {
        let (now, most) = live.get();
        let now = now.wrapping_add(bytes);
        live.set((now, most.max(now)));
    });
}

/// Counts a release.
fn count_free(bytes: usize) {
    let _ = LIVE.try_with(|live| {
        let (now, most) = live.get();
        live.set((now.wrapping_sub(bytes as i64), most));
    });
}

// SAFETY: every call goes to the system's allocator with the arguments as they came; counting
// touches no allocator: the cell is built at compile time and has no destructor.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as i64);
        // SAFETY: the caller keeps the contract of `GlobalAlloc::alloc`, which is the system's.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        count_free(layout.size());
        // SAFETY: as above; `at` came from the system's allocator.
        unsafe { System.dealloc(at, layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as i64);
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count((size as i64).wrapping_sub(layout.size() as i64));
        // SAFETY: as above; `at` came from the system's allocator.
        unsafe { System.realloc(at, layout, size) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn allocations_of_this_thread_are_counted() {
        let before = made();
        let mut held = vec![1u8];
        held.reserve(1000);
        std::thread::spawn(|| drop(vec![0u8; 10])).join().unwrap();
        assert!(made() >= before + 2);
        reset();
        let now = live();
        drop(vec![1u8; 100_000]);
        assert!(peak() >= now + 100_000 && live() < now + 100_000);
        let before = made();
        let sum: u64 = (0..100).sum();
        assert_eq!((made(), sum), (before, 4950));
    }
}

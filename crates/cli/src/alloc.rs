//! The program's allocator: the system's, with a count for each thread.
//!
//! `compare` reports allocations per message and the heap that they take, and only the allocator
//! sees them all. Counting costs two additions to thread-local cells.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use polywire_compare::HeapCounter;

thread_local! {
    static MADE: Cell<u64> = const { Cell::new(0) };
    /// Bytes that are allocated, and the most since the last reset. Another thread's bytes may be
    /// freed here, so the number can be below zero.
    static LIVE: Cell<(i64, i64)> = const { Cell::new((0, 0)) };
}

/// The heap of the calling thread.
pub static HEAP: HeapCounter = HeapCounter {
    live: || LIVE.try_with(Cell::get).unwrap_or((0, 0)).0,
    peak: || LIVE.try_with(Cell::get).unwrap_or((0, 0)).1,
    reset: || {
        let _ = LIVE.try_with(|live| live.set((live.get().0, live.get().0)));
    },
};

struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Returns the number of allocations that this thread has made so far, reallocations included.
pub fn made() -> u64 {
    MADE.try_with(Cell::get).unwrap_or(0)
}

/// Has the system's allocator give free memory back, where it can, and returns what gives back the
/// rest.
#[cfg(feature = "gateway")]
pub fn relief() -> Option<fn()> {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        give_back();
        Some(trim)
    }
    #[cfg(not(all(target_os = "linux", target_env = "gnu")))]
    None
}

/// Blocks from this length on, in bytes, go back to the system as soon as they are free. Without a
/// number, the allocator raises it with each large block that it frees, to 32 MiB (mallopt(3)).
#[cfg(all(feature = "gateway", target_os = "linux", target_env = "gnu"))]
const LARGE: libc::c_int = 256 << 10;

#[cfg(all(feature = "gateway", target_os = "linux", target_env = "gnu"))]
fn give_back() {
    // SAFETY: the function sets a number of the allocator, under its own lock.
    unsafe { libc::mallopt(libc::M_MMAP_THRESHOLD, LARGE) };
}

#[cfg(all(feature = "gateway", target_os = "linux", target_env = "gnu"))]
fn trim() {
    // SAFETY: the function takes the allocator's own locks, and touches free memory only.
    unsafe { libc::malloc_trim(0) };
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

    #[cfg(all(feature = "gateway", target_os = "linux", target_env = "gnu"))]
    #[test]
    fn free_memory_goes_back() {
        let resident = || {
            let pages = std::fs::read_to_string("/proc/self/statm").unwrap();
            pages.split(' ').nth(1).unwrap().parse::<usize>().unwrap()
        };
        let held: Vec<Box<[u8]>> = (0..100_000).map(|_| vec![1; 1000].into_boxed_slice()).collect();
        let last = vec![1u8; 1000];
        let full = resident();
        drop(held);
        relief().unwrap()();
        assert!(resident() + 10_000 < full, "{} of {full} pages", resident());
        drop(last);
    }

    #[test]
    fn allocations_of_this_thread_are_counted() {
        let before = made();
        let mut held = vec![1u8];
        held.reserve(1000);
        std::thread::spawn(|| drop(vec![0u8; 10])).join().unwrap();
        assert!(made() >= before + 2);
        (HEAP.reset)();
        let live = (HEAP.live)();
        drop(vec![1u8; 100_000]);
        assert!((HEAP.peak)() >= live + 100_000 && (HEAP.live)() < live + 100_000);
        let before = made();
        let sum: u64 = (0..100).sum();
        assert_eq!((made(), sum), (before, 4950));
    }
}

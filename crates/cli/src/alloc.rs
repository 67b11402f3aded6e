//! The program's allocator: the system's, with a count for each thread.
//!
//! `compare` reports allocations per message, and only the allocator sees them all. Counting costs
//! one addition to a thread-local cell.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local!(static MADE: Cell<u64> = const { Cell::new(0) });

struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Returns the number of allocations that this thread has made so far, reallocations included.
pub fn made() -> u64 {
    MADE.try_with(Cell::get).unwrap_or(0)
}

fn count() {
    // A thread at its end has no cell any more. Nothing is measured then.
    let _ = MADE.try_with(|made| made.set(made.get().wrapping_add(1)));
}

// SAFETY: every call goes to the system's allocator with the arguments as they came; counting
// touches no allocator: the cell is built at compile time and has no destructor.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the caller keeps the contract of `GlobalAlloc::alloc`, which is the system's.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: as above; `at` came from the system's allocator.
        unsafe { System.dealloc(at, layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
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
        let before = made();
        let sum: u64 = (0..100).sum();
        assert_eq!((made(), sum), (before, 4950));
    }
}

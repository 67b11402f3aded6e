//! Counts of the allocator, and memory that it gives back.
#![allow(unsafe_code)]

use polywire_compare::HeapCounter;

/// The heap of the calling thread.
pub static HEAP: HeapCounter = HeapCounter { live: polywire_heap::live, peak: polywire_heap::peak, reset: polywire_heap::reset };

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

#[cfg(all(test, feature = "gateway", target_os = "linux", target_env = "gnu"))]
mod tests {
    use super::*;

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
}

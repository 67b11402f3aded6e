//! Counts of allocations and of their bytes, which only a program's allocator knows.

/// Returns the number of allocations that the calling thread has made so far. Only differences
/// count.
pub type AllocCounter = fn() -> u64;

/// The heap of the calling thread. Only differences count: memory that another thread frees stays
/// counted.
#[derive(Debug, Clone, Copy)]
pub struct HeapCounter {
    /// Returns the bytes that are allocated now.
    pub live: fn() -> i64,
    /// Returns the most bytes that were allocated at once since the last reset.
    pub peak: fn() -> i64,
    /// Starts a new search for the most.
    pub reset: fn(),
}

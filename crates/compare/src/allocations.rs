//! The count of allocations, which only a program's allocator knows.

/// Returns the number of allocations that the calling thread has made so far. Only differences
/// count.
pub type AllocCounter = fn() -> u64;

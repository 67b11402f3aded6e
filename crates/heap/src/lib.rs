//! The program's allocator: the system's, with a count for each thread.
//!
//! `compare` reports allocations per message and the heap that they take, and only the allocator
//! sees them all. Counting costs two additions to thread-local cells. A program that links this
//! crate has this allocator.
//!
//! ```
//! let before = polywire_heap::made();
//! let held = vec![1u8; 1000];
//! assert_eq!(polywire_heap::made(), before + 1);
//! assert!(polywire_heap::live() >= held.len() as i64);
//! ```
#![deny(unsafe_code)]

#[allow(unsafe_code)]
mod counting;

pub use counting::{live, made, peak, reset};

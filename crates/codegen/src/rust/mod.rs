//! Rust, the only target: names, and the types of a plan.

pub mod names;
mod types;

pub use types::{Ownership, RustTypes};

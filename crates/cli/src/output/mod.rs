//! Outputs: which one the result of an input goes to, and writing to it.

mod outlet;
mod plan;

pub use outlet::{Outlet, Target};
pub use plan::{Plan, by_extension, in_place_compression, plan};

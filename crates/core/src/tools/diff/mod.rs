//! Comparison of messages by value, across formats: equal, or where they differ.

mod difference;
mod key;
mod lockstep;
mod streams;
mod values;

pub use difference::Difference;
pub use lockstep::Lockstep;
pub use streams::{Failed, Found, Options, Outcome, Side, streams};
pub use values::{differences, equal};

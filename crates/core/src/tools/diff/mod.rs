//! Comparison of messages by value, across formats: equal, or where they differ.

mod align;
mod difference;
mod digest;
mod key;
mod keyed;
mod lockstep;
mod streams;
mod tolerance;
mod values;

pub use difference::Difference;
pub use keyed::ListKey;
pub use lockstep::Lockstep;
pub use streams::{Ahead, Failed, Found, Half, Options, Outcome, Side, streams};
pub use tolerance::Tolerance;
pub use values::{differences, equal};

//! Comparison of messages by value, across formats: equal, or where they differ.

mod align;
mod difference;
mod digest;
mod key;
mod keyed;
mod listing;
mod lockstep;
mod streams;
mod tolerance;
mod values;

pub use difference::Difference;
pub use keyed::ListKey;
pub use listing::{Line, Mark};
pub use lockstep::Lockstep;
pub use streams::{Ahead, Failed, Found, Half, Options, Outcome, Side, What, streams};
pub use tolerance::Tolerance;
pub use values::{differences, equal};

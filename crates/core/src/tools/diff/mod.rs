//! Comparison of messages by value, across formats: equal, or where they differ.

mod align;
mod difference;
mod digest;
mod key;
mod keyed;
mod listing;
mod lockstep;
mod options;
mod streams;
mod tolerance;
mod values;
mod with;

pub use difference::Difference;
pub use keyed::ListKey;
pub use listing::{Line, Mark};
pub use lockstep::Lockstep;
pub use options::Options;
pub use streams::{Ahead, Failed, Found, Half, Outcome, Side, What, streams};
pub use tolerance::Tolerance;
pub use values::{differences, equal};
pub use with::differences_with;

//! Whether two messages have the same value, whatever formats they came in, and where they differ.

mod difference;
mod key;
mod streams;
mod values;

pub use difference::Difference;
pub use streams::{Failed, Found, Options, Outcome, Side, streams};
pub use values::{differences, equal};

//! Measures what a user's own messages cost in every format.
//!
//! [`Messages`] holds the input. [`compare()`] checks each format's round trip on it, value by
//! value, measures sizes and times, and returns a [`Comparison`]: plain data, from which every
//! report in [`report`] is made. The formats come from the caller: this crate names none.
//!
//! Two formats on a hundred messages:
//!
//! ```
//! use polywire_compare::{Messages, Options, compare};
//! use polywire_core::tools::Stream;
//! use polywire_core::{Limits, Result};
//! use polywire_formats::registry;
//!
//! fn main() -> Result<()> {
//!     let (json, cbor) = (registry::find("json")?, registry::find("cbor")?);
//!     let lines = "{\"id\":7,\"name\":\"lamp\"}\n".repeat(100);
//!     let mut messages = Messages::new(json, &Limits::DEFAULT);
//!     messages.add("orders", &mut Stream::new(lines.as_bytes()))?;
//!     let options = Options { time: Some(0.001), ..Options::new(&[json, cbor]) };
//!     let comparison = compare(&messages, &options, &mut |_| ())?;
//!     assert_eq!(comparison.rows.len(), 2);
//!     Ok(())
//! }
//! ```
#![forbid(unsafe_code)]

mod advice;
mod allocations;
pub mod baseline;
mod block;
mod changes;
mod columns;
mod compare;
pub mod comparison;
mod compressed;
pub mod corpus;
mod digest;
pub mod harness;
mod holdout;
mod kinds;
mod lists;
mod machine;
mod measure;
mod messages;
mod more;
mod options;
pub mod program;
mod progress;
mod prove;
mod purpose;
pub mod report;
pub mod rival;
mod rivals;
mod secrets;
mod shapes;
mod size;
mod sort;
mod spoken;
mod stats;

pub use allocations::{AllocCounter, HeapCounter};
pub use baseline::Baseline;
pub use block::{BlockSizes, block_sizes};
pub use compare::compare;
pub use comparison::Comparison;
pub use holdout::held_out;
pub use lists::records_at_top;
pub use machine::Machine;
pub use messages::Messages;
pub use more::More;
pub use options::{Given, Options};
pub use progress::Progress;
pub use purpose::{Figure, Purpose};
pub use sort::Sort;

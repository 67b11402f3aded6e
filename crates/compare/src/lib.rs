//! What a user's own messages cost in every format.
//!
//! [`Messages`] holds the input; [`compare()`] proves each format's round trip on it, value by value, measures sizes and
//! times, and returns a [`Comparison`]: plain data, the one record that every report in [`report`] is made from.
//! The formats come from the caller: this crate names none.
#![forbid(unsafe_code)]

mod changes;
mod compare;
pub mod comparison;
pub mod corpus;
pub mod harness;
mod machine;
mod measure;
mod messages;
mod options;
pub mod program;
mod prove;
pub mod report;
pub mod rival;
mod rivals;
mod size;
mod spoken;
mod stats;

pub use compare::{Progress, compare};
pub use comparison::Comparison;
pub use machine::Machine;
pub use messages::Messages;
pub use options::{AllocCounter, Options, Sort};

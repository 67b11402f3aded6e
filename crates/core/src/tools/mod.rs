//! Sinks and drivers on top of the walk: adapters, streams, conversion, comparison, inspection.

pub mod adapt;
mod bad;
pub mod batch;
pub mod convert;
pub(crate) mod count;
pub mod diff;
pub mod field_paths;
mod fields;
mod foreign;
pub mod inspect;
pub(crate) mod locate;
pub mod loss;
pub(crate) mod message;
pub mod parallel;
pub mod passes;
pub mod shaped;
pub(crate) mod slurp;
pub(crate) mod stream;
mod take;
pub mod tee;
pub mod transform;
pub mod trial;

pub use bad::Bad;
pub use batch::Batch;
pub use count::Count;
pub use fields::FieldNames;
pub use foreign::{caught, hush_caught};
pub use locate::locate;
pub use message::Message;
pub use stream::{Stream, Surroundings, Twice};
pub use take::{Sample, Sampled, Take};

//! Sinks and drivers on top of the walk: adapters, streams, conversion, comparison, inspection.

pub mod adapt;
pub mod convert;
pub(crate) mod count;
pub mod diff;
pub mod field_paths;
mod fields;
pub mod inspect;
pub(crate) mod locate;
pub mod loss;
pub(crate) mod slurp;
pub(crate) mod stream;
mod take;
pub mod tee;
pub mod trial;

pub use count::Count;
pub use fields::FieldNames;
pub use locate::locate;
pub use stream::{Message, Stream, Twice};
pub use take::{Sample, Sampled, Take};

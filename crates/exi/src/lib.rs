//! Efficient XML Interchange (EXI) 1.0, second edition: streams that are coded without a schema.
//!
//! - [`Decoder`] emits the events of a stream to [`Events`], and [`Encoder`] takes events.
//! - [`Options`] are those of a stream's header, or are given by other means.
//!
//! A document's events are those of its XML. `polywire-formats` maps them to walks.
#![forbid(unsafe_code)]

mod bits;
mod events;
mod grammar;
mod header;
mod options;
mod read;
mod tables;
mod write;

pub use events::{Events, Ignore, Name, Value};
pub use options::{Alignment, BLOCK_SIZE, Expanded, Options, Preserve, SchemaId};
pub use read::{Decoder, Outcome, has_header};
pub use write::{Encoder, Head};

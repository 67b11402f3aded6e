//! Efficient XML Interchange (EXI) 1.0, second edition: streams that are coded without a schema.
//!
//! - [`Decoder`] emits the events of a stream to [`Events`], and [`Encoder`] takes events.
//! - [`Options`] are those of a stream's header, or are given by other means.
//!
//! A document's events are those of its XML. `polywire-formats` maps them to walks.
//!
//! ```
//! use polywire_core::{Budget, Limits};
//! use polywire_exi::{Decoder, Encoder, Head, Ignore, Options};
//!
//! let mut encoder = Encoder::new();
//! encoder.begin(&Options::default(), Head::default())?;
//! encoder.start("", "note", None)?;
//! encoder.text("by the lake")?;
//! encoder.end()?;
//! let mut stream = Vec::new();
//! encoder.finish(&mut stream)?;
//!
//! let outcome = Decoder::new().read(&stream, 0, None, &mut Ignore, &mut Budget::new(&Limits::DEFAULT))?;
//! assert_eq!(outcome.len, stream.len());
//! # Ok::<(), polywire_core::Error>(())
//! ```
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

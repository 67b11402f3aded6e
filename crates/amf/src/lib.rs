//! Action Message Format (AMF): values of AMF0 and AMF3, remoting packets, local shared objects.
//!
//! - [`AmfReader`] and [`AmfWriter`] map messages to events and back; a [`Root`] says what a
//!   message is.
//! - [`tags`] has the marks for what AMF has beyond other formats.
//!
//! Sources: [AMF0](https://rtmp.veriskope.com/pdf/amf0-file-format-specification.pdf) and
//! [AMF3](https://rtmp.veriskope.com/pdf/amf3-file-format-spec.pdf) by Adobe. Neither describes
//! shared objects, whose layout is common knowledge.
//!
//! ```
//! use polywire_amf::{AmfReader, Root};
//! use polywire_core::value::ValueSink;
//! use polywire_core::{Budget, Limits, Reader, Value};
//!
//! // An object without a class, whose one property `age` is the integer 36.
//! let message = [0x0a, 0x0b, 0x01, 0x07, b'a', b'g', b'e', 0x04, 36, 0x01];
//! let mut sink = ValueSink::default();
//! AmfReader::new(Root::Amf3).walk(&message, 0, &mut sink, &mut Budget::new(&Limits::DEFAULT))?;
//! assert_eq!(sink.finish(), Some(Value::record([("age", Value::int(36))])));
//! # Ok::<(), polywire_core::Error>(())
//! ```
#![forbid(unsafe_code)]

mod external;
mod format;
mod machine;
mod marker;
mod read;
mod recognise;
mod survey;
pub mod tags;
mod token;
mod u29;
mod values;
mod walk;
mod write;

pub use format::{AMF0, AMF3, PACKET, SHARED_OBJECT};
pub use machine::Root;
pub use read::AmfReader;
pub use write::AmfWriter;

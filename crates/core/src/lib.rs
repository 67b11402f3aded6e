//! The walk.
//!
//! A [`Reader`](read::Reader) walks one message once and tells a [`Sink`](sink::Sink) what it meets, each thing with its byte
//! range. A [`Writer`](write::Writer) is a sink that makes another format's bytes; value trees, dumps, counters and validators are sinks too.
//! So a new format is one reader and one writer, and a new use is one sink.
#![deny(unsafe_code)]

pub mod adapt;
pub mod bind;
pub mod bytes;
pub mod compat;
pub mod convert;
pub mod count;
pub mod diagnostic;
pub mod diff;
pub mod doc;
pub mod error;
pub mod event;
pub mod format;
pub mod inspect;
pub mod language;
pub mod lexical;
pub mod limits;
pub mod loss;
pub mod path;
pub mod payload;
pub mod read;
pub mod schema;
pub mod show;
pub mod sink;
pub mod sources;
pub mod stream;
#[cfg(feature = "testing")]
pub mod testing;
pub mod time;
pub mod tree;
pub mod value;
pub mod write;

//! The formats that Polywire speaks: one folder each, and one line each in the [`registry`].
#![forbid(unsafe_code)]

pub mod coerce;
mod counted;
mod counted_structure;
mod decimal;
mod key_text;
mod likeness;
mod tag_text;

pub mod bencode;
pub mod ber;
pub mod bson;
pub mod cbor;
pub mod cbor_diag;
pub mod charset;
pub mod csv;
pub mod ejson;
pub mod json;
pub mod json_canonical;
pub mod jsonl;
pub mod msgpack;
pub mod payload;
pub mod registry;
pub mod xml;
pub mod yaml;

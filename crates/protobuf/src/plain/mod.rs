//! Messages without their schema: what their bytes tell by themselves, and what they are likely to be.

mod guess;
mod read;
mod recognise;

pub use read::PlainReader;
pub(crate) use read::{say, tell_field};

use polywire_core::format::{Format, Nature, Repeats, SchemaNeed};

use crate::bind::{Protocol, Speech};
use crate::wire::framing::Framing;

/// Name in the registry and in errors.
pub const NAME: &str = "protobuf";

/// Protobuf in the registry: one message, and nothing around it. Without a schema it can only be read.
pub static FORMAT: Format = Format {
    name: NAME,
    title: "Protocol Buffers",
    media_types: &[
        "application/protobuf",
        "application/x-protobuf",
        "application/vnd.google.protobuf",
        "application/octet-stream+protobuf",
    ],
    extensions: &["pb", "binpb", "protobuf"],
    magic: "none; a field's number and wire type",
    nature: Nature::Binary,
    schema: SchemaNeed::Optional,
    repeats: Repeats::List,
    separator: "",
    recognise: recognise::whole,
    reader: || Box::new(PlainReader::new(Framing::Whole)),
    writer: None,
    binder: Some(&Protocol(Speech::Bytes(Framing::Whole))),
};

/// Messages with their lengths before them.
pub static DELIMITED: Format = Format {
    name: "protobuf-delimited",
    title: "Protocol Buffers, length-delimited",
    media_types: &["application/x-protobuf-delimited"],
    extensions: &["delimpb", "pbd"],
    magic: "the length of a message as a varint",
    recognise: recognise::delimited,
    reader: || Box::new(PlainReader::new(Framing::Delimited)),
    binder: Some(&Protocol(Speech::Bytes(Framing::Delimited))),
    ..FORMAT
};

/// Messages as gRPC sends them.
pub static GRPC: Format = Format {
    name: "protobuf-grpc",
    title: "Protocol Buffers in gRPC's frames",
    media_types: &["application/grpc", "application/grpc+proto"],
    extensions: &["grpc"],
    magic: "00, and the length of a message in four bytes",
    recognise: recognise::grpc,
    reader: || Box::new(PlainReader::new(Framing::Grpc)),
    binder: Some(&Protocol(Speech::Bytes(Framing::Grpc))),
    ..FORMAT
};

/// A message as Confluent's serialisers write it.
pub static CONFLUENT: Format = Format {
    name: "protobuf-confluent",
    title: "Protocol Buffers with Confluent's head",
    media_types: &["application/vnd.confluent.protobuf"],
    extensions: &["cpb"],
    magic: "00, the number of a schema in four bytes, indexes of message types",
    recognise: recognise::confluent,
    reader: || Box::new(PlainReader::new(Framing::Confluent)),
    binder: Some(&Protocol(Speech::Bytes(Framing::Confluent))),
    ..FORMAT
};

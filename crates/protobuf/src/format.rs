//! The registry's entries for Protocol Buffers.

use polywire_core::format::{Confidence, Format, Nature, Repeats, SchemaNeed};

use crate::bind::{Protocol, Speech};
use crate::plain::{self, PlainReader};
use crate::through::Unbound;
use crate::wire::NAME;
use crate::wire::framing::Framing;
use crate::{json, text};

/// Protobuf: one message without a frame. Without a schema it can only be read.
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
    recognise: plain::whole,
    reader: || Box::new(PlainReader::new(Framing::Whole)),
    writer: None,
    binder: Some(&Protocol(Speech::Bytes(Framing::Whole))),
};

/// Protobuf with a length before each message.
pub static DELIMITED: Format = Format {
    name: "protobuf-delimited",
    title: "Protocol Buffers, length-delimited",
    media_types: &["application/x-protobuf-delimited"],
    extensions: &["delimpb", "pbd"],
    magic: "the length of a message as a varint",
    recognise: plain::delimited,
    reader: || Box::new(PlainReader::new(Framing::Delimited)),
    binder: Some(&Protocol(Speech::Bytes(Framing::Delimited))),
    ..FORMAT
};

/// Protobuf in gRPC's frames.
pub static GRPC: Format = Format {
    name: "protobuf-grpc",
    title: "Protocol Buffers in gRPC's frames",
    media_types: &["application/grpc", "application/grpc+proto"],
    extensions: &["grpc"],
    magic: "00, and the length of a message in four bytes",
    recognise: plain::grpc,
    reader: || Box::new(PlainReader::new(Framing::Grpc)),
    binder: Some(&Protocol(Speech::Bytes(Framing::Grpc))),
    ..FORMAT
};

/// Protobuf with the head of Confluent's serialisers.
pub static CONFLUENT: Format = Format {
    name: "protobuf-confluent",
    title: "Protocol Buffers with Confluent's head",
    media_types: &["application/vnd.confluent.protobuf"],
    extensions: &["cpb"],
    magic: "00, the number of a schema in four bytes, indexes of message types",
    recognise: plain::confluent,
    reader: || Box::new(PlainReader::new(Framing::Confluent)),
    binder: Some(&Protocol(Speech::Bytes(Framing::Confluent))),
    ..FORMAT
};

/// Canonical JSON. It needs a schema: the same text means different messages of different types.
pub static JSON: Format = Format {
    name: json::NAME,
    title: "ProtoJSON, the canonical JSON of Protocol Buffers",
    media_types: &["application/vnd.google.protobuf+json"],
    extensions: &["protojson"],
    magic: "as JSON",
    nature: Nature::Text,
    schema: SchemaNeed::Required,
    repeats: Repeats::List,
    separator: "\n",
    recognise: |_, _| Confidence::No,
    reader: || Box::<Unbound<json::Framer>>::default(),
    writer: None,
    binder: Some(&Protocol(Speech::Json)),
};

/// The text format. It needs a schema, which has the fields' numbers and types.
pub static TEXT: Format = Format {
    name: text::NAME,
    title: "Text format of Protocol Buffers",
    media_types: &["text/x-protobuf"],
    extensions: &["txtpb", "textproto", "pbtxt"],
    magic: "as text",
    nature: Nature::Text,
    schema: SchemaNeed::Required,
    repeats: Repeats::List,
    separator: "",
    recognise: |_, _| Confidence::No,
    reader: || Box::<Unbound<text::Framer>>::default(),
    writer: None,
    binder: Some(&Protocol(Speech::Text)),
};

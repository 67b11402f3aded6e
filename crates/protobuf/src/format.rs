//! The registry's entries for Protocol Buffers.

use polywire_core::Reader;
use polywire_core::format::{self, Confidence, Format, Nature, Repeats, SchemaNeed};

use crate::bind::{Protocol, Speech};
use crate::plain::{self, PlainReader};
use crate::through::Unbound;
use crate::wire::NAME;
use crate::wire::framing::Framing;
use crate::{json, text};

/// Protobuf: one message without a frame. Without a schema it can only be read.
pub static FORMAT: Format =
    Format::new(NAME, "Protocol Buffers", Nature::Binary, plain::whole, || Box::new(PlainReader::new(Framing::Whole)))
        .media_types(&[
            "application/protobuf",
            "application/x-protobuf",
            "application/vnd.google.protobuf",
            "application/octet-stream+protobuf",
        ])
        .extensions(&["pb", "binpb", "protobuf"])
        .magic("none; a field's number and wire type")
        .ends_with_input()
        .schema(SchemaNeed::Optional)
        .repeats(Repeats::List)
        .binder(&Protocol(Speech::Bytes(Framing::Whole)));

/// Makes a format of the same messages in frames.
const fn framed(
    name: &'static str,
    title: &'static str,
    recognise: fn(&[u8], bool) -> Confidence,
    reader: fn() -> Box<dyn Reader>,
) -> Format {
    Format::new(name, title, Nature::Binary, recognise, reader).schema(SchemaNeed::Optional).repeats(Repeats::List)
}

/// Protobuf with a length before each message.
pub static DELIMITED: Format =
    framed("protobuf-delimited", "Protocol Buffers, length-delimited", plain::delimited, || Box::new(PlainReader::new(Framing::Delimited)))
        .media_types(&["application/x-protobuf-delimited"])
        .extensions(&["delimpb", "pbd"])
        .may_be_empty()
        .framing(format::Framing::Lengths)
        .magic("the length of a message as a varint")
        .binder(&Protocol(Speech::Bytes(Framing::Delimited)));

/// Protobuf in gRPC's frames.
pub static GRPC: Format =
    framed("protobuf-grpc", "Protocol Buffers in gRPC's frames", plain::grpc, || Box::new(PlainReader::new(Framing::Grpc)))
        .media_types(&["application/grpc", "application/grpc+proto"])
        .extensions(&["grpc"])
        .may_be_empty()
        .framing(format::Framing::Lengths)
        .magic("00, and the length of a message in four bytes")
        .binder(&Protocol(Speech::Bytes(Framing::Grpc)));

/// Protobuf with the head of Confluent's serialisers.
pub static CONFLUENT: Format = framed("protobuf-confluent", "Protocol Buffers with Confluent's head", plain::confluent, || {
    Box::new(PlainReader::new(Framing::Confluent))
})
.media_types(&["application/vnd.confluent.protobuf"])
.extensions(&["cpb"])
.magic("00, the number of a schema in four bytes, indexes of message types")
.ends_with_input()
.binder(&Protocol(Speech::Bytes(Framing::Confluent)));

/// Canonical JSON. It needs a schema: the same text means different messages of different types.
pub static JSON: Format = Format::new(
    json::NAME,
    "ProtoJSON, the canonical JSON of Protocol Buffers",
    Nature::Text,
    |_, _| Confidence::No,
    || Box::<Unbound<json::Framer>>::default(),
)
.media_types(&["application/vnd.google.protobuf+json"])
.extensions(&["protojson"])
.magic("as JSON")
.schema(SchemaNeed::Required)
.repeats(Repeats::List)
.separator("\n")
.binder(&Protocol(Speech::Json));

/// The text format. It needs a schema, which has the fields' numbers and types.
pub static TEXT: Format = Format::new(
    text::NAME,
    "Text format of Protocol Buffers",
    Nature::Text,
    |_, _| Confidence::No,
    || Box::<Unbound<text::Framer>>::default(),
)
.media_types(&["text/x-protobuf"])
.extensions(&["txtpb", "textproto", "pbtxt"])
.magic("as text")
.ends_with_input()
.schema(SchemaNeed::Required)
.repeats(Repeats::List)
.binder(&Protocol(Speech::Text));

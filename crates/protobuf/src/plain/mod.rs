//! Messages without their schema: what their bytes tell by themselves, and what they are likely to be.

mod guess;
mod read;
mod recognise;

pub use read::PlainReader;
pub(crate) use read::{say, tell_field};

use polywire_core::Reader;
use polywire_core::format::{Confidence, Format, Nature, Repeats, SchemaNeed};

use crate::bind::{Protocol, Speech};
use crate::wire::framing::Framing;

/// Name in the registry and in errors.
pub const NAME: &str = "protobuf";

/// Protobuf in the registry: one message, and nothing around it. Without a schema it can only be read.
pub static FORMAT: Format =
    Format::new(NAME, "Protocol Buffers", Nature::Binary, recognise::whole, || Box::new(PlainReader::new(Framing::Whole)))
        .media_types(&[
            "application/protobuf",
            "application/x-protobuf",
            "application/vnd.google.protobuf",
            "application/octet-stream+protobuf",
        ])
        .extensions(&["pb", "binpb", "protobuf"])
        .magic("none; a field's number and wire type")
        .schema(SchemaNeed::Optional)
        .repeats(Repeats::List)
        .binder(&Protocol(Speech::Bytes(Framing::Whole)));

/// A format of the same messages in frames.
const fn framed(
    name: &'static str,
    title: &'static str,
    recognise: fn(&[u8], bool) -> Confidence,
    reader: fn() -> Box<dyn Reader>,
) -> Format {
    Format::new(name, title, Nature::Binary, recognise, reader).schema(SchemaNeed::Optional).repeats(Repeats::List)
}

/// Messages with their lengths before them.
pub static DELIMITED: Format = framed("protobuf-delimited", "Protocol Buffers, length-delimited", recognise::delimited, || {
    Box::new(PlainReader::new(Framing::Delimited))
})
.media_types(&["application/x-protobuf-delimited"])
.extensions(&["delimpb", "pbd"])
.magic("the length of a message as a varint")
.binder(&Protocol(Speech::Bytes(Framing::Delimited)));

/// Messages as gRPC sends them.
pub static GRPC: Format =
    framed("protobuf-grpc", "Protocol Buffers in gRPC's frames", recognise::grpc, || Box::new(PlainReader::new(Framing::Grpc)))
        .media_types(&["application/grpc", "application/grpc+proto"])
        .extensions(&["grpc"])
        .magic("00, and the length of a message in four bytes")
        .binder(&Protocol(Speech::Bytes(Framing::Grpc)));

/// A message as Confluent's serialisers write it.
pub static CONFLUENT: Format = framed("protobuf-confluent", "Protocol Buffers with Confluent's head", recognise::confluent, || {
    Box::new(PlainReader::new(Framing::Confluent))
})
.media_types(&["application/vnd.confluent.protobuf"])
.extensions(&["cpb"])
.magic("00, the number of a schema in four bytes, indexes of message types")
.binder(&Protocol(Speech::Bytes(Framing::Confluent)));

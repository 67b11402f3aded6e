//! The formats in the registry.

use polywire_core::format::{Format, Framing, Nature, SchemaNeed};

use crate::bind::Texts;
use crate::read::EtchReader;
use crate::recognise;
use crate::tags::{self, SPACE};
use crate::write::EtchWriter;

static BY_MESSAGE: Texts = Texts { packets: false };
static BY_PACKET: Texts = Texts { packets: true };

/// Messages alone.
pub static MESSAGE: Format = Format::new(SPACE, "Apache Etch", Nature::Binary, recognise::message, || Box::new(EtchReader::new(false)))
    .media_types(&["application/x-etch"])
    .extensions(&["etchb"])
    .magic("03, then the type of the message: 86 a hash, or 93 a name")
    .writer(|| Box::new(EtchWriter::new(false)))
    .schema(SchemaNeed::Optional)
    .binder(&BY_MESSAGE)
    .tag_name(tags::name);

/// Messages in packets, as they go over TCP.
pub static PACKET: Format =
    Format::new("etch-packet", "Apache Etch, packets", Nature::Binary, recognise::packet, || Box::new(EtchReader::new(true)))
        .media_types(&["application/x-etch-packet"])
        .extensions(&["etchp"])
        .magic("de ad be ef, four bytes of length")
        .writer(|| Box::new(EtchWriter::new(true)))
        .schema(SchemaNeed::Optional)
        .binder(&BY_PACKET)
        .framing(Framing::Lengths)
        .tag_name(tags::name);

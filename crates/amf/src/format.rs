//! The formats in the registry.

use polywire_core::format::{Format, Framing, Nature};

use crate::machine::Root;
use crate::read::AmfReader;
use crate::recognise;
use crate::tags;
use crate::write::AmfWriter;

/// Values of AMF0.
pub static AMF0: Format = Format::new("amf0", "AMF0", Nature::Binary, recognise::amf0, || Box::new(AmfReader::new(Root::Amf0)))
    .media_types(&["application/x-amf0"])
    .extensions(&["amf0"])
    .magic("the type of a value: 02 a string, 03 an object, 08 and 0a arrays")
    .writer(|| Box::new(AmfWriter::new(Root::Amf0)))
    .tag_name(tags::name);

/// Values of AMF3.
pub static AMF3: Format = Format::new("amf3", "AMF3", Nature::Binary, recognise::amf3, || Box::new(AmfReader::new(Root::Amf3)))
    .media_types(&["application/x-amf3"])
    .extensions(&["amf3"])
    .magic("the type of a value: 06 a string, 09 an array, 0a an object")
    .writer(|| Box::new(AmfWriter::new(Root::Amf3)))
    .tag_name(tags::name);

/// Packets of remoting.
pub static PACKET: Format =
    Format::new("amf-packet", "AMF, remoting packet", Nature::Binary, recognise::packet, || Box::new(AmfReader::new(Root::Packet)))
        .media_types(&["application/x-amf"])
        .extensions(&["amf"])
        .magic("00 00 or 00 03, then two bytes each for the numbers of headers and messages")
        .writer(|| Box::new(AmfWriter::new(Root::Packet)))
        .tag_name(tags::name);

/// Local shared objects.
pub static SHARED_OBJECT: Format =
    Format::new("sol", "AMF, local shared object", Nature::Binary, recognise::shared, || Box::new(AmfReader::new(Root::SharedObject)))
        .media_types(&["application/x-shared-object"])
        .extensions(&["sol"])
        .magic("00 bf, four bytes of length, TCSO")
        .writer(|| Box::new(AmfWriter::new(Root::SharedObject)))
        .framing(Framing::Counts)
        .tag_name(tags::name);

//! All formats, one line each, and what the faces ask about them.
//!
//! A format is in the lists if its feature is compiled in.

use polywire_core::format::{Confidence, Format, SchemaNeed, Setting};
use polywire_core::{Error, ErrorKind, Fault, Result};
#[cfg(feature = "documents")]
use polywire_doc::{AsDocumentReader, Conventions};

use crate::payload::codecs::is_packed;

/// Makes the lists of formats: those that are compiled in, and all that there are. A line has the
/// feature, the name, and the declaration.
macro_rules! formats {
    ($($feature:literal $name:literal $declaration:path,)*) => {
        /// Every format that is compiled in, in the order in which lists show them.
        pub static FORMATS: &[&Format] = &[$(#[cfg(feature = $feature)] &$declaration,)*];

        /// The name of every format, with the feature that brings it.
        pub static NAMES: &[(&str, &str)] = &[$(($name, $feature),)*];
    };
}

#[rustfmt::skip] // One line each, so that a new format is one new line.
formats! {
    "json"      "json"                crate::json::FORMAT,
    "jsonl"     "jsonl"               crate::jsonl::FORMAT,
    "json"      "json-canonical"      crate::json_canonical::FORMAT,
    "xml"       "xml"                 crate::xml::FORMAT,
    "msgpack"   "msgpack"             crate::msgpack::FORMAT,
    "cbor"      "cbor"                crate::cbor::FORMAT,
    "cbor"      "cbor-diag"           crate::cbor_diag::FORMAT,
    "bson"      "bson"                crate::bson::FORMAT,
    "bson"      "ejson"               crate::ejson::FORMAT,
    "bson"      "ejson-canonical"     crate::ejson::CANONICAL,
    "bencode"   "bencode"             crate::bencode::FORMAT,
    "asn1"      "x509"                polywire_asn1::x509::FORMAT,
    "ber"       "ber"                 crate::ber::FORMAT,
    "asn1"      "asn1-ber"            polywire_asn1::BER,
    "asn1"      "asn1-der"            polywire_asn1::DER,
    "asn1"      "asn1-cer"            polywire_asn1::CER,
    "asn1"      "asn1-uper"           polywire_asn1::UPER,
    "asn1"      "asn1-aper"           polywire_asn1::APER,
    "asn1"      "asn1-oer"            polywire_asn1::OER,
    "asn1"      "asn1-coer"           polywire_asn1::COER,
    "asn1"      "asn1-jer"            polywire_asn1::JER,
    "asn1"      "asn1-xer"            polywire_asn1::XER,
    "asn1"      "asn1-cxer"           polywire_asn1::CXER,
    "psyc"      "psyc"                polywire_psyc::FORMAT,
    "csv"       "csv"                 crate::csv::FORMAT,
    "csv"       "tsv"                 crate::csv::TABS,
    "yaml"      "yaml"                crate::yaml::FORMAT,
    "extprot"   "extprot"             polywire_extprot::FORMAT,
    "usds"      "usds"                polywire_usds::FORMAT,
    "protobuf"  "protobuf"            polywire_protobuf::FORMAT,
    "protobuf"  "protobuf-delimited"  polywire_protobuf::DELIMITED,
    "protobuf"  "protobuf-grpc"       polywire_protobuf::GRPC,
    "protobuf"  "protobuf-confluent"  polywire_protobuf::CONFLUENT,
    "protobuf"  "protojson"           polywire_protobuf::JSON,
    "protobuf"  "txtpb"               polywire_protobuf::TEXT,
    "exi"       "exi"                 crate::exi::FORMAT,
    "thrift"    "thrift-binary"       polywire_thrift::BINARY,
    "thrift"    "thrift-compact"      polywire_thrift::COMPACT,
    "thrift"    "thrift-json"         polywire_thrift::JSON,
    "thrift"    "thrift-simple-json"  polywire_thrift::SIMPLE_JSON,
    "amf"       "amf0"                polywire_amf::AMF0,
    "amf"       "amf3"                polywire_amf::AMF3,
    "amf"       "amf-packet"          polywire_amf::PACKET,
    "amf"       "sol"                 polywire_amf::SHARED_OBJECT,
    "etch"      "etch"                polywire_etch::MESSAGE,
    "etch"      "etch-packet"         polywire_etch::PACKET,
}

/// Formats whose files hold messages as columns, in the order in which lists show them. Such a file
/// is no stream of messages, so whoever goes through [`FORMATS`] does not meet them.
#[rustfmt::skip]
pub static COLUMNAR: &[&Format] = &[
    #[cfg(feature = "columns")] &polywire_arrow::ARROW,
    #[cfg(feature = "columns")] &polywire_arrow::ARROW_STREAM,
    #[cfg(feature = "columns")] &polywire_arrow::PARQUET,
];

/// The name of every format of [`COLUMNAR`], with the feature that brings it.
static COLUMNAR_NAMES: &[(&str, &str)] = &[("arrow", "columns"), ("arrow-stream", "columns"), ("parquet", "columns")];

/// Returns every format: those of single messages, and those of columns.
pub fn all() -> impl Iterator<Item = &'static Format> + Clone {
    FORMATS.iter().chain(COLUMNAR).copied()
}

/// The format of data that names no other: answers, callers' bodies, the configuration.
pub static DATA: &Format = &crate::json::FORMAT;

/// Formats that a service may reply in where a table declares none, the preferred one first
/// (docs/spec/ql.md 8.1).
#[rustfmt::skip]
pub static REPLIES: &[&Format] = &[
    #[cfg(feature = "xml")] &crate::xml::FORMAT,
    &crate::json::FORMAT,
    #[cfg(feature = "csv")] &crate::csv::FORMAT,
];

/// Formats that text of an unknown media type is read as, in the order of the attempts
/// (docs/spec/ql.md 9).
#[rustfmt::skip]
pub static GUESSES: &[&Format] = &[
    &crate::json::FORMAT,
    #[cfg(feature = "xml")] &crate::xml::FORMAT,
];

/// Formats that differ from another one only in how messages follow each other: first the one, then
/// the other.
#[rustfmt::skip]
static FRAMINGS: &[(&Format, &Format)] = &[
    #[cfg(feature = "jsonl")] (&crate::jsonl::FORMAT, &crate::json::FORMAT),
    #[cfg(feature = "protobuf")] (&polywire_protobuf::DELIMITED, &polywire_protobuf::FORMAT),
    #[cfg(feature = "protobuf")] (&polywire_protobuf::GRPC, &polywire_protobuf::FORMAT),
];

/// Other texts or bytes for the values of a format: first these, then the format. Comparisons leave
/// them out unless they are named.
#[rustfmt::skip]
static NOTATIONS: &[(&Format, &Format)] = &[
    #[cfg(feature = "json")] (&crate::json_canonical::FORMAT, &crate::json::FORMAT),
    #[cfg(feature = "cbor")] (&crate::cbor_diag::FORMAT, &crate::cbor::FORMAT),
    #[cfg(feature = "bson")] (&crate::ejson::FORMAT, &crate::bson::FORMAT),
    #[cfg(feature = "bson")] (&crate::ejson::CANONICAL, &crate::bson::FORMAT),
    #[cfg(feature = "csv")] (&crate::csv::TABS, &crate::csv::FORMAT),
    #[cfg(feature = "asn1")] (&polywire_asn1::BER, &polywire_asn1::DER),
    #[cfg(feature = "asn1")] (&polywire_asn1::CER, &polywire_asn1::DER),
    #[cfg(feature = "asn1")] (&polywire_asn1::APER, &polywire_asn1::UPER),
    #[cfg(feature = "asn1")] (&polywire_asn1::COER, &polywire_asn1::OER),
    #[cfg(feature = "asn1")] (&polywire_asn1::JER, &polywire_asn1::DER),
    #[cfg(feature = "asn1")] (&polywire_asn1::XER, &polywire_asn1::DER),
    #[cfg(feature = "asn1")] (&polywire_asn1::CXER, &polywire_asn1::DER),
];

/// Returns the format whose values `format` writes in another way, if it does.
pub fn notation_of(format: &Format) -> Option<&'static Format> {
    NOTATIONS.iter().find(|(notation, _)| notation.name == format.name).map(|&(_, format)| format)
}

/// Formats whose bytes look like those of another one: first the format, then the other. Only a
/// name or a file extension says which of them is meant.
#[rustfmt::skip]
static LIKENESSES: &[(&Format, &Format)] = &[
    #[cfg(feature = "json")] (&crate::json_canonical::FORMAT, &crate::json::FORMAT),
    #[cfg(feature = "cbor")] (&crate::cbor_diag::FORMAT, &crate::json::FORMAT),
    #[cfg(feature = "bson")] (&crate::ejson::FORMAT, &crate::json::FORMAT),
    #[cfg(feature = "bson")] (&crate::ejson::CANONICAL, &crate::json::FORMAT),
];

/// Returns the format that bytes of `format` look like, if it is another one.
pub fn looks_like(format: &Format) -> Option<&'static Format> {
    LIKENESSES.iter().find(|(one, _)| one.name == format.name).map(|&(_, other)| other)
}

/// Formats whose documents become data in more ways than the walk.
#[cfg(feature = "documents")]
#[rustfmt::skip]
static CONVENTIONS: &[(&Format, &dyn Conventions)] = &[
    #[cfg(feature = "xml")] (&crate::xml::FORMAT, &crate::xml::XmlObjects),
    #[cfg(feature = "csv")] (&crate::csv::FORMAT, &crate::csv::CsvTable),
    #[cfg(feature = "csv")] (&crate::csv::TABS, &crate::csv::CsvTable),
];

/// Returns the other ways in which documents of `format` become data, if there are any beside the
/// walk.
#[cfg(feature = "documents")]
pub fn conventions(format: &Format) -> Option<&'static dyn Conventions> {
    CONVENTIONS.iter().find(|(known, _)| known.name == format.name).map(|&(_, conventions)| conventions)
}

/// Formats whose readers make documents themselves.
#[cfg(feature = "documents")]
#[rustfmt::skip]
static DOCUMENTS: &[(&Format, AsDocumentReader)] = &[
    #[cfg(feature = "protobuf")] (&polywire_protobuf::FORMAT, polywire_protobuf::walk::document_reader),
    #[cfg(feature = "protobuf")] (&polywire_protobuf::DELIMITED, polywire_protobuf::walk::document_reader),
    #[cfg(feature = "protobuf")] (&polywire_protobuf::GRPC, polywire_protobuf::walk::document_reader),
    #[cfg(feature = "protobuf")] (&polywire_protobuf::CONFLUENT, polywire_protobuf::walk::document_reader),
];

/// Returns how readers of `format` make documents themselves, if they do.
#[cfg(feature = "documents")]
pub fn document_reader(format: &Format) -> Option<AsDocumentReader> {
    DOCUMENTS.iter().find(|(known, _)| known.name == format.name).map(|&(_, reader)| reader)
}

/// Returns the name, for people, of a tag in any format's tag space.
pub fn tag_name(space: &str, code: u64) -> Option<&'static str> {
    FORMATS.iter().find_map(|format| (format.tag_name)(space, code))
}

/// Returns the format of the bytes in a tagged value, if the tag of any format's tag space declares
/// one.
pub fn tag_holds(space: &str, code: u64) -> Option<&'static Format> {
    FORMATS.iter().find_map(|format| (format.tag_holds)(space, code))
}

/// Returns the settings that formats take, each once, with the formats that take it.
pub fn settings() -> Vec<(&'static Setting, Vec<&'static Format>)> {
    let mut found: Vec<(&'static Setting, Vec<&'static Format>)> = Vec::new();
    for format in all() {
        for setting in format.settings.map(|settings| settings.settings()).unwrap_or_default() {
            match found.iter_mut().find(|(known, _)| known.name == setting.name) {
                Some((_, formats)) => formats.push(format),
                None => found.push((setting, vec![format])),
            }
        }
    }
    found
}

/// Returns the format of a media type, which has no parameters and any letter case. A format that
/// lists it comes first. After that comes the format whose name is its subtype, or its suffix
/// (`image/svg+xml`: RFC 6839).
pub fn by_media_type(media_type: &str) -> Option<&'static Format> {
    let media_type = media_type.to_ascii_lowercase();
    let listed = FORMATS.iter().copied().find(|format| format.media_types.contains(&media_type.as_str()));
    let subtype = media_type.split_once('/').map_or(&*media_type, |(_, subtype)| subtype);
    let name = subtype.rsplit_once('+').map_or(subtype, |(_, suffix)| suffix);
    listed.or_else(|| FORMATS.iter().copied().find(|format| format.name == name))
}

/// Returns the format of each single message of `format`: another one if `format` only says how
/// messages follow each other.
pub fn unframed(format: &'static Format) -> &'static Format {
    FRAMINGS.iter().find(|(framing, _)| framing.name == format.name).map_or(format, |(_, inner)| inner)
}

/// Returns the text behind a message that stands alone: that between messages for a format whose
/// framing is a part of the message, such as the line break of JSON Lines, and none for others.
pub fn end_of_message(format: &'static Format) -> &'static str {
    if unframed(format).name == format.name { "" } else { format.separator }
}

/// Returns the format with this name, or this file extension.
///
/// # Errors
/// There is none, or its feature was not compiled in.
pub fn find(name: &str) -> Result<&'static Format> {
    all().find(|format| format.name == name).or_else(|| by_extension(name)).ok_or_else(|| {
        let names: Vec<&str> = all().map(|format| format.name).collect();
        if let Some(feature) = absent(name) {
            return Error::new(ErrorKind::UnknownFormat, Fault::Caller)
                .seen(format!("`{name}`, a format whose feature `{feature}` was not compiled in"))
                .expected(format!("one of {}", names.join(", ")))
                .hint(format!("cargo add polywire --features {feature}"));
        }
        Error::new(ErrorKind::UnknownFormat, Fault::Caller).seen(format!("`{name}`")).expected(format!("one of {}", names.join(", ")))
    })
}

/// Returns the names of the formats that were not compiled in, with the features that bring them.
pub fn absentees() -> impl Iterator<Item = (&'static str, &'static str)> + Clone {
    NAMES.iter().chain(COLUMNAR_NAMES).copied().filter(|(name, _)| all().all(|format| format.name != *name))
}

/// Returns the feature that brings the format with this name, if it was not compiled in.
pub fn absent(name: &str) -> Option<&'static str> {
    absentees().find(|(known, _)| *known == name).map(|(_, feature)| feature)
}

/// Returns the format of a file extension, with or without the dot.
pub fn by_extension(extension: &str) -> Option<&'static Format> {
    let extension = extension.trim_start_matches('.').to_ascii_lowercase();
    all().find(|format| format.extensions.contains(&extension.as_str()))
}

/// Returns the format that the first bytes of a stream look most like; the earlier in the registry
/// wins a tie. `whole` is true if nothing follows the bytes.
///
/// Bytes that begin like a compressed file are of a format only if that is as certain.
pub fn recognise(start: &[u8], whole: bool) -> Option<&'static Format> {
    let mut best = (if is_packed(start) { Confidence::Likely } else { Confidence::No }, None);
    for format in all() {
        let confidence = (format.recognise)(start, whole);
        if confidence > best.0 {
            best = (confidence, Some(format));
        }
    }
    best.1
}

/// Returns the format of a stream with these first bytes: the one that they show, else that of the
/// file extension. `whole` is true if nothing follows the bytes.
///
/// The file extension also decides if the bytes fit many formats, or several that look alike.
pub fn choose(start: &[u8], whole: bool, extension: Option<&str>) -> Option<&'static Format> {
    let named = extension.and_then(by_extension);
    // The bytes of a format that needs a schema look like those of another one, or of none.
    let needs_schema = |format: &Format| format.schema == SchemaNeed::Required;
    let fits = |format: &&Format| {
        let shown = looks_like(format).unwrap_or(format);
        needs_schema(format) || (shown.recognise)(start, whole) > Confidence::No
    };
    let recognised = recognise(start, whole);
    // A file extension that fits the bytes decides between formats that look alike.
    let decides = |named: &&'static Format| {
        recognised.is_none_or(|format| {
            (format.recognise)(start, whole) < Confidence::Certain
                || needs_schema(named)
                || unframed(named).name == format.name
                || looks_like(named).is_some_and(|shown| shown.name == unframed(format).name)
        })
    };
    let by_extension = named.filter(fits).filter(decides);
    // Bytes that fit many formats say less than a file extension.
    let likely = recognised.filter(|format| (format.recognise)(start, whole) > Confidence::Possible);
    by_extension.or(likely).or(named).or(recognised)
}

#[cfg(all(test, feature = "full"))]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_declarations() {
        let declared: Vec<&str> = FORMATS.iter().map(|format| format.name).collect();
        let named: Vec<&str> = NAMES.iter().map(|(name, _)| *name).collect();
        assert_eq!(declared, named);
        if cfg!(feature = "columns") {
            let declared: Vec<&str> = COLUMNAR.iter().map(|format| format.name).collect();
            let named: Vec<&str> = COLUMNAR_NAMES.iter().map(|(name, _)| *name).collect();
            assert_eq!(declared, named);
            assert!(COLUMNAR.iter().all(|format| format.columns.is_some()));
        }
    }
}

//! All peers, by the names that workloads use: each has a function that makes it ready.

use polywire_asn1::ber::BerReader;
use polywire_asn1::per::PerReader;
use polywire_core::{Error, Reader};

use crate::input::Input;
use crate::ours::asn1::{self, Encoding};
use crate::peer::{Prepared, Work};
use crate::typed::by_serde;
use crate::typed::extprot::{self, Extprot};
use crate::typed::finding::FindItemsByKeywordsResponse;
#[cfg(feature = "native")]
use crate::typed::generated::{Buffa, BuffaView, Upb, of_buffa, of_upb};
use crate::typed::model::{Complex, Flat, Sales};
use crate::{ours, rivals, typed};

/// Makes a peer for a workload.
pub type Prepare = for<'a> fn(Work, &'a Input) -> Prepared<'a>;

/// All peers, by the names that workloads use.
pub const PEERS: &[(&str, Prepare)] = &[
    ("polywire walk json", |_, input| ours::walk::walk("json", input)),
    ("polywire walk json, the sink known", |_, input| ours::walk::walk_known(input)),
    ("polywire walk msgpack", |_, input| ours::walk::walk("msgpack", input)),
    ("polywire walk cbor", |_, input| ours::walk::walk("cbor", input)),
    ("polywire walk xml", |_, input| ours::walk::walk_elements("xml", input)),
    ("polywire convert json msgpack", |_, input| ours::walk::convert("json", "msgpack", input)),
    ("polywire encode json", |_, input| ours::encode::encode("json", input)),
    ("polywire encode msgpack", |_, input| ours::encode::encode("msgpack", input)),
    ("polywire encode cbor", |_, input| ours::encode::encode("cbor", input)),
    ("polywire walk asn1-ber sales", |work, input| asn1::walk::<Box<dyn Reader>>(Encoding::Ber, work, input)),
    ("polywire walk asn1-ber sales, the sink known", |work, input| asn1::walk::<BerReader>(Encoding::Ber, work, input)),
    ("polywire walk asn1-ber sales, REAL as octets", |work, input| asn1::walk::<BerReader>(Encoding::BerOctets, work, input)),
    ("polywire walk asn1-uper sales", |work, input| asn1::walk::<Box<dyn Reader>>(Encoding::Uper, work, input)),
    ("polywire walk asn1-uper sales, the sink known", |work, input| asn1::walk::<PerReader>(Encoding::Uper, work, input)),
    ("polywire walk asn1-uper sales, REAL as octets", |work, input| asn1::walk::<PerReader>(Encoding::UperOctets, work, input)),
    ("polywire walk asn1-oer sales", |work, input| asn1::walk::<Box<dyn Reader>>(Encoding::OerOctets, work, input)),
    ("polywire walk asn1-oer sales, the sink known", |work, input| asn1::walk::<PerReader>(Encoding::OerOctets, work, input)),
    ("PSYC pull", ours::psyc::pull),
    ("PSYC pull, parts of 1 MB", ours::psyc::parts),
    ("PSYC batch", ours::psyc::batch),
    ("polywire walk protobuf", ours::protobuf::walk),
    ("polywire protobuf to JSON", ours::protobuf::print),
    ("polywire JSON to protobuf", ours::protobuf::parse),
    ("prost-reflect", rivals::prost_reflect::decode),
    ("prost-reflect to JSON", rivals::prost_reflect::print),
    ("prost-reflect of JSON", rivals::prost_reflect::parse),
    ("sonic-rs Value", |_, input| rivals::walk::library("json", "sonic-rs", input)),
    ("serde_json Value", |_, input| rivals::walk::library("json", "serde_json", input)),
    ("simd-json Value", |_, input| rivals::walk::library("json", "simd-json", input)),
    ("serde_json Value, encoded", |_, input| rivals::encode::library("json", "serde_json", input)),
    ("rmpv Value, encoded by rmp-serde", |_, input| rivals::encode::library("msgpack", "rmp-serde", input)),
    ("ciborium Value, encoded", |_, input| rivals::encode::library("cbor", "ciborium", input)),
    ("minicbor Encoder, by the same walk", |_, input| rivals::encode::minicbor_by_walk(input)),
    ("serde_json Value to rmp-serde", |_, input| rivals::walk::serde_json_to_rmp(input)),
    ("rmp-serde to rmpv Value", |_, input| rivals::walk::library("msgpack", "rmp-serde", input)),
    ("ciborium Value", |_, input| rivals::walk::library("cbor", "ciborium", input)),
    ("quick-xml reader", |_, input| rivals::walk::quick_xml(input)),
    ("sonic-rs", rivals::json::sonic_rs),
    ("simd-json", rivals::json::simd_json),
    ("serde_json", rivals::json::serde_json),
    ("extprot, owned complex", typed::prepare::<Extprot<extprot::Complex>>),
    ("extprot, owned flat", typed::prepare::<Extprot<extprot::Flat>>),
    ("extprot, borrowed complex", extprot::borrowed::<extprot::Complex>),
    ("extprot, borrowed flat", extprot::borrowed::<extprot::Flat>),
    ("extprot, owned in place complex", extprot::owned_in_place::<extprot::Complex>),
    ("extprot, owned in place flat", extprot::owned_in_place::<extprot::Flat>),
    ("extprot, borrowed in place complex", extprot::borrowed_in_place::<extprot::Complex>),
    ("extprot, borrowed in place flat", extprot::borrowed_in_place::<extprot::Flat>),
    ("extprot, checked complex", extprot::generated_check::<extprot::Complex>),
    ("extprot, checked flat", extprot::generated_check::<extprot::Flat>),
    ("extprot, checked by a plan complex", extprot::planned_check::<extprot::Complex>),
    ("extprot, checked by a plan flat", extprot::planned_check::<extprot::Flat>),
    ("extprot, walked complex", extprot::walk::<extprot::Complex>),
    ("extprot, walked flat", extprot::walk::<extprot::Flat>),
    ("polywire-protobuf-owned complex", typed::prepare::<typed::protobuf::Owned<typed::protobuf::Complex>>),
    ("polywire-protobuf-owned flat", typed::prepare::<typed::protobuf::Owned<typed::protobuf::Flat>>),
    ("polywire-protobuf-owned sales", typed::prepare::<typed::protobuf::Owned<typed::protobuf::Sales>>),
    ("polywire-protobuf-owned reply", typed::prepare::<typed::protobuf::Owned<typed::protobuf::Reply>>),
    ("polywire-protobuf-borrowed complex", typed::protobuf::borrowed::<typed::protobuf::Complex>),
    ("polywire-protobuf-borrowed flat", typed::protobuf::borrowed::<typed::protobuf::Flat>),
    ("polywire-protobuf-borrowed sales", typed::protobuf::borrowed::<typed::protobuf::Sales>),
    ("polywire-protobuf-borrowed reply", typed::protobuf::borrowed::<typed::protobuf::Reply>),
    ("prost complex", typed::prepare::<typed::Prost<Complex>>),
    ("prost flat", typed::prepare::<typed::Prost<Flat>>),
    ("packed sales", typed::prepare::<typed::usds::Packed>),
    ("USDS generated sales", typed::prepare::<typed::usds::Generated>),
    ("USDS generated borrowing sales", typed::usds::borrowed),
    ("USDS events sales", typed::usds::by_events),
    ("USDS events by value sales", typed::usds::by_value_events),
    ("USDS DOM sales", typed::usds::by_dom),
    ("prost reply", typed::prepare::<typed::Prost<FindItemsByKeywordsResponse>>),
    ("prost sales", typed::prepare::<typed::Prost<Sales>>),
    ("bitcode complex", typed::prepare::<typed::Bitcode<Complex>>),
    ("bitcode flat", typed::prepare::<typed::Bitcode<Flat>>),
    ("bitcode sales", typed::prepare::<typed::Bitcode<Sales>>),
    ("rkyv complex", typed::prepare::<typed::Rkyv<Complex>>),
    ("rkyv flat", typed::prepare::<typed::Rkyv<Flat>>),
    ("rkyv sales", typed::prepare::<typed::Rkyv<Sales>>),
    ("serde_json sales", typed::prepare::<typed::json::SerdeJson<Sales>>),
    ("serde_json sales, dates", typed::prepare::<typed::json::SerdeJson<typed::json::Dated>>),
    ("sonic-rs sales", typed::prepare::<typed::json::SonicRs<Sales>>),
    ("sonic-rs sales, dates", typed::prepare::<typed::json::SonicRs<typed::json::Dated>>),
    ("serde: polywire json sales", typed::prepare::<by_serde::Owned<by_serde::Whole<by_serde::Json>, Sales>>),
    ("serde: polywire json reply", typed::prepare::<by_serde::Owned<by_serde::Whole<by_serde::Json>, by_serde::Reply>>),
    ("serde: polywire json sales, borrowed", typed::prepare::<by_serde::Borrowed<by_serde::Json>>),
    ("serde: serde_json sales", typed::prepare::<by_serde::Owned<by_serde::Whole<by_serde::SerdeJson>, Sales>>),
    ("serde: serde_json reply", typed::prepare::<by_serde::Owned<by_serde::Whole<by_serde::SerdeJson>, by_serde::Reply>>),
    ("serde: serde_json sales, borrowed", typed::prepare::<by_serde::Borrowed<by_serde::SerdeJson>>),
    ("serde: sonic-rs sales", typed::prepare::<by_serde::Owned<by_serde::Whole<by_serde::SonicRs>, Sales>>),
    ("serde: sonic-rs reply", typed::prepare::<by_serde::Owned<by_serde::Whole<by_serde::SonicRs>, by_serde::Reply>>),
    ("serde: sonic-rs sales, borrowed", typed::prepare::<by_serde::Borrowed<by_serde::SonicRs>>),
    ("serde: polywire msgpack sales", typed::prepare::<by_serde::Owned<by_serde::Whole<by_serde::Msgpack>, Sales>>),
    ("serde: polywire msgpack reply", typed::prepare::<by_serde::Owned<by_serde::Whole<by_serde::Msgpack>, by_serde::Reply>>),
    ("serde: polywire msgpack sales, borrowed", typed::prepare::<by_serde::Borrowed<by_serde::Msgpack>>),
    ("serde: rmp-serde sales", typed::prepare::<by_serde::Owned<by_serde::Whole<by_serde::RmpSerde>, Sales>>),
    ("serde: rmp-serde reply", typed::prepare::<by_serde::Owned<by_serde::Whole<by_serde::RmpSerde>, by_serde::Reply>>),
    ("serde: rmp-serde sales, borrowed", typed::prepare::<by_serde::Borrowed<by_serde::RmpSerde>>),
    ("serde: polywire cbor sales", typed::prepare::<by_serde::Owned<by_serde::Whole<by_serde::Cbor>, Sales>>),
    ("serde: polywire cbor reply", typed::prepare::<by_serde::Owned<by_serde::Whole<by_serde::Cbor>, by_serde::Reply>>),
    ("serde: polywire cbor sales, borrowed", typed::prepare::<by_serde::Borrowed<by_serde::Cbor>>),
    ("serde: ciborium sales", typed::prepare::<by_serde::Owned<by_serde::Ciborium, Sales>>),
    ("serde: ciborium reply", typed::prepare::<by_serde::Owned<by_serde::Ciborium, by_serde::Reply>>),
    ("serde: quick-xml sales", typed::prepare::<by_serde::Owned<by_serde::QuickXml, Sales>>),
    ("serde: polywire xml sales", typed::prepare::<by_serde::Owned<by_serde::Whole<by_serde::Xml>, Sales>>),
    ("serde: polywire xml of quick-xml sales", typed::prepare::<by_serde::Owned<by_serde::PlainXml, Sales>>),
    ("serde: polywire asn1-ber sales", typed::prepare::<by_serde::Owned<by_serde::Whole<by_serde::Ber>, Sales>>),
    ("serde: polywire asn1-uper sales", typed::prepare::<by_serde::Owned<by_serde::Whole<by_serde::Uper>, Sales>>),
    ("bson sales", typed::prepare::<typed::bson::Bson>),
    ("rasn BER sales", typed::prepare::<typed::asn1::Ber>),
    ("rasn UPER sales", typed::prepare::<typed::asn1::Uper>),
    ("rasn OER sales", typed::prepare::<typed::asn1::Oer>),
    ("rasn XER sales", typed::prepare::<typed::asn1::Xer>),
];

/// Peers of the feature `native`.
#[cfg(feature = "native")]
const NATIVE: &[(&str, Prepare)] = &[
    ("simdjson 3 DOM", crate::native::simdjson_packaged_dom),
    ("simdjson 3 on-demand", crate::native::simdjson_packaged_on_demand),
    ("simdjson 3 parse_many", crate::native::simdjson_packaged_many),
    ("simdjson 3 parse_many, one thread", crate::native::simdjson_packaged_many_alone),
    ("simdjson 4 DOM", crate::native::simdjson_newest_dom),
    ("simdjson 4 on-demand", crate::native::simdjson_newest_on_demand),
    ("simdjson 4 parse_many", crate::native::simdjson_newest_many),
    ("simdjson 4 parse_many, one thread", crate::native::simdjson_newest_many_alone),
    ("RapidJSON DOM", crate::native::rapidjson_dom),
    ("RapidJSON in situ", crate::native::rapidjson_in_situ),
    ("RapidJSON SAX", crate::native::rapidjson_sax),
    ("json-c", crate::native::json_c),
    ("json-glib", crate::native::json_glib),
    ("rapidxml", crate::native::rapidxml),
    ("pugixml", crate::native::pugixml),
    ("libxml2 DOM", crate::native::libxml2_dom),
    ("libxml2 SAX", crate::native::libxml2_sax),
    ("Protobuf C++, arena", crate::native::protobuf_arena),
    ("Protobuf C++, arena with a first block", crate::native::protobuf_first_block),
    ("Protobuf C++, reused", crate::native::protobuf_reused),
    ("Protobuf C++, MessageToJsonString", crate::native::protobuf_to_json),
    ("Protobuf C++, BinaryToJsonStream", crate::native::protobuf_bytes_to_json),
    ("Protobuf C++, JsonStringToMessage", crate::native::protobuf_of_json),
    ("Protobuf C++, JsonToBinaryStream", crate::native::protobuf_bytes_of_json),
    ("Protobuf C++, arena complex", crate::native::protobuf_arena_complex),
    ("Protobuf C++, arena flat", crate::native::protobuf_arena_flat),
    ("Protobuf C++, arena sales", crate::native::protobuf_arena_sales),
    ("Protobuf C++, arena with a first block complex", crate::native::protobuf_first_block_complex),
    ("Protobuf C++, arena with a first block flat", crate::native::protobuf_first_block_flat),
    ("Protobuf C++, arena with a first block sales", crate::native::protobuf_first_block_sales),
    ("Protobuf C++, reused complex", crate::native::protobuf_reused_complex),
    ("Protobuf C++, reused flat", crate::native::protobuf_reused_flat),
    ("Protobuf C++, reused sales", crate::native::protobuf_reused_sales),
    ("Protobuf C++, arena, struct sales", crate::native::protobuf_sales_arena),
    ("Protobuf C++, first block, struct sales", crate::native::protobuf_sales_first_block),
    ("Protobuf C++, reused, struct sales", crate::native::protobuf_sales_reused),
    ("Protobuf C++, arena reply", crate::native::protobuf_arena_reply),
    ("Protobuf C++, arena with a first block reply", crate::native::protobuf_first_block_reply),
    ("Protobuf C++, reused reply", crate::native::protobuf_reused_reply),
    ("upb, struct sales", typed::sales::upb),
    ("upb complex", typed::prepare::<Upb<of_upb::Complex>>),
    ("upb flat", typed::prepare::<Upb<of_upb::Flat>>),
    ("upb reply", typed::prepare::<Upb<of_upb::FindItemsByKeywordsResponse>>),
    ("upb sales", typed::prepare::<Upb<of_upb::Sales>>),
    ("buffa complex", typed::prepare::<Buffa<of_buffa::Complex>>),
    ("buffa flat", typed::prepare::<Buffa<of_buffa::Flat>>),
    ("buffa reply", typed::prepare::<Buffa<of_buffa::FindItemsByKeywordsResponse>>),
    ("buffa sales", typed::prepare::<Buffa<of_buffa::Sales>>),
    ("buffa view complex", typed::prepare::<BuffaView<of_buffa::Complex>>),
    ("buffa view flat", typed::prepare::<BuffaView<of_buffa::Flat>>),
    ("buffa view reply", typed::prepare::<BuffaView<of_buffa::FindItemsByKeywordsResponse>>),
    ("buffa view sales", typed::prepare::<BuffaView<of_buffa::Sales>>),
    ("RapidJSON SAX sales", crate::native::rapidjson_sax_sales),
    ("RapidJSON SAX sales, dates", crate::native::rapidjson_sax_sales_dates),
    ("RapidJSON DOM sales", crate::native::rapidjson_dom_sales),
    ("RapidJSON DOM sales, dates", crate::native::rapidjson_dom_sales_dates),
    ("TinyXML2 sales", crate::native::tinyxml2_sales),
    ("TinyXML2 sales, dates", crate::native::tinyxml2_sales_dates),
    ("TinyXML2 printer sales", crate::native::tinyxml2_printer_sales),
    ("TinyXML2 printer sales, dates", crate::native::tinyxml2_printer_sales_dates),
    ("libbson sales", crate::native::libbson_sales),
    ("asn1c BER sales", crate::native::asn1c_ber_sales),
    ("asn1c UPER sales", crate::native::asn1c_uper_sales),
    ("asn1c XER sales", crate::native::asn1c_xer_sales),
    ("expat, no callbacks", crate::native::expat),
    ("gzip -6", crate::native::gzip_6),
    ("gzip -9", crate::native::gzip_9),
    ("gunzip of -6", crate::native::gunzip_6),
    ("gunzip of -9", crate::native::gunzip_9),
    ("PSYC C API", crate::native::psyc_c),
    ("strlen", crate::native::strlen),
    ("memchr", crate::native::memchr),
    ("memcpy", crate::native::memcpy),
];

#[cfg(not(feature = "native"))]
const NATIVE: &[(&str, Prepare)] = &[];

/// Returns true if the peer is part of this build. Without the feature `native`, a name that is not
/// listed is taken for a C or C++ library.
pub fn is_built(name: &str) -> bool {
    cfg!(feature = "native") || PEERS.iter().any(|(known, _)| *known == name)
}

/// Makes the peer of that name ready for the messages of `input`; `None` if it doesn't do that work.
pub fn prepare<'a>(name: &str, work: Work, input: &'a Input) -> Prepared<'a> {
    let known = PEERS.iter().chain(NATIVE).find(|(known, _)| *known == name);
    let (_, prepare) = known.ok_or_else(|| Error::usage(format!("peer {name}")).expected("one that registry.rs lists"))?;
    if work != Work::DecodeBase64 {
        return prepare(work, input);
    }
    let Some(parser) = prepare(Work::Decode, input)? else { return Ok(None) };
    rivals::base64::with_base64(parser, input).map(Some)
}

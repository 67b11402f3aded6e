//! All suites, one line each.

use crate::suite::Suite;
use crate::{bencode, bson, cbor, csv, der, http2, json, msgpack, mustache, protobuf, xml, yaml};

/// Every suite, in the order of the page.
#[rustfmt::skip] // One line each, so that a new suite is one new line.
pub static SUITES: &[&Suite] = &[
    &json::parsing::SUITE,
    &json::checker::SUITE,
    &json::numbers::SUITE,
    &json::canonical::SUITE,
    &yaml::SUITE,
    &msgpack::SUITE,
    &cbor::appendix::SUITE,
    &cbor::ill_formed::SUITE,
    &cbor::working_group::SUITE,
    &cbor::deterministic::SUITE,
    &cbor::ipld::SUITE,
    &cbor::cose::SUITE,
    &bson::SUITE,
    &bencode::SUITE,
    &csv::spectrum::SUITE,
    &csv::test_data::SUITE,
    &csv::web::SUITE,
    &xml::w3c::SUITE,
    &xml::libxml2::SUITE,
    &protobuf::LIBRARY,
    &protobuf::LIBRARY_TEXT,
    &protobuf::COMMAND,
    &protobuf::COMMAND_TEXT,
    &der::wycheproof::SUITE,
    &der::zlint::SUITE,
    &der::boringssl::SUITE,
    &der::cryptography::SUITE,
    &der::openssl::SUITE,
    &mustache::SUITE,
    &http2::SUITE,
];

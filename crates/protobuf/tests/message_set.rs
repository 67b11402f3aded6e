//! MessageSets: items in any order, unknown ones too, in bytes, JSON and text.

use std::sync::Arc;

use polywire_core::schema::language::SchemaText;
use polywire_core::text::sources::NoFiles;
use polywire_core::value::ValueSink;
use polywire_core::{Budget, Limits, Reader, Value, Writer};
use polywire_protobuf::json::{JsonParser, JsonPrinter, ParseOptions, PrintOptions};
use polywire_protobuf::plan::Plan;
use polywire_protobuf::source;
use polywire_protobuf::text::{TextParser, TextPrinter};
use polywire_protobuf::walk::{ProtobufReader, ProtobufWriter};
use polywire_protobuf::wire::framing::Framing;

const SCHEMA: &str = "syntax = \"proto2\"; message M { optional Set set = 1; }
    message Set { option message_set_wire_format = true; extensions 4 to max; }
    message A { extend Set { optional A a = 1000; } optional int32 i = 1; optional M inner = 2; }
    message B { extend Set { optional B b = 70000; } optional string s = 1; repeated int32 n = 2; }";

fn plan() -> Arc<Plan> {
    let text = SchemaText { name: "set.proto", bytes: SCHEMA.as_bytes(), identity: "set.proto" };
    let protos = source::read(&text, &mut NoFiles).unwrap_or_else(|found| panic!("{found}"));
    Arc::new(Plan::named(&protos.pool, Some("M")).unwrap())
}

fn budget() -> Budget {
    Budget::new(&Limits::DEFAULT)
}

/// Returns an item of one-byte length.
fn item(number: &[u8], message: &[u8]) -> Vec<u8> {
    [&[0x0b, 0x10][..], number, &[0x1a, message.len() as u8], message, &[0x0c]].concat()
}

/// Returns the message with that set.
fn with_set(set: &[u8]) -> Vec<u8> {
    [&[0x0a, set.len() as u8][..], set].concat()
}

const A: [u8; 2] = [0xe8, 0x07];
const B: [u8; 3] = [0xf0, 0xa2, 0x04];

fn value(bytes: &[u8]) -> Value {
    let mut sink = ValueSink::default();
    ProtobufReader::new(plan(), Framing::Whole)
        .walk(bytes, 0, &mut sink, &mut budget())
        .unwrap_or_else(|error| panic!("{error}: {bytes:02x?}"));
    sink.finish().expect("a value")
}

/// Returns the message as a relay writes it, and the number of losses.
fn relayed(bytes: &[u8]) -> (Vec<u8>, usize) {
    let mut writer = ProtobufWriter::new(plan(), Framing::Whole).unknown(true);
    ProtobufReader::new(plan(), Framing::Whole).walk(bytes, 0, &mut writer, &mut budget()).unwrap();
    let mut out = Vec::new();
    writer.finish(&mut out).unwrap();
    (out, writer.losses().len())
}

#[test]
fn items_are_extensions_in_all_forms() {
    let bytes = with_set(&[item(&A, &[8, 5]), item(&B, &[0x0a, 1, b'x', 0x10, 1, 0x10, 2])].concat());
    assert_eq!(relayed(&bytes), (bytes.clone(), 0));
    let mut json = Vec::new();
    JsonPrinter::new(plan(), PrintOptions::default()).print(&bytes, 0, &mut json, &mut budget()).unwrap();
    assert_eq!(String::from_utf8_lossy(&json), "{\"set\":{\"[A.a]\":{\"i\":5},\"[B.b]\":{\"s\":\"x\",\"n\":[1,2]}}}");
    let mut back = Vec::new();
    JsonParser::new(plan(), ParseOptions::default()).parse(&json, 0, &mut back, &mut budget()).unwrap();
    assert_eq!(back, bytes);
    let mut text = Vec::new();
    TextPrinter::new(plan()).print(&bytes, 0, &mut text, &mut budget()).unwrap();
    assert_eq!(String::from_utf8_lossy(&text), "set {\n  [A] {\n    i: 5\n  }\n  [B] {\n    s: \"x\"\n    n: 1\n    n: 2\n  }\n}\n");
    let mut back = Vec::new();
    TextParser::new(plan()).parse(&text, 0, &mut back, &mut budget()).unwrap();
    assert_eq!(back, bytes);
    let mut back = Vec::new();
    let named = "set { [A.a] { i: 5 } [B.b] { s: 'x' n: [1, 2] } }";
    TextParser::new(plan()).parse(named.as_bytes(), 0, &mut back, &mut budget()).unwrap();
    assert_eq!(back, bytes);
}

#[test]
fn parts_of_an_item_come_in_any_order() {
    let plain = with_set(&item(&A, &[8, 5]));
    let turned = with_set(&[&[0x0b, 0x1a, 2, 8, 5, 0x10][..], &A, &[0x0c]].concat());
    // The first number and the first bytes count; other fields of an item are stepped over.
    let more = with_set(&[&[0x0b, 0x20, 9, 0x10][..], &A, &[0x1a, 2, 8, 5, 0x10, 4, 0x1a, 2, 8, 6, 0x0c]].concat());
    // An extension may also stand as an ordinary field.
    let field = with_set(&[0xc2, 0x3e, 2, 8, 5]);
    for other in [turned, more, field] {
        assert_eq!(value(&other), value(&plain), "{other:02x?}");
    }
    // Items of one extension are merged.
    let twice = with_set(&[item(&B, &[0x10, 1]), item(&A, &[]), item(&B, &[0x0a, 1, b'x', 0x10, 2])].concat());
    let once = with_set(&[item(&B, &[0x10, 1, 0x0a, 1, b'x', 0x10, 2]), item(&A, &[])].concat());
    assert_eq!(value(&twice), value(&once));
}

#[test]
fn items_of_unknown_extensions_are_kept() {
    let bytes = with_set(&[item(&[7], &[8, 5]), item(&A, &[8, 5])].concat());
    assert_eq!(relayed(&bytes), (bytes.clone(), 0));
    // An item without a number, or without bytes, says nothing, and is kept as it is.
    for half in [&[0x0b, 0x10, 0xe8, 0x07, 0x0c][..], &[0x0b, 0x1a, 2, 8, 5, 0x0c], &[0x0b, 0x0c]] {
        let bytes = with_set(half);
        assert_eq!(relayed(&bytes), (bytes.clone(), 0), "{half:02x?}");
    }
}

#[test]
fn sets_nest_and_broken_items_are_refused() {
    let mut bytes = with_set(&item(&A, &[8, 5]));
    for _ in 0..5 {
        bytes = with_set(&item(&A, &[&[0x12, bytes.len() as u8][..], &bytes].concat()));
    }
    assert_eq!(relayed(&bytes), (bytes.clone(), 0));
    for broken in [
        &with_set(&[0x0b, 0x10, 0xe8, 0x07, 0x1a, 2, 8])[..],
        &with_set(&[0x0b, 0x10, 0xe8, 0x07, 0x1a, 1, 8, 0x0c]),
        &with_set(&[0x0b, 0x10, 0xe8, 0x07]),
        &with_set(&[0x0b, 0x14]),
    ] {
        let outcome = ProtobufReader::new(plan(), Framing::Whole).walk(broken, 0, &mut ValueSink::default(), &mut budget());
        assert!(outcome.is_err_and(|error| error.offset().is_some()), "{broken:02x?}");
    }
}

//! Extended JSON: the conversion table in both directions, mistakes with their places, losses,
//! random values, and the crate bson as a judge.

use bson::{Bson, Document};
use fastrand::Rng;
use polywire_core::format::Format;
use polywire_core::tools::adapt::Walker;
use polywire_core::walk::Indent;
use polywire_core::{ErrorKind, Limits, Value, Writer};
use polywire_formats::ejson::{CANONICAL, EjsonWriter, FORMAT};
use polywire_formats::{bson as format_bson, json};
use polywire_testing::{self as testing, Shape};

fn same(one: &Value, other: &Value) {
    testing::assert_same(one, other, "");
}

fn value(text: &str) -> Value {
    testing::value_of(&FORMAT, text.as_bytes()).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// Writes a value; returns the text and what was lost.
fn written(canonical: bool, value: &Value) -> (String, Vec<&'static str>) {
    let (bytes, lost) = testing::written(if canonical { &CANONICAL } else { &FORMAT }, value);
    (String::from_utf8(bytes).unwrap(), lost)
}

/// Converts a message that loses nothing, hints of numbers among it.
fn converted(from: &'static Format, to: &'static Format, message: &[u8]) -> Vec<u8> {
    let (mut out, mut writer) = (Vec::new(), to.writer.unwrap()());
    Walker::new(from, &Limits::DEFAULT).walk(message, 0, &mut *writer).unwrap();
    writer.finish(&mut out).unwrap();
    assert!(writer.losses().is_empty(), "{}", String::from_utf8_lossy(message));
    out
}

/// Texts of each type: canonical, and relaxed where that differs.
const TYPES: &[(&str, Option<&str>)] = &[
    (r#"{"a":{"$numberInt":"-42"}}"#, Some(r#"{"a":-42}"#)),
    (r#"{"a":{"$numberLong":"4200000000"}}"#, Some(r#"{"a":4200000000}"#)),
    (r#"{"a":{"$numberDouble":"1.5"}}"#, Some(r#"{"a":1.5}"#)),
    (r#"{"a":{"$numberDouble":"-0.0"}}"#, Some(r#"{"a":-0.0}"#)),
    (r#"{"a":{"$numberDouble":"1.5E+300"}}"#, Some(r#"{"a":1.5e300}"#)),
    (r#"{"a":{"$numberDouble":"NaN"}}"#, None),
    (r#"{"a":{"$numberDouble":"Infinity"}}"#, None),
    (r#"{"a":{"$numberDouble":"-Infinity"}}"#, None),
    (r#"{"a":{"$numberDecimal":"19.90"}}"#, None),
    (r#"{"a":{"$numberDecimal":"1.2E+5"}}"#, None),
    (r#"{"a":{"$numberDecimal":"NaN"}}"#, None),
    (r#"{"a":{"$numberDecimal":"-Infinity"}}"#, None),
    (r#"{"a":{"$oid":"665f1c2e9b1e8a0001c0ffee"}}"#, None),
    (r#"{"a":{"$date":{"$numberLong":"1356351330501"}}}"#, Some(r#"{"a":{"$date":"2012-12-24T12:15:30.501Z"}}"#)),
    (r#"{"a":{"$date":{"$numberLong":"0"}}}"#, Some(r#"{"a":{"$date":"1970-01-01T00:00:00Z"}}"#)),
    (r#"{"a":{"$date":{"$numberLong":"500"}}}"#, Some(r#"{"a":{"$date":"1970-01-01T00:00:00.500Z"}}"#)),
    (r#"{"a":{"$date":{"$numberLong":"-1"}}}"#, None),
    (r#"{"a":{"$date":{"$numberLong":"253402300800000"}}}"#, None),
    (r#"{"a":{"$binary":{"base64":"//8=","subType":"00"}}}"#, None),
    (r#"{"a":{"$binary":{"base64":"//8=","subType":"02"}}}"#, None),
    (r#"{"a":{"$binary":{"base64":"c//SZESzTGmQ6OfR38A11A==","subType":"04"}}}"#, None),
    (r#"{"a":{"$binary":{"base64":"","subType":"80"}}}"#, None),
    (r#"{"a":{"$timestamp":{"t":4294967295,"i":1}}}"#, None),
    (r#"{"a":{"$regularExpression":{"pattern":"a*b","options":"im"}}}"#, None),
    (r#"{"a":{"$code":"f()"}}"#, None),
    (r#"{"a":{"$code":"f()","$scope":{}}}"#, None),
    (r#"{"a":{"$code":"f()","$scope":{"b":{"$oid":"665f1c2e9b1e8a0001c0ffee"},"c":{"$code":"g","$scope":{"d":[null,true]}}}}}"#, None),
    (r#"{"a":{"$symbol":"s"}}"#, None),
    (r#"{"a":{"$dbPointer":{"$ref":"b","$id":{"$oid":"665f1c2e9b1e8a0001c0ffee"}}}}"#, None),
    (r#"{"a":{"$minKey":1},"b":{"$maxKey":1},"c":{"$undefined":true}}"#, None),
    (r#"{"a":{"$ref":"b","$id":{"$oid":"665f1c2e9b1e8a0001c0ffee"},"$db":"c"}}"#, None),
    (r#"{"a":[{},[],{"$set":{"b":null}},"x",false]}"#, None),
];

#[test]
fn types_come_back_in_both_forms_and_through_bson() {
    for &(canonical, relaxed) in TYPES {
        let read = value(canonical);
        assert_eq!(converted(&FORMAT, &CANONICAL, canonical.as_bytes()), canonical.as_bytes(), "{canonical}");
        let relaxed = relaxed.unwrap_or(canonical);
        assert_eq!(converted(&CANONICAL, &FORMAT, canonical.as_bytes()), relaxed.as_bytes(), "{canonical}");
        same(&value(relaxed), &read);
        // The events are those of BSON's reader.
        let bytes = converted(&FORMAT, &format_bson::FORMAT, canonical.as_bytes());
        same(&testing::value_of(&format_bson::FORMAT, &bytes).unwrap(), &read);
        assert_eq!(converted(&format_bson::FORMAT, &CANONICAL, &bytes), canonical.as_bytes());
    }
}

#[test]
fn other_texts_of_the_same_values() {
    for (text, other) in [
        (
            r#"{"a":{"$uuid":"73ffd264-44b3-4c69-90e8-e7d1dfc035d4"}}"#,
            r#"{"a":{"$binary":{"base64":"c//SZESzTGmQ6OfR38A11A==","subType":"04"}}}"#,
        ),
        (r#"{"a":{"$binary":"//8=","$type":"5"}}"#, r#"{"a":{"$binary":{"subType":"05","base64":"//8="}}}"#),
        (r#"{"a":{"$date":"2012-12-24T13:15:30.501+01:00"}}"#, r#"{"a":{"$date":{"$numberLong":"1356351330501"}}}"#),
        (
            r#"{"a":{"$regularExpression":{"options":"mi","pattern":"b"}}}"#,
            r#"{"a":{"$regularExpression":{"pattern":"b","options":"im"}}}"#,
        ),
        (r#"{"a":{"$scope":{"b":1},"$code":"c"}}"#, r#"{"a":{"$code":"c","$scope":{"b":{"$numberInt":"1"}}}}"#),
        (r#"{"a":{"$timestamp":{"i":1,"t":2}}}"#, r#"{"a":{"$timestamp":{"t":2,"i":1}}}"#),
        (r#" { "a" : { "$numberDecimal" : "+1e2" } } "#, r#"{"a":{"$numberDecimal":"1E+2"}}"#),
    ] {
        same(&value(text), &value(other));
    }
}

#[test]
fn mistakes_have_their_place() {
    for (text, offset, seen) in [
        (r#"{"a":{"$oid":42}}"#, 13, "a value of kind integer"),
        (r#"{"a":{"$oid":"0123"}}"#, 13, "\"0123\""),
        (r#"{"a":{"$numberInt":"4200000000"}}"#, 19, "\"4200000000\""),
        (r#"{"a":{"$numberInt":"1","x":2}}"#, 27, "the key \"x\""),
        (r#"{"a":{"$binary":{"base64":"//8="}}}"#, 16, "an object without \"subType\""),
        (r#"{"a":{"$date":42}}"#, 14, "a value of kind integer"),
        (r#"{"a":{"$minKey":0}}"#, 16, "a value of kind integer"),
        (r#"{"a":{"$code":"","$scope":42}}"#, 26, "another value"),
        (r#"{"a":{"$code":"","$scope":{},"b":1}}"#, 29, "the key \"b\""),
        (r#"{"a":{"$code":"","$scope":{"$oid":"x"}}}"#, 26, "an object with the key \"$oid\""),
        ("{\"a\\u0000\":1}", 1, "a zero byte in a key"),
    ] {
        let error = testing::failure(&FORMAT, text.as_bytes());
        assert_eq!((error.kind(), error.offset()), (ErrorKind::Syntax, Some(offset)), "{text}: {error}");
        assert!(error.to_string().contains(seen), "{text}: {error}");
    }
}

#[test]
fn losses_are_those_of_bson_and_of_keys_that_look_like_types() {
    let object = Value::record([("$oid", Value::Text("x".into()))]);
    assert_eq!(written(false, &object), (r#"{"$oid":"x"}"#.into(), vec!["object that is read as another type, by its first key"]));
    // As a later key it means nothing.
    let later = Value::record([("a", Value::int(1)), ("$oid", Value::Text("x".into()))]);
    assert_eq!(written(false, &later), (r#"{"a":1,"$oid":"x"}"#.into(), vec![]));
    same(&value(r#"{"a":1,"$oid":"x"}"#), &later);
    let tuple = Value::record([("a", Value::Tuple(vec![Value::int(1)]))]);
    assert_eq!(written(false, &tuple), (r#"{"a":[1]}"#.into(), vec!["tuple became list"]));
    let big = Value::record([("a", Value::Big("18446744073709551616".into()))]);
    assert_eq!(written(false, &big), (r#"{"a":{"$numberDecimal":"18446744073709551616"}}"#.into(), vec![]));
}

#[test]
fn messages_that_are_no_documents_and_several_of_them() {
    for text in ["[1,2]", "5", "\"a\"", "null", r#"{"$oid":"665f1c2e9b1e8a0001c0ffee"}"#] {
        assert_eq!(written(false, &value(text)).0, text);
    }
    let mut writer = EjsonWriter::relaxed();
    assert!(writer.lay_out(&polywire_core::walk::Layout::COMPACT.with_indent(Some(Indent::Spaces(1)))));
    let mut out = Vec::new();
    for number in 0..2 {
        Value::record([("a", Value::int(number))]).emit(&mut writer).unwrap();
        writer.finish(&mut out).unwrap();
    }
    assert_eq!(out, b"{\n \"a\": 0\n}{\n \"a\": 1\n}");
}

#[test]
fn nesting_is_bounded_and_in_either_order_linear() {
    let deep = |depth: usize| format!("{}{{}}{}", r#"{"$code":"","$scope":{"a":"#.repeat(depth), "}}".repeat(depth));
    assert!(testing::value_of(&FORMAT, deep(30).as_bytes()).is_ok());
    assert_eq!(testing::failure(&FORMAT, deep(5000).as_bytes()).kind(), ErrorKind::Limit);
    let turned = |depth: usize| format!("{}{{}}{}", r#"{"$scope":{"a":"#.repeat(depth), r#"},"$code":""}"#.repeat(depth));
    same(&value(&turned(5)), &value(&deep(5)));
    assert_eq!(testing::failure(&FORMAT, turned(20).as_bytes()).kind(), ErrorKind::Syntax);
}

#[test]
fn random_values_come_back_as_they_do_from_bson() {
    let mut rng = Rng::with_seed(2020);
    for round in 0..3000 {
        let value = testing::value(&mut rng, if round % 2 == 0 { Shape::PLAIN } else { Shape::ANY });
        let bytes = testing::written(&format_bson::FORMAT, &value).0;
        let bson = testing::value_of(&format_bson::FORMAT, &bytes).unwrap();
        for format in [&FORMAT, &CANONICAL] {
            let (text, lost) = testing::written(format, &bson);
            if lost.is_empty() {
                let back = testing::value_of(format, &text).unwrap_or_else(|error| panic!("{}: {error}", String::from_utf8_lossy(&text)));
                same(&back, &bson);
            }
        }
        // Canonical text has the bytes.
        let (text, lost) = testing::written(&CANONICAL, &bson);
        if lost.is_empty() {
            let back = testing::value_of(&CANONICAL, &text).unwrap();
            assert_eq!(testing::written(&format_bson::FORMAT, &back).0.len(), bytes.len(), "{}", String::from_utf8_lossy(&text));
        }
    }
}

/// Random documents of the crate's types.
fn random(rng: &mut Rng, depth: u8) -> Bson {
    match rng.u8(..if depth == 0 { 14 } else { 16 }) {
        // Their text of a NaN has its sign, which no other library reads.
        0 => Bson::Double(Some(f64::from_bits(rng.u64(..))).filter(|value| !value.is_nan()).unwrap_or(0.5)),
        1 => Bson::String((0..rng.usize(..8)).map(|_| rng.char(..)).collect()),
        2 => Bson::Boolean(rng.bool()),
        3 => Bson::Null,
        4 => Bson::Int32(rng.i32(..)),
        5 => Bson::Int64(if rng.bool() { rng.i64(..) } else { rng.i64(-9..9) }),
        6 => Bson::Timestamp(bson::Timestamp { time: rng.u32(..), increment: rng.u32(..) }),
        7 => Bson::ObjectId(bson::oid::ObjectId::from_bytes(std::array::from_fn(|_| rng.u8(..)))),
        8 => Bson::DateTime(bson::DateTime::from_millis(rng.i64(-1 << 42..1 << 47))),
        9 => Bson::Binary(bson::Binary { subtype: rng.u8(..).into(), bytes: (0..rng.usize(..9)).map(|_| rng.u8(..)).collect() }),
        10 => Bson::JavaScriptCode("a()".into()),
        11 => Bson::Symbol("é".into()),
        12 => [Bson::MinKey, Bson::MaxKey, Bson::Undefined][rng.usize(..3)].clone(),
        13 => Bson::JavaScriptCodeWithScope(bson::JavaScriptCodeWithScope { code: "b".into(), scope: document(rng, 0) }),
        14 => Bson::Array((0..rng.usize(..4)).map(|_| random(rng, depth - 1)).collect()),
        _ => Bson::Document(document(rng, depth - 1)),
    }
}

fn document(rng: &mut Rng, depth: u8) -> Document {
    (0..rng.usize(..5)).map(|n| (format!("k{n}"), random(rng, depth))).collect()
}

#[test]
fn the_crate_bson_reads_what_is_written_and_the_other_way_round() {
    let mut rng = Rng::with_seed(31);
    for _ in 0..3000 {
        let document = document(&mut rng, 3);
        let bytes = document.to_vec().unwrap();
        let ours = testing::value_of(&format_bson::FORMAT, &bytes).unwrap();
        let bson = Bson::Document(document);
        // Their text is read as the value.
        for theirs in [bson.clone().into_canonical_extjson(), bson.clone().into_relaxed_extjson()] {
            same(&value(&theirs.to_string()), &ours);
        }
        // Our text is read as the document.
        let text = converted(&format_bson::FORMAT, &CANONICAL, &bytes);
        let back = Bson::try_from(serde_json::from_slice::<serde_json::Value>(&text).unwrap());
        let Ok(Bson::Document(back)) = back else { panic!("{}: {back:?}", String::from_utf8_lossy(&text)) };
        assert_eq!(back.to_vec().unwrap(), bytes, "{}", String::from_utf8_lossy(&text));
    }
}

#[test]
fn any_json_is_extended_json_and_keeps_its_values() {
    let text = r#"{"a":[1,2.5,"x",null,true],"b":{"c":-3}}"#;
    same(&value(text), &testing::value_of(&json::FORMAT, text.as_bytes()).unwrap());
    assert_eq!(written(false, &value(text)).0, text);
}

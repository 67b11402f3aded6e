//! The JSON protocol: texts as Apache's libraries write them, mistakes, bytes by a schema.

use std::sync::Arc;

use polywire_core::format::Bound;
use polywire_core::schema::language::SchemaText;
use polywire_core::text::sources::NoFiles;
use polywire_core::tools::adapt::{Doubles, Walker};
use polywire_core::value::ValueSink;
use polywire_core::{Budget, Error, Limits, Result, Value, Writer};
use polywire_testing::{self as testing, Rng, Shape};
use polywire_thrift::{BINARY, COMPACT, JSON, SIMPLE_JSON};

fn read(text: &str) -> Result<Value> {
    let mut sink = ValueSink::default();
    (JSON.reader)().walk(text.as_bytes(), 0, &mut sink, &mut Budget::new(&Limits::DEFAULT))?;
    Ok(sink.finish().expect("a message is a value"))
}

fn refused(text: &str) -> Error {
    read(text).unwrap_err()
}

fn written(writer: &mut dyn Writer, value: &Value) -> Result<(String, Vec<&'static str>)> {
    value.emit(&mut *writer)?;
    let mut out = Vec::new();
    writer.finish(&mut out)?;
    Ok((String::from_utf8(out).expect("text"), writer.losses().iter().map(|lost| lost.what).collect()))
}

#[test]
fn texts_are_those_of_apache() {
    // `lib/py/src/protocol/TJSONProtocol.py` writes these.
    for (text, value) in [
        ("{}", Value::record::<&str>([])),
        (
            r#"{"1":{"str":"Ada"},"2":{"i64":-5},"3":{"tf":1}}"#,
            Value::record([("1", Value::text("Ada")), ("2", Value::int(-5)), ("3", Value::Bool(true))]),
        ),
        (r#"{"1":{"lst":["dbl",2,1.5,"NaN"]}}"#, Value::record([("1", Value::List(vec![Value::F64(1.5), Value::F64(f64::NAN)]))])),
        (
            r#"{"1":{"map":["i32","str",2,{"1":"a","-2":"b"}]}}"#,
            Value::record([("1", Value::Map(vec![(Value::int(1), Value::text("a")), (Value::int(-2), Value::text("b"))]))]),
        ),
        (r#"{"7":{"rec":{"-1":{"i8":3}}}}"#, Value::record([("7", Value::record([("-1", Value::int(3))]))])),
        (r#"{"1":{"str":"a\u0000\"ö"}}"#, Value::record([("1", Value::text("a\0\"ö"))])),
    ] {
        testing::assert_same(&value, &read(text).unwrap_or_else(|error| panic!("{text}: {error}")), text);
        // Widths are kept by hints.
        let mut writer = JSON.writer.expect("it is written")();
        Walker::new(&JSON, &Limits::DEFAULT).doubles(Doubles::Keep).walk(text.as_bytes(), 0, &mut *writer).unwrap();
        let mut out = Vec::new();
        writer.finish(&mut out).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), text);
    }
    let call = read(r#"[1,"lookUp",1,7,{"11":{"str":"Ada"}}]"#).unwrap();
    let Value::Variant { name, .. } = &call else { panic!("{call:?}") };
    assert_eq!(name, "call");
}

#[test]
fn a_message_goes_through_all_protocols() {
    let text =
        br#"[1,"f",2,-3,{"0":{"lst":["rec",2,{"1":{"i16":5}},{"2":{"set":["tf",2,1,0]}}]},"40":{"map":["str","dbl",1,{"k":0.25}]}}]"#;
    let mut bytes = text.to_vec();
    for (from, to) in [(&JSON, &COMPACT), (&COMPACT, &BINARY), (&BINARY, &JSON)] {
        let mut writer = to.writer.expect("it is written")();
        Walker::new(from, &Limits::DEFAULT).doubles(Doubles::Keep).walk(&bytes, 0, &mut *writer).unwrap();
        bytes.clear();
        writer.finish(&mut bytes).unwrap();
        assert!(writer.losses().is_empty());
    }
    assert_eq!(String::from_utf8(bytes).unwrap(), String::from_utf8(text.to_vec()).unwrap());
}

#[test]
fn mistakes_have_their_place() {
    for (text, offset, expected) in [
        (r#"{"1":{"i32":5}"#, 14, "a comma"),
        (r#"{"1":{"i32":5.5}}"#, 12, "a whole number"),
        (r#"{"1":{"i8":200}}"#, 11, "from -128 to 127"),
        (r#"{"a":{"i8":2}}"#, 1, "a whole number"),
        (r#"{"1":{"int":2}}"#, 6, "the name of a type"),
        (r#"{"1":{"lst":["i8",3,1,2]}}"#, 23, "a comma"),
        (r#"{"1":{"lst":["i8",1,1,2]}}"#, 21, "the end of a list"),
        (r#"{"1":{"map":["rec","i8",1,{}]}}"#, 27, "a scalar"),
        (r#"[2,"f",1,0,{}]"#, 1, "version 1"),
        (r#"{}{}"#, 2, "its end"),
        (r#"{"1":{"dbl":"x"}}"#, 12, "a number"),
        (r#"{"1":{"uid":"x"}}"#, 12, "a uuid"),
    ] {
        let error = refused(text);
        assert_eq!(error.offset(), Some(offset), "{text}: {error}");
        assert!(error.to_string().contains(expected), "{text}: {error}");
    }
    let deep = r#"{"1":{"rec":"#.repeat(10_000);
    assert!(refused(&deep).to_string().contains("depth"), "{}", refused(&deep));
}

const TEXT: &str = "enum E { X = 1 } struct A { 1: required string name, 2: binary seal, 3: E e, 4: map<E, binary> seals, 5: uuid key }";

fn bound() -> Arc<dyn Bound> {
    let text = SchemaText { name: "m.thrift", bytes: TEXT.as_bytes(), identity: "" };
    JSON.binder.expect("it takes schemas").bind_text(&text, &mut NoFiles, Some("A")).unwrap()
}

#[test]
fn a_schema_gives_names_and_bytes() {
    let value = Value::record([
        ("name", Value::text("Ada")),
        ("seal", Value::Bytes(vec![0, 255])),
        ("e", Value::text("X")),
        ("key", Value::text("01234567-89ab-cdef-0123-456789abcdef")),
    ]);
    let (text, losses) = written(&mut *bound().writer().unwrap(), &value).unwrap();
    assert_eq!(text, r#"{"1":{"str":"Ada"},"2":{"str":"AP8="},"3":{"i32":1},"5":{"uid":"01234567-89ab-cdef-0123-456789abcdef"}}"#);
    assert!(losses.is_empty(), "{losses:?}");
    let walked = |text: &str| {
        let mut sink = ValueSink::default();
        bound().reader().walk(text.as_bytes(), 0, &mut sink, &mut Budget::new(&Limits::DEFAULT))?;
        Ok::<_, Error>(sink.finish().unwrap())
    };
    testing::assert_same(&value, &walked(&text).unwrap(), &text);
    // Base64 without padding, as libraries in C++ write it.
    testing::assert_same(&value, &walked(&text.replace("AP8=", "AP8")).unwrap(), &text);
    let error = walked(&text.replace("AP8=", "?")).unwrap_err();
    assert_eq!(error.offset(), Some(30), "{error}");
    let error = walked(r#"  {"3":{"i32":1}}"#).unwrap_err();
    assert!(error.to_string().contains("required field `name`") && error.offset() == Some(16), "{error}");
}

#[test]
fn bytes_without_a_schema_are_a_loss() {
    let value = Value::record([("1", Value::Bytes(vec![1, 2, 3]))]);
    let (text, losses) = written(&mut *JSON.writer.unwrap()(), &value).unwrap();
    assert_eq!((&*text, &losses[..]), (r#"{"1":{"str":"AQID"}}"#, &["bytes became text: base64"][..]));
}

#[test]
fn random_values_come_back_or_are_named() {
    let mut rng = Rng::with_seed(3);
    let mut same = 0;
    for _ in 0..3000 {
        let value = testing::value(&mut rng, Shape::ANY);
        let Ok(bytes) = testing::write(&JSON, &value) else { continue };
        let (_, losses) = testing::written(&JSON, &value);
        let back = testing::value_of(&JSON, &bytes).unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&bytes)));
        if losses.is_empty() {
            testing::assert_same(&value, &back, "without a loss");
            same += 1;
        }
    }
    assert!(same > 10, "{same}");
}

#[test]
fn the_simple_protocol_has_names_and_no_types() {
    let schema = "enum E { X = 1 } union U { 1: i32 n, 2: string t } struct A { 1: required string name, 2: binary seal, 3: E e, \
                  4: map<i32, list<bool>> flags, 5: U u, 6: list<A> more, 7: double d } service S { A get(1: string word) }";
    let text = SchemaText { name: "m.thrift", bytes: schema.as_bytes(), identity: "" };
    let bound = |name| SIMPLE_JSON.binder.expect("it takes schemas").bind_text(&text, &mut NoFiles, Some(name)).unwrap();
    let walked = |name, text: &str| {
        let mut sink = ValueSink::default();
        bound(name).reader().walk(text.as_bytes(), 0, &mut sink, &mut Budget::new(&Limits::DEFAULT))?;
        Ok::<_, Error>(sink.finish().unwrap())
    };
    let bools = |values: &[bool]| Value::List(values.iter().map(|value| Value::Bool(*value)).collect());
    let value = Value::record([
        ("name", Value::text("Ada")),
        ("seal", Value::Bytes(vec![0, 255])),
        ("e", Value::text("X")),
        ("flags", Value::Map(vec![(Value::int(-1), bools(&[true, false])), (Value::int(2), bools(&[]))])),
        ("u", Value::Variant { name: "t".into(), index: 1, values: vec![Value::text("x")] }),
        ("more", Value::List(vec![Value::record([("name", Value::text("B"))]), Value::record([("name", Value::text("C"))])])),
        ("d", Value::F64(2.0)),
    ]);
    let (text, losses) = written(&mut *bound("A").writer().unwrap(), &value).unwrap();
    let expected =
        r#"{"name":"Ada","seal":"AP8=","e":1,"flags":{"-1":[1,0],"2":[]},"u":{"t":"x"},"more":[{"name":"B"},{"name":"C"}],"d":2.0}"#;
    assert_eq!((&*text, losses.len()), (expected, 0));
    testing::assert_same(&value, &walked("A", &text).unwrap(), &text);
    // Names of enums and truth values, as people write them.
    let by_hand = text.replace("\"e\":1", "\"e\":\"X\"").replace("[1,0]", "[ true, false ]");
    testing::assert_same(&value, &walked("A", &by_hand).unwrap(), &by_hand);
    let call = r#"["get",1,7,{"word":"Ada"}]"#;
    let Value::Variant { name, .. } = walked("S", call).unwrap() else { panic!("no envelope") };
    assert_eq!(name, "call");
    for (text, offset, expected) in [
        (r#"{"name":"Ada","nme":1}"#, 14, "a field of `A`"),
        (r#"{"name":1}"#, 8, "a string"),
        (r#"{"name":"a","e":"Y"}"#, 16, "a name of the enum `E`"),
        (r#"{"name":"a","more":[{"name":"b"}{}]}"#, 32, "a comma"),
    ] {
        let error = walked("A", text).unwrap_err();
        assert_eq!(error.offset(), Some(offset), "{text}: {error}");
        assert!(error.to_string().contains(expected), "{text}: {error}");
    }
    let mut sink = ValueSink::default();
    let unbound = (SIMPLE_JSON.reader)().walk(b"{}", 0, &mut sink, &mut Budget::new(&Limits::DEFAULT)).unwrap_err();
    assert!(unbound.to_string().contains("schema"), "{unbound}");
}

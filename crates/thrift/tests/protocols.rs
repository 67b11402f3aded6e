//! Both protocols: the bytes of the specification, both ways, and what is refused.

use polywire_core::format::{Confidence, Format};
use polywire_core::tools::Stream;
use polywire_core::tools::adapt::{Doubles, Walker};
use polywire_core::tools::convert::convert;
use polywire_core::value::ValueSink;
use polywire_core::{Budget, Error, ErrorKind, Frame, Limits, Reader, Result, Value, Writer};
use polywire_thrift::wire::{Binary, Compact};
use polywire_thrift::{BINARY, COMPACT, ThriftReader, ThriftWriter};

/// A message in both protocols, made by the Python packages `thrift` and `thriftpy2`, which agree.
macro_rules! message {
    ($name:literal) => {
        (
            &include_bytes!(concat!("../../../testdata/corpus/thrift-binary/", $name, ".tbin"))[..],
            &include_bytes!(concat!("../../../testdata/corpus/thrift-compact/", $name, ".tcompact"))[..],
        )
    };
}

fn read(format: &'static Format, bytes: &[u8]) -> Result<Value> {
    let mut sink = ValueSink::default();
    Walker::new(format, &Limits::DEFAULT).doubles(Doubles::Keep).walk(bytes, 0, &mut sink)?;
    Ok(sink.finish().expect("a message is a value"))
}

fn write(format: &'static Format, value: &Value) -> Result<(Vec<u8>, Vec<&'static str>)> {
    let mut writer = (format.writer.expect("it is written"))();
    value.emit(&mut *writer)?;
    let mut out = Vec::new();
    writer.finish(&mut out)?;
    Ok((out, writer.losses().iter().map(|lost| lost.what).collect()))
}

/// Converts a stream, and returns the output with what was lost.
fn converted(from: &'static Format, to: &'static Format, bytes: &[u8]) -> Result<(Vec<u8>, usize)> {
    let mut out = Vec::new();
    let done = convert(&mut Stream::new(bytes), &mut out, &mut Walker::new(from, &Limits::DEFAULT), to)?;
    Ok((out, done.losses.iter().count()))
}

fn configured(format: &'static Format, settings: &[(&str, &str)]) -> (Box<dyn Reader>, Box<dyn Writer>) {
    let made = format.settings.expect("it has settings").configure(settings).expect("they are known");
    (made.reader(), made.writer().expect("it is written"))
}

fn rewritten(reader: &mut dyn Reader, bytes: &[u8], writer: &mut dyn Writer) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    let mut at = 0;
    loop {
        match reader.frame(&bytes[at..], at as u64, true)? {
            Frame::Message { start, end } => {
                let base = (at + start) as u64;
                reader.walk(&bytes[at + start..at + end], base, writer, &mut Budget::new(&Limits::DEFAULT))?;
                writer.finish(&mut out)?;
                at += end;
            }
            Frame::Between(more) => at += more,
            Frame::End => return Ok(out),
            Frame::More(more) => panic!("{more} more at the end"),
        }
    }
}

fn error(format: &'static Format, bytes: &[u8]) -> Error {
    read(format, bytes).expect_err("it is wrong")
}

fn person(name: &str) -> Value {
    Value::record([("1", Value::text(name))])
}

#[test]
fn every_type_is_read_and_comes_back() {
    let set = Value::Tagged { space: "thrift".into(), code: 14, value: Box::new(Value::List([3, 1, 2].map(Value::int).to_vec())) };
    let expected = Value::record([
        ("1", Value::Bool(true)),
        ("2", Value::Bool(false)),
        ("3", Value::int(-7)),
        ("4", Value::F64(2.5)),
        ("6", Value::int(-300)),
        ("8", Value::int(70000)),
        ("10", Value::int(-(1 << 40))),
        ("11", Value::text("größe")),
        ("12", person("Ada")),
        ("13", Value::Map(vec![(Value::text("a"), Value::int(1)), (Value::text("b"), Value::int(2))])),
        ("14", set),
        ("15", Value::List([true, false, true].map(Value::Bool).to_vec())),
        ("40", Value::List(vec![person("Bea"), Value::record::<&str>([])])),
        ("300", Value::Map(vec![(Value::int(7), Value::List([0.5, -1.0].map(Value::F64).to_vec())), (Value::int(8), Value::List(vec![]))])),
    ]);
    let (binary, compact) = message!("every");
    assert_eq!(read(&BINARY, binary).unwrap(), expected);
    assert_eq!(read(&COMPACT, compact).unwrap(), expected);
    for (from, bytes) in [(&BINARY, binary), (&COMPACT, compact)] {
        assert_eq!(converted(from, &BINARY, bytes).unwrap(), (binary.to_vec(), 0));
        assert_eq!(converted(from, &COMPACT, bytes).unwrap(), (compact.to_vec(), 0));
    }
}

#[test]
fn envelopes_are_kept() {
    for (message, kind, body) in [
        (message!("call"), "call", Value::record([("11", Value::text("größe")), ("12", person("Ada"))])),
        (message!("reply"), "reply", Value::record([("0", person("Ada"))])),
    ] {
        let (binary, compact) = message;
        for (format, bytes) in [(&BINARY, binary), (&COMPACT, compact)] {
            let Value::Variant { name, values, .. } = read(format, bytes).unwrap() else { panic!("no case") };
            let Value::Record { fields, .. } = &values[0] else { panic!("no record") };
            let of = |wanted: &str| fields.iter().find(|(name, _)| name == wanted).map(|(_, value)| value.clone());
            assert_eq!((&*name, of("name"), of("sequence")), (kind, Some(Value::text("lookUp")), Some(Value::int(77))));
            assert_eq!(of("body"), Some(body.clone()));
            assert_eq!(converted(format, &BINARY, bytes).unwrap(), (binary.to_vec(), 0));
            assert_eq!(converted(format, &COMPACT, bytes).unwrap(), (compact.to_vec(), 0));
        }
    }
    // As JSON has it: a record instead of a case.
    let parts = [("name", Value::text("ping")), ("sequence", Value::int(-1)), ("body", Value::record::<&str>([]))];
    let call = Value::record([("oneway", Value::record(parts))]);
    let (bytes, losses) = write(&BINARY, &call).unwrap();
    assert_eq!(bytes, b"\x80\x01\0\x04\0\0\0\x04ping\xff\xff\xff\xff\0");
    assert!(losses.is_empty());
    assert_eq!(write(&COMPACT, &call).unwrap().0, b"\x82\x81\xff\xff\xff\xff\x0f\x04ping\0");
}

#[test]
fn transports_frame_messages() {
    let (binary, compact) = message!("call");
    let (mut plain, _) = configured(&BINARY, &[]);
    for (transport, before) in [("framed", vec![]), ("header", b"\x0f\xff\0\0\0\0\0\x4d\0\x01\0\0\0\0".to_vec())] {
        let (mut reader, mut writer) = configured(&BINARY, &[("transport", transport)]);
        let framed = rewritten(&mut *plain, &[binary, binary].concat(), &mut *writer).unwrap();
        let one = [&((binary.len() + before.len()) as u32).to_be_bytes()[..], &before, binary].concat();
        assert_eq!(framed, [&one[..], &one].concat(), "{transport}");
        let (_, mut back) = configured(&BINARY, &[]);
        assert_eq!(rewritten(&mut *reader, &framed, &mut *back).unwrap(), [binary, binary].concat(), "{transport}");
        assert!(rewritten(&mut *reader, &framed[..framed.len() - 1], &mut *back).is_err());
        assert!(reader.frame(&[0xff; 4], 0, false).is_err());
        assert_eq!(reader.frame(&framed[..6], 0, false).unwrap(), Frame::More(one.len() - 6));
    }
    // A header names the protocol, and what it says of the message is a remark.
    let head = b"\x0f\xff\0\0\0\0\0\x01\0\x03\x02\0\x01\x01\x03key\x03val";
    let framed = [&((compact.len() + head.len()) as u32).to_be_bytes()[..], head, compact].concat();
    let (mut reader, _) = configured(&BINARY, &[("transport", "header")]);
    let (_, mut writer) = configured(&BINARY, &[]);
    assert_eq!(rewritten(&mut *reader, &framed, &mut *writer).unwrap(), binary);
    assert_eq!(writer.losses().iter().map(|lost| lost.is_value()).collect::<Vec<_>>(), [false]);
    let mut packed = framed.clone();
    packed[15] = 1;
    let refused = rewritten(&mut *reader, &packed, &mut *writer).unwrap_err();
    assert_eq!((refused.kind(), refused.offset()), (ErrorKind::Unsupported, Some(15)), "{refused}");
    writer.reset();
    let refused = rewritten(&mut *reader, &[&[0, 0, 0, 4], &binary[..4]].concat(), &mut *writer).unwrap_err();
    assert!(refused.to_string().contains("0f ff"), "{refused}");
}

#[test]
fn old_envelopes_are_a_setting() {
    let old = b"\0\0\0\x04ping\x01\0\0\0\x07\0";
    let (mut reader, mut writer) = configured(&BINARY, &[("envelope", "old")]);
    assert_eq!(rewritten(&mut *reader, old, &mut *writer).unwrap(), old);
    let (_, mut strict) = configured(&BINARY, &[]);
    let new = b"\x80\x01\0\x01\0\0\0\x04ping\0\0\0\x07\0";
    assert_eq!(rewritten(&mut *reader, old, &mut *strict).unwrap(), new);
    assert_eq!(rewritten(&mut *reader, new, &mut *writer).unwrap(), old);
}

#[test]
fn a_struct_is_no_envelope() {
    // Field 8 is false, field 10 true, field 11 an i16 of 0, field 13 a map without entries.
    let twin = b"\x82\x21\x14\x00\x2b\x00\x00";
    let value = Value::record([("8", Value::Bool(false)), ("10", Value::Bool(true)), ("11", Value::int(0)), ("13", Value::Map(vec![]))]);
    assert_eq!(read(&COMPACT, twin).map(|value| format!("{value:?}").contains("Variant")).ok(), Some(false));
    let (bytes, _) = write(&COMPACT, &value).unwrap();
    assert_eq!(read(&COMPACT, &bytes).unwrap(), value);
    assert_eq!(read(&COMPACT, b"\x82\0").unwrap(), Value::record([("8", Value::Bool(false))]));
    assert_eq!(write(&COMPACT, &Value::record([("8", Value::Bool(false))])).unwrap().0, b"\x82\0");
    // A message whose bytes an envelope has as well is written with the number in full.
    let text = Value::text("a".repeat(32));
    let value = Value::record([("8", Value::Bool(false)), ("10", Value::Bool(true)), ("11", Value::Bool(true)), ("12", text)]);
    let (bytes, _) = write(&COMPACT, &value).unwrap();
    assert_eq!((&bytes[..6], read(&COMPACT, &bytes).unwrap()), (&b"\x02\x10\x21\x11\x18\x20"[..], value));
}

#[test]
fn counts_that_are_not_there_are_refused() {
    for (format, bytes, offset) in [
        // A list of 2,147,483,647 structs, which have one byte each at least.
        (&BINARY, &b"\x0f\0\x01\x0c\x7f\xff\xff\xff\0\0\0"[..], 3),
        (&COMPACT, b"\x19\xfc\xff\xff\xff\xff\x07\0\0\0", 1),
        // A map of as many structs and structs.
        (&BINARY, b"\x0d\0\x01\x0c\x0c\x7f\xff\xff\xff\0\0\0", 3),
        (&COMPACT, b"\x1b\xff\xff\xff\xff\x07\xcc\0\0\0", 1),
        // Numbers need their full width in the binary protocol.
        (&BINARY, b"\x0f\0\x01\x0a\0\0\0\x02\0\0\0\0\0\0\0\0\0\0", 3),
    ] {
        let error = error(format, bytes);
        assert_eq!((error.kind(), error.offset()), (ErrorKind::Truncated, Some(offset)), "{error}");
    }
    for (format, bytes, offset) in [
        (&BINARY, &b"\x0b\0\x01\xff\xff\xff\xff"[..], 3),
        (&BINARY, b"\x0f\0\x01\x08\x80\0\0\0", 4),
        (&COMPACT, b"\x18\xff\xff\xff\xff\x0f", 1),
        (&COMPACT, b"\x14\xff\xff\x7f\0", 1),
    ] {
        let error = error(format, bytes);
        assert_eq!((error.kind(), error.offset()), (ErrorKind::Range, Some(offset)), "{error}");
    }
}

#[test]
fn mistakes_have_their_place() {
    for (format, bytes, kind, offset, seen) in [
        (&BINARY, &b"\x0b\0\x01\0\0\0\x05abc"[..], ErrorKind::Truncated, 10, "3 of 5 bytes"),
        (&BINARY, b"\x05\0\x01", ErrorKind::Syntax, 0, "the type 5"),
        (&BINARY, b"\x80\x02\0\x01", ErrorKind::Syntax, 0, "80 02"),
        (&BINARY, b"\x80\x01\0\x09\0\0\0\0\0\0\0\0\0", ErrorKind::Syntax, 3, "the message type 9"),
        (&BINARY, b"\0\0", ErrorKind::Trailing, 1, "1 bytes"),
        (&COMPACT, b"\x1e", ErrorKind::Syntax, 0, "the type 14"),
        (&COMPACT, b"\x19\x11\x07\0", ErrorKind::Syntax, 2, "0x07"),
        (&COMPACT, b"\x03\xfe\xff\x03\x01\xf3\x01", ErrorKind::Range, 5, "15 above 32767"),
        (&COMPACT, b"\x15", ErrorKind::Truncated, 1, "the end of the input"),
    ] {
        let error = error(format, bytes);
        assert_eq!((error.kind(), error.offset()), (kind, Some(offset)), "{error}");
        assert!(error.to_string().contains(seen), "{error}");
    }
    let mut reader = ThriftReader::<Binary>::default();
    let mut walk = |bytes: &[u8]| reader.walk(bytes, 0, &mut ValueSink::default(), &mut Budget::new(&Limits::DEFAULT));
    walk(&[0]).unwrap();
    assert!(walk(&[0x2d]).unwrap_err().to_string().contains("--transport framed"));
}

#[test]
fn nesting_is_bounded() {
    let deep = [&[0x1c; 3000][..], &[0; 3001]].concat();
    assert_eq!(error(&COMPACT, &deep).kind(), ErrorKind::Limit);
    let mut reader = ThriftReader::<Compact>::default();
    assert!(matches!(reader.frame(&deep, 0, true).unwrap(), Frame::Message { start: 0, end } if end > 2000));
    let deep = [&[0x1c; 500][..], &[0; 501]].concat();
    assert_eq!(converted(&COMPACT, &COMPACT, &deep).unwrap().0, deep);
}

#[test]
fn types_of_empty_containers_are_kept() {
    let binary = b"\x0f\0\x01\x08\0\0\0\0\x0e\0\x02\x0c\0\0\0\0\x0d\0\x03\x0b\x0a\0\0\0\0\0";
    assert_eq!(converted(&BINARY, &BINARY, binary).unwrap(), (binary.to_vec(), 0));
    let compact = b"\x19\x05\x1a\x0c\x1b\x00\x00";
    assert_eq!(converted(&BINARY, &COMPACT, binary).unwrap().0, compact);
    // A type that does not matter may be any.
    assert_eq!(read(&BINARY, b"\x0f\0\x01\x00\0\0\0\0\0").unwrap(), Value::record([("1", Value::List(vec![]))]));
}

#[test]
fn uuids_are_text() {
    let bytes = [&[0x10, 0, 7][..], &[0xab; 16], &[0]].concat();
    let text = Value::text("abababab-abab-abab-abab-abababababab");
    let uuid = Value::Tagged { space: "thrift".into(), code: 16, value: Box::new(text) };
    assert_eq!(read(&BINARY, &bytes).unwrap(), Value::record([("7", uuid.clone())]));
    let compact = [&[0x7d][..], &[0xab; 16], &[0]].concat();
    assert_eq!(converted(&BINARY, &COMPACT, &bytes).unwrap(), (compact.clone(), 0));
    assert_eq!(converted(&COMPACT, &BINARY, &compact).unwrap(), (bytes, 0));
    let Value::Tagged { space, code, .. } = uuid else { unreachable!() };
    let odd = Value::record([("7", Value::Tagged { space, code, value: Box::new(Value::text("none")) })]);
    assert_eq!(write(&BINARY, &odd).unwrap().1, ["tag dropped: its value is of another type"]);
}

#[test]
fn bytes_are_told_from_text() {
    let bytes = b"\x0b\0\x01\0\0\0\x02\xff\0\x0b\0\x02\0\0\0\x02a\0\0";
    let expected = Value::record([("1", Value::Bytes(b"\xff\0".to_vec())), ("2", Value::Bytes(b"a\0".to_vec()))]);
    assert_eq!(read(&BINARY, bytes).unwrap(), expected);
    assert_eq!(converted(&BINARY, &BINARY, bytes).unwrap(), (bytes.to_vec(), 0));
    assert_eq!(write(&BINARY, &Value::record([("1", Value::Bytes(b"ab".to_vec()))])).unwrap().1, ["bytes that are UTF-8 read as text"]);
    assert_eq!(write(&BINARY, &Value::record([("1", Value::text("a\0"))])).unwrap().1, ["text with control characters reads as bytes"]);
}

#[test]
fn values_without_a_type_are_refused_or_reported() {
    let list = |values: Vec<Value>| Value::record([("1", Value::List(values))]);
    for (value, seen) in [
        (Value::List(vec![]), "no record"),
        (list(vec![Value::int(1), Value::text("x")]), "i64 and string"),
        (list(vec![Value::int(1), Value::F64(0.5)]), "i64 and double"),
        (list(vec![Value::Null]), "null"),
        (Value::record([("1", Value::int(1)), ("x", Value::int(1))]), "the name `x`"),
        (Value::record([("call", Value::int(1))]), "does not hold one record"),
        (Value::record([("call", Value::record([("body", Value::record::<&str>([]))]))]), "before its name"),
        (Value::record([("call", Value::record([("name", Value::text("x"))]))]), "without a body"),
        (Value::record([("call", Value::record([("sequence", Value::int(1 << 31))]))]), "2147483648"),
    ] {
        let error = write(&BINARY, &value).unwrap_err();
        assert!(error.to_string().contains(seen), "{error}");
    }
    let named = Value::record([("name", Value::text("Ada")), ("age", Value::int(36)), ("none", Value::Null)]);
    let (bytes, losses) = write(&COMPACT, &named).unwrap();
    assert_eq!(read(&COMPACT, &bytes).unwrap(), Value::record([("1", Value::text("Ada")), ("2", Value::int(36))]));
    assert_eq!(losses.len(), 4, "{losses:?}");
    let numbers = list(vec![Value::F64(0.5), Value::int(1)]);
    assert_eq!(write(&COMPACT, &numbers).unwrap().1, ["integer among floats became a float"]);
}

#[test]
fn protocols_are_recognised() {
    for name in [message!("every"), message!("call"), message!("reply")] {
        let (binary, compact) = name;
        for whole in [true, false] {
            let of = |bytes: &[u8]| ((BINARY.recognise)(bytes, whole), (COMPACT.recognise)(bytes, whole));
            let (one, other) = (of(binary), of(compact));
            assert!(one.0 >= Confidence::Likely && one.1 < Confidence::Likely, "{one:?}");
            assert!(other.1 >= Confidence::Likely && other.0 < Confidence::Likely, "{other:?}");
            let (one, other) = ((BINARY.recognise)(&binary[..20], whole), (COMPACT.recognise)(&compact[..18], whole));
            assert!(whole || one >= Confidence::Possible && other >= Confidence::Possible);
        }
    }
    for other in [&b""[..], b"{\"a\": 1}", b"\0\0\0\0", &[0xff; 40]] {
        assert_eq!(((BINARY.recognise)(other, true), (COMPACT.recognise)(other, true)), (Confidence::No, Confidence::No), "{other:?}");
    }
}

#[test]
fn a_writer_is_ready_after_an_error() {
    let mut writer = ThriftWriter::<Binary>::default();
    assert!(Value::List(vec![]).emit(&mut writer).is_err());
    writer.reset();
    let mut out = Vec::new();
    person("Ada").emit(&mut writer).and_then(|()| writer.finish(&mut out)).unwrap();
    assert_eq!(out, b"\x0b\0\x01\0\0\0\x03Ada\0");
}

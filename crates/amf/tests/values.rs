//! Values of AMF0 and AMF3: the bytes of the specifications, both ways, and what is lost.

use polywire_amf::{AMF0, AMF3, tags};
use polywire_core::format::Format;
use polywire_core::value::{Value, ValueSink};
use polywire_core::{Budget, ErrorKind, Frame, Limits, Timestamp};
use polywire_testing::{self as testing, Rng, Shape};

const EVERY_0: &[u8] = include_bytes!("../../../testdata/corpus/amf0/every.amf0");
const EVERY_3: &[u8] = include_bytes!("../../../testdata/corpus/amf3/every.amf3");
const ACKNOWLEDGE: &[u8] = include_bytes!("../../../testdata/corpus/amf3/acknowledge.amf3");

fn tag(code: u64, value: Value) -> Value {
    Value::Tagged { space: tags::SPACE.into(), code, value: Box::new(value) }
}

fn named(name: &str, fields: Vec<(&str, Value)>) -> Value {
    let fields = fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    Value::Record { name: name.to_owned(), fields }
}

fn map(pairs: Vec<(Value, Value)>) -> Value {
    Value::Map(pairs)
}

fn texts(pairs: Vec<(&str, Value)>) -> Value {
    map(pairs.into_iter().map(|(key, value)| (Value::text(key), value)).collect())
}

fn time(milliseconds: i64) -> Value {
    let (seconds, rest) = (milliseconds.div_euclid(1000), milliseconds.rem_euclid(1000));
    Value::Time(Timestamp::new(seconds, rest as u32 * 1_000_000).expect("a moment"))
}

fn list<const N: usize>(values: [Value; N]) -> Value {
    Value::List(values.to_vec())
}

fn fields(value: &Value) -> &[(String, Value)] {
    let Value::Record { fields, .. } = value else { panic!("{value:?}") };
    fields
}

/// Holds that bytes are the fields, and come back.
fn holds(format: &'static Format, bytes: &[u8], expected: Vec<(&str, Value)>) {
    let value = testing::value_of(format, bytes).expect("a value");
    for ((name, value), (wanted, expected)) in fields(&value).iter().zip(&expected) {
        assert_eq!(name, wanted);
        testing::assert_same(value, expected, name);
    }
    assert_eq!(fields(&value).len(), expected.len());
    let (written, losses) = testing::written(format, &value);
    assert_eq!((written.escape_ascii().to_string(), losses), (bytes.escape_ascii().to_string(), vec![]));
}

#[test]
fn every_type_of_amf0_is_read_and_comes_back() {
    let point = named("com.example.Point", vec![("x", Value::int(1)), ("y", Value::int(2))]);
    let vector = tag(tags::VECTOR_INT, list([Value::int(-1), Value::int(7)]));
    holds(
        &AMF0,
        EVERY_0,
        vec![
            ("name", Value::text("größe")),
            ("age", Value::int(36)),
            ("half", Value::F64(-0.5)),
            ("yes", Value::Bool(true)),
            ("none", Value::Null),
            ("missing", tag(tags::UNDEFINED, Value::Null)),
            ("list", list([Value::int(1), Value::Null, tag(tags::REFERENCE_0, Value::int(0))])),
            ("ecma", texts(vec![("a", Value::int(1)), ("b", Value::int(2))])),
            ("sparse", tag(tags::ECMA_ARRAY | 15, texts(vec![("7", Value::text("x"))]))),
            ("when", time(1_409_653_383_774)),
            ("there", tag(tags::ZONED | 240, time(1_409_653_383_774))),
            ("never", tag(tags::DATE, Value::F64(f64::NAN))),
            ("long", tag(tags::LONG_STRING, Value::text("ab"))),
            ("no", tag(tags::UNSUPPORTED, Value::Null)),
            ("xml", tag(tags::XML_DOCUMENT, Value::text("<a/>"))),
            ("typed", point),
            ("typeless", tag(tags::TYPED, Value::record::<&str>([]))),
            ("three", tag(tags::AMF3, Value::record([("a", Value::int(5))]))),
            ("bytes", Value::Bytes(b"abc".to_vec())),
            ("vector", tag(tags::AMF3, vector)),
            ("", Value::Null),
        ],
    );
}

#[test]
fn every_type_of_amf3_is_read_and_comes_back() {
    let point = |x, y| named("com.example.Point", vec![("x", Value::int(x)), ("y", Value::int(y))]);
    let reference = |to| tag(tags::REFERENCE_3, Value::int(to));
    holds(
        &AMF3,
        EVERY_3,
        vec![
            ("name", Value::text("größe")),
            ("again", Value::text("größe")),
            ("int", Value::int(36)),
            ("negative", Value::int(-1)),
            ("least", Value::int(-268_435_456)),
            ("most", Value::int(268_435_455)),
            ("beyond", Value::int(268_435_456)),
            ("half", Value::F64(0.5)),
            ("whole", Value::F64(2.0)),
            ("yes", Value::Bool(true)),
            ("no", Value::Bool(false)),
            ("none", Value::Null),
            ("missing", tag(tags::UNDEFINED, Value::Null)),
            ("empty", Value::text("")),
            ("when", time(1_409_653_383_774)),
            ("never", tag(tags::DATE, Value::F64(f64::NAN))),
            ("xml", tag(tags::XML, Value::text("<a/>"))),
            ("document", tag(tags::XML_DOCUMENT, Value::text("<b/>"))),
            ("bytes", Value::Bytes(vec![0xff, 0])),
            ("list", list([Value::int(1), reference(0)])),
            (
                "mixed",
                tag(
                    tags::ARRAY,
                    map(vec![(Value::text("a"), Value::int(1)), (Value::int(0), Value::int(2)), (Value::int(1), Value::int(3))]),
                ),
            ),
            ("point", point(1, 2)),
            ("twin", point(3, 4)),
            ("bag", tag(tags::DYNAMIC | 1, named("com.example.Bag", vec![("size", Value::int(1)), ("extra", Value::Bool(true))]))),
            ("sealed", tag(tags::SEALED, Value::record([("", Value::Null)]))),
            ("ints", tag(tags::VECTOR_INT, list([Value::int(-1), Value::int(7)]))),
            ("uints", tag(tags::VECTOR_UINT + 1, list([Value::int(4_294_967_295), Value::int(7)]))),
            ("doubles", tag(tags::VECTOR_DOUBLE, list([Value::F64(1.0)]))),
            ("objects", tag(tags::VECTOR_OBJECT, Value::Tuple(vec![Value::text("P"), list([reference(0)])]))),
            ("texts", tag(tags::DICTIONARY, texts(vec![("k", Value::Null)]))),
            ("keys", map(vec![(Value::int(1), Value::Null)])),
            ("weak", tag(tags::WEAK_DICTIONARY, map(vec![(reference(0), Value::Null)]))),
            ("collection", tag(tags::EXTERNAL, named("flex.messaging.io.ArrayCollection", vec![("source", list([Value::int(1)]))]))),
        ],
    );
}

#[test]
fn messages_of_flex_have_their_fields() {
    let value = testing::value_of(&AMF3, ACKNOWLEDGE).expect("a message");
    let expected = vec![
        ("body", Value::int(7)),
        ("messageId", Value::text("id-1")),
        ("timestamp", Value::F64(1e12 + 0.5)),
        ("messageIdBytes", Value::Bytes((0..16).collect())),
        ("correlationId", Value::text("c-1")),
    ];
    testing::assert_same(&value, &tag(tags::EXTERNAL, named("DSK", expected)), "DSK");
    assert_eq!(testing::written(&AMF3, &value), (ACKNOWLEDGE.to_vec(), vec![]));
    // A flag without a name keeps its number.
    let odd = b"\x0a\x07\x07DSA\x80\x40\x01\x00";
    let value = testing::value_of(&AMF3, odd).expect("a message");
    testing::assert_same(&value, &tag(tags::EXTERNAL, named("DSA", vec![("abstract.13", Value::Null)])), "DSA");
    assert_eq!(testing::written(&AMF3, &value), (odd.to_vec(), vec![]));
    let unknown = b"\x0a\x07\x03X\x01";
    let error = testing::failure(&AMF3, unknown);
    assert_eq!((error.kind(), error.offset()), (ErrorKind::Unsupported, Some(4)), "{error}");
}

#[test]
fn numbers_keep_their_bits() {
    let bits = [0x7ff8_0000_0000_0001u64, 0xfff8_dead_beef_0000, 0x8000_0000_0000_0000, 1];
    for bits in bits {
        for (format, marker) in [(&AMF0, 0), (&AMF3, 5)] {
            let bytes = [&[marker][..], &bits.to_be_bytes()].concat();
            let value = testing::value_of(format, &bytes).expect("a number");
            assert_eq!(testing::written(format, &value), (bytes, vec![]));
        }
    }
    // An integer in more bytes than it needs.
    let long = b"\x04\x80\x80\x05";
    let mut writer = (AMF3.writer.expect("it is written"))();
    (AMF3.reader)().walk(long, 0, &mut *writer, &mut Budget::new(&Limits::DEFAULT)).expect("an integer");
    let mut out = Vec::new();
    writer.finish(&mut out).expect("an integer");
    assert_eq!(out, long);
}

#[test]
fn numbers_that_change_are_reported() {
    for (format, value, loss) in [
        (&AMF0, Value::F64(2.0), Some("whole float became an integer")),
        (&AMF3, Value::F64(2.0), None),
        (&AMF3, Value::F64(1e12), Some("whole float became an integer")),
        (&AMF3, Value::int(1 << 53), None),
        (&AMF0, Value::int((1 << 53) + 2), Some("integer beyond 2⁵³ became a float")),
        (&AMF3, Value::UInt(u64::MAX), Some(polywire_core::value::ROUNDED)),
        (&AMF0, Value::F64(-0.0), None),
        (&AMF3, Value::F32(0.5), None),
        (&AMF3, Value::Big("99999999999999999999".into()), Some("big integer became text")),
    ] {
        let (_, losses) = testing::written(format, &value);
        assert_eq!(losses, Vec::from_iter(loss), "{} {value:?}", format.name);
    }
}

#[test]
fn marks_that_do_not_fit_are_reported() {
    let other = "tag dropped: only the other version of AMF has it";
    let wrong = "tag dropped: its value is of another type";
    for (format, value, loss) in [
        (&AMF0, tag(tags::VECTOR_INT, list([Value::int(1)])), other),
        (&AMF0, tag(tags::REFERENCE_3, Value::int(0)), other),
        (&AMF0, tag(tags::EXTERNAL, Value::Null), other),
        (&AMF3, tag(tags::REFERENCE_0, Value::int(0)), other),
        (&AMF3, tag(tags::ZONED | 60, time(0)), other),
        (&AMF3, tag(tags::REFERENCE_3, Value::int(0)), "reference dropped: no object of its number was written"),
        (&AMF0, tag(tags::REFERENCE_0, Value::text("x")), "reference dropped: no object of its number was written"),
        (&AMF0, tag(tags::UNDEFINED, Value::int(1)), wrong),
        (&AMF3, tag(tags::UNDEFINED, Value::int(1)), wrong),
        (&AMF3, tag(tags::VECTOR_INT, list([Value::int(1 << 31)])), wrong),
        (&AMF3, tag(tags::VECTOR_OBJECT, list([])), wrong),
        (&AMF3, tag(tags::ARRAY, map(vec![(Value::int(1), Value::Null)])), wrong),
        (&AMF3, tag(tags::DYNAMIC | 3, Value::record([("a", Value::Null)])), wrong),
        (&AMF3, tag(tags::EXTERNAL, named("DSK", vec![("unheard", Value::Null)])), wrong),
        (&AMF0, tag(tags::ECMA_ARRAY | 1, texts(vec![("a", Value::Null)])), wrong),
        (&AMF3, tag(999, Value::Null), wrong),
        (&AMF3, Value::Tagged { space: "cbor".into(), code: 1, value: Box::new(Value::Null) }, "tag dropped"),
        (&AMF3, Value::record([("", Value::Null)]), "value without a name dropped"),
        (&AMF3, Value::Tuple(vec![]), "tuple became list"),
        (&AMF0, Value::Octets(b"ab".to_vec()), "octets became text"),
    ] {
        let (bytes, losses) = testing::written(format, &value);
        assert_eq!(losses, [loss], "{} {value:?}", format.name);
        testing::value_of(format, &bytes).expect("it is read");
    }
}

#[test]
fn text_that_is_not_utf8_is_octets() {
    for (format, bytes) in [(&AMF0, &b"\x02\0\x02a\xff"[..]), (&AMF3, b"\x06\x05a\xff")] {
        let value = testing::value_of(format, bytes).expect("octets");
        assert_eq!(value, Value::Octets(b"a\xff".to_vec()));
        assert_eq!(testing::written(format, &value), (bytes.to_vec(), vec![]));
    }
    let error = testing::failure(&AMF0, b"\x03\0\x02a\xff\x05\0\0\x09");
    assert_eq!((error.kind(), error.offset()), (ErrorKind::Encoding, Some(4)), "{error}");
}

#[test]
fn mistakes_have_their_place() {
    for (format, bytes, kind, offset, seen) in [
        (&AMF0, &b"\x04"[..], ErrorKind::Syntax, 0, "the type 0x04"),
        (&AMF0, b"\x12", ErrorKind::Syntax, 0, "the type 0x12"),
        (&AMF0, b"\x09", ErrorKind::Syntax, 0, "the end of an object"),
        (&AMF0, b"\x07\0\x01", ErrorKind::Syntax, 1, "a reference to 1, where 0 came before"),
        (&AMF0, b"\x02\0\x05ab", ErrorKind::Truncated, 5, "2 of 5 bytes"),
        (&AMF0, b"\x05\x05", ErrorKind::Trailing, 1, "1 bytes"),
        (&AMF3, b"\x12", ErrorKind::Syntax, 0, "the type 0x12"),
        (&AMF3, b"\x06\x02", ErrorKind::Syntax, 1, "a reference to 1, where 0 came before"),
        (&AMF3, b"\x0a\x01", ErrorKind::Syntax, 1, "a reference to 0, where 0 came before"),
        (&AMF3, b"\x09\x05\x01\x09\x01\x01\x0c\x00", ErrorKind::Syntax, 7, "a reference of the type 0x0c to a value of the type 0x09"),
        (&AMF3, b"\x04\xff\xff", ErrorKind::Truncated, 3, "the end of the input"),
    ] {
        let error = testing::failure(format, bytes);
        assert_eq!((error.kind(), error.offset()), (kind, Some(offset)), "{error}");
        assert!(error.to_string().contains(seen), "{error}");
    }
}

#[test]
fn random_values_come_back() {
    let mut rng = Rng::with_seed(11);
    let mut whole = 0;
    for n in 0..4000 {
        let value = testing::value(&mut rng, if n % 2 == 0 { Shape::PLAIN } else { Shape::ANY });
        for format in [&AMF0, &AMF3] {
            let (bytes, losses) = testing::written(format, &value);
            let back = testing::value_of(format, &bytes).expect("it is read");
            if losses.is_empty() {
                testing::assert_same(&value, &back, format.name);
                whole += 1;
            }
            // A value that was read is held.
            assert_eq!(testing::written(format, &back), (bytes, vec![]), "{back:?}");
        }
    }
    assert!(whole > 3000, "{whole}");
    testing::late_counts(&AMF3, 300);
    testing::late_counts(&AMF0, 300);
}

/// Commands of RTMP follow each other in a stream.
#[test]
fn values_follow_each_other() {
    let stream = b"\x02\0\x07connect\0\x3f\xf0\0\0\0\0\0\0\x03\0\x03app\x02\0\x04live\0\0\x09";
    let mut reader = (AMF0.reader)();
    let (mut at, mut values) = (0, Vec::new());
    while let Frame::Message { start, end } = reader.frame(&stream[at..], at as u64, true).expect("a frame") {
        let mut sink = ValueSink::default();
        let base = (at + start) as u64;
        reader.walk(&stream[at + start..at + end], base, &mut sink, &mut Budget::new(&Limits::DEFAULT)).expect("a value");
        values.extend(sink.finish());
        at += end;
    }
    assert_eq!(values, [Value::text("connect"), Value::int(1), Value::record([("app", Value::text("live"))])]);
}

#[test]
fn texts_beyond_16_bits_are_long_strings() {
    let value = Value::text("x".repeat(65_536));
    let bytes = testing::write(&AMF0, &value).expect("a long string");
    assert_eq!(bytes[..5], [0x0c, 0, 1, 0, 0]);
    testing::round_trip(&AMF0, &value);
    let long = Value::record([("x".repeat(65_536), Value::Null)]);
    assert_eq!(testing::write(&AMF0, &long).expect_err("a name is too long").kind(), ErrorKind::Unsupported);
    testing::round_trip(&AMF3, &long);
}

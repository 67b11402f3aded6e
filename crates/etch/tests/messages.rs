//! Messages of Etch: bytes that its Java classes wrote, both ways, and what is refused.

use polywire_core::format::{Confidence, Format};
use polywire_core::tools::Stream;
use polywire_core::tools::adapt::{Doubles, Walker};
use polywire_core::tools::convert::convert;
use polywire_core::{Error, ErrorKind, Frame, Limits, Timestamp, Value};
use polywire_etch::{MESSAGE, PACKET, tags};
use polywire_testing::{self as testing, Rng, Shape};

macro_rules! file {
    ($name:literal) => {
        &include_bytes!(concat!("../../../testdata/corpus/", $name))[..]
    };
}

const SET: &str = "494384098";

fn tag(element: u8, dimensions: u8, value: Value) -> Value {
    Value::Tagged { space: tags::SPACE.into(), code: tags::array(element, dimensions), value: Box::new(value) }
}

fn named(name: &str, fields: Vec<(&str, Value)>) -> Value {
    let fields = fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    Value::Record { name: name.to_owned(), fields }
}

fn list<const N: usize>(values: [Value; N]) -> Value {
    Value::List(values.to_vec())
}

fn converted(format: &'static Format, bytes: &[u8]) -> Result<Vec<u8>, Error> {
    let mut out = Vec::new();
    let mut walker = Walker::new(format, &Limits::DEFAULT).doubles(Doubles::Keep);
    let done = convert(&mut Stream::new(bytes), &mut out, &mut walker, format)?;
    assert!(done.losses.iter().next().is_none());
    Ok(out)
}

#[test]
fn messages_of_java_are_read_and_come_back() {
    let digits = |name: &str| polywire_etch::hash(name).to_string();
    let map = Value::Map(vec![(Value::text("k"), Value::int(7))]);
    let grid = [tag(0x86, 1, list([Value::int(1), Value::int(2)])), tag(0x86, 1, list([Value::int(3)]))];
    let texts = list([Value::text("a"), Value::text("b")]);
    for (bytes, name, field, value) in [
        (file!("etch/list.etchb"), SET, digits("list"), named("_Etch_List", vec![("values", list([Value::int(1), Value::text("x")]))])),
        (file!("etch/moment.etchb"), SET, digits("when"), Value::Time(Timestamp::new(1, 0).expect("a moment"))),
        (file!("etch/map.etchb"), SET, digits("map"), map.clone()),
        (file!("etch/grid.etchb"), SET, digits("grid"), tag(0x86, 2, list(grid))),
        (file!("etch/names.etchb"), "examples.Clock.set", "names".to_owned(), tag(0x93, 1, texts)),
        (file!("etch/strings.etchb"), "examples.Clock.set", "map".to_owned(), map),
    ] {
        let expected = named(name, vec![(&field, value)]);
        testing::assert_same(&testing::value_of(&MESSAGE, bytes).expect("a message"), &expected, &field);
        assert_eq!(testing::written(&MESSAGE, &expected), (bytes.to_vec(), vec![]), "{field}");
    }
    let call = named(SET, vec![("_messageId", Value::int(1)), ("-21773710", Value::text("hi"))]);
    testing::assert_same(&testing::value_of(&MESSAGE, file!("etch/call.etchb")).expect("a message"), &call, "call");
    assert_eq!(testing::written(&MESSAGE, &call), (file!("etch/call.etchb").to_vec(), vec![]));
}

#[test]
fn integers_are_as_short_as_java_writes_them() {
    for (value, bytes) in [
        (5, "05"),
        (-64, "c0"),
        (-65, "84bf"),
        (128, "850080"),
        (300, "85012c"),
        (70_000, "8600011170"),
        (1 << 40, "870000010000000000"),
        (i64::MIN, "878000000000000000"),
    ] {
        let (written, _) = testing::written(&MESSAGE, &named("", vec![("a", Value::int(value))]));
        let hex: String = written[6..written.len() - 1].iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(hex, bytes, "{value}");
    }
    // A longer form of a number is kept.
    let long = b"\x03\x92\x01\x93\x01a\x86\0\0\0\x05\x81";
    assert_eq!(converted(&MESSAGE, long).expect("a message"), long);
}

#[test]
fn packets_hold_messages() {
    let (call, strings) = (file!("etch-packet/call.etchp"), file!("etch-packet/strings.etchp"));
    let value = testing::value_of(&PACKET, call).expect("a packet");
    testing::assert_same(&value, &testing::value_of(&MESSAGE, file!("etch/call.etchb")).expect("a message"), "call");
    assert_eq!(testing::written(&PACKET, &value), (call.to_vec(), vec![]));
    // A packet of no bytes is no message.
    let stream = [call, b"\xde\xad\xbe\xef\0\0\0\0", strings].concat();
    assert_eq!(converted(&PACKET, &stream).expect("two packets"), [call, strings].concat());
    let mut reader = (PACKET.reader)();
    assert_eq!(reader.frame(&call[..5], 0, false).expect("a start"), Frame::More(3));
    assert_eq!(reader.frame(&call[..10], 0, false).expect("a start"), Frame::More(call.len() - 10));
    for (bytes, kind) in [
        (&b"\xde\xad\xbe\xee\0\0\0\x05"[..], ErrorKind::Syntax),
        (b"\xde\xad\xbe\xef\xff\0\0\x05", ErrorKind::Range),
        (b"\xde\xad\xbe", ErrorKind::Truncated),
    ] {
        assert_eq!(reader.frame(bytes, 0, true).expect_err("no packet").kind(), kind, "{bytes:?}");
    }
    assert!(converted(&PACKET, &call[..call.len() - 1]).is_err());
}

#[test]
fn mistakes_have_their_place() {
    for (bytes, kind, offset, seen) in [
        (&b"\x02\x92\0\x81"[..], ErrorKind::Syntax, 0, "the version 2"),
        (b"\x03\x82\0\x81", ErrorKind::Syntax, 1, "the type code 0x82"),
        (b"\x03\x92\xff\x81", ErrorKind::Range, 2, "a count of -1"),
        (b"\x03\x92\0\x05\x05\x81", ErrorKind::Syntax, 3, "the type code 0x05"),
        (b"\x03\x92\x01\x81", ErrorKind::Syntax, 3, "an end where 1 fields are left"),
        (b"\x03\x92\x01\x05\x81\x81", ErrorKind::Syntax, 4, "81, an end"),
        (b"\x03\x92\x01\x05\x97\x81", ErrorKind::Syntax, 4, "the type code 0x97"),
        (b"\x03\x92\x01\x05\x91\x05\x01\0\x81\x81", ErrorKind::Syntax, 5, "elements of the type 0x05"),
        (b"\x03\x92\x01\x05\x91\x96\x0a\0\x81\x81", ErrorKind::Syntax, 6, "an array of 10 dimensions"),
        (b"\x03\x92\x01\x93\x02a\xff\x05\x81", ErrorKind::Encoding, 6, "byte 0xff"),
        (b"\x03\x87\0\0\0\x01\0\0\0\0\0\x81", ErrorKind::Range, 1, "the hash 4294967296"),
        (b"\x03\x92\0\x81\0", ErrorKind::Trailing, 4, "1 bytes"),
        (b"\x03\x92\x01\x05", ErrorKind::Truncated, 4, "the end of the input"),
    ] {
        let error = testing::failure(&MESSAGE, bytes);
        assert_eq!((error.kind(), error.offset()), (kind, Some(offset)), "{error}");
        assert!(error.to_string().contains(seen), "{error}");
    }
    assert_eq!(testing::write(&MESSAGE, &Value::Null).expect_err("no record").kind(), ErrorKind::Unsupported);
}

#[test]
fn what_changes_is_reported() {
    let map = |entries: Value| named("_Etch_Map", vec![("keysAndValues", entries)]);
    for (value, loss) in [
        (Value::Tuple(vec![]), "tuple became list"),
        (Value::UInt(u64::MAX), "integer beyond 64 bits with a sign became text"),
        (Value::Octets(b"ab".to_vec()), "octets became text"),
        (tag(0x96, 1, list([])), "tag dropped"),
        (tag(0x95, 1, list([])), "tag dropped"),
        (tag(0x86, 10, list([])), "tag dropped"),
        (map(list([])), "record of a map reads as a map"),
        (named("_Etch_Datetime", vec![("dateTime", Value::int(5))]), "record of a moment reads as a timestamp"),
        (Value::Time(Timestamp::new(0, 1).expect("a moment")), "fraction of a millisecond dropped from a timestamp"),
    ] {
        assert_eq!(testing::written(&MESSAGE, &named("", vec![("a", value.clone())])).1, [loss], "{value:?}");
    }
    let structures = tag(0x95, 1, Value::Tuple(vec![Value::text("Point"), list([named("Point", vec![("x", Value::int(1))])])]));
    testing::round_trip(&MESSAGE, &named("set", vec![("a", structures)]));
    testing::round_trip(&MESSAGE, &named("set", vec![("814014191", map(list([Value::Null])))]));
}

#[test]
fn random_values_come_back() {
    let mut rng = Rng::with_seed(11);
    let mut whole = 0;
    for n in 0..4000 {
        let value = testing::value(&mut rng, if n % 2 == 0 { Shape::PLAIN } else { Shape::ANY });
        let value = named(["", "5", "set"][n % 3], vec![("a", value)]);
        for format in [&MESSAGE, &PACKET] {
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
}

#[test]
fn messages_are_recognised() {
    for whole in [true, false] {
        assert_eq!((MESSAGE.recognise)(file!("etch/call.etchb"), whole), Confidence::Likely);
        assert_eq!((MESSAGE.recognise)(file!("etch/names.etchb"), whole), Confidence::Likely);
        assert_eq!((PACKET.recognise)(file!("etch-packet/call.etchp"), whole), Confidence::Certain);
    }
    for other in [&b""[..], b"{\"a\": 1}", b"\x03\x03\x03", &[0xff; 40]] {
        assert_eq!([(MESSAGE.recognise)(other, true), (PACKET.recognise)(other, true)], [Confidence::No; 2], "{other:?}");
    }
}

//! Packets of remoting, and shared objects.

use polywire_amf::{AMF0, AMF3, PACKET, SHARED_OBJECT, tags};
use polywire_core::format::{Confidence, Format};
use polywire_core::tools::Stream;
use polywire_core::tools::adapt::{Doubles, Walker};
use polywire_core::tools::convert::convert;
use polywire_core::{ErrorKind, Limits, Value};
use polywire_testing as testing;

const CALL: &[u8] = include_bytes!("../../../testdata/corpus/amf-packet/call.amf");
const REPLY: &[u8] = include_bytes!("../../../testdata/corpus/amf-packet/reply.amf");
const SCORES: &[u8] = include_bytes!("../../../testdata/corpus/sol/scores.sol");
const SETTINGS: &[u8] = include_bytes!("../../../testdata/corpus/sol/settings.sol");

fn tag(code: u64, value: Value) -> Value {
    Value::Tagged { space: tags::SPACE.into(), code, value: Box::new(value) }
}

/// Converts messages of a format to itself.
fn converted(format: &'static Format, bytes: &[u8]) -> (Vec<u8>, usize) {
    let mut out = Vec::new();
    let mut walker = Walker::new(format, &Limits::DEFAULT).doubles(Doubles::Keep);
    let done = convert(&mut Stream::new(bytes), &mut out, &mut walker, format).expect("it is converted");
    (out, done.losses.iter().count())
}

#[test]
fn packets_are_read_and_come_back() {
    let header =
        [("name", Value::text("Credentials")), ("required", Value::Bool(true)), ("value", Value::record([("userid", Value::text("ada"))]))];
    let message = [
        ("target", Value::text("echo.run")),
        ("response", Value::text("/1")),
        ("body", Value::List(vec![tag(tags::AMF3, Value::text("hello"))])),
    ];
    let expected = Value::record([
        ("version", Value::int(3)),
        ("headers", Value::List(vec![Value::record(header)])),
        ("messages", Value::List(vec![Value::record(message)])),
    ]);
    testing::assert_same(&testing::value_of(&PACKET, CALL).expect("a packet"), &expected, "call");
    assert_eq!(testing::written(&PACKET, &expected), (CALL.to_vec(), vec![]));
    // A length that is unknown stays so where the remark on it comes along.
    let none = [&REPLY[..25], &[0; 4], &REPLY[29..]].concat();
    assert_ne!(none, REPLY);
    for bytes in [CALL, REPLY, &none] {
        assert_eq!(converted(&PACKET, &[bytes, bytes].concat()), ([bytes, bytes].concat(), 0));
    }
    let reply = testing::value_of(&PACKET, REPLY).expect("a packet");
    let (written, losses) = testing::written(&PACKET, &reply);
    assert!(written.len() == REPLY.len() && losses.is_empty());
    testing::assert_same(&testing::value_of(&PACKET, &written).expect("a packet"), &reply, "reply");
}

#[test]
fn mistakes_in_packets_have_their_place() {
    let mut length = CALL.to_vec();
    // The last byte of the length of the header's value.
    length[21] += 1;
    for (bytes, kind, offset) in [
        (&length[..], ErrorKind::Mismatch, 40),
        (b"\0\x02\0\0\0\0", ErrorKind::Syntax, 0),
        (b"\0\0\0\0\0\x01\0\0\0\0\0\0\0\x02\x12", ErrorKind::Syntax, 14),
        (b"\0\0\0\0\0\0\0", ErrorKind::Trailing, 6),
    ] {
        let error = testing::failure(&PACKET, bytes);
        assert_eq!((error.kind(), error.offset()), (kind, Some(offset)), "{error}");
    }
    for (value, seen) in [
        (Value::record([("version", Value::int(9)), ("headers", Value::List(vec![])), ("messages", Value::List(vec![]))]), "version 9"),
        (Value::record([("version", Value::int(0)), ("headers", Value::Null), ("messages", Value::List(vec![]))]), "null as `headers`"),
        (
            Value::record([("version", Value::int(0)), ("headers", Value::List(vec![])), ("messages", Value::List(vec![Value::Null]))]),
            "a message of other parts",
        ),
    ] {
        let error = testing::write(&PACKET, &value).expect_err("no packet");
        assert!(error.to_string().contains(seen), "{error}");
    }
    let (bytes, losses) = testing::written(&PACKET, &Value::text("hello"));
    assert_eq!(
        (&bytes[..], &losses[..]),
        (&b"\0\0\0\0\0\x01\0\0\0\0\0\0\0\x08\x02\0\x05hello"[..], &["value became the body of a message"][..])
    );
}

#[test]
fn shared_objects_are_read_and_come_back() {
    let names = Value::Map(vec![(Value::text("0"), Value::text("Ada")), (Value::text("1"), Value::text("Bea"))]);
    // In AMF0, the data is the object 0.
    let data = [("best", Value::int(4200)), ("names", names), ("root", tag(tags::REFERENCE_0, Value::int(0)))];
    let scores = Value::record([("name", Value::text("scores")), ("version", Value::int(0)), ("data", Value::record(data))]);
    let data = [
        ("volume", Value::F64(0.8)),
        ("muted", Value::Bool(false)),
        ("player", Value::record([("name", Value::text("Ada"))])),
        ("again", tag(tags::REFERENCE_3, Value::int(0))),
    ];
    let settings = Value::record([("name", Value::text("settings")), ("version", Value::int(3)), ("data", Value::record(data))]);
    for (bytes, expected) in [(SCORES, scores), (SETTINGS, settings)] {
        testing::assert_same(&testing::value_of(&SHARED_OBJECT, bytes).expect("a shared object"), &expected, "read");
        assert_eq!(testing::written(&SHARED_OBJECT, &expected), (bytes.to_vec(), vec![]));
        assert_eq!(converted(&SHARED_OBJECT, &[bytes, bytes].concat()), ([bytes, bytes].concat(), 0));
    }
}

#[test]
fn mistakes_in_shared_objects_have_their_place() {
    let changed = |at: usize, byte: u8| {
        let mut bytes = SCORES.to_vec();
        bytes[at] = byte;
        bytes
    };
    let last = SCORES.len() - 1;
    for (bytes, kind, offset) in [
        (changed(0, 1), ErrorKind::Syntax, 0),
        (changed(6, b'X'), ErrorKind::Syntax, 6),
        (changed(5, 0), ErrorKind::Mismatch, 28),
        (changed(5, 30), ErrorKind::Mismatch, 44),
        (changed(27, 9), ErrorKind::Syntax, 24),
        (changed(last, 1), ErrorKind::Syntax, last as u64),
        (SCORES[..last].to_vec(), ErrorKind::Truncated, last as u64),
        ([SCORES, b"\0"].concat(), ErrorKind::Trailing, last as u64 + 1),
    ] {
        let error = testing::failure(&SHARED_OBJECT, &bytes);
        assert_eq!((error.kind(), error.offset()), (kind, Some(offset)), "{error}");
    }
    let row = Value::record([("city", Value::text("Zurich"))]);
    let (bytes, losses) = testing::written(&SHARED_OBJECT, &row);
    assert_eq!(losses, ["value became the data of a shared object without a name"]);
    let expected = Value::record([("name", Value::text("")), ("version", Value::int(3)), ("data", row)]);
    testing::assert_same(&testing::value_of(&SHARED_OBJECT, &bytes).expect("a shared object"), &expected, "row");
    assert!(testing::write(&SHARED_OBJECT, &Value::Null).is_err());
}

#[test]
fn formats_are_recognised() {
    let of = |bytes: &[u8], whole| [&AMF0, &AMF3, &PACKET, &SHARED_OBJECT].map(|format| (format.recognise)(bytes, whole));
    let every_0 = include_bytes!("../../../testdata/corpus/amf0/every.amf0");
    let every_3 = include_bytes!("../../../testdata/corpus/amf3/every.amf3");
    for whole in [true, false] {
        assert_eq!(of(SCORES, whole)[3], Confidence::Certain);
        assert_eq!(of(CALL, whole)[2], Confidence::Likely);
        assert_eq!(of(&CALL[..CALL.len() - 5], false)[2], Confidence::Likely);
        assert!(of(every_0, whole)[0] == Confidence::Likely && of(every_0, whole)[1] < Confidence::Likely);
        assert!(of(every_3, whole)[1] == Confidence::Likely && of(every_3, whole)[0] < Confidence::Likely);
    }
    for other in [&b""[..], b"{\"a\": 1}", b"\n\t text", &[0xff; 40], b"\0\0\0\0"] {
        assert_eq!(of(other, true), [Confidence::No; 4], "{other:?}");
    }
}

//! Fields that the schema does not have: kept in every framing, dropped, refused, printed by
//! number; and names in JSON that it does not have.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use polywire_core::format::{Binder, Dialect, Format};
use polywire_core::tools::Stream;
use polywire_core::tools::adapt::{Unknown, Walker};
use polywire_core::tools::convert::{Conversion, convert};
use polywire_core::{Budget, Error, Limits};
use polywire_protobuf::bind::{Protocol, Speech};
use polywire_protobuf::json::{JsonParser, ParseOptions};
use polywire_protobuf::plan::Plan;
use polywire_protobuf::source;
use polywire_protobuf::text::{TextPrinter, UnknownFields};
use polywire_protobuf::wire::framing::Framing;
use polywire_protobuf::{DELIMITED, FORMAT, GRPC, JSON, TEXT};

const SCHEMA: &str =
    "syntax = \"proto2\"; message M { enum E { X = 0; Y = 5; } optional int32 b = 2; repeated E packed = 3 [packed = true];
    map<string, E> m = 4; repeated E list = 5; optional M inner = 6; optional E e = 7; repeated int32 n = 8; }";

fn plan() -> Arc<Plan> {
    let text = polywire_core::schema::language::SchemaText { name: "m.proto", bytes: SCHEMA.as_bytes(), identity: "m.proto" };
    let protos = source::read(&text, &mut polywire_core::text::sources::NoFiles).unwrap_or_else(|found| panic!("{found}"));
    Arc::new(Plan::named(&protos.pool, Some("M")).unwrap())
}

fn bound() -> Dialect {
    static BOUND: OnceLock<Dialect> = OnceLock::new();
    let bind = || {
        let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("unknown.proto");
        std::fs::write(&file, SCHEMA).unwrap();
        Dialect::bound(&FORMAT, Protocol(Speech::Bytes(Framing::Whole)).bind(&file, None, &[]).unwrap())
    };
    BOUND.get_or_init(bind).clone()
}

fn converted(from: &'static Format, to: &'static Format, unknown: Unknown, bytes: &[u8]) -> Result<(Vec<u8>, Conversion), Error> {
    let bound = bound();
    let dialect = |format: &'static Format| bound.in_format(format).expect("a format of the same language");
    let mut walker = Walker::new(dialect(from), &Limits::DEFAULT).unknown(unknown);
    let mut out = Vec::new();
    let done = convert(&mut Stream::new(bytes), &mut out, &mut walker, dialect(to))?;
    Ok((out, done))
}

/// A message with unknown fields: a varint, a group with a fixed number in it, bytes, and a number
/// of another wire type than the schema's.
const LATER: [u8; 25] = [0x08, 1, 0x10, 2, 0x15, 9, 0, 0, 0, 0x32, 3, 0x9a, 0x06, 0, 0x93, 0x06, 0x0d, 1, 0, 0, 0, 0x94, 0x06, 0xa0, 0x06];

fn later() -> Vec<u8> {
    [&LATER[..], &[0x07]].concat()
}

#[test]
fn unknown_fields_are_kept_in_every_framing() {
    let message = later();
    let delimited = [&[message.len() as u8][..], &message].concat();
    let grpc = [&[0, 0, 0, 0, message.len() as u8][..], &message].concat();
    let framed: [(&'static Format, &[u8]); 3] = [(&FORMAT, &message), (&DELIMITED, &delimited), (&GRPC, &grpc)];
    for (from, bytes) in framed {
        for (to, expected) in framed {
            let (out, done) = converted(from, to, Unknown::Keep, bytes).unwrap();
            assert_eq!((&out[..], done.losses.is_empty()), (expected, true), "{} to {}", from.name, to.name);
        }
    }
    let (out, done) = converted(&FORMAT, &DELIMITED, Unknown::Drop, &message).unwrap();
    assert_eq!((out, done.losses.is_empty()), (vec![4, 0x10, 2, 0x32, 0], true));
    let refused = converted(&FORMAT, &DELIMITED, Unknown::Fail, &message).unwrap_err();
    assert_eq!((refused.offset(), refused.fault()), (Some(0), polywire_core::Fault::Data), "{refused}");
    // JSON has no place for them, which is a loss.
    let (out, done) = converted(&FORMAT, &JSON, Unknown::Keep, &message).unwrap();
    assert_eq!((&out[..], done.losses.is_empty()), (&b"{\"b\":2,\"inner\":{}}\n"[..], false));
}

#[test]
fn numbers_that_a_closed_enum_does_not_have_are_kept() {
    for (bytes, expected) in [
        // In a packed list: behind the list, each with a tag.
        (&[0x1a, 4, 0, 9, 5, 8][..], &[0x1a, 2, 0, 5, 0x18, 9, 0x18, 8][..]),
        // A list of nothing else is as it was.
        (&[0x1a, 1, 9], &[0x1a, 1, 9]),
        // One by one, between others.
        (&[0x28, 0, 0x28, 9, 0x28, 5], &[0x28, 0, 0x28, 9, 0x28, 5]),
        // In a map: the whole entry.
        (
            &[0x22, 5, 0x0a, 1, b'a', 0x10, 9, 0x22, 5, 0x0a, 1, b'b', 0x10, 5],
            &[0x22, 5, 0x0a, 1, b'b', 0x10, 5, 0x22, 5, 0x0a, 1, b'a', 0x10, 9],
        ),
        (&[0x38, 9], &[0x38, 9]),
    ] {
        let (out, done) = converted(&FORMAT, &FORMAT, Unknown::Keep, bytes).unwrap();
        assert_eq!((&out[..], done.losses.is_empty()), (expected, true), "{bytes:02x?}");
        let (again, _) = converted(&FORMAT, &FORMAT, Unknown::Keep, &out).unwrap();
        assert_eq!(again, out, "{bytes:02x?}");
    }
    // A field of an entry beside key and value has no place elsewhere.
    let (out, done) = converted(&FORMAT, &FORMAT, Unknown::Keep, &[0x22, 7, 0x0a, 1, b'a', 0x10, 5, 0x18, 1]).unwrap();
    assert_eq!((&out[..], done.losses.is_empty()), (&[0x22, 5, 0x0a, 1, b'a', 0x10, 5][..], false));
}

#[test]
fn the_text_format_has_unknown_fields_by_number() {
    let text = |bytes: &[u8], unknown| {
        let mut out = Vec::new();
        TextPrinter::new(plan()).unknown(unknown).print(bytes, 0, &mut out, &mut Budget::new(&Limits::DEFAULT)).unwrap();
        String::from_utf8(out).unwrap()
    };
    let expected = "1: 1\nb: 2\n2: 0x00000009\ninner {\n  99: \"\"\n}\n98 {\n  1: 0x00000001\n}\n100: 7\n";
    assert_eq!(text(&later(), UnknownFields::ByNumber), expected);
    assert_eq!(text(&later(), UnknownFields::LeftOut), "b: 2\ninner {\n}\n");
    for (bytes, expected) in [
        (&[0x49, 1, 0, 0, 0, 0, 0, 0, 0][..], "9: 0x0000000000000001\n"),
        (&[0x4a, 2, 8, 7], "9 {\n  1: 7\n}\n"),
        (&[0x4a, 2, b'n', b'o'], "9: \"no\"\n"),
        (&[0x4a, 6, 0x0b, 0x13, 0x08, 1, 0x14, 0x0c], "9 {\n  1 {\n    2 {\n      1: 1\n    }\n  }\n}\n"),
        (&[0x32, 2, 8, 1], "inner {\n  1: 1\n}\n"),
        (&[0x1a, 2, 9, 5], "3: 9\npacked: Y\n"),
    ] {
        assert_eq!(text(bytes, UnknownFields::ByNumber), expected, "{bytes:02x?}");
    }
    // Bytes within bytes are messages to a depth that the sender does not choose.
    let mut nested = vec![0x4a, 0];
    for _ in 0..40 {
        nested = [&[0x4a, nested.len() as u8][..], &nested].concat();
    }
    assert_eq!(text(&nested, UnknownFields::ByNumber).matches('{').count(), 10);
    // The conversion cautions, and loses nothing.
    let (out, done) = converted(&FORMAT, &TEXT, Unknown::Keep, &later()).unwrap();
    assert_eq!((String::from_utf8(out).unwrap().as_str(), done.losses.is_empty()), (expected, true));
    assert_eq!(done.losses.cautions().map(|loss| loss.count).sum::<u64>(), 5);
    let (out, done) = converted(&FORMAT, &TEXT, Unknown::Drop, &later()).unwrap();
    assert_eq!((&out[..], done.losses.cautions().count()), (&b"b: 2\ninner {\n}\n"[..], 0));
}

#[test]
fn unknown_names_in_json_leave_nothing() {
    let parse = |text: &str, ignore_unknown| {
        let mut out = Vec::new();
        let parsed = JsonParser::new(plan(), ParseOptions { ignore_unknown }).parse(
            text.as_bytes(),
            0,
            &mut out,
            &mut Budget::new(&Limits::DEFAULT),
        );
        parsed.map(|()| out).ok()
    };
    for (text, expected) in [
        ("{\"m\":{\"a\":\"NO\",\"b\":\"Y\",\"c\":\"NO\"},\"later\":{\"x\":[1,null]}}", &[0x22, 5, 0x0a, 1, b'b', 0x10, 5][..]),
        ("{\"m\":{\"a\":\"NO\"},\"b\":1}", &[0x10, 1]),
        ("{\"packed\":[\"NO\",\"Y\"],\"list\":[\"NO\"],\"e\":\"NO\"}", &[0x1a, 1, 5]),
    ] {
        assert_eq!(parse(text, true).as_deref(), Some(expected), "{text}");
        assert_eq!(parse(text, false), None, "{text}");
    }
    // The dialect has the option too, and other dialects have no use for it.
    let json = bound().in_format(&JSON).unwrap();
    assert!(json.ignoring_unknown().is_some() && bound().ignoring_unknown().is_none());
    let ignoring = json.ignoring_unknown().unwrap();
    assert!(ignoring.is_bound_as(&bound()) && ignoring.is_bound_as(&json));
}

#[test]
fn no_bytes_are_a_message_without_fields() {
    for (from, to, expected) in
        [(&FORMAT, &JSON, &b"{}\n"[..]), (&FORMAT, &DELIMITED, &[0]), (&TEXT, &JSON, b"{}\n"), (&FORMAT, &TEXT, b"")]
    {
        let (out, done) = converted(from, to, Unknown::Keep, &[]).unwrap();
        assert_eq!((&out[..], done.messages), (expected, 1), "{} to {}", from.name, to.name);
    }
    // A stream of messages with lengths has none.
    assert_eq!(converted(&DELIMITED, &JSON, Unknown::Keep, &[]).unwrap().1.messages, 0);
    assert_eq!(converted(&DELIMITED, &JSON, Unknown::Keep, &[0, 0]).unwrap().1.messages, 2);
}

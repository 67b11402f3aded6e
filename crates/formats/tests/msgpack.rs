//! MessagePack: the specification's formats, judges, and hostile bytes.

mod vectors;

use fastrand::Rng;
use polywire_core::format::Confidence;
use polywire_core::tools::Count;
use polywire_core::tools::adapt::Walker;
use polywire_core::value::Value;
use polywire_core::walk::Path;
use polywire_core::{
    Budget, Error, ErrorKind, Fault, Field, Frame, Len, Limits, Open, Part, PartKind, Reader, Scalar, Sink, Span, Str, Timestamp, Writer,
};
use polywire_formats::msgpack::{FORMAT, MsgpackReader, MsgpackWriter};
use polywire_testing::{self as testing, Shape, assert_same};
use vectors::{hex, load, unhex};

fn read(bytes: &[u8]) -> Result<Value, Error> {
    testing::value_of(&FORMAT, bytes)
}

fn failure(bytes: &[u8]) -> Error {
    testing::failure(&FORMAT, bytes)
}

fn written(value: &Value) -> (Vec<u8>, Vec<&'static str>) {
    testing::written(&FORMAT, value)
}

/// Returns the value that MessagePack makes of a value, and whether that changes it.
fn kept(value: &Value, changed: &mut bool) -> Value {
    let mut list = |values: &[Value]| Value::List(values.iter().map(|value| kept(value, changed)).collect());
    match value {
        Value::List(values) => list(values),
        Value::Tuple(values) => {
            let list = list(values);
            *changed = true;
            list
        }
        Value::Big(digits) => {
            *changed = true;
            Value::Text(digits.clone())
        }
        Value::Decimal(digits) => {
            *changed = true;
            let nearest: f64 = digits.parse().expect("a number");
            if nearest.is_finite() { Value::F64(nearest) } else { Value::Text(digits.clone()) }
        }
        Value::Octets(bytes) => match String::from_utf8(bytes.clone()) {
            Ok(text) => {
                *changed = true;
                Value::Text(text)
            }
            Err(_) => value.clone(),
        },
        Value::Map(pairs) => Value::Map(pairs.iter().map(|(key, value)| (kept(key, changed), kept(value, changed))).collect()),
        Value::Record { name, fields } => {
            *changed |= !name.is_empty();
            Value::record(fields.iter().map(|(name, value)| (name.clone(), kept(value, changed))))
        }
        Value::Variant { name, index, values } => {
            let payload = match &values[..] {
                [] => Value::Null,
                [one] => kept(one, changed),
                more => list(more),
            };
            *changed = true;
            let key = if name.is_empty() { Value::UInt(u64::from(*index)) } else { Value::text(name) };
            Value::Map(vec![(key, payload)])
        }
        Value::Tagged { space, value: inner, .. } if space == "msgpack" && matches!(**inner, Value::Bytes(_)) => value.clone(),
        Value::Tagged { value, .. } => {
            *changed = true;
            kept(value, changed)
        }
        other => other.clone(),
    }
}

fn generated() -> impl Iterator<Item = Value> {
    let mut rng = Rng::with_seed(11);
    (0..600).map(move |n| testing::value(&mut rng, if n % 2 == 0 { Shape::PLAIN } else { Shape::ANY }))
}

#[test]
fn what_comes_back_is_what_was_written_or_noted_as_lost() {
    testing::comes_back(&FORMAT, generated(), kept);
}

/// The value as the `rmpv` crate sees it.
fn to_judge(value: &Value) -> rmpv::Value {
    match value {
        Value::Null => rmpv::Value::Nil,
        Value::Bool(value) => (*value).into(),
        Value::Int(value) => (*value).into(),
        Value::UInt(value) => (*value).into(),
        Value::F32(value) => rmpv::Value::F32(*value),
        Value::F64(value) => rmpv::Value::F64(*value),
        Value::Text(text) => text.as_str().into(),
        Value::Bytes(bytes) => rmpv::Value::Binary(bytes.clone()),
        Value::List(values) => rmpv::Value::Array(values.iter().map(to_judge).collect()),
        Value::Map(pairs) => rmpv::Value::Map(pairs.iter().map(|(key, value)| (to_judge(key), to_judge(value))).collect()),
        Value::Record { fields, .. } => {
            rmpv::Value::Map(fields.iter().map(|(name, value)| (name.as_str().into(), to_judge(value))).collect())
        }
        // The specification's longest form holds any moment.
        Value::Time(moment) => {
            let mut payload = moment.nanos().to_be_bytes().to_vec();
            payload.extend(moment.seconds().to_be_bytes());
            rmpv::Value::Ext(-1, payload)
        }
        Value::Tagged { code, value, .. } => match &**value {
            Value::Bytes(bytes) => rmpv::Value::Ext(*code as u8 as i8, bytes.clone()),
            other => panic!("{other:?} in an extension"),
        },
        other => panic!("{other:?} is not for the judge"),
    }
}

fn from_judge(value: &rmpv::Value) -> Value {
    match value {
        rmpv::Value::Nil => Value::Null,
        rmpv::Value::Boolean(value) => Value::Bool(*value),
        rmpv::Value::Integer(number) => number.as_u64().map_or_else(|| Value::Int(number.as_i64().unwrap()), Value::UInt),
        rmpv::Value::F32(value) => Value::F32(*value),
        rmpv::Value::F64(value) => Value::F64(*value),
        rmpv::Value::String(text) => match text.as_str() {
            Some(text) => Value::text(text),
            None => Value::Octets(text.as_bytes().to_vec()),
        },
        rmpv::Value::Binary(bytes) => Value::Bytes(bytes.clone()),
        rmpv::Value::Array(values) => Value::List(values.iter().map(from_judge).collect()),
        rmpv::Value::Map(pairs) => Value::Map(pairs.iter().map(|(key, value)| (from_judge(key), from_judge(value))).collect()),
        rmpv::Value::Ext(-1, payload) if matches!(payload.len(), 4 | 8 | 12) => {
            let number = |bytes: &[u8]| bytes.iter().fold(0u64, |n, byte| n << 8 | u64::from(*byte));
            let (seconds, nanos) = match payload.len() {
                4 => (number(payload), 0),
                8 => (number(payload) % (1 << 34), number(payload) / (1 << 34)),
                _ => (number(&payload[4..]), number(&payload[..4])),
            };
            Value::Time(Timestamp::new(seconds as i64, nanos as u32).unwrap())
        }
        rmpv::Value::Ext(kind, payload) => {
            Value::Tagged { space: "msgpack".into(), code: u64::from(*kind as u8), value: Box::new(Value::Bytes(payload.clone())) }
        }
    }
}

fn has_octets(value: &Value) -> bool {
    match value {
        Value::Octets(_) => true,
        Value::List(values) => values.iter().any(has_octets),
        Value::Map(pairs) => pairs.iter().any(|(key, value)| has_octets(key) || has_octets(value)),
        Value::Record { fields, .. } => fields.iter().any(|(_, value)| has_octets(value)),
        Value::Tagged { value, .. } => has_octets(value),
        _ => false,
    }
}

#[test]
fn rmpv_reads_what_is_written_and_the_reverse() {
    let mut told = 0;
    for value in generated() {
        let value = kept(&value, &mut false);
        let (bytes, _) = written(&value);
        let judged = rmpv::decode::read_value(&mut &bytes[..]).unwrap();
        assert_same(&value, &from_judge(&judged), "read by rmpv");
        // rmpv makes no strings of other bytes than UTF-8 by itself.
        if !has_octets(&value) {
            let mut theirs = Vec::new();
            rmpv::encode::write_value(&mut theirs, &to_judge(&value)).unwrap();
            assert_same(&value, &read(&theirs).unwrap(), "written by rmpv");
            told += 1;
        }
    }
    assert!(told > 300, "{told} values told to the judge");
}

#[test]
fn rmp_serde_reads_its_types_back_from_what_we_rewrite() {
    type Row = (i64, Vec<String>, Option<bool>, f64, u8);
    let mut rng = Rng::with_seed(12);
    for _ in 0..200 {
        let rows: std::collections::BTreeMap<String, Row> = (0..rng.usize(..20))
            .map(|n| {
                (format!("row {n}"), (rng.i64(..), vec!["ü".into(); rng.usize(..3)], rng.bool().then_some(true), rng.f64(), rng.u8(..)))
            })
            .collect();
        let theirs = rmp_serde::to_vec(&rows).unwrap();
        let mut writer = MsgpackWriter::default();
        MsgpackReader::default().walk_into(&theirs, 0, &mut writer, &mut Budget::new(&Limits::DEFAULT)).unwrap();
        let mut ours = Vec::new();
        writer.finish(&mut ours).unwrap();
        assert_eq!(hex(&ours), hex(&theirs));
        let back: std::collections::BTreeMap<String, Row> = rmp_serde::from_slice(&ours).unwrap();
        assert_eq!(back, rows);
    }
}

#[test]
fn spans_are_those_of_heads_and_values() {
    let bytes = unhex("82a161cd0100a162d402ff");
    let tree = testing::read(&FORMAT, &bytes).unwrap();
    let spans: Vec<(u64, u64)> = tree
        .root()
        .unwrap()
        .entries()
        .map(|entry| {
            let span = entry.value().span();
            (span.start, span.end)
        })
        .collect();
    assert_eq!(spans, [(3, 6), (8, 11)]);
    assert_eq!(tree.root().unwrap().span(), Span::new(0, 11));
}

#[test]
fn errors_say_what_and_where() {
    for (bytes, kind, offset) in [
        ("", ErrorKind::Truncated, 0),
        ("c1", ErrorKind::Syntax, 0),
        ("9201c1", ErrorKind::Syntax, 2),
        ("93c10102", ErrorKind::Syntax, 1),
        ("93c1", ErrorKind::Syntax, 1),
        ("a261", ErrorKind::Truncated, 2),
        ("cd01", ErrorKind::Truncated, 2),
        ("dbffffffff6162", ErrorKind::Truncated, 7),
        ("0101", ErrorKind::Trailing, 1),
        ("d7ffffffffffffffffff", ErrorKind::Range, 2),
        ("c70cff3b9aca000000000000000000", ErrorKind::Range, 3),
        ("81a161", ErrorKind::Truncated, 3),
    ] {
        let error = failure(&unhex(bytes));
        if bytes == "81a161" {
            // A map of one entry needs two more bytes, and there are: the value is what is missing.
            assert_eq!((error.kind(), error.path()), (kind, Some(&Path::parse("a").unwrap())), "{error}");
        }
        assert_eq!((error.kind(), error.offset(), error.fault()), (kind, Some(offset), Fault::Data), "{bytes}: {error}");
        assert_eq!(error.format(), Some("msgpack"));
        assert!(error.path().is_some());
    }
}

#[test]
fn a_claimed_count_fails_at_its_head() {
    for bytes in ["dfffffffff0102030405", "ddffffffff0102030405", "dc000401", "91de00020102"] {
        let error = failure(&unhex(bytes));
        let head = u64::from(bytes.starts_with("91"));
        assert_eq!((error.kind(), error.offset()), (ErrorKind::Truncated, Some(head)), "{error}");
        assert!(error.to_string().contains("claims"), "{error}");
    }
    // A long string in a few bytes is missed only when its bytes are: nothing is set aside for it.
    assert_eq!(failure(&unhex("c6ffffffff0102")).kind(), ErrorKind::Truncated);
}

#[test]
fn deep_nesting_is_refused_and_stepped_over_within_limits() {
    for head in [0x91u8, 0x81] {
        let mut bytes = Vec::new();
        for _ in 0..200_000 {
            bytes.push(head);
            if head == 0x81 {
                bytes.push(0x01);
            }
        }
        bytes.push(0xc0);
        let error = failure(&bytes);
        assert_eq!((error.kind(), error.fault()), (ErrorKind::Limit, Fault::Data));
        assert!(error.offset().unwrap() <= bytes.len() as u64);
        let mut reader = MsgpackReader::default();
        let Frame::Message { start: 0, end } = reader.frame(&bytes, 0, true).unwrap() else { panic!("a message") };
        let error = reader.walk(&bytes[..end], 0, &mut Count::default(), &mut Budget::new(&Limits::DEFAULT)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Limit);
        testing::fuzz_skip(&FORMAT, &bytes);
    }
}

#[test]
fn skipped_values_count_as_items_and_depth() {
    let bytes = unhex("81a1619193010203");
    let limits = Limits::DEFAULT.with_items(5);
    let mut walker = Walker::new(&FORMAT, &limits).select(Some(projection("b")));
    assert_eq!(walker.walk(&bytes, 0, &mut Count::default()).unwrap_err().kind(), ErrorKind::Limit);
    let limits = Limits::DEFAULT.with_depth(2);
    let mut walker = Walker::new(&FORMAT, &limits).select(Some(projection("b")));
    assert_eq!(walker.walk(&bytes, 0, &mut Count::default()).unwrap_err().kind(), ErrorKind::Limit);
    let mut walker = Walker::new(&FORMAT, &Limits::DEFAULT.with_depth(3).with_items(8)).select(Some(projection("b")));
    assert!(walker.walk(&bytes, 0, &mut Count::default()).is_ok());
}

fn projection(path: &str) -> polywire_core::tools::adapt::Projection {
    polywire_core::tools::adapt::Projection::new(&[Path::parse(path).unwrap()])
}

fn messages() -> Vec<Vec<u8>> {
    let mut all: Vec<Vec<u8>> = load("msgpack/formats.json").into_iter().map(|case| case.bytes).collect();
    all.extend(generated().take(60).map(|value| written(&value).0));
    all
}

#[test]
fn a_stream_frames_the_same_however_it_is_cut() {
    let messages: Vec<Vec<u8>> = messages().into_iter().filter(|bytes| bytes.len() < 200).take(120).collect();
    testing::fuzz_cuts(&FORMAT, &messages);
}

#[test]
fn framing_asks_for_what_is_missing() {
    let mut reader = MsgpackReader::default();
    assert_eq!(reader.frame(&[], 0, false).unwrap(), Frame::More(1));
    assert_eq!(reader.frame(&[], 0, true).unwrap(), Frame::End);
    assert_eq!(reader.frame(&unhex("c60000"), 0, false).unwrap(), Frame::More(2));
    assert_eq!(reader.frame(&unhex("c600000009aa"), 0, false).unwrap(), Frame::More(8));
    assert_eq!(reader.frame(&unhex("c600000009aa"), 0, true).unwrap(), Frame::Message { start: 0, end: 6 });
    assert_eq!(reader.frame(&unhex("0102"), 6, false).unwrap(), Frame::Message { start: 0, end: 1 });
}

#[test]
fn counts_that_come_late_are_put_in_place() {
    testing::late_counts(&FORMAT, 20);
}

#[test]
fn parts_become_one_value() {
    let at = Span::NONE;
    for (kind, expected, loss) in [
        (PartKind::Text, "a5c3a4616263", None),
        (PartKind::Bytes, "c405c3a4616263", None),
        (PartKind::Octets, "a5c3a4616263", Some("octets became text")),
    ] {
        let mut writer = MsgpackWriter::default();
        for (bytes, last) in [("ä".as_bytes(), false), (b"abc", false), (b"", true)] {
            writer.part(Part { bytes, kind, total: None, last }, at).unwrap();
        }
        let mut out = Vec::new();
        writer.finish(&mut out).unwrap();
        assert_eq!(hex(&out), expected);
        assert_eq!(writer.losses().first().map(|lost| lost.what), loss);
    }
    let mut writer = MsgpackWriter::default();
    writer.open(Open::Tagged { space: "msgpack", code: 9 }, at).unwrap();
    writer.part(Part { bytes: b"ab", kind: PartKind::Bytes, total: Some(3), last: false }, at).unwrap();
    writer.part(Part { bytes: b"c", kind: PartKind::Bytes, total: Some(3), last: true }, at).unwrap();
    writer.close(at).unwrap();
    let mut out = Vec::new();
    writer.finish(&mut out).unwrap();
    assert_eq!(hex(&out), "c70309616263");
    assert!(writer.losses().is_empty());
}

#[test]
fn tags_that_cannot_be_kept_are_noted() {
    let tagged = |space, code, value| Value::Tagged { space, code, value: Box::new(value) };
    for (value, bytes, loss) in [
        (tagged("cbor".into(), 24, Value::Bytes(vec![1])), "c40101", "tag dropped"),
        (tagged("msgpack".into(), 300, Value::Bytes(vec![1])), "c40101", "tag dropped"),
        (tagged("msgpack".into(), 3, Value::UInt(1)), "01", "extension type dropped: its contents are not bytes"),
        (tagged("msgpack".into(), 3, Value::List(vec![])), "90", "extension type dropped: its contents are not bytes"),
        (tagged("msgpack".into(), 255, Value::Bytes(vec![0; 4])), "d6ff00000000", "extension of type -1 became a timestamp"),
    ] {
        let (out, losses) = written(&value);
        assert_eq!((hex(&out).as_str(), &losses[..]), (bytes, &[loss][..]));
    }
}

#[test]
fn a_writer_holds_callers_to_their_word_and_recovers() {
    let at = Span::NONE;
    let mut writer = MsgpackWriter::default();
    let mut out = Vec::new();
    assert_eq!(writer.finish(&mut out).unwrap_err().fault(), Fault::Us);
    writer.open(Open::List(Len::Claimed(2)), at).unwrap();
    writer.scalar(Scalar::Null, at).unwrap();
    assert_eq!(writer.close(at).unwrap_err().fault(), Fault::Us);
    writer.reset();
    writer.open(Open::Map(Len::Unknown), at).unwrap();
    writer.field(Field::named(Str::Scratch("a")), at).unwrap();
    assert_eq!(writer.close(at).unwrap_err().fault(), Fault::Us);
    writer.reset();
    writer.open(Open::List(Len::Unknown), at).unwrap();
    assert_eq!(writer.finish(&mut out).unwrap_err().fault(), Fault::Us);
    writer.reset();
    assert_eq!(writer.close(at).unwrap_err().fault(), Fault::Us);
    writer.reset();
    assert_eq!(writer.open(Open::List(Len::Claimed(1 << 32)), at).unwrap_err().kind(), ErrorKind::Unsupported);
    writer.reset();
    writer.scalar(Scalar::uint(7), at).unwrap();
    writer.finish(&mut out).unwrap();
    writer.scalar(Scalar::uint(8), at).unwrap();
    writer.finish(&mut out).unwrap();
    assert_eq!(out, [7, 8]);
    writer.scalar(Scalar::uint(7), at).unwrap();
    writer.scalar(Scalar::uint(8), at).unwrap();
    assert_eq!(writer.finish(&mut out).unwrap_err().fault(), Fault::Us);
}

#[test]
fn it_is_recognised_and_other_things_are_not() {
    let look = |bytes: &[u8], whole| (FORMAT.recognise)(bytes, whole);
    let object = written(&Value::record([
        ("name", Value::text("Ada")),
        ("age", Value::UInt(36)),
        ("tags", Value::List(vec![Value::text("x"), Value::Null])),
    ]))
    .0;
    assert_eq!(look(&object, true), Confidence::Likely);
    assert_eq!(look(&object.repeat(3), true), Confidence::Likely);
    assert_eq!(look(&object.repeat(3)[..object.len() * 2 + 9], false), Confidence::Likely);
    let mut many = unhex("dd000f4240");
    many.extend(object.repeat(10));
    assert_eq!(look(&many, false), Confidence::Likely);
    for text in ["{\"a\": 1}", "[1, 2]", "<a/>", "\"text\"", "12", "plain", "ünï"] {
        assert_eq!(look(text.as_bytes(), true), Confidence::No, "{text}");
    }
    assert_eq!(look(&unhex("cb3ff199999999999a"), true), Confidence::Possible);
    assert_eq!(look(&unhex("a568656c6c6fa577c3b6726c64"), true), Confidence::Possible);
    assert_eq!(look(b"", true), Confidence::No);
    assert_eq!(look(&[0xc1], true), Confidence::No);
    assert!(look(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", true) <= Confidence::Possible);
}

//! Bencode: the examples of BEP 3, a judge, and hostile bytes.

mod vectors;

use std::collections::{BTreeMap, HashMap};

use fastrand::Rng;
use polywire_core::format::Confidence;
use polywire_core::tools::Count;
use polywire_core::tools::adapt::{Projection, Walker};
use polywire_core::tools::inspect::{Options, inspect};
use polywire_core::value::Value;
use polywire_core::walk::Path;
use polywire_core::{
    Budget, Error, ErrorKind, Fault, Field, Frame, Len, Limits, Open, Part, PartKind, Reader, Scalar, Sink, Span, Str, Timestamp, Writer,
};
use polywire_formats::bencode::{BencodeReader, BencodeWriter, FORMAT};
use polywire_testing::{self as testing, Shape, assert_same};
use serde_bencode::value::Value as Judge;

fn read(bytes: &[u8]) -> Result<Value, Error> {
    testing::value_of(&FORMAT, bytes)
}

fn failure(bytes: &[u8]) -> Error {
    testing::failure(&FORMAT, bytes)
}

fn written(value: &Value) -> (Vec<u8>, Vec<&'static str>) {
    testing::written(&FORMAT, value)
}

fn map(pairs: impl IntoIterator<Item = (&'static str, Value)>) -> Value {
    Value::Map(pairs.into_iter().map(|(name, value)| (Value::text(name), value)).collect())
}

fn shown(bytes: &[u8]) -> String {
    bytes.escape_ascii().to_string()
}

/// Messages, and what they mean; written again, the same bytes come out.
fn canonical() -> Vec<(Vec<u8>, Value)> {
    let strings = |texts: [&str; 2]| Value::List(texts.map(Value::text).to_vec());
    [
        (&b"4:spam"[..], Value::text("spam")),
        (b"0:", Value::text("")),
        (b"i3e", Value::UInt(3)),
        (b"i-3e", Value::Int(-3)),
        (b"i0e", Value::UInt(0)),
        (b"l4:spam4:eggse", strings(["spam", "eggs"])),
        (b"d3:cow3:moo4:spam4:eggse", map([("cow", Value::text("moo")), ("spam", Value::text("eggs"))])),
        (b"d4:spaml1:a1:bee", map([("spam", strings(["a", "b"]))])),
        (b"le", Value::List(vec![])),
        (b"de", map([])),
        (b"i18446744073709551615e", Value::UInt(u64::MAX)),
        (b"i-9223372036854775808e", Value::Int(i64::MIN)),
        (b"i18446744073709551616e", Value::Big("18446744073709551616".into())),
        (b"i-9223372036854775809e", Value::Big("-9223372036854775809".into())),
        (b"3:\xff\x00e", Value::Octets(vec![255, 0, b'e'])),
        (b"d0:le1:\xffi1ee", Value::Map(vec![(Value::text(""), Value::List(vec![])), (Value::Octets(vec![255]), Value::UInt(1))])),
        // Keys are compared as raw bytes: a capital letter comes before a small one, a prefix
        // before what it begins.
        (
            b"d1:Bi1e1:ai2e2:aai3e2:\xc3\xa4i4ee",
            map([("B", Value::UInt(1)), ("a", Value::UInt(2)), ("aa", Value::UInt(3)), ("ä", Value::UInt(4))]),
        ),
    ]
    .map(|(bytes, value)| (bytes.to_vec(), value))
    .to_vec()
}

#[test]
fn the_examples_of_the_specification_and_others_come_back_byte_by_byte() {
    for (bytes, value) in canonical() {
        assert_eq!(read(&bytes).unwrap(), value, "{}", shown(&bytes));
        assert_eq!(written(&value), (bytes, vec![]));
    }
}

/// Returns the value that bencode makes of a value, and whether that changes it.
fn kept(value: &Value, changed: &mut bool) -> Value {
    let mut text = |text: String| {
        *changed = true;
        Value::Text(text)
    };
    match value {
        Value::Null => text(String::new()),
        Value::F32(value) => text(shortest(f64::from(*value))),
        Value::F64(value) => text(shortest(*value)),
        Value::Decimal(digits) => text(digits.clone()),
        Value::Time(moment) => text(moment.to_string()),
        Value::Bool(value) => {
            *changed = true;
            Value::UInt(u64::from(*value))
        }
        Value::Bytes(bytes) | Value::Octets(bytes) => {
            let octets = matches!(value, Value::Octets(_));
            match String::from_utf8(bytes.clone()) {
                Ok(read) => text(read),
                Err(_) => {
                    *changed |= !octets;
                    Value::Octets(bytes.clone())
                }
            }
        }
        Value::List(values) => Value::List(values.iter().map(|value| kept(value, changed)).collect()),
        Value::Tuple(values) => {
            *changed = true;
            Value::List(values.iter().map(|value| kept(value, changed)).collect())
        }
        Value::Record { name, fields } => {
            *changed |= !name.is_empty();
            Value::record(fields.iter().map(|(name, value)| (name.clone(), kept(value, changed))))
        }
        Value::Map(pairs) => Value::record(pairs.iter().map(|(key, value)| match key {
            Value::Text(name) => (name.clone(), kept(value, changed)),
            Value::UInt(number) => {
                *changed = true;
                (number.to_string(), kept(value, changed))
            }
            other => panic!("{other:?} is not among the keys of random values"),
        })),
        Value::Variant { name, index, values } => {
            *changed = true;
            let values = Value::List(values.iter().map(|value| kept(value, changed)).collect());
            Value::record([(if name.is_empty() { index.to_string() } else { name.clone() }, values)])
        }
        other => other.clone(),
    }
}

fn shortest(value: f64) -> String {
    if !value.is_finite() {
        return value.to_string();
    }
    // A number of JSON, as the writer of JSON makes it.
    String::from_utf8(testing::write(&polywire_formats::json::FORMAT, &Value::F64(value)).unwrap()).unwrap()
}

fn generated() -> impl Iterator<Item = Value> {
    let mut rng = Rng::with_seed(11);
    (0..800).map(move |n| testing::value(&mut rng, if n % 2 == 0 { Shape::PLAIN } else { Shape::ANY }))
}

#[test]
fn what_comes_back_is_what_was_written_or_noted_as_lost() {
    testing::comes_back(&FORMAT, generated(), kept);
}

/// Reports whether the judge can hold a value: its integers are of 64 bits, its dictionaries have
/// each key once.
fn is_for_judge(value: &Value) -> bool {
    match value {
        Value::Big(_) => false,
        Value::UInt(number) => i64::try_from(*number).is_ok(),
        Value::List(values) => values.iter().all(is_for_judge),
        Value::Record { fields, .. } => {
            fields.iter().enumerate().all(|(n, (name, value))| fields[..n].iter().all(|(other, _)| other != name) && is_for_judge(value))
        }
        _ => true,
    }
}

fn to_judge(value: &Value) -> Judge {
    match value {
        Value::Text(text) => Judge::Bytes(text.clone().into_bytes()),
        Value::Octets(bytes) => Judge::Bytes(bytes.clone()),
        Value::UInt(number) => Judge::Int(i64::try_from(*number).unwrap()),
        Value::Int(number) => Judge::Int(*number),
        Value::List(values) => Judge::List(values.iter().map(to_judge).collect()),
        Value::Record { fields, .. } => {
            Judge::Dict(fields.iter().map(|(name, value)| (name.clone().into_bytes(), to_judge(value))).collect::<HashMap<_, _>>())
        }
        other => panic!("{other:?} is not for the judge"),
    }
}

fn from_judge(value: &Judge) -> Value {
    let string = |bytes: &Vec<u8>| String::from_utf8(bytes.clone()).map_or_else(|_| Value::Octets(bytes.clone()), Value::Text);
    match value {
        Judge::Bytes(bytes) => string(bytes),
        Judge::Int(number) => Value::int(*number),
        Judge::List(values) => Value::List(values.iter().map(from_judge).collect()),
        Judge::Dict(entries) => Value::Map(entries.iter().map(|(key, value)| (string(key), from_judge(value))).collect()),
    }
}

#[test]
fn serde_bencode_reads_what_is_written_and_the_reverse() {
    let mut told = 0;
    for value in generated().map(|value| kept(&value, &mut false)).filter(is_for_judge) {
        let (bytes, _) = written(&value);
        let judged: Judge = serde_bencode::from_bytes(&bytes).unwrap_or_else(|error| panic!("{error} in {}", shown(&bytes)));
        assert_same(&value, &from_judge(&judged), "read by serde_bencode");
        let theirs = serde_bencode::to_bytes(&to_judge(&value)).unwrap();
        assert_eq!(shown(&theirs), shown(&bytes));
        assert_same(&value, &read(&theirs).unwrap(), "written by serde_bencode");
        told += 1;
    }
    assert!(told > 400, "{told} values told to the judge");
}

#[test]
fn typed_values_of_serde_bencode_are_rewritten_byte_by_byte() {
    type Row = (i64, Vec<String>, u8);
    let mut rng = Rng::with_seed(12);
    for _ in 0..200 {
        let rows: BTreeMap<String, Row> =
            (0..rng.usize(..20)).map(|n| (format!("row {n}"), (rng.i64(..), vec!["ü".into(); rng.usize(..3)], rng.u8(..)))).collect();
        let theirs = serde_bencode::to_bytes(&rows).unwrap();
        let mut writer = BencodeWriter::default();
        BencodeReader::default().walk_into(&theirs, 0, &mut writer, &mut Budget::new(&Limits::DEFAULT)).unwrap();
        let mut ours = Vec::new();
        writer.finish(&mut ours).unwrap();
        assert_eq!(shown(&ours), shown(&theirs));
        assert_eq!(serde_bencode::from_bytes::<BTreeMap<String, Row>>(&ours).unwrap(), rows);
    }
}

#[test]
fn dictionaries_are_sorted_however_they_are_nested() {
    fn shuffled(rng: &mut Rng, depth: u32) -> Value {
        if depth == 0 {
            return Value::UInt(rng.u64(..100));
        }
        let mut names: Vec<u32> = (0..rng.u32(1..6)).collect();
        rng.shuffle(&mut names);
        let entries = names.into_iter().map(|n| {
            let value = shuffled(rng, depth - 1);
            (format!("{:width$}", n, width = rng.usize(1..4)), if rng.bool() { value } else { Value::List(vec![value; 2]) })
        });
        Value::record(entries.collect::<Vec<_>>())
    }
    fn assert_sorted(value: &Value) {
        match value {
            Value::Map(pairs) => {
                let keys: Vec<&str> = pairs.iter().map(|(key, _)| if let Value::Text(key) = key { key } else { "" }).collect();
                assert!(keys.is_sorted(), "{keys:?}");
                pairs.iter().for_each(|(_, value)| assert_sorted(value));
            }
            Value::List(values) => values.iter().for_each(assert_sorted),
            _ => {}
        }
    }
    let mut rng = Rng::with_seed(21);
    for _ in 0..300 {
        let value = shuffled(&mut rng, 5);
        let (bytes, losses) = written(&value);
        assert!(losses.is_empty(), "{losses:?}");
        let back = read(&bytes).unwrap();
        assert_same(&value, &back, "sorted");
        assert_sorted(&back);
    }
    // Entries of one key stay in their order.
    let doubled = Value::record([("b", Value::UInt(1)), ("a", Value::UInt(2)), ("b", Value::UInt(3)), ("a", Value::UInt(4))]);
    assert_eq!(shown(&written(&doubled).0), "d1:ai2e1:ai4e1:bi1e1:bi3ee");
}

#[test]
fn deep_dictionaries_out_of_order_are_sorted_in_one_copy() {
    let mut value = Value::text("x".repeat(1 << 20));
    for _ in 0..2000 {
        value = Value::record([("b", value), ("a", Value::UInt(0))]);
    }
    let (bytes, _) = written(&value);
    assert!(bytes.starts_with(b"d1:ai0e1:bd1:ai0e1:b"));
    assert_eq!(bytes.len(), "d1:ai0e1:be".len() * 2000 + "1048576:".len() + (1 << 20));
    // Two thousand levels of comparing and dropping are for a thread with room for them.
    std::thread::Builder::new().stack_size(64 << 20).spawn(move || drop(value)).unwrap().join().unwrap();
}

#[test]
fn keys_out_of_order_are_read_and_remarked() {
    let bytes = b"d1:bi1e1:ai2e1:ci3ee";
    let value = map([("b", Value::UInt(1)), ("a", Value::UInt(2)), ("c", Value::UInt(3))]);
    assert_eq!(read(bytes).unwrap(), value);
    assert!(Walker::new(&FORMAT, &Limits::DEFAULT).walk(bytes, 0, &mut Count::default()).is_ok());
    let mut remarked = Vec::new();
    inspect(&FORMAT, bytes, &Options::default(), &mut |row| {
        remarked.extend(row.notes.iter().map(|note| (note.to_string(), row.bytes)));
        Ok(())
    })
    .unwrap();
    assert_eq!(remarked, [("a key out of order".to_string(), Span::new(7, 10))]);
    assert_eq!(shown(&written(&value).0), "d1:ai2e1:bi1e1:ci3ee");
}

#[test]
fn doubled_keys_are_refused_unless_told_otherwise() {
    let bytes = b"d1:ai1e1:ai2ee";
    let error = failure(bytes);
    assert_eq!((error.kind(), error.offset(), error.path().unwrap().to_string().as_str()), (ErrorKind::DoubledKey, Some(7), "a"));
    assert_eq!(read(bytes).unwrap(), map([("a", Value::UInt(1)), ("a", Value::UInt(2))]));
}

#[test]
fn errors_say_what_and_where() {
    for (bytes, kind, offset, path) in [
        (&b""[..], ErrorKind::Truncated, 0, ""),
        (b"x", ErrorKind::Syntax, 0, ""),
        (b"e", ErrorKind::Syntax, 0, ""),
        (b"-1:", ErrorKind::Syntax, 0, ""),
        (b"ie", ErrorKind::Syntax, 1, ""),
        (b"i-e", ErrorKind::Syntax, 2, ""),
        (b"i-0e", ErrorKind::Syntax, 2, ""),
        (b"i00e", ErrorKind::Syntax, 2, ""),
        (b"i03e", ErrorKind::Syntax, 2, ""),
        (b"i-03e", ErrorKind::Syntax, 2, ""),
        (b"i+1e", ErrorKind::Syntax, 1, ""),
        (b"i1.5e", ErrorKind::Syntax, 2, ""),
        (b"i1-e", ErrorKind::Syntax, 2, ""),
        (b"i12", ErrorKind::Truncated, 3, ""),
        (b"01:a", ErrorKind::Syntax, 1, ""),
        (b"1a:", ErrorKind::Syntax, 1, ""),
        (b"4:ab", ErrorKind::Truncated, 4, ""),
        (b"12", ErrorKind::Truncated, 2, ""),
        (b"18446744073709551616:a", ErrorKind::Truncated, 22, ""),
        (b"999999999999999999999:a", ErrorKind::Range, 0, ""),
        (b"1:ab", ErrorKind::Trailing, 3, ""),
        (b"i1ee", ErrorKind::Trailing, 3, ""),
        (b"lee", ErrorKind::Trailing, 2, ""),
        (b"li1e", ErrorKind::Truncated, 4, ""),
        (b"di1e1:ae", ErrorKind::Syntax, 1, ""),
        (b"dd1:a1:aee", ErrorKind::Syntax, 1, ""),
        (b"d1:ae", ErrorKind::Syntax, 4, "a"),
        (b"d1:a1:b1:ce", ErrorKind::Syntax, 10, "c"),
        (b"d1:a", ErrorKind::Truncated, 4, "a"),
        (b"d1:ad1:bi0xee", ErrorKind::Syntax, 10, "a.b"),
    ] {
        let error = failure(bytes);
        assert_eq!((error.kind(), error.offset(), error.fault()), (kind, Some(offset), Fault::Data), "{}: {error}", shown(bytes));
        assert_eq!(error.format(), Some("bencode"));
        let path = if path.is_empty() { Path::default() } else { Path::parse(path).unwrap() };
        assert_eq!(error.path(), Some(&path), "{}: {error}", shown(bytes));
    }
}

#[test]
fn long_numbers_are_held_to_the_limit() {
    let number = |digits: usize| format!("li{}ee", "7".repeat(digits)).into_bytes();
    assert_eq!(read(&number(4096)).unwrap(), Value::List(vec![Value::Big("7".repeat(4096))]));
    let error = failure(&number(4097));
    assert_eq!((error.kind(), error.offset()), (ErrorKind::Limit, Some(1)));
    assert_eq!(failure(&number(1_000_000)).kind(), ErrorKind::Limit);
}

#[test]
fn deep_nesting_is_refused_and_stepped_over_within_limits() {
    for head in [&b"l"[..], b"d1:a"] {
        let bytes = [head.repeat(200_000), b"i1e".to_vec(), b"e".repeat(200_000)].concat();
        let error = failure(&bytes);
        assert_eq!((error.kind(), error.fault()), (ErrorKind::Limit, Fault::Data));
        let mut reader = BencodeReader::default();
        let Frame::Message { start: 0, end } = reader.frame(&bytes, 0, true).unwrap() else { panic!("a message") };
        let error = reader.walk(&bytes[..end], 0, &mut Count::default(), &mut Budget::new(&Limits::DEFAULT)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Limit);
        testing::fuzz_skip(&FORMAT, &bytes);
    }
}

#[test]
fn skipped_values_count_as_items_and_depth() {
    let bytes = b"d1:alli1ei2eeee";
    let outcome = |limits: Limits| {
        let mut walker = Walker::new(&FORMAT, &limits).select(Some(Projection::new(&[Path::parse("b").unwrap()])));
        walker.walk(bytes, 0, &mut Count::default()).map_err(|error| error.kind())
    };
    assert_eq!(outcome(Limits::DEFAULT.with_items(5)), Err(ErrorKind::Limit));
    assert_eq!(outcome(Limits::DEFAULT.with_items(6)), Ok(()));
    assert_eq!(outcome(Limits::DEFAULT.with_depth(2)), Err(ErrorKind::Limit));
    assert_eq!(outcome(Limits::DEFAULT.with_depth(3)), Ok(()));
}

#[test]
fn every_truncation_is_an_error_within_the_bytes() {
    let messages = canonical().into_iter().map(|(bytes, _)| bytes).chain(generated().take(100).map(|value| written(&value).0));
    for bytes in messages {
        for end in 0..bytes.len() {
            let error = failure(&bytes[..end]);
            assert_eq!((error.kind(), error.offset()), (ErrorKind::Truncated, Some(end as u64)), "{error} in {}", shown(&bytes[..end]));
        }
    }
}

#[test]
fn mutations_break_no_promise() {
    let mut rng = Rng::with_seed(13);
    let messages: Vec<Vec<u8>> = canonical().into_iter().map(|(bytes, _)| bytes).collect();
    for _ in 0..6000 {
        let start = &messages[rng.usize(..messages.len())];
        let bytes = testing::mutate(&mut rng, start);
        testing::fuzz_walk(&FORMAT, &bytes);
        testing::fuzz_frames(&FORMAT, &bytes, rng.usize(..=bytes.len()));
        testing::fuzz_skip(&FORMAT, &bytes);
        testing::fuzz_rewrite(&FORMAT, &bytes);
        testing::fuzz_inspect(&FORMAT, &bytes);
    }
}

#[test]
fn frames_are_found_byte_by_byte() {
    let messages: Vec<Vec<u8>> = generated().take(40).map(|value| written(&value).0).collect();
    let stream = messages.concat();
    let every_byte: Vec<usize> = (1..=stream.len()).collect();
    let found = testing::frames(&FORMAT, &stream, &every_byte);
    let lengths: Vec<usize> = found.iter().map(|frame| frame.map(|(start, end)| end - start).unwrap()).collect();
    assert_eq!(lengths, messages.iter().map(Vec::len).collect::<Vec<_>>());
    let mut reader = BencodeReader::default();
    assert_eq!(reader.frame(b"", 0, false).unwrap(), Frame::More(1));
    assert_eq!(reader.frame(b"", 0, true).unwrap(), Frame::End);
    assert_eq!(reader.frame(b"9:ab", 0, false).unwrap(), Frame::More(7));
    assert_eq!(reader.frame(b"9:ab", 0, true).unwrap(), Frame::Message { start: 0, end: 4 });
    // A message that is wrong ends with the byte that is.
    assert_eq!(reader.frame(b"li1xei2e", 0, false).unwrap(), Frame::Message { start: 0, end: 4 });
}

#[test]
fn what_bencode_cannot_say_is_noted() {
    let tag = Value::Tagged { space: "cbor".into(), code: 1, value: Box::new(Value::UInt(1)) };
    for (value, bytes, losses) in [
        (Value::Null, "0:", &["null became empty text"][..]),
        (Value::Bool(true), "i1e", &["truth value became 0 or 1"]),
        (Value::Bool(false), "i0e", &["truth value became 0 or 1"]),
        (Value::F64(0.1), "3:0.1", &["float became text"]),
        (Value::F64(f64::NEG_INFINITY), "4:-inf", &["float became text"]),
        (Value::F64(f64::NAN), "3:NaN", &["float became text"]),
        (Value::Decimal("1.00000000000000000001".into()), "22:1.00000000000000000001", &["decimal became text"]),
        (Value::Bytes(b"a".to_vec()), "1:a", &["bytes became text"]),
        (Value::Bytes(vec![255]), "1:\\xff", &["bytes became octets"]),
        (Value::Octets(b"a".to_vec()), "1:a", &["octets became text"]),
        (Value::Time(Timestamp::new(0, 0).unwrap()), "20:1970-01-01T00:00:00Z", &["timestamp became text"]),
        (tag.clone(), "i1e", &["tag dropped"]),
        (Value::record([("a", tag)]), "d1:ai1ee", &["tag dropped"]),
        (Value::Tuple(vec![]), "le", &["tuple became list"]),
        (Value::Record { name: "R".into(), fields: vec![] }, "de", &["record name dropped"]),
        (
            Value::Map(vec![
                (Value::Bytes(b"z".to_vec()), Value::UInt(0)),
                (Value::List(vec![Value::UInt(1)]), Value::UInt(1)),
                (Value::Bool(true), Value::UInt(2)),
            ]),
            "d3:[1]i1e4:truei2e1:zi0ee",
            &["bytes became text", "key that is no string became text", "key that is no string became text"],
        ),
        (
            Value::Variant { name: "V".into(), index: 1, values: vec![Value::UInt(1), Value::UInt(2)] },
            "d1:Vli1ei2eee",
            &["variant became a dictionary of its name"],
        ),
        (Value::Variant { name: String::new(), index: 7, values: vec![] }, "d1:7lee", &["variant became a dictionary of its name"]),
    ] {
        let (out, noted) = written(&value);
        assert_eq!((shown(&out).as_str(), &noted[..]), (bytes, losses), "{value:?}");
    }
}

#[test]
fn a_writer_holds_callers_to_their_word_and_recovers() {
    let at = Span::NONE;
    let name = || Field::named(Str::Scratch("b"));
    let mut writer = BencodeWriter::default();
    let mut out = Vec::new();
    assert_eq!(writer.finish(&mut out).unwrap_err().fault(), Fault::Us);
    writer.reset();
    writer.open(Open::Map(Len::Unknown), at).unwrap();
    writer.field(name(), at).unwrap();
    assert_eq!(writer.field(name(), at).unwrap_err().fault(), Fault::Us);
    writer.reset();
    writer.open(Open::Map(Len::Unknown), at).unwrap();
    writer.field(name(), at).unwrap();
    assert_eq!(writer.close(at).unwrap_err().fault(), Fault::Us);
    writer.reset();
    assert_eq!(writer.field(name(), at).unwrap_err().fault(), Fault::Us);
    writer.reset();
    assert_eq!(writer.close(at).unwrap_err().fault(), Fault::Us);
    writer.reset();
    let part = Part { bytes: b"a", kind: PartKind::Text, total: None, last: true };
    assert_eq!(writer.part(part, at).unwrap_err().fault(), Fault::Us);
    writer.reset();
    writer.scalar(Scalar::uint(7), at).unwrap();
    writer.scalar(Scalar::uint(8), at).unwrap();
    assert_eq!(writer.finish(&mut out).unwrap_err().fault(), Fault::Us);
    writer.reset();
    for n in 0..2 {
        writer.scalar(Scalar::uint(n), at).unwrap();
        writer.finish(&mut out).unwrap();
    }
    assert_eq!(out, b"i0ei1e");
}

#[test]
fn it_is_recognised_and_other_things_are_not() {
    let look = |bytes: &[u8], whole| (FORMAT.recognise)(bytes, whole);
    let torrent = b"d8:announce20:http://example.org/a4:infod6:lengthi10e4:name1:x12:piece lengthi4eee";
    assert_eq!(look(torrent, true), Confidence::Certain);
    assert_eq!(look(&torrent.repeat(2), true), Confidence::Likely);
    assert_eq!(look(&torrent[..40], false), Confidence::Likely);
    assert_eq!(look(&torrent[..40], true), Confidence::Possible);
    assert_eq!(look(b"i5e", true), Confidence::Likely);
    // A line break behind it, as some tools leave.
    assert_eq!(look(&[&torrent[..], b"\n"].concat(), true), Confidence::Possible);
    for word in ["de", "le", "0:", "4:spam4:eggs"] {
        assert_eq!(look(word.as_bytes(), true), Confidence::Possible, "{word}");
    }
    for text in
        ["", "d", "l", "i", "delay", "lead", "1", "12, 13", "{\"a\": 1}", "[1, 2]", "<a/>", "d8 x", "id,name", "list", "4:30, or so"]
    {
        assert_eq!(look(text.as_bytes(), true), Confidence::No, "{text:?}");
    }
}

//! Packets as events and any message as a packet: the profile's inverse, foreign packets, mistakes.

use std::path::Path;

use polywire_core::format::Confidence;
use polywire_core::tools::Count;
use polywire_core::tools::adapt::Walker;
use polywire_core::value::Value;
use polywire_core::{Error, ErrorKind, Frame, Limits, Reader};
use polywire_psyc::FORMAT;
use polywire_psyc::walk::PsycReader;
use polywire_testing::{self as testing, Rng, Shape};

fn read(bytes: &[u8]) -> Value {
    let tree = testing::read(&FORMAT, bytes).unwrap_or_else(|error| panic!("{}: {error}", String::from_utf8_lossy(bytes)));
    Value::from(tree.root().expect("a value"))
}

fn write(value: &Value) -> Vec<u8> {
    testing::write(&FORMAT, value).unwrap_or_else(|error| panic!("{value:?}: {error}"))
}

fn shown(value: &Value) -> String {
    String::from_utf8(write(value)).expect("text").replace('\n', "␊").replace('\t', "⇥")
}

/// Maps whose keys are all text are the same value as records without a name.
fn normal(value: &Value) -> Value {
    let all = |values: &[Value]| values.iter().map(normal).collect();
    match value {
        Value::List(values) => Value::List(all(values)),
        Value::Tuple(values) => Value::Tuple(all(values)),
        Value::Variant { name, index, values } => Value::Variant { name: name.clone(), index: *index, values: all(values) },
        Value::Tagged { space, code, value } => Value::Tagged { space: space.clone(), code: *code, value: Box::new(normal(value)) },
        Value::Record { name, fields } => {
            Value::Record { name: name.clone(), fields: fields.iter().map(|(name, value)| (name.clone(), normal(value))).collect() }
        }
        Value::Map(pairs) if pairs.iter().all(|(key, _)| matches!(key, Value::Text(_))) => Value::Record {
            name: String::new(),
            fields: pairs
                .iter()
                .map(|(key, value)| match key {
                    Value::Text(name) => (name.clone(), normal(value)),
                    _ => unreachable!("all keys are text"),
                })
                .collect(),
        },
        Value::Map(pairs) => Value::Map(pairs.iter().map(|(key, value)| (normal(key), normal(value))).collect()),
        other => other.clone(),
    }
}

/// Names and texts that look like what packets are made of.
fn spice(rng: &mut Rng, value: Value) -> Value {
    let words = [
        "#text",
        "list_x",
        "dict_x",
        "list_",
        "=_text a",
        "=_list",
        "=_null",
        "| a",
        "{a} b",
        "|",
        "a|b",
        "{3 a}}",
        "~c",
        "~_c",
        "_x",
        "a__b",
        "x_",
        "10",
        "1.5",
        "-0",
        "true",
        "\n|\n",
        "|\n",
        "a\n|",
        "",
        "=_value 5",
        "nick",
        "text",
        "_list_x|a",
        "__pair",
        "_data__value",
        "~__pair",
        "\t",
        "0x",
        "a b",
        "}",
        "{",
    ];
    let pick = |rng: &mut Rng| words[rng.usize(..words.len())].to_string();
    let all = |rng: &mut Rng, values: Vec<Value>| values.into_iter().map(|value| spice(rng, value)).collect();
    match value {
        Value::Text(_) if rng.bool() => Value::Text(pick(rng)),
        Value::List(values) => Value::List(all(rng, values)),
        Value::Tuple(values) => Value::Tuple(all(rng, values)),
        Value::Variant { name, index, values } => {
            let name = if rng.bool() { pick(rng) } else { name };
            Value::Variant { name, index: if rng.bool() { 0 } else { index }, values: all(rng, values) }
        }
        Value::Record { name, fields } => {
            let mut spiced: Vec<(String, Value)> = Vec::new();
            for (name, value) in fields {
                let name = if rng.bool() { pick(rng) } else { name };
                if spiced.iter().all(|(other, _)| *other != name) {
                    let value = spice(rng, value);
                    let code = [58, 61, 64, 314, 317, 320, 7][rng.usize(..7)];
                    let value = if rng.u8(..5) == 0 { Value::Tagged { space: "psyc".into(), code, value: Box::new(value) } } else { value };
                    spiced.push((name, value));
                }
            }
            Value::Record { name: if rng.u8(..3) == 0 { pick(rng) } else { name }, fields: spiced }
        }
        Value::Map(pairs) => Value::Map(
            pairs
                .into_iter()
                .map(|(key, value)| {
                    let key = if rng.u8(..4) == 0 { spice(rng, key) } else { key };
                    (key, spice(rng, value))
                })
                .collect(),
        ),
        other => other,
    }
}

#[test]
fn any_record_comes_back_from_its_packet() {
    let mut rng = Rng::with_seed(20);
    for n in 0..30_000 {
        let value = testing::value(&mut rng, if n % 3 == 0 { Shape::PLAIN } else { Shape::ANY });
        let mut value = if n % 2 == 0 { value } else { spice(&mut rng, value) };
        if n % 7 == 0 {
            value = Value::Tagged { space: "psyc".into(), code: if n % 2 == 0 { 573 } else { 575 }, value: Box::new(value) };
        }
        let bytes = write(&value);
        let again = read(&bytes);
        let (before, after) = (format!("{:?}", normal(&value)), format!("{:?}", normal(&again)));
        assert_eq!(before, after, "{}", String::from_utf8_lossy(&bytes));
    }
}

fn packets() -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/packets");
    let mut found: Vec<(String, Vec<u8>)> = std::fs::read_dir(folder)
        .expect("the packets")
        .flatten()
        .filter(|file| file.path().extension().is_some_and(|ending| ending == "psyc"))
        .map(|file| (file.file_name().to_string_lossy().into_owned(), std::fs::read(file.path()).expect("a packet")))
        .collect();
    found.sort();
    assert_eq!(found.len(), 10);
    found
}

#[test]
fn published_packets_come_back_byte_by_byte() {
    for (name, bytes) in packets() {
        assert_eq!(String::from_utf8_lossy(&write(&read(&bytes))), String::from_utf8_lossy(&bytes), "{name}");
    }
}

#[test]
fn published_packets_are_recognised() {
    for (name, bytes) in packets() {
        assert_eq!((FORMAT.recognise)(&bytes, true), Confidence::Likely, "{name}");
        let first_line = bytes[1..].iter().position(|byte| *byte == b'\n').expect("a line") + 2;
        assert_ne!((FORMAT.recognise)(&bytes[..first_line], false), Confidence::No, "{name}");
    }
    for other in ["", "{\"a\":1}", "<a/>", "- a\n- b\n", "12\n13\n", "a\tb\nc\td\n", "name: x\n", "\nhello\nworld\n", ":x"] {
        assert!((FORMAT.recognise)(other.as_bytes(), true) < Confidence::Likely, "{other:?}");
    }
    assert_eq!((FORMAT.recognise)(b"|\n", true), Confidence::Possible);
}

fn tagged(code: u64, value: Value) -> Value {
    Value::Tagged { space: "psyc".into(), code, value: Box::new(value) }
}

#[test]
fn parts_of_a_foreign_packet() {
    let presence = read(
        b":_context\tpsyc://h/~a\n\n=_degree_availability\t4\n+_list_members\t| ann| bob\n@_list_x\t#1 = b\n_notice_presence\nbye\n|\n",
    );
    let fields = vec![
        ("context".to_string(), tagged(314, Value::text("psyc://h/~a"))),
        ("degree_availability".to_string(), tagged(61, Value::UInt(4))),
        ("members".to_string(), tagged(43, Value::List(vec![Value::text("ann"), Value::text("bob")]))),
        ("list_x".to_string(), tagged(64, Value::text("#1 = b"))),
        ("#text".to_string(), Value::text("bye")),
    ];
    assert_eq!(presence, Value::Record { name: "notice_presence".into(), fields });
    assert_eq!(read(b"\n?\n|\n"), tagged(575, Value::record::<&str>([])));
    assert_eq!(read(b"|\n"), Value::record::<&str>([]));
    let case = |values| Value::Variant { name: "nick".into(), index: 0, values };
    let list = Value::List(vec![case(vec![Value::text("ann")]), case(vec![])]);
    assert_eq!(read(b"\n:_list_x\t_nick| ann|=_nick\n|\n"), Value::record([("x", list)]));
}

#[test]
fn plain_forms_where_they_are_unambiguous() {
    let record = Value::record([
        ("shift_number", Value::UInt(7)),
        ("sum", Value::F64(1.5)),
        ("zip", Value::text("00100")),
        ("digits", Value::text("12")),
        ("none", Value::Null),
        ("list_x", Value::text("| a")),
        ("raw", Value::Bytes(b"\n".to_vec())),
        ("tags", Value::List(vec![Value::text("a|b"), Value::text(""), Value::record([("k}", Value::Bool(true))])])),
        ("address", Value::record([("street", Value::text("Via 1")), ("no", Value::UInt(1))])),
    ]);
    assert_eq!(
        shown(&record),
        "149␊:_shift_number⇥7␊:_sum⇥1.5␊:_zip⇥00100␊:_digits⇥=_text 12␊:_none⇥=_null␊:___6cist_x⇥| a␊:_raw 9⇥=_bytes ␊␊\
         :_list_tags⇥|3 a|b||=_dict:11 {2 k}} true␊:_dict_address⇥{street} Via 1{no} 1␊|␊"
            .replacen("149", "", 1)
    );
    assert_eq!(shown(&Value::UInt(5)), "␊_data__value␊5␊|␊");
    assert_eq!(shown(&Value::text("")), "␊_data__value␊|␊");
    let named =
        Value::Record { name: "UserProfile".into(), fields: vec![("Name".into(), Value::text("S")), ("#text".into(), Value::text("|"))] };
    assert_eq!(shown(&named), "24␊:_Name⇥S␊_UserProfile␊|␊|␊".replacen("24", &(9 + 13 + 2).to_string(), 1));
}

#[test]
fn flat_and_nested_names_do_not_collide() {
    let flat = Value::record([("a_b", Value::UInt(1))]);
    let nested = Value::record([("a", Value::record([("b", Value::UInt(1))]))]);
    assert_ne!(write(&flat), write(&nested));
    assert_eq!((read(&write(&flat)), read(&write(&nested))), (flat, nested));
}

#[test]
fn long_values_and_contents_tell_their_sizes() {
    let long = "x".repeat(257);
    assert!(shown(&Value::record([("a", Value::text(&long))])).starts_with("␊:_a 257⇥xxx"));
    let many = Value::record((0..100).map(|n| (format!("n{n}"), Value::UInt(n))));
    let bytes = write(&many);
    let size: usize = std::str::from_utf8(&bytes).unwrap().split('\n').next().unwrap().parse().unwrap();
    assert_eq!(size + 3 + 1 + 2, bytes.len());
    assert_eq!(read(&bytes), many);
}

fn failure(bytes: &[u8]) -> Error {
    Walker::new(&FORMAT, &Limits::DEFAULT).walk(bytes, 100, &mut Count::default()).expect_err("bytes that are wrong")
}

#[test]
fn mistakes_are_told_with_offset_and_path() {
    for (bytes, kind, offset, path) in [
        (&b""[..], ErrorKind::Truncated, 0, "the message itself"),
        (b":_a\tb", ErrorKind::Truncated, 5, "the message itself"),
        (b"\n:_a x\t\n|\n", ErrorKind::Syntax, 5, "the message itself"),
        // The digit that makes a length too large for the machine.
        (b"99999999999999999999\n|\n", ErrorKind::Syntax, if usize::BITS == 64 { 18 } else { 9 }, "the message itself"),
        (b"5\n_message\nx\n|\n", ErrorKind::Syntax, 7, "the message itself"),
        (b"|\n|\n", ErrorKind::Trailing, 2, "the message itself"),
        (b"\n:_list_a\t|x\n|\n", ErrorKind::Syntax, 11, "a[0]"),
        (b"\n:_list_a\t| b|9 x\n|\n", ErrorKind::Syntax, 17, "a[0]"),
        (b"\n:_dict_a\t{b\n|\n", ErrorKind::Syntax, 12, "a"),
        (b"\n:_dict_a\t{\xff} x\n|\n", ErrorKind::Encoding, 11, "a"),
        (b"\n:_a\t=_text \xff\n|\n", ErrorKind::Encoding, 12, "a"),
        (b"\n:_a\t=_null x\n|\n", ErrorKind::Syntax, 12, "a"),
        (b"\n:_a\t=_tagged | 1| x\n|\n", ErrorKind::Syntax, 14, "a"),
        (b"\n:_a\t=_tagged _cbor| 1| x| y\n|\n", ErrorKind::Syntax, 25, "a"),
    ] {
        let error = failure(bytes);
        let shown = format!("{}: {error}", String::from_utf8_lossy(bytes));
        assert_eq!((error.kind(), error.offset()), (kind, Some(100 + offset)), "{shown}");
        assert!(error.path().is_some_and(|found| found.to_string().starts_with(path.split('[').next().unwrap())), "{shown}");
        assert_eq!(error.format(), Some("psyc"), "{shown}");
    }
}

#[test]
fn tags_have_spaces_of_any_name() {
    let tagged = Value::Tagged { space: "unheard".into(), code: 1, value: Box::new(Value::text("x")) };
    assert_eq!(read(b"\n:_a\t=_tagged _unheard| 1| x\n|\n"), Value::record([("a", tagged)]));
}

#[test]
fn limits_hold() {
    let mut nested = b"_list| a".to_vec();
    for _ in 0..600 {
        let inner = std::mem::take(&mut nested);
        nested = format!("|=_list:{} ", inner.len()).into_bytes();
        nested.extend(inner);
    }
    let mut bytes = b"\n:_list_a\t".to_vec();
    bytes.extend(nested);
    bytes.extend(b"\n|\n");
    assert_eq!(failure(&bytes).kind(), ErrorKind::Limit);
    let digits = format!("\n:_a\t{}\n|\n", "1".repeat(1_000_000));
    assert_eq!(failure(digits.as_bytes()).kind(), ErrorKind::Limit);
}

#[test]
fn sized_contents_are_stepped_over() {
    let mut reader = PsycReader::default();
    let start = b"1000000\n_data\n";
    match reader.frame(start, 0, false) {
        Ok(Frame::More(more)) => assert_eq!(more, 1_000_000 - 6 - 1),
        other => panic!("{other:?}"),
    }
    // All that is claimed and not there is the end of the stream.
    assert!(matches!(reader.frame(start, 0, true), Ok(Frame::Message { start: 0, end: 14 })));
}

#[test]
fn framing_takes_each_byte_once() {
    // Byte by byte, a name, a value and a body of a size where looking at all of it each time would
    // take minutes.
    let mut bytes = b":_".to_vec();
    bytes.extend(std::iter::repeat_n(b'n', 300_000));
    bytes.push(b'\t');
    bytes.extend(std::iter::repeat_n(b'v', 300_000));
    bytes.extend(b"\n\n_m\n");
    bytes.extend(std::iter::repeat_n(b'|', 300_000));
    bytes.extend(b"\n|\n");
    let mut reader = PsycReader::default();
    for end in 1..bytes.len() {
        assert!(matches!(reader.frame(&bytes[..end], 0, false), Ok(Frame::More(_))), "{end}");
    }
    assert!(matches!(reader.frame(&bytes, 0, false), Ok(Frame::Message { start: 0, end }) if end == bytes.len()));
}

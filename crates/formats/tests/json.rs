//! JSON: its grammar, its exactness, its twins by another library, and hostile input.

use polywire_core::tools::adapt::{Doubles, Walker};
use polywire_core::value::Tree;
use polywire_core::value::Value;
use polywire_core::{Error, ErrorKind, Fault, Len, Limits, Open, Part, PartKind, Scalar, Span, Timestamp};
use polywire_formats::json::FORMAT;
use polywire_formats::registry;
use polywire_testing::{self as testing, Rng, Shape};

fn value(text: &str) -> Value {
    Value::from(testing::read(&FORMAT, text.as_bytes()).unwrap_or_else(|error| panic!("{text}: {error}")).root().unwrap())
}

fn error(text: &[u8]) -> Error {
    let mut tree = Tree::new();
    Walker::new(&FORMAT, &Limits::DEFAULT).walk(text, 0, &mut tree).expect_err("an error")
}

#[test]
fn values_of_every_kind() {
    assert_eq!(
        value(" {\"a\": [null, true, false, -1, 1.5, \"x\\n\\u00e9\\ud83e\\udd80\"] , \"b\":{}, \"c\":[ ] }\r\n"),
        Value::record([
            (
                "a",
                Value::List(vec![
                    Value::Null,
                    Value::Bool(true),
                    Value::Bool(false),
                    Value::Int(-1),
                    Value::F64(1.5),
                    Value::text("x\né🦀"),
                ])
            ),
            ("b", Value::record::<&str>([])),
            ("c", Value::List(vec![])),
        ])
    );
}

#[test]
fn mistakes_are_told_with_place_and_path() {
    for (text, kind, offset, path) in [
        ("", ErrorKind::Truncated, 0, "the message itself"),
        ("{\"a\":[1,2!]}", ErrorKind::Syntax, 9, "a"),
        ("{\"a\":[1,!]}", ErrorKind::Syntax, 8, "a"),
        ("{\"a\" 1}", ErrorKind::Syntax, 5, "a"),
        ("{\"a\":{\"b\":tru}}", ErrorKind::Syntax, 13, "a.b"),
        ("[1,]", ErrorKind::Syntax, 3, "the message itself"),
        ("[01]", ErrorKind::Syntax, 2, "the message itself"),
        ("{\"a\":1,}", ErrorKind::Syntax, 7, "the message itself"),
        ("[\"a\nb\"]", ErrorKind::Syntax, 3, "the message itself"),
        ("[\"\\x\"]", ErrorKind::Syntax, 3, "the message itself"),
        ("[\"\\ud800\"]", ErrorKind::Encoding, 2, "the message itself"),
        ("[\"\\ud800\\u0041\"]", ErrorKind::Encoding, 2, "the message itself"),
        ("1 2", ErrorKind::Trailing, 2, "the message itself"),
        ("{\"a\":1,\"b\":2,\"a\":3}", ErrorKind::DoubledKey, 13, "a"),
        ("[[1],[2,{\"k\":nul", ErrorKind::Truncated, 16, "[1][1].k"),
    ] {
        let error = error(text.as_bytes());
        let found = (error.kind(), error.offset(), error.path().unwrap().to_string());
        assert_eq!(found, (kind, Some(offset), path.to_string()), "{text}: {error}");
    }
    let error = error(b"{\"a\":\"x\xffy\"}");
    assert_eq!((error.kind(), error.offset(), error.path().unwrap().to_string()), (ErrorKind::Encoding, Some(7), "a".into()));
}

#[test]
fn doubled_keys_follow_the_policy() {
    let text = b"{\"a\":1,\"b\":{\"c\":2,\"c\":3},\"a\":4}";
    for (doubles, expected) in [
        (Doubles::First, "{\"a\":1,\"b\":{\"c\":2}}"),
        (Doubles::Last, "{\"a\":4,\"b\":{\"c\":3}}"),
        (Doubles::Keep, "{\"a\":1,\"b\":{\"c\":2,\"c\":3},\"a\":4}"),
    ] {
        let mut tree = Tree::new();
        Walker::new(&FORMAT, &Limits::DEFAULT).doubles(doubles).walk(text, 0, &mut tree).unwrap();
        let written = testing::write(&FORMAT, &Value::from(tree.root().unwrap())).unwrap();
        assert_eq!(String::from_utf8(written).unwrap(), expected, "{doubles:?}");
    }
}

#[test]
fn doubled_keys_are_found_among_many() {
    let mut text = String::from("{");
    for n in 0..50_000 {
        text.push_str(&format!("\"k{n}\":0,"));
    }
    text.push_str("\"k77\":1}");
    let error = error(text.as_bytes());
    assert_eq!((error.kind(), error.path().unwrap().to_string()), (ErrorKind::DoubledKey, "k77".into()));
}

#[test]
fn bytes_behind_the_value_that_are_no_text_are_an_error() {
    for (bytes, offset) in [(&b"1\xf3\xeaj"[..], 1), (b"{\"a\":[]} \xff", 9), (b"\"x\"\xe2\x82", 3)] {
        let error = error(bytes);
        assert_eq!((error.kind(), error.offset()), (ErrorKind::Encoding, Some(offset)), "{}", bytes.escape_ascii());
    }
}

#[test]
fn random_values_come_back() {
    let mut rng = Rng::with_seed(1);
    for _ in 0..3000 {
        testing::round_trip(&FORMAT, &testing::value(&mut rng, Shape::PLAIN));
    }
}

/// serde_json, exact numbers and order kept, as the judge of both directions.
#[test]
fn another_library_agrees() {
    let mut rng = Rng::with_seed(2);
    for _ in 0..2000 {
        let value = testing::value(&mut rng, Shape::PLAIN);
        let ours = testing::write(&FORMAT, &value).unwrap();
        let judged: serde_json::Value =
            serde_json::from_slice(&ours).unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&ours)));
        assert!(agrees(&judged, &value), "{judged} is not {value:?}");
        let theirs = serde_json::to_vec_pretty(&judged).unwrap();
        let again = testing::read(&FORMAT, &theirs).unwrap();
        assert!(agrees(&judged, &Value::from(again.root().unwrap())), "{judged}");
    }
}

fn agrees(judged: &serde_json::Value, ours: &Value) -> bool {
    use serde_json::Value as Judge;
    match (judged, ours) {
        (Judge::Null, Value::Null) => true,
        (Judge::Bool(a), Value::Bool(b)) => a == b,
        (Judge::String(a), Value::Text(b)) => a == b,
        (Judge::Number(a), Value::UInt(b)) => a.to_string() == b.to_string(),
        (Judge::Number(a), Value::Int(b)) => a.to_string() == b.to_string(),
        (Judge::Number(a), Value::Big(b) | Value::Decimal(b)) => a.to_string() == *b,
        (Judge::Number(a), Value::F64(b)) => a.to_string().parse::<f64>().is_ok_and(|a| a.to_bits() == b.to_bits()),
        (Judge::Array(a), Value::List(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| agrees(a, b)),
        (Judge::Object(a), Value::Record { fields, .. }) => {
            a.len() == fields.len() && a.iter().zip(fields).all(|((name, a), (key, b))| name == key && agrees(a, b))
        }
        _ => false,
    }
}

#[test]
fn what_json_cannot_say_is_noted() {
    for (value, text, loss) in [
        (Value::Bytes(vec![1, 2, 3]), "\"AQID\"", "bytes became base64 text"),
        (Value::Octets(b"abc".to_vec()), "\"abc\"", "octets became text"),
        (Value::F64(f64::NAN), "null", "NaN or infinity became null"),
        (Value::Octets(vec![0xff]), "\"/w==\"", "octets became base64 text"),
        (Value::F32(f32::NEG_INFINITY), "null", "NaN or infinity became null"),
        (Value::Time(Timestamp::new(0, 5).unwrap()), "\"1970-01-01T00:00:00.000000005Z\"", "timestamp became text"),
        (Value::Tagged { space: "x".into(), code: 1, value: Box::new(Value::Bool(false)) }, "false", "tag dropped"),
        (Value::Record { name: "T".into(), fields: vec![] }, "{}", "name of the record's type dropped"),
        (Value::Tuple(vec![Value::Null]), "[null]", "tuple became list"),
        (Value::Map(vec![(Value::UInt(1), Value::Null)]), "{\"1\":null}", "key that is no text became text"),
        (Value::Map(vec![(Value::List(vec![Value::text("a")]), Value::Null)]), "{\"[\\\"a\\\"]\":null}", "key that is no text became text"),
        (Value::Variant { name: "None".into(), index: 0, values: vec![] }, "\"None\"", "case of a sum type became its name, or an object"),
        (
            Value::Variant { name: "One".into(), index: 0, values: vec![Value::UInt(1)] },
            "{\"One\":1}",
            "case of a sum type became its name, or an object",
        ),
        (
            Value::Variant { name: "Two".into(), index: 0, values: vec![Value::UInt(1), Value::UInt(2)] },
            "{\"Two\":[1,2]}",
            "case of a sum type became its name, or an object",
        ),
    ] {
        let mut writer = (FORMAT.writer.unwrap())();
        let mut out = Vec::new();
        value.emit(&mut *writer).unwrap();
        writer.finish(&mut out).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), text);
        assert_eq!(writer.losses().iter().map(|lost| lost.what).collect::<Vec<_>>(), [loss], "{text}");
    }
    testing::round_trip(&FORMAT, &Value::F32(0.1));
}

/// A writer refuses what is no whole message, and forgets it for the next one.
#[test]
fn what_is_not_whole_is_refused_and_forgotten() {
    let mut writer = (FORMAT.writer.unwrap())();
    let mut out = Vec::new();
    assert_eq!(writer.finish(&mut out).unwrap_err().fault(), Fault::Us);
    for _ in 0..9 {
        writer.reset();
        for _ in 0..7 {
            writer.open(Open::Map(Len::Unknown), Span::NONE).unwrap();
        }
        writer.scalar(Scalar::uint(1), Span::NONE).unwrap();
        assert_eq!(writer.finish(&mut out).unwrap_err().fault(), Fault::Us);
    }
    let part = Part { bytes: b"a", kind: PartKind::Text, total: None, last: true };
    assert_eq!(writer.part(part, Span::NONE).unwrap_err().fault(), Fault::Us);
    writer.reset();
    Value::List(vec![Value::UInt(1)]).emit(&mut *writer).unwrap();
    writer.finish(&mut out).unwrap();
    assert_eq!((out.as_slice(), writer.losses()), (&b"[1]"[..], vec![]));
}

/// Repeated elements of XML are one list, and comments are a loss.
#[test]
fn repeated_fields_are_a_list_and_remarks_a_loss() {
    let mut writer = (FORMAT.writer.unwrap())();
    let xml = registry::find("xml").unwrap();
    Walker::new(xml, &Limits::DEFAULT).walk(b"<a><!--x--><b>one</b><c>two</c><b>three</b></a>", 0, &mut *writer).unwrap();
    let mut out = Vec::new();
    writer.finish(&mut out).unwrap();
    assert_eq!(String::from_utf8(out).unwrap(), r#"{"a":{"b":["one","three"],"c":"two"}}"#);
    assert!(writer.losses().iter().any(|lost| lost.what == "comment dropped"));
}

#[test]
fn streams_are_framed_however_they_are_cut() {
    let text = b"\xef\xbb\xbf {\"a\":\"}\\\"{\"}[1,[2]] 12 true\n\"x\\\\\"\"y\" -1.5e3\n\n{} ";
    let whole = testing::frames(&FORMAT, text, &[text.len()]);
    let messages: Vec<&[u8]> = whole.iter().map(|frame| frame.map(|(from, to)| &text[from..to]).unwrap()).collect();
    let expected: [&[u8]; 8] = [b"{\"a\":\"}\\\"{\"}", b"[1,[2]]", b"12", b"true", b"\"x\\\\\"", b"\"y\"", b"-1.5e3", b"{}"];
    assert_eq!(messages, expected);
    for cut in 0..text.len() {
        testing::fuzz_frames(&FORMAT, text, cut);
    }
    let bytewise: Vec<usize> = (1..=text.len()).collect();
    assert_eq!(testing::frames(&FORMAT, text, &bytewise), whole);
}

#[test]
fn depth_is_bounded() {
    for open in ["[", "{\"a\":"] {
        let error = error(open.repeat(200_000).as_bytes());
        assert_eq!((error.kind(), error.offset()), (ErrorKind::Limit, Some(512 * open.len() as u64)));
    }
}

#[test]
fn halves_of_surrogate_pairs_are_refused_replaced_or_kept() {
    use polywire_core::Surrogates;
    let read = |text: &str, surrogates| {
        let mut sink = polywire_core::value::ValueSink::default();
        Walker::new(&FORMAT, &Limits::DEFAULT).surrogates(surrogates).walk(text.as_bytes(), 0, &mut sink).map(|()| sink.finish())
    };
    let text = r#"["a\ud800\udbffé", "\udc00\n", "\ud83e\udd80"]"#;
    assert_eq!(read(text, Surrogates::Refuse).unwrap_err().kind(), ErrorKind::Encoding);
    let list = |first: Value, second: Value| Some(Value::List(vec![first, second, Value::text("🦀")]));
    let replaced = list(Value::text("a\u{fffd}\u{fffd}é"), Value::text("\u{fffd}\n"));
    assert_eq!(read(text, Surrogates::Replace).unwrap(), replaced);
    let kept = list(Value::Octets(b"a\xed\xa0\x80\xed\xaf\xbf\xc3\xa9".to_vec()), Value::Octets(b"\xed\xb0\x80\n".to_vec()));
    assert_eq!(read(text, Surrogates::Keep).unwrap(), kept);
    // A name is text.
    let named = r#"{"\ud800": 1}"#;
    assert_eq!(read(named, Surrogates::Replace).unwrap(), Some(Value::record([("\u{fffd}", Value::UInt(1))])));
    assert_eq!(read(named, Surrogates::Keep).unwrap_err().offset(), Some(2));
    // Other mistakes stay mistakes.
    assert_eq!(read(r#""\ud800\x""#, Surrogates::Keep).unwrap_err().kind(), ErrorKind::Syntax);
}

#[test]
fn two_keys_that_become_one_name_are_one_entry_and_a_loss() {
    let make = FORMAT.writer.unwrap();
    let list = |n: u64| Value::List(vec![Value::UInt(n)]);
    for (entries, expected, losses) in [
        (vec![(Value::text("1"), 1), (Value::UInt(1), 2), (Value::text("b"), 3)], r#"{"1":1,"b":3}"#, 2),
        (vec![(list(1), 1), (list(2), 2), (Value::text("[1]"), 3)], r#"{"[1]":1,"[2]":2}"#, 3),
        (vec![(Value::UInt(1), 1), (Value::text("2"), 2)], r#"{"1":1,"2":2}"#, 1),
    ] {
        let map = Value::Map(entries.into_iter().map(|(key, value)| (key, Value::UInt(value))).collect());
        // Within a case of a sum type, whose bracket comes after its first value.
        let case = Value::Variant { name: "case".into(), index: 0, values: vec![map.clone(), map.clone()] };
        for (value, expected, losses) in
            [(map, expected.to_string(), losses), (case, format!(r#"{{"case":[{expected},{expected}]}}"#), 2 * losses + 1)]
        {
            let mut writer = make();
            let mut out = Vec::new();
            value.emit(&mut *writer).unwrap();
            writer.finish(&mut out).unwrap();
            assert_eq!((String::from_utf8(out).unwrap(), writer.losses().len()), (expected, losses));
        }
    }
}

/// A reader guesses names by those of the objects before; a new one knows none.
#[test]
fn names_are_those_that_are_written_whatever_came_before() {
    const NAMES: [&str; 9] = [
        "",
        "a",
        "sum",
        "summary",
        "é",
        "with \\\"quotes\\\"",
        "a name of thirty-one bytes.....",
        "a name of thirty-two bytes......",
        "🦀",
    ];
    let mut rng = Rng::with_seed(190);
    let mut used = Walker::new(&FORMAT, &Limits::DEFAULT).doubles(Doubles::Keep);
    for round in 0..4_000 {
        let mut text = String::from("[");
        for _ in 0..rng.usize(..4) {
            let fields: Vec<String> = (0..rng.usize(..5))
                .map(|_| {
                    let inner = if rng.u8(..) < 60 { format!("{{\"{}\":[{{}}]}}", NAMES[rng.usize(..9)]) } else { "1".to_string() };
                    format!("\"{}\":{inner}", NAMES[rng.usize(..if round % 2 == 0 { 4 } else { 9 })])
                })
                .collect();
            text += &format!("{{{}}},", fields.join(","));
        }
        text += "\"and some text behind, of more than thirty-two bytes\"]";
        let bytes = if round % 3 == 0 { testing::mutate(&mut rng, text.as_bytes()) } else { text.into_bytes() };
        let walk = |walker: &mut Walker| {
            let mut tree = Tree::new();
            let outcome = walker.walk(&bytes, 0, &mut tree).map_err(|error| (error.offset(), error.to_string()));
            outcome.map(|()| Value::from(tree.root().expect("a value")))
        };
        let fresh = walk(&mut Walker::new(&FORMAT, &Limits::DEFAULT).doubles(Doubles::Keep));
        assert_eq!(walk(&mut used), fresh, "{}", String::from_utf8_lossy(&bytes));
        if let Ok(value) = &fresh {
            let judged: serde_json::Value = serde_json::from_slice(&bytes).expect("serde_json reads it too");
            // Duplicate keys become one there.
            if round % 3 != 0
                && !format!("{judged}").is_empty()
                && testing::write(&FORMAT, value).unwrap().len() == judged.to_string().len()
            {
                assert!(agrees(&judged, value), "{}", String::from_utf8_lossy(&bytes));
            }
        }
    }
}

/// Trees drop digits that the writer would choose, and other formats spell floats by ryu.
#[test]
fn floats_are_spelled_as_in_other_formats() {
    let mut rng = Rng::with_seed(191);
    let check = |value: f64| {
        let text = testing::write(&FORMAT, &Value::F64(value)).unwrap();
        assert_eq!(String::from_utf8(text).unwrap(), ryu::Buffer::new().format_finite(value));
    };
    for exponent in -330..308 {
        for mantissa in ["1", "1.5", "9.999999999999999", "4.35"] {
            check(format!("{mantissa}e{exponent}").parse::<f64>().unwrap());
        }
    }
    for value in [0.0, -0.0, f64::MIN_POSITIVE, 5e-324, f64::MAX] {
        check(value);
    }
    for _ in 0..100_000 {
        check(f64::from(rng.i32(-1_000_000..1_000_000)) / 100.0);
        let value = f64::from_bits(rng.u64(..));
        if value.is_finite() {
            check(value);
        }
    }
}

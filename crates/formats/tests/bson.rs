//! BSON: the specification's examples and types, judges, and hostile bytes.

mod vectors;

use bson::{Bson, Document};
use fastrand::Rng;
use polywire_core::format::Confidence;
use polywire_core::tools::Count;
use polywire_core::tools::adapt::{Projection, Walker};
use polywire_core::value::Value;
use polywire_core::walk::Path;
use polywire_core::{
    Budget, Error, ErrorKind, Fault, Field, Frame, Hint, Len, Limits, Next, Note, Open, Part, PartKind, Reader, Scalar, Sink, Span,
    Spelling, Str, Timestamp, Writer,
};
use polywire_formats::bson::{BsonReader, BsonWriter, FORMAT};
use polywire_formats::{json, registry};
use polywire_testing::{self as testing, Shape, assert_same};
use vectors::{hex, unhex};

fn read(bytes: &[u8]) -> Result<Value, Error> {
    testing::value_of(&FORMAT, bytes)
}

fn failure(bytes: &[u8]) -> Error {
    testing::failure(&FORMAT, bytes)
}

fn written(value: &Value) -> (Vec<u8>, Vec<&'static str>) {
    testing::written(&FORMAT, value)
}

fn tagged(code: u64, value: Value) -> Value {
    Value::Tagged { space: "bson".into(), code, value: Box::new(value) }
}

fn big(digits: &str) -> Value {
    Value::Big(digits.into())
}

/// A document of these elements.
fn doc(elements: &[u8]) -> Vec<u8> {
    let mut bytes = (elements.len() as i32 + 5).to_le_bytes().to_vec();
    bytes.extend(elements);
    bytes.push(0);
    bytes
}

/// A document whose one field `a` is of a type.
fn one(kind: u8, value: &[u8]) -> Vec<u8> {
    doc(&[&[kind, b'a', 0], value].concat())
}

/// Every type, the bytes of a value of it, and the value.
fn types() -> Vec<(u8, Vec<u8>, Value)> {
    let id: Vec<u8> = (1..=12).collect();
    let text = |text: &str| [&(text.len() as i32 + 1).to_le_bytes()[..], text.as_bytes(), b"\0"].concat();
    let binary = |subtype: u8, bytes: &[u8]| [&(bytes.len() as i32).to_le_bytes()[..], &[subtype], bytes].concat();
    let scope = doc(&unhex("1078000100000000")[..7 + 1 - 1]);
    let scoped = [text("x").as_slice(), &scope].concat();
    let scoped = [&(scoped.len() as i32 + 4).to_le_bytes()[..], &scoped].concat();
    vec![
        (0x01, 5.05f64.to_le_bytes().to_vec(), Value::F64(5.05)),
        (0x02, text("wörld\0!"), Value::text("wörld\0!")),
        (0x03, doc(b""), Value::record::<&str>([])),
        (0x03, one(0x0a, b""), Value::record([("a", Value::Null)])),
        (0x04, doc(b"\x0a0\0\x081\0\x01"), Value::List(vec![Value::Null, Value::Bool(true)])),
        (0x05, binary(0, &[1, 2]), Value::Bytes(vec![1, 2])),
        (0x05, binary(4, &id), tagged(0x0504, Value::Bytes(id.clone()))),
        (0x05, binary(0x80, &[]), tagged(0x0580, Value::Bytes(vec![]))),
        (0x05, binary(2, b"\x03\0\0\0abc"), tagged(0x0502, Value::Bytes(b"abc".to_vec()))),
        (0x06, vec![], tagged(6, Value::Null)),
        (0x07, id.clone(), tagged(7, Value::Bytes(id.clone()))),
        (0x08, vec![0], Value::Bool(false)),
        (0x08, vec![1], Value::Bool(true)),
        (0x09, 1_700_000_000_123i64.to_le_bytes().to_vec(), Value::Time(Timestamp::new(1_700_000_000, 123_000_000).unwrap())),
        (0x09, (-1i64).to_le_bytes().to_vec(), Value::Time(Timestamp::new(-1, 999_000_000).unwrap())),
        (0x09, i64::MIN.to_le_bytes().to_vec(), Value::Time(Timestamp::new(-9_223_372_036_854_776, 192_000_000).unwrap())),
        (0x0a, vec![], Value::Null),
        (0x0b, b"^a+$\0i\0".to_vec(), tagged(11, Value::Tuple(vec![Value::text("^a+$"), Value::text("i")]))),
        (0x0c, [text("db.c"), id.clone()].concat(), tagged(12, Value::Tuple(vec![Value::text("db.c"), Value::Bytes(id)]))),
        (0x0d, text("f()"), tagged(13, Value::text("f()"))),
        (0x0e, text("s"), tagged(14, Value::text("s"))),
        (0x0f, scoped, tagged(15, Value::Tuple(vec![Value::text("x"), Value::record([("x", Value::UInt(1))])]))),
        (0x10, (-7i32).to_le_bytes().to_vec(), Value::Int(-7)),
        (0x11, u64::MAX.to_le_bytes().to_vec(), tagged(17, Value::UInt(u64::MAX))),
        (0x12, (1i64 << 40).to_le_bytes().to_vec(), Value::UInt(1 << 40)),
        (0x12, i64::MIN.to_le_bytes().to_vec(), Value::Int(i64::MIN)),
        (0x13, (0x3040u128 << 112 | u128::from(u64::MAX)).to_le_bytes().to_vec(), Value::UInt(u64::MAX)),
        (0x13, (0xb040u128 << 112 | 1 << 64).to_le_bytes().to_vec(), big("-18446744073709551616")),
        (0x13, (0xf8u128 << 120).to_le_bytes().to_vec(), tagged(19, Value::F64(f64::NEG_INFINITY))),
        (0x7f, vec![], tagged(127, Value::Null)),
        (0xff, vec![], tagged(255, Value::Null)),
    ]
}

#[test]
fn the_examples_of_the_specification() {
    for (bytes, value) in [
        (&b"\x16\x00\x00\x00\x02hello\x00\x06\x00\x00\x00world\x00\x00"[..], Value::record([("hello", Value::text("world"))])),
        (
            b"\x31\x00\x00\x00\x04BSON\x00\x26\x00\x00\x00\x020\x00\x08\x00\x00\x00awesome\x00\x011\x00\x33\x33\x33\x33\x33\x33\x14\x40\x102\x00\xc2\x07\x00\x00\x00\x00",
            Value::record([("BSON", Value::List(vec![Value::text("awesome"), Value::F64(5.05), Value::UInt(1986)]))]),
        ),
    ] {
        assert_eq!(read(bytes).unwrap(), value);
        assert_eq!(written(&value), (bytes.to_vec(), vec![]));
    }
}

#[test]
fn every_type_is_read_and_written_as_it_was() {
    for (kind, bytes, value) in types() {
        let bytes = one(kind, &bytes);
        let record = Value::record([("a", value.clone())]);
        assert_eq!(read(&bytes).unwrap(), record, "{}", hex(&bytes));
        let (again, losses) = written(&record);
        assert_eq!((hex(&again), losses), (hex(&bytes), vec![]), "{record:?}");
        // In a list, after another value, and as the message itself.
        testing::round_trip(&FORMAT, &Value::List(vec![Value::Null, value.clone(), value.clone()]));
        testing::round_trip(&FORMAT, &value);
        testing::round_trip(&FORMAT, &Value::record([("s", tagged(15, Value::Tuple(vec![Value::text(""), record])))]));
    }
}

#[test]
fn decimals_are_told_by_their_value() {
    let decimal = |high: u64, low: u64| one(0x13, &(u128::from(high) << 64 | u128::from(low)).to_le_bytes());
    for (high, low, value) in [
        (0x3040000000000000, 7, Value::UInt(7)),
        (0x303c000000000000, 1990, Value::F64(19.9)),
        (0x3042000000000000, 5, Value::F64(50.0)),
        (0xb040000000000000, 0, Value::F64(-0.0)),
        (0x3018000000000000, 100_000_000_000_000_000, Value::F64(0.001)),
        (0x3018000000000000, 10_000_000_000_000_000_001, Value::Decimal("0.10000000000000000001".into())),
    ] {
        assert_eq!(read(&decimal(high, low)).unwrap(), Value::record([("a", value)]));
    }
    let Value::Record { fields, .. } = read(&decimal(0x7c00000000000000, 1)).unwrap() else { panic!("a record") };
    assert!(matches!(&fields[0].1, Value::Tagged { code: 19, value, .. } if matches!(**value, Value::F64(value) if value.is_nan())));
}

#[test]
fn messages_that_are_no_documents_come_back() {
    let nest = |value: Value| Value::record([("$msg", value)]);
    let five = Value::UInt(5);
    let empty = Value::record::<&str>([]);
    for value in [
        five.clone(),
        Value::Null,
        Value::List(vec![]),
        tagged(7, Value::Bytes(vec![0; 12])),
        nest(five.clone()),
        nest(nest(five.clone())),
        nest(Value::List(vec![nest(empty.clone())])),
        nest(empty.clone()),
        nest(nest(empty.clone())),
        nest(tagged(15, Value::Tuple(vec![Value::text(""), empty.clone()]))),
        Value::record([("$msg", Value::Null), ("b", Value::Null)]),
        Value::record([("a", nest(five.clone()))]),
    ] {
        testing::round_trip(&FORMAT, &value);
        let (bytes, _) = written(&value);
        assert_eq!(written(&read(&bytes).unwrap()).0, bytes);
    }
    assert_eq!(hex(&written(&five).0), "0f00000010246d73670005000000".to_string() + "00");
    // One that stays as it is, though its field is named so.
    assert_eq!(written(&nest(empty.clone())).0.len(), 16);
    assert_eq!(written(&nest(five)).0.len(), 26);
    // A case of a sum type becomes a document, which may look like one around a message.
    let case = |values: Vec<Value>| Value::Variant { name: "$msg".into(), index: 0, values };
    for (value, kept) in [
        (case(vec![]), nest(Value::Null)),
        (case(vec![empty.clone()]), nest(empty.clone())),
        (case(vec![empty.clone(), Value::Null]), nest(Value::List(vec![empty.clone(), Value::Null]))),
        (case(vec![Value::List(vec![empty.clone()])]), nest(Value::List(vec![empty]))),
    ] {
        let (bytes, losses) = written(&value);
        assert_eq!((read(&bytes).unwrap(), losses), (kept, vec!["variant became a document of its name"]));
    }
}

/// Returns the value that BSON makes of a value, and whether that changes it.
fn kept(value: &Value, changed: &mut bool) -> Value {
    let mut list = |values: &[Value]| Value::List(values.iter().map(|value| kept(value, changed)).collect());
    match value {
        Value::List(values) => list(values),
        Value::Tuple(values) => {
            let list = list(values);
            *changed = true;
            list
        }
        Value::Big(digits) if digits.trim_start_matches('-').len() > 34 => {
            *changed = true;
            Value::Text(digits.clone())
        }
        Value::Octets(bytes) => {
            *changed = true;
            String::from_utf8(bytes.clone()).map_or_else(|_| Value::Bytes(bytes.clone()), Value::Text)
        }
        Value::Time(moment) => {
            *changed |= moment.nanos() % 1_000_000 != 0;
            Value::Time(Timestamp::new(moment.seconds(), moment.nanos() / 1_000_000 * 1_000_000).unwrap())
        }
        Value::Map(pairs) => Value::record(pairs.iter().map(|(key, value)| match key {
            Value::Text(name) => (named(name, changed), kept(value, changed)),
            Value::UInt(number) => {
                *changed = true;
                (number.to_string(), kept(value, changed))
            }
            other => panic!("{other:?} is not among the keys of random values"),
        })),
        Value::Record { name, fields } => {
            *changed |= !name.is_empty();
            Value::record(fields.iter().map(|(name, value)| (named(name, changed), kept(value, changed))))
        }
        Value::Variant { name, index, values } => {
            let payload = match &values[..] {
                [] => Value::Null,
                [one] => kept(one, changed),
                more => list(more),
            };
            *changed = true;
            Value::record([(if name.is_empty() { index.to_string() } else { named(name, changed) }, payload)])
        }
        other => other.clone(),
    }
}

fn named(name: &str, changed: &mut bool) -> String {
    *changed |= name.contains('\0');
    name.replace('\0', "␀")
}

fn generated() -> impl Iterator<Item = Value> {
    let mut rng = Rng::with_seed(11);
    (0..800).map(move |n| testing::value(&mut rng, if n % 2 == 0 { Shape::PLAIN } else { Shape::ANY }))
}

#[test]
fn what_comes_back_is_what_was_written_or_noted_as_lost() {
    testing::comes_back(&FORMAT, generated(), kept);
}

/// Reports whether the writer wraps a record, by the rule on the page.
fn is_wrapped(value: &Value) -> bool {
    match value {
        Value::Record { fields, .. } => match &fields[..] {
            [(name, inner)] => name == "$msg" && is_wrapped(inner),
            _ => false,
        },
        _ => true,
    }
}

fn to_document(value: &Value) -> Document {
    match value {
        Value::Record { fields, .. } if !is_wrapped(value) => fields.iter().map(|(name, value)| (name.clone(), to_judge(value))).collect(),
        other => [("$msg".to_string(), to_judge(other))].into_iter().collect(),
    }
}

fn to_judge(value: &Value) -> Bson {
    let decimal = |text: &str| Bson::Decimal128(text.parse().unwrap());
    let bytes = |subtype: u8, bytes: &[u8]| Bson::Binary(bson::Binary { subtype: subtype.into(), bytes: bytes.to_vec() });
    match value {
        Value::Null => Bson::Null,
        Value::Bool(value) => Bson::Boolean(*value),
        Value::Int(value) => Bson::Int64(*value),
        Value::UInt(value) => match (i32::try_from(*value), i64::try_from(*value)) {
            (Ok(value), _) => Bson::Int32(value),
            (_, Ok(value)) => Bson::Int64(value),
            _ => decimal(&value.to_string()),
        },
        Value::F32(value) => Bson::Double(f64::from(*value)),
        Value::F64(value) => Bson::Double(*value),
        Value::Big(text) | Value::Decimal(text) => decimal(text),
        Value::Text(text) => Bson::String(text.clone()),
        Value::Bytes(data) => bytes(0, data),
        Value::Time(moment) => Bson::DateTime(bson::DateTime::from_millis(
            (i128::from(moment.seconds()) * 1000 + i128::from(moment.nanos() / 1_000_000)) as i64,
        )),
        Value::List(values) => Bson::Array(values.iter().map(to_judge).collect()),
        Value::Record { fields, .. } => Bson::Document(fields.iter().map(|(name, value)| (name.clone(), to_judge(value))).collect()),
        Value::Tagged { code, value, .. } => match (code, &**value) {
            (6, Value::Null) => Bson::Undefined,
            (7, Value::Bytes(id)) => Bson::ObjectId(bson::oid::ObjectId::from_bytes(id[..].try_into().unwrap())),
            (11, Value::Tuple(pair)) => match &pair[..] {
                [Value::Text(pattern), Value::Text(options)] => Bson::RegularExpression(bson::Regex {
                    pattern: pattern.as_str().try_into().unwrap(),
                    options: options.as_str().try_into().unwrap(),
                }),
                other => panic!("{other:?} in a regular expression"),
            },
            (13, Value::Text(code)) => Bson::JavaScriptCode(code.clone()),
            (14, Value::Text(text)) => Bson::Symbol(text.clone()),
            (15, Value::Tuple(pair)) => match &pair[..] {
                [Value::Text(code), Value::Record { fields, .. }] => Bson::JavaScriptCodeWithScope(bson::JavaScriptCodeWithScope {
                    code: code.clone(),
                    scope: fields.iter().map(|(name, value)| (name.clone(), to_judge(value))).collect(),
                }),
                other => panic!("{other:?} in code with scope"),
            },
            (17, Value::UInt(bits)) => Bson::Timestamp(bson::Timestamp { time: (bits >> 32) as u32, increment: *bits as u32 }),
            (19, Value::F64(value)) => decimal(if *value > 0.0 { "Infinity" } else { "-Infinity" }),
            (127, Value::Null) => Bson::MaxKey,
            (255, Value::Null) => Bson::MinKey,
            (code, Value::Bytes(data)) if code >> 8 == 5 => bytes(*code as u8, data),
            other => panic!("{other:?} is not for the judge"),
        },
        other => panic!("{other:?} is not for the judge"),
    }
}

fn from_document(document: &Document) -> Value {
    Value::record(document.iter().map(|(name, value)| (name.clone(), from_judge(value))))
}

fn from_judge(value: &Bson) -> Value {
    match value {
        Bson::Double(value) => Value::F64(*value),
        Bson::String(text) => Value::text(text),
        Bson::Array(values) => Value::List(values.iter().map(from_judge).collect()),
        Bson::Document(document) => from_document(document),
        Bson::Boolean(value) => Value::Bool(*value),
        Bson::Null => Value::Null,
        Bson::RegularExpression(regex) => {
            tagged(11, Value::Tuple(vec![Value::text(regex.pattern.as_str()), Value::text(regex.options.as_str())]))
        }
        Bson::JavaScriptCode(code) => tagged(13, Value::text(code)),
        Bson::JavaScriptCodeWithScope(scoped) => tagged(15, Value::Tuple(vec![Value::text(&scoped.code), from_document(&scoped.scope)])),
        Bson::Int32(value) => Value::int(i64::from(*value)),
        Bson::Int64(value) => Value::int(*value),
        Bson::Timestamp(moment) => tagged(17, Value::UInt(u64::from(moment.time) << 32 | u64::from(moment.increment))),
        Bson::Binary(binary) => match u8::from(binary.subtype) {
            0 => Value::Bytes(binary.bytes.clone()),
            subtype => tagged(0x0500 | u64::from(subtype), Value::Bytes(binary.bytes.clone())),
        },
        Bson::ObjectId(id) => tagged(7, Value::Bytes(id.bytes().to_vec())),
        Bson::DateTime(moment) => {
            let ms = moment.timestamp_millis();
            Value::Time(Timestamp::new(ms.div_euclid(1000), ms.rem_euclid(1000) as u32 * 1_000_000).unwrap())
        }
        Bson::Symbol(text) => tagged(14, Value::text(text)),
        // The judge's text of a decimal is a number of JSON.
        Bson::Decimal128(decimal) => match decimal.to_string().as_str() {
            "Infinity" => tagged(19, Value::F64(f64::INFINITY)),
            "-Infinity" => tagged(19, Value::F64(f64::NEG_INFINITY)),
            text => Value::from(testing::read(&json::FORMAT, text.as_bytes()).unwrap().root().unwrap()),
        },
        Bson::Undefined => tagged(6, Value::Null),
        Bson::MaxKey => tagged(127, Value::Null),
        Bson::MinKey => tagged(255, Value::Null),
        Bson::DbPointer(_) => panic!("the judge has no way to make or open one"),
    }
}

fn has_doubled_names(value: &Value) -> bool {
    match value {
        Value::Record { fields, .. } => fields
            .iter()
            .enumerate()
            .any(|(n, (name, value))| fields[..n].iter().any(|(other, _)| other == name) || has_doubled_names(value)),
        Value::List(values) => values.iter().any(has_doubled_names),
        _ => false,
    }
}

#[test]
fn the_bson_crate_reads_what_is_written_and_the_reverse() {
    let mut told = 0;
    let special = types().into_iter().filter(|(kind, ..)| *kind != 0x0c).map(|(_, _, value)| value);
    for value in generated().map(|value| kept(&value, &mut false)).chain(special) {
        // The judge's documents have each name once.
        if has_doubled_names(&value) {
            continue;
        }
        let (bytes, _) = written(&value);
        let judged = from_document(&Document::from_reader(&bytes[..]).unwrap());
        match (&judged, &value) {
            (Value::Record { fields, .. }, value) if is_wrapped(value) => assert_same(value, &fields[0].1, "read by bson"),
            _ => assert_same(&value, &judged, "read by bson"),
        }
        let theirs = to_document(&value).to_vec().unwrap();
        assert_same(&value, &read(&theirs).unwrap(), "written by bson");
        told += 1;
    }
    assert!(told > 700, "{told} values told to the judge");
}

#[test]
fn numbers_of_the_judge_are_read_as_it_shows_them() {
    let mut rng = Rng::with_seed(17);
    for _ in 0..3000 {
        // Signs, exponents of all sizes, coefficients of all lengths, and coefficients that are too
        // large.
        let coefficient = rng.u128(..) >> rng.u32(14..128);
        let exponent = if rng.bool() { rng.u128(6100..6260) } else { rng.u128(..12_288) };
        let bits = u128::from(rng.bool()) << 127 | exponent << 113 | coefficient;
        let decimal = bson::Decimal128::from_bytes(bits.to_le_bytes());
        let theirs = bson::doc! { "a": decimal }.to_vec().unwrap();
        let Value::Record { fields, .. } = read(&theirs).unwrap() else { panic!("a record") };
        let expected = match from_judge(&Bson::Decimal128(decimal)) {
            // The whole-number text of -0 is that of an integer.
            Value::UInt(0) if decimal.to_string().starts_with('-') => Value::F64(-0.0),
            other => other,
        };
        assert_same(&expected, &fields[0].1, &format!("{decimal} {bits:x}"));
        testing::round_trip(&FORMAT, &fields[0].1);
    }
}

#[test]
fn spans_are_those_of_elements_and_values() {
    let bytes = [&b"\x02a\0\x02\0\0\0x\0\x04b\0"[..], &doc(b"\x0a0\0\x101\0\x05\0\0\0")].concat();
    let tree = testing::read(&FORMAT, &doc(&bytes)).map(|tree| {
        let root = tree.root().unwrap();
        let spans = |item: polywire_core::value::Item<'_, '_>| {
            item.entries().map(|entry| (entry.value().span().start, entry.value().span().end)).collect::<Vec<_>>()
        };
        let list = root.entries().nth(1).unwrap().value();
        (root.span(), spans(root), spans(list))
    });
    let (root, fields, elements) = tree.unwrap();
    assert_eq!(root, Span::new(0, 32));
    assert_eq!(fields, [(7, 13), (16, 31)]);
    assert_eq!(elements, [(20, 23), (23, 30)]);
}

#[test]
fn errors_say_what_and_where() {
    let list = |elements: &[u8]| one(4, &doc(elements));
    for (name, bytes, kind, offset, path) in [
        ("empty", vec![], ErrorKind::Truncated, 0, ""),
        ("half a length", vec![5, 0], ErrorKind::Truncated, 2, ""),
        ("a length of 4", vec![4, 0, 0, 0], ErrorKind::Syntax, 0, ""),
        ("a negative length", vec![255, 255, 255, 255, 0], ErrorKind::Syntax, 0, ""),
        ("no end", vec![5, 0, 0, 0, 1], ErrorKind::Syntax, 4, ""),
        ("an early end", doc(b"\0\0"), ErrorKind::Syntax, 4, ""),
        ("an end that is missing", vec![8, 0, 0, 0, 10, b'a', 0, 7], ErrorKind::Syntax, 7, ""),
        ("bytes after it", [doc(b""), vec![1]].concat(), ErrorKind::Trailing, 5, ""),
        ("a type that is none", one(0x14, b""), ErrorKind::Syntax, 4, ""),
        ("a name without end", doc(b"\x0aabc"), ErrorKind::Syntax, 5, ""),
        ("a name that is not UTF-8", doc(b"\x0aa\xff\0"), ErrorKind::Encoding, 6, ""),
        ("text that is not UTF-8", one(2, b"\x02\0\0\0\xff\0"), ErrorKind::Encoding, 11, "a"),
        ("text of length 0", one(2, b"\0\0\0\0"), ErrorKind::Syntax, 7, "a"),
        ("text without end", one(2, b"\x02\0\0\0xx"), ErrorKind::Syntax, 12, "a"),
        ("text of 2 GiB", one(2, b"\xff\xff\xff\x7fxx"), ErrorKind::Syntax, 11, "a"),
        ("a truth value of 2", one(8, b"\x02"), ErrorKind::Syntax, 7, "a"),
        ("a number that is cut off", one(0x12, b"\x02"), ErrorKind::Syntax, 7, "a"),
        ("a list that is longer than what is around it", one(4, b"\xff\0\0\0\0"), ErrorKind::Syntax, 7, "a"),
        ("binary data of negative length", one(5, b"\xff\xff\xff\xff\0"), ErrorKind::Syntax, 7, "a"),
        ("a wrong inner length", one(5, b"\x05\0\0\0\x02\x02\0\0\0x"), ErrorKind::Syntax, 12, "a"),
        ("no inner length", one(5, b"\x02\0\0\0\x02xx"), ErrorKind::Syntax, 12, "a"),
        ("a scope that is too short", one(15, &unhex("1000000002000000780005000000000000")[..]), ErrorKind::Syntax, 17, "a"),
        ("code with scope that is too short", one(15, &unhex("0d00000001000000000500000000")), ErrorKind::Syntax, 7, "a"),
        ("a pattern without options", one(11, b"x\0y"), ErrorKind::Syntax, 9, "a"),
        ("an element of a list", list(b"\x080\0\x01\x081\0\x02"), ErrorKind::Syntax, 18, "a"),
    ] {
        let error = failure(&bytes);
        assert_eq!((error.kind(), error.offset(), error.fault()), (kind, Some(offset), Fault::Data), "{name}: {error}");
        assert_eq!(error.format(), Some("bson"), "{name}");
        let path = if path.is_empty() { Path::default() } else { Path::parse(path).unwrap() };
        let found = error.path().unwrap_or_else(|| panic!("{name}: no path"));
        assert_eq!(found, &path, "{name}");
    }
}

#[derive(Default)]
struct Remarks(Vec<(&'static str, Span)>);

impl<'m> Sink<'m> for Remarks {
    fn open(&mut self, _: Open<'_>, _: Span) -> Result<Next, Error> {
        Ok(Next::Enter)
    }

    fn field(&mut self, _: Field<'m, '_>, _: Span) -> Result<Next, Error> {
        Ok(Next::Enter)
    }

    fn scalar(&mut self, _: Scalar<'m, '_>, _: Span) -> Result<(), Error> {
        Ok(())
    }

    fn part(&mut self, _: Part<'_>, _: Span) -> Result<(), Error> {
        Ok(())
    }

    fn close(&mut self, _: Span) -> Result<(), Error> {
        Ok(())
    }

    fn note(&mut self, note: Note<'_>, at: Span) -> Result<(), Error> {
        if let Note::Coerced(what) = note {
            self.0.push((what, at));
        }
        Ok(())
    }
}

#[test]
fn names_of_elements_of_lists_are_remarked_where_they_are_odd() {
    let bytes = one(4, &doc(b"\x0a0\0\x0a2\0\x0ax\0\x0a3\0"));
    assert_eq!(read(&bytes).unwrap(), Value::record([("a", Value::List(vec![Value::Null; 4]))]));
    let mut remarks = Remarks::default();
    Walker::new(&FORMAT, &Limits::DEFAULT).walk(&bytes, 0, &mut remarks).unwrap();
    let what = "an array's element whose name is not its index";
    assert_eq!(remarks.0, [(what, Span::new(14, 17)), (what, Span::new(17, 20))]);
}

#[test]
fn doubled_names_are_refused_unless_told_otherwise() {
    let bytes = doc(b"\x0aa\0\x0aa\0");
    let error = failure(&bytes);
    assert_eq!((error.kind(), error.offset()), (ErrorKind::DoubledKey, Some(7)));
    assert_eq!(read(&bytes).unwrap(), Value::record([("a", Value::Null), ("a", Value::Null)]));
}

#[test]
fn deep_nesting_is_refused_and_stepped_over() {
    let mut bytes = Vec::new();
    for depth in 0..100_000i32 {
        bytes.extend((8 * (100_000 - depth) + 5).to_le_bytes());
        bytes.extend(b"\x03a\0");
    }
    bytes.extend(b"\x05\0\0\0\0");
    bytes.extend(vec![0; 100_000]);
    let error = failure(&bytes);
    assert_eq!((error.kind(), error.fault()), (ErrorKind::Limit, Fault::Data));
    testing::fuzz_skip(&FORMAT, &bytes);
    let mut walker = Walker::new(&FORMAT, &Limits::DEFAULT).select(Some(Projection::new(&[Path::parse("b").unwrap()])));
    assert!(walker.walk(&bytes, 0, &mut Count::default()).is_ok());
    // Nested wrappers around a message are recognised in one pass.
    let mut wrapped = Vec::new();
    for depth in 0..100_000i32 {
        wrapped.extend((11 * (100_000 - depth) + 5).to_le_bytes());
        wrapped.extend(b"\x03$msg\0");
    }
    wrapped.extend(b"\x05\0\0\0\0");
    wrapped.extend(vec![0; 100_000]);
    assert_eq!(failure(&wrapped).kind(), ErrorKind::Limit);
}

#[test]
fn every_truncation_is_an_error_within_the_bytes() {
    let special = types().into_iter().map(|(kind, bytes, _)| one(kind, &bytes));
    for bytes in special.chain(generated().take(100).map(|value| written(&value).0)) {
        for end in 0..bytes.len() {
            let error = failure(&bytes[..end]);
            assert_eq!(error.kind(), ErrorKind::Truncated, "{error} in {}", hex(&bytes[..end]));
            assert_eq!(error.offset(), Some(end as u64), "{error} in {}", hex(&bytes[..end]));
        }
    }
}

#[test]
fn mutations_of_all_types_break_no_promise() {
    let mut rng = Rng::with_seed(13);
    let messages: Vec<Vec<u8>> = types().into_iter().map(|(kind, bytes, _)| one(kind, &bytes)).collect();
    for _ in 0..6000 {
        let message = &messages[rng.usize(..messages.len())];
        let bytes = testing::mutate(&mut rng, message);
        testing::fuzz_walk(&FORMAT, &bytes);
        testing::fuzz_frames(&FORMAT, &bytes, rng.usize(..=bytes.len()));
        testing::fuzz_skip(&FORMAT, &bytes);
        testing::fuzz_rewrite(&FORMAT, &bytes);
        testing::fuzz_inspect(&FORMAT, &bytes);
    }
}

#[test]
fn frames_are_found_by_their_length() {
    let mut reader = BsonReader::default();
    let mut frame = |bytes: &[u8], eof| reader.frame(bytes, 0, eof).unwrap();
    assert_eq!(frame(b"", false), Frame::More(4));
    assert_eq!(frame(b"", true), Frame::End);
    assert_eq!(frame(b"\x05\0", false), Frame::More(2));
    assert_eq!(frame(b"\x05\0", true), Frame::Message { start: 0, end: 2 });
    assert_eq!(frame(b"\x09\0\0\0\0", false), Frame::More(4));
    assert_eq!(frame(b"\x09\0\0\0\0", true), Frame::Message { start: 0, end: 5 });
    assert_eq!(frame(b"\x05\0\0\0\0\x05", false), Frame::Message { start: 0, end: 5 });
    assert_eq!(frame(b"\x04\0\0\0\0", false), Frame::Message { start: 0, end: 4 });
    let stream: Vec<u8> = generated().take(40).flat_map(|value| written(&value).0).collect();
    assert_eq!(testing::frames(&FORMAT, &stream, &[stream.len()]).len(), 40);
}

#[test]
fn decimals_beyond_decimal128_are_rounded_unless_their_type_is_decimal() {
    let nines = "9".repeat(33);
    let decimal = |text: String| Value::Decimal(text);
    for (text, kept, loss) in [
        // Ties go to the even digit.
        (format!("0.{nines}25"), decimal(format!("0.{nines}2")), "decimal rounded to 34 digits"),
        (format!("0.{nines}35"), decimal(format!("0.{nines}4")), "decimal rounded to 34 digits"),
        (format!("0.{nines}2500001"), decimal(format!("0.{nines}3")), "decimal rounded to 34 digits"),
        (format!("-0.{nines}97"), Value::F64(-1.0), "decimal rounded to 34 digits"),
        (format!("{nines}97e200"), Value::F64(1e235), "decimal rounded to 34 digits"),
        ("1e-9999".into(), Value::F64(0.0), "decimal rounded to the nearest 64-bit float"),
        ("1e9999".into(), Value::text("1e9999"), "decimal beyond decimal128 became text"),
        ("1e99999999999999999999".into(), Value::text("1e99999999999999999999"), "decimal beyond decimal128 became text"),
    ] {
        let (bytes, losses) = written(&Value::record([("a", Value::Decimal(text.clone()))]));
        assert_eq!((read(&bytes).unwrap(), &losses[..]), (Value::record([("a", kept)]), &[loss][..]), "{text}");
    }
    // By its type.
    let digits = format!("0.{}", "1".repeat(35));
    let spelling = Spelling::decimal(&digits, -35);
    let mut writer = FORMAT.writer.unwrap()();
    writer.open(Open::Record { name: "", len: Len::Unknown }, Span::NONE).unwrap();
    writer.field(Field::named(Str::Scratch("a")), Span::NONE).unwrap();
    writer.scalar(Scalar::Decimal(Str::Scratch(&digits), Hint::new(&spelling)), Span::NONE).unwrap();
    writer.close(Span::NONE).unwrap();
    let mut out = Vec::new();
    writer.finish(&mut out).unwrap();
    assert_eq!(writer.losses()[0].what, "decimal beyond decimal128 became text");
    assert_eq!(read(&out).unwrap(), Value::record([("a", Value::text(digits))]));
}

#[test]
fn options_of_a_regular_expression_are_read_and_written_in_order() {
    for (read, written) in [("mix", "imx"), ("imx", "imx"), ("xa", "xa"), ("", "")] {
        let bytes = one(11, format!("a\0{read}\0").as_bytes());
        let of = |options: &str| Value::record([("a", tagged(11, Value::Tuple(vec![Value::text("a"), Value::text(options)])))]);
        assert_eq!(self::read(&bytes).unwrap(), of(written));
        assert_eq!(self::written(&of(read)), (one(11, format!("a\0{written}\0").as_bytes()), vec![]));
    }
}

#[test]
fn what_bson_cannot_say_is_noted() {
    let at = |value: Value| Value::record([("a", value)]);
    let foreign = |code| Value::Tagged { space: "cbor".into(), code, value: Box::new(Value::Null) };
    let dropped = "tag dropped: its contents are not those of its type";
    let pair = |first: Value, second: Value| Value::Tuple(vec![first, second]);
    let text = || Value::text("x");
    for (value, kept, losses) in [
        (big(&"9".repeat(35)), Value::text("9".repeat(35)), &["integer of more than 34 digits became text"][..]),
        (
            Value::Decimal(format!("0.{}", "1".repeat(35))),
            Value::Decimal(format!("0.{}", "1".repeat(34))),
            &["decimal rounded to 34 digits"],
        ),
        (Value::Octets(b"a".to_vec()), Value::text("a"), &["octets became text"]),
        (Value::Octets(vec![255]), Value::Bytes(vec![255]), &["octets became bytes"]),
        (
            Value::Time(Timestamp::new(1, 1_000_001).unwrap()),
            Value::Time(Timestamp::new(1, 1_000_000).unwrap()),
            &["fraction of a millisecond dropped from a timestamp"],
        ),
        (
            Value::Time(Timestamp::new(i64::MAX, 0).unwrap()),
            Value::text("@9223372036854775807.000000000"),
            &["timestamp beyond 64 bits of milliseconds became text"],
        ),
        (foreign(1), Value::Null, &["tag dropped"]),
        (tagged(7, Value::Bytes(vec![1])), Value::Bytes(vec![1]), &[dropped]),
        (tagged(1, Value::F64(1.0)), Value::F64(1.0), &[dropped]),
        (tagged(19, Value::F64(1.0)), Value::F64(1.0), &[dropped]),
        (tagged(0x0500, Value::Bytes(vec![])), Value::Bytes(vec![]), &[dropped]),
        (tagged(11, tagged(14, text())), tagged(14, text()), &[dropped]),
        (tagged(6, Value::List(vec![])), Value::List(vec![]), &[dropped]),
        (tagged(11, pair(text(), Value::Null)), Value::List(vec![text(), Value::Null]), &[dropped, "tuple became list"]),
        (tagged(12, pair(text(), text())), Value::List(vec![text(), text()]), &[dropped, "tuple became list"]),
        (tagged(15, pair(text(), Value::List(vec![]))), Value::List(vec![text(), Value::List(vec![])]), &[dropped, "tuple became list"]),
        (tagged(15, pair(at(text()), text())), Value::List(vec![at(text()), text()]), &[dropped, "tuple became list"]),
        (tagged(11, Value::Tuple(vec![text()])), Value::List(vec![text()]), &[dropped, "tuple became list"]),
        (Value::record([("a\0b", Value::Null)]), Value::record([("a␀b", Value::Null)]), &["zero byte in a name or pattern became U+2400"]),
        (
            Value::Map(vec![(Value::List(vec![Value::UInt(1), text()]), Value::Null), (Value::Bool(true), text())]),
            Value::record([("[1,\"x\"]", Value::Null), ("true", text())]),
            &["key that is no text became text"; 2],
        ),
        (Value::Map(vec![(foreign(1), at(text()))]), Value::record([("null", at(text()))]), &["key that is no text became text"]),
    ] {
        let (bytes, noted) = written(&at(value.clone()));
        assert_eq!(noted, losses, "{value:?}");
        assert_eq!(read(&bytes).unwrap(), at(kept), "{value:?}");
    }
}

#[test]
fn a_pair_of_unknown_length_is_written_when_it_is_whole() {
    let at = Span::NONE;
    let text = |text| Scalar::Text(Str::Scratch(text));
    let start = |writer: &mut BsonWriter, code| {
        writer.open(Open::Tagged { space: "bson", code }, at).unwrap();
        writer.open(Open::Tuple(Len::Unknown), at).unwrap();
        writer.scalar(text("x"), at).unwrap();
    };
    let mut writer = BsonWriter::default();
    let finish = |writer: &mut BsonWriter, closes: usize| {
        (0..closes).for_each(|_| writer.close(at).unwrap());
        let mut out = Vec::new();
        writer.finish(&mut out).unwrap();
        read(&out).unwrap()
    };
    start(&mut writer, 11);
    writer.scalar(text("i"), at).unwrap();
    assert_eq!(finish(&mut writer, 2), tagged(11, Value::Tuple(vec![Value::text("x"), Value::text("i")])));
    start(&mut writer, 11);
    writer.scalar(text("i"), at).unwrap();
    writer.scalar(Scalar::Null, at).unwrap();
    assert_eq!(finish(&mut writer, 2), Value::List(vec![Value::text("x"), Value::text("i"), Value::Null]));
    start(&mut writer, 15);
    assert_eq!(finish(&mut writer, 2), Value::List(vec![Value::text("x")]));
    start(&mut writer, 15);
    writer.open(Open::Map(Len::Unknown), at).unwrap();
    writer.close(at).unwrap();
    assert_eq!(writer.scalar(Scalar::Null, at).unwrap_err().fault(), Fault::Us);
}

#[test]
fn a_writer_holds_callers_to_their_word_and_recovers() {
    let at = Span::NONE;
    let mut writer = BsonWriter::default();
    let mut out = Vec::new();
    assert_eq!(writer.finish(&mut out).unwrap_err().fault(), Fault::Us);
    writer.reset();
    writer.open(Open::Map(Len::Unknown), at).unwrap();
    writer.field(Field::named(Str::Scratch("a")), at).unwrap();
    assert_eq!(writer.field(Field::named(Str::Scratch("b")), at).unwrap_err().fault(), Fault::Us);
    writer.reset();
    writer.open(Open::Map(Len::Unknown), at).unwrap();
    writer.field(Field::named(Str::Scratch("a")), at).unwrap();
    assert_eq!(writer.close(at).unwrap_err().fault(), Fault::Us);
    writer.reset();
    assert_eq!(writer.field(Field::named(Str::Scratch("a")), at).unwrap_err().fault(), Fault::Us);
    writer.reset();
    assert_eq!(writer.close(at).unwrap_err().fault(), Fault::Us);
    writer.reset();
    let part = Part { bytes: b"a", kind: PartKind::Text, total: None, last: true };
    assert_eq!(writer.part(part, at).unwrap_err().fault(), Fault::Us);
    writer.reset();
    writer.scalar(Scalar::Null, at).unwrap();
    writer.scalar(Scalar::Null, at).unwrap();
    assert_eq!(writer.finish(&mut out).unwrap_err().fault(), Fault::Us);
    writer.reset();
    for _ in 0..2 {
        writer.open(Open::Record { name: "", len: Len::Claimed(0) }, at).unwrap();
        writer.close(at).unwrap();
        writer.finish(&mut out).unwrap();
    }
    assert_eq!(out, b"\x05\0\0\0\0\x05\0\0\0\0");
}

#[test]
fn walking_stops_when_told_to() {
    struct Stopper(usize);
    impl<'m> Sink<'m> for Stopper {
        fn open(&mut self, _: Open<'_>, _: Span) -> Result<Next, Error> {
            self.0 -= 1;
            Ok(if self.0 == 0 { Next::Stop } else { Next::Enter })
        }
        fn field(&mut self, _: Field<'m, '_>, _: Span) -> Result<Next, Error> {
            Ok(Next::Enter)
        }
        fn scalar(&mut self, _: Scalar<'m, '_>, _: Span) -> Result<(), Error> {
            assert!(self.0 > 0, "told to stop");
            Ok(())
        }
        fn part(&mut self, _: Part<'_>, _: Span) -> Result<(), Error> {
            Ok(())
        }
        fn close(&mut self, _: Span) -> Result<(), Error> {
            assert!(self.0 > 0, "told to stop");
            Ok(())
        }
    }
    for (kind, bytes, _) in types() {
        for stop in 1..5 {
            let bytes = one(kind, &bytes);
            BsonReader::default().walk(&bytes, 0, &mut Stopper(stop), &mut Budget::new(&Limits::DEFAULT)).unwrap();
        }
    }
}

#[test]
fn it_is_recognised_and_other_things_are_not() {
    let look = |bytes: &[u8], whole| (FORMAT.recognise)(bytes, whole);
    let object =
        written(&Value::record([("name", Value::text("Ada")), ("age", Value::UInt(36)), ("tags", Value::List(vec![Value::text("x")]))])).0;
    assert_eq!(look(&object, true), Confidence::Certain);
    assert_eq!(look(&object.repeat(3), true), Confidence::Likely);
    assert_eq!(look(&object[..object.len() - 3], false), Confidence::Likely);
    assert_eq!(look(&doc(b""), true), Confidence::Possible);
    for text in ["{\"a\": 1}", "[1, 2]", "<a/>", "abcd\nefgh", "abcd\tef", "\u{5}\0\0\0", "", "d8:announce3:abce"] {
        assert_eq!(look(text.as_bytes(), true), Confidence::No, "{text:?}");
    }
}

#[test]
fn other_formats_are_not_taken_for_bson_and_bencode_nor_the_reverse() {
    let mut rng = Rng::with_seed(31);
    let mut wrong = Vec::new();
    let mut tried = 0;
    for _ in 0..300 {
        let fields = (0..rng.usize(1..8)).map(|n| (format!("field{n}"), testing::value(&mut rng, Shape { depth: 2, ..Shape::PLAIN })));
        let object = Value::record(fields.collect::<Vec<_>>());
        for format in registry::FORMATS.iter().filter(|format| format.writer.is_some()) {
            let Ok(bytes) = testing::write(format, &object) else { continue };
            for (bytes, whole) in [(&bytes[..], true), (&bytes[..bytes.len() * 3 / 4], false)] {
                tried += 1;
                // Their agreement with each other is their own tests' business.
                let found = registry::recognise(bytes, whole).map_or("", |found| found.name);
                let ours = ["bson", "bencode"];
                if found != format.name && (ours.contains(&found) || ours.contains(&format.name)) {
                    wrong.push(format!("{} {whole} {}", format.name, hex(&bytes[..bytes.len().min(40)])));
                }
            }
        }
    }
    assert!(wrong.len() * 50 <= tried, "{} of {tried}: {:#?}", wrong.len(), &wrong[..wrong.len().min(20)]);
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    for file in std::fs::read_dir(folder).unwrap().flatten().map(|file| file.path()).filter(|path| path.is_file()) {
        let bytes = std::fs::read(&file).unwrap();
        for name in ["bson", "bencode"] {
            let format = registry::find(name).unwrap();
            assert_eq!((format.recognise)(&bytes, true), Confidence::No, "{}", file.display());
        }
    }
}

#[test]
fn options_of_regular_expressions_are_read_in_their_order() {
    polywire_testing::fuzz_rewrite(&FORMAT, b"\x10\0\0\0\x0ba\0abc\0mix\0\0");
    polywire_testing::fuzz_rewrite(&FORMAT, b"\x10\0\0\0\x0ba\0abc\0zxa\0\0");
}

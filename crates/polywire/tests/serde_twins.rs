//! Pull readers read what the walk into a tree reads, and fail where it fails; serializers write
//! what the format's writer makes of the same events.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::path::Path;

use fastrand::Rng;
use polywire_core::{Error, Format, Limits, Result, Value};
use polywire_formats::registry;
use polywire_formats::serde::pulls::{PULLED, PUSHED};
use polywire_formats::serde::{TypedReader, TypedWriter};
use polywire_testing::{Shape, mutate, value};
use serde::de::{DeserializeOwned, IgnoredAny};
use serde::{Deserialize, Serialize};

/// A type that asks for most of what serde has.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Everything {
    bool: bool,
    small: (i8, u8, i16, u16, i32, u32),
    large: [i64; 2],
    unsigned: u64,
    huge: (i128, u128),
    floats: (f32, f64),
    char: char,
    text: String,
    #[serde(with = "serde_bytes")]
    bytes: Vec<u8>,
    none: Option<u8>,
    some: Option<Box<Everything>>,
    unit: (),
    empty: Empty,
    wrapped: Wrapped,
    pair: Pair,
    list: Vec<Case>,
    keyed: BTreeMap<i32, String>,
    named: BTreeMap<String, f64>,
    any: Value,
    #[serde(flatten)]
    flat: Flat,
    untagged: Vec<Untagged>,
    tagged: Vec<Tagged>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Empty;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Wrapped(u16);

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Pair(String, i8);

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Flat {
    level: u8,
    note: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
enum Case {
    Unit,
    One(u8),
    Two(u8, String),
    Record { a: bool, b: Option<f64> },
    List(Vec<u8>),
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
enum Untagged {
    Number(f64),
    Text(String),
    Record { x: i64 },
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind")]
enum Tagged {
    First { a: u8 },
    Second,
}

fn text(rng: &mut Rng) -> String {
    (0..rng.usize(..40)).map(|_| if rng.u8(..) < 20 { rng.char(..) } else { rng.alphanumeric() }).collect()
}

fn float(rng: &mut Rng) -> f64 {
    match rng.u8(..4) {
        0 => f64::from(rng.i32(..)) / 100.0,
        1 => rng.f64(),
        2 => 0.0,
        _ => loop {
            let value = f64::from_bits(rng.u64(..));
            if value.is_finite() {
                break value;
            }
        },
    }
}

fn everything(rng: &mut Rng, depth: u8) -> Everything {
    let case = |rng: &mut Rng| match rng.u8(..5) {
        0 => Case::Unit,
        1 => Case::One(rng.u8(..)),
        2 => Case::Two(rng.u8(..), text(rng)),
        3 => Case::Record { a: rng.bool(), b: rng.bool().then(|| float(rng)) },
        _ => Case::List(vec![rng.u8(..); rng.usize(..3)]),
    };
    Everything {
        bool: rng.bool(),
        small: (rng.i8(..), rng.u8(..), rng.i16(..), rng.u16(..), rng.i32(..), rng.u32(..)),
        large: [rng.i64(..), rng.i64(-40..300)],
        unsigned: rng.u64(..) >> rng.u8(..64),
        huge: (rng.i128(..) >> rng.u8(..128), rng.u128(..) >> rng.u8(..128)),
        floats: ((float(rng) as f32).clamp(-1e30, 1e30), float(rng)),
        char: rng.char(..),
        text: text(rng),
        bytes: (0..rng.usize(..20)).map(|_| rng.u8(..)).collect(),
        none: None,
        some: (depth > 0).then(|| Box::new(everything(rng, depth - 1))),
        unit: (),
        empty: Empty,
        wrapped: Wrapped(rng.u16(..)),
        pair: Pair(text(rng), rng.i8(..)),
        list: (0..rng.usize(..6)).map(|_| case(rng)).collect(),
        keyed: (0..rng.usize(..4)).map(|_| (rng.i32(..), text(rng))).collect(),
        named: (0..rng.usize(..4)).map(|_| (text(rng), float(rng))).collect(),
        any: Value::List(vec![Value::Null, Value::text(text(rng)), Value::F64(float(rng)), Value::UInt(rng.u64(..)), Value::List(vec![])]),
        flat: Flat { level: rng.u8(..), note: rng.bool().then(|| text(rng)) },
        untagged: vec![Untagged::Number(1.5), Untagged::Text(text(rng)), Untagged::Record { x: rng.i64(..) }],
        tagged: vec![Tagged::Second, Tagged::First { a: rng.u8(..) }],
    }
}

fn formats() -> impl Iterator<Item = &'static Format> {
    PULLED.iter().map(|name| registry::find(name).expect("a registered format"))
}

/// Everything about an error that a program may act on.
fn facts(error: &Error) -> (polywire_core::ErrorKind, Option<u64>, String) {
    (error.kind(), error.offset(), error.to_string())
}

/// Holds that both ways read the same value or fail in the same way. Returns whether they read it.
fn same<T: DeserializeOwned + Debug>(format: &'static Format, bytes: &[u8], limits: &Limits) -> bool {
    let pulled: Result<T> = TypedReader::new(format).unwrap().limits(*limits).message(bytes, 7);
    let walked: Result<T> = TypedReader::new(format).unwrap().limits(*limits).walking().message(bytes, 7);
    let shown = || format!("{}: {:?}", format.name, String::from_utf8_lossy(bytes));
    match (&pulled, &walked) {
        (Ok(pulled), Ok(walked)) => assert_eq!(format!("{pulled:?}"), format!("{walked:?}"), "{}", shown()),
        (Err(pulled), Err(walked)) => assert_eq!(facts(pulled), facts(walked), "{}", shown()),
        _ => panic!("{pulled:?}, but {walked:?}: {}", shown()),
    }
    pulled.is_ok()
}

/// As [`same`], for types that may refuse a value before the message's end is seen.
fn same_if_read<T: DeserializeOwned + Debug>(format: &'static Format, bytes: &[u8]) -> bool {
    let pulled: Result<T> = TypedReader::new(format).unwrap().message(bytes, 7);
    let walked: Result<T> = TypedReader::new(format).unwrap().walking().message(bytes, 7);
    assert_eq!(
        pulled.as_ref().map(|value| format!("{value:?}")).ok(),
        walked.as_ref().map(|value| format!("{value:?}")).ok(),
        "{}: {pulled:?}, {walked:?}: {:?}",
        format.name,
        String::from_utf8_lossy(bytes)
    );
    pulled.is_ok()
}

fn check(format: &'static Format, bytes: &[u8]) {
    same::<IgnoredAny>(format, bytes, &Limits::DEFAULT);
    same::<Value>(format, bytes, &Limits::DEFAULT);
    let small = Limits::DEFAULT.with_depth(3).with_items(20).with_decoded(10).with_digits(21);
    for limits in [
        Limits::DEFAULT.with_depth(3),
        Limits::DEFAULT.with_items(20),
        Limits::DEFAULT.with_decoded(10),
        Limits::DEFAULT.with_digits(21),
        Limits::DEFAULT.with_digits(5),
        small,
    ] {
        same::<IgnoredAny>(format, bytes, &limits);
        same::<Value>(format, bytes, &limits);
    }
    same_if_read::<Everything>(format, bytes);
    same_if_read::<BTreeMap<String, IgnoredAny>>(format, bytes);
    same_if_read::<Vec<Untagged>>(format, bytes);
}

#[test]
fn random_values_are_read_the_same_both_ways() {
    let mut rng = Rng::with_seed(41);
    for format in formats() {
        for round in 0..250 {
            let shape = if round % 2 == 0 { Shape::PLAIN } else { Shape::ANY };
            let (bytes, _) = polywire_testing::written(format, &value(&mut rng, shape));
            check(format, &bytes);
            for _ in 0..3 {
                check(format, &mutate(&mut rng, &bytes));
            }
            check(format, &bytes[..rng.usize(..=bytes.len())]);
        }
    }
}

#[test]
fn values_are_exact_both_ways() {
    let mut rng = Rng::with_seed(42);
    for format in formats() {
        for _ in 0..300 {
            let (bytes, _) = polywire_testing::written(format, &value(&mut rng, Shape::ANY));
            let read: Value = TypedReader::new(format).unwrap().message(&bytes, 0).unwrap();
            let expected = polywire_testing::value_of(format, &bytes).unwrap();
            assert_eq!(format!("{read:?}"), format!("{expected:?}"), "{}", format.name);
        }
    }
}

#[test]
fn serializers_write_what_the_writer_does() {
    #[derive(Serialize)]
    struct Odd<'a> {
        #[serde(rename = "@id")]
        id: u8,
        #[serde(rename = "a:b")]
        colon: &'a str,
    }
    #[derive(Serialize)]
    struct Plain {
        cases: Vec<Case>,
        none: Option<u8>,
        some: Option<f64>,
        narrow: f32,
        #[serde(with = "serde_bytes")]
        bytes: Vec<u8>,
        unit: (),
        pair: Pair,
        list: Vec<(bool, Vec<Flat>)>,
        texts: [String; 3],
        case: Case,
        keys: BTreeMap<char, BTreeMap<char, Option<i8>>>,
    }
    let mut rng = Rng::with_seed(46);
    let mut direct_ones = 0;
    for &name in PUSHED {
        for round in 0..300 {
            let value = everything(&mut rng, (round % 3) as u8);
            direct_ones += u32::from(pushes(name, &value));
            let Everything { list: cases, pair, bytes, floats: (narrow, some), flat, .. } = value;
            let case = cases.first().cloned().unwrap_or(Case::Unit);
            let list = vec![(false, vec![]), (true, vec![flat.clone(), flat])];
            let texts = ["true".to_string(), rng.i32(..).to_string(), text(&mut rng)];
            let keys = BTreeMap::from([('a', BTreeMap::from([('b', None), ('c', Some(1))])), ('d', BTreeMap::new())]);
            let plain = Plain { cases, none: None, some: Some(some), narrow, bytes, unit: (), pair, list, texts, case, keys };
            direct_ones += u32::from(pushes(name, &plain));
            let texts: BTreeMap<String, String> = (0..rng.usize(..4)).map(|_| (text(&mut rng), text(&mut rng))).collect();
            pushes(name, &texts);
            pushes(name, &(texts.clone(), "in a list"));
            let nested = BTreeMap::from([("a", BTreeMap::new()), ("b", BTreeMap::from([("c".to_string(), vec![texts.clone(), texts])]))]);
            direct_ones += u32::from(pushes(name, &nested));
        }
        for character in (0..0x100).chain([0xfffd, 0xfffe, 0xffff, 0x1_0000]).filter_map(char::from_u32) {
            let value = BTreeMap::from([("a", character.to_string()), ("b", format!("]]{character}")), ("c", format!("x{character}y"))]);
            pushes(name, &value);
            pushes(name, &BTreeMap::from([(format!("a{character}"), character), ("b".into(), 'b')]));
            pushes(name, &BTreeMap::from([(character, 1), ('b', 2)]));
        }
        pushes(name, &Odd { id: 1, colon: "x" });
        pushes(name, &BTreeMap::from([("one", 1)]));
        pushes(name, &BTreeMap::<&str, u8>::new());
        pushes(name, &BTreeMap::from([("#text", 1), ("xml", 2)]));
        pushes(name, &BTreeMap::from([(7, f32::MIN_POSITIVE), (8, -0.0)]));
        pushes(name, &BTreeMap::from([("a", f64::MAX), ("b", -0.0), ("c", f64::NAN)]));
        pushes(name, &(u128::MAX, i128::MIN));
        pushes(name, &BTreeMap::from([("a", u128::MAX), ("b", 0)]));
    }
    assert!(direct_ones > 1000, "{direct_ones}");
}

/// Holds that a value's serializer and the writer's events make the same bytes, or fail alike.
/// Returns whether they make some.
fn pushes<T: Serialize>(name: &str, value: &T) -> bool {
    let (mut direct, mut by_events) = (TypedWriter::new(name).unwrap(), TypedWriter::new(name).unwrap().by_events());
    let (mut one, mut other) = (b"-".to_vec(), b"-".to_vec());
    match (direct.write(value, &mut one), by_events.write(value, &mut other)) {
        (Ok(()), Ok(())) => {}
        (Err(one), Err(other)) => assert_eq!(facts(&one), facts(&other)),
        (one, other) => panic!("{name}: {one:?}, but {other:?}"),
    }
    assert_eq!(String::from_utf8_lossy(&one), String::from_utf8_lossy(&other), "{name}");
    one.len() > 1
}

#[test]
fn types_come_back_and_are_written_the_same_both_ways() {
    let mut rng = Rng::with_seed(43);
    for format in formats() {
        let (mut direct, mut by_events) = (TypedWriter::new(format).unwrap(), TypedWriter::new(format).unwrap().by_events());
        let (mut reader, mut walking) = (TypedReader::new(format).unwrap(), TypedReader::new(format).unwrap().walking());
        for round in 0..120 {
            let value = everything(&mut rng, (round % 3) as u8);
            let (mut one, mut other) = (b"-".to_vec(), b"-".to_vec());
            direct.write(&value, &mut one).unwrap();
            by_events.write(&value, &mut other).unwrap();
            assert_eq!(String::from_utf8_lossy(&one), String::from_utf8_lossy(&other));
            let pulled: Everything = reader.message(&one[1..], 0).unwrap();
            let walked: Everything = walking.message(&one[1..], 0).unwrap();
            assert_eq!(format!("{pulled:?}"), format!("{value:?}"), "{}", format.name);
            assert_eq!(format!("{walked:?}"), format!("{value:?}"), "{}", format.name);
            let bytes = &one[1..];
            for _ in 0..3 {
                check(format, &mutate(&mut rng, bytes));
            }
        }
    }
}

#[test]
fn files_of_the_corpora_are_read_the_same_both_ways() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut rng = Rng::with_seed(44);
    let mut files = 0;
    for format in formats() {
        let like = |name: &str| {
            registry::find(name)
                .is_ok_and(|other| other.name == format.name || registry::looks_like(other).is_some_and(|like| like.name == format.name))
        };
        for folder in std::fs::read_dir(root.join("testdata/corpus")).unwrap().map(|entry| entry.unwrap()) {
            if !folder.file_type().unwrap().is_dir() || !like(&folder.file_name().to_string_lossy()) {
                continue;
            }
            for file in std::fs::read_dir(folder.path()).unwrap() {
                let bytes = std::fs::read(file.unwrap().path()).unwrap();
                check(format, &bytes);
                for _ in 0..20 {
                    check(format, &mutate(&mut rng, &bytes));
                }
                files += 1;
            }
        }
        for name in ["search-reply.json", "tickets-1000.json", "tickets-2.json"] {
            let bytes = std::fs::read(root.join("examples").join(name)).unwrap();
            let value = polywire_testing::value_of(registry::find("json").unwrap(), &bytes).unwrap();
            let (bytes, _) = polywire_testing::written(format, &value);
            assert!(same::<Value>(format, &bytes, &Limits::DEFAULT) && same::<IgnoredAny>(format, &bytes, &Limits::DEFAULT));
            files += 1;
        }
    }
    assert!(files >= 3, "{files}");
}

#[test]
fn texts_with_every_byte_are_read_the_same_both_ways() {
    // Every byte at each place of small messages: structure, words, numbers and strings.
    let json = registry::find("json").unwrap();
    for message in
        [r#"{"a":[1,-2.5e+3,true],"b\n":null}"#, "[]", " {} ", "\"\\u00e9\\ud83e\\udd80\"", "[[[[1]]],{\"x\":{}}]", "-0", "1E400"]
    {
        for place in 0..message.len() {
            for byte in 0..=255 {
                let mut bytes = message.as_bytes().to_vec();
                bytes[place] = byte;
                same::<IgnoredAny>(json, &bytes, &Limits::DEFAULT);
                same::<Value>(json, &bytes, &Limits::DEFAULT);
            }
        }
    }
}

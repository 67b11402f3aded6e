//! Packets as events and any message as a packet: the profile's inverse, foreign packets, mistakes.

use std::path::Path;

use polywire_core::testing::{self, Rng, Shape};
use polywire_core::value::Value;
use polywire_psyc::FORMAT;

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
        Value::Tagged { space, code, value } => Value::Tagged { space, code: *code, value: Box::new(normal(value)) },
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
        "#text", "list_x", "dict_x", "list_", "=_text a", "=_list", "=_null", "| a", "{a} b", "|", "a|b", "{3 a}}", "~c", "~_c", "_x", "a__b", "x_", "10", "1.5",
        "-0", "true", "\n|\n", "|\n", "a\n|", "", "=_value 5", "nick", "text", "_list_x|a", "__pair", "_data__value", "~__pair", "\t", "0x", "a b", "}", "{",
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
                    let value = if rng.u8(..5) == 0 { Value::Tagged { space: "psyc", code, value: Box::new(value) } } else { value };
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
            value = Value::Tagged { space: "psyc", code: if n % 2 == 0 { 573 } else { 575 }, value: Box::new(value) };
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

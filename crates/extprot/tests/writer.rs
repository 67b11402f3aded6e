//! The walk's writer with events in any order and in the shapes of other formats.

mod twin;

use std::sync::Arc;

use polywire_core::value::Value;
use polywire_core::{LossKind, Lost, Sink, Span, Writer};
use polywire_extprot::error::SizeLimits;
use polywire_extprot::model::Protocol;
use polywire_extprot::plan::Plan;
use polywire_extprot::protocol::{NoFiles, compile};
use polywire_extprot::walk::ExtprotWriter;
use polywire_testing::Rng;

use twin::bodies::PROTOCOLS;
use twin::doors::Doors;
use twin::random::{Text, value};
use twin::shown::hex;

fn protocol(text: &str) -> Protocol {
    compile("writer", text.as_bytes(), &mut NoFiles).unwrap_or_else(|found| panic!("{found}\n{text}"))
}

fn writer(protocol: &Protocol) -> ExtprotWriter {
    ExtprotWriter::new(Arc::new(Plan::new(protocol, None).expect("a message"))).expect("it can be written")
}

/// The bytes and losses of a value, or the error with its path.
fn written(protocol: &Protocol, value: &Value) -> Result<(String, Vec<Lost>), String> {
    let mut writer = writer(protocol);
    let mut out = Vec::new();
    value.emit(&mut writer).and_then(|()| writer.finish(&mut out)).map_err(|error| error.to_string())?;
    Ok((hex(&out), writer.losses()))
}

fn record<const N: usize>(fields: [(&str, Value); N]) -> Value {
    Value::record(fields)
}

/// The fields of all records in another order.
fn shuffled(value: &mut Value, rng: &mut Rng) {
    match value {
        Value::Record { fields, .. } => {
            match rng.u8(..4) {
                0 => fields.reverse(),
                1 => fields.rotate_left(1),
                _ => rng.shuffle(fields),
            }
            fields.iter_mut().for_each(|(_, value)| shuffled(value, rng));
        }
        Value::List(values) | Value::Tuple(values) => values.iter_mut().for_each(|value| shuffled(value, rng)),
        Value::Variant { values, .. } => values.iter_mut().for_each(|value| shuffled(value, rng)),
        _ => {}
    }
}

/// Variants as records of one field, or as texts, and tuples as lists: what is left of them in
/// JSON.
fn plain(value: &mut Value) {
    match value {
        Value::Record { fields, .. } => fields.iter_mut().for_each(|(_, value)| plain(value)),
        Value::List(values) => values.iter_mut().for_each(plain),
        Value::Tuple(values) => {
            values.iter_mut().for_each(plain);
            *value = Value::List(std::mem::take(values));
        }
        Value::Variant { name, values, .. } => {
            values.iter_mut().for_each(plain);
            let (name, mut values) = (std::mem::take(name), std::mem::take(values));
            let inside = match (values.len(), values.pop()) {
                (0, _) => {
                    *value = Value::Text(name);
                    return;
                }
                (1, Some(only)) => only,
                (_, last) => {
                    values.extend(last);
                    Value::List(values)
                }
            };
            *value = Value::record([(name, inside)]);
        }
        _ => {}
    }
}

#[test]
fn fields_in_any_order_make_the_same_bytes() {
    let mut rng = Rng::with_seed(21);
    let mut moved = 0;
    for round in 0..900 {
        let text = if round % 3 == 0 { PROTOCOLS[round / 3 % PROTOCOLS.len()].to_string() } else { Text::new(&mut rng).text() };
        let protocol = protocol(&text);
        let doors = Doors::new(&protocol, "m");
        if !doors.plan.is_encodable() {
            continue;
        }
        let node = protocol.message("m").expect("the message is there");
        let mut value = value(&protocol, node, &mut rng);
        let bytes = doors.encode(&value).expect("a value of the type is written");
        let before = value.clone();
        shuffled(&mut value, &mut rng);
        moved += usize::from(value != before);
        assert_eq!(hex(&doors.encode(&value).expect("order does not matter")), hex(&bytes), "{text}\n{value:?}");
        plain(&mut value);
        match doors.encode(&value) {
            Ok(again) => assert_eq!(hex(&again), hex(&bytes), "{text}\n{value:?}"),
            Err(error) => panic!("{error}\n{text}\n{value:?}"),
        }
    }
    assert!(moved > 200, "{moved}");
}

#[test]
fn what_is_absent_takes_its_default_wherever_it_belongs() {
    let protocol = protocol(
        "type t = One | Two int [@default 5] [ bool ]
         message m = { a : [ int ]; b : string [@default \"0123456789ab\"]; c : int; d : t; e : (int [@default 3] * bool); f : float [@default 0.5] }",
    );
    let full = [
        ("a", Value::List(vec![])),
        ("b", Value::text("0123456789ab")),
        ("c", Value::UInt(7)),
        ("d", Value::Variant { name: "One".into(), index: 0, values: vec![] }),
        ("e", Value::Tuple(vec![Value::UInt(3), Value::Bool(false)])),
        ("f", Value::F64(0.5)),
    ];
    let (whole, _) = written(&protocol, &record(full.clone())).expect("a message");
    for absent in 0..64_u32 {
        // All but the one without a default.
        let absent = absent & !4;
        let mut fields: Vec<_> = full.iter().enumerate().filter(|(n, _)| absent >> n & 1 == 0).map(|(_, field)| field.clone()).collect();
        for _ in 0..fields.len() {
            fields.rotate_left(1);
            assert_eq!(written(&protocol, &Value::record(fields.clone())), Ok((whole.clone(), vec![])), "{fields:?}");
        }
    }
    // Arguments too, and a constructor that is named alone.
    let two = |value| written(&protocol, &record([("d", value), ("c", Value::UInt(7))])).expect("a message").0;
    let named = two(Value::text("Two"));
    assert_eq!(named, two(record([("Two", Value::List(vec![]))])));
    assert_eq!(named, two(Value::Variant { name: "Two".into(), index: 1, values: vec![Value::UInt(5)] }));
    assert_eq!(two(Value::text("One")), two(record([("One", Value::Null)])));
    assert_eq!(two(Value::text("One")), two(record([("One", Value::List(vec![]))])));
}

#[test]
fn what_does_not_fit_is_an_error_with_its_path() {
    let protocol = protocol(
        "type t = One | Two int bool | Three [ int ]
         message inner = { x : int; y : [ (int * t) ] }
         message m = A { i : inner; t : t } | B { n : byte }",
    );
    let inner = |y: Value| record([("A", record([("t", Value::text("One")), ("i", record([("y", y), ("x", Value::UInt(1))]))]))]);
    let row =
        |t: Value| inner(Value::List(vec![Value::Tuple(vec![Value::UInt(1), Value::text("One")]), Value::Tuple(vec![Value::UInt(2), t])]));
    for (value, path, what) in [
        (row(Value::Bool(true)), "A.i.y[1][1]", "saw bool"),
        (row(Value::text("Four")), "A.i.y[1][1]", "saw the case `Four`"),
        (row(record([("Two", Value::List(vec![Value::UInt(1), Value::UInt(2)]))])), "A.i.y[1][1].Two[1]", "expected bool, saw integer"),
        (row(record([("Two", Value::UInt(1))])), "A.i.y[1][1].Two", "expected a list of arguments"),
        (row(record([("Two", Value::List(vec![Value::UInt(1), Value::Bool(true), Value::Null]))])), "A.i.y[1][1].Two[2]", "at most 2"),
        (row(record([("One", Value::UInt(1))])), "A.i.y[1][1]", "expected null"),
        (row(record([("One", Value::List(vec![Value::Null]))])), "A.i.y[1][1]", "a case without values"),
        (row(record([])), "A.i.y[1][1]", "a record of one field"),
        (row(record([("One", Value::Null), ("Two", Value::Null)])), "A.i.y[1][1]", "a record of one field"),
        (row(record([("Three", Value::List(vec![Value::text("a")]))])), "A.i.y[1][1].Three[0]", "expected int, saw text"),
        (inner(Value::UInt(1)), "A.i.y", "expected a list, saw integer"),
        (record([("A", record([("t", Value::text("One"))]))]), "A.i", "a field `i`, which has no default"),
        (record([("B", Value::List(vec![]))]), "B", "expected a record, saw list"),
        (record([("B", record([("n", Value::UInt(256))]))]), "B.n", "a byte, 0 to 255"),
        (record([("C", record([]))]), "the message itself", "the case `C`"),
        (Value::UInt(1), "the message itself", "expected a variant"),
    ] {
        let error = written(&protocol, &value).expect_err("it does not fit");
        assert!(error.contains(what) && error.contains(path), "{error}\n  expected {what}, in {path}");
    }
}

#[test]
fn what_has_no_place_is_lost_and_told() {
    let protocol = protocol("message m = { a : int; b : [ bool ] }");
    let extra = Value::Record {
        name: String::new(),
        fields: ["z", "b", "y", "a", "b", "a"]
            .into_iter()
            .map(|name| {
                let value = match name {
                    "a" => Value::UInt(1),
                    "b" => Value::List(vec![Value::Bool(true)]),
                    _ => Value::record([("q", Value::List(vec![Value::Null]))]),
                };
                (name.to_string(), value)
            })
            .collect(),
    };
    let (bytes, lost) = written(&protocol, &extra).expect("a message");
    assert_eq!(bytes, "010802000205030102 01".replace(' ', ""));
    let what: Vec<&str> = lost.iter().map(|lost| lost.what).collect();
    let (unknown, doubled) = ("field that the protocol does not have dropped", "field of a name that was there already dropped");
    assert_eq!(what, [unknown, unknown, doubled, doubled]);
    let pairs = Value::Map(vec![
        (Value::UInt(1), Value::text("x")),
        (Value::text("a"), Value::UInt(1)),
        (Value::List(vec![]), Value::List(vec![Value::Null])),
        (Value::text("b"), Value::List(vec![Value::Bool(true)])),
    ]);
    let (again, lost) = written(&protocol, &pairs).expect("a message");
    assert_eq!((again, lost.len()), (bytes, 2));
}

#[test]
fn records_of_many_fields_find_theirs() {
    let fields: Vec<String> = (0..300).map(|n| format!("f{:03}", n * 7919 % 300)).collect();
    let protocol = protocol(&format!("message m = {{ {} : int }}", fields.join(" : int; ")));
    let all = |order: &mut dyn Iterator<Item = usize>| {
        Value::record(order.map(|n| (fields[n].clone(), Value::UInt(n as u64))).collect::<Vec<_>>())
    };
    let (bytes, _) = written(&protocol, &all(&mut (0..300))).expect("a message");
    assert_eq!(written(&protocol, &all(&mut (0..300).rev())), Ok((bytes.clone(), vec![])));
    assert_eq!(written(&protocol, &all(&mut (0..300).map(|n| n * 77 % 300))), Ok((bytes, vec![])));
}

#[test]
fn integers_that_the_original_cannot_hold_are_cautioned_of() {
    let protocol = protocol("message m = { i : int; l : long }");
    for (number, beyond) in [(1_i64 << 62, true), ((1 << 62) - 1, false), (-(1 << 62), false), (-(1 << 62) - 1, true)] {
        let value = record([("i", Value::int(number)), ("l", Value::int(number))]);
        let (_, lost) = written(&protocol, &value).expect("a message");
        let kinds: Vec<LossKind> = lost.iter().map(|lost| lost.kind).collect();
        assert_eq!(kinds, vec![LossKind::Caution; usize::from(beyond)], "{number}");
    }
}

#[test]
fn a_writer_goes_on_after_a_mistake() {
    let protocol = protocol("message inner = { a : int; b : int } message m = { i : inner; j : inner }");
    let inner = || record([("b", Value::UInt(2)), ("a", Value::UInt(1))]);
    let (bytes, _) = written(&protocol, &record([("i", inner()), ("j", inner())])).expect("a message");
    let mut writer = writer(&protocol);
    let mut out = Vec::new();
    for bad in [record([("j", inner()), ("i", record([("b", Value::Null)]))]), record([("j", inner())]), Value::Null] {
        assert!(bad.emit(&mut writer).is_err());
        writer.reset();
        record([("j", inner()), ("i", inner())]).emit(&mut writer).and_then(|()| writer.finish(&mut out)).expect("a message");
        assert_eq!(hex(&out), bytes);
        out.clear();
    }
    // Half a message is none.
    writer.open(polywire_core::Open::Record { name: "", len: polywire_core::Len::Unknown }, Span::NONE).expect("a record");
    assert!(writer.finish(&mut out).is_err());
    assert!(out.is_empty());
    let doors = Doors::new(&protocol, "m");
    assert!(doors.decode(&twin::shown::unhex(&bytes), &SizeLimits::NONE).is_ok());
}

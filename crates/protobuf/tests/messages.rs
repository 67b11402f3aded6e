//! The Python package `protobuf` is the judge of messages and their JSON: same values, same canonical JSON, our bytes parse there and theirs here.

mod judge;

use std::sync::Arc;

use polywire_core::limits::{Budget, Limits};
use polywire_protobuf::descriptor::FileDescriptorSet;
use polywire_protobuf::json::{JsonParser, JsonPrinter, ParseOptions, PrintOptions};
use polywire_protobuf::model::Pool;
use polywire_protobuf::plan::Plan;
use polywire_protobuf::testing::{Rng, message, schema};
use polywire_protobuf::text::TextPrinter;

use judge::{Judge, Verdict};

/// The codec under test, for one message type.
struct Ours {
    printer: JsonPrinter,
    parser: JsonParser,
    text: TextPrinter,
}

impl Ours {
    fn new(plan: &Arc<Plan>) -> Ours {
        Ours {
            printer: JsonPrinter::new(Arc::clone(plan), PrintOptions::default()),
            parser: JsonParser::new(Arc::clone(plan), ParseOptions::default()),
            text: TextPrinter::new(Arc::clone(plan)),
        }
    }

    fn print(&mut self, bytes: &[u8]) -> Result<String, String> {
        let mut out = Vec::new();
        self.printer.print(bytes, 0, &mut out, &mut Budget::new(&Limits::DEFAULT)).map_err(|error| error.to_string())?;
        Ok(String::from_utf8(out).expect("JSON is UTF-8"))
    }

    fn text(&mut self, bytes: &[u8]) -> String {
        let mut out = Vec::new();
        self.text.print(bytes, 0, &mut out, &mut Budget::new(&Limits::DEFAULT)).expect("what has JSON has text");
        String::from_utf8(out).expect("the text format is UTF-8")
    }

    fn parse(&mut self, text: &str) -> Result<Vec<u8>, String> {
        let mut out = Vec::new();
        self.parser.parse(text.as_bytes(), 0, &mut out, &mut Budget::new(&Limits::DEFAULT)).map_err(|error| error.to_string())?;
        Ok(out)
    }
}

/// The same value: numbers compare as numbers, objects whatever their order.
fn same(one: &str, other: &str) -> bool {
    let value = |text: &str| -> serde_json::Value {
        let mut value = serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"));
        tidy(&mut value);
        value
    };
    equal(&value(one), &value(other))
}

/// Drops what the package prints of repeated extensions without elements, which it does not print of repeated fields.
fn tidy(value: &mut serde_json::Value) {
    match value {
        serde_json::Value::Array(values) => values.iter_mut().for_each(tidy),
        serde_json::Value::Object(fields) => {
            fields.retain(|name, value| !name.starts_with('[') || value.as_array().is_none_or(|list| !list.is_empty()));
            fields.values_mut().for_each(tidy);
        }
        _ => {}
    }
}

fn equal(one: &serde_json::Value, other: &serde_json::Value) -> bool {
    use serde_json::Value::{Array, Number, Object};
    match (one, other) {
        // Subnormal floats have at least six digits there.
        (Number(one), Number(other)) => match (one.as_f64(), other.as_f64()) {
            (Some(one), Some(other)) => one == other || one.abs() < f64::from(f32::MIN_POSITIVE) && one as f32 == other as f32,
            (one, other) => one == other,
        },
        (Array(one), Array(other)) => one.len() == other.len() && one.iter().zip(other).all(|(one, other)| equal(one, other)),
        (Object(one), Object(other)) => {
            one.len() == other.len() && one.iter().all(|(key, one)| other.get(key).is_some_and(|other| equal(one, other)))
        }
        (one, other) => one == other,
    }
}

/// What one message showed.
#[derive(Debug, Default)]
struct Tally {
    schemas: u64,
    messages: u64,
    refused: u64,
    printed: u64,
}

fn compare(judge: &mut Judge, ours: &mut Ours, text: &str, bytes: &[u8], tally: &mut Tally) {
    tally.messages += 1;
    let shown = || format!("{}\n{}", text, bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>());
    let printed = ours.print(bytes);
    match judge.message(bytes) {
        Verdict::Refused(why) => {
            tally.refused += 1;
            assert!(printed.is_err(), "refused there ({why}), but here {printed:?}\n{}", shown());
        }
        Verdict::Parsed { json: Err(why), .. } => assert!(printed.is_err(), "no JSON there ({why}), but here {printed:?}\n{}", shown()),
        Verdict::Parsed { json: Ok(json), bytes: canonical } => {
            tally.printed += 1;
            if json.contains("b'") && printed.as_ref().is_err_and(|error| error.contains("no UTF-8")) {
                // Python's notation of bytes is no canonical JSON.
                return;
            }
            if json.contains("@type") && printed.as_ref().is_err_and(|error| error.contains("the required field")) {
                // What is in an `Any` may lack required fields there.
                return;
            }
            let printed = printed.unwrap_or_else(|error| panic!("{error}, but there {json}\n{}", shown()));
            assert!(same(&printed, &json), "here  {printed}\nthere {json}\n{}", shown());
            // Their bytes say the same here.
            let again = ours.print(&canonical).unwrap_or_else(|error| panic!("{error} of their bytes {canonical:02x?}\n{}", shown()));
            assert!(same(&again, &json), "here  {again}\nthere {json}, of their bytes {canonical:02x?}\n{}", shown());
            // Our text format is read there as the same message.
            let text = ours.text(&canonical);
            let read = judge.text(&text).unwrap_or_else(|error| panic!("{error} of {text}\n{}", shown()));
            assert!(same(&ours.print(&read).unwrap_or_default(), &again), "{text}\n{}", shown());
            // Our bytes, from their JSON and from ours, say the same there.
            for json in [&json, &printed] {
                let made = ours.parse(json).unwrap_or_else(|error| panic!("{error}, of {json}\n{}", shown()));
                match (judge.message(&made), judge.json(json)) {
                    (Verdict::Parsed { bytes: there, json: Ok(read) }, Ok(expected)) => {
                        // Maps inside of `Any` have no order there.
                        assert!(there == expected || same(&read, json), "here  {read}\nthere {json}\n{}", shown());
                        assert_eq!(made.len(), expected.len(), "the shortest form of {json}\n{}", shown());
                    }
                    (other, expected) => panic!("{other:?} of our bytes, {expected:?} of {json}\n{}", shown()),
                }
            }
        }
    }
}

#[test]
fn messages_of_random_schemas_mean_the_same() {
    let Some(mut judge) = Judge::start() else { panic!("{}", judge::MISSING) };
    let mut rng = Rng::with_seed(20);
    let mut tally = Tally::default();
    let rounds = std::env::var("POLYWIRE_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(150);
    for _ in 0..rounds {
        let text = schema(&mut rng);
        // A few are wrong, as closed enums are where presence is implicit.
        let Ok(set) = judge.compile(&text) else { continue };
        let set = FileDescriptorSet::read(&set, &Limits::DEFAULT).unwrap();
        let pool = Pool::new(&set).unwrap_or_else(|error| panic!("{error}\n{text}"));
        tally.schemas += 1;
        for root in ["t.M0", "t.M1"] {
            judge.root(root);
            let plan = Arc::new(Plan::named(&pool, Some(root)).unwrap());
            let mut ours = Ours::new(&plan);
            for n in 0..15 {
                let bytes = message(&mut rng, &plan, n % 2 == 1);
                compare(&mut judge, &mut ours, &text, &bytes, &mut tally);
            }
        }
    }
    assert!(tally.schemas * 10 > rounds * 8, "most schemas are sound: {tally:?}");
    assert!(tally.printed * 2 > tally.messages, "most messages are sound: {tally:?}");
}

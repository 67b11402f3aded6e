//! Compares the codec with the judge: same values, same canonical JSON, and each side parses the
//! other's bytes.

use std::sync::Arc;

use polywire_core::{Budget, Field, Limits, Next, Note, Open, Part, Result, Scalar, Sink, Span};
use polywire_protobuf::json::{JsonParser, JsonPrinter, ParseOptions, PrintOptions};
use polywire_protobuf::plan::Plan;
use polywire_protobuf::text::{TextParser, TextPrinter};
use polywire_protobuf::walk::ProtobufReader;
use polywire_protobuf::wire::framing::Framing;

use super::{Ask, Judge, Verdict};

/// The codec under test, for one message type.
struct Ours {
    printer: JsonPrinter,
    parser: JsonParser,
    text: TextPrinter,
    reader: TextParser,
}

impl Ours {
    fn new(plan: &Arc<Plan>) -> Ours {
        Ours {
            printer: JsonPrinter::new(Arc::clone(plan), PrintOptions::default()),
            parser: JsonParser::new(Arc::clone(plan), ParseOptions::default()),
            text: TextPrinter::new(Arc::clone(plan)),
            reader: TextParser::new(Arc::clone(plan)),
        }
    }

    fn print(&mut self, bytes: &[u8]) -> std::result::Result<String, String> {
        let mut out = Vec::new();
        self.printer.print(bytes, 0, &mut out, &mut Budget::new(&Limits::DEFAULT)).map_err(|error| error.to_string())?;
        Ok(String::from_utf8(out).expect("JSON is UTF-8"))
    }

    fn text(&mut self, bytes: &[u8]) -> String {
        let mut out = Vec::new();
        self.text.print(bytes, 0, &mut out, &mut Budget::new(&Limits::DEFAULT)).expect("what has JSON has text");
        String::from_utf8(out).expect("the text format is UTF-8")
    }

    fn read(&mut self, text: &str) -> std::result::Result<Vec<u8>, String> {
        let mut out = Vec::new();
        self.reader.parse(text.as_bytes(), 0, &mut out, &mut Budget::new(&Limits::DEFAULT)).map_err(|error| error.to_string())?;
        Ok(out)
    }

    fn parse(&mut self, text: &str) -> std::result::Result<Vec<u8>, String> {
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

/// Drops repeated extensions without elements, which the package prints, unlike repeated fields.
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

/// Counts of judged messages.
#[derive(Debug, Default, Clone, Copy)]
pub struct Tally {
    /// Schemas.
    pub schemas: u64,
    /// Messages.
    pub messages: u64,
    /// Messages that both refuse.
    pub refused: u64,
    /// Messages whose JSON is the same.
    pub printed: u64,
}

impl Tally {
    /// Both together.
    pub fn and(self, other: Tally) -> Tally {
        Tally {
            schemas: self.schemas + other.schemas,
            messages: self.messages + other.messages,
            refused: self.refused + other.refused,
            printed: self.printed + other.printed,
        }
    }
}

/// A message that has JSON on both sides.
struct Sound<'m> {
    bytes: &'m [u8],
    /// Ours and theirs.
    printed: String,
    json: String,
    /// The text format of their bytes, and its JSON.
    text: String,
    again: String,
    /// Our bytes of their JSON, and of ours.
    made: [Vec<u8>; 2],
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Returns whether docs/formats/protobuf.md lists the reason why only the judge has JSON. Python's
/// notation of bytes is no canonical JSON. The message in an `Any` may lack required fields there,
/// paths of a field mask may be anything, and so may tags in unknown groups.
fn is_listed(json: &str, error: &str) -> bool {
    (json.contains("b'") || json.contains("b\\\"")) && error.contains("not UTF-8")
        || json.contains("@type") && error.contains("the required field")
        || error.contains("of a field mask")
        || error.contains("a field number of 0")
}

/// Properties of a message that docs/formats/protobuf.md lists as printed differently there.
#[derive(Default)]
struct Odd {
    /// For each open container, whether it is a map.
    maps: Vec<bool>,
    /// A value that a later one replaces, which has to be sound there.
    replaced: bool,
    /// A field beside key and value of a map's entry, which makes the whole entry unknown there.
    beside: bool,
}

impl<'m> Sink<'m> for Odd {
    fn open(&mut self, open: Open<'_>, _: Span) -> Result<Next> {
        self.maps.push(matches!(open, Open::Map(_)));
        Ok(Next::Enter)
    }

    fn field(&mut self, _: Field<'m, '_>, _: Span) -> Result<Next> {
        Ok(Next::Enter)
    }

    fn scalar(&mut self, _: Scalar<'m, '_>, _: Span) -> Result<()> {
        Ok(())
    }

    fn part(&mut self, _: Part<'_>, _: Span) -> Result<()> {
        Ok(())
    }

    fn close(&mut self, _: Span) -> Result<()> {
        self.maps.pop();
        Ok(())
    }

    fn note(&mut self, note: Note<'_>, _: Span) -> Result<()> {
        match note {
            Note::Coerced(remark) => self.replaced |= remark.starts_with("replaced"),
            Note::Unknown(_) => self.beside |= self.maps.last() == Some(&true),
            _ => {}
        }
        Ok(())
    }
}

fn odd(plan: &Arc<Plan>, bytes: &[u8]) -> Odd {
    let mut odd = Odd::default();
    let mut reader = ProtobufReader::new(Arc::clone(plan), Framing::Whole);
    // The events before an error count.
    let _ = reader.walk_into(bytes, 0, &mut odd, &mut Budget::new(&Limits::DEFAULT));
    odd
}

/// Compares both sides on messages of one type.
///
/// # Panics
/// They differ; `schema` is shown.
pub fn compare(judge: &mut Judge, plan: &Arc<Plan>, schema: &str, messages: &[Vec<u8>]) -> Tally {
    let mut ours = Ours::new(plan);
    let mut tally = Tally { messages: messages.len() as u64, ..Tally::default() };
    let root = plan.root_name().to_string();
    let shown = |bytes: &[u8]| format!("{root} of\n{schema}\n{}", hex(bytes));
    let asked: Vec<Ask<'_>> = messages.iter().map(|bytes| Ask::Bytes(bytes)).collect();
    let mut sound = Vec::new();
    for (bytes, verdict) in messages.iter().zip(judge.verdicts(&root, &asked)) {
        let printed = ours.print(bytes);
        match verdict {
            Verdict::Refused(why) => {
                tally.refused += 1;
                assert!(printed.is_err() || odd(plan, bytes).replaced, "refused there ({why}), but here {printed:?}\n{}", shown(bytes));
            }
            Verdict::Parsed { json: Err(why), .. } => {
                assert!(printed.is_err(), "no JSON there ({why}), but here {printed:?}\n{}", shown(bytes));
            }
            Verdict::Parsed { json: Ok(json), bytes: canonical, .. } => {
                tally.printed += 1;
                if printed.as_ref().is_err_and(|error| is_listed(&json, error)) {
                    continue;
                }
                let differs = |what: String| {
                    // The contents of an `Any` are not visited.
                    let beside = json.contains("@type") || [bytes, &canonical].into_iter().any(|bytes| odd(plan, bytes).beside);
                    assert!(beside, "{what}, there {json}, as {}\n{}", hex(&canonical), shown(bytes));
                };
                // Their bytes mean the same here.
                let (printed, again) = match (printed, ours.print(&canonical)) {
                    (Ok(printed), Ok(again)) if same(&printed, &json) && same(&again, &json) => (printed, again),
                    (printed, again) => {
                        differs(format!("here {printed:?}, of their bytes {again:?}"));
                        continue;
                    }
                };
                let text = ours.text(&canonical);
                let made =
                    [&json, &printed].map(|json| ours.parse(json).unwrap_or_else(|error| panic!("{error}, of {json}\n{}", shown(bytes))));
                sound.push(Sound { bytes, printed, json, text, again, made });
            }
        }
    }
    let asked: Vec<Ask<'_>> = sound
        .iter()
        .flat_map(|Sound { printed, json, text, made: [one, other], .. }| {
            [Ask::Text(text), Ask::Bytes(one), Ask::Json(json), Ask::Bytes(other), Ask::Json(printed)]
        })
        .collect();
    let verdicts = judge.verdicts(&root, &asked);
    for (Sound { bytes, printed, json, text, again, made, .. }, verdicts) in sound.iter().zip(verdicts.chunks(5)) {
        // Both sides read both texts as the same message.
        let Verdict::Parsed { bytes: read, text: Some(theirs), .. } = &verdicts[0] else {
            panic!("{:?} of {text}\n{}", verdicts[0], shown(bytes))
        };
        assert!(same(&ours.print(read).unwrap_or_default(), again), "{text}\n{}", shown(bytes));
        for text in [text, theirs] {
            let own = match ours.read(text) {
                // They print any prefix of the type name in an `Any`.
                Err(error) if text == theirs && error.contains("expected `]`") => continue,
                own => own.unwrap_or_else(|error| panic!("{error} of {text}\n{}", shown(bytes))),
            };
            assert!(same(&ours.print(&own).unwrap_or_default(), again), "{text}\nis {}\n{}", hex(&own), shown(bytes));
        }
        // Our bytes, from either JSON, mean the same there.
        for (n, json) in [json, printed].into_iter().enumerate() {
            match (&verdicts[n * 2 + 1], verdicts[n * 2 + 2].bytes()) {
                (Verdict::Parsed { bytes: there, json: Ok(read), .. }, Ok(expected)) => {
                    // Maps inside of `Any` have no order there.
                    assert!(there == expected || same(read, json), "here  {read}\nthere {json}\n{}", shown(bytes));
                    assert_eq!(made[n].len(), expected.len(), "the shortest form of {json}\n{}", shown(bytes));
                }
                (other, expected) => panic!("{other:?} of our bytes, {expected:?} of {json}\n{}", shown(bytes)),
            }
        }
    }
    tally
}

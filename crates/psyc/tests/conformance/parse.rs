//! The operations of the parsers: of packets, lists, dicts, indexes and updates.

use polywire_psyc::packet::{Modifier, State};
use polywire_psyc::wire::{Mode, PacketStep, Parser};
use polywire_psyc::{dict, index, list, update};
use serde_json::{Value, json};

use super::{b64, bytes};

/// How a case is fed to the parser.
#[derive(Clone, Copy)]
enum Feed {
    Whole,
    CutAt(usize),
    ByteByByte,
}

/// A case of the packet parser: codes, joined events, and whether these stay the same however the
/// input is cut.
pub fn packet(case: &Value) -> Value {
    let input = bytes(&case["input"]);
    let mode = match case["mode"].as_str() {
        Some("routing_only") => Mode::RoutingOnly,
        Some("content") => Mode::Content,
        _ => Mode::All,
    };
    let (codes, events, end) = feed(&input, mode, Feed::Whole);
    let mut came = json!({ "codes": codes, "events": events, "end": end });
    if case["expect"]["split_invariant"] == json!(true) {
        let feeds = (0..=input.len()).map(Feed::CutAt).chain([Feed::ByteByByte]);
        let same = feeds.map(|how| feed(&input, mode, how)).all(|(_, other, other_end)| other == events && other_end == end);
        came["split_invariant"] = json!(same);
    }
    came
}

#[derive(Default)]
struct Joiner {
    events: Vec<Value>,
    /// A sized value in parts: its event, and what was delivered.
    open: Option<(Value, Vec<u8>)>,
}

impl Joiner {
    fn part(&mut self, start: Option<Value>, part: &[u8], last: bool) {
        let (event, mut value) = self.open.take().unwrap_or_else(|| (start.unwrap_or_default(), Vec::new()));
        value.extend_from_slice(part);
        if last {
            let mut event = event;
            event["value"] = b64(&value);
            self.events.push(event);
        } else {
            self.open = Some((event, value));
        }
    }
}

fn feed(input: &[u8], mode: Mode, how: Feed) -> (Vec<i32>, Vec<Value>, &'static str) {
    let mut parser = Parser::new(mode);
    let mut codes = Vec::new();
    let mut joiner = Joiner::default();
    let mut ends: Vec<usize> = match how {
        Feed::Whole => vec![input.len()],
        Feed::CutAt(at) => vec![at, input.len()],
        Feed::ByteByByte => (1..=input.len()).collect(),
    };
    ends.reverse();
    let mut start = 0;
    let mut end = ends.pop().unwrap_or(input.len());
    let outcome = loop {
        let step = match parser.next(&input[start..end]) {
            Ok(step) => step,
            Err(fault) => {
                codes.push(fault.code.number());
                joiner.events.push(json!({ "ev": "error", "code": fault.code.number() }));
                assert_eq!(parser.next(&input[start..end]), Err(fault), "the parser is of no use after an error");
                break "error";
            }
        };
        codes.push(step.number());
        let size = parser.value_size();
        let modifier = |ev: &str, modifier: Modifier<'_>| {
            let mut event = json!({ "ev": ev, "oper": (modifier.operator.byte() as char).to_string(), "name": b64(modifier.name) });
            if ev == "entity" {
                event["length"] = json!(size);
            }
            event
        };
        let body = |method: &[u8]| match mode {
            Mode::RoutingOnly => json!({ "ev": "content" }),
            _ => json!({ "ev": "body", "method": b64(method) }),
        };
        match step {
            PacketStep::More => {
                start += parser.cursor();
                parser.drop_read();
                match ends.pop() {
                    Some(next) => end = next,
                    None => {
                        if let Some((event, value)) = joiner.open.take() {
                            joiner.events.push(json!({ "ev": "partial", "of": event["ev"], "value": b64(&value) }));
                        }
                        break "insufficient";
                    }
                }
            }
            PacketStep::Routing(line) => {
                joiner.part(Some(modifier("routing", line)), line.value, true);
            }
            PacketStep::State(state) => joiner.events.push(json!({ "ev": if state == State::Reset { "reset" } else { "resync" } })),
            PacketStep::EntityStart(line) => joiner.part(Some(modifier("entity", line)), line.value, false),
            PacketStep::Entity(line) => joiner.part(Some(modifier("entity", line)), line.value, true),
            PacketStep::EntityPart(part) | PacketStep::BodyPart(part) => joiner.part(None, part, false),
            PacketStep::EntityEnd(part) | PacketStep::BodyEnd(part) => joiner.part(None, part, true),
            PacketStep::BodyStart(method, part) => joiner.part(Some(body(method)), part, false),
            PacketStep::Body(method, part) => joiner.part(Some(body(method)), part, true),
            PacketStep::Complete => {
                joiner.events.push(json!({ "ev": "complete", "content_length": parser.content_size() }));
                if mode == Mode::Content || start + parser.cursor() == input.len() {
                    break "complete";
                }
            }
        }
    };
    (codes, joiner.events, outcome)
}

/// One call: its number, and what it delivered.
fn call(number: i32, delivered: &[(&str, Value)]) -> Value {
    let mut call = json!({ "code": number });
    for (name, value) in delivered {
        call[*name] = value.clone();
    }
    call
}

/// All calls up to a negative number or one of `terminal`.
fn steps(terminal: &[i32], mut next: impl FnMut() -> (i32, Value)) -> Value {
    let mut steps = Vec::new();
    loop {
        let (number, step) = next();
        steps.push(step);
        if number < 0 || terminal.contains(&number) {
            return json!({ "steps": steps });
        }
    }
}

/// An element's value, and its type if it has one.
fn element(number: i32, element: list::Element<'_>) -> Value {
    let mut delivered = vec![("value", b64(element.value))];
    if !element.kind.is_empty() {
        delivered.push(("type", b64(element.kind)));
    }
    call(number, &delivered)
}

/// The end of a list or dict, with the default type if that is all there was.
fn end(number: i32, kind: &[u8]) -> Value {
    if kind.is_empty() { call(number, &[]) } else { call(number, &[("type", b64(kind))]) }
}

/// A case of the list parser.
pub fn list(case: &Value) -> Value {
    let input = bytes(&case["input"]);
    let mut list = list::List::new(&input);
    steps(&[1, 3, 7, 8], || {
        let step = match list.step() {
            Ok(step) => step,
            Err(fault) => return (fault.number, call(fault.number, &[])),
        };
        let number = step.number();
        let told = match step {
            list::ListStep::More => call(number, &[]),
            list::ListStep::Default(kind) => call(number, &[("type", b64(kind))]),
            list::ListStep::Start(found) | list::ListStep::Element(found) | list::ListStep::Last(found) => element(number, found),
            list::ListStep::Part(part) | list::ListStep::PartEnd(part) => call(number, &[("value", b64(part))]),
            list::ListStep::End(kind) => end(number, kind),
        };
        (number, told)
    })
}

/// A case of the dict parser.
pub fn dict(case: &Value) -> Value {
    let input = bytes(&case["input"]);
    let mut dict = dict::Dict::new(&input);
    steps(&[1, 3, 7, 11, 12], || {
        let step = match dict.step() {
            Ok(step) => step,
            Err(fault) => return (fault.number, call(fault.number, &[])),
        };
        let number = step.number();
        let told = match step {
            dict::DictStep::More => call(number, &[]),
            dict::DictStep::Default(kind) => call(number, &[("type", b64(kind))]),
            dict::DictStep::KeyStart(key) | dict::DictStep::KeyPart(key) | dict::DictStep::KeyEnd(key) | dict::DictStep::Key(key) => {
                call(number, &[("key", b64(key))])
            }
            dict::DictStep::ValueStart(found) | dict::DictStep::Value(found) | dict::DictStep::Last(found) => element(number, found),
            dict::DictStep::ValuePart(part) | dict::DictStep::ValueEnd(part) => call(number, &[("value", b64(part))]),
            dict::DictStep::End(kind) => end(number, kind),
        };
        (number, told)
    })
}

fn index_step(step: index::IndexStep<'_>) -> (i32, Value) {
    let number = step.number();
    let told = match step {
        index::IndexStep::More | index::IndexStep::End => call(number, &[]),
        index::IndexStep::List(element) | index::IndexStep::ListLast(element) => call(number, &[("index", json!(element))]),
        index::IndexStep::Member(name) | index::IndexStep::MemberLast(name) => call(number, &[("name", b64(name))]),
        index::IndexStep::KeyStart(key) | index::IndexStep::KeyPart(key) | index::IndexStep::KeyEnd(key) | index::IndexStep::Key(key) => {
            call(number, &[("key", b64(key))])
        }
    };
    (number, told)
}

/// A case of the index parser.
pub fn index(case: &Value) -> Value {
    let input = bytes(&case["input"]);
    let mut index = index::Index::new(&input);
    steps(&[1, 4, 6, 7, 11], || match index.step() {
        Ok(step) => index_step(step),
        Err(fault) => (fault.number, call(fault.number, &[])),
    })
}

/// A case of the update parser.
pub fn update(case: &Value) -> Value {
    let input = bytes(&case["input"]);
    let mut update = update::Update::new(&input);
    steps(&[1, 7, 22, 23, 25, 26, 27], || {
        let step = match update.step() {
            Ok(step) => step,
            Err(fault) => return (fault.number, call(fault.number, &[])),
        };
        let number = step.number();
        let oper = |operator: polywire_psyc::packet::Operator| ("oper", json!((operator.byte() as char).to_string()));
        let told = match step {
            update::UpdateStep::More | update::UpdateStep::End(None) => call(number, &[]),
            update::UpdateStep::Index(step) => return index_step(step),
            update::UpdateStep::Type(operator, kind) | update::UpdateStep::TypeEnd(operator, kind) => {
                call(number, &[oper(operator), ("type", b64(kind))])
            }
            update::UpdateStep::ValueStart(part)
            | update::UpdateStep::ValuePart(part)
            | update::UpdateStep::ValueEnd(part)
            | update::UpdateStep::Value(part) => call(number, &[("value", b64(part))]),
            update::UpdateStep::End(Some(operator)) => call(number, &[oper(operator)]),
        };
        (number, told)
    })
}

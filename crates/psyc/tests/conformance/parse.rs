//! The operations of the parsers: of packets, lists, dicts, indexes and updates.

use polywire_psyc::packet::{Modifier, State};
use polywire_psyc::wire::{Mode, Parser, Step};
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
            Step::More => {
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
            Step::Routing(line) => {
                joiner.part(Some(modifier("routing", line)), line.value, true);
            }
            Step::State(state) => joiner.events.push(json!({ "ev": if state == State::Reset { "reset" } else { "resync" } })),
            Step::EntityStart(line) => joiner.part(Some(modifier("entity", line)), line.value, false),
            Step::Entity(line) => joiner.part(Some(modifier("entity", line)), line.value, true),
            Step::EntityPart(part) | Step::BodyPart(part) => joiner.part(None, part, false),
            Step::EntityEnd(part) | Step::BodyEnd(part) => joiner.part(None, part, true),
            Step::BodyStart(method, part) => joiner.part(Some(body(method)), part, false),
            Step::Body(method, part) => joiner.part(Some(body(method)), part, true),
            Step::Complete => {
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
            list::Step::More => call(number, &[]),
            list::Step::Default(kind) => call(number, &[("type", b64(kind))]),
            list::Step::Start(found) | list::Step::Element(found) | list::Step::Last(found) => element(number, found),
            list::Step::Part(part) | list::Step::PartEnd(part) => call(number, &[("value", b64(part))]),
            list::Step::End(kind) => end(number, kind),
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
            dict::Step::More => call(number, &[]),
            dict::Step::Default(kind) => call(number, &[("type", b64(kind))]),
            dict::Step::KeyStart(key) | dict::Step::KeyPart(key) | dict::Step::KeyEnd(key) | dict::Step::Key(key) => {
                call(number, &[("key", b64(key))])
            }
            dict::Step::ValueStart(found) | dict::Step::Value(found) | dict::Step::Last(found) => element(number, found),
            dict::Step::ValuePart(part) | dict::Step::ValueEnd(part) => call(number, &[("value", b64(part))]),
            dict::Step::End(kind) => end(number, kind),
        };
        (number, told)
    })
}

fn index_step(step: index::Step<'_>) -> (i32, Value) {
    let number = step.number();
    let told = match step {
        index::Step::More | index::Step::End => call(number, &[]),
        index::Step::List(element) | index::Step::ListLast(element) => call(number, &[("index", json!(element))]),
        index::Step::Member(name) | index::Step::MemberLast(name) => call(number, &[("name", b64(name))]),
        index::Step::KeyStart(key) | index::Step::KeyPart(key) | index::Step::KeyEnd(key) | index::Step::Key(key) => {
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
            update::Step::More | update::Step::End(None) => call(number, &[]),
            update::Step::Index(step) => return index_step(step),
            update::Step::Type(operator, kind) | update::Step::TypeEnd(operator, kind) => {
                call(number, &[oper(operator), ("type", b64(kind))])
            }
            update::Step::ValueStart(part) | update::Step::ValuePart(part) | update::Step::ValueEnd(part) | update::Step::Value(part) => {
                call(number, &[("value", b64(part))])
            }
            update::Step::End(Some(operator)) => call(number, &[oper(operator)]),
        };
        (number, told)
    })
}

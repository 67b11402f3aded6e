//! The operations of the parsers.

use serde_json::{Value, json};

use super::door::{Delivered, Kind, Parser, ROUTING_ONLY, START_AT_CONTENT};
use super::{b64, bytes};

/// Returns a case of the packet parser: codes, joined events, and whether these stay the same
/// however the input is cut.
pub fn packet(case: &Value) -> Value {
    let input = bytes(&case["input"]);
    let flags = match case["mode"].as_str() {
        Some("routing_only") => ROUTING_ONLY,
        Some("content") => START_AT_CONTENT,
        _ => 0,
    };
    let (codes, events, end) = feed(&input, flags, &[input.len()]);
    let mut came = json!({ "codes": codes, "events": events, "end": end });
    if case["expect"]["split_invariant"] == json!(true) {
        let cuts = (0..=input.len()).map(|at| vec![at, input.len()]).chain([(1..=input.len()).collect()]);
        let same = cuts.map(|ends| feed(&input, flags, &ends)).all(|(_, other, other_end)| other == events && other_end == end);
        came["split_invariant"] = json!(same);
    }
    came
}

fn oper(came: &Delivered<'_>) -> Value {
    json!(char::from(came.oper.unwrap_or(b'0')).to_string())
}

/// Gives the parser buffers that end at `ends`.
fn feed(input: &[u8], flags: u8, ends: &[usize]) -> (Vec<i32>, Vec<Value>, &'static str) {
    let mut parser = Parser::new(Kind::Packet(flags));
    let (mut codes, mut events) = (Vec::new(), Vec::new());
    // A value in parts: its event, and what was delivered.
    let mut open: Option<(Value, Vec<u8>)> = None;
    let mut ends = ends.iter().copied();
    let (mut start, mut end) = (0, ends.next().unwrap_or(0));
    loop {
        let came = parser.next(&input[start..end]);
        codes.push(came.code);
        let Parser::Packet(state) = &mut parser else { unreachable!("a packet parser") };
        let name = b64(came.name.unwrap_or_default());
        let size = (state.valuelen_found != 0).then_some(state.valuelen);
        // True for a first part, and true for a last one.
        let (event, last) = match came.code {
            ..=-1 => {
                events.push(json!({ "ev": "error", "code": came.code }));
                assert_eq!(parser.next(&input[start..end]).code, came.code, "the parser is of no use after an error");
                return (codes, events, "error");
            }
            1 => {
                start += parser.cursor();
                parser.drop_read();
                match ends.next() {
                    Some(next) => end = next,
                    None => {
                        if let Some((event, value)) = open {
                            events.push(json!({ "ev": "partial", "of": event["ev"], "value": b64(&value) }));
                        }
                        return (codes, events, "insufficient");
                    }
                }
                continue;
            }
            2 => (Some(json!({ "ev": "routing", "oper": oper(&came), "name": name })), true),
            3 | 4 => {
                assert_eq!(came.oper, Some(if came.code == 3 { b'?' } else { b'=' }));
                events.push(json!({ "ev": if came.code == 3 { "resync" } else { "reset" } }));
                continue;
            }
            5 | 8 => (Some(json!({ "ev": "entity", "oper": oper(&came), "name": name, "length": size })), came.code == 8),
            9 | 12 if flags == ROUTING_ONLY => (Some(json!({ "ev": "content" })), came.code == 12),
            9 | 12 => (Some(json!({ "ev": "body", "method": name })), came.code == 12),
            6 | 10 => (None, false),
            7 | 11 => (None, true),
            13 => {
                events.push(json!({ "ev": "complete", "content_length": (state.contentlen_found != 0).then_some(state.contentlen) }));
                if flags == START_AT_CONTENT || start + parser.cursor() == input.len() {
                    return (codes, events, "complete");
                }
                continue;
            }
            code => panic!("there is no code {code}"),
        };
        let (mut event, mut value) = open.take().unwrap_or_else(|| (event.expect("a part of something"), Vec::new()));
        value.extend_from_slice(came.value.expect("a value"));
        if last {
            event["value"] = b64(&value);
            events.push(event);
        } else {
            open = Some((event, value));
        }
    }
}

/// Returns all calls up to an error or one of the codes that are `terminal`.
fn steps(case: &Value, kind: Kind, terminal: &[i32], tell: impl Fn(&Delivered<'_>, &mut Value)) -> Value {
    let input = bytes(&case["input"]);
    let mut parser = Parser::new(kind);
    let mut steps = Vec::new();
    loop {
        let came = parser.next(&input);
        let mut step = json!({ "code": came.code });
        tell(&came, &mut step);
        steps.push(step);
        if came.code < 0 || terminal.contains(&came.code) {
            return json!({ "steps": steps });
        }
    }
}

/// Returns the item, under the name that it has in a step.
fn put(step: &mut Value, name: &str, came: Option<&[u8]>) {
    if let Some(bytes) = came {
        step[name] = b64(bytes);
    }
}

pub fn list(case: &Value) -> Value {
    steps(case, Kind::List, &[1, 3, 7, 8], |came, step| {
        put(step, "type", came.name);
        put(step, "value", came.value);
    })
}

pub fn dict(case: &Value) -> Value {
    steps(case, Kind::Dict, &[1, 3, 7, 11, 12], |came, step| {
        put(step, "type", came.name);
        put(step, if (3..=6).contains(&came.code) { "key" } else { "value" }, came.value);
    })
}

/// Returns a step of an index.
fn index_step(came: &Delivered<'_>, step: &mut Value) {
    if let Some(number) = came.number {
        step["index"] = json!(number);
    }
    put(step, if matches!(came.code, 5 | 6) { "name" } else { "key" }, came.value);
}

pub fn index(case: &Value) -> Value {
    steps(case, Kind::Index, &[1, 4, 6, 7, 11], index_step)
}

pub fn update(case: &Value) -> Value {
    steps(case, Kind::Update, &[1, 7, 22, 23, 25, 26, 27], |came, step| {
        if came.oper.is_some() {
            step["oper"] = oper(came);
        }
        match came.code {
            ..21 => index_step(came, step),
            21 | 22 => put(step, "type", came.value),
            _ => put(step, "value", came.value),
        }
    })
}

//! Rendering packets, lists, dicts and packet ids.

use polywire_psyc::packet::{Content, Modifier, Operator, Packet, Sizing, State};
use polywire_psyc::packet_id::PacketId;
use polywire_psyc::wire::render::{self, Dict, Entry, Item, Key, Lengths, List, RenderError};
use serde_json::{Value, json};

use super::{b64, bytes};

fn sizing(flag: &Value) -> Sizing {
    match flag.as_str() {
        Some("need") => Sizing::Need,
        Some("no" | "routing") => Sizing::No,
        _ => Sizing::Check,
    }
}

fn rows(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// The strings of those names, row by row.
fn strings<const N: usize>(rows: &[Value], names: [&str; N]) -> Vec<[Vec<u8>; N]> {
    rows.iter().map(|row| names.map(|name| bytes(&row[name]))).collect()
}

fn modifiers<'a>(rows: &[Value], strings: &'a [[Vec<u8>; 2]]) -> Vec<Modifier<'a>> {
    let line = |(row, [name, value]): (&Value, &'a [Vec<u8>; 2])| {
        let operator = row["oper"].as_str().and_then(|text| text.bytes().next()).and_then(Operator::from_byte).expect("an operator");
        Modifier { operator, name, value, sizing: sizing(&row["flag"]) }
    };
    rows.iter().zip(strings).map(line).collect()
}

pub fn packet(case: &Value) -> Value {
    let (routing, entity) = (rows(&case["routing"]), rows(&case["entity"]));
    let parts = [routing, entity].map(|rows| strings(rows, ["name", "value"]));
    let (routing, entity) = (modifiers(routing, &parts[0]), modifiers(entity, &parts[1]));
    let [method, data, raw] = ["method", "data", "content"].map(|name| bytes(&case[name]));
    let state = match case["stateop"].as_str() {
        Some("reset") => Some(State::Reset),
        Some("resync") => Some(State::Resync),
        _ => None,
    };
    let content = match case["content"] {
        Value::Null => Content::Parts { state, entity: &entity[..], method: &method, data: &data },
        _ => Content::Raw(&raw),
    };
    let packet = Packet { routing: &routing[..], content, sizing: sizing(&case["flag"]) };
    let Lengths { routing, content, total, sized } = render::lengths(&packet);
    let mut out = vec![0; case["buffer"].as_u64().map_or(total, |size| size as usize)];
    let mut came = json!({ "rc": 0, "length": total, "routing_length": routing, "content_length": content, "length_emitted": sized });
    match render::render(&packet, &mut out) {
        Ok(lengths) => {
            let out = &out[..lengths.total];
            let mut appended = Vec::new();
            assert_eq!((render::append(&packet, &mut appended), &appended[..]), (Ok(lengths), out));
            let mut scratch = vec![0; render::scratch_length(&packet)];
            let pieces: Vec<&[u8]> = render::pieces(&packet, &mut scratch).expect("pieces").collect();
            assert_eq!(pieces.concat(), out);
            came["output"] = b64(out);
        }
        Err(RenderError::Buffer) => came["rc"] = json!(RenderError::Buffer.number()),
        // A packet that cannot be rendered has no lengths.
        Err(error) => came = json!({ "rc": error.number() }),
    }
    came
}

/// The result for a list or dict of that length.
fn rendered(case: &Value, length: usize, render: impl FnOnce(&mut [u8]) -> Result<usize, RenderError>) -> Value {
    let mut out = vec![0; case["buffer"].as_u64().map_or(length, |size| size as usize)];
    match render(&mut out) {
        Ok(written) => json!({ "rc": 0, "length": length, "output": b64(&out[..written]) }),
        Err(error) if case["expect"]["length"].is_null() => json!({ "rc": error.number() }),
        Err(error) => json!({ "rc": error.number(), "length": length }),
    }
}

pub fn list(case: &Value) -> Value {
    let rows = rows(&case["elems"]);
    let parts = strings(rows, ["type", "value"]);
    let items: Vec<Item<'_>> =
        rows.iter().zip(&parts).map(|(row, [kind, value])| Item { kind, value, sizing: sizing(&row["flag"]) }).collect();
    let list = List { default: &bytes(&case["type"]), items: items.iter().copied() };
    rendered(case, list.length(), |out| list.render(out))
}

pub fn dict(case: &Value) -> Value {
    let rows = rows(&case["elems"]);
    let parts = strings(rows, ["type", "value", "key"]);
    let entries = rows.iter().zip(&parts).map(|(row, [kind, value, key])| Entry {
        key: Key { value: key, sizing: sizing(&row["key_flag"]) },
        item: Item { kind, value, sizing: sizing(&row["flag"]) },
    });
    let dict = Dict { default: &bytes(&case["type"]), entries };
    rendered(case, dict.length(), |out| dict.render(out))
}

pub fn packet_id(case: &Value) -> Value {
    let [context, source, target, counter, fragment] =
        ["context", "source", "target", "counter", "fragment"].map(|name| bytes(&case[name]));
    let id = PacketId { context: &context, source: &source, target: &target, counter: &counter, fragment: &fragment };
    let mut out = Vec::new();
    id.list().append(&mut out);
    assert_eq!(PacketId::parse(&out), Some(id));
    json!({ "output": b64(&out) })
}

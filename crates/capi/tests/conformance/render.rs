//! Rendering packets, lists, dicts and packet ids.

use std::ffi::{c_char, c_int};
use std::mem::zeroed;

use serde_json::{Value, json};

use super::door::{self, Elems, PsycDictElem, PsycDictKey, PsycElem, PsycModifier, PsycPacket, PsycString};
use super::{b64, bytes};

/// Returns the number of a flag, whatever it is one of.
fn flag(flag: &Value, default: c_int) -> c_int {
    match flag.as_str() {
        Some("check") => 0,
        Some("need") => 1,
        Some("no") => 2,
        Some("routing") => 4,
        _ => default,
    }
}

fn rows(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// Returns the strings of those names, row by row.
fn strings<const N: usize>(rows: &[Value], names: [&str; N]) -> Vec<[Vec<u8>; N]> {
    rows.iter().map(|row| names.map(|name| bytes(&row[name]))).collect()
}

fn modifiers(rows: &[Value], strings: &[[Vec<u8>; 2]], default: c_int) -> Vec<PsycModifier> {
    let line = |(row, [name, value]): (&Value, &[Vec<u8>; 2])| unsafe {
        let oper = c_int::from(bytes(&row["oper"])[0]);
        let mut line = zeroed();
        door::psyc_modifier_init(&mut line, oper, name.as_ptr(), name.len(), value.as_ptr(), value.len(), flag(&row["flag"], default));
        line
    };
    rows.iter().zip(strings).map(line).collect()
}

pub fn packet(case: &Value) -> Value {
    let (routing, entity) = (rows(&case["routing"]), rows(&case["entity"]));
    let parts = [routing, entity].map(|rows| strings(rows, ["name", "value"]));
    let (mut routing, mut entity) = (modifiers(routing, &parts[0], 4), modifiers(entity, &parts[1], 0));
    let [method, data, raw] = ["method", "data", "content"].map(|name| bytes(&case[name]));
    let stateop = match case["stateop"].as_str() {
        Some("reset") => b'=',
        Some("resync") => b'?',
        _ => 0,
    } as c_char;
    let flag = flag(&case["flag"], 0);
    let (packet, code, out) = unsafe {
        let mut p: PsycPacket = zeroed();
        let (lines, count) = (routing.as_mut_ptr(), routing.len());
        if case["content"].is_null() {
            let (entity, entities) = (entity.as_mut_ptr(), entity.len());
            let (data, datalen) = (data.as_ptr(), data.len());
            door::psyc_packet_init(&mut p, lines, count, entity, entities, method.as_ptr(), method.len(), data, datalen, stateop, flag);
        } else {
            door::psyc_packet_init_raw(&mut p, lines, count, raw.as_ptr(), raw.len(), flag);
        }
        let mut out = vec![0; case["buffer"].as_u64().map_or(p.length, |size| size as usize)];
        let code = door::psyc_render(&mut p, out.as_mut_ptr(), out.len());
        (p, code, out)
    };
    let digits = packet.contentlen.to_string().len();
    let content = if packet.contentlen > 0 { packet.contentlen + 1 } else { 0 };
    let sized = packet.length == packet.routinglen + content + digits + 2 && content > 0;
    let mut came = json!({
        "rc": code,
        "length": packet.length,
        "routing_length": packet.routinglen,
        "content_length": packet.contentlen,
        "length_emitted": sized,
    });
    match code {
        0 => came["output"] = b64(&out[..packet.length]),
        -1 => {}
        // A packet that cannot be rendered has no lengths.
        _ => came = json!({ "rc": code }),
    }
    came
}

/// Returns the result for a list or dict of that length.
fn rendered(case: &Value, length: usize, render: impl FnOnce(*mut u8, usize) -> c_int) -> Value {
    let mut out = vec![0; case["buffer"].as_u64().map_or(length, |size| size as usize)];
    match render(out.as_mut_ptr(), out.len()) {
        0 => json!({ "rc": 0, "length": length, "output": b64(&out[..length]) }),
        code if case["expect"]["length"].is_null() => json!({ "rc": code }),
        code => json!({ "rc": code, "length": length }),
    }
}

fn elem(row: &Value, kind: &[u8], value: &[u8]) -> PsycElem {
    PsycElem { kind: PsycString::new(kind), value: PsycString::new(value), length: 0, flag: flag(&row["flag"], 0) }
}

pub fn list(case: &Value) -> Value {
    let rows = rows(&case["elems"]);
    let parts = strings(rows, ["type", "value"]);
    let mut elems: Vec<PsycElem> = rows.iter().zip(&parts).map(|(row, [kind, value])| elem(row, kind, value)).collect();
    let default = bytes(&case["type"]);
    let mut list = Elems::new();
    unsafe {
        door::psyc_list_init(&mut list, elems.as_mut_ptr(), elems.len());
        list.kind = PsycString::new(&default);
        let length = door::psyc_list_length_set(&mut list);
        rendered(case, length, |out, room| door::psyc_render_list(&mut list, out, room))
    }
}

pub fn dict(case: &Value) -> Value {
    let rows = rows(&case["elems"]);
    let parts = strings(rows, ["type", "value", "key"]);
    let entry = |(row, [kind, value, key]): (&Value, &[Vec<u8>; 3])| PsycDictElem {
        value: elem(row, kind, value),
        key: PsycDictKey { value: PsycString::new(key), length: 0, flag: flag(&row["key_flag"], 0) },
    };
    let mut elems: Vec<PsycDictElem> = rows.iter().zip(&parts).map(entry).collect();
    let default = bytes(&case["type"]);
    let mut dict = Elems::new();
    unsafe {
        door::psyc_dict_init(&mut dict, elems.as_mut_ptr(), elems.len());
        dict.kind = PsycString::new(&default);
        let length = door::psyc_dict_length_set(&mut dict);
        rendered(case, length, |out, room| door::psyc_render_dict(&mut dict, out, room))
    }
}

pub fn packet_id(case: &Value) -> Value {
    let parts = ["context", "source", "target", "counter", "fragment"].map(|name| bytes(&case[name]));
    let [context, source, target, counter, fragment] = parts.each_ref().map(|part| part.as_ptr());
    let [contextlen, sourcelen, targetlen, counterlen, fragmentlen] = parts.each_ref().map(Vec::len);
    let mut list = Elems::new();
    let mut out = vec![0; 4096];
    unsafe {
        let mut elems: [PsycElem; 5] = zeroed();
        let at = elems.as_mut_ptr();
        door::psyc_packet_id(
            &mut list,
            at,
            context,
            contextlen,
            source,
            sourcelen,
            target,
            targetlen,
            counter,
            counterlen,
            fragment,
            fragmentlen,
        );
        assert_eq!(door::psyc_render_list(&mut list, out.as_mut_ptr(), out.len()), 0);
    }
    json!({ "output": b64(&out[..list.length]) })
}

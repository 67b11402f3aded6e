//! Keywords, types, methods, addresses, numbers and classes of bytes.

use std::ffi::c_char;
use std::mem::zeroed;

use serde_json::{Map, Value, json};

use super::door::{self, PsycMapInt, PsycUniform, UNIFORM_PARTS};
use super::{b64, bytes};

pub fn relation(case: &Value) -> Value {
    let (short, long) = (bytes(&case["short"]), bytes(&case["long"]));
    let relation = if case["fn"] == "matches" { door::psyc_matches } else { door::psyc_inherits };
    json!({ "rc": unsafe { relation(short.as_ptr(), short.len(), long.as_ptr(), long.len()) } })
}

/// Returns the name that stands for a number in a table of the library.
fn name_of(table: &'static [PsycMapInt], number: i32) -> &'static str {
    let found = table.iter().find(|entry| entry.value == number as isize);
    found.map_or("unknown", |entry| std::str::from_utf8(unsafe { entry.key.bytes() }).expect("a name"))
}

pub fn variable(case: &Value) -> Value {
    let name = bytes(&case["name"]);
    let (data, len) = (name.as_ptr(), name.len());
    unsafe {
        let kind = name_of(&door::psyc_var_types, door::psyc_var_type(data, len));
        let routing = name_of(&door::psyc_rvars, door::psyc_var_routing(data, len));
        json!({
            "type": b64(kind.trim_start_matches('_').as_bytes()),
            "routing": routing,
            "is_list": door::psyc_var_is_list(data, len) != 0,
        })
    }
}

pub fn method(case: &Value) -> Value {
    let name = bytes(&case["name"]);
    let (mut family, mut flags) = (77, 77);
    let table = unsafe { &door::psyc_methods };
    let method = unsafe { door::psyc_method(name.as_ptr(), name.len(), &mut family, &mut flags) };
    let all = [(1, "template"), (2, "reply"), (4, "visible"), (8, "loggable"), (16, "manual")];
    let flags: Vec<&str> = all.iter().filter(|(flag, _)| flags & flag != 0).map(|(_, name)| *name).collect();
    json!({ "method": b64(name_of(table, method).as_bytes()), "family": name_of(table, family), "flags": flags, "value": method })
}

pub fn uniform(case: &Value) -> Value {
    let input = bytes(&case["input"]);
    let mut uniform: PsycUniform = unsafe { zeroed() };
    let code = unsafe { door::psyc_uniform_parse(&mut uniform, input.as_ptr(), input.len()) };
    assert_eq!(code == 0, uniform.valid == 1);
    if code < 0 {
        return json!({ "rc": code });
    }
    let parts: Map<String, Value> = UNIFORM_PARTS
        .iter()
        .zip(uniform.parts)
        .map(|(name, part)| (name.to_string(), unsafe { part.bytes() }))
        .filter(|(_, part)| !part.is_empty())
        .map(|(name, part)| (name, b64(part)))
        .collect();
    json!({ "rc": code, "parts": parts })
}

pub fn entity_type(case: &Value) -> Value {
    json!({ "rc": unsafe { door::psyc_entity_type(bytes(&case["char"])[0] as c_char) } })
}

pub fn number(case: &Value) -> Value {
    let input = bytes(&case["input"]);
    let (mut signed, mut unsigned) = (0, 0);
    let (read, value) = unsafe {
        if case["fn"] == "uint" {
            (door::psyc_parse_uint(input.as_ptr(), input.len(), &mut unsigned), unsigned.to_string())
        } else {
            (door::psyc_parse_int(input.as_ptr(), input.len(), &mut signed), signed.to_string())
        }
    };
    if read == input.len() {
        json!({ "consumed": read, "complete": true, "value": b64(value.as_bytes()) })
    } else {
        json!({ "consumed": read, "complete": false })
    }
}

/// Returns all members of a class.
fn members(is_member: unsafe extern "C" fn(c_char) -> c_char) -> String {
    (0..=255u8).filter(|byte| unsafe { is_member(*byte as c_char) } != 0).map(char::from).collect()
}

pub fn char_classes() -> Value {
    let opers: String = (0..=255u8).filter(|byte| unsafe { door::psyc_is_oper(*byte as c_char) } != 0).map(char::from).collect();
    json!({
        "oper": opers,
        "numeric": members(door::psyc_is_numeric),
        "alpha": members(door::psyc_is_alpha),
        "alpha_numeric": members(door::psyc_is_alpha_numeric),
        "kw_char": members(door::psyc_is_kw_char),
        "name_char": members(door::psyc_is_name_char),
        "host_char": members(door::psyc_is_host_char),
    })
}

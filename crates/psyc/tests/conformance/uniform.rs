//! Uniforms.

use polywire_psyc::uniform::{Entity, Uniform};
use serde_json::{Map, Value, json};

use super::{b64, bytes};

pub fn uniform(case: &Value) -> Value {
    let input = bytes(&case["input"]);
    let uniform = match Uniform::parse(&input) {
        Ok(uniform) => uniform,
        Err(fault) => return json!({ "rc": fault.code.number() }),
    };
    let parts: Map<String, Value> = [
        ("scheme", uniform.scheme()),
        ("slashes", uniform.slashes()),
        ("host", uniform.host()),
        ("port", uniform.port()),
        ("transport", uniform.transport()),
        ("resource", uniform.resource()),
        ("channel", uniform.channel()),
        ("full", uniform.full()),
        ("body", uniform.body()),
        ("host_port", uniform.host_port()),
        ("root", uniform.root()),
        ("entity", uniform.entity()),
        ("slash", uniform.slash()),
        ("path", uniform.path()),
        ("nick", uniform.nick()),
    ]
    .into_iter()
    .filter(|(_, part)| !part.is_empty())
    .map(|(name, part)| (name.to_string(), b64(part)))
    .collect();
    json!({ "rc": 0, "parts": parts })
}

pub fn entity_type(case: &Value) -> Value {
    let byte = bytes(&case["char"])[0];
    json!({ "rc": Entity::from_byte(byte).map_or(-1, |entity| i32::from(entity.number())) })
}

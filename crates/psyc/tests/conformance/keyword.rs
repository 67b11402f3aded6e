//! Inheritance and matching, types and routing variables, methods.

use polywire_psyc::keyword::{inherits, matches};
use polywire_psyc::method::{Flags, Method};
use polywire_psyc::variable::{self, Routing, Type};
use serde_json::{Value, json};

use super::{b64, bytes};

pub fn relation(case: &Value) -> Value {
    let (short, long) = (bytes(&case["short"]), bytes(&case["long"]));
    let relation = if case["fn"] == "matches" { matches(&short, &long) } else { inherits(&short, &long) };
    json!({ "rc": relation.number() })
}

pub fn variable(case: &Value) -> Value {
    let name = bytes(&case["name"]);
    let kind = Type::of(&name).and_then(Type::keyword).map_or("unknown", |keyword| &keyword[1..]);
    let routing = Routing::from_name(&name).map_or("unknown", Routing::name);
    json!({ "type": b64(kind.as_bytes()), "routing": routing, "is_list": variable::is_list(&name) })
}

pub fn method(case: &Value) -> Value {
    let method = Method::of(&bytes(&case["name"]));
    let all = [
        (Flags::TEMPLATE, "template"),
        (Flags::REPLY, "reply"),
        (Flags::VISIBLE, "visible"),
        (Flags::LOGGABLE, "loggable"),
        (Flags::MANUAL, "manual"),
    ];
    let flags: Vec<&str> =
        all.iter().filter(|(flag, _)| method.is_some_and(|method| method.flags().contains(*flag))).map(|(_, name)| *name).collect();
    json!({
        "method": b64(method.map_or("unknown", Method::name).as_bytes()),
        "family": method.map_or("unknown", |method| method.family().name()),
        "flags": flags,
        "value": method.map_or(0, Method::number),
    })
}

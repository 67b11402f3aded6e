//! `roundtrip`, `decode` and `decode_error`.

use polywire_extprot::error::{Cause, DecodeError, SizeLimits};
use polywire_extprot::model::Protocol;
use polywire_extprot::protocol::{NoFiles, compile};
use serde_json::{Map, Value, json};

use crate::twin::doors::Doors;
use crate::twin::shown::{hex, shown, unhex};
use crate::values;

/// The actual and the expected result of a case; `None` for cases of other kinds.
pub fn outcome(case: &Value) -> Option<(Value, Value)> {
    let kind = case["kind"].as_str()?;
    if !["roundtrip", "decode", "decode_error"].contains(&kind) {
        return None;
    }
    let protocol = protocol(case["protocol"].as_str().expect("a protocol"));
    let doors = Doors::new(&protocol, case["message"].as_str().expect("a message"));
    let bytes = unhex(case["hex"].as_str().expect("bytes"));
    let mut expected = Map::new();
    let mut came = Map::new();
    if let Some(text) = case["writer_protocol"].as_str() {
        let written = self::protocol(text);
        let name = case["writer_message"].as_str().expect("a message");
        let node = written.message(name).expect("a known message");
        let value = values::value(&written, node, &case["writer_value"]);
        expected.insert("written".into(), case["hex"].clone());
        came.insert("written".into(), encoded(&Doors::new(&written, name), &value));
    }
    let limit = |name: &str| case["limits"][name].as_u64().unwrap_or(u64::MAX);
    let limits = SizeLimits {
        message_length: limit("max_message_length"),
        elements: limit("max_elements"),
        string_length: limit("max_string_length"),
    };
    let decoded = doors.decode(&bytes, &limits);
    if kind == "decode_error" {
        expected.insert("error".into(), case["error"].clone());
        came.insert(
            "error".into(),
            decoded.as_ref().map_or_else(|failure| error(failure, &case["error"]), |(value, _)| json!(shown(value))),
        );
        // Beside the error, or a member of it.
        if let Some(path) = case["path"].as_array().or_else(|| case["error"]["path"].as_array()) {
            expected.insert("path".into(), json!(path));
            came.insert("path".into(), decoded.map_or(Value::Null, |_| Value::Null));
            if let Err(failure) = doors.decode(&bytes, &limits) {
                came.insert("path".into(), json!(failure.path));
            }
        }
        return Some((Value::Object(came), Value::Object(expected)));
    }
    let node = protocol.message(doors.name).expect("a known message");
    let mut value = values::value(&protocol, node, &case["value"]);
    if let Ok((decoded, _)) = &decoded {
        values::take_nans(&mut value, decoded);
    }
    expected.insert("value".into(), json!(shown(&value)));
    came.insert("value".into(), decoded.as_ref().map_or_else(|failure| json!(failure.to_string()), |(value, _)| json!(shown(value))));
    if kind == "roundtrip" {
        for name in ["encoded", "encoded again", "end"] {
            expected.insert(name.into(), case["hex"].clone());
        }
        came.insert("encoded".into(), encoded(&doors, &value));
        if let Ok((value, end)) = decoded {
            came.insert("encoded again".into(), encoded(&doors, &value));
            came.insert("end".into(), json!(hex(&bytes[..end])));
        }
    }
    Some((Value::Object(came), Value::Object(expected)))
}

fn protocol(text: &str) -> Protocol {
    compile("protocol", text.as_bytes(), &mut NoFiles).unwrap_or_else(|diagnostics| panic!("{diagnostics}"))
}

fn encoded(doors: &Doors<'_>, value: &polywire_core::value::Value) -> Value {
    doors.encode(value).map_or_else(|error| json!(error.to_string()), |bytes| json!(hex(&bytes)))
}

/// The members of `wanted`, as the failure has them.
fn error(failure: &DecodeError, wanted: &Value) -> Value {
    let mut members = Map::new();
    for (name, _) in wanted.as_object().expect("members") {
        let value = match (name.as_str(), failure.cause) {
            ("kind", cause) => json!(cause.name()),
            ("found", Cause::BadWireType(Some(code))) => json!(polywire_extprot_runtime::wire::wire_type_name(code)),
            ("tag", Cause::UnknownTag(tag)) => json!(tag),
            ("index", Cause::MissingTupleElement(index)) => json!(index),
            ("what", Cause::LimitExceeded(size, _)) => json!(size.name()),
            ("actual", Cause::LimitExceeded(_, actual)) => json!(actual),
            ("path", _) => json!(failure.path),
            _ => Value::Null,
        };
        members.insert(name.clone(), value);
    }
    Value::Object(members)
}

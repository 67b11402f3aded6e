//! MessagePack: values, each with all of its encodings.

use polywire_core::tools::adapt::Doubles;
use polywire_core::{Timestamp, Value};
use polywire_formats::msgpack::FORMAT;
use serde_json::Value as Json;

use crate::cases::Cases;
use crate::outcome::Outcome;
use crate::suite::Suite;
use crate::{files, json_value, testee};

/// msgpack-test-suite.
pub static SUITE: Suite = Suite {
    name: "msgpack",
    format: "MessagePack",
    title: "msgpack-test-suite",
    folder: "kawanet+msgpack-test-suite",
    needs: "dist/msgpack-test-suite.json",
    licence: "MIT",
    rule: "each encoding has the value; of the first one, which is the shortest, a shortest one is written",
    others: "",
    run,
};

fn run(cases: &mut Cases<'_>) -> Result<(), String> {
    let suite = files::json(&cases.root().join("dist/msgpack-test-suite.json"))?;
    for (group, vectors) in suite.as_object().ok_or("an object was expected")? {
        for (index, vector) in vectors.as_array().into_iter().flatten().enumerate() {
            for (place, encoding) in vector["msgpack"].as_array().into_iter().flatten().enumerate() {
                let hex = encoding.as_str().unwrap_or_default().replace('-', "");
                let bytes = files::hex(&hex)?;
                let case = format!("{group}/{index}/{hex}");
                cases.run("value", format!("{case}/value"), || {
                    Outcome::read(testee::one(&FORMAT, Doubles::Refuse, &bytes), |value| {
                        Outcome::value(is(&value, vector), || format!("read {value:?}"))
                    })
                });
                if place == 0 {
                    // Two encodings may be equally short, as a positive number with and without a sign.
                    let shortest = |written: &[u8]| {
                        let encodings = vector["msgpack"].as_array().into_iter().flatten();
                        written.len() == bytes.len()
                            && encodings
                                .filter_map(Json::as_str)
                                .any(|hex| files::hex(&hex.replace('-', "")).is_ok_and(|other| other == written))
                    };
                    cases.run("bytes", format!("{case}/bytes"), || {
                        Outcome::read(testee::written(&FORMAT, &FORMAT, Doubles::Refuse, &bytes), |written| {
                            if shortest(&written) { Outcome::Right } else { Outcome::same_bytes(&written, &bytes) }
                        })
                    });
                }
            }
        }
    }
    if cases.names.is_empty() { Err("no vectors".to_string()) } else { Ok(()) }
}

/// Returns whether a value is the one that a vector names. A vector may name a number twice: as
/// such, and as text where JSON's readers would round it.
fn is(value: &Value, vector: &Json) -> bool {
    let bytes = |json: &Json| files::hex(&json.as_str().unwrap_or_default().replace('-', "")).unwrap_or_default();
    let number = |text: &str| match value {
        Value::F32(float) => text.parse::<f64>().is_ok_and(|judge| judge == f64::from(*float)),
        Value::F64(float) => text.parse::<f64>().is_ok_and(|judge| judge == *float),
        other => json_value::same_number(other, text),
    };
    if let Some(text) = vector["bignum"].as_str() {
        return number(text);
    }
    let Some((kind, json)) = vector.as_object().and_then(|members| members.iter().find(|(name, _)| *name != "msgpack")) else {
        return false;
    };
    match (kind.as_str(), value) {
        ("number", _) => number(&json.to_string()),
        ("binary", Value::Bytes(ours)) => *ours == bytes(json),
        ("timestamp", Value::Time(moment)) => {
            let [seconds, nanos] = [&json[0], &json[1]].map(Json::as_i64);
            seconds.zip(nanos).and_then(|(seconds, nanos)| Timestamp::new(seconds, u32::try_from(nanos).ok()?)) == Some(*moment)
        }
        ("ext", Value::Tagged { space, code, value }) => {
            let demanded = json[0].as_i64().and_then(|code| i8::try_from(code).ok()).map(|code| u64::from(code as u8));
            space == "msgpack" && Some(*code) == demanded && matches!(&**value, Value::Bytes(ours) if *ours == bytes(&json[1]))
        }
        ("nil" | "bool" | "string" | "array" | "map", ours) => json_value::same(ours, json),
        _ => false,
    }
}

//! BSON's corpus of MongoDB's specifications.

use polywire_core::Value;
use polywire_core::format::Format;
use polywire_core::tools::adapt::Doubles;
use polywire_formats::bson::FORMAT;
use polywire_formats::ejson;
use serde_json::Value as Json;

use crate::cases::Cases;
use crate::outcome::Outcome;
use crate::suite::Suite;
use crate::{files, json_value, testee};

/// The corpus of BSON.
pub static SUITE: Suite = Suite {
    name: "bson-corpus",
    format: "BSON",
    title: "BSON corpus",
    folder: "mongodb+specifications",
    needs: "source/bson-corpus/tests",
    licence: "CC-BY-NC-SA-3.0",
    rule: "`canonical_bson` comes back byte for byte (unless the suite calls it lossy) and has the value of `canonical_extjson`; \
           `degenerate_bson` is written as the canonical one; `decodeErrors` are refused. Extended JSON: the texts are written of the \
           bytes and of each other (floats by value), the bytes of the texts, the degenerate ones too; `parseErrors` are refused",
    others: "The crate bson (Rust) passes all, by its own tests.",
    run,
};

fn run(cases: &mut Cases<'_>) -> Result<(), String> {
    let root = cases.root().join("source/bson-corpus/tests");
    for path in files::in_folder(&root, |name| name.ends_with(".json"))? {
        let name = files::name(&path);
        let file = files::json(&path)?;
        for (index, case) in file["valid"].as_array().into_iter().flatten().enumerate() {
            let about = case["description"].as_str().unwrap_or_default();
            let bytes = files::hex(case["canonical_bson"].as_str().ok_or("a case without `canonical_bson`")?)?;
            let id = |what: &str| format!("{name}/valid/{index} {about}/{what}");
            let written = |from: &[u8]| {
                Outcome::read(testee::written(&FORMAT, &FORMAT, Doubles::Keep, from), |written| Outcome::same_bytes(&written, &bytes))
            };
            if case["lossy"] == true {
                cases.skip("byte for byte, where the suite calls it lossy");
            } else {
                cases.run("bytes", id("bytes"), || written(&bytes));
            }
            let demanded: Json =
                serde_json::from_str(case["canonical_extjson"].as_str().unwrap_or_default()).map_err(|error| error.to_string())?;
            cases.run("value", id("value"), || {
                Outcome::read(testee::one(&FORMAT, Doubles::Keep, &bytes), |value| {
                    Outcome::value(is(&value, &demanded), || format!("read {value:?}, not {demanded}").chars().take(400).collect())
                })
            });
            texts(cases, case, &bytes, &id);
            if let Some(degenerate) = case["degenerate_bson"].as_str() {
                let degenerate = files::hex(degenerate)?;
                cases.run("degenerate", id("degenerate"), || written(&degenerate));
            }
        }
        for (index, case) in file["decodeErrors"].as_array().into_iter().flatten().enumerate() {
            let bytes = files::hex(case["bson"].as_str().ok_or("a case without `bson`")?)?;
            let about = case["description"].as_str().unwrap_or_default();
            cases.run("refused", format!("{name}/decodeErrors/{index} {about}"), || {
                Outcome::refused(testee::one(&FORMAT, Doubles::Keep, &bytes))
            });
        }
        for (index, case) in file["parseErrors"].as_array().into_iter().flatten().enumerate() {
            let text = case["string"].as_str().ok_or("a case without `string`")?;
            // Those of decimal128 are the number's text alone.
            let text =
                if file["bson_type"] == "0x13" { serde_json::json!({"d": {"$numberDecimal": text}}).to_string() } else { text.to_string() };
            let about = case["description"].as_str().unwrap_or_default();
            cases.run("text refused", format!("{name}/parseErrors/{index} {about}"), || {
                Outcome::refused(testee::one(&ejson::FORMAT, Doubles::Keep, text.as_bytes()))
            });
        }
    }
    Ok(())
}

/// Runs the Extended JSON of a case whose canonical bytes are `bytes`.
fn texts(cases: &mut Cases<'_>, case: &Json, bytes: &[u8], id: &dyn Fn(&str) -> String) {
    let same_text = |from: &'static Format, to: &'static Format, message: &[u8], demanded: &str| {
        Outcome::read(testee::written(from, to, Doubles::Keep, message), |written| {
            let parse = |text: &[u8]| serde_json::from_slice::<Json>(text).map(by_value).ok();
            let right = parse(&written).is_some_and(|written| Some(written) == parse(demanded.as_bytes()));
            Outcome::value(right, || String::from_utf8_lossy(&written).chars().take(400).collect())
        })
    };
    let same_bytes = |text: &str| {
        Outcome::read(testee::written(&ejson::FORMAT, &FORMAT, Doubles::Keep, text.as_bytes()), |written| {
            Outcome::same_bytes(&written, bytes)
        })
    };
    if let Some(canonical) = case["canonical_extjson"].as_str() {
        cases.run("canonical text", id("canonical text"), || same_text(&FORMAT, &ejson::CANONICAL, bytes, canonical));
        cases.run("canonical text", id("canonical text again"), || {
            same_text(&ejson::FORMAT, &ejson::CANONICAL, canonical.as_bytes(), canonical)
        });
        if case["lossy"] != true {
            cases.run("bytes of text", id("bytes of canonical text"), || same_bytes(canonical));
        }
    }
    if let Some(relaxed) = case["relaxed_extjson"].as_str() {
        cases.run("relaxed text", id("relaxed text"), || same_text(&FORMAT, &ejson::FORMAT, bytes, relaxed));
        cases.run("relaxed text", id("relaxed text again"), || same_text(&ejson::FORMAT, &ejson::FORMAT, relaxed.as_bytes(), relaxed));
    }
    if let (Some(degenerate), false) = (case["degenerate_extjson"].as_str(), case["lossy"] == true) {
        cases.run("bytes of text", id("bytes of degenerate text"), || same_bytes(degenerate));
    }
}

/// Returns Extended JSON whose doubles have one spelling.
fn by_value(json: Json) -> Json {
    match json {
        Json::Object(members) if members.len() == 1 && members.contains_key("$numberDouble") => {
            let text = members["$numberDouble"].as_str().unwrap_or_default();
            Json::String(format!("{:?}", text.parse::<f64>()))
        }
        Json::Object(members) => members.into_iter().map(|(name, value)| (name, by_value(value))).collect::<serde_json::Map<_, _>>().into(),
        Json::Array(values) => values.into_iter().map(by_value).collect(),
        Json::Number(number) if number.to_string().contains(['.', 'e', 'E']) => {
            Json::String(format!("{:?}", number.to_string().parse::<f64>()))
        }
        other => other,
    }
}

/// Returns whether a value is the one that canonical Extended JSON spells (docs/formats/bson.md).
fn is(ours: &Value, json: &Json) -> bool {
    match (ours, json) {
        (Value::List(ours), Json::Array(json)) => ours.len() == json.len() && ours.iter().zip(json).all(|(one, other)| is(one, other)),
        (ours, Json::Object(members)) => match special(ours, members) {
            Some(verdict) => verdict,
            None => match ours {
                Value::Record { fields, .. } => {
                    fields.len() == members.len()
                        && fields.iter().zip(members).all(|((name, value), (key, json))| name == key && is(value, json))
                }
                _ => false,
            },
        },
        _ => json_value::same(ours, json),
    }
}

/// Judges a value that Extended JSON spells as an object with a `$` name; `None` if it is a
/// document of that form.
fn special(ours: &Value, members: &serde_json::Map<String, Json>) -> Option<bool> {
    let (name, json) = members.iter().next()?;
    let text = json.as_str().unwrap_or_default();
    let tagged = |demanded: u64| match ours {
        Value::Tagged { space, code, value } if space == "bson" && *code == demanded => Some(&**value),
        _ => None,
    };
    let is_bytes = |value: &Value, demanded: &[u8]| matches!(value, Value::Bytes(bytes) if bytes == demanded);
    let oid = |json: &Json| files::hex(json["$oid"].as_str().or(json.as_str()).unwrap_or_default()).unwrap_or_default();
    Some(match name.as_str() {
        "$numberInt" | "$numberLong" => matches!(ours, Value::Int(_) | Value::UInt(_)) && json_value::same_number(ours, text),
        "$numberDouble" => match text {
            "NaN" => matches!(ours, Value::F64(value) if value.is_nan()),
            "Infinity" => *ours == Value::F64(f64::INFINITY),
            "-Infinity" => *ours == Value::F64(f64::NEG_INFINITY),
            _ => matches!(ours, Value::F64(_)) && json_value::same_number(ours, text),
        },
        "$numberDecimal" => match (text, tagged(19)) {
            ("NaN", Some(Value::F64(value))) => value.is_nan(),
            ("Infinity", Some(Value::F64(value))) => *value == f64::INFINITY,
            ("-Infinity", Some(Value::F64(value))) => *value == f64::NEG_INFINITY,
            // A negative zero is one by its sign; `same_decimal` does not look at it.
            (text, None) => match ours {
                Value::F64(value) => {
                    text.parse::<f64>().is_ok_and(|judge| judge == *value) && text.starts_with('-') == value.is_sign_negative()
                }
                other => json_value::same_number(other, text),
            },
            _ => false,
        },
        "$binary" if json.is_object() => {
            let bytes = data_encoding::BASE64.decode(json["base64"].as_str()?.as_bytes()).ok()?;
            let subtype = u64::from_str_radix(json["subType"].as_str()?, 16).ok()?;
            if subtype == 0 { is_bytes(ours, &bytes) } else { tagged(5 * 256 + subtype).is_some_and(|value| is_bytes(value, &bytes)) }
        }
        "$date" => {
            let millis: i64 = json["$numberLong"].as_str()?.parse().ok()?;
            matches!(ours, Value::Time(moment) if i128::from(moment.seconds()) * 1000 + i128::from(moment.nanos() / 1_000_000) == i128::from(millis))
        }
        "$oid" => tagged(7).is_some_and(|value| is_bytes(value, &oid(json))),
        "$undefined" => tagged(6).is_some_and(|value| *value == Value::Null),
        "$minKey" => tagged(255).is_some(),
        "$maxKey" => tagged(127).is_some(),
        "$symbol" => tagged(14).is_some_and(|value| json_value::same(value, json)),
        "$code" => match members.get("$scope") {
            None => tagged(13).is_some_and(|value| json_value::same(value, json)),
            Some(scope) => {
                matches!(tagged(15)?, Value::Tuple(parts) if parts.len() == 2 && json_value::same(&parts[0], json) && is(&parts[1], scope))
            }
        },
        "$timestamp" => {
            let (seconds, increment) = (json["t"].as_u64()?, json["i"].as_u64()?);
            tagged(17).is_some_and(|value| *value == Value::UInt(seconds << 32 | increment))
        }
        "$regularExpression" => {
            matches!(tagged(11)?, Value::Tuple(parts) if parts.len() == 2 && json_value::same(&parts[0], &json["pattern"]) && json_value::same(&parts[1], &json["options"]))
        }
        "$dbPointer" => {
            matches!(tagged(12)?, Value::Tuple(parts) if parts.len() == 2 && json_value::same(&parts[0], &json["$ref"]) && is_bytes(&parts[1], &oid(&json["$id"])))
        }
        _ => return None,
    })
}

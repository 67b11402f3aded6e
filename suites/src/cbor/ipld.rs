//! DAG-CBOR beside its twin in DAG-JSON.

use polywire_core::Value;
use polywire_core::tools::adapt::Doubles;
use polywire_formats::cbor::FORMAT;
use serde_json::Value as Json;

use crate::cases::Cases;
use crate::outcome::Outcome;
use crate::suite::Suite;
use crate::{files, json_value, testee};

/// codec-fixtures of IPLD.
pub static SUITE: Suite = Suite {
    name: "cbor-ipld",
    format: "CBOR",
    title: "ipld/codec-fixtures",
    folder: "ipld+codec-fixtures",
    needs: "fixtures",
    licence: "MIT OR Apache-2.0",
    rule: "each `.dag-cbor` comes back byte for byte, and has the value of its twin `.dag-json`: bytes, links (tag 42) and floats too; \
           duplicate keys are refused",
    others: "",
    run,
};

fn run(cases: &mut Cases<'_>) -> Result<(), String> {
    let root = cases.root().join("fixtures");
    for path in files::below(&root, |name| name.ends_with(".dag-cbor"))? {
        let folder = path.parent().ok_or("a file without a folder")?;
        let name = files::name(folder);
        let bytes = files::bytes(&path)?;
        cases.run("bytes", format!("{name}/bytes"), || super::comes_back(&bytes));
        let Some(twin) = files::in_folder(folder, |name| name.ends_with(".dag-json"))?.pop() else {
            cases.skip("without a twin in DAG-JSON");
            continue;
        };
        let twin = files::json(&twin)?;
        cases.run("value", format!("{name}/value"), || {
            Outcome::read(testee::one(&FORMAT, Doubles::Refuse, &bytes), |value| {
                Outcome::value(same(&value, &twin), || format!("read {value:?}").chars().take(300).collect())
            })
        });
    }
    let doubled = files::json(&cases.root().join("negative-fixtures/dag-cbor/decode/duplicate-keys.json"))?;
    for case in doubled.as_array().into_iter().flatten() {
        let bytes = files::hex(case["hex"].as_str().unwrap_or_default())?;
        let name = case["name"].as_str().unwrap_or_default().to_string();
        cases.run("refused", name, || Outcome::refused(testee::one(&FORMAT, Doubles::Refuse, &bytes)));
    }
    Ok(())
}

/// Returns whether a value is that of DAG-JSON, which has bytes and links as members `/`.
fn same(ours: &Value, twin: &Json) -> bool {
    let special = twin.as_object().filter(|members| members.len() == 1).and_then(|members| members.get("/"));
    match (ours, special) {
        (Value::Bytes(bytes), Some(member)) => member["bytes"].as_str() == Some(data_encoding::BASE64_NOPAD.encode(bytes).as_str()),
        (Value::Tagged { space, code: 42, value }, Some(Json::String(link))) if space == "cbor" => match &**value {
            // A link is a zero byte and a CID: in base32 after a `b`; the old form is base58.
            Value::Bytes(bytes) => match bytes.split_first() {
                Some((0, cid)) if link.starts_with('b') => data_encoding::BASE32_NOPAD.encode(cid).eq_ignore_ascii_case(&link[1..]),
                Some((0, cid)) => link.starts_with("Qm") && cid.len() == 34,
                _ => false,
            },
            _ => false,
        },
        _ => match (ours, twin) {
            (Value::List(ours), Json::Array(twin)) => {
                ours.len() == twin.len() && ours.iter().zip(twin).all(|(one, other)| same(one, other))
            }
            (Value::Record { fields, .. }, Json::Object(twin)) => {
                fields.len() == twin.len() && fields.iter().all(|(name, value)| twin.get(name).is_some_and(|other| same(value, other)))
            }
            (Value::Map(pairs), Json::Object(twin)) => {
                pairs.len() == twin.len()
                    && pairs.iter().all(|(key, value)| match key {
                        Value::Text(name) => twin.get(name).is_some_and(|other| same(value, other)),
                        _ => false,
                    })
            }
            _ => json_value::same(ours, twin),
        },
    }
}

//! YAML's test suite, by its branch `data`: a folder per case.

use polywire_core::Value;
use polywire_core::tools::adapt::Doubles;
use polywire_formats::yaml::FORMAT;
use serde_json::Value as Json;

use crate::cases::Cases;
use crate::outcome::Outcome;
use crate::suite::Suite;
use crate::{files, json_value, testee};

/// yaml-test-suite.
pub static SUITE: Suite = Suite {
    name: "yaml",
    format: "YAML",
    title: "yaml-test-suite",
    folder: "yaml+yaml-test-suite",
    needs: "229Q/in.yaml",
    licence: "MIT",
    rule: "`in.yaml` has the values of `in.json`; with `error` it is refused; `out.yaml` has the same values again, and so has the YAML \
           that we write of it; a case with none of these is read",
    others: "libfyaml, yaml-rust2 and saphyr-parser claim all event trees, which are the syntax without values; PyYAML has about 80 %.",
    run,
};

fn run(cases: &mut Cases<'_>) -> Result<(), String> {
    let root = cases.root().to_path_buf();
    let mut inputs = files::below(&root, |name| name == "in.yaml")?;
    // The folders `name` and `tags` hold the same cases again.
    inputs.retain(|path| !files::within(&root, path).starts_with(|letter: char| letter.is_lowercase()));
    for path in inputs {
        let folder = path.parent().ok_or("a file without a folder")?.to_path_buf();
        let case = files::within(&root, &folder);
        let input = files::bytes(&path)?;
        if folder.join("error").exists() {
            cases.run("error", format!("{case}/error"), || Outcome::refused(testee::all(&FORMAT, Doubles::Refuse, &input)));
            continue;
        }
        let demanded = folder.join("in.json");
        if !demanded.exists() {
            cases.run("read", format!("{case}/read"), || Outcome::read(testee::all(&FORMAT, Doubles::Keep, &input), |_| Outcome::Right));
        } else {
            let demanded = files::bytes(&demanded)?;
            let demanded: Vec<Json> = serde_json::Deserializer::from_slice(&demanded)
                .into_iter()
                .collect::<Result<_, _>>()
                .map_err(|error| format!("{case}: {error}"))?;
            cases.run("in.json", format!("{case}/in.json"), || values(&input, &demanded));
            cases.run("written", format!("{case}/written"), || {
                Outcome::read(testee::written(&FORMAT, &FORMAT, Doubles::Refuse, &input), |written| values(&written, &demanded))
            });
            if folder.join("out.yaml").exists() {
                let output = files::bytes(&folder.join("out.yaml"))?;
                cases.run("out.yaml", format!("{case}/out.yaml"), || values(&output, &demanded));
            }
        }
    }
    Ok(())
}

fn values(input: &[u8], demanded: &[Json]) -> Outcome {
    Outcome::read(testee::all(&FORMAT, Doubles::Refuse, input), |values| {
        let right = values.len() == demanded.len() && values.iter().zip(demanded).all(|(one, other)| same(one, other));
        Outcome::value(right, || format!("read {values:?}").chars().take(300).collect())
    })
}

/// Returns whether a value is the judge's, whose keys are texts: keys of other kinds are compared
/// by their text.
fn same(ours: &Value, judge: &Json) -> bool {
    match (ours, judge) {
        (Value::List(ours), Json::Array(judge)) => ours.len() == judge.len() && ours.iter().zip(judge).all(|(one, other)| same(one, other)),
        (Value::Map(pairs), Json::Object(judge)) => {
            pairs.len() == judge.len() && pairs.iter().all(|(key, value)| judge.get(&key_text(key)).is_some_and(|other| same(value, other)))
        }
        (Value::Record { fields, .. }, Json::Object(judge)) => {
            fields.len() == judge.len() && fields.iter().all(|(name, value)| judge.get(name).is_some_and(|other| same(value, other)))
        }
        // JSON has no bytes: the suite's stand as their base64.
        (Value::Bytes(bytes), Json::String(text)) => {
            let text: String = text.split_whitespace().collect();
            data_encoding::BASE64.decode(text.as_bytes()).is_ok_and(|judge| judge == *bytes)
        }
        _ => json_value::same(ours, judge),
    }
}

fn key_text(key: &Value) -> String {
    match key {
        Value::Null => String::new(),
        Value::Text(text) => text.clone(),
        Value::Bool(value) => value.to_string(),
        Value::Int(value) => value.to_string(),
        Value::UInt(value) => value.to_string(),
        Value::F64(value) => value.to_string(),
        other => format!("{other:?}"),
    }
}

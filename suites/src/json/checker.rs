//! simdjson's data: texts that pass or fail, twisted ones, and large real ones.

use polywire_core::tools::adapt::Doubles;
use polywire_formats::json::FORMAT;

use crate::cases::Cases;
use crate::outcome::Outcome;
use crate::suite::Suite;
use crate::{files, json, testee};

/// simdjson-data.
pub static SUITE: Suite = Suite {
    name: "json-checker",
    format: "JSON",
    title: "simdjson-data",
    folder: "simdjson+simdjson-data",
    needs: "jsonchecker",
    licence: "Apache-2.0",
    rule: "`pass*` and `jsonexamples` are read, with the values that serde_json reads; `fail*` is refused; `minefield` as \
           JSONTestSuite; of the twisted texts of `adversarial`, serde_json decides",
    others: "",
    run,
};

fn run(cases: &mut Cases<'_>) -> Result<(), String> {
    let root = cases.root().to_path_buf();
    for path in files::below(&root, |name| name.ends_with(".json") || name.ends_with(".ndjson"))? {
        let (case, name) = (files::within(&root, &path), files::name(&path));
        if name.contains("EXCLUDE") {
            cases.skip("marked `EXCLUDE` by the suite");
            continue;
        }
        let text = files::bytes(&path)?;
        if name.ends_with(".ndjson") {
            cases.run("streams", case, || stream(!name.starts_with("fail"), &text));
        } else if case.contains("minefield") {
            cases.run("minefield", case, || json::by_letter(&name, &text));
        } else if case.contains("adversarial/") {
            let valid = json::judge(&text).is_ok();
            cases.run("adversarial", case, || if valid { json::accepted(&text) } else { json::refused(&text) });
        } else if name.starts_with("fail") {
            cases.run("jsonchecker", case, || json::refused(&text));
        } else if case.starts_with("jsonchecker") {
            cases.run("jsonchecker", case, || json::accepted(&text));
        } else {
            cases.run("jsonexamples", case, || json::accepted(&text));
        }
    }
    Ok(())
}

/// Judges a text of several messages.
fn stream(valid: bool, text: &[u8]) -> Outcome {
    let read = testee::all(&FORMAT, Doubles::Last, text);
    if !valid {
        return Outcome::refused(read);
    }
    Outcome::read(read, |values| {
        let judge: Result<Vec<serde_json::Value>, _> = serde_json::Deserializer::from_slice(text).into_iter().collect();
        Outcome::value(
            judge.is_ok_and(|judge| {
                judge.len() == values.len() && values.iter().zip(&judge).all(|(one, other)| crate::json_value::same(one, other))
            }),
            || format!("{} messages, or other values", values.len()),
        )
    })
}

//! The specification of Mustache, for the templates of the gateway's bodies.

use bytes::Bytes;
use polywire_core::{Budget, Limits, Reader};
use polywire_doc::{Datum, DocSink, Repeated, Wanted};
use polywire_formats::json::JsonReader;
use serde_json::Value as Json;

use crate::cases::Cases;
use crate::files;
use crate::outcome::{Miss, Outcome};
use crate::suite::Suite;

/// The specification of Mustache.
pub static SUITE: Suite = Suite {
    name: "mustache",
    format: "Mustache",
    title: "mustache/spec",
    folder: "mustache+spec",
    needs: "specs/sections.json",
    licence: "MIT",
    rule: "each template renders to the text that is expected, for a body of HTML",
    others: "",
    run,
};

/// Files of the modules; those with a tilde are optional.
const MODULES: &[&str] =
    &["comments", "delimiters", "interpolation", "inverted", "partials", "sections", "~dynamic-names", "~inheritance", "~lambdas"];

fn run(cases: &mut Cases<'_>) -> Result<(), String> {
    let root = cases.root().join("specs");
    for module in MODULES {
        let file = files::json(&root.join(format!("{module}.json")))?;
        for test in file["tests"].as_array().into_iter().flatten() {
            match *module {
                "~lambdas" => {
                    cases.skip("lambdas: a template runs no code");
                    continue;
                }
                "~dynamic-names" => {
                    cases.skip("dynamic names, which are optional");
                    continue;
                }
                "~inheritance" => {
                    cases.skip("inheritance, which is optional");
                    continue;
                }
                _ => {}
            }
            let name = format!("{module}/{}", test["name"].as_str().unwrap_or_default());
            cases.run(module, name, || rendered(test));
        }
    }
    Ok(())
}

fn rendered(test: &Json) -> Outcome {
    let text = |name: &str| test[name].as_str().unwrap_or_default();
    let data = match datum(&test["data"]) {
        Ok(data) => data,
        Err(error) => return Outcome::error(&error),
    };
    let partials: Vec<(&str, &str)> = match &test["partials"] {
        Json::Object(members) => members.iter().map(|(name, text)| (name.as_str(), text.as_str().unwrap_or_default())).collect(),
        _ => Vec::new(),
    };
    match polywire_hooks::testing::mustache(text("template"), "text/html", &data, &partials) {
        Ok(ours) => Outcome::value(ours == text("expected"), || format!("rendered {ours:?}, not {:?}", text("expected"))),
        Err(error) => Outcome::miss(Miss::Refused, error),
    }
}

/// Makes a document of the query language, as the gateway makes one of a caller's body.
fn datum(json: &Json) -> polywire_core::Result<Datum> {
    let text = Bytes::from(json.to_string());
    let wanted = Wanted::everything();
    let mut sink = DocSink::new(text.clone(), &wanted, Repeated::Group);
    JsonReader::default().walk(&text, 0, &mut sink, &mut Budget::new(&Limits::DEFAULT))?;
    Ok(Datum::from(sink.finish(text.len() as u64)?.0))
}

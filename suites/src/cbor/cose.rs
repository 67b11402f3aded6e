//! COSE messages: signed, encrypted and authenticated, with their tags.

use polywire_core::Value;
use polywire_core::tools::adapt::Doubles;
use polywire_formats::cbor::FORMAT;
use serde_json::Value as Json;

use super::diagnostic::notations;
use crate::cases::Cases;
use crate::outcome::{Miss, Outcome};
use crate::suite::Suite;
use crate::{files, testee};

/// Examples of COSE.
pub static SUITE: Suite = Suite {
    name: "cbor-cose",
    format: "CBOR",
    title: "cose-wg/Examples",
    folder: "cose-wg+Examples",
    needs: "RFC8152",
    licence: "BSD-3-Clause",
    rule: "each message is read, the tags around it kept, its notation that of `cbor_diag`, and comes back byte for byte",
    others: "",
    run,
};

fn run(cases: &mut Cases<'_>) -> Result<(), String> {
    let root = cases.root().to_path_buf();
    for path in files::below(&root, |name| name.ends_with(".json"))? {
        let name = files::within(&root, &path);
        // A few files are not JSON; what they would hold is not known.
        let Ok(example) = files::json(&path) else {
            cases.skip("not JSON by serde_json");
            continue;
        };
        let Some(hex) = example["output"]["cbor"].as_str().map(|hex| hex.replace(' ', "")) else {
            cases.skip("without an output");
            continue;
        };
        let bytes = files::hex(&hex)?;
        cases.run("bytes", format!("{name}/bytes"), || super::comes_back(&bytes));
        let tagged = bytes.first().is_some_and(|head| head >> 5 == 6);
        cases.run("value", format!("{name}/value"), || {
            Outcome::read(testee::one(&FORMAT, Doubles::Refuse, &bytes), |value| {
                if tagged != matches!(value, Value::Tagged { .. }) {
                    return Outcome::miss(Miss::Value, "the tag is lost");
                }
                match &example["output"]["cbor_diag"] {
                    Json::String(notation) => {
                        let ours = notations(&value);
                        let spaceless =
                            |text: &str| text.chars().filter(|letter| !letter.is_whitespace()).collect::<String>().to_lowercase();
                        Outcome::value(ours.iter().any(|ours| spaceless(ours) == spaceless(notation)), || {
                            format!("{} is not {notation}", ours[0])
                        })
                    }
                    _ => Outcome::Right,
                }
            })
        });
    }
    Ok(())
}

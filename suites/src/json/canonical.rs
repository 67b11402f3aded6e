//! The test data of RFC 8785, JSON Canonicalization Scheme.

use polywire_core::tools::adapt::Doubles;
use polywire_formats::json::FORMAT;
use polywire_formats::{json_canonical, msgpack};

use crate::cases::Cases;
use crate::outcome::Outcome;
use crate::suite::Suite;
use crate::{files, json_value, testee};

/// The test data of JCS.
pub static SUITE: Suite = Suite {
    name: "json-canonical",
    format: "JSON",
    title: "json-canonicalization (RFC 8785)",
    folder: "cyberphone+json-canonicalization",
    needs: "testdata/output",
    licence: "Apache-2.0",
    rule: "each input has, with its numbers as binary64 (by MessagePack), the value of its canonical output; as `json-canonical` it is that \
           output, byte for byte, and so is the output itself",
    others: "",
    run,
};

fn run(cases: &mut Cases<'_>) -> Result<(), String> {
    let data = cases.root().join("testdata");
    for path in files::in_folder(&data.join("output"), |name| name.ends_with(".json"))? {
        let name = files::name(&path);
        let (input, output) = (files::bytes(&data.join("input").join(&name))?, files::bytes(&path)?);
        let judge = files::json(&path)?;
        cases.run("value", format!("{name}/value"), || {
            let packed = testee::written(&FORMAT, &msgpack::FORMAT, Doubles::Refuse, &input);
            Outcome::read(packed.and_then(|packed| testee::one(&msgpack::FORMAT, Doubles::Refuse, &packed)), |value| {
                Outcome::value(json_value::same(&value, &judge), || format!("read {value:?}"))
            })
        });
        cases.run("canonical bytes", format!("{name}/bytes"), || {
            Outcome::read(testee::written(&FORMAT, &FORMAT, Doubles::Refuse, &output), |written| same(&written, &output))
        });
        for (what, text) in [("input", &input), ("output", &output)] {
            cases.run("canonical form", format!("{name}/canonical {what}"), || {
                Outcome::read(testee::written(&FORMAT, &json_canonical::FORMAT, Doubles::Refuse, text), |written| same(&written, &output))
            });
        }
    }
    Ok(())
}

/// Compares texts, except for a line feed at their ends.
fn same(written: &[u8], output: &[u8]) -> Outcome {
    Outcome::same_bytes(written.strip_suffix(b"\n").unwrap_or(written), output.strip_suffix(b"\n").unwrap_or(output))
}

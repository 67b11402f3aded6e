//! RFC 8949, appendix A: examples of encoded items.

use polywire_core::tools::adapt::Doubles;
use polywire_formats::cbor::FORMAT;
use polywire_formats::cbor_diag;

use super::diagnostic::notations;
use crate::cases::Cases;
use crate::outcome::{Miss, Outcome};
use crate::suite::Suite;
use crate::{files, json_value, testee};

/// The examples of RFC 8949, appendix A.
pub static SUITE: Suite = Suite {
    name: "cbor-appendix-a",
    format: "CBOR",
    title: "RFC 8949 appendix A",
    folder: "cbor+test-vectors",
    needs: "appendix_a.json",
    licence: "none stated",
    rule: "each item has the value of `decoded` or the notation of `diagnostic`; where `roundtrip` is true, the same bytes are written; \
           the notation that we write, and `diagnostic`, are read as the same value",
    others: "",
    run,
};

fn run(cases: &mut Cases<'_>) -> Result<(), String> {
    let vectors = files::json(&cases.root().join("appendix_a.json"))?;
    for (index, vector) in vectors.as_array().into_iter().flatten().enumerate() {
        let hex = vector["hex"].as_str().ok_or("a vector without `hex`")?;
        let bytes = files::hex(hex)?;
        cases.run("value", format!("{index}/{hex}/value"), || {
            Outcome::read(testee::one(&FORMAT, Doubles::Refuse, &bytes), |value| match vector["diagnostic"].as_str() {
                Some(notation) => {
                    // A string in pieces has the value of the whole.
                    let whole = notation.replace("(_ h'0102', h'030405')", "h'0102030405'");
                    Outcome::value(notations(&value).contains(&whole), || format!("read {}, not {notation}", notations(&value)[0]))
                }
                None => Outcome::value(json_value::same(&value, &vector["decoded"]), || format!("read {value:?}")),
            })
        });
        cases.run("notation", format!("{index}/{hex}/notation"), || super::comes_back_as_text(&bytes));
        if let Some(notation) = vector["diagnostic"].as_str() {
            cases.run("notation", format!("{index}/{hex}/diagnostic"), || {
                Outcome::read(testee::one(&cbor_diag::FORMAT, Doubles::Refuse, notation.as_bytes()), |read| {
                    let value = testee::one(&FORMAT, Doubles::Refuse, &bytes);
                    let right = value.is_ok_and(|value| super::working_group::alike(&value, &read));
                    Outcome::value(right, || format!("read {read:?} of {notation}"))
                })
            });
        }
        if vector["roundtrip"] == true {
            cases.run("bytes", format!("{index}/{hex}/bytes"), || super::comes_back(&bytes));
        }
    }
    if cases.names.is_empty() { Err("no vectors".to_string()) } else { Ok(()) }
}

/// Judges an item that is not well-formed.
pub fn refused(bytes: &[u8]) -> Outcome {
    match Outcome::refused(testee::one(&FORMAT, Doubles::Keep, bytes)) {
        Outcome::Miss(Miss::Accepted, _) => Outcome::miss(Miss::Accepted, crate::outcome::short(bytes)),
        other => other,
    }
}

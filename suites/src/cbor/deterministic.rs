//! Deterministic CBOR, and plain CBOR that is not deterministic.

use polywire_core::tools::adapt::Doubles;
use polywire_formats::cbor::FORMAT;

use super::diagnostic::notations;
use crate::cases::Cases;
use crate::outcome::Outcome;
use crate::suite::Suite;
use crate::{files, testee};

/// dcbor-test-vectors.
pub static SUITE: Suite = Suite {
    name: "cbor-deterministic",
    format: "CBOR",
    title: "dcbor-test-vectors",
    folder: "hildjj+dcbor-test-vectors",
    needs: "valid.json",
    licence: "MIT",
    rule: "a valid item comes back byte for byte; one that is not deterministic is CBOR all the same, and read",
    others: "",
    run,
};

fn run(cases: &mut Cases<'_>) -> Result<(), String> {
    for (file, valid) in [("valid.json", true), ("invalid.json", false)] {
        let list = files::json(&cases.root().join(file))?;
        for (index, vector) in list.as_array().into_iter().flatten().enumerate() {
            let hex = vector["hex"].as_str().ok_or("a vector without `hex`")?;
            let bytes = files::hex(hex)?;
            let case = format!("{file}/{index}/{hex}");
            if valid {
                cases.run("bytes", case, || super::comes_back(&bytes));
                continue;
            }
            // The suite's notation goes beyond RFC 8949 where it ends in an encoding indicator.
            let notation = vector["diagnostic"].as_str().unwrap_or_default().split('_').next().unwrap_or_default().to_string();
            let plain = !notation.is_empty() && notation.chars().all(|letter| letter.is_ascii_digit() || letter == '-');
            cases.run("read all the same", case, || {
                Outcome::read(testee::one(&FORMAT, Doubles::Keep, &bytes), |value| {
                    Outcome::value(!plain || notations(&value).contains(&notation), || format!("read {value:?}, not {notation}"))
                })
            });
        }
    }
    Ok(())
}

//! Suites of CBOR.

pub mod appendix;
pub mod cose;
pub mod deterministic;
mod diagnostic;
pub mod ill_formed;
pub mod ipld;
pub mod working_group;

use polywire_core::tools::adapt::Doubles;
use polywire_formats::cbor::FORMAT;
use polywire_formats::cbor_diag;

use crate::outcome::Outcome;
use crate::testee;

/// Judges the bytes of a message that became diagnostic notation, and bytes again: the same ones.
fn comes_back_as_text(bytes: &[u8]) -> Outcome {
    let again = testee::written(&FORMAT, &cbor_diag::FORMAT, Doubles::Keep, bytes)
        .and_then(|text| testee::written(&cbor_diag::FORMAT, &FORMAT, Doubles::Keep, &text));
    Outcome::read(again, |written| Outcome::same_bytes(&written, bytes))
}

/// Judges the bytes that are written of a message: the same ones.
fn comes_back(bytes: &[u8]) -> Outcome {
    Outcome::read(testee::written(&FORMAT, &FORMAT, Doubles::Keep, bytes), |written| Outcome::same_bytes(&written, bytes))
}

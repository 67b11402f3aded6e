//! Which of several failures a decoder with lazy fields meets first (docs/spec/extprot.md 5.8).
//!
//! It steps over lazy fields, and decodes them when all else is done. A walk decodes in the order of the bytes, so where it stopped inside of a lazy field,
//! what lies behind that field has to be looked at before.

use crate::failure::Failure;
use crate::plan::Plan;

/// The failure to report when a walk stopped with `failure` inside of the lazy fields at the offsets `lazy`, from the inside out.
#[cold]
pub(super) fn first(plan: &Plan, failure: Failure, lazy: &[usize], decode: impl Fn(&Plan, &[usize]) -> Option<Failure>) -> Failure {
    if lazy.is_empty() {
        return failure;
    }
    let deferring = plan.deferring();
    // The message without lazy fields, then the outermost of them without those in it, and so on inwards. Lazy fields before these are right.
    for inner in (1..=lazy.len()).rev() {
        if let Some(earlier) = decode(&deferring, &lazy[inner..]) {
            return earlier;
        }
    }
    failure
}

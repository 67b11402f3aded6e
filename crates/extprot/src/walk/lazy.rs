//! Which of several failures a decoder with lazy fields meets first (section 5.8).
//!
//! It steps over lazy fields, and decodes them when all else is done. A walk decodes in the order of the bytes, so where it stopped inside of a lazy field,
//! what lies behind that field has to be looked at before.

use super::read::decoded;
use crate::failure::{Failure, SizeLimits};
use crate::plan::Plan;

/// The failure to report when a walk stopped with `failure` inside of the lazy fields at the offsets `lazy`, from the inside out.
#[cold]
pub(super) fn first(plan: &Plan, bytes: &[u8], limits: &SizeLimits, failure: Failure, lazy: &[usize]) -> Failure {
    if lazy.is_empty() {
        return failure;
    }
    let deferring = plan.deferring();
    // The message without lazy fields, then the outermost of them without those in it, and so on inwards. Lazy fields before these are right.
    for inner in (1..=lazy.len()).rev() {
        if let Err((earlier, _)) = decoded(&deferring, bytes, limits, &lazy[inner..]) {
            return earlier;
        }
    }
    failure
}

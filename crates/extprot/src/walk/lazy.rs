//! The error that a decoder with lazy fields reports first (docs/spec/extprot.md 5.8).
//!
//! Such a decoder steps over lazy fields and decodes them after everything else. A walk decodes in
//! the order of the bytes. If it stops inside a lazy field, the bytes after that field must be
//! checked before the error is chosen.

use crate::error::DecodeError;
use crate::plan::Plan;

/// Returns the error to report when a walk stopped with `failure` inside the lazy fields at the
/// offsets `lazy`, innermost first. `decode` decodes the message by a plan, enters only the lazy
/// fields at the given offsets, and returns the error if there is one.
#[cold]
pub(super) fn first(
    plan: &Plan,
    failure: DecodeError,
    lazy: &[usize],
    decode: impl Fn(&Plan, &[usize]) -> Option<DecodeError>,
) -> DecodeError {
    if lazy.is_empty() {
        return failure;
    }
    let deferring = plan.deferring();
    // First without any lazy field, then with the outermost one, and so on inwards. Lazy fields
    // before these are known to be valid.
    for inner in (1..=lazy.len()).rev() {
        if let Some(earlier) = decode(&deferring, &lazy[inner..]) {
            return earlier;
        }
    }
    failure
}

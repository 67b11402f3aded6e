//! `compat`: the verdicts of both directions, and the kinds of change that must be among those
//! reported.

use polywire_core::schema::language::{Comparison, Direction, Effect};
use polywire_extprot::compat::compare;
use polywire_extprot::model::Protocol;
use polywire_extprot::protocol::{NoFiles, compile};
use serde_json::{Value, json};

/// True if all messages are accepted, as docs/spec/extprot.md 7 understands it: fields may be taken
/// for others.
fn accepted(comparison: &Comparison, direction: Direction) -> bool {
    let outcomes = comparison.findings.iter().map(|finding| finding.outcome(direction));
    !outcomes.into_iter().any(|outcome| match outcome.effect {
        Effect::Fine | Effect::Warns => false,
        Effect::Misread => outcome.rule.is_none_or(|rule| rule.id != "position"),
        Effect::Refused => true,
    })
}

/// The actual and the expected result of a case; `None` for cases of other kinds.
pub fn outcome(case: &Value) -> Option<(Value, Value)> {
    if case["kind"] != "compat" {
        return None;
    }
    let read = |key: &str| -> Result<Protocol, String> {
        compile(key, case[key].as_str().expect("a protocol").as_bytes(), &mut NoFiles).map_err(|error| error.to_string())
    };
    // Without the member, any reason will do.
    let reasons = case["reasons"].as_array();
    let expected = json!({"backward": case["backward"], "forward": case["forward"], "reasons": reasons});
    let (old, new) = match (read("old_protocol"), read("new_protocol")) {
        (Ok(old), Ok(new)) => (old, new),
        (Err(error), _) | (_, Err(error)) => return Some((json!(error), expected)),
    };
    let comparison = compare(&old, &new, case["message"].as_str());
    let kinds: Vec<&str> = comparison.findings.iter().map(|finding| finding.kind).collect();
    // More detail is fine, less is not; nothing may be found where there is nothing.
    let told = reasons.map(|reasons| {
        if reasons.is_empty() && !kinds.is_empty() {
            json!(kinds)
        } else {
            json!(reasons.iter().filter(|reason| kinds.iter().any(|kind| *reason == kind)).collect::<Vec<_>>())
        }
    });
    let came = json!({
        "backward": accepted(&comparison, Direction::Backward),
        "forward": accepted(&comparison, Direction::Forward),
        "reasons": told,
    });
    Some((came, expected))
}

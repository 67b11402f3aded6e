//! JSON beside `serde_json`.

use polywire_core::value::Value;
use polywire_formats::json::FORMAT;
use serde_json::Value as Judge;

use super::{last_of_each_name, lossless, number, ours};

/// Compares verdict and value of both readers, and has the judge read what we write.
///
/// # Panics
/// They disagree.
pub fn body(bytes: &[u8]) {
    // The judge refuses a byte order mark, and takes an object with this key for a number.
    if bytes.starts_with(b"\xef\xbb\xbf") || bytes.windows(18).any(|part| part == b"$serde_json::priva") {
        return;
    }
    let Some(ours) = ours(&FORMAT, bytes) else { return };
    match (&ours, serde_json::from_slice::<Judge>(bytes)) {
        (Ok(ours), Ok(judged)) => assert!(agrees(&judged, ours), "{judged} is not {ours:?}"),
        (Err(_), Err(_)) => {}
        (Ok(_), Err(error)) if error.to_string().starts_with("recursion limit exceeded") => return,
        (Ok(ours), Err(error)) => panic!("{ours:?}, refused by the judge: {error}: {}", bytes.escape_ascii()),
        (Err(error), Ok(judged)) => panic!("{error}, but the judge reads {judged}"),
    }
    let Ok(ours) = ours else { return };
    let Some(written) = lossless(&FORMAT, &ours) else { return };
    let judged: Judge = serde_json::from_slice(&written).unwrap_or_else(|error| panic!("{error}: {}", written.escape_ascii()));
    assert!(agrees(&judged, &ours), "{judged} is not {ours:?}");
}

fn agrees(judged: &Judge, ours: &Value) -> bool {
    match (judged, ours) {
        (Judge::Null, Value::Null) => true,
        (Judge::Bool(theirs), Value::Bool(ours)) => theirs == ours,
        (Judge::String(theirs), Value::Text(ours)) => theirs == ours,
        (Judge::Number(theirs), ours) => number::spelled(ours, &theirs.to_string()),
        (Judge::Array(theirs), Value::List(ours)) => {
            theirs.len() == ours.len() && theirs.iter().zip(ours).all(|(theirs, ours)| agrees(theirs, ours))
        }
        (Judge::Object(theirs), ours) => {
            let theirs: Vec<_> = theirs.iter().map(|(name, value)| (name.as_str(), value)).collect();
            last_of_each_name(&theirs, ours, |theirs, ours| agrees(theirs, ours))
        }
        _ => false,
    }
}

//! CBOR beside `ciborium`.

use ciborium::Value as Judge;
use polywire_core::value::Value;
use polywire_formats::cbor::FORMAT;

use super::{lossless, number, ours};

/// Compares verdict and value of both readers, and has the judge read what we write.
///
/// # Panics
/// They disagree.
pub fn body(bytes: &[u8]) {
    let Some(ours) = ours(&FORMAT, bytes) else { return };
    let mut rest = bytes;
    let judged = ciborium::from_reader::<Judge, _>(&mut rest);
    match (&ours, judged) {
        (Ok(ours), Ok(judged)) => assert!(agrees(&judged, ours), "{judged:?} is not {ours:?}"),
        // The judge takes a string in pieces for a piece of a string, and simple values below 32 in
        // two bytes, which are not well-formed (RFC 8949 section 3.3).
        (Err(error), Ok(judged)) => {
            let mistakes = ["of definite length, or a break", "expected one of 32 to 255"];
            let excused = !rest.is_empty() || mistakes.iter().any(|mistake| error.to_string().contains(mistake));
            assert!(excused, "{error}, but the judge reads {judged:?}");
        }
        (Err(_), Err(_)) => {}
        (Ok(ours), Err(error)) => assert!(excused(ours, &error), "{ours:?}, refused by the judge: {error:?}"),
    }
    let Ok(ours) = ours else { return };
    let Some(written) = lossless(&FORMAT, &ours) else { return };
    match ciborium::from_reader::<Judge, _>(&written[..]) {
        Ok(judged) => assert!(agrees(&judged, &ours), "{judged:?} is not {ours:?}"),
        Err(error) => assert!(excused(&ours, &error), "{}, refused by the judge: {error:?}", written.escape_ascii()),
    }
}

/// Reports whether the judge refuses what is right: simple values, bignums beyond its integers, and
/// more than 256 levels.
fn excused<E>(ours: &Value, error: &ciborium::de::Error<E>) -> bool {
    use ciborium::de::Error;
    match error {
        Error::RecursionLimitExceeded => true,
        Error::Semantic(_, what) => what == "integer too large" || has_simple(ours),
        _ => has_simple(ours),
    }
}

fn has_simple(value: &Value) -> bool {
    match value {
        Value::Tagged { space, value, .. } => space == "cbor-simple" || has_simple(value),
        Value::List(values) => values.iter().any(has_simple),
        Value::Map(pairs) => pairs.iter().any(|(key, value)| has_simple(key) || has_simple(value)),
        Value::Record { fields, .. } => fields.iter().any(|(_, value)| has_simple(value)),
        _ => false,
    }
}

/// Reports whether both values are the same. Tags that we give a meaning to are held by tests of
/// their own.
fn agrees(judged: &Judge, ours: &Value) -> bool {
    match (judged, ours) {
        (Judge::Null, Value::Null) => true,
        // The judge takes undefined for null.
        (Judge::Null, Value::Tagged { space, code: 23, .. }) => space == "cbor-simple",
        (Judge::Bool(theirs), Value::Bool(ours)) => theirs == ours,
        (Judge::Integer(theirs), ours) => number::spelled(ours, &i128::from(*theirs).to_string()),
        (Judge::Float(theirs), ours) => number::binary(ours, *theirs),
        (Judge::Text(theirs), Value::Text(ours)) => theirs == ours,
        (Judge::Bytes(theirs), Value::Bytes(ours)) => theirs == ours,
        (Judge::Array(theirs), Value::List(ours)) => {
            theirs.len() == ours.len() && theirs.iter().zip(ours).all(|(theirs, ours)| agrees(theirs, ours))
        }
        (Judge::Map(theirs), Value::Map(ours)) => {
            theirs.len() == ours.len()
                && theirs.iter().zip(ours).all(|(theirs, ours)| agrees(&theirs.0, &ours.0) && agrees(&theirs.1, &ours.1))
        }
        (Judge::Map(theirs), Value::Record { fields, .. }) => {
            let same = |(theirs, ours): (&(Judge, Judge), &(String, Value))| {
                matches!(&theirs.0, Judge::Text(name) if *name == ours.0) && agrees(&theirs.1, &ours.1)
            };
            theirs.len() == fields.len() && theirs.iter().zip(fields).all(same)
        }
        (Judge::Tag(code, theirs), Value::Tagged { space, code: ours, value }) if space == "cbor" && code == ours => agrees(theirs, value),
        (Judge::Tag(55799, theirs), ours) => agrees(theirs, ours),
        (Judge::Tag(0..=4, _), _) => true,
        _ => false,
    }
}

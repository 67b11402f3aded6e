//! YAML beside `serde_yaml`, which is libyaml.

use polywire_core::value::Value;
use polywire_formats::yaml::FORMAT;
use serde_yaml::Value as Judge;

use super::{lossless, number, ours};

/// Has the judge read what we write of any value. Our reading is not compared, since libyaml reads
/// YAML 1.1.
///
/// # Panics
/// They disagree.
pub fn body(bytes: &[u8]) {
    let Some(Ok(ours)) = ours(&FORMAT, bytes) else { return };
    let Some(written) = lossless(&FORMAT, &ours) else { return };
    let text = std::str::from_utf8(&written).expect("YAML is written in UTF-8");
    match serde_yaml::from_str::<Judge>(text) {
        Ok(judged) => assert!(agrees(&judged, &ours), "{text}\nis {judged:?}, not {ours:?}"),
        Err(error) => {
            let error = error.to_string();
            // Integers of 65 to 128 bits have no place in the judge's values.
            let excused = ["recursion limit exceeded", "duplicate entry", "128, expected any YAML value"];
            let excused = excused.iter().any(|why| error.contains(why));
            assert!(excused, "{text}\nis refused by the judge: {error}");
        }
    }
}

fn agrees(judged: &Judge, ours: &Value) -> bool {
    match (judged, ours) {
        (Judge::Null, Value::Null) => true,
        (Judge::Bool(theirs), Value::Bool(ours)) => theirs == ours,
        (Judge::String(theirs), Value::Text(ours)) => theirs == ours,
        (Judge::Number(theirs), Value::UInt(ours)) => theirs.as_u64() == Some(*ours),
        (Judge::Number(theirs), Value::Int(ours)) => theirs.as_i64() == Some(*ours),
        // The judge has binary numbers alone.
        (Judge::Number(theirs), Value::Decimal(ours) | Value::Big(ours)) => theirs.as_f64() == ours.parse().ok(),
        (Judge::Number(theirs), ours) => theirs.as_f64().is_some_and(|theirs| number::binary(ours, theirs)),
        // Integers beyond its own, and floats beyond a binary64, are texts to the judge.
        (Judge::String(theirs), Value::Big(ours) | Value::Decimal(ours)) => theirs == ours,
        (Judge::Sequence(theirs), Value::List(ours)) => {
            theirs.len() == ours.len() && theirs.iter().zip(ours).all(|(theirs, ours)| agrees(theirs, ours))
        }
        (Judge::Mapping(theirs), Value::Map(ours)) => {
            theirs.len() == ours.len()
                && theirs.iter().zip(ours).all(|(theirs, ours)| agrees(theirs.0, &ours.0) && agrees(theirs.1, &ours.1))
        }
        (Judge::Mapping(theirs), Value::Record { fields, .. }) => {
            theirs.len() == fields.len()
                && theirs.iter().zip(fields).all(|(theirs, ours)| theirs.0.as_str() == Some(&ours.0) && agrees(theirs.1, &ours.1))
        }
        // Its tag is dropped.
        (_, Value::Bytes(_)) => true,
        _ => false,
    }
}

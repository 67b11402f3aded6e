//! BSON beside the `bson` crate.

use bson::{Bson as Judge, Document};
use polywire_core::value::Value;
use polywire_formats::bson::FORMAT;

use super::{fields, last_of_each_name, lossless, number, ours};

/// Compares verdict and value of both readers, and has the judge read what we write.
///
/// # Panics
/// They disagree.
pub fn body(bytes: &[u8]) {
    let Some(ours) = ours(&FORMAT, bytes) else { return };
    let mut rest = bytes;
    // The judge makes room for the length that is claimed before it reads on.
    let claimed = bytes.first_chunk().map_or(0, |length| i32::from_le_bytes(*length));
    let is_there = usize::try_from(claimed).is_ok_and(|claimed| claimed <= bytes.len());
    let judged = if is_there { Document::from_reader(&mut rest).ok() } else { None };
    match (&ours, judged) {
        (Ok(ours), Some(judged)) => assert!(is_wrapped(&judged) || document(&judged, ours), "{judged} is not {ours:?}"),
        (Err(error), Some(judged)) => assert!(!rest.is_empty(), "{error}, but the judge reads {judged}"),
        // The judge refuses what its types have no room for.
        (_, None) => {}
    }
    let Ok(ours) = ours else { return };
    let Some(written) = lossless(&FORMAT, &ours) else { return };
    if let Ok(judged) = Document::from_reader(&written[..]) {
        assert!(is_wrapped(&judged) || document(&judged, &ours), "{judged} is not {ours:?}");
    }
}

/// Reports whether a document stands for a message that is none (docs/formats/bson.md).
fn is_wrapped(document: &Document) -> bool {
    document.len() == 1 && document.contains_key("$msg")
}

fn document(judged: &Document, ours: &Value) -> bool {
    let theirs: Vec<_> = judged.iter().map(|(name, value)| (name.as_str(), value)).collect();
    last_of_each_name(&theirs, ours, |theirs, ours| agrees(theirs, ours))
}

fn agrees(judged: &Judge, ours: &Value) -> bool {
    match (judged, ours) {
        (Judge::Null, Value::Null) => true,
        (Judge::Boolean(theirs), Value::Bool(ours)) => theirs == ours,
        (Judge::Double(theirs), ours) => number::binary(ours, *theirs),
        (Judge::Int32(theirs), ours) => number::spelled(ours, &theirs.to_string()),
        (Judge::Int64(theirs), ours) => number::spelled(ours, &theirs.to_string()),
        (Judge::String(theirs), Value::Text(ours)) => theirs == ours,
        (Judge::Array(theirs), Value::List(ours)) => {
            theirs.len() == ours.len() && theirs.iter().zip(ours).all(|(theirs, ours)| agrees(theirs, ours))
        }
        (Judge::Document(theirs), ours) if fields(ours).is_some() => document(theirs, ours),
        (Judge::DateTime(theirs), Value::Time(ours)) => {
            let millis = theirs.timestamp_millis();
            millis.div_euclid(1000) == ours.seconds() && millis.rem_euclid(1000) * 1_000_000 == i64::from(ours.nanos())
        }
        (Judge::Binary(theirs), Value::Bytes(ours)) => u8::from(theirs.subtype) == 0 && theirs.bytes == *ours,
        // NaN and the infinities have no digits.
        (Judge::Decimal128(theirs), Value::Tagged { code: 19, .. }) => !theirs.to_string().ends_with(|last: char| last.is_ascii_digit()),
        (Judge::Decimal128(theirs), ours) => {
            let text = theirs.to_string();
            number::spelled(ours, &text) || (text.starts_with('-') && number::spelled(ours, "-0.0"))
        }
        (judged, Value::Tagged { space, code, value }) if space == "bson" => marked(judged, *code, value),
        _ => false,
    }
}

/// Reports whether a value of a type that BSON alone has is ours of this code.
fn marked(judged: &Judge, code: u64, ours: &Value) -> bool {
    match (judged, code, ours) {
        (Judge::Binary(theirs), code, Value::Bytes(ours)) => code == 0x0500 | u64::from(u8::from(theirs.subtype)) && theirs.bytes == *ours,
        (Judge::Undefined, 6, Value::Null) | (Judge::MaxKey, 127, Value::Null) | (Judge::MinKey, 255, Value::Null) => true,
        (Judge::ObjectId(theirs), 7, Value::Bytes(ours)) => theirs.bytes()[..] == ours[..],
        (Judge::RegularExpression(theirs), 11, Value::Tuple(ours)) => ours.first() == Some(&Value::text(theirs.pattern.as_str())),
        (Judge::DbPointer(_), 12, Value::Tuple(_)) => true,
        (Judge::JavaScriptCode(theirs), 13, Value::Text(ours)) | (Judge::Symbol(theirs), 14, Value::Text(ours)) => theirs == ours,
        (Judge::JavaScriptCodeWithScope(theirs), 15, Value::Tuple(ours)) => {
            matches!(&ours[..], [Value::Text(code), scope] if *code == theirs.code && document(&theirs.scope, scope))
        }
        (Judge::Timestamp(theirs), 17, ours) => *ours == Value::UInt(u64::from(theirs.time) << 32 | u64::from(theirs.increment)),
        _ => false,
    }
}

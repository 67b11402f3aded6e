//! MessagePack beside `rmpv`.

use polywire_core::value::Value;
use polywire_formats::msgpack::FORMAT;
use rmpv::Value as Judge;

use super::{lossless, number, ours};

/// Compares verdict and value of both readers, and has the judge read what we write.
///
/// # Panics
/// They disagree.
pub fn body(bytes: &[u8]) {
    let Some(ours) = ours(&FORMAT, bytes) else { return };
    let mut rest = bytes;
    let judged = rmpv::decode::read_value(&mut rest);
    match (&ours, judged) {
        (Ok(ours), Ok(judged)) => assert!(agrees(&judged, ours), "{judged:?} is not {ours:?}"),
        (Err(error), Ok(judged)) => assert!(!rest.is_empty() || excused(&judged, bytes), "{error}, but the judge reads {judged:?}"),
        (Err(_), Err(_)) => {}
        (Ok(ours), Err(error)) => panic!("{ours:?}, refused by the judge: {error:?}"),
    }
    let Ok(ours) = ours else { return };
    let Some(written) = lossless(&FORMAT, &ours) else { return };
    let judged = rmpv::decode::read_value(&mut &written[..]).unwrap_or_else(|error| panic!("{}: {error}", written.escape_ascii()));
    assert!(agrees(&judged, &ours), "{judged:?} is not {ours:?}");
}

/// Reports whether the judge reads a message that is wrong: the byte `c1`, which it takes for nil,
/// and timestamps, which it does not look into.
fn excused(judged: &Judge, bytes: &[u8]) -> bool {
    match judged {
        Judge::Nil => bytes.contains(&0xc1),
        Judge::Ext(-1, payload) => matches!(payload.len(), 4 | 8 | 12),
        Judge::Array(values) => values.iter().any(|value| excused(value, bytes)),
        Judge::Map(pairs) => pairs.iter().any(|(key, value)| excused(key, bytes) || excused(value, bytes)),
        _ => false,
    }
}

fn agrees(judged: &Judge, ours: &Value) -> bool {
    match (judged, ours) {
        (Judge::Nil, Value::Null) => true,
        (Judge::Boolean(theirs), Value::Bool(ours)) => theirs == ours,
        (Judge::Integer(theirs), ours) => number::spelled(ours, &theirs.to_string()),
        (Judge::F32(theirs), Value::F32(_)) => number::binary(ours, f64::from(*theirs)),
        (Judge::F64(theirs), Value::F64(_)) => number::binary(ours, *theirs),
        (Judge::String(theirs), Value::Text(ours)) => theirs.as_str() == Some(ours),
        (Judge::String(theirs), Value::Octets(ours)) => theirs.as_str().is_none() && theirs.as_bytes() == ours,
        (Judge::Binary(theirs), Value::Bytes(ours)) => theirs == ours,
        (Judge::Array(theirs), Value::List(ours)) => {
            theirs.len() == ours.len() && theirs.iter().zip(ours).all(|(theirs, ours)| agrees(theirs, ours))
        }
        (Judge::Map(theirs), Value::Map(ours)) => {
            theirs.len() == ours.len()
                && theirs.iter().zip(ours).all(|(theirs, ours)| agrees(&theirs.0, &ours.0) && agrees(&theirs.1, &ours.1))
        }
        (Judge::Map(theirs), Value::Record { fields, .. }) => {
            theirs.len() == fields.len()
                && theirs.iter().zip(fields).all(|(theirs, ours)| theirs.0.as_str() == Some(&ours.0) && agrees(&theirs.1, &ours.1))
        }
        (Judge::Ext(-1, payload), Value::Time(ours)) => {
            let number = |bytes: &[u8]| bytes.iter().fold(0u64, |number, byte| number << 8 | u64::from(*byte));
            let (seconds, nanos) = match payload.len() {
                4 => (number(payload), 0),
                8 => (number(payload) % (1 << 34), number(payload) >> 34),
                12 => (number(&payload[4..]), number(&payload[..4])),
                _ => return false,
            };
            seconds as i64 == ours.seconds() && nanos == u64::from(ours.nanos())
        }
        (Judge::Ext(kind, payload), Value::Tagged { space, code, value }) => {
            space == "msgpack" && *code == u64::from(*kind as u8) && **value == Value::Bytes(payload.clone())
        }
        _ => false,
    }
}

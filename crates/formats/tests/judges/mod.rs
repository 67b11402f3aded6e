//! Bodies of the differential fuzz targets: our readers and writers beside other libraries.
//! `judged.rs` runs them with seeds.

pub mod bson;
pub mod cbor;
pub mod json;
pub mod msgpack;
mod number;
pub mod xml;
pub mod yaml;

use polywire_core::format::Format;
use polywire_core::value::Value;
use polywire_core::{Error, ErrorKind};
use polywire_testing as testing;

/// Reads the one message in `bytes`. Returns `None` for a message beyond our limits, on which no
/// judge has to agree.
fn ours(format: &'static Format, bytes: &[u8]) -> Option<Result<Value, Error>> {
    match testing::value_of(format, bytes) {
        Err(error) if error.kind() == ErrorKind::Limit => None,
        outcome => Some(outcome),
    }
}

/// Writes a value, and returns the bytes if they hold all of it.
fn lossless(format: &'static Format, value: &Value) -> Option<Vec<u8>> {
    let mut writer = format.writer.expect("a format that can be written")();
    let mut out = Vec::new();
    value.emit(&mut *writer).and_then(|()| writer.finish(&mut out)).unwrap_or_else(|error| panic!("{value:?} is not written: {error}"));
    writer.losses().is_empty().then_some(out)
}

/// Returns the fields of a record, or the entries of a map whose keys are all texts.
fn fields(value: &Value) -> Option<Vec<(&str, &Value)>> {
    match value {
        Value::Record { fields, .. } => Some(fields.iter().map(|(name, value)| (name.as_str(), value)).collect()),
        Value::Map(pairs) => {
            pairs.iter().map(|(key, value)| if let Value::Text(name) = key { Some((name.as_str(), value)) } else { None }).collect()
        }
        _ => None,
    }
}

/// Reports whether the last field of each name equals the judge's. Its records have each name once,
/// in the place of the first.
fn last_of_each_name<J>(judged: &[(&str, J)], ours: &Value, agrees: impl Fn(&J, &Value) -> bool) -> bool {
    let Some(fields) = fields(ours) else { return false };
    let mut names: Vec<&str> = Vec::new();
    for (name, _) in &fields {
        if !names.contains(name) {
            names.push(name);
        }
    }
    names.len() == judged.len()
        && names.iter().zip(judged).all(|(name, (theirs, value))| {
            let last = fields.iter().rev().find(|(other, _)| other == name);
            name == theirs && last.is_some_and(|(_, ours)| agrees(value, ours))
        })
}

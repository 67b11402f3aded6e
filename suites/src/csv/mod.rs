//! Suites of CSV.

pub mod spectrum;
pub mod test_data;
pub mod web;

use polywire_core::Value;
use polywire_core::tools::adapt::Doubles;
use polywire_formats::csv::FORMAT;
use serde_json::Value as Json;

use crate::outcome::Outcome;
use crate::testee;

/// Returns the text of a cell. Only one spelling of a number is read as one, so its text is known.
fn text(cell: &Value) -> String {
    match cell {
        Value::Null => String::new(),
        Value::Bool(value) => value.to_string(),
        Value::Int(value) => value.to_string(),
        Value::UInt(value) => value.to_string(),
        Value::Text(text) | Value::Big(text) | Value::Decimal(text) => text.clone(),
        other => testee::value_written(&polywire_formats::json::FORMAT, other)
            .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
            .unwrap_or_else(|error| error.to_string()),
    }
}

/// Reads a table: the cells of each row, with their column's name.
fn rows(input: &[u8]) -> polywire_core::Result<Vec<Vec<(String, String)>>> {
    let rows = testee::all(&FORMAT, Doubles::Keep, input)?;
    let cells = |row: &Value| match row {
        Value::Record { fields, .. } => fields.iter().map(|(name, cell)| (name.clone(), text(cell))).collect(),
        Value::Map(pairs) => pairs.iter().map(|(name, cell)| (text(name), text(cell))).collect(),
        other => vec![(String::new(), text(other))],
    };
    Ok(rows.iter().map(cells).collect())
}

/// Judges a table by its rows as objects of texts.
fn objects(input: &[u8], judge: &Json) -> Outcome {
    Outcome::read(rows(input), |rows| {
        let judge = judge.as_array().map(Vec::as_slice).unwrap_or_default();
        let same = |row: &Vec<(String, String)>, judge: &Json| {
            judge.as_object().is_some_and(|members| {
                members.len() == row.len() && row.iter().all(|(name, cell)| members.get(name).and_then(Json::as_str) == Some(cell))
            })
        };
        let right = rows.len() == judge.len() && rows.iter().zip(judge).all(|(row, judge)| same(row, judge));
        Outcome::value(right, || format!("read {rows:?}").chars().take(300).collect())
    })
}

//! csv-test-data: tables beside header and rows in JSON, and malformed ones.

use serde_json::Value as Json;

use crate::cases::Cases;
use crate::outcome::Outcome;
use crate::suite::Suite;
use crate::{csv, files};

/// csv-test-data.
pub static SUITE: Suite = Suite {
    name: "csv-test-data",
    format: "CSV",
    title: "csv-test-data",
    folder: "sineemore+csv-test-data",
    needs: "csv",
    licence: "MIT",
    rule: "each table has the header and rows of its JSON, as texts; `bad-*` is refused",
    others: "",
    run,
};

fn run(cases: &mut Cases<'_>) -> Result<(), String> {
    let root = cases.root().to_path_buf();
    for path in files::in_folder(&root.join("csv"), |name| name.ends_with(".csv"))? {
        let name = files::name(&path);
        let input = files::bytes(&path)?;
        if name.starts_with("bad-") {
            cases.run("refused", name, || Outcome::refused(csv::rows(&input)));
            continue;
        }
        let judge = files::json(&root.join("json").join(name.replace(".csv", ".json")))?;
        cases.run("tables", name, || {
            Outcome::read(csv::rows(&input), |rows| Outcome::value(is(&rows, &judge), || format!("read {rows:?}")))
        });
    }
    Ok(())
}

/// Returns whether rows are those of a list of rows, the header first, or of a list of objects.
fn is(rows: &[Vec<(String, String)>], judge: &Json) -> bool {
    let Some(judge) = judge.as_array() else { return false };
    if judge.first().is_some_and(Json::is_object) || judge.is_empty() {
        return rows.len() == judge.len()
            && rows.iter().zip(judge).all(|(row, judge)| {
                judge.as_object().is_some_and(|members| {
                    members.len() == row.len() && row.iter().all(|(name, cell)| members.get(name).and_then(Json::as_str) == Some(cell))
                })
            });
    }
    let texts =
        |row: &Json| row.as_array().map(|cells| cells.iter().map(|cell| cell.as_str().unwrap_or_default().to_string()).collect::<Vec<_>>());
    let Some((header, judge)) = judge.split_first() else { return false };
    let Some(header) = texts(header) else { return false };
    rows.len() == judge.len()
        && rows.iter().zip(judge).all(|(row, judge)| {
            row.iter().map(|(name, _)| name).eq(&header) && texts(judge).is_some_and(|judge| row.iter().map(|(_, cell)| cell).eq(&judge))
        })
}

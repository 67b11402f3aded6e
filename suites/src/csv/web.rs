//! CSV on the Web: the part of its tests that is plain tables.

use serde_json::{Map, Value as Json};

use crate::cases::Cases;
use crate::outcome::Outcome;
use crate::suite::Suite;
use crate::{csv, files};

/// The tests of CSV on the Web.
pub static SUITE: Suite = Suite {
    name: "csv-web",
    format: "CSV",
    title: "CSV on the Web",
    folder: "w3c+csvw",
    needs: "tests/manifest-json.jsonld",
    licence: "W3C-20150513",
    rule: "the tests of csv2json without metadata: each row describes the same names and texts",
    others: "",
    run,
};

fn run(cases: &mut Cases<'_>) -> Result<(), String> {
    let root = cases.root().join("tests");
    let manifest = files::json(&root.join("manifest-json.jsonld"))?;
    for test in manifest["entries"].as_array().into_iter().flatten() {
        let action = test["action"].as_str().unwrap_or_default();
        let plain = action.ends_with(".csv")
            && test.get("implicit").is_none()
            && test["option"].get("metadata").is_none()
            && test.get("httpLink").is_none();
        let (true, Some(result)) = (plain, test["result"].as_str()) else {
            cases.skip("needs metadata of CSV on the Web, which is not ours");
            continue;
        };
        let input = files::bytes(&root.join(action))?;
        let judge = files::json(&root.join(result))?;
        let name = format!(
            "{} {}",
            test["id"].as_str().unwrap_or_default().trim_start_matches("manifest-json#"),
            test["name"].as_str().unwrap_or_default()
        );
        cases.run("tables", name, || {
            Outcome::read(csv::rows(&input), |rows| {
                let judge = described(&judge);
                // An empty cell describes nothing.
                let ours: Vec<Vec<(String, String)>> =
                    rows.iter().map(|row| row.iter().filter(|(_, cell)| !cell.is_empty()).cloned().collect()).collect();
                let same = |row: &Vec<(String, String)>, judge: &Map<String, Json>| {
                    row.len() == judge.len() && row.iter().all(|(name, cell)| judge.get(name).and_then(Json::as_str) == Some(cell))
                };
                let right = ours.len() == judge.len() && ours.iter().zip(&judge).all(|(row, judge)| same(row, judge));
                Outcome::value(right, || format!("read {ours:?}").chars().take(300).collect())
            })
        });
    }
    Ok(())
}

/// Returns the objects that rows describe, in standard or minimal mode.
fn described(result: &Json) -> Vec<Map<String, Json>> {
    if let Some(rows) = result.as_array() {
        return rows.iter().filter_map(Json::as_object).cloned().collect();
    }
    let rows = result["tables"].as_array().into_iter().flatten().flat_map(|table| table["row"].as_array().into_iter().flatten());
    rows.flat_map(|row| row["describes"].as_array().into_iter().flatten()).filter_map(Json::as_object).cloned().collect()
}

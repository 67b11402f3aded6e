//! csv-spectrum: tables beside their rows in JSON.

use crate::cases::Cases;
use crate::suite::Suite;
use crate::{csv, files};

/// csv-spectrum.
pub static SUITE: Suite = Suite {
    name: "csv-spectrum",
    format: "CSV",
    title: "csv-spectrum",
    folder: "max-mapper+csv-spectrum",
    needs: "csvs",
    licence: "BSD-2-Clause",
    rule: "each table has the rows of its JSON, as texts",
    others: "",
    run,
};

fn run(cases: &mut Cases<'_>) -> Result<(), String> {
    let root = cases.root().to_path_buf();
    for path in files::in_folder(&root.join("csvs"), |name| name.ends_with(".csv"))? {
        let name = files::name(&path);
        let input = files::bytes(&path)?;
        let judge = files::json(&root.join("json").join(name.replace(".csv", ".json")))?;
        cases.run("tables", name, || csv::objects(&input, &judge));
    }
    Ok(())
}

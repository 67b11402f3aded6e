//! JSONTestSuite: what every parser has to accept, refuse, or may decide.

use crate::cases::Cases;
use crate::suite::Suite;
use crate::{files, json};

/// JSONTestSuite.
pub static SUITE: Suite = Suite {
    name: "json-parsing",
    format: "JSON",
    title: "JSONTestSuite",
    folder: "nst+JSONTestSuite",
    needs: "test_parsing",
    licence: "MIT",
    rule: "`y_` is read, with the value that serde_json reads, and its text is written so that serde_json reads the same again; `n_` \
           is refused; `i_` and transforms are free, but never a panic. Of duplicate keys the last counts (`--duplicate-keys last`)",
    others: "",
    run,
};

fn run(cases: &mut Cases<'_>) -> Result<(), String> {
    let root = cases.root().to_path_buf();
    for (folder, part) in [("test_parsing", "parsing"), ("test_transform", "transform")] {
        if !root.join(folder).is_dir() {
            continue;
        }
        for path in files::in_folder(&root.join(folder), |name| name.ends_with(".json"))? {
            let (name, text) = (files::name(&path), files::bytes(&path)?);
            cases.run(part, name.clone(), || if part == "parsing" { json::by_letter(&name, &text) } else { json::free(&text) });
        }
    }
    Ok(())
}

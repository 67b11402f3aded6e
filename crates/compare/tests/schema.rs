//! The JSON Schema of the report, as it is published.

use polywire_compare::report::schema;
use serde_json::Value;

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/compare-report.schema.json");

#[test]
fn the_published_schema_is_that_of_the_report() {
    let schema = schema();
    if std::env::var_os("WRITE_SCHEMA").is_some() {
        std::fs::write(FILE, format!("{}\n", serde_json::to_string_pretty(&schema).unwrap())).unwrap();
    }
    let published: Value = serde_json::from_slice(&std::fs::read(FILE).unwrap_or_default()).unwrap_or_default();
    // The order of members is another where a crate beside this one wants it kept.
    assert!(published == schema, "WRITE_SCHEMA=1 cargo test -p polywire-compare --test schema writes docs/compare-report.schema.json");
}

#[test]
fn every_figure_has_its_meaning() {
    let schema = schema();
    let records = schema["$defs"].as_object().unwrap();
    assert!(records.len() > 20, "{}", records.len());
    let bare = ["Ratios", "RivalRatios", "Quantiles"];
    for (name, record) in records.iter().filter(|(name, _)| !bare.contains(&name.as_str())) {
        assert!(record["description"].is_string(), "{name}");
        for (field, about) in record["properties"].as_object().into_iter().flatten() {
            assert!(about["description"].is_string(), "{name}.{field}");
        }
    }
    assert!(records["RowSchema"]["properties"]["text"].is_null(), "left out of the report");
}

//! The report for programs: the record as it is.

use polywire_core::{Error, Result};

use crate::comparison::Comparison;

/// Returns a comparison as an indented JSON document that ends with a line break; several, of
/// messages of several kinds, as an array of them.
///
/// # Errors
/// None for comparisons that [`compare`](crate::compare()) returned.
pub fn json(comparisons: &[Comparison]) -> Result<String> {
    let text = match comparisons {
        [one] => serde_json::to_string_pretty(one),
        several => serde_json::to_string_pretty(several),
    };
    let mut text = text.map_err(|error| Error::internal(format!("a record that cannot be written: {error}")))?;
    text.push('\n');
    Ok(text)
}

/// Returns the JSON Schema of the report: of one comparison, or of several.
#[cfg(feature = "schema")]
pub fn schema() -> serde_json::Value {
    /// A report of `polywire compare --report json`: a comparison, or one for each kind of
    /// messages.
    #[derive(schemars::JsonSchema)]
    #[serde(untagged)]
    #[allow(dead_code)]
    enum Report {
        One(Box<Comparison>),
        Several(Vec<Comparison>),
    }
    schemars::schema_for!(Report).to_value()
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::super::sample;
    use super::*;

    #[test]
    fn the_shape_is_what_programs_rely_on() {
        let text = json(&[sample::comparison(1.0)]).unwrap();
        let record: Value = serde_json::from_str(&text).unwrap();
        let keys = [
            "version", "input", "base", "sort", "rows", "fields", "columns", "baseline", "programs", "method", "machine", "made", "advice",
            "caveats",
        ];
        assert_eq!(record.as_object().unwrap().len(), keys.len());
        assert!(keys.map(|key| text.find(&format!("\n  \"{key}\": "))).is_sorted() && keys.iter().all(|key| record.get(key).is_some()));
        assert_eq!(record["version"], 2);
        let row = &record["rows"][0];
        assert_eq!((&row["verdict"], &row["rank"]), (&Value::from("exact"), &Value::from(1)));
        for path in ["/sizes/raw", "/sizes/dictionary/zstd", "/times/encode/ns/median", "/times/scan/mb_per_s", "/ratios/batch_zstd"] {
            assert!(row.pointer(path).is_some_and(Value::is_number), "{path}");
        }
        for path in ["/rivals/0/raw", "/rivals/0/encode/ns/median", "/rivals/0/decode/allocations", "/rivals/0/ratios/decode"] {
            assert!(row.pointer(path).is_some_and(Value::is_number), "{path}");
        }
        for path in ["/programs/0/claimed", "/programs/0/run/median", "/programs/0/start_up/median", "/programs/0/per_message/q1"] {
            assert!(record.pointer(path).is_some_and(Value::is_number), "{path}");
        }
        let rows = record["rows"].as_array().unwrap();
        let refused = rows.iter().find(|row| row["verdict"] == "impossible").unwrap();
        assert_eq!((&refused["sizes"], &refused["rank"], &refused["schema"]), (&Value::Null, &Value::Null, &Value::Null));
        let schema = serde_json::json!({
            "origin": "inferred", "file": null, "name": "learner.schema", "bytes": 1234, "zstd": 567, "no_text": null,
            "learned_on": 50, "held_out": 50, "unfit": 2, "charged_as": "first"
        });
        let learner = rows.last().unwrap();
        assert_eq!((&learner["group"], &learner["rank"], &learner["schema"]), (&Value::from("with-schema"), &Value::from(1), &schema));
        assert_eq!(record["rows"][0]["group"], "without-schema");
        assert!(record.pointer("/method/measured_messages").is_some_and(Value::is_number));
    }
}

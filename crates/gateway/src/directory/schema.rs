//! The JSON Schema of the configuration, for editors and checks.

use serde_json::{Map, Value, json};

use super::settings::Settings;

/// Returns the schema of `config.json` (JSON Schema 2020-12). The gateway's own settings have their
/// types; other members are free.
pub fn schema() -> Value {
    let mut schema = schemars::schema_for!(Settings).to_value();
    elsewhere(&mut schema);
    if let Some(root) = schema.as_object_mut() {
        root.insert("title".to_owned(), json!("config.json of Polywire's gateway"));
        let known = root.entry("$defs").or_insert_with(|| Value::Object(Map::new()));
        known["Elsewhere"] = json!({
            "description": "A text that lies elsewhere: in a variable of the environment, or in a file. It is a secret.",
            "type": "object",
            "minProperties": 1,
            "maxProperties": 1,
            "additionalProperties": false,
            "properties": {"$env": {"type": "string"}, "$file": {"type": "string"}},
        });
    }
    schema
}

/// Lets every text lie elsewhere.
fn elsewhere(schema: &mut Value) {
    match schema {
        Value::Array(items) => items.iter_mut().for_each(elsewhere),
        Value::Object(members) => {
            // Names are texts, and values of members may be.
            for (name, member) in members.iter_mut() {
                if name != "default" && name != "enum" && name != "const" {
                    elsewhere(member);
                }
            }
            let kind = members.get("type").cloned();
            let is_text = |kind: &Value| kind == "string";
            let plain = kind.as_ref().is_some_and(is_text);
            let or_null = kind.as_ref().and_then(Value::as_array).is_some_and(|kinds| kinds.iter().any(is_text));
            if plain || or_null {
                members.remove("type");
                members.insert("anyOf".to_owned(), json!([{"type": kind}, {"$ref": "#/$defs/Elsewhere"}]));
            }
        }
        _ => {}
    }
}

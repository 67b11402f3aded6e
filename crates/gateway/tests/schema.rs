//! The JSON Schema of the configuration, as it is published.

use polywire_gateway::directory::schema::schema;
use serde_json::Value;

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/gateway-config.schema.json");

#[test]
fn the_published_schema_is_that_of_the_settings() {
    let schema = schema();
    if std::env::var_os("WRITE_SCHEMA").is_some() {
        std::fs::write(FILE, format!("{}\n", serde_json::to_string_pretty(&schema).unwrap())).unwrap();
    }
    let published: Value = serde_json::from_slice(&std::fs::read(FILE).unwrap_or_default()).unwrap_or_default();
    // The order of members is another where a crate beside this one wants it kept.
    assert!(published == schema, "WRITE_SCHEMA=1 cargo test -p polywire-gateway --test schema writes docs/gateway-config.schema.json");
}

#[test]
fn every_setting_has_its_type_and_its_meaning() {
    let schema = schema();
    let settings = schema["properties"].as_object().unwrap();
    assert!(settings.len() > 30 && settings.contains_key("maxResponseLength") && !settings.contains_key("secretValues"), "{settings:?}");
    for (name, setting) in settings {
        assert!(setting["description"].is_string(), "{name}");
        let typed = ["type", "anyOf", "$ref", "allOf"].iter().any(|key| !setting[*key].is_null());
        assert!(typed || name == "cache", "{name}: {setting}");
    }
    let token = &schema["$defs"]["AdHoc"]["properties"]["token"];
    assert_eq!(token["anyOf"][1]["$ref"], "#/$defs/Elsewhere", "{token}");
    assert_ne!(schema["additionalProperties"], Value::Bool(false));
}

#[test]
fn docs_list_every_setting() {
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/gateway.md")).unwrap();
    for name in schema()["properties"].as_object().unwrap().keys() {
        assert!(page.contains(&format!("`{name}`")), "docs/gateway.md does not name {name}");
    }
}

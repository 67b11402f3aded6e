//! The OpenAPI document.

use serde_json::{Value, json};

use crate::server::Server;

async fn document(config: Value, files: &[(&str, &str)]) -> Value {
    let server = Server::with(config, files).await;
    assert_eq!(server.problems, [""; 0]);
    let reply = server.get("/openapi.json", "*/*").await;
    assert_eq!((reply.status.as_u16(), reply.header("content-type")), (200, "application/json"));
    reply.json()
}

/// The value that a reference of the document names.
fn resolved<'d>(document: &'d Value, value: &'d Value) -> &'d Value {
    match value["$ref"].as_str() {
        Some(place) => document.pointer(place.strip_prefix('#').unwrap()).unwrap_or_else(|| panic!("{place} leads nowhere")),
        None => value,
    }
}

fn references(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(members) => members.iter().for_each(|(name, value)| match value {
            Value::String(place) if name == "$ref" => found.push(place.clone()),
            value => references(value, found),
        }),
        Value::Array(values) => values.iter().for_each(|value| references(value, found)),
        _ => {}
    }
}

const ROUTES: [(&str, &str); 6] = [
    ("routes/a.ql", "-- Finds *things*\nreturn 1 via route '/find/{kw}?page={p}&sort={s}' using defaults p = 1 using method get"),
    ("routes/b.ql", "-- by colour\nreturn 2 via route '/find/{word}?colour={c}&sort={^o}' with optional params using method get"),
    ("routes/c.ql", "return 3 via route '/find/{x}' using method post"),
    ("routes/d.ql", "return 4 via route '/n/{^n}.json' using method delete"),
    ("routes/e.ql", "return [] via route '/e' using method put using encoder 'protobuf' schema 'e.proto' message 'E'"),
    ("routes/e.proto", "syntax = \"proto3\"; message E { repeated string a = 1; }"),
];

#[tokio::test]
async fn every_route_is_an_operation() {
    let document = document(json!({}), &ROUTES).await;
    assert_eq!(document["openapi"], "3.1.0");
    let paths: Vec<&String> = document["paths"].as_object().unwrap().keys().collect();
    assert_eq!(paths, ["/e", "/find/{kw}", "/n/{n}.json", "/q"]);

    let mut places = Vec::new();
    references(&document, &mut places);
    assert!(!places.is_empty());
    let mut ids = Vec::new();
    for (path, methods) in document["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            ids.push(operation["operationId"].as_str().unwrap());
            let parameters = operation["parameters"].as_array().unwrap();
            let in_path = parameters.iter().filter(|parameter| parameter["in"] == "path");
            let in_path: Vec<&str> = in_path.map(|parameter| parameter["name"].as_str().unwrap()).collect();
            assert_eq!(in_path.len(), path.matches('{').count(), "{method} {path}");
            assert!(in_path.iter().all(|name| path.contains(&format!("{{{name}}}"))), "{method} {path}");
            let content = &resolved(&document, &operation["responses"]["200"])["content"];
            assert!(content["application/json"].is_object() && content["application/cbor"].is_object());
            assert_eq!(content["application/x-protobuf"].is_object(), path == "/e", "{method} {path}");
            let failure = resolved(&document, &operation["responses"]["default"]);
            let schema = resolved(&document, &failure["content"]["application/json"]["schema"]);
            assert_eq!(schema["required"], json!(["message", "code", "status"]));
            let has_body = ["post", "put", "patch"].contains(&method.as_str());
            assert_eq!(operation.get("requestBody").is_some(), has_body, "{method} {path}");
        }
    }
    ids.sort_unstable();
    assert_eq!(ids, ["delete_n_n_json", "get_find_kw", "post_find_kw", "put_e", "q", "q_post"]);
    for place in places {
        resolved(&document, &json!({"$ref": place}));
    }
}

#[tokio::test]
async fn routes_of_one_path_are_one_operation() {
    let document = document(json!({}), &ROUTES).await;
    let find = &document["paths"]["/find/{kw}"]["get"];
    assert_eq!(find["description"], "Finds *things*\n\nby colour");
    let text = json!({"type": "string"});
    assert_eq!(
        find["parameters"],
        json!([
            {"name": "kw", "in": "path", "required": true, "schema": text},
            {"name": "page", "in": "query", "required": false, "schema": {"type": "string", "default": "1"}},
            {"name": "sort", "in": "query", "required": true, "schema": text},
            {"name": "colour", "in": "query", "required": false, "schema": text},
        ])
    );
    assert_eq!(document["paths"]["/find/{kw}"]["post"]["requestBody"], json!({"$ref": "#/components/requestBodies/Body"}));
    let body = &document["components"]["requestBodies"]["Body"]["content"];
    for media in ["application/json", "application/xml", "multipart/related", "application/x-www-form-urlencoded", "application/msgpack"] {
        assert!(body[media].is_object(), "{media}");
    }
}

#[tokio::test]
async fn scripts_of_callers_are_in_it_if_they_run() {
    let off = document(json!({"adHoc": {"enabled": false}}), &ROUTES).await;
    assert!(off["paths"].get("/q").is_none());
    let on = document(json!({"adHoc": {"token": "secret"}}), &ROUTES).await;
    assert_eq!(on["paths"]["/q"]["get"]["security"], json!([{"token": []}]));
    assert_eq!(on["components"]["securitySchemes"]["token"]["scheme"], "bearer");
    assert!(!on.to_string().contains("secret"));
    assert_eq!(on["paths"]["/q"]["get"]["parameters"][0]["required"], true);
}

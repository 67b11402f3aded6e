//! The routes as an OpenAPI 3.1 document.

use std::collections::{BTreeMap, HashMap, HashSet};

use polywire_core::format::SchemaNeed;
use polywire_formats::registry;
use polywire_ql::link;
use polywire_ql::plan::Plan;
use polywire_ql::route::Route;
use serde_json::{Map, Value, json};

use super::pages;
use crate::decode::{Offer, data_type};
use crate::directory::Directory;

/// Returns the document for answers in `offers`. `scripts` is true if scripts of callers run.
pub(super) fn document(directory: &Directory, offers: &[Offer], scripts: bool) -> Value {
    let mut paths = paths(directory);
    let mut components = json!({
        "schemas": {"Failure": failure()},
        "responses": {
            "Answer": answer(offers),
            "Failure": {
                "description": "The error, its place, and a remedy.",
                "content": {(data_type()): {"schema": {"$ref": "#/components/schemas/Failure"}}},
            },
        },
        "headers": headers(),
        "requestBodies": {"Body": body()},
    });
    if scripts {
        let token = directory.settings.ad_hoc.token.is_some();
        if token {
            components["securitySchemes"] = json!({"token": {"type": "http", "scheme": "bearer"}});
        }
        paths.insert("/q".to_owned(), ad_hoc(token));
    }
    let title = directory.root.file_name().map_or_else(|| "Gateway".to_owned(), |name| name.to_string_lossy().into_owned());
    json!({
        "openapi": "3.1.0",
        "info": {"title": title, "version": env!("CARGO_PKG_VERSION")},
        "paths": paths,
        "components": components,
    })
}

/// Routes that only differ in the query that they need: one operation of the document.
type Operation<'r> = Vec<(&'r Plan, &'r Route)>;

fn paths(directory: &Directory) -> Map<String, Value> {
    let plans = directory.routes().all();
    // Paths that differ in nothing but names are the same path (OpenAPI 4.8.8.2): the names of the
    // first are used.
    let mut known: HashMap<String, (String, Vec<String>)> = HashMap::new();
    let mut operations: BTreeMap<(String, String), Operation<'_>> = BTreeMap::new();
    for plan in &plans {
        let Some(route) = &plan.route else { continue };
        let (path, _) = known.entry(shape(route)).or_insert_with(|| (template(route), names(route)));
        operations.entry((path.clone(), route.method.clone())).or_default().push((&**plan, &**route));
    }
    let mut ids = HashSet::new();
    let mut paths = Map::new();
    for ((path, method), routes) in operations {
        let names = routes.first().and_then(|(_, route)| known.get(&shape(route))).map_or(&[][..], |(_, names)| names);
        let operation = operation(directory, &routes, names, &id(&path, &method, &mut ids));
        if let Value::Object(methods) = paths.entry(path).or_insert_with(|| json!({})) {
            methods.insert(method, operation);
        }
    }
    paths
}

/// Returns the path with its names, as OpenAPI writes it.
fn template(route: &Route) -> String {
    route.path.replace("{^", "{")
}

/// Returns the path without its names.
fn shape(route: &Route) -> String {
    route.parts().fold(String::new(), |shape, (before, name)| match name {
        Some((_, behind)) => format!("{shape}/{before}{{}}{behind}"),
        None => format!("{shape}/{before}"),
    })
}

fn names(route: &Route) -> Vec<String> {
    route.parts().filter_map(|(_, name)| name).map(|(name, _)| name.to_owned()).collect()
}

/// Returns a unique name for an operation.
fn id(path: &str, method: &str, known: &mut HashSet<String>) -> String {
    let words = path.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let plain = std::iter::once(method).chain(words).collect::<Vec<_>>().join("_");
    let mut id = plain.clone();
    let mut number = 2;
    while !known.insert(id.clone()) {
        id = format!("{plain}_{number}");
        number += 1;
    }
    id
}

fn operation(directory: &Directory, routes: &Operation<'_>, names: &[String], id: &str) -> Value {
    let mut operation = json!({
        "operationId": id,
        "parameters": parameters(routes, names),
        "responses": {"200": {"$ref": "#/components/responses/Answer"}, "default": {"$ref": "#/components/responses/Failure"}},
    });
    let about: Vec<&str> = routes.iter().map(|(_, route)| route.about.as_str()).filter(|about| !about.is_empty()).collect();
    if !about.is_empty() {
        operation["description"] = json!(about.join("\n\n"));
    }
    let mut offers: Vec<&Offer> = Vec::new();
    for offer in routes.iter().filter_map(|(plan, _)| directory.offers(plan)).flatten() {
        if !offers.iter().any(|known| known.media_type == offer.media_type) {
            offers.push(offer);
        }
    }
    if !offers.is_empty() {
        operation["responses"]["200"] = answer(offers);
    }
    if routes.iter().any(|(_, route)| matches!(route.method.as_str(), "post" | "put" | "patch")) {
        operation["requestBody"] = json!({"$ref": "#/components/requestBodies/Body"});
    }
    if let Some((_, route)) = routes.first() {
        operation["externalDocs"] = json!({"url": link::route(route), "description": "Tables and parameters of the route"});
    }
    operation
}

/// Returns the parameters of the path, then those that any of the routes takes from the query. A
/// parameter is required if each route requires it.
fn parameters(routes: &Operation<'_>, names: &[String]) -> Vec<Value> {
    let mut seen = HashSet::new();
    let unique = names.iter().filter(|name| seen.insert(name.as_str()));
    let mut parameters: Vec<Value> =
        unique.map(|name| json!({"name": name, "in": "path", "required": true, "schema": {"type": "string"}})).collect();
    let mut known = HashSet::new();
    for (_, route) in routes {
        for parameter in &route.query {
            if !known.insert(parameter.name.as_str()) {
                continue;
            }
            let required = routes.iter().all(|(_, route)| route.query.iter().any(|other| other.name == parameter.name && other.required));
            let mut schema = json!({"type": "string"});
            if let Some(default) = route.default(&parameter.parameter) {
                schema["default"] = json!(pages::text(&default.written));
            }
            parameters.push(json!({"name": parameter.name, "in": "query", "required": required, "schema": schema}));
        }
    }
    parameters
}

/// Returns the result of a script, in each of its formats.
fn answer<'o>(offers: impl IntoIterator<Item = &'o Offer>) -> Value {
    let content: Map<String, Value> = offers.into_iter().map(|offer| (offer.media_type.to_owned(), json!({}))).collect();
    let headers: Map<String, Value> = ["polywire-losses", "polywire-partial"]
        .map(|name| (name.to_owned(), json!({"$ref": format!("#/components/headers/{name}")})))
        .into_iter()
        .collect();
    json!({"description": "The result of the script, in the format that `Accept` wants most.", "content": content, "headers": headers})
}

fn headers() -> Value {
    json!({
        "polywire-losses": {"description": "Losses of the answer's format.", "schema": {"type": "string"}},
        "polywire-partial": {"description": "Number of failed requests whose rows are missing.", "schema": {"type": "integer"}},
    })
}

/// Returns the body of a request, in each format that can be read without a schema.
fn body() -> Value {
    let forms = ["application/x-www-form-urlencoded", "multipart/form-data", "multipart/related", "multipart/mixed"];
    let formats = registry::FORMATS
        .iter()
        .filter(|format| format.schema != SchemaNeed::Required)
        .flat_map(|format| format.media_types.iter().copied());
    let content: Map<String, Value> = forms.into_iter().chain(formats).map(|media| (media.to_owned(), json!({}))).collect();
    json!({"description": "Its members are variables of the script; anything else is opaque.", "content": content})
}

fn failure() -> Value {
    let text = |description: &str| json!({"type": "string", "description": description});
    let number = |description: &str| json!({"type": "integer", "description": description});
    json!({
        "type": "object",
        "required": ["message", "code", "status"],
        "properties": {
            "message": text("Text of the error, for people."),
            "code": text("Kind of the error, for programs."),
            "status": number("HTTP status of this answer."),
            "line": number("Line of the statement in its script."),
            "statement": text("The statement."),
            "verb": text("Verb of the statement."),
            "table": text("Table of the statement."),
            "uri": text("URI of the request to the service."),
            "upstreamStatus": number("HTTP status of the service."),
            "body": {"description": "Answer of the service."},
            "cause": text("Underlying cause."),
            "hint": text("Remedy."),
        },
    })
}

fn ad_hoc(token: bool) -> Value {
    let mut get = json!({
        "operationId": "q",
        "description": "Runs a script. Other parameters of the query are parameters of the script.",
        "parameters": [{"name": "s", "in": "query", "required": true, "description": "The script.", "schema": {"type": "string"}}],
        "responses": {"200": {"$ref": "#/components/responses/Answer"}, "default": {"$ref": "#/components/responses/Failure"}},
    });
    if token {
        get["security"] = json!([{"token": []}]);
    }
    let mut post = get.clone();
    post["operationId"] = json!("q_post");
    post["parameters"][0]["required"] = json!(false);
    let form = json!({"type": "object", "properties": {"s": {"type": "string", "description": "The script."}}});
    post["requestBody"] = json!({"content": {"application/x-www-form-urlencoded": {"schema": form}}});
    json!({"get": get, "post": post})
}

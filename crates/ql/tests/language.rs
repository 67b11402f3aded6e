//! The shared vectors, as far as they need no network: `testdata/ql`, and `$POLYWIRE_VECTORS/ql`.
//! Those that need HTTP itself are run by the gateway.

mod common;

use std::collections::BTreeSet;
use std::process::ExitCode;
use std::sync::Arc;

use polywire_core::text::diagnostic::Source;
use polywire_doc::Datum;
use polywire_ql::error::QueryError;
use polywire_ql::execute::Execution;
use polywire_ql::limits::Limits;
use polywire_ql::plan::Plan;
use polywire_ql::routes::{Found, Routes};
use polywire_ql::template::mutable::MutableUri;
use polywire_ql::testing::datum;
use polywire_testing::vectors;
use serde_json::{Value, json};

use common::{BASE, Known, World};

/// The committed cases that need HTTP, a media type other than JSON, a template engine, or the
/// server's own pages.
const FOR_THE_GATEWAY: &[&str] = &[
    "http-charset-latin1",
    "http-csv-noheader",
    "http-deflate",
    "http-redirect-absolute-301",
    "insert-post-mustache",
    "post-select-template",
    "srv-404-text",
    "srv-json-accept-route-header",
    "srv-jsonp",
    "srv-missing-query",
    "srv-tables-json",
    "xml-attributes",
    "xml-basic",
    "xml-coercion",
    "xml-empty-element",
    "xml-entity-spacing",
    "xml-repeat-array",
    "xml-resultset-columns",
];

#[allow(clippy::print_stdout)] // A test's report.
fn main() -> ExitCode {
    let verdicts = Value::Array(vectors::verdicts("ql")).to_string().replace("$BASE", BASE);
    let verdicts: Vec<Value> = serde_json::from_str(&verdicts).expect("still JSON");
    let mut left = BTreeSet::new();
    let code = vectors::run("ql", |case| {
        if needs_gateway(case) {
            left.insert(case["id"].as_str().unwrap_or_default().to_string());
            return Ok(());
        }
        check(case, &verdicts)
    });
    println!("ql: of these, {} are left to the gateway", left.len());
    let expected = FOR_THE_GATEWAY.iter().map(|id| (*id).to_string()).collect();
    let committed: BTreeSet<String> = if std::env::var_os("POLYWIRE_VECTORS").is_some() { &left & &expected } else { left };
    if committed != expected {
        println!("ql: left to the gateway without need, or run without a network: {:?}", &committed ^ &expected);
        return ExitCode::FAILURE;
    }
    code
}

/// Returns whether a case needs more than the language. It is judged by its members, so that cases
/// which are kept elsewhere are sorted too.
fn needs_gateway(case: &Value) -> bool {
    let rules = case["backend"].as_array().map_or(&[][..], Vec::as_slice);
    let plain = |rule: &Value| {
        let json = rule["headers"]
            .as_object()
            .is_none_or(|headers| headers.iter().all(|(name, value)| name == "content-type" && value == "application/json"));
        let redirect = (300..400).contains(&rule["status"].as_u64().unwrap_or(200));
        json && !redirect && ["compress", "body_base64", "drop", "delay_ms"].iter().all(|name| rule.get(name).is_none())
    };
    let hooks = |text: &str| text.contains("bodyTemplate") || text.contains("using patch") || text.contains("require(");
    let script = case["request"]["script"].as_str();
    let texts =
        ["tables", "routes"].iter().flat_map(|part| case[*part].as_object().into_iter().flatten()).filter_map(|(_, text)| text.as_str());
    let body = case["request"]["body"].as_str().unwrap_or_default();
    case["request"].is_array()
        || case["area"] == "xml"
        || (case["area"] == "server" && script.is_none_or(|_| case["request"].get("query").is_some()))
        || !rules.iter().all(plain)
        || texts.chain(script).any(hooks)
        || body.starts_with('<')
}

/// `a=b&c=d` as pairs.
fn pairs(query: &str) -> Vec<(String, String)> {
    let uri = MutableUri::read(&format!("?{query}"));
    uri.params().iter().flat_map(|(name, values)| values.iter().map(|value| (name.clone(), value.clone()))).collect()
}

fn object(pairs: &[(String, String)]) -> Datum {
    Datum::object(pairs.iter().map(|(name, value)| (name.as_str(), Datum::from(value.as_str()))))
}

fn check(case: &Value, verdicts: &[Value]) -> Result<(), String> {
    let case: Value = serde_json::from_str(&case.to_string().replace("$BASE", BASE)).expect("still JSON");
    let rules = case["backend"].as_array().cloned().unwrap_or_default();
    let mut world = World::new(&rules);
    let config = case.get("config").cloned().unwrap_or_else(|| json!({"maxNestedRequests": 50}));
    world.config = datum(&config.to_string());
    let nested = config["maxNestedRequests"].as_u64().unwrap_or(50) as usize;
    world.limits = Limits { nested_requests: nested, ..Limits::DEFAULT };
    let texts: Vec<&str> = case["tables"].as_object().into_iter().flatten().filter_map(|(_, text)| text.as_str()).collect();
    world.known = Known::tables(&texts, &world.config);
    let mut routes = Routes::default();
    for (name, text) in case["routes"].as_object().into_iter().flatten() {
        let source = Source::new(name.as_str(), text.as_str().unwrap_or_default());
        let plan = Plan::new(&source, &world.config, None).map_err(|error| error.to_string())?;
        routes.add(Arc::new(plan));
    }
    world.known.routes = routes.all();

    let request = &case["request"];
    let headers = request["headers"].as_object().into_iter().flatten();
    let headers: Vec<(String, String)> =
        headers.map(|(name, value)| (name.to_lowercase(), value.as_str().unwrap_or_default().to_string())).collect();
    world.request.headers = object(&headers);
    world.request.body = match &request["body"] {
        Value::Null => None,
        Value::String(text) => Some(object(&pairs(text))),
        value => Some(datum(&value.to_string())),
    };
    let outcome = match request["script"].as_str() {
        Some(script) => {
            world.request.query = object(&pairs(request["query"].as_str().unwrap_or_default()));
            run(&world, script)
        }
        None => {
            let path = request["path"].as_str().ok_or("a request without script and path")?;
            let (path, query) = path.split_once('?').unwrap_or((path, ""));
            let query = pairs(query);
            world.request.query = object(&query);
            match routes.find(request["method"].as_str().unwrap_or("GET"), path, &query) {
                Found::Script(plan, parameters) => {
                    world.request.route = parameters;
                    outcome(world.execute(&plan))
                }
                Found::NoMatch => Err(QueryError::new("no_matching_route", "No matching route")),
                Found::OtherMethods(_) | Found::Unknown => Err(QueryError::new("not_found", "Cannot find it").status(404)),
            }
        }
    };
    judge(&case, &world, outcome, verdicts)
}

type Outcome = Result<(Value, Vec<(String, String)>), QueryError>;

fn run(world: &World, script: &str) -> Outcome {
    match Plan::new(&Source::new("script", script), &world.config, None) {
        Ok(plan) => outcome(world.execute(&plan)),
        Err(diagnostics) => Err(QueryError::from(&diagnostics)),
    }
}

fn outcome(execution: Execution) -> Outcome {
    let value = execution.result?;
    Ok((value.map_or(Value::Null, |value| serde_json::from_slice(&value.to_json()).expect("JSON")), execution.headers))
}

fn judge(case: &Value, world: &World, outcome: Outcome, verdicts: &[Value]) -> Result<(), String> {
    let expect = &case["expect"];
    let status = expect["status"].as_u64().unwrap_or(200);
    // A verdict without an answer keeps the old one.
    let verdict = verdicts.iter().find(|verdict| verdict["id"] == case["id"] && verdict.get("answer").is_some());
    let (answer, headers) = match outcome {
        Err(failure) => {
            let told: Value = serde_json::from_slice(&failure.to_datum().to_json()).expect("JSON");
            // The right outcome may be a result where the old engine failed.
            if expect["error"] != true || case.get("want").is_some() {
                return Err(format!("failed: {told}"));
            }
            let part = expect["message_contains"].as_str().unwrap_or_default();
            let wrong = u64::from(failure.parts().status) != status
                || !failure.parts().message.contains(part)
                || expect.get("body").is_some_and(|body| told["body"] != *body);
            if wrong {
                return Err(format!("expected {expect}\n  failed with {told}"));
            }
            return requests(case, world, false);
        }
        Ok(_) if expect["error"] == true && case.get("want").is_none() => return Err(format!("no error, where {expect} is expected")),
        Ok(answer) => answer,
    };
    for (name, value) in expect["headers"].as_object().into_iter().flatten() {
        let came = headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str());
        if came != value.as_str() {
            return Err(format!("header {name}: {came:?} for {value}"));
        }
    }
    let as_wanted = case.get("want").is_some_and(|want| *want == answer);
    let as_decided = verdict.is_some_and(|verdict| verdict["answer"] == answer);
    // Where a better answer is known, the old one is not good enough.
    let as_expected = case.get("want").is_none() && verdict.is_none() && expect["json"] == answer;
    if as_wanted || as_decided || as_expected {
        return requests(case, world, as_wanted || as_decided);
    }
    let expected = case.get("want").or_else(|| verdict.map(|verdict| &verdict["answer"])).unwrap_or(&expect["json"]);
    vectors::same(&answer, expected)
}

/// Returns whether the requests that reached the backend are those expected; if `loosely`, only by
/// number and method.
fn requests(case: &Value, world: &World, loosely: bool) -> Result<(), String> {
    let names: Vec<&str> = case["capture_headers"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let seen = world.mock.seen.lock().expect("no panic");
    let mut came: Vec<Value> = seen
        .iter()
        .map(|seen| {
            if loosely {
                return json!({"method": seen.method});
            }
            let mut request = json!({"method": seen.method, "path": seen.path});
            let headers = seen.headers.iter().filter(|(name, _)| names.contains(&name.as_str()));
            let headers: serde_json::Map<String, Value> = headers.map(|(name, value)| (name.clone(), json!(value))).collect();
            if !headers.is_empty() {
                request["headers"] = Value::Object(headers);
            }
            request
        })
        .collect();
    let mut expected: Vec<Value> = case["backend_requests"].as_array().cloned().unwrap_or_default();
    if loosely {
        expected.iter_mut().for_each(|request| *request = json!({"method": request["method"]}));
    }
    came.sort_by_key(Value::to_string);
    expected.sort_by_key(Value::to_string);
    vectors::same(&json!(came), &json!(expected))
}

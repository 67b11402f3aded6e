//! Vectors over real HTTP on loopback: the shared ones of `testdata/ql` and `$POLYWIRE_VECTORS/ql`,
//! and our own of `testdata/ql/independent`. Each case has a backend, a directory and a gateway of
//! its own.

mod folder;
mod mock;
mod serving;

use std::process::ExitCode;
use std::sync::Arc;

use bytes::Bytes;
use http::Request;
use http_body_util::{BodyExt, Full};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use polywire_gateway::server::{Listening, Start};
use polywire_testing::vectors;
use serde_json::{Value, json};
use tokio::net::TcpListener;

use folder::Folder;
use mock::Mock;
use serving::Serving;

fn main() -> ExitCode {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a runtime");
    let verdicts = vectors::verdicts("ql");
    let mut failed = 0;
    for folder in ["ql", "ql/independent"] {
        let (passed, wrong) = vectors::tally(folder, |case| runtime.block_on(check(case, &verdicts)));
        assert!(passed + wrong > 0, "no case of {folder} was run");
        failed += wrong;
    }
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

async fn check(case: &Value, verdicts: &[Value]) -> Result<(), String> {
    let listener = TcpListener::bind("127.0.0.1:0").await.map_err(|error| error.to_string())?;
    let base = format!("http://{}", listener.local_addr().map_err(|error| error.to_string())?);
    let with_base = |value: &Value| -> Value { serde_json::from_str(&value.to_string().replace("$BASE", &base)).expect("still JSON") };
    let case = with_base(case);
    let verdict = verdicts.iter().find(|verdict| verdict["id"] == case["id"] && verdict.get("answer").is_some()).map(with_base);
    let mock = Arc::new(Mock::new(&case["backend"]));
    tokio::spawn(mock.clone().serve(listener));

    let folder = Folder::new();
    fill(&folder, &case);
    let serving = Serving::start(&folder, Start::default(), Listening::default()).await.map_err(|error| error.to_string())?;
    let problems: Vec<String> = serving.gateway.directory().problems.iter().map(ToString::to_string).collect();
    let at = format!("http://{}", serving.address);

    let client = Client::builder(TokioExecutor::new()).build_http();
    let requests = match &case["request"] {
        Value::Array(requests) => requests.clone(),
        one => vec![one.clone()],
    };
    let mut outcome = Ok(());
    for (number, request) in requests.iter().enumerate() {
        let answer = ask(&client, &at, request).await?;
        if number + 1 == requests.len() {
            outcome = judge(&case, verdict.as_ref(), &answer, &mock).map_err(|what| match problems.is_empty() {
                true => what,
                false => format!("{what}\n  left out: {}", problems.join("; ")),
            });
        }
    }
    outcome
}

/// Writes a case's tables, routes and configuration.
fn fill(folder: &Folder, case: &Value) {
    for part in ["tables", "routes"] {
        for (name, text) in case[part].as_object().into_iter().flatten() {
            folder.write(&format!("{part}/{name}"), text.as_str().unwrap_or_default());
        }
    }
    let mut config = case.get("config").cloned().unwrap_or_else(|| json!({"maxNestedRequests": 50}));
    config["allowPrivate"] = json!(["127.0.0.1:*"]);
    // ql.io answered by `callback` without being asked to.
    config["callback"] = json!(true);
    folder.write("config.json", config.to_string());
}

struct Answered {
    status: u16,
    headers: http::HeaderMap,
    body: Bytes,
}

async fn ask(client: &Client<HttpConnector, Full<Bytes>>, at: &str, request: &Value) -> Result<Answered, String> {
    let path = match request["script"].as_str() {
        Some(script) => {
            let query = request["query"].as_str().map(|query| format!("&{query}")).unwrap_or_default();
            format!("/q?s={}{query}", percent_encoding::utf8_percent_encode(script, percent_encoding::NON_ALPHANUMERIC))
        }
        None => request["path"].as_str().ok_or("a request without script and path")?.to_owned(),
    };
    let mut builder = Request::builder().method(request["method"].as_str().unwrap_or("GET")).uri(format!("{at}{path}"));
    let mut typed = false;
    for (name, value) in request["headers"].as_object().into_iter().flatten() {
        typed |= name.eq_ignore_ascii_case("content-type");
        builder = builder.header(name.as_str(), value.as_str().unwrap_or_default());
    }
    let body = match &request["body"] {
        Value::Null => Bytes::new(),
        Value::String(text) => Bytes::from(text.clone()),
        value => {
            if !typed {
                builder = builder.header("content-type", "application/json");
            }
            Bytes::from(value.to_string())
        }
    };
    let reply =
        client.request(builder.body(Full::new(body)).map_err(|error| error.to_string())?).await.map_err(|error| error.to_string())?;
    let (parts, body) = reply.into_parts();
    let body = body.collect().await.map_err(|error| error.to_string())?.to_bytes();
    Ok(Answered { status: parts.status.as_u16(), headers: parts.headers, body })
}

fn judge(case: &Value, verdict: Option<&Value>, answer: &Answered, mock: &Mock) -> Result<(), String> {
    let expect = &case["expect"];
    let text = String::from_utf8_lossy(&answer.body).into_owned();
    let wanted = case.get("want").or_else(|| verdict.map(|verdict| &verdict["answer"]));
    // A result may be right where the old server failed: its status goes with its body.
    let failed = expect["error"] == true && wanted.is_none();
    let told = || {
        let quirk =
            case.get("quirk").filter(|_| wanted.is_none()).map_or(String::new(), |quirk| format!("\n  a quirk without a verdict: {quirk}"));
        let expected = wanted.unwrap_or(expect);
        format!("expected {expected}\n  status {} with {text}{quirk}", answer.status)
    };
    if expect["error"] == true && !failed {
        if answer.status != 200 {
            return Err(told());
        }
    } else if u64::from(answer.status) != expect["status"].as_u64().unwrap_or(200) {
        return Err(told());
    }
    let header = |name: &str| answer.headers.get(name).and_then(|value| value.to_str().ok());
    for name in case["response_headers"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        if header(name) != expect["headers"][name].as_str() {
            return Err(format!("header {name}: {:?} for {}", header(name), expect["headers"][name]));
        }
    }
    // ql-D16: errors of the old server lost their media type, or had one that did not fit their
    // body.
    let essence = header("content-type").unwrap_or_default().split(';').next().unwrap_or_default();
    if let Some(media) = expect["content_type"].as_str().filter(|_| expect["error"] != true)
        && media != essence
    {
        return Err(format!("content-type {essence} for {media}"));
    }
    if failed {
        let part = expect["message_contains"].as_str().unwrap_or_default();
        let body: Value = serde_json::from_str(&text).unwrap_or_default();
        if !text.contains(part) || expect.get("body").is_some_and(|wanted| body["body"] != *wanted) {
            return Err(told());
        }
        return requests(case, mock, false);
    }
    if let Some(wanted) = expect["text"].as_str().filter(|_| wanted.is_none()) {
        return if text == wanted { requests(case, mock, false) } else { Err(told()) };
    }
    // Pages are compared by their status and type alone.
    let Some(expected) = wanted.or_else(|| expect.get("json")) else { return requests(case, mock, false) };
    let found: Value =
        if text.is_empty() { Value::Null } else { serde_json::from_str(&text).map_err(|error| format!("{error} in {text}"))? };
    vectors::same(&found, expected).map_err(|_| told()).and_then(|()| requests(case, mock, wanted.is_some()))
}

/// Checks the requests that reached the backend: if `loosely`, only their number and methods.
fn requests(case: &Value, mock: &Mock, loosely: bool) -> Result<(), String> {
    let names: Vec<&str> = case["capture_headers"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let mut expected: Vec<Value> = case["backend_requests"].as_array().cloned().unwrap_or_default();
    let with_body = expected.iter().any(|request| request.get("body").is_some());
    let mut came: Vec<Value> =
        mock.seen().iter().map(|seen| if loosely { json!({"method": seen.method}) } else { seen.told(&names, with_body) }).collect();
    if loosely {
        expected.iter_mut().for_each(|request| *request = json!({"method": request["method"]}));
    }
    came.sort_by_key(Value::to_string);
    expected.sort_by_key(Value::to_string);
    vectors::same(&json!(came), &json!(expected)).map_err(|what| format!("requests: {what}"))
}

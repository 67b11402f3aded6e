//! `/metrics`, read by a parser of the format.

use prometheus_parse::{Scrape, Value};
use serde_json::json;

use crate::world::World;

/// The value of a metric with these labels, and no others that matter.
fn value(scrape: &Scrape, name: &str, labels: &[(&str, &str)]) -> f64 {
    let fits = |sample: &&prometheus_parse::Sample| {
        sample.metric == name && labels.iter().all(|(label, value)| sample.labels.get(label) == Some(*value))
    };
    let found: Vec<_> = scrape.samples.iter().filter(fits).collect();
    assert_eq!(found.len(), 1, "{name} {labels:?}");
    match &found[0].value {
        Value::Counter(value) | Value::Gauge(value) => *value,
        other => panic!("{name}: {other:?}"),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_happens_is_counted() {
    let world = World::new(json!({})).await;
    for (path, status) in [("/find/lamp", 200), ("/find/lamp", 200), ("/lost", 502), ("/what/a/path", 404), ("/healthz", 200)] {
        assert_eq!(world.get(path, &[]).await.status, status, "{path}");
    }
    let partial = world.ask("a = select title from items where q in ('lamp', 'nothing'); return '{a}'", &[]).await;
    assert_eq!(partial.status, 200, "{}", partial.text);
    assert_eq!(world.ask("return select * from bad", &[]).await.status, 400);
    world.gateway.reload().unwrap();
    world.folder.write("config.json", "{");
    world.gateway.reload().map(|_| ()).unwrap_err();

    let answered = world.get("/metrics", &[]).await;
    assert_eq!(answered.headers["content-type"], "text/plain; version=0.0.4");
    // The format lets labels hold braces; this parser does not.
    let scrape = Scrape::parse(answered.text.lines().map(|line| Ok(line.replace("{word}", ":word")))).unwrap();
    let of = |name: &str, labels: &[(&str, &str)]| value(&scrape, name, labels);
    assert_eq!(of("polywire_requests_total", &[("route", "/find/:word"), ("method", "GET"), ("status", "2xx")]), 2.0);
    assert_eq!(of("polywire_requests_total", &[("route", "/lost"), ("status", "5xx")]), 1.0);
    assert_eq!(of("polywire_requests_total", &[("route", "(unknown)"), ("status", "4xx")]), 1.0);
    assert_eq!(of("polywire_requests_total", &[("route", "/healthz")]), 1.0);
    assert_eq!(of("polywire_partial_answers_total", &[]), 1.0);
    assert_eq!(of("polywire_reloads_total", &[("outcome", "ok")]), 1.0);
    assert_eq!(of("polywire_reloads_total", &[("outcome", "failed")]), 1.0);
    assert_eq!(of("polywire_table_requests_total", &[("table", "items"), ("outcome", "ok")]), 3.0);
    assert_eq!(of("polywire_table_requests_total", &[("table", "gone"), ("outcome", "failed")]), 1.0);
    // The first try and the second.
    assert_eq!(of("polywire_backend_retries_total", &[]), 1.0);
    assert_eq!(of("polywire_backend_failures_total", &[]), 1.0);
    assert_eq!(of("polywire_backend_requests_total", &[]), world.mock.seen().len() as f64);
    assert_eq!(of("polywire_hook_failures_total", &[]), 1.0);
    assert!(of("polywire_hook_calls_total", &[]) >= 3.0);
    assert!(of("polywire_backend_received_bytes_total", &[]) > 100.0);
    assert!(of("polywire_connections", &[]) >= 1.0);
    assert_eq!((of("polywire_tables", &[]), of("polywire_routes", &[])), (5.0, 3.0));
    assert_eq!(of("polywire_access_log_dropped_total", &[]), 0.0);
    assert_eq!(of("polywire_build_info", &[("version", env!("CARGO_PKG_VERSION"))]), 1.0);
    let durations = scrape.samples.iter().find(|sample| sample.metric == "polywire_request_duration_seconds").unwrap();
    assert!(matches!(&durations.value, Value::Histogram(buckets) if buckets.len() == 17), "{:?}", durations.value);
    assert!(!answered.text.contains("/what/a/path") && !answered.text.contains("lamp"), "raw paths are no labels");
    // Every family says what it is.
    let families = answered.text.lines().filter(|line| line.starts_with("# TYPE ")).count();
    assert_eq!(answered.text.lines().filter(|line| line.starts_with("# HELP ")).count(), families);
    world.end().await;
}

#[tokio::test]
async fn names_that_callers_invent_are_no_labels() {
    let world = World::new(json!({})).await;
    for n in 0..20 {
        let base = format!("http://{}/nowhere", world.at);
        world.ask(&format!("create table mine{n} on select get from '{base}'; return select * from mine{n}"), &[]).await;
        world.get(&format!("/path{n}"), &[]).await;
    }
    let text = world.get("/metrics", &[]).await.text;
    assert!(!text.contains("mine") && !text.contains("/path"), "{text}");
    assert!(text.contains("polywire_table_requests_total{outcome=\"failed\",table=\"(script)\"} 20"), "{text}");
    world.end().await;
}

/// Returns the names of metrics in an expression, and the labels that it looks at.
fn named(expression: &str) -> (Vec<&str>, Vec<&str>) {
    let word = |c: char| !(c.is_ascii_alphanumeric() || c == '_');
    let names = expression.split(word).filter(|name| name.starts_with("polywire_")).collect();
    let in_braces = expression.split('{').skip(1).filter_map(|rest| rest.split('}').next());
    let matched = in_braces.flat_map(|inner| inner.split(',')).filter_map(|one| one.split(['=', '!']).next());
    let grouped = expression.split("by (").skip(1).filter_map(|rest| rest.split(')').next()).flat_map(|inner| inner.split(','));
    (names, matched.chain(grouped).map(str::trim).collect())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_dashboard_and_the_rules_ask_for_what_there_is() {
    let world = World::new(json!({})).await;
    for path in ["/find/lamp", "/lost"] {
        world.get(path, &[]).await;
    }
    let numbers = world.get("/metrics", &[]).await.text;
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/deploy/");
    let dashboard: serde_json::Value = serde_json::from_slice(&std::fs::read(format!("{folder}grafana-dashboard.json")).unwrap()).unwrap();
    let rules = bytes::Bytes::from(std::fs::read(format!("{folder}prometheus-rules.yaml")).unwrap());
    let rules = polywire_gateway::decode::request_body(&rules, Some("application/yaml"), &polywire_core::Limits::DEFAULT).unwrap();
    let rules: serde_json::Value = serde_json::from_slice(&rules.to_json()).unwrap();
    let panels = dashboard["panels"].as_array().unwrap().iter().flat_map(|panel| panel["targets"].as_array().unwrap());
    let alerts = rules["groups"].as_array().unwrap().iter().flat_map(|group| group["rules"].as_array().unwrap());
    let expressions: Vec<&str> = panels.chain(alerts).map(|one| one["expr"].as_str().unwrap()).collect();
    assert!(expressions.len() > 40, "{}", expressions.len());
    for expression in expressions {
        let (names, labels) = named(expression);
        assert!(!names.is_empty() || expression.starts_with("up{"), "{expression}");
        for name in &names {
            assert!(numbers.lines().any(|line| line.starts_with(&format!("{name}{{")) || line.starts_with(&format!("{name} "))), "{name}");
        }
        for label in labels.iter().filter(|label| !["job", "instance"].contains(label)) {
            assert!(
                names.iter().all(|name| numbers.lines().any(|line| line.starts_with(*name) && line.contains(&format!("{label}=")))),
                "{expression}: {label}"
            );
        }
    }
    world.end().await;
}

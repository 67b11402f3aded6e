//! Routes (docs/spec/ql.md 12.1): which script answers a request, and with which parameters.

mod common;

use std::sync::Arc;

use polywire_core::text::diagnostic::Source;
use polywire_doc::Ref;
use polywire_ql::plan::Plan;
use polywire_ql::routes::{Found, Routes};
use polywire_ql::testing::{datum, json};

use common::World;

fn routes(clauses: &[&str]) -> Routes {
    let mut routes = Routes::default();
    for (n, clause) in clauses.iter().enumerate() {
        let source = Source::new("route", format!("return {n} via route {clause}"));
        assert!(routes.add(Arc::new(Plan::new(&source, &datum("{}"), None).unwrap())));
    }
    routes
}

/// Returns the number of the route that is found, and its parameters.
fn find(routes: &Routes, method: &str, path: &str) -> String {
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    let query: Vec<(String, String)> =
        query.split('&').filter_map(|pair| pair.split_once('=')).map(|(name, value)| (name.into(), value.into())).collect();
    match routes.find(method, path, &query) {
        Found::Script(plan, parameters) => {
            let result = World::new(&[]).execute(&plan).result.unwrap().unwrap();
            format!("{} {}", json(&result), json(&parameters))
        }
        Found::NoMatch => "no match".into(),
        Found::OtherMethods(methods) => methods.join(","),
        Found::Unknown => "unknown".into(),
    }
}

#[test]
fn paths_have_parameters() {
    let routes = routes(&[
        "'/a/{b}/c' using method get",
        "'/A/{b}' using method post",
        "'/x/{n}.json' using method get",
        "'/x/y.json' using method get",
    ]);
    assert_eq!(find(&routes, "GET", "/a/fig%20tree/c"), r#"0 {"b":"fig tree"}"#);
    assert_eq!(find(&routes, "GET", "/a/b%2Fc/c"), r#"0 {"b":"b/c"}"#);
    assert_eq!(find(&routes, "POST", "/A/z"), r#"1 {"b":"z"}"#);
    assert_eq!(find(&routes, "POST", "/a/z"), "unknown", "letter case counts");
    assert_eq!(find(&routes, "GET", "/A/z"), "POST");
    assert_eq!(find(&routes, "GET", "/a//c"), "unknown");
    assert_eq!(find(&routes, "GET", "/a/b/c/d"), "unknown");
    assert_eq!(find(&routes, "GET", "/x/z.json"), r#"2 {"n":"z"}"#);
    assert_eq!(find(&routes, "GET", "/x/y.json"), "3 {}", "a path without names goes before one with names");
}

#[test]
fn the_query_chooses_among_routes() {
    let routes = routes(&[
        "'/f?k={k}' using method get",
        "'/f?k={k}&p={page}' using method get",
        "'/f?z={z}' using defaults z = 'none' using method get",
        "'/o?a={^a}&b={b}' with optional params using defaults b = 5, c = 'x{a}' using method get",
        "'/o?a={^a}&b={b}&d={d}' with optional params using method get",
    ]);
    assert_eq!(find(&routes, "GET", "/f?k=1"), r#"0 {"k":"1"}"#);
    assert_eq!(find(&routes, "GET", "/f?k=1&p=2"), r#"1 {"k":"1","page":"2"}"#);
    assert_eq!(find(&routes, "GET", "/f?other=2"), r#"2 {"z":"none"}"#);
    assert_eq!(find(&routes, "GET", "/o?b=1"), "no match");
    assert_eq!(find(&routes, "GET", "/o?a=1"), r#"3 {"a":"1","b":5,"c":"x1"}"#);
    assert_eq!(find(&routes, "GET", "/o?a=1&d=2"), r#"4 {"a":"1","d":"2"}"#);
    assert_eq!(find(&routes, "GET", "/f?k=1&k=2"), r#"0 {"k":["1","2"]}"#);
}

#[test]
fn routes_are_listed_by_path() {
    let routes = routes(&["'/b' using method get", "'/A/x' using method put", "'/a' using method get"]);
    let paths: Vec<String> = routes.all().iter().filter_map(|plan| plan.route.as_ref()).map(|route| route.text.clone()).collect();
    assert_eq!(paths, ["/a", "/A/x", "/b"]);
}

#[test]
fn headers_are_templates_over_variables_and_parameters() {
    let mut world = World::new(&[]);
    world.request.route = datum(r#"{"kw": "zed"}"#);
    world.request.query = datum(r#"{"q": "query"}"#);
    let script = "v = {\"w\": 1}; return v via route '/h/{kw}' using method get using headers 'X-{kw}' = '{kw} {q} {v.w}{none}', b = 'c'";
    let execution = world.execute(&world.plan(script));
    assert_eq!(execution.headers, [("X-zed".to_string(), "zed query 1".to_string()), ("b".to_string(), "c".to_string())]);
    assert!(execution.result.unwrap().is_some_and(|value| value.view().get("w").and_then(Ref::as_f64) == Some(1.0)));
}

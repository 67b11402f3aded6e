//! Planning and execution (docs/spec/ql.md 5 to 7): rule by rule, over a backend in memory.

mod common;

use std::sync::{Arc, Mutex};

use futures_util::future::BoxFuture;
use polywire_doc::{Datum, Ref};
use polywire_ql::error::QueryError;
use polywire_ql::functions::{Functions, Module, Row};
use polywire_ql::limits::Limits;
use polywire_ql::observe::{Event, Observer};
use polywire_ql::testing::{datum, json};
use serde_json::{Value, json};

use common::World;

const FRUIT: &str = r#"fruit = [{"n":"fig","q":3,"tags":["soft","sweet"],"in":{"kcal":74}},{"n":"lime","q":8,"tags":["sour"],"in":{"kcal":30}},
{"n":"pear","q":3,"tags":["sweet"],"in":{"kcal":57}},{"n":"kiwi","q":0,"tags":[],"in":{"kcal":61}}];"#;

fn run(script: &str) -> String {
    World::new(&[]).run(script)
}

fn fruit(rest: &str) -> String {
    run(&format!("{FRUIT}\n{rest}"))
}

fn rule(path: &str, body: Value) -> Value {
    json!({"path": path, "json": body})
}

fn failing(path: &str) -> Value {
    json!({"path": path, "status": 500, "json": {"e": 1}})
}

// docs/spec/ql.md 5.1, ql-D1, ql-D2

#[test]
fn references_keep_kinds_and_falsy_values() {
    let script = r#"o = {"n": 12, "z": 0, "f": false, "e": "", "l": [], "nil": null};
        return {"n": "{o.n}", "z": "{o.z}", "f": "{o.f}", "e": "{o.e}", "l": "{o.l}", "nil": "{o.nil}", "no": "{o.no}", "a": ["{o.no}", "{o.n}"], "t": "{o.n} x"}"#;
    assert_eq!(run(script), r#"{"n":12,"z":0,"f":false,"e":"","l":[],"nil":null,"a":[null,12],"t":"{o.n} x"}"#);
    assert_eq!(run("n = null; return {\"v\": \"{n}\"}"), "{}");
    assert_eq!(run("x = 18446744073709551616; return [\"{x}\", 0.10000000000000000001]"), "[18446744073709551616,0.10000000000000000001]");
}

#[test]
fn variables_come_from_script_body_route_and_config() {
    let mut world = World::new(&[]);
    world.request.body = Some(datum(r#"{"a": "body", "b": "body", "r": "body"}"#));
    world.request.route = datum(r#"{"r": "route", "s": "route", "a": "route"}"#);
    world.request.query = datum(r#"{"q": "query"}"#);
    world.request.headers = datum(r#"{"h": "header"}"#);
    world.config = datum(r#"{"k": {"v": 1}}"#);
    let script = r#"a = "script"; return ["{a}", "{b}", "{r}", "{s}", "{config.k.v}", "{q}", "{h}"]"#;
    assert_eq!(world.run(script), r#"["script","body","body","route",1,"query","header"]"#);
}

#[test]
fn query_headers_and_address_are_the_weakest_variables() {
    let mut world = World::new(&[]);
    world.request.route = datum(r#"{"r": "route"}"#);
    world.request.query = datum(r#"{"r": "query", "q": ["1", "2"], "h": "query", "config": "query", "rows": [{"x": 1}]}"#);
    world.request.headers = datum(r#"{"h": "header", "g": "header", "remoteAddress": "header"}"#);
    world.request.connection = datum(r#"{"remoteAddress": "::1"}"#);
    world.config = datum(r#"{"k": 1}"#);
    let script = r#"return ["{r}", "{q}", "{h}", "{g}", "{remoteAddress}", "{config.k}"]"#;
    assert_eq!(world.run(script), r#"["route",["1","2"],"query","header","header",1]"#);
    let rows = r#"l = [{"x":"1"},{"x":"2"},{"x":"3"}];"#;
    assert_eq!(world.run(&format!("{rows} return select * from l where x in (q)")), r#"[{"x":"1"},{"x":"2"}]"#);
    assert_eq!(world.run(&format!("{rows} return select * from l where x = \"{{^missing}}\" || 7")), "7");
    assert_eq!(world.run(&format!("{rows} if (g) {{ a = 1 }} return a")), "1");
    // Rows come from tables, and from the body and the path, which the script's author knows.
    assert!(world.run("return select x from rows").contains("No such table rows"));
}

// docs/spec/ql.md 6.1, 6.2

#[test]
fn order_in_the_text_means_nothing_for_data() {
    assert_eq!(run("b = {\"x\": \"{a.y}\"}; a = {\"y\": 5}; return b"), r#"{"x":5}"#);
    assert_eq!(run("a = {\"x\" : 1};\nb = {\"y\" : 2}"), r#"{"y":2}"#);
}

#[test]
fn what_does_not_depend_on_each_other_runs_at_once() {
    let rules = [rule("/a", json!([1])), rule("/b", json!([2])), rule("/c?x=1", json!([3]))];
    let mut world = World::new(&rules);
    world.mock.yields = 3;
    let script = "create table a on select get from '$BASE/a'
        create table b on select get from '$BASE/b'
        create table c on select get from '$BASE/c?x={x}'
        x1 = select * from a; y1 = select * from b; z1 = select * from c where x in ('{x1}');
        return {\"x\": \"{x1}\", \"y\": \"{y1}\", \"z\": \"{z1}\"}";
    assert_eq!(world.run(script), r#"{"x":[1],"y":[2],"z":[3]}"#);
    assert_eq!(world.mock.under_way.lock().unwrap().1, 2);
}

#[test]
fn orphans_run_too_and_their_errors_count() {
    let world = World::new(&[rule("/a", json!(1)), failing("/e")]);
    let tables = "create table a on select get from '$BASE/a' create table e on select get from '$BASE/e'";
    assert_eq!(world.run(&format!("{tables} x = select * from a; return 5")), "5");
    assert_eq!(world.mock.paths(), ["GET /a"]);
    assert!(world.run(&format!("{tables} x = select * from e; return 5")).starts_with("failed"));
}

#[test]
fn scripts_without_statements_have_answers() {
    assert_eq!(run(""), "{}");
    assert_eq!(run("-- nothing"), "{}");
    assert_eq!(run("create table t on select get from 'x'"), r#"{"message":"ok"}"#);
    assert_eq!(run("a = create table t on select get from 'x'"), r#"{"message":"ok"}"#);
    assert_eq!(run("return true"), "true");
    assert_eq!(run("return null"), "null");
}

// docs/spec/ql.md 6.3, 6.4

#[test]
fn a_missing_prerequisite_takes_the_fallback() {
    let world = World::new(&[rule("/a?x=1", json!("got"))]);
    let script = |value: &str| {
        format!(
            "create table a on select get from '$BASE/a?x={{x}}' v = {value}; r = select * from a where x = '{{^v}}' || \"fallback\"; return r"
        )
    };
    assert_eq!(world.run(&script("null")), r#""fallback""#);
    assert!(world.mock.paths().is_empty());
    assert_eq!(world.run(&script("1")), r#""got""#);
    assert_eq!(run("v = null; a = [1]; r = delete from a where x = '{^v}'; return {\"r\": \"{r}\"}"), "{}");
    let execution = world.execute(&world.plan(&script("null")));
    assert!(execution.warnings[0].message.contains("skipped"), "{:?}", execution.warnings);
}

#[test]
fn fallbacks_follow_errors_and_nothing() {
    let world = World::new(&[failing("/e"), rule("/ok", json!({"v": 1}))]);
    let tables = "create table e on select get from '$BASE/e' create table ok on select get from '$BASE/ok'";
    assert_eq!(world.run(&format!("{tables} a = select * from e || select * from absent || select * from ok; return a")), r#"{"v":1}"#);
    assert!(world.run(&format!("{tables} a = select * from e || select * from absent; return 1")).contains("No such table absent"));
    assert_eq!(run("return null || [] || 1"), "[]");
    assert_eq!(run("return \"{none}\" || {}"), "{}");
    assert_eq!(run("return 0 || 1"), "0");
}

// docs/spec/ql.md 6.5, 6.6

#[test]
fn a_choice_takes_one_way() {
    let world = World::new(&[rule("/a", json!("a")), rule("/b", json!("b"))]);
    let script = |condition: &str| {
        format!(
            "create table a on select get from '$BASE/a' create table b on select get from '$BASE/b'
            t = 1; f = 0; e = []; s = \"\"; if ({condition}) {{ x = select * from a }} else {{ y = select * from b }}
            return {{\"x\": \"{{x}}\", \"y\": \"{{y}}\"}}"
        )
    };
    for (condition, taken) in
        [("t", "x"), ("f", "y"), ("e", "x"), ("s", "y"), ("missing", "y"), ("t && !f", "x"), ("f && t || t", "x"), ("f || s", "y")]
    {
        let expected = if taken == "x" { r#"{"x":"a"}"# } else { r#"{"y":"b"}"# };
        assert_eq!(world.run(&script(condition)), expected, "{condition}");
        assert_eq!(world.mock.seen.lock().unwrap().drain(..).count(), 1);
    }
    assert_eq!(
        run("a = true; if (a) { b = true; if (b) { c = 1 } else { d = 1 } } else { if (a) { e = 1 } } return [\"{c}\",\"{d}\",\"{e}\"]"),
        "[1,null,null]"
    );
    assert_eq!(run("if (t) { x = 1 } else { x2 = 2 } t = false; return x || x2"), "2");
}

#[test]
fn exceptions_are_caught() {
    let script = |flag: &str| {
        format!(
            "f = {flag}; try {{ a = 1; if (f) {{ throw (oops) }} else {{ throw (other) }} }}
            catch (oops) {{ r = \"oops\" }} catch (other && !oops) {{ s = \"other\" }} finally {{ z = \"always\" }}
            return [\"{{r}}\", \"{{s}}\", \"{{z}}\", \"{{a}}\"]"
        )
    };
    assert_eq!(run(&script("true")), r#"["oops",null,"always",1]"#);
    assert_eq!(run(&script("false")), r#"[null,"other","always",1]"#);
}

// docs/spec/ql.md 7.1

#[test]
fn parameters_have_an_order() {
    let mut world = World::new(&[json!({"path": "*", "echo": true})])
        .with_tables(&["create table t on select get from '$BASE/s?q={q}' using defaults q = 'default'"]);
    let query = |world: &World, script: &str| world.run(script);
    assert_eq!(query(&world, "return select query.q from t"), r#"["default"]"#);
    world.request.connection = datum(r#"{"q": "connection"}"#);
    assert_eq!(query(&world, "return select query.q from t"), r#"["connection"]"#);
    world.request.headers = datum(r#"{"q": "header"}"#);
    assert_eq!(query(&world, "return select query.q from t"), r#"["header"]"#);
    world.request.query = datum(r#"{"q": "query"}"#);
    assert_eq!(query(&world, "return select query.q from t"), r#"["query"]"#);
    world.request.route = datum(r#"{"q": "route"}"#);
    assert_eq!(query(&world, "return select query.q from t"), r#"["route"]"#);
    world.request.body = Some(datum(r#"{"q": "body"}"#));
    assert_eq!(query(&world, "return select query.q from t"), r#"["body"]"#);
    assert_eq!(query(&world, "q = \"script\"; return select query.q from t"), r#"["script"]"#);
    assert_eq!(query(&world, "q = \"script\"; return select query.q from t where q = 'where'"), r#"["where"]"#, "ql-D27");
    assert_eq!(
        query(&world, "q = \"script\"; return select query.q from t where q = ''"),
        r#"["script"]"#,
        "what is missing is looked for in the next"
    );
    assert_eq!(query(&world, "return select query.q from t where q = 0"), r#"["0"]"#, "ql-D2");
}

#[test]
fn operands_are_references_or_text() {
    let world = World::new(&[json!({"path": "*", "echo": true})]).with_tables(&["create table t on select get from '$BASE/s?q={q}'"]);
    assert_eq!(world.run("v = 5; return select query.q from t where q = '{v}'"), r#"["5"]"#);
    assert_eq!(world.run("v = {\"w\": 6}; return select query.q from t where q = v.w"), r#"["6"]"#);
    assert_eq!(world.run("v = 5; return select query.q from t where q = 'v'"), r#"["v"]"#, "ql-D23");
    assert_eq!(world.run("return select query.q from t where q = ipad"), r#"["ipad"]"#);
    assert_eq!(world.run("v = [7, 8]; return select query.q from t where q in (v, 9)"), r#"["7","8","9"]"#);
    assert_eq!(
        world.run("v = [{\"k\": 1}, {\"k\": 2}]; return select query.q from t where q in (select k from v where k = 2)"),
        r#"["2"]"#
    );
    assert_eq!(world.run("return select 'query.{name}' from t"), "failed: the column `query.` is no path");
    assert_eq!(world.run("name = \"q\"; return select 'query.{name}' from t where q = 1"), r#"["1"]"#);
}

#[test]
fn long_lists_of_members_are_cut() {
    let mut world = World::new(&[json!({"path": "*", "echo": true})]).with_tables(&["create table t on select get from '$BASE/s?q={|q}'"]);
    world.limits = Limits { nested_requests: 2, ..Limits::DEFAULT };
    assert_eq!(world.run("return select query.q from t where q in (1, 2, 3)"), r#"["1,2"]"#);
    let world = world.with_tables(&["create table t on select get from '$BASE/s?q={2|q}'"]);
    assert_eq!(world.run("return select query.q from t where q in (1, 2, 3)"), r#"["1,2","3"]"#, "requests are counted");
    assert_eq!(world.run("return select query.q from t where q in (1, 2, 3, 4, 5)"), r#"["1,2","3,4"]"#);
    let world = world.with_tables(&["create table t on select get from '$BASE/s?q={q}'"]);
    assert!(world.run("v = [1,2,3,4]; return select * from t where q in (v)").contains("4 requests"));
    // Two more than the statement's own.
    assert!(world.run("v = [1,2,3]; return select query.q from t where q in (v)").contains('3'));
    // One limit for the whole answer.
    let twice = "v = [1,2]; a = select * from t where q in (v); b = select * from t where q in (v); c = select * from t where q in (v); \
                 return {\"a\": \"{a}\", \"b\": \"{b}\", \"c\": \"{c}\"}";
    assert!(world.run(twice).contains("requests"));
}

#[test]
fn memory_is_bounded() {
    let mut world = World::new(&[rule("*", json!({"l": [{"x": {"y": 1}}]}))]).with_tables(&["create table t on select get from '$BASE/s'"]);
    world.limits.memory = 100_000;
    let doubled = |last: usize, step: &dyn Fn(usize) -> String| {
        let steps: String = (1..=last).map(|n| format!("a{n} = {}; ", step(n - 1))).collect();
        format!("a0 = [1, 2]; {steps}return \"{{a{last}}}\"")
    };
    for step in [&(|n: usize| format!("[\"{{a{n}}}\", \"{{a{n}}}\"]")) as &dyn Fn(usize) -> String, &|n| {
        format!("{{\"l\": \"{{a{n}}}\", \"r\": {{\"x\": [\"{{a{n}}}\"]}}}}")
    }] {
        assert!(world.run(&doubled(6, step)).contains('1'));
        assert!(world.run(&doubled(40, step)).contains("more memory"));
    }
    let rows = |last: usize| {
        let steps: String = (1..=last).map(|n| format!("a{n} = select x as x, x as y from a{}; ", n - 1)).collect();
        format!("r = select * from t; a0 = select x as x from r.l; {steps}return \"{{a{last}}}\"")
    };
    assert!(!world.run(&rows(3)).contains("more memory"));
}

#[test]
fn tails_reach_the_backend() {
    let world = World::new(&[rule("*", json!(1))]).with_tables(&["create table t on select get from '$BASE/s'"]);
    world.run("return select * from t timeout 77");
    assert_eq!(world.mock.seen.lock().unwrap()[0].timeout, Some(77));
}

// docs/spec/ql.md 7.2, ql-D8

#[test]
fn rows_become_columns() {
    let world =
        World::new(&[rule("/i", json!({"items": [{"a": 1, "b": {"c": 0}}, {"a": "", "l": [1]}], "one": {"a": 5}, "none": [], "zero": 0}))]);
    let select = |resultset: &str, rest: &str| {
        world.run(&format!("create table t on select get from '$BASE/i' resultset '{resultset}'\nreturn select {rest}"))
    };
    assert_eq!(select("items", "a from t"), r#"[1,""]"#);
    assert_eq!(select("items", "a, b.c, l from t"), r#"[[1,0,null],["",null,[1]]]"#);
    assert_eq!(select("items", "a as x, b.c as y from t"), r#"[{"x":1,"y":0},{"x":""}]"#);
    assert_eq!(select("one", "f(a), 'a' from t"), "[[null,5]]", "a function among the columns is not called");
    assert_eq!(select("one", "a from t limit 5 offset 3"), "[5]");
    assert_eq!(select("one", "* from t limit 0"), r#"{"a":5}"#);
    assert_eq!(select("none", "a from t"), "[]");
    assert_eq!(select("zero", "a from t"), "0");
    assert_eq!(select("missing.x", "a from t"), "[]");
    assert_eq!(select("items", "a from t limit 1 offset 1"), r#"[""]"#);
    assert_eq!(select("items", "a from t offset 1"), r#"[""]"#);
}

#[test]
fn an_offset_that_the_backend_obeys_is_not_applied_again() {
    let rules = [rule("/p?o=2&l=2", json!([{"n": 3}, {"n": 4}, {"n": 5}]))];
    let world =
        World::new(&rules).with_tables(&["create table t on select get from '$BASE/p?o={skip}&l={limit}' with aliases offset = 'skip'"]);
    assert_eq!(world.run("return select n from t limit 2 offset 2"), "[3,4]");
    assert_eq!(world.run("return select * from t limit 2 offset 2"), r#"[{"n":3},{"n":4}]"#);
}

// docs/spec/ql.md 7.3, ql-D3

#[test]
fn rows_of_variables_are_filtered() {
    assert_eq!(fruit("return select n from fruit where q = 3 and tags = 'soft'"), r#"["fig"]"#);
    assert_eq!(fruit("return select n from fruit where tags = 'sweet' and q = '3' and n = 'pear'"), r#"["pear"]"#, "ql-D3");
    assert_eq!(fruit("return select n, q from fruit where q = 0"), r#"[["kiwi",0]]"#, "ql-D2");
    assert_eq!(fruit("return select n from fruit where in.kcal in (30, '61')"), r#"["lime","kiwi"]"#);
    assert_eq!(fruit("return select n from fruit where 'in'..kcal = 30"), r#"["lime"]"#);
    assert_eq!(fruit("return select n from fruit where colour = 'red'"), "[]");
    assert_eq!(fruit("return select n from fruit where q = '{missing}'"), "[]");
    assert_eq!(fruit("w = [\"fig\", 0]; return select n from fruit where n in (w)"), r#"["fig"]"#);
    assert_eq!(fruit("return select tags[?('@ == \"sweet\"')] from fruit limit 2"), r#"["sweet",null]"#);
    assert_eq!(run("a = [[{\"x\":1},{\"x\":2}]]; return select x from a where x = 2"), "[2]");
    assert_eq!(run("a = {\"x\": 1}; return select x from a"), "[1]");
    assert_eq!(run("a = {\"x\": 1}; return select * from a where x = 2"), r#"{"x":1}"#);
    assert_eq!(run("a = [{\"x\":null},{\"x\":1}]; return select x from a"), "[null,1]");
    assert_eq!(run("b = true; if (b) { c = 1 } else { a = [1] } r = select x from a || 7; return r"), "7");
}

// docs/spec/ql.md 7.4

#[test]
fn joins_are_inner_and_in_order() {
    let vars = r#"p = [{"id":1,"n":"ann"},{"id":2,"n":"bob"},{"id":3},{"n":"eve"}]; s = [{"pid":2,"v":20,"k":"x"},{"pid":1,"v":0},{"pid":2,"v":21,"k":"y"}];"#;
    assert_eq!(
        run(&format!("{vars} return select a.n, b.v from p as a, s as b where b.pid = a.id")),
        r#"[["ann",0],["bob",20],["bob",21]]"#
    );
    assert_eq!(run(&format!("{vars} return select b.v from p as a, s as b where a.id = b.pid and a.n = 'bob' and b.k = 'y'")), "[[21]]");
    assert_eq!(
        run(&format!("{vars} return select a.id as i, b.v as v from p as a, s as b where a.id = b.pid limit 1 offset 1")),
        r#"[{"i":2,"v":20}]"#
    );
    let two = r#"p = [{"x":1,"y":1},{"x":1,"y":2}]; s = [{"x":1,"y":2,"z":"hit"},{"x":2,"y":2,"z":"miss"}]; return select a.y, b.z from p as a, s as b where a.x = b.x and b.y = a.y"#;
    assert_eq!(run(two), r#"[[2,"hit"]]"#);
    let nothing = "a = {\"x\": 1}; none = \"{a.none}\"; l = [{\"x\":1}]; j = select l.x as x from none as n, l as l where n.x = l.x;";
    assert_eq!(run(&format!("{nothing} return {{\"j\": \"{{j}}\"}}")), "{}");
    // Rows of one stand for their values in lists of members.
    let ids = r#"p = [{"id":1},{"id":2}]; s = [{"pid":2}]; ids = select a.id from p as a, s as b where a.id = b.pid;"#;
    assert_eq!(run(&format!("{ids} return select id from p where id in (ids)")), "[2]");
    assert_eq!(run(&format!("{ids} return select id from p where id in (select a.id from p as a, s as b where a.id = b.pid)")), "[2]");
}

#[test]
fn joins_call_tables_for_each_row_at_once() {
    let rules = [
        rule("/p", json!({"r": [{"id": 1}, {"id": 2}, {"n": 3}]})),
        rule("/s?id=1&f=x", json!({"v": "one"})),
        rule("/s?id=2&f=x", json!([])),
    ];
    let mut world = World::new(&rules).with_tables(&[
        "create table p on select get from '$BASE/p' resultset 'r'",
        "create table s on select get from '$BASE/s?id={id}&f={f}'",
    ]);
    world.mock.yields = 2;
    let script = "return select a.id as i, b.v as v from p as a, s as b where b.id = a.id and b.f = 'x'";
    assert_eq!(world.run(script), r#"[{"i":1,"v":"one"}]"#);
    assert_eq!(world.mock.under_way.lock().unwrap().1, 2);
    let seen = world.mock.seen.lock().unwrap();
    assert_eq!((seen.len(), seen[0].wanted.as_str(), seen[1].wanted.as_str()), (3, "r.id", "v"));
    drop(seen);
    world.mock.rules[2] = failing("/s?id=2&f=x");
    assert_eq!(world.run(script), r#"[{"i":1,"v":"one"}]"#, "the other rows are left");
    let plan = world.plan(script);
    let execution = world.execute(&plan);
    let missing: Vec<_> = execution.warnings.iter().filter(|warning| warning.failure.is_some()).collect();
    assert_eq!((missing.len(), missing[0].line), (1, 1));
    world.mock.rules[1] = failing("/s?id=1&f=x");
    let plan = world.plan(script);
    let failure = world.execute(&plan).result.unwrap_err();
    assert_eq!(failure.to_datum().view().get("others").map(|others| others.len()), Some(1), "{failure}");
}

// docs/spec/ql.md 7.5, 7.6

#[test]
fn variables_are_changed() {
    assert_eq!(
        run("o = {\"a\":1}; x = insert into o (a, c) values ('two', '{o.a}'); return [\"{x}\", \"{o}\"]"),
        r#"[{"a":"two","c":1},{"a":"two","c":1}]"#
    );
    assert_eq!(run("o = {\"a\":1}; p = {\"b\":2}; insert \"{p}\" into o; return o"), r#"{"a":1,"b":2}"#);
    assert_eq!(run("o = {\"a\":1}; p = {\"b\":2}; x = update o with \"{p}\"; return x"), r#"{"a":1,"b":2}"#);
    assert!(run("o = [1]; insert into o (a) values (1); return o").contains("no object"));
    assert!(run("o = {}; insert into o values ('x'); return o").contains("needs names"));
    assert_eq!(fruit("x = delete from fruit where q = 3 and n = 'fig'; return select n from x"), r#"["lime","pear","kiwi"]"#);
    assert_eq!(run("a = [1]; x = delete from a; return x"), "[]");
    assert_eq!(run("o = {\"a\":1,\"b\":2}; x = delete from o where a = '1' and b = 3; return [\"{x}\",\"{o}\"]"), r#"[{"b":2},{"b":2}]"#);
}

#[test]
fn tables_are_changed_by_requests() {
    let mut world = World::new(&[json!({"method": "POST", "path": "/n?a=1&b=x", "json": {"r": {"id": 9}}}), json!({"method": "POST", "path": "/n?a=&b=", "json": 1}),
        json!({"method": "PUT", "path": "/u/4", "json": {"ok": true}}), json!({"method": "DELETE", "path": "/d/4", "json": {"deleted": 4}})])
    .with_tables(&["create table t on insert post to '$BASE/n?a={a}&b={b}' resultset 'r' on update put to '$BASE/u/{id}' on delete delete '$BASE/d/{id}'"]);
    assert_eq!(world.run("o = {\"x\": \"x\"}; return insert into t (a, b) values (1, '{o.x}')"), r#"{"id":9}"#);
    assert_eq!(world.run("o = {\"a\": 1, \"b\": \"x\"}; return insert \"{o}\" into t"), r#"{"id":9}"#);
    assert_eq!(world.run("o = {\"id\": 4}; return update t with \"{o}\""), r#"{"ok":true}"#);
    assert_eq!(world.run("return delete from t where id = 4"), r#"{"deleted":4}"#);
    assert!(world.run("o = 5; return insert \"{o}\" into t").contains("an object is needed"));
    assert!(world.run("return select * from t").contains("does not support select"));
    world.mock.seen.lock().unwrap().clear();
    world.request.body = Some(datum("[1]"));
    world.request.parts = vec![datum("\"p0\"")];
    world.run("return insert into t with parts '{req.parts[0]}'");
    world.run("o = {\"k\": 1}; return insert into t values ('{o}')");
    let seen = world.mock.seen.lock().unwrap();
    assert_eq!((seen[0].opaque.as_deref(), seen[0].parts, seen[1].opaque.as_deref()), (Some("[1]"), 1, Some(r#"{"k":1}"#)));
}

// docs/spec/ql.md 8.5, ql-D9

#[test]
fn scattered_requests_are_gathered() {
    let rules = [rule("/i?id=1", json!({"v": [1, 2, 3]})), failing("/i?id=2"), rule("/i?id=3", json!({"v": [4]})), failing("/i?id=4")];
    let world = World::new(&rules).with_tables(&[
        "create table t on select get from '$BASE/i?id={id}' resultset 'v'",
        "create table b on select get from '$BASE/i?id={#id}'",
    ]);
    let execution = world.execute(&world.plan("return select * from t where id in (1, 2, 3)"));
    assert_eq!(json(&execution.result.unwrap().unwrap()), "[1,2,3,4]");
    let failure = execution.warnings[0].failure.as_ref().unwrap();
    assert_eq!((execution.warnings.len(), failure.parts().upstream_status), (1, Some(500)));
    assert!(failure.parts().uri.as_ref().unwrap().ends_with("/i?id=2"));
    assert_eq!(world.run("return select * from b where id in (1, 3)"), r#"[{"v":[1,2,3]},{"v":[4]}]"#);
    assert_eq!(world.run("return select * from b where id in (1, 2)"), r#"[{"v":[1,2,3]}]"#, "a list whoever failed");
    let failed = world.execute(&world.plan("return select * from t where id in (2, 4)")).result.unwrap_err().to_datum();
    assert_eq!(failed.view().get("others").map(Ref::len), Some(1));
    assert_eq!(failed.view().get("body").map(|body| json(&body.to_datum())).as_deref(), Some(r#"{"e":1}"#));
    assert_eq!(failed.view().get("table").and_then(Ref::as_str), Some("t"));
    assert_eq!(world.run("return select * from t where id in (1, 3) limit 1"), "[1,4]", "each result is cut by itself");
}

// docs/spec/ql.md 7.7

#[test]
fn tables_and_routes_are_shown() {
    let mut world = World::new(&[]).with_tables(&[
        "-- About *t* <b>\ncreate table t on select get from '$BASE/a?q={^q}&r={2|#r}' using headers 'X-K' = '{config.k}' using defaults q = 'z' on delete delete 'd'",
        "/** two\n * lines */\ncreate table a.b on insert post to 'x' using bodyTemplate 'b.ejs' type 'application/xml'",
    ]);
    assert_eq!(
        world.run("return show tables"),
        r#"[{"name":"a.b","about":"/table?name=a.b","info":"<p>two\nlines</p>"},{"name":"t","about":"/table?name=t","info":"<p>About <em>t</em> &lt;b&gt;</p>"}]"#
    );
    let plan = world.plan("-- Finds\nreturn select x from t via route '/B/{q}?k={^p}' with optional params using method delete");
    world.known.routes = vec![Arc::new(plan)];
    assert_eq!(
        world.run("return describe t"),
        r#"{"name":"t","about":"/table?name=t","info":"<p>About <em>t</em> &lt;b&gt;</p>","routes":["/route?path=%2FB%2F%7Bq%7D%3Fk%3D%7B%5Ep%7D&method=del"],"select":{"method":"get","uri":"http://127.0.0.1:9/a?q={^q}&r={2|#r}","params":[{"variable":"q","required":true,"default":"z"},{"variable":"r","multivalued":true,"max":2,"merge":"block"}],"headers":{"X-K":"{config.k}"}},"delete":{"method":"del","uri":"d","params":[],"headers":{}}}"#
    );
    assert!(world.run("return describe a.b").contains(r#""body":{"type":"application/xml","content":"b.ejs"}"#));
    assert_eq!(world.run("return describe x"), "failed: No such table x");
    assert_eq!(
        world.run("return show routes"),
        r#"[{"path":"/B/{q}?k={^p}","method":"del","about":"/route?path=%2FB%2F%7Bq%7D%3Fk%3D%7B%5Ep%7D&method=del","info":"<p>Finds</p>"}]"#
    );
    assert!(world.run("return describe route '/B/{q}?k={^p}' using method delete").contains(r#""tables":["/table?name=t"]"#));
    assert!(world.run("return describe route '/C' using method get").contains("No such route"));
}

// docs/spec/ql.md 7.8

struct Library;

impl Functions for Library {
    fn load<'a>(&'a self, path: &'a str) -> BoxFuture<'a, Result<Arc<dyn Module>, QueryError>> {
        Box::pin(async move {
            if path == "lib" {
                Ok(Arc::new(Library) as Arc<dyn Module>)
            } else {
                Err(QueryError::new("no_module", format!("no module {path}")))
            }
        })
    }
}

impl Module for Library {
    fn call<'a>(&'a self, function: &'a str, arguments: Vec<Option<Datum>>) -> BoxFuture<'a, Result<Option<Datum>, QueryError>> {
        Box::pin(async move {
            match function {
                "list" => Ok(Some(Datum::list(arguments.into_iter().map(Option::unwrap_or_default)))),
                _ => Err(QueryError::new("threw", "thrown")),
            }
        })
    }

    fn row<'a>(&'a self, function: &'a str, row: Row, arguments: Vec<Option<Datum>>) -> BoxFuture<'a, Result<Option<Datum>, QueryError>> {
        Box::pin(async move {
            match function {
                "has" => Ok((arguments[0] == arguments[1]).then_some(row.row)),
                "tell" => Ok(Some(Datum::list([row.row, Datum::UInt(row.index as u64), Datum::UInt(row.rows.view().len() as u64)]))),
                _ => Err(QueryError::new("threw", "thrown")),
            }
        })
    }
}

#[test]
fn functions_are_called() {
    let world = World { functions: Box::new(Library), ..World::new(&[]) };
    let run = |rest: &str| world.run(&format!("{FRUIT} u = require(\"lib\"); {rest}"));
    assert_eq!(run("v = {\"w\": 2}; x = u.list(v.w, \"{v}\", 3, none); return x"), r#"[2,{"w":2},3,null]"#);
    assert_eq!(run("x = u.throws(1); return {\"x\": \"{x}\"}"), "{}");
    assert_eq!(run("x = u.throws(1) || 5; return x"), "5");
    assert_eq!(run("return select n from fruit where u.has(q, 3)"), r#"[["fig"],["pear"]]"#);
    assert_eq!(run("return select n from fruit where u.has(n, 'fig')"), r#"["fig"]"#);
    assert_eq!(run("return select n from fruit where u.has(q, 3) and u.tell() limit 1 offset 1"), r#"[[["pear"],1,2]]"#);
    assert_eq!(
        run("return select * from fruit where q = 8 and u.tell()"),
        r#"[[{"n":"lime","q":8,"tags":["sour"],"in":{"kcal":30}}],0,1]"#
    );
    assert_eq!(
        run(
            "s = [{\"n\":\"fig\",\"v\":1},{\"n\":\"lime\",\"v\":8}]; return select a.n, b.v from fruit as a, s as b where a.n = b.n and u.has(a.q, b.v)"
        ),
        r#"[["lime",8]]"#
    );
    assert_eq!(run("x = delete from fruit where u.has(n, \"fig\"); return select n from x"), r#"["lime","pear","kiwi"]"#);
    assert!(run("return select n from fruit where u.bad(n)").contains("thrown"));
    assert!(run("v = require(\"none\"); return 1").contains("no module none"));
    assert!(World::new(&[]).run("u = require(\"lib\")").contains("not available"));
}

// docs/spec/ql.md 14

#[derive(Default)]
struct Log(Arc<Mutex<Vec<String>>>);

impl Observer for Log {
    fn event(&self, event: &Event<'_>) {
        self.0.lock().unwrap().push(format!(
            "{} {}",
            event.name(),
            json(&event.to_datum()).split("\"elapsed\"").next().unwrap_or_default()
        ));
    }
}

#[test]
fn observers_are_told() {
    let log = Log::default();
    let told = log.0.clone();
    let world = World { observer: Box::new(log), ..World::new(&[]) };
    world.run("a = 1;\nb = \"{a}\";\nc = select * from none || 2;\nreturn b");
    let told = told.lock().unwrap().join("\n");
    for line in [
        "ack {}",
        "statement-waiting {\"line\":2,\"id\":1",
        "statement-in-flight {\"line\":1,\"id\":0,\"type\":\"value\"",
        "statement-success {\"line\":1",
        "a 1",
        "statement-error {\"line\":3,\"id\":2,\"type\":\"select\",\"error\":{\"message\":\"No such table none\"",
        "ql.io-warning {\"line\":3",
        "c 2",
        "script-done {",
        "script-result 1",
    ] {
        assert!(told.contains(line), "{line} is not in\n{told}");
    }
}

// Limits, push-down, explain

#[test]
fn executions_are_limited() {
    let mut world = World::new(&[rule("*", json!([1]))]).with_tables(&["create table t on select get from '$BASE/a'"]);
    world.limits = Limits { work: 50, ..Limits::DEFAULT };
    let many = format!("a = [{}]; return select x from a where x = 1", vec!["{\"x\":1}"; 100].join(","));
    assert!(world.run(&many).contains("steps"));
    world.limits = Limits { rows: 3, ..Limits::DEFAULT };
    assert!(world.run("a = [1,2,3,4]; return select x from a").contains("4 rows"));
    assert!(world.run("a = [{\"i\":1},{\"i\":1}]; return select x.i, y.i from a as x, a as y where x.i = y.i").contains("4 rows"));
    world.limits = Limits { calls: 1, ..Limits::DEFAULT };
    assert!(world.run("a = select * from t; b = select * from t; return 1").contains("more than 1 calls"));
}

#[test]
fn deep_scripts_are_executed() {
    let levels = 95;
    let inner = format!("{}select x from a{}", "select x from a where x in (".repeat(levels), ")".repeat(levels));
    assert_eq!(run(&format!("a = [{{\"x\": 1}}]; return {inner}")), "[1]");
    let choices = format!("{}r = 1{}", "if (t) { ".repeat(levels), " }".repeat(levels));
    assert_eq!(run(&format!("t = true; {choices} return r")), "1");
    let value = format!("{}\"{{t}}\"{}", "[".repeat(levels), "]".repeat(levels));
    assert!(run(&format!("t = true; return {value}")).contains("[true]"));
    let chain: String = (1..1500).map(|n| format!("v{n} = \"{{v{}}}\"; ", n - 1)).collect();
    assert_eq!(run(&format!("v0 = 7; {chain} return v1499")), "7");
}

fn wanted(script: &str) -> Vec<String> {
    let world = World::new(&[rule("*", json!({"r": [{"k": 1}]}))]).with_tables(&[
        "create table t on select get from '$BASE/a' resultset 'r'",
        "create table u on select get from '$BASE/b?k={k}'",
        "create table seer on select get from '$BASE/c?k={v.k}'",
        "create table hooked on select get from '$BASE/d?k={k}' using patch 'h.js' resultset 'r'",
    ]);
    world.run(script);
    let seen = world.mock.seen.lock().unwrap();
    seen.iter().map(|seen| seen.wanted.clone()).collect()
}

#[test]
fn only_what_is_looked_at_is_wanted() {
    assert_eq!(wanted("return select a.b, c from t"), ["r.a.b, r.c"]);
    assert_eq!(wanted("return select a..b, c['d e'].f from t"), ["r.a, r.c.d e.f"]);
    assert_eq!(wanted("return select i[?('@.p > 2')].n from t"), ["r.i.p, r.i.n"]);
    assert_eq!(wanted("return select * from t"), ["r"]);
    assert_eq!(wanted("v = select * from t; return {\"x\": \"{v.a.b}\", \"y\": \"{v.c[0].d}\"}"), ["r.a.b, r.c"]);
    assert_eq!(wanted("v = select * from t; return select a from v where b.c = 1"), ["r.a, r.b.c"]);
    assert_eq!(wanted("v = select * from t; return v"), ["r"]);
    assert_eq!(wanted("v = select * from t; w = \"a\"; return \"{v.{w}}\""), ["r"]);
    assert_eq!(wanted("v = select * from t; x = select * from u where k = '{v.a}'; return x"), ["r.a", "*"]);
    assert_eq!(
        wanted("v = select * from t; x = select * from seer where z = '{v.a}'; return x"),
        ["r", "*"],
        "a table's template looks at it"
    );
    assert_eq!(wanted("v = select * from hooked; return \"{v.a}\""), ["r.a"], "the hooks of its own request come before it");
    assert_eq!(
        wanted("v = select * from hooked; x = select k from hooked where k = '{v.a}'; return x"),
        ["r", "r.k"],
        "the hooks of another request of its table look at it"
    );
    let nested = "v = select * from hooked; x = select k from u where k in (select k from hooked where k = '{v.a}'); return x";
    assert_eq!(wanted(nested), ["r", "r.k", "k"]);
}

#[test]
fn plans_are_explained() {
    let world = World::new(&[rule("/p", json!([{"id": 1}])), failing("/s?id=1")])
        .with_tables(&["create table p on select get from '$BASE/p'", "create table s on select get from '$BASE/s?id={id}'"]);
    let plan = world.plan(
        "l = select id from p;\nc = true;\nif (c) { x = select a, b from s where id in ('{l}') || {\"a\": 1} }\nreturn {\"x\": \"{x}\"}",
    );
    assert_eq!(
        polywire_ql::explain::text(&plan, &world.known),
        "#4 line 4, the result: return {\"x\": \"{x}\"}
     when everything is done
  #3 line 3: x = select a, b from s where id in ('{l}') || {\"a\": 1}
     only if #2 holds
       reads table s: a, b
    #0 line 1: l = select id from p
         reads table p: id
    #2 line 3: if (c)
      #1 line 2: c = true
"
        .replace("     only if", "       only if")
    );
    let execution = world.execute(&plan);
    let text = polywire_ql::explain::analyzed_text(&plan, &world.known, &execution);
    for part in [
        "by fallback 1",
        "GET http://127.0.0.1:9/s?id=1 → 500, 1.0 ms, 7 bytes in, 0 skipped: the backend replied with status 500",
        "2 requests, 17 bytes in",
        "a fallback is taken",
    ] {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
    let value: Value = serde_json::from_slice(&polywire_ql::explain::analyzed_value(&plan, &world.known, &execution).to_json()).unwrap();
    assert_eq!(value["steps"][3]["requests"][0]["status"], 500);
    assert_eq!(value["steps"][3]["guard"], json!({"step": 2, "way": true}));
    assert_eq!(value["steps"][0]["alternatives"][0]["reads"], json!([{"table": "p", "wanted": "id"}]));
    assert_eq!(plan.uses().iter().map(|name| name.to_string()).collect::<Vec<_>>(), ["p", "s"]);
}

#[test]
fn a_script_is_asked_by_its_first_word() {
    use polywire_ql::explain::{Asked, asked};
    for (text, expected) in [
        ("explain return 1", Some((Asked::Plan, "        return 1"))),
        (" \n explain\n analyze\treturn 1", Some((Asked::Analysis, " \n        \n        \treturn 1"))),
        ("explain analyze = 1", Some((Asked::Plan, "        analyze = 1"))),
        ("explain analyzer = 1", Some((Asked::Plan, "        analyzer = 1"))),
        ("explain = 1", None),
        ("explain analyze\n\n", Some((Asked::Analysis, "               \n\n"))),
        ("explain", None),
        ("explained return 1", None),
        ("é explain return 1", None),
        ("explain é", Some((Asked::Plan, "        é"))),
        ("", None),
    ] {
        let found = asked(text);
        assert_eq!(found.as_ref().map(|(asked, script)| (*asked, &**script)), expected, "{text:?}");
    }
}

#[test]
fn a_plan_is_executed_again_and_again() {
    let world = World::new(&[json!({"path": "*", "echo": true})]).with_tables(&["create table t on select get from '$BASE/s?q={q}'"]);
    let plan = world.plan("v = 1; x = insert into v2 (a) values (1) || 2; v2 = {}; return select query.q as q from t where q = '{v}'");
    let once = world.execute(&plan).result.unwrap().map(|value| json(&value));
    assert_eq!(world.execute(&plan).result.unwrap().map(|value| json(&value)), once);
    assert_eq!(once.as_deref(), Some(r#"[{"q":"1"}]"#));
}

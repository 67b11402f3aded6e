//! Hooks, templates and transformers of tables, over real HTTP.

mod folder;
mod mock;

use std::sync::Arc;

use polywire_gateway::directory::Layout;
use polywire_gateway::server::{Gateway, Start, query};
use polywire_ql::error::QueryError;
use polywire_ql::execute::Execution;
use serde_json::{Value, json};

use folder::Folder;
use mock::{Mock, Seen};

/// A gateway and a service that replies by rules.
struct World {
    folder: Folder,
    gateway: Gateway,
    mock: Arc<Mock>,
}

impl World {
    /// `$BASE` in files is the address of the service.
    async fn new(rules: Value, files: &[(&str, &str)]) -> World {
        let (mock, address) = Mock::start(&rules).await;
        let base = format!("http://{address}");
        let folder = Folder::new();
        folder.write("config.json", r#"{"allowPrivate": ["127.0.0.1:*"]}"#);
        for (name, text) in files {
            folder.write(name, text.replace("$BASE", &base));
        }
        let gateway = Gateway::new(folder.path(), Start { hook_threads: Some(1), ..Start::default() }).unwrap();
        let problems: Vec<String> = gateway.directory().problems.iter().map(ToString::to_string).collect();
        assert!(problems.is_empty(), "{}", problems.join("; "));
        World { folder, gateway, mock }
    }

    async fn ask(&self, script: &str) -> Execution {
        query(&self.gateway, script, None).await.unwrap()
    }

    /// The answer as JSON, and how many bytes of replies were skipped.
    async fn answer(&self, script: &str) -> (String, u64) {
        let execution = self.ask(script).await;
        let skipped = execution.requests.iter().map(|made| made.bytes_skipped).sum();
        (text(&execution), skipped)
    }

    async fn failure(&self, script: &str) -> QueryError {
        self.ask(script).await.result.unwrap_err()
    }

    fn seen(&self) -> Vec<Seen> {
        self.mock.seen()
    }
}

fn text(execution: &Execution) -> String {
    match &execution.result {
        Ok(Some(datum)) => String::from_utf8(datum.to_json()).unwrap(),
        Ok(None) => "undefined".into(),
        Err(failure) => format!("error: {failure}"),
    }
}

fn found(ack: &str) -> Value {
    let rows: Vec<Value> = (0..50).map(|n| json!({"id": n, "title": format!("Title {n}"), "seller": {"name": "a", "score": n}})).collect();
    json!({"ack": ack, "result": {"rows": rows, "total": 50}, "more": {"error": null}})
}

fn table(name: &str, patch: &str) -> String {
    format!("create table {name} on select get from '$BASE/{name}' using patch '{patch}' resultset 'result.rows'")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hook_that_looks_at_one_field_does_not_undo_the_skipping() {
    let world = World::new(
        json!([{"path": "/items", "json": found("Success")}, {"path": "/refused", "json": found("Failure")}, {"path": "/plain", "json": found("")}]),
        &[
            ("tables/items.ql", &table("items", "ack.js")),
            ("tables/refused.ql", &table("refused", "ack.js")),
            ("tables/plain.ql", "create table plain on select get from '$BASE/plain' resultset 'result.rows'"),
            ("tables/ack.js", "exports['patch status'] = function (args) { return args.body.ack === 'Failure' ? 502 : 200; };"),
        ],
    )
    .await;
    let (expected, skipped_without_hook) = world.answer("select id from plain").await;
    assert!(skipped_without_hook > 0);
    // The first reply shows the places that the hook looks at.
    assert_eq!(world.answer("select id from items").await, (expected.clone(), 0));
    for _ in 0..3 {
        let (answer, skipped) = world.answer("select id from items").await;
        assert_eq!(answer, expected);
        assert!(skipped * 10 > skipped_without_hook * 9, "{skipped} of {skipped_without_hook}");
    }
    // It is known for other scripts too.
    let (answer, skipped) = world.answer("select title from items where id = 7").await;
    assert!(answer.contains("Title 7") && skipped > 0, "{answer}, {skipped}");

    // Errors have their whole body, of whatever was decoded.
    for _ in 0..3 {
        let failure = world.failure("select id from refused").await;
        let parts = failure.parts();
        assert_eq!(parts.upstream_status, Some(502));
        let body = parts.body.as_ref().map(|body| serde_json::from_slice::<Value>(&body.to_json()).unwrap());
        assert_eq!(body, Some(found("Failure")));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hook_that_unwraps_the_reply_does_not_undo_the_skipping() {
    let world = World::new(
        json!([{"path": "/items", "json": {"wrapped": found("Success"), "other": found("Success")}}]),
        &[
            ("tables/items.ql", &table("items", "unwrap.js")),
            ("tables/unwrap.js", "exports['patch response'] = function (args) { return args.body.wrapped; };"),
        ],
    )
    .await;
    let expected: Vec<u32> = (0..50).collect();
    for round in 0..4 {
        let (answer, skipped) = world.answer("select id from items").await;
        assert_eq!(answer, format!("{expected:?}").replace(' ', ""), "{round}");
        assert_eq!(skipped > 0, round > 0, "{round}: {skipped}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reply_that_is_broken_where_a_hook_looks_is_an_error() {
    let world = World::new(
        json!([{"path": "/items", "body": r#"{"result": {"rows": [{"id": 1}]}, "ack": "\q"}"#, "headers": {"content-type": "application/json"}}]),
        &[
            ("tables/items.ql", &table("items", "ack.js")),
            // The script hides the error, but takes nothing for something else.
            ("tables/ack.js", "exports['patch status'] = function (args) { try { return args.body.ack ? 500 : 200; } catch (e) { return 200; } };"),
        ],
    )
    .await;
    let failure = world.failure("select id from items").await;
    assert_eq!(failure.parts().code, "bad_reply", "{failure}");
}

const LINES: &str = "exports.accept = 'text/lines, text/x-lines;q=0.5';
    exports.toJson = function (text, done, fail, headers) {
        if (text.charAt(0) === '!') throw new Error('not lines');
        return { type: headers['content-type'], rows: text.split('\\n').map(function (line) { return { line: line }; }) };
    };";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_transformer_reads_the_replies_of_its_table() {
    let reply = |path: &str, status: u16, body: &str| json!({"path": path, "status": status, "body": body, "headers": {"content-type": "text/lines"}});
    let lines = |name: &str| format!("create table {name} on select get from '$BASE/{name}' resultset 'rows'");
    let latin = json!({"path": "/latin", "body_base64": "Y2Fm6Q==", "headers": {"content-type": "text/lines; charset=iso-8859-1"}});
    let world = World::new(
        json!([reply("/lines", 200, "a\nb"), reply("/broken", 200, "!"), reply("/blank", 200, " \n"), reply("/down", 503, "!"), reply("/other", 200, "a\nb"), latin]),
        &[
            ("config/xformers.json", r#"{"lines": "/lib/lines.js", "broken": "lib/lines.js", "blank": "lib/lines.js", "down": "lib/lines.js", "latin": "lib/lines"}"#),
            ("lib/lines.js", LINES),
            ("tables/lines.ql", &lines("lines")),
            ("tables/broken.ql", &lines("broken")),
            ("tables/blank.ql", &lines("blank")),
            ("tables/down.ql", &lines("down")),
            ("tables/other.ql", &lines("other")),
            ("tables/latin.ql", &lines("latin")),
        ],
    )
    .await;
    assert_eq!(world.answer("select line from lines").await.0, r#"["a","b"]"#);
    assert_eq!(world.answer("select line from latin").await.0, r#"["café"]"#);
    let told = world.seen()[0].told(&["accept"], false);
    assert_eq!(told["headers"]["accept"], "text/lines, text/x-lines;q=0.5");

    let failure = world.failure("select line from broken").await;
    assert!(failure.parts().code == "hook_threw" && failure.to_string().contains("not lines"), "{failure}");
    assert_eq!(failure.parts().body, Some("!".into()));
    let failure = world.failure("select line from down").await;
    assert_eq!(
        (failure.parts().code, failure.parts().upstream_status, failure.parts().body.clone()),
        ("upstream_status", Some(503), Some("!".into()))
    );
    let failure = world.failure("select line from other").await;
    assert_eq!(failure.parts().code, "bad_reply");
    assert_eq!(world.answer("select line from blank").await.0, world.answer("select line from blank where line = 'x'").await.0);

    // Changed files count when the folder is loaded again.
    world.folder.write("lib/lines.js", LINES.replace("{ line: line }", "{ line: line + line }").replace("text/lines,", "text/new,"));
    world.folder.write("config/xformers.json", r#"{"lines": "lib/lines.js", "other": "lib/lines.js", "none": "lib/lines.js"}"#);
    assert_eq!(world.answer("select line from lines").await.0, r#"["a","b"]"#);
    let directory = world.gateway.reload().unwrap();
    assert!(directory.problems.iter().any(|problem| problem.to_string().contains("none")));
    assert_eq!(world.answer("select line from lines").await.0, r#"["aa","bb"]"#);
    assert_eq!(world.answer("select line from other").await.0, r#"["aa","bb"]"#);
    let seen = world.seen();
    assert_eq!(seen[seen.len() - 1].told(&["accept"], false)["headers"]["accept"], "text/new, text/x-lines;q=0.5");
    assert_eq!(world.failure("select line from broken").await.parts().code, "bad_reply");
    // An unreadable directory leaves everything as it was.
    world.folder.write("config/xformers.json", r#"{"lines": 1}"#);
    let error = world.gateway.reload().unwrap_err().to_string();
    assert!(error.contains("xformers.json") && error.contains("expected a JSON object"), "{error}");
    assert_eq!(world.answer("select line from lines").await.0, r#"["aa","bb"]"#);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_start_names_another_file_of_transformers() {
    let world = World::new(
        json!([{"path": "/lines", "body": "a", "headers": {"content-type": "text/lines"}}]),
        &[
            ("tables/lines.ql", "create table lines on select get from '$BASE/lines' resultset 'rows'"),
            ("lines.js", LINES),
            ("mine.json", r#"{"lines": "lines"}"#),
        ],
    )
    .await;
    assert_eq!(world.failure("select line from lines").await.parts().code, "bad_reply");
    let over = |file: &str| {
        let layout = Layout { xformers: Some(world.folder.path().join(file)), ..Layout::new(world.folder.path()) };
        Gateway::over(layout, Start { hook_threads: Some(1), ..Start::default() })
    };
    let gateway = over("mine.json").unwrap();
    assert_eq!(text(&query(&gateway, "select line from lines", None).await.unwrap()), r#"["a"]"#);
    assert!(over("none.json").is_err());
    // The configuration names one too.
    world.folder.write("config.json", r#"{"allowPrivate": ["127.0.0.1:*"], "xformers": "mine.json"}"#);
    world.gateway.reload().unwrap();
    assert_eq!(world.answer("select line from lines").await.0, r#"["a"]"#);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_hooks_of_a_request_hand_on_what_they_change() {
    let table = |name: &str, method: &str| {
        format!(
            "create table {name} on select {method} to '$BASE/{name}?q={{q}}' using headers 'x-key' = '{{key}}' using patch 'all.js' using bodyTemplate 'body.ejs' type 'application/json'"
        )
    };
    let world = World::new(
        json!([{"method": "POST", "path": "*", "echo": true}]),
        &[
            ("tables/made.ql", &table("made", "post")),
            ("tables/body.ejs", r#"{"q": "<%= params.q %>", "seen": "<%= params.seen %>"}"#),
            (
                "tables/all.js",
                "exports['validate param'] = function (args, name, value) { return value !== 'bad'; };
                 exports['patch uri'] = function (args) { args.params.seen = 'uri'; args.params.key = 'from uri'; return [args.uri.clone().addParam('n', 1), args.uri.addParam('n', 2)]; };
                 exports['patch headers'] = function (args) {
                    if (args.params.q === 'throws') throw { why: 'no' };
                    args.params.seen += ' headers';
                    args.headers['x-seen'] = args.params.seen + ', ' + args.statement.table;
                    return args.headers;
                 };
                 exports['patch body'] = function (args) { return { content: args.body.content + '!', type: args.body.type }; };",
            ),
        ],
    )
    .await;
    let (answer, _) = world.answer("select body, path from made where q = 'a'").await;
    assert_eq!(answer.matches(r#"{\"q\": \"a\", \"seen\": \"uri headers\"}!"#).count(), 2, "{answer}");
    let seen = world.seen();
    let told: Vec<Value> = seen.iter().map(|seen| seen.told(&["x-key", "x-seen", "content-type"], false)).collect();
    let headers = json!({"x-key": "from uri", "x-seen": "uri headers, made", "content-type": "application/json"});
    for n in 1..=2 {
        let expected = json!({"method": "POST", "path": format!("/made?q=a&n={n}"), "headers": headers});
        assert!(told.contains(&expected), "{expected} among {told:?}");
    }
    let failure = world.failure("select body from made where q = 'throws'").await;
    let body = failure.parts().body.as_ref().map(|body| String::from_utf8(body.to_json()).unwrap());
    assert_eq!((failure.parts().code, body.as_deref()), ("hook_threw", Some(r#"{"why":"no"}"#)), "{failure}");
    assert!(failure.to_string().contains("patch headers of tables/all.js"), "{failure}");
    assert_eq!(world.failure("select body from made where q = 'bad'").await.parts().code, "bad_parameter");
    assert_eq!(world.seen().len(), 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_function_of_a_where_clause_sees_all_rows() {
    let world = World::new(
        json!([{"path": "/items", "json": [{"n": 1}, {"n": 2}, {"n": 3}]}]),
        &[
            ("tables/items.ql", "create table items on select get from '$BASE/items'"),
            (
                "lib/u.js",
                "exports.next = function () { var next = this.rows[this.index + 1]; this.next(null, next ? {n: this.row.n, next: next.n} : null); };",
            ),
        ],
    )
    .await;
    let (answer, _) = world.answer("u = require(\"lib/u.js\"); return select n as n from items where u.next()").await;
    assert_eq!(answer, r#"[{"n":1,"next":2},{"n":2,"next":3}]"#);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn failures_of_tables_hold_no_secrets() {
    let uri = "http://user:s3cret@127.0.0.1:1/s?key=s3cret";
    let form = |file: &str| format!("post to '{uri}' using bodyTemplate '{file}' type 'application/x-www-form-urlencoded'");
    let world = World::new(
        json!([]),
        &[
            ("config.json", r#"{"allowPrivate": ["127.0.0.1:*"], "secretParameters": ["key"], "key": "s3cret"}"#),
            ("tables/missing.ql", &format!("create table missing on select get from '{uri}&x=1&key={{config.key}}&q={{^q}}'")),
            ("tables/refused.ql", &format!("create table refused on select get from '{uri}' using patch 'bad.js'")),
            ("tables/form.ql", &format!("create table form on select {}", form("form"))),
            ("tables/form", "key={config.key}&a={^a}"),
            ("tables/bad.js", "exports['patch headers'] = function (args) { return {'no name': 1}; };"),
        ],
    )
    .await;
    for (table, message) in [
        ("missing", "Token q not specified. Processed http://127.0.0.1:1/s?key=***&x=1&key=***&q="),
        ("refused", "'no name' is not a header name"),
        ("form", "Token a not specified. Processed key=***&a="),
    ] {
        let failure = world.failure(&format!("select * from {table}")).await;
        let told = String::from_utf8(failure.to_datum().to_json()).unwrap();
        assert!(failure.parts().message == message && !told.contains("s3cret"), "{told}");
    }
    let failure = world.failure("select * from refused").await;
    assert_eq!(failure.parts().uri.as_deref(), Some("http://127.0.0.1:1/s?key=***"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_template_of_a_form_is_read_once() {
    let table = |name: &str| {
        format!("create table {name} on select post to '$BASE/f' using bodyTemplate '{name}.uri' type 'application/x-www-form-urlencoded'")
    };
    let world = World::new(
        json!([{"method": "POST", "path": "*", "echo": true}]),
        &[
            ("tables/form.ql", &table("form")),
            ("tables/form.uri", "a={a}&b=1\n"),
            ("tables/long.ql", &table("long")),
            ("tables/long.uri", &"a".repeat(2 << 20)),
        ],
    )
    .await;
    let script = "select body from form where a = 'x y'";
    assert_eq!(world.answer(script).await.0, r#"["a=x%20y&b=1"]"#);
    world.folder.write("tables/form.uri", "a={a}&b=2");
    assert_eq!(world.answer(script).await.0, r#"["a=x%20y&b=1"]"#);
    world.gateway.reload().unwrap();
    assert_eq!(world.answer(script).await.0, r#"["a=x%20y&b=2"]"#);
    let failure = world.failure("select body from long").await;
    assert!(failure.parts().code == "template" && failure.to_string().contains("is larger than 1048576 bytes"), "{failure}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_waits_for_a_reply_gets_what_a_hook_made_of_it() {
    let world = World::new(
        json!([{"path": "/items", "body": "1,2", "delay_ms": 300, "headers": {"content-type": "text/odd"}}]),
        &[
            (
                "tables/items.ql",
                "create table items on select get from '$BASE/items' using patch 'items.js' using decoder 'csv' resultset 'rows' expires 3600",
            ),
            (
                "tables/items.js",
                "exports['parse response'] = function (args) { return {content: {rows: String(args.body[0]).split(',').map(function (n) { return {n: n}; })}}; };",
            ),
        ],
    )
    .await;
    let script = "select n from items";
    let (first, second) = tokio::join!(world.answer(script), world.answer(script));
    let third = world.answer(script).await;
    for (answer, _) in [first, second, third] {
        assert_eq!(answer, r#"["1","2"]"#);
    }
    assert_eq!(world.seen().len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn keys_of_the_cache_are_apart() {
    let items = "create table items on select get from '$BASE/items'";
    let world = World::new(
        json!([{"path": "*", "echo": true}]),
        &[
            ("config.json", r#"{"allowPrivate": ["127.0.0.1:*"], "secretParameters": ["key"], "base": "$BASE"}"#),
            ("tables/items.ql", &format!("-- Scripts name config.base.\n{items} expires 3600")),
            ("tables/keyed.ql", "create table keyed on select get from '$BASE/keyed?key={k}' using patch 'keyed.js' expires 3600"),
            ("tables/keyed.js", "exports['compute key'] = function (args) { return args.uri; };"),
            ("poison.js", "exports['parse response'] = function (args) { return {content: {path: 'poisoned'}}; };"),
        ],
    )
    .await;
    // A script's own table of the same name, with the same request, shares nothing with that of the
    // folder.
    let own =
        "create table items on select get from '{config.base}/items' using patch 'poison.js' expires 3600; return select path from items";
    for _ in 0..2 {
        assert_eq!(world.answer(own).await.0, r#"["poisoned"]"#);
        assert_eq!(world.answer("select path from items").await.0, r#"["/items"]"#);
    }
    assert_eq!(world.seen().len(), 2);
    // Hooks see secret parameters when they make a key.
    for k in ["a", "b", "a"] {
        let (answer, _) = world.answer(&format!("return select query from keyed where k = '{k}'")).await;
        assert!(answer.contains(&format!(r#""key":"{k}""#)), "{answer}");
    }
    assert_eq!(world.seen().len(), 4);
}

//! Table directories as users of the original have them: configuration, layout, patches.

mod folder;
mod mock;

use std::fs;
use std::path::Path;

use polywire_gateway::directory::{Directory, Layout};
use polywire_gateway::server::{Catalog, Gateway, Start, query};
use serde_json::{Value, json};

use folder::Folder;
use mock::Mock;

/// A folder with these files.
fn with(files: &[(&str, &str)]) -> Folder {
    let folder = Folder::new();
    for (name, text) in files {
        folder.write(name, text);
    }
    folder
}

fn config(address: &str) -> String {
    format!(
        "// of the shop\n{{ allowPrivate: ['{address}'], shop: {{\n  gateway: \"http://{address}/shop\", key: 'K',\n  find: {{ url: \"http://{address}/find?key={{key}}&w={{^words}}\" }},\n}} }}"
    )
}

/// Returns the result of a script over the files, and the mock's echo of each request.
async fn result(files: &[(&str, &str)], script: &str) -> Value {
    let echo = json!([{"path": "*", "echo": true}, {"method": "POST", "path": "*", "echo": true}]);
    let (_, address) = Mock::start(&echo).await;
    let config = config(&address.to_string());
    let folder = with(&[files, &[("config/dev.json", config.as_str())]].concat());
    let gateway = Gateway::new(folder.path(), Start { hook_threads: Some(1), ..Start::default() }).unwrap();
    assert!(gateway.directory().problems.is_empty(), "{:?}", gateway.directory().problems);
    let result = query(&gateway, script, None).await.unwrap().result.unwrap().unwrap();
    serde_json::from_slice(&result.to_json()).unwrap()
}

#[tokio::test]
async fn a_uri_of_the_configuration_has_tokens_of_its_own() {
    let table =
        ("tables/find.ql", "create table find on select get from '{config.shop.find.url}' using defaults key = \"{config.shop.key}\"");
    let found = result(&[table], "select query from find where words = 'a lamp'").await;
    assert_eq!(found, json!([{"key": "K", "w": "a lamp"}]));
}

/// Nothing but the configuration names the host.
#[tokio::test]
async fn a_host_that_the_configuration_names_may_be_called() {
    let folder = with(&[
        ("config/dev.json", "{base: 'http://api.example:81/v1'}"),
        ("tables/a.ql", "create table a on select get from '{config.base}/a'"),
    ]);
    let gateway = Gateway::new(
        folder.path(),
        Start {
            hook_threads: Some(1),
            tape: polywire_gateway::exchange::tape::Tape::Replay(folder.path().join("none")),
            ..Start::default()
        },
    )
    .unwrap();
    let failure = query(&gateway, "select * from a", None).await.unwrap().result.unwrap_err();
    // It was asked for, and there is no recorded reply.
    assert!(failure.to_string().contains("no recorded exchange"), "{failure}");
}

#[tokio::test]
async fn what_the_configuration_lacks_is_named() {
    let folder = with(&[("tables/a.ql", "create table a on select get from '{config.shop.gateway}'")]);
    let gateway = Gateway::new(folder.path(), Start { hook_threads: Some(1), ..Start::default() }).unwrap();
    let failure = query(&gateway, "select * from a", None).await.unwrap().result.unwrap_err();
    assert!(failure.to_string().contains("the configuration has no `shop.gateway`"), "{failure}");
}

#[tokio::test]
async fn patches_page_by_limit_and_offset_of_the_statement() {
    let files = [
        (
            "tables/rows.ql",
            "create table rows on select post to '{config.shop.gateway}' using patch 'page.js' using bodyTemplate 'rows.ejs' type 'text/x'",
        ),
        (
            "tables/page.js",
            "exports['patch uri'] = function (o) { var s = o.statement; if (s.offset && s.limit) o.uri.setParam('page', s.offset / s.limit); return o.uri; }",
        ),
        // Old templates declare functions that write, and forget `var`.
        (
            "tables/rows.ejs",
            "<%\nTAG = 'w'\nfunction tag(name, value) {\n  if (value == null)\n    return\n%>\n<<%= name %>><%= value %></<%= name %>>\n<%}%>\n<q><%\n tag(TAG, params['group.words'])\n tag('none', params.none)\n%></q>",
        ),
    ];
    let script = "select path, query, body from rows where group.words = 'a & b' limit 5 offset 10";
    let found = result(&files, script).await;
    assert_eq!(found[0][1], json!({"page": "2"}));
    assert_eq!(found[0][2].as_str().unwrap().split_whitespace().collect::<String>(), "<q><w>a&amp;b</w></q>");
}

#[test]
fn parts_of_a_directory_may_be_apart() {
    let one = with(&[("config/dev.json", "{}"), ("tables/a.ql", "create table a on select get from 'http://a.example/'")]);
    let other = with(&[
        ("t/b.ql", "create table b on select get from '{config.b}'"),
        ("r/x.ql", "return 1 via route '/x' using method get"),
        ("r/y/y.ql", "return {} via route '/y' using method get using encoder 'protobuf' schema '../y.proto' message 'Y'"),
        ("r/y.proto", "syntax = \"proto3\"; message Y { string a = 1; }"),
        ("c.json", r#"{"b": "http://b.example/"}"#),
    ]);
    let names = |layout: &Layout| {
        let directory = Directory::load(layout).unwrap();
        assert!(directory.problems.is_empty(), "{}", directory.problems[0]);
        let names = directory.tables().iter().map(|table| table.name.to_string()).collect::<Vec<_>>();
        (names, directory.routes().all().len(), directory.root.clone())
    };
    let root = fs::canonicalize(one.path()).unwrap();
    let mut layout = Layout::new(one.path());
    assert_eq!(names(&layout), (vec!["a".to_owned()], 0, root));
    layout.tables = Some(other.path().join("t"));
    layout.routes = Some(other.path().join("r"));
    layout.config = Some(other.path().join("c.json"));
    assert_eq!(names(&layout), (vec!["b".to_owned()], 2, fs::canonicalize(other.path().join("t")).unwrap()));
    for missing in [
        Layout { tables: Some(Path::new("/nowhere/t").into()), ..Layout::new(one.path()) },
        Layout { config: Some(Path::new("/nowhere/c").into()), ..Layout::new(one.path()) },
        Layout::new(Path::new("/nowhere")),
    ] {
        assert!(Directory::load(&missing).is_err(), "{missing:?}");
    }
}

#[tokio::test]
async fn certificates_are_named_from_the_folder_that_is_served() {
    let authority = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap().cert.pem();
    let served = with(&[("config.json", r#"{"rootCertificates": "keys/ca.pem"}"#), ("keys/ca.pem", &authority)]);
    let tables = with(&[("a.ql", "create table a on select get from 'http://a.example/'")]);
    let layout = Layout { tables: Some(tables.path().to_owned()), ..Layout::new(served.path()) };
    let gateway = Gateway::over(layout.clone(), Start { hook_threads: Some(1), ..Start::default() }).map(|_| ());
    gateway.unwrap();
    fs::remove_file(served.path().join("keys/ca.pem")).unwrap();
    assert!(Gateway::over(layout, Start { hook_threads: Some(1), ..Start::default() }).is_err());
}

#[test]
fn a_transformer_that_is_not_there_is_told() {
    let registered = r#"{"a": "lib/a", "b": "/lib/b.js", "c": "packed"}"#;
    let table = |name: &str| format!("create table {name} on select get from 'http://a.example/'");
    let folder = with(&[
        ("config/xformers.json", registered),
        ("lib/a.js", ""),
        ("node_modules/packed/index.js", ""),
        ("tables/t.ql", &["a", "b", "c"].map(table).join(";")),
    ]);
    let directory = Directory::load(&Layout::new(folder.path())).unwrap();
    assert_eq!(directory.problems.len(), 1, "{:?}", directory.problems);
    assert!(directory.problems[0].to_string().contains("lib/b.js") && !directory.problems[0].is_error());
}

#[test]
fn a_path_for_probes_begins_with_a_slash_always() {
    let folder = with(&[("config.json", r#"{"ecvPath": "/up"}"#)]);
    let gateway = Gateway::new(folder.path(), Start { hook_threads: Some(1), ..Start::default() }).unwrap();
    folder.write("config.json", r#"{"ecvPath": "up"}"#);
    let error = gateway.reload().map(|_| ()).unwrap_err().to_string();
    assert!(error.contains("ecvPath") && error.contains("saw up"), "{error}");
    assert_eq!(gateway.directory().settings.ecv_path.as_deref(), Some("/up"));
}

/// A gateway over the files, a service that echoes what it is asked, and the problems of the files.
async fn over(settings: Value, files: &[(&str, &str)]) -> (Gateway, std::sync::Arc<Mock>, Vec<String>, Folder) {
    let (mock, address) = Mock::start(&json!([{"path": "*", "echo": true}, {"method": "POST", "path": "*", "echo": true}])).await;
    let mut config = json!({"allowPrivate": ["127.0.0.1:*"]});
    config.as_object_mut().unwrap().extend(settings.as_object().cloned().unwrap_or_default());
    let folder = Folder::new();
    for (name, text) in files {
        folder.write(name, text.replace("$BASE", &format!("http://{address}")));
    }
    folder.write("config.json", config.to_string());
    let gateway = Gateway::new(folder.path(), Start { hook_threads: Some(1), ..Start::default() }).unwrap();
    let problems = gateway.directory().problems.iter().map(ToString::to_string).collect();
    (gateway, mock, problems, folder)
}

async fn shown(gateway: &Gateway, script: &str) -> String {
    match query(gateway, script, None).await.and_then(|execution| execution.result) {
        Ok(result) => String::from_utf8(result.unwrap_or_default().to_json()).unwrap(),
        Err(failure) => format!("{}: {failure}", failure.parts().code),
    }
}

#[tokio::test]
async fn a_hook_makes_the_body_that_no_template_makes() {
    let patch = "exports['patch body'] = function (o) { if (o.params.plain) return o.body;
        return { type: 'application/json', content: JSON.stringify({ w: o.params.w, before: [typeof o.body.content, typeof o.body.type] }) }; }";
    let table = "create table a on select post to '$BASE/a' using patch 'a.js'";
    let (gateway, mock, problems, _folder) = over(json!({}), &[("tables/a.ql", table), ("tables/a.js", patch)]).await;
    assert!(problems.is_empty(), "{problems:?}");
    let body = shown(&gateway, "select body from a where w = 'x'").await;
    assert_eq!(body, r#"["{\"w\":\"x\",\"before\":[\"undefined\",\"undefined\"]}"]"#);
    assert_eq!(shown(&gateway, "select body from a where plain = 1").await, r#"[""]"#);
    let seen: Vec<Value> =
        mock.seen().iter().map(|seen| seen.told(&["content-type", "content-length"], false)["headers"].clone()).collect();
    assert_eq!(seen[0], json!({"content-type": "application/json", "content-length": "44"}));
    assert_eq!(seen[1], json!({"content-length": "0"}), "a POST says that it has no body");
}

#[tokio::test]
async fn only_methods_with_a_body_say_that_there_is_none() {
    let table =
        "create table a on select get from '$BASE/a' on insert post to '$BASE/a' on update put to '$BASE/a' on delete delete '$BASE/a'";
    let (gateway, mock, ..) = over(json!({}), &[("tables/a.ql", table)]).await;
    for script in
        ["select * from a", "insert into a", "update a with '{{}}' || 1", "o = {\"x\": 1}; update a with '{o}' || 1", "delete from a || 1"]
    {
        shown(&gateway, script).await;
    }
    let told: Vec<(String, bool)> = mock
        .seen()
        .iter()
        .map(|seen| (seen.method.clone(), seen.told(&["content-length"], false)["headers"]["content-length"] == "0"))
        .collect();
    let of = |method: &str, says| (method.to_owned(), says);
    assert_eq!(told, [of("GET", false), of("POST", true), of("PUT", true), of("DELETE", false)]);
}

#[tokio::test]
async fn a_table_gives_its_requests_an_id() {
    let files = [
        ("tables/a.ql", "create table a on select get from '$BASE/a' using headers 'Request-ID' = 'of-{w}'"),
        ("tables/b.ql", "create table b on select get from '$BASE/b'"),
    ];
    let (gateway, mock, ..) = over(json!({"requestIdHeader": "x-id"}), &files).await;
    shown(&gateway, "select * from a where w = 'a'").await;
    shown(&gateway, "select * from b").await;
    let ids: Vec<String> =
        mock.seen().iter().map(|seen| seen.told(&["x-id"], false)["headers"]["x-id"].as_str().unwrap_or_default().to_owned()).collect();
    assert!(ids[0].starts_with("of-a!ql.io!") && ids[0].ends_with('['), "{ids:?}");
    assert!(ids[1].contains("!ql.io!") && !ids[1].starts_with("of-"), "{ids:?}");
}

#[tokio::test]
async fn braces_behind_a_tag_are_read_by_their_number() {
    let table = |name: &str, file: &str, media: &str| {
        format!("create table {name} on select post to '$BASE/{name}' using bodyTemplate '{file}' type '{media}'")
    };
    let tables = [
        table("xml", "x.xml.mu", "application/xml"),
        table("json", "j.json.mu", "application/json"),
        table("odd", "odd.mu", "text/plain"),
        table("broken", "broken.mu", "text/plain"),
    ];
    let files = [
        ("tables/t.ql", tables.join(";\n")),
        ("tables/x.xml.mu", "<ItemID>{{params.id}}}</ItemID>".to_owned()),
        ("tables/j.json.mu", r#"{"id":{{params.id}}}"#.to_owned()),
        ("tables/odd.mu", "}{{params.id}}}".to_owned()),
        ("tables/broken.mu", "{{#a}}".to_owned()),
    ];
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (*name, text.as_str())).collect();
    let (gateway, _, problems, folder) = over(json!({}), &files).await;
    assert_eq!(shown(&gateway, "select body from xml where id = 123").await, r#"["<ItemID>123</ItemID>"]"#);
    assert_eq!(shown(&gateway, "select body from json where id = 123").await, r#"["{\"id\":123}"]"#);
    assert_eq!(shown(&gateway, "select body from odd where id = 123").await, r#"["}123}"]"#);
    let all = problems.join("\n");
    assert!(
        all.contains("0 braces opened and 2 closed") && all.contains("table odd, on select: the body template `tables/odd.mu`"),
        "{all}"
    );
    assert!(all.contains("the section a is not closed"), "{all}");
    assert!(!all.contains("table xml") && !all.contains("table json"), "{all}");
    // A strict folder leaves the file out.
    let layout = Layout::new(folder.path());
    folder.write("config.json", r#"{"strict": true}"#);
    assert_eq!(Directory::load(&layout).unwrap().tables().len(), 0);
}

#[test]
fn a_port_may_be_text() {
    let folder = with(&[("config.json", r#"{"proxy": {"a.example": {"host": "p.example", "port": "3003"}, "*": {}}}"#)]);
    let directory = Directory::load(&Layout::new(folder.path())).unwrap();
    assert!(directory.problems.is_empty(), "{:?}", directory.problems);
    assert_eq!(directory.settings.exchange.proxy.of("a.example").unwrap().uri, "http://p.example:3003/");
}

#[tokio::test]
async fn doubts_are_warnings_unless_the_folder_is_strict() {
    let files = [
        ("tables/a.ql", "create table a on select get from '$BASE/a?w={w}'"),
        ("tables/k.ql", "create table k on select get from '$BASE/k?key={config.key}'"),
        ("routes/good.ql", "return select path from a where w = 'x' via route '/good' using method get"),
        ("routes/odd.ql", "return select path from a where color = 'red' via route '/odd' using method get"),
    ];
    let (gateway, mock, problems, folder) = over(json!({}), &files).await;
    let all = problems.join("\n");
    assert!(problems.len() == 2 && gateway.directory().problems.iter().all(|problem| !problem.is_error()), "{all}");
    assert!(all.contains("the configuration has no `key`") && all.contains("`color` is no parameter of table a"), "{all}");
    assert_eq!(shown(&gateway, "select path from a where color = 'red'").await, r#"["/a"]"#);
    let explained =
        polywire_gateway::server::explain(&gateway, polywire_ql::explain::Asked::Plan, "select count(path) from a where color = 1", None)
            .await;
    let text = explained.unwrap().text;
    assert!(text.contains("warning, line 1: `color` is no parameter") && text.contains("the function `count`"), "{text}");

    folder.write("config.json", r#"{"allowPrivate": ["127.0.0.1:*"], "strict": true}"#);
    let directory = Directory::load(&Layout::new(folder.path())).unwrap();
    assert_eq!((directory.tables().len(), directory.routes().all().len()), (1, 1));
    assert!(directory.problems.iter().all(|problem| problem.is_error()), "{:?}", directory.problems);
    let strict = Gateway::new(folder.path(), Start { hook_threads: Some(1), ..Start::default() }).unwrap();
    let refused = shown(&strict, "select path from a where color = 'red'").await;
    assert!(refused.starts_with("no_parameter: line 1: `color` is no parameter"), "{refused}");
    assert_eq!(mock.seen().len(), 1);
    assert_eq!(shown(&strict, "select path from a where w = 'red'").await, r#"["/a"]"#);
}

#[tokio::test]
async fn members_of_the_configuration_that_nothing_names_are_doubted() {
    let files = [
        ("tables/a.ql", "create table a on select get from '$BASE/a?k={config.shop.key}' using patch 'a.js'"),
        ("tables/a.js", "exports['patch uri'] = function (o) { return o.params.config.hidden ? o.uri : o.uri; }"),
    ];
    let settings = json!({"shop": {"key": "K"}, "hidden": 1, "maxNestedRequest": 7, "hooks": {"tme": 5}});
    let (_, _, problems, folder) = over(settings, &files).await;
    let all = problems.join("\n");
    assert_eq!(problems.len(), 2, "{all}");
    assert!(all.contains("`maxNestedRequest` is no setting") && all.contains("it may mean `maxNestedRequests`"), "{all}");
    assert!(all.contains("`hooks.tme` is no setting") && all.contains("it may mean `time`"), "{all}");
    folder.write("config.json", r#"{"strict": true, "shop": {"key": "K"}, "maxNestedRequest": 7}"#);
    let error = Directory::load(&Layout::new(folder.path())).unwrap_err().to_string();
    assert!(error.contains("config.json: `maxNestedRequest` is no setting") && error.contains("`maxNestedRequests`"), "{error}");
}

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
    let result = query(&gateway, script).await.unwrap().result.unwrap().unwrap();
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
    let failure = query(&gateway, "select * from a").await.unwrap().result.unwrap_err();
    // It was asked for, and there is no recorded reply.
    assert!(failure.to_string().contains("no recorded exchange"), "{failure}");
}

#[tokio::test]
async fn what_the_configuration_lacks_is_named() {
    let folder = with(&[("tables/a.ql", "create table a on select get from '{config.shop.gateway}'")]);
    let gateway = Gateway::new(folder.path(), Start { hook_threads: Some(1), ..Start::default() }).unwrap();
    let failure = query(&gateway, "select * from a").await.unwrap().result.unwrap_err();
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

//! Rows that come in pages.

use axum::response::Response;
use serde_json::{Value, json};

use crate::world::{Asked, Service, World, reply, typed};

const ROWS: usize = 1000;
const SIZE: usize = 50;

/// Rows from one number to another, those that there are.
fn rows(from: usize) -> Vec<Value> {
    (from..ROWS.min(from + SIZE)).map(|n| json!({"id": n, "in": {"n": n * 2}})).collect()
}

/// A service with a thousand rows, fifty to a page, that knows every way to the next page.
fn thousand(asked: &Asked) -> Response {
    let (page, skip, after) = (asked.number("page"), asked.number("skip"), asked.number("after"));
    let next = |from: usize, name: &str| (from + SIZE < ROWS).then(|| format!("?{name}={}", from + SIZE));
    match asked.path.as_str() {
        "/page" => reply(&json!({"items": rows(page.saturating_sub(1) * SIZE)})),
        // As many rows as are asked for.
        "/per" => {
            reply(&json!({"items": (skip..ROWS.min(skip + asked.number("limit").min(SIZE))).map(|n| json!({"id": n})).collect::<Vec<_>>()}))
        }
        "/skip" => reply(&json!(rows(skip))),
        "/cursor" => reply(&json!({"items": rows(after), "meta": {"next": (after + SIZE < ROWS).then_some(after + SIZE)}})),
        "/csv" => {
            let text: String = rows(page.saturating_sub(1) * SIZE).iter().map(|row| format!("{},n{}\n", row["id"], row["id"])).collect();
            typed("text/csv; header=present", format!("id,name\n{text}"))
        }
        "/xml" => {
            let text: String = rows(after).iter().map(|row| format!("<row><id>{}</id></row>", row["id"])).collect();
            let next = if after + SIZE < ROWS { format!("<next>{}</next>", after + SIZE) } else { String::new() };
            typed("application/xml", format!("<all>{text}{next}</all>"))
        }
        "/body" => reply(&json!({"items": rows(after), "links": {"next": next(after, "after")}})),
        _ => {
            let mut response = reply(&json!(rows(after)));
            if let Some(next) = next(after, "after") {
                response.headers_mut().append("link", "</first>; rel=first".parse().unwrap());
                response.headers_mut().append("link", format!("<{next}>; rel=\"next\"").parse().unwrap());
            }
            response
        }
    }
}

async fn world(config: Value) -> (Service, World) {
    let service = Service::start(thousand).await;
    let base = format!("get from 'http://127.0.0.1:{}", service.port);
    let tables = [
        ("page", format!("{base}/page?page={{page}}' resultset 'items' with pages by page 'page' size 50 most 30")),
        ("per", format!("{base}/per?limit={{limit}}' resultset 'items' with pages by offset 'skip' size 50 most 30")),
        ("skip", format!("{base}/skip' with pages by offset 'skip' most 30")),
        ("cursor", format!("{base}/cursor' with pages by cursor 'after' at 'meta.next' resultset 'items'")),
        ("csv", format!("{base}/csv' using mapping 'header' with pages by page 'page' size 50 most 30")),
        ("xml", format!("{base}/xml' with arrays 'all.row' resultset 'all.row' with pages by cursor 'after' at 'all.next'")),
        ("body", format!("{base}/body' with pages by link at 'links.next' resultset 'items'")),
        ("link", format!("{base}/link' with pages by link")),
        ("kept", format!("{base}/kept' with pages by link expires 60")),
        ("few", format!("{base}/link' with pages by link most 3")),
    ];
    let world = World::new(&[&service], config, &tables).await;
    (service, world)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thousand_rows_are_one_result_set_by_every_way() {
    let (service, world) = world(json!({})).await;
    let mut before = 0;
    // By number, the page behind the last one shows that it was the last.
    for (table, column, requests) in [
        ("page", "id", 21),
        ("skip", "id", 21),
        ("cursor", "id", 20),
        ("csv", "id", 21),
        ("xml", "id", 20),
        ("body", "id", 20),
        ("link", "id", 20),
    ] {
        let answer = world.ask(&format!("return select {column} from {table}")).await;
        let ids: Vec<String> = answer.value().as_array().unwrap().iter().map(|id| id.to_string().replace('"', "")).collect();
        assert_eq!(ids, (0..ROWS).map(|n| n.to_string()).collect::<Vec<_>>(), "{table}");
        assert_eq!((answer.partial(), service.count() - before), ("", requests), "{table}");
        before = service.count();
    }
    assert_eq!((world.ask("return select id from kept").await.rows(), service.count() - before), (ROWS, 20));
    assert!(world.explain("analyze return select id from kept").await.contains(", from the cache, page 20\n"));
    assert_eq!((world.ask("return select id from kept").await.rows(), service.count() - before), (ROWS, 20));
    // Objects among the columns, all columns, and rows that a script reads again.
    for script in ["return select id, in from cursor", "return select * from cursor", "a = select * from cursor; return select in.n from a"]
    {
        let answer = world.ask(script).await;
        assert!(answer.status == 200 && answer.rows() == ROWS, "{script}: {} {}", answer.status, answer.text.len());
        assert!(answer.text.contains("1998"), "{script}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_more_pages_are_read_than_are_needed() {
    let (service, world) = world(json!({})).await;
    for (script, rows, requests) in [
        ("return select id from link limit 30", 30, 1),
        ("return select id from link limit 50", 50, 1),
        ("return select id from link limit 51", 51, 2),
        ("return select id from cursor limit 30 offset 90", 30, 3),
        ("return select id from page where page = 19", 100, 3),
        ("return select id from page where page = 20 limit 7", 7, 1),
        ("return select id from page where page = 30", 0, 1),
    ] {
        let before = service.count();
        let answer = world.ask(script).await;
        assert_eq!((answer.status, answer.rows(), service.count() - before), (200, rows, requests), "{script}");
    }
    assert_eq!(world.metric("polywire_backend_pages_total").await, 12);
    // A function drops rows, so more than the ten of a page are read.
    world.folder.write("lib/odd.js", "exports.odd = function () { this.next(null, this.row.id % 2 ? this.row : null); };");
    let before = service.count();
    let answer = world.ask("u = require('lib/odd.js'); return select id as id from per where u.odd() limit 10").await;
    assert_eq!((answer.status, answer.rows(), service.count() - before), (200, 10, 30), "{}", answer.text);
    let answer = world.ask("return select id from page where page = 'x'").await;
    assert_eq!((answer.status, &answer.value()["code"]), (400, &json!("bad_parameter")), "{}", answer.text);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pages_are_limited_and_explained() {
    let (service, world) = world(json!({"maxNestedRequests": 7})).await;
    assert_eq!((world.ask("return select id from few").await.rows(), service.count()), (150, 3));
    let text = world.explain("analyze return select id from few").await;
    assert!(text.contains("reads table few: id\n") && text.contains("in pages by the header Link, 3 at most"), "{text}");
    assert!(text.contains("?after=100 → 200") && text.contains(", page 3\n") && text.contains("\npages: 3\n"), "{text}");
    assert!(text.contains("warning, line 1: only 3 pages were read, which is the limit: `most` of table few"), "{text}");
    let text = world.explain("analyze return select id from cursor").await;
    assert!(text.contains("pages: 8\n") && text.contains("only 8 pages were read, which is the limit: `maxNestedRequests`"), "{text}");
    assert!(world.explain("return select id from cursor").await.contains("in pages by cursor after at meta.next, 20 at most"));
    // Two statements share the limit.
    let both = world.ask("a = select id from cursor; b = select id from cursor; return {\"a\": \"{a}\", \"b\": \"{b}\"}").await.value();
    assert_eq!(both["a"].as_array().unwrap().len() + both["b"].as_array().unwrap().len(), (2 + 7) * SIZE);
    let table = world.ask("describe cursor").await.value();
    assert_eq!(table["select"]["pages"], "by cursor after at meta.next, 20 at most");
    let page = world.get("/table?name=cursor&format=html", "text/html").await.text;
    assert!(page.contains("by cursor after at meta.next, 20 at most"), "{page}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bad_pages_end_the_way_and_keep_the_rows() {
    let elsewhere = Service::start(|_| reply(&json!([{"id": "elsewhere"}]))).await;
    let stranger = Service::start(|_| reply(&json!([{"id": "stranger"}]))).await;
    let (there, far) = (elsewhere.port, stranger.port);
    let service = Service::start(move |asked| {
        let rows = json!([{"id": asked.one("c")}]);
        let next = |next: Value| reply(&json!({"items": rows, "next": next}));
        let link = |target: String| {
            let mut response = reply(&rows);
            response.headers_mut().append("link", format!("<{target}>; rel=next").parse().unwrap());
            response
        };
        match asked.path.as_str() {
            "/loop" => next(json!(if asked.one("c") == "b" { "c" } else { "b" })),
            "/object" => next(json!({"c": 1})),
            "/list" => next(json!(["c"])),
            "/true" => next(json!(true)),
            "/false" => next(json!(false)),
            "/long" => next(json!("x".repeat(70_000))),
            "/same" => reply(&json!({"items": [{"id": "same"}]})),
            "/empty" if asked.one("c") == "3" => next(Value::Null),
            "/empty" => reply(&json!({"items": [], "next": asked.number("c") + 1})),
            "/gone" if asked.one("page") == "3" => Response::builder().status(404).body("no".into()).unwrap(),
            "/gone" => reply(&json!({"items": [{"id": asked.one("page")}]})),
            "/stranger" => link(format!("http://127.0.0.1:{far}/x")),
            "/private" => link("http://10.0.0.1/x".to_owned()),
            "/file" => link("file:///etc/passwd".to_owned()),
            "/self" => link(format!("http://u:p@127.0.0.1:{there}/x")),
            "/again" => link("/again".to_owned()),
            _ => link(String::from("//[")),
        }
    })
    .await;
    let base = format!("get from 'http://127.0.0.1:{}", service.port);
    let cursor = |path: &str| format!("{base}/{path}' with pages by cursor 'c' at 'next' resultset 'items'");
    let by_page = |path: &str| format!("{base}/{path}' with pages by page 'page' resultset 'items'");
    let link = |path: &str| {
        let user = base.replace("//", "//me:word@");
        format!("{user}/{path}' using headers 'X-Api-Key' = 'k', 'X-Plain' = 'p' with pages by link")
    };
    let mut tables: Vec<(&str, String)> =
        ["loop", "object", "list", "true", "false", "long", "empty"].iter().map(|path| (*path, cursor(path))).collect();
    tables.extend(["same", "gone"].iter().map(|path| (*path, by_page(path))));
    tables.extend(["stranger", "private", "file", "self", "again", "odd"].iter().map(|path| (*path, link(path))));
    tables.push(("known", format!("get from 'http://127.0.0.1:{there}/'")));
    let world = World::new(&[&service, &elsewhere], json!({}), &tables).await;
    for (table, rows, requests, partial, message) in [
        ("loop", 3, 3, "1", "that was read before"),
        ("object", 1, 1, "1", "the cursor of the next page at `next` is an object: expected text or a number"),
        ("list", 1, 1, "1", "is a list"),
        ("true", 1, 1, "1", "is true"),
        ("false", 1, 1, "", ""),
        ("long", 1, 1, "1", "the URI of the next page is invalid"),
        ("empty", 1, 4, "", ""),
        ("same", 1, 2, "1", "the service does not look at `page`"),
        ("gone", 2, 3, "1", "status 404"),
        ("stranger", 1, 1, "1", "no table names it"),
        ("private", 1, 1, "1", "no table names it"),
        ("file", 1, 1, "1", "has the scheme `file`"),
        ("again", 1, 1, "1", "that was read before"),
        ("odd", 1, 1, "1", "the link to the next page is no URI"),
        ("self", 2, 1, "", ""),
    ] {
        let before = service.count();
        let answer = world.ask(&format!("return select * from {table}")).await;
        assert_eq!((answer.status, answer.rows(), service.count() - before), (200, rows, requests), "{table}: {}", answer.text);
        assert_eq!(answer.partial(), partial, "{table}");
        let text = world.explain(&format!("analyze return select * from {table}")).await;
        assert!(text.contains(message), "{table}: {text}");
    }
    assert_eq!(stranger.count(), 0);
    // Credentials stay behind on another host, those of the link do not go there.
    let came = &elsewhere.seen()[0].headers;
    assert_eq!((came.get("authorization"), came.get("x-api-key"), came.get("x-plain").is_some()), (None, None, true));
    let own = service.seen();
    assert!(own.iter().filter(|asked| asked.path == "/self").all(|asked| asked.headers.contains_key("authorization")));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_page_counts_against_the_memory_of_the_script() {
    let service = Service::start(|asked| reply(&json!({"items": [{"id": "x".repeat(40_000)}], "next": asked.number("c") + 1}))).await;
    let table = format!("get from 'http://127.0.0.1:{}/' with pages by cursor 'c' at 'next' most 40 resultset 'items'", service.port);
    let world = World::new(&[&service], json!({"maxMemory": 1_000_000}), &[("t", table)]).await;
    let answer = world.ask("return select * from t").await;
    assert_eq!((answer.status, &answer.value()["code"]), (422, &json!("too_much_memory")), "{}", answer.text);
    // 25 pages are as many bytes.
    assert_eq!(service.count(), 25);
    assert_eq!(world.ask("return select * from t limit 5").await.rows(), 5);
}

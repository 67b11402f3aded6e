//! Pages for people, and data for programs.

use serde_json::json;

use crate::server::{Reply, Server};

/// The header of a browser.
const BROWSER: &str = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

async fn server() -> Server {
    Server::new(&[
        (
            "tables/t.ql",
            "-- A *small* table, <script>alert(1)</script>\ncreate table shop.t\n  on select get from 'http://a.example/s?q={^q}&ids={5|id}&n={n}'\n    \
             using headers 'X-Key' = '{config.key}' using defaults n = 3, q = '<b>' resultset 'rows' expires 60\n  on delete delete 'http://a.example/d/{id}'",
        ),
        ("routes/r.ql", "-- Finds *things*\nreturn select * from shop.t where q = '{kw}' via route '/find/{kw}?page={p}&sort={s}' using defaults p = 1 using method get"),
        ("routes/d.ql", "return delete from shop.t where id = '{id}' via route '/t/{id}' using method delete"),
    ])
    .await
}

fn page(reply: &Reply) -> &str {
    assert_eq!(reply.header("content-type"), "text/html; charset=utf-8");
    assert!(reply.header("content-security-policy").starts_with("default-src 'none'"));
    reply.text()
}

#[tokio::test]
async fn browsers_get_pages() {
    let server = server().await;
    for (path, parts) in [
        ("/", &["href=\"/tables\"", "href=\"/api\"", "href=\"/openapi.json\"", "href=\"/healthz\"", "href=\"/metrics\""][..]),
        ("/tables", &["<a href=\"/table?name=shop.t\">shop.t</a>", "A <em>small</em> table"]),
        (
            "/table?name=shop.t",
            &[
                "<h2>select</h2>",
                "<h2>delete</h2>",
                "ids={5|id}",
                "required",
                "up to 5 values",
                "<code>3</code>",
                "X-Key: {config.key}",
                "60 s",
                "/find/{kw}?page={p}&#38;sort={s}",
            ],
        ),
        ("/api", &["Finds <em>things</em>", "href=\"/route?path="]),
        (
            "/route?path=%2Ffind%2F%7Bkw%7D&method=get",
            &["<td>path</td><td>required</td>", "<td>query</td><td>required</td>", "<code>1</code>", "href=\"/table?name=shop.t\""],
        ),
        ("/route?path=/t/{id}&method=del", &["/t/{id}"]),
    ] {
        let reply = server.get(path, BROWSER).await;
        assert_eq!(reply.status, 200, "{path}");
        let text = page(&reply);
        for part in parts {
            assert!(text.contains(part), "{path}: {part}\n{text}");
        }
        assert!(!text.contains("<script") && !text.contains("<b>"), "{path}\n{text}");
    }
}

#[tokio::test]
async fn every_link_of_a_page_leads_somewhere() {
    let server = server().await;
    let mut open = vec!["/".to_owned()];
    let mut seen = open.clone();
    while let Some(path) = open.pop() {
        let reply = server.get(&path, BROWSER).await;
        assert_eq!(reply.status, 200, "{path}");
        if !reply.header("content-type").starts_with("text/html") {
            continue;
        }
        for link in reply.text().split("href=\"").skip(1).filter_map(|rest| rest.split('"').next()) {
            let link = link.replace("&#38;", "&");
            // Another room's: it is there when that is.
            if link != "/metrics" && !seen.contains(&link) {
                seen.push(link.clone());
                open.push(link);
            }
        }
    }
    assert!(seen.len() >= 8, "{seen:?}");
}

#[tokio::test]
async fn programs_get_data() {
    let server = server().await;
    for (path, accept) in [
        ("/tables", "*/*"),
        ("/tables", "application/json"),
        ("/tables", "text/html, application/json;q=0.1"),
        ("/tables?format=json", BROWSER),
        ("/table?name=shop.t", "*/*"),
        ("/api?format=json", BROWSER),
        ("/route?path=/t/{id}&method=delete", "application/json"),
        ("/", "*/*"),
        ("/?format=json", BROWSER),
    ] {
        let reply = server.get(path, accept).await;
        assert_eq!((reply.status.as_u16(), reply.header("content-type")), (200, "application/json"), "{path} {accept}");
        assert!(!reply.json().is_null());
    }
    let without = server.ask("GET", "/tables", &[], "").await;
    assert_eq!(without.json()[0]["name"], "shop.t");
    assert_eq!(server.get("/tables", "application/cbor").await.header("content-type"), "application/cbor");
    assert!(page(&server.get("/tables?format=html", "*/*").await).contains("shop.t"));
}

#[tokio::test]
async fn mistakes_are_told_on_a_page_too() {
    let server = server().await;
    for (path, status, part) in [
        ("/table", 400, "Usage: /table?name=NAME"),
        ("/table?name=%3Cb%3E", 400, "Usage"),
        ("/table?name=none", 400, "No such table none"),
        ("/route?path=/%3Cscript%3E&method=get", 400, "No such route get /&#60;script&#62;"),
    ] {
        let reply = server.get(path, BROWSER).await;
        assert_eq!(reply.status, status, "{path}");
        assert!(page(&reply).contains(part), "{path}");
        let reply = server.get(path, "application/json").await;
        assert_eq!((reply.status.as_u16(), reply.json()["status"].as_u64()), (status, Some(status.into())), "{path}");
    }
}

#[tokio::test]
async fn a_route_goes_before_the_index() {
    let server = Server::new(&[("routes/r.ql", "return {\"own\": true} via route '/' using method get")]).await;
    assert_eq!(server.get("/", "*/*").await.json(), json!({"own": true}));
}

#[tokio::test]
async fn values_of_the_configuration_are_not_shown() {
    let files = [
        ("tables/t.ql", "create table t on select get from '$BASE/?q={q}&key={^key}' using defaults key = '{config.secrets.key}'"),
        ("routes/r.ql", "return '{k}' via route '/r?k={k}' using defaults k = '{config.secrets.key}' using method get"),
    ];
    let server = Server::with(json!({"secrets": {"key": "h1dden"}}), &files).await;
    assert_eq!(server.get("/r", "*/*").await.json(), "h1dden", "the default counts");
    let paths = ["/table?name=t", "/route?path=/r&method=get", "/openapi.json", "/tables", "/api", "/q?s=describe%20t"];
    let mut written = 0;
    for path in paths {
        for accept in ["application/json", BROWSER] {
            let reply = server.get(path, accept).await;
            assert_eq!(reply.status, 200, "{path}");
            assert!(!reply.text().contains("h1dden"), "{path} {accept}: {}", reply.text());
            written += usize::from(reply.text().contains("{config.secrets.key}"));
        }
    }
    assert!(written >= 6, "{written}");
}

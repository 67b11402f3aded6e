//! Requests that browsers make on behalf of pages: by name, by origin, by callback.

use bytes::Bytes;
use http::{Request, StatusCode};
use http_body_util::{BodyExt, Full};
use hyper_util::rt::{TokioExecutor, TokioIo};
use polywire_gateway::server::{Gateway, Start};
use serde_json::{Value, json};
use tokio::net::TcpStream;

use crate::folder::Folder;
use crate::server::{Reply, Server};

const FILES: [(&str, &str); 7] = [
    (
        "tables/t.ql",
        "create table t on select get from '$BASE/t' on insert post to '$BASE/t?a={a}' on update put to '$BASE/t?a={a}' on delete delete '$BASE/t?a={a}'",
    ),
    ("routes/read.ql", "return {\"v\": 1} via route '/read' using method get"),
    ("routes/own.ql", "a = {}; insert into a (x) values (1); return 1 via route '/own' using method get"),
    ("routes/insert.ql", "return insert into t (a) values (1) via route '/insert' using method get"),
    ("routes/update.ql", "a = {\"a\": \"1\"}; return update t with \"{a}\" via route '/update' using method post"),
    ("routes/delete.ql", "c = true; if (c) { x = delete from t where a = '1'; } return 1 via route '/delete' using method get"),
    ("routes/nested.ql", "return select length from t via route '/select' using method get"),
];

fn outcome(reply: &Reply) -> (u16, String) {
    let body: Value = serde_json::from_slice(&reply.body).unwrap_or_default();
    (reply.status.as_u16(), body["code"].as_str().unwrap_or_default().to_owned())
}

#[tokio::test]
async fn pages_of_other_sites_run_no_script_and_no_writing_route() {
    let server = Server::new(&FILES).await;
    assert!(server.problems.is_empty(), "{:?}", server.problems);
    let script = "/q?s=return%201";
    let others: [&[(&str, &str)]; 5] = [
        &[("sec-fetch-site", "cross-site")],
        &[("sec-fetch-site", "same-site")],
        &[("origin", "http://evil.example")],
        &[("origin", "null")],
        &[("sec-fetch-site", "cross-site"), ("sec-fetch-mode", "navigate"), ("sec-fetch-dest", "document")],
    ];
    for headers in others {
        for (method, path) in
            [("GET", script), ("POST", script), ("GET", "/insert"), ("POST", "/update"), ("GET", "/delete"), ("HEAD", "/insert")]
        {
            let reply = server.ask(method, path, headers, "").await;
            assert_eq!(reply.status, StatusCode::FORBIDDEN, "{method} {path} {headers:?}");
            if method != "HEAD" {
                assert_eq!(outcome(&reply).1, "other_origin", "{method} {path} {headers:?}");
                let text = reply.text();
                assert!(text.contains(headers[0].1) && text.contains("`cors`"), "what was seen, and what permits it: {text}");
            }
        }
        for path in ["/read", "/own", "/select", "/tables", "/api"] {
            let reply = server.ask("GET", path, headers, "").await;
            assert_eq!(reply.status, StatusCode::OK, "{path} {headers:?}: {}", reply.text());
            assert!(!reply.headers.contains_key("access-control-allow-origin"));
            assert_eq!(reply.header("cross-origin-resource-policy"), "same-origin", "{path}");
        }
    }
    let _ = server.sent();
    for headers in [&[][..], &[("sec-fetch-site", "same-origin")], &[("sec-fetch-site", "none")]] {
        for (method, path) in [("GET", script), ("GET", "/insert"), ("POST", "/update"), ("GET", "/delete")] {
            assert_eq!(server.ask(method, path, headers, "").await.status, StatusCode::OK, "{method} {path} {headers:?}");
        }
        assert_eq!(server.sent().len(), 3, "{headers:?}");
    }
    let own = format!("http://{}", server.address());
    assert_eq!(server.ask("POST", script, &[("origin", &own)], "").await.status, StatusCode::OK);
}

#[tokio::test]
async fn origins_that_are_listed_may_ask_and_read() {
    let app = ("origin", "https://app.example");
    let config = json!({"cors": {"origins": [app.1], "credentials": true}});
    let server = Server::with(config, &FILES).await;
    let reply = server.ask("POST", "/update", &[app, ("sec-fetch-site", "cross-site")], "").await;
    assert_eq!(reply.status, StatusCode::OK, "{}", reply.text());
    assert_eq!(reply.header("access-control-allow-origin"), app.1);
    assert_eq!(reply.header("access-control-allow-credentials"), "true");
    assert!(reply.headers.get_all("vary").iter().any(|value| value == "origin"));
    // A failure too is the page's to read.
    let reply = server.ask("GET", "/q?s=nonsense", &[app], "").await;
    assert_eq!((reply.status.as_u16(), reply.header("access-control-allow-origin")), (400, app.1));
    let evil = ("origin", "https://evil.example");
    let reply = server.ask("GET", "/read", &[evil], "").await;
    assert!(reply.status == 200 && !reply.headers.contains_key("access-control-allow-origin"));
    assert!(reply.headers.get_all("vary").iter().any(|value| value == "origin"), "caches keep answers apart");

    let asked = ("access-control-request-method", "POST");
    let reply = server.ask("OPTIONS", "/update", &[app, asked, ("access-control-request-headers", "content-type")], "").await;
    assert_eq!((reply.status, reply.body.len()), (StatusCode::NO_CONTENT, 0));
    assert_eq!(reply.header("access-control-allow-methods"), "POST");
    assert!(reply.header("access-control-allow-headers").contains("content-type"));
    assert_eq!(reply.header("access-control-allow-origin"), app.1);
    let reply = server.ask("OPTIONS", "/update", &[evil, asked], "").await;
    assert_eq!(outcome(&reply), (403, "other_origin".to_owned()));
    assert!(!reply.headers.contains_key("access-control-allow-origin"));
    // An ordinary OPTIONS says what it said.
    assert_eq!(server.ask("OPTIONS", "/update", &[], "").await.header("allow"), "POST");
    let off = Server::new(&FILES).await;
    let reply = off.ask("OPTIONS", "/update", &[app, asked], "").await;
    assert_eq!(reply.header("allow"), "POST");
    assert!(!reply.headers.contains_key("access-control-allow-origin"));

    let all = Server::with(json!({"cors": {"origins": ["*"]}}), &FILES).await;
    let reply = all.ask("GET", "/read", &[evil], "").await;
    assert_eq!(reply.header("access-control-allow-origin"), "*");
    assert!(!reply.headers.contains_key("access-control-allow-credentials"));
    assert_eq!(outcome(&all.ask("POST", "/update", &[evil], "").await).1, "other_origin", "to read is not to write");
    let folder = Folder::new();
    folder.write("config.json", r#"{"cors": {"origins": ["*"], "credentials": true}}"#);
    let error = Gateway::new(folder.path(), Start::default()).unwrap_err().to_string();
    assert!(error.contains("credentials"), "{error}");
}

#[tokio::test]
async fn callbacks_are_off_unless_configured() {
    let server = Server::new(&FILES).await;
    for path in ["/read?callback=f", "/q?s=return%201&callback=f", "/q?s=nonsense%28&callback=f", "/tables?callback=f"] {
        let reply = server.get(path, "*/*").await;
        if path.contains("nonsense") {
            assert_eq!(outcome(&reply).1, "syntax");
        } else {
            assert_eq!(outcome(&reply), (403, "callback_off".to_owned()), "{path}");
        }
        assert!(!reply.text().starts_with("f("), "{path}");
    }
    let server = Server::with(json!({"callback": true}), &FILES).await;
    let reply = server.ask("GET", "/read?callback=f", &[("sec-fetch-site", "cross-site")], "").await;
    assert_eq!(reply.text(), "f({\"v\":1})");
    assert_eq!((reply.header("cross-origin-resource-policy"), reply.header("x-content-type-options")), ("cross-origin", "nosniff"));
    let reply = server.ask("GET", "/q?s=return%201&callback=f", &[("sec-fetch-site", "cross-site")], "").await;
    assert_eq!(outcome(&reply).1, "other_origin", "a script is another matter");
}

#[tokio::test]
async fn only_known_hosts_are_answered_for() {
    let server = Server::with(json!({"hosts": ["api.example", "*.shop.example:8080"]}), &FILES).await;
    for (host, status) in [
        ("localhost", 200),
        ("LocalHost:99", 200),
        ("127.0.0.1", 200),
        ("[::1]:3000", 200),
        ("api.example:3000", 200),
        ("www.shop.example:8080", 200),
        ("www.shop.example", 403),
        ("rebound.example", 403),
        ("api.example.rebound.example", 403),
        ("192.0.2.1", 403),
        ("api.example, localhost", 400),
        ("localhost@rebound.example", 400),
        ("", 400),
    ] {
        for path in ["/read", "/q?s=return%201", "/tables", "/metrics", "/nothing"] {
            let reply = server.ask("GET", path, &[("host", host)], "").await;
            let expected = if path == "/nothing" && status == 200 { 404 } else { status };
            assert_eq!(reply.status.as_u16(), expected, "{host} {path}: {}", reply.text());
        }
        assert_eq!(server.ask("GET", "/healthz", &[("host", host)], "").await.status, StatusCode::OK, "{host}");
    }
    let reply = server.ask("GET", "/read", &[("host", "rebound.example")], "").await;
    assert_eq!(outcome(&reply), (403, "unknown_host".to_owned()));
    assert!(reply.text().contains("rebound.example") && reply.text().contains("`hosts`"), "{}", reply.text());
    let any = Server::with(json!({"hosts": ["*"]}), &FILES).await;
    assert_eq!(any.ask("GET", "/read", &[("host", "any.example")], "").await.status, StatusCode::OK);
    let folder = Folder::new();
    folder.write("config.json", r#"{"hosts": ["http://api.example"]}"#);
    assert!(Gateway::new(folder.path(), Start::default()).unwrap_err().to_string().contains("http://api.example"));
}

/// Sends a request to `uri` over a connection of HTTP/2 to the gateway.
async fn ask_http2(server: &Server, uri: &str, headers: &[(&str, &str)]) -> (u16, String) {
    let stream = TcpStream::connect(server.address()).await.unwrap();
    let (mut sender, connection) = hyper::client::conn::http2::handshake(TokioExecutor::new(), TokioIo::new(stream)).await.unwrap();
    let connection = tokio::spawn(connection);
    let mut request = Request::builder().uri(uri);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let reply = sender.send_request(request.body(Full::new(Bytes::new())).unwrap()).await.unwrap();
    let status = reply.status().as_u16();
    let body = reply.into_body().collect().await.unwrap().to_bytes();
    connection.abort();
    let body: Value = serde_json::from_slice(&body).unwrap_or_default();
    (status, body["code"].as_str().unwrap_or_default().to_owned())
}

#[tokio::test]
async fn http_2_has_the_same_rules() {
    let server = Server::with(json!({"hosts": ["api.example"]}), &FILES).await;
    let none = &[][..];
    for (uri, headers, status, code) in [
        ("http://api.example/read", none, 200, ""),
        ("http://localhost:3000/read", none, 200, ""),
        ("http://rebound.example/read", none, 403, "unknown_host"),
        ("http://localhost/read", &[("host", "rebound.example")], 403, "unknown_host"),
        ("http://localhost/insert", &[("sec-fetch-site", "cross-site")], 403, "other_origin"),
        ("http://localhost/q?s=return%201", &[("origin", "http://evil.example")], 403, "other_origin"),
        ("http://localhost/q?s=return%201", &[("origin", "http://localhost")], 200, ""),
        ("http://api.example/q?s=return%201", none, 200, ""),
    ] {
        assert_eq!(ask_http2(&server, uri, headers).await, (status, code.to_owned()), "{uri} {headers:?}");
    }
}

#[tokio::test]
async fn pages_say_what_browsers_may_do() {
    let server = Server::new(&FILES).await;
    let reply = server.get("/tables", "text/html").await;
    let policy = reply.header("content-security-policy");
    for part in ["default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'self'"] {
        assert!(policy.contains(part), "{policy}");
    }
    for path in ["/tables", "/", "/read", "/q?s=return%201", "/healthz", "/nothing"] {
        let reply = server.get(path, "text/html").await;
        assert_eq!(
            (reply.header("x-content-type-options"), reply.header("cross-origin-resource-policy")),
            ("nosniff", "same-origin"),
            "{path}"
        );
    }
}

#[test]
fn strangers_run_no_scripts_unless_that_was_asked_for() {
    let folder = Folder::new();
    let start = || Start { address: Some("0.0.0.0:3000".parse().unwrap()), ..Start::default() };
    let open = |config: &str, start: Start| {
        folder.write("config.json", config);
        Gateway::new(folder.path(), start)
    };
    let error = open("{}", start()).unwrap_err().to_string();
    assert!(["0.0.0.0:3000", "`adHoc`", "`token`", "--no-ad-hoc", "--ad-hoc-open"].iter().all(|part| error.contains(part)), "{error}");
    assert!(open("{}", Start { ad_hoc_open: true, ..start() }).is_ok());
    assert!(open("{}", Start { ad_hoc: Some(false), ..start() }).is_ok());
    assert!(open(r#"{"adHoc": {"open": true}}"#, start()).is_ok());
    let gateway = open(r#"{"adHoc": {"token": "t"}}"#, start()).unwrap();
    // A change of the configuration opens nothing either.
    folder.write("config.json", "{}");
    assert!(gateway.reload().unwrap_err().to_string().contains("--ad-hoc-open"));
    assert!(gateway.directory().settings.ad_hoc.token.is_some());
}

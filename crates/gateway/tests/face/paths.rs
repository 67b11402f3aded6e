//! Paths that no route has, or has with other methods (docs/spec/ql.md 12).

use serde_json::json;

use crate::server::Server;

#[tokio::test]
async fn unknown_paths_are_told_as_callers_read_it() {
    let server = Server::new(&[("routes/r.ql", "return 1 via route '/r/{a}' using method get")]).await;
    let reply = server.get("/nope", "*/*").await;
    assert_eq!((reply.status.as_u16(), reply.text()), (404, "Cannot GET /nope"));
    assert_eq!(reply.header("content-type"), "text/plain; charset=utf-8");
    assert_eq!((reply.header("request-id"), reply.header("allow")), ("", ""));
    for accept in ["application/json", "text/html, application/vnd.api+JSON"] {
        let reply = server.get("/nope", accept).await;
        assert_eq!((reply.header("content-type"), reply.text()), ("application/json", r#"{"error":"Cannot GET /nope"}"#));
    }
}

#[tokio::test]
async fn known_paths_tell_their_methods() {
    let server = Server::new(&[
        ("routes/a.ql", "return 1 via route '/r/{a}' using method get"),
        ("routes/b.ql", "return 2 via route '/r/{b}' using method delete"),
    ])
    .await;
    let reply = server.ask("POST", "/r/x", &[], "").await;
    assert_eq!((reply.status.as_u16(), reply.header("allow"), reply.text()), (404, "DELETE, GET", "Cannot POST /r/x"));
    let reply = server.ask("OPTIONS", "/r/x", &[], "").await;
    assert_eq!((reply.status.as_u16(), reply.header("allow"), reply.text()), (204, "DELETE, GET", ""));
    assert_eq!(server.ask("OPTIONS", "/nope", &[], "").await.status, 404);
    let reply = server.ask("HEAD", "/r/x", &[], "").await;
    assert_eq!((reply.status.as_u16(), reply.text(), reply.header("content-length")), (200, "", "1"));
}

#[tokio::test]
async fn answers_name_the_program_unless_told_otherwise() {
    let route = ("routes/r.ql", "return 1 via route '/r' using method get using headers 'X-Powered-By' = 'us'");
    let program = concat!("polywire/", env!("CARGO_PKG_VERSION"));
    for (config, named) in [(json!({}), program), (json!({"poweredBy": false}), "")] {
        let server = Server::with(config, &[route]).await;
        for path in ["/healthz", "/nowhere"] {
            let reply = server.get(path, "*/*").await;
            assert_eq!((reply.header("server"), reply.header("x-powered-by")), (named, named), "{path}");
        }
        assert_eq!(server.get("/r", "*/*").await.header("x-powered-by"), "us");
    }
}

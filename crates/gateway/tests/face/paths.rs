//! Paths that no route has, or has with other methods (specification 12).

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

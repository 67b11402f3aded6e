//! Hooks that take more than their share.

use crate::backend::{Backend, reply};
use crate::folder::Folder;
use crate::server::Server;

#[tokio::test]
async fn for_ever_and_without_measure() {
    let backend = Backend::new(|_| vec![reply(200, &["content-type: application/json"], r#"{"v": 1}"#)]).await;
    let folder = Folder::new();
    folder.write("config.json", r#"{"allowPrivate": ["127.0.0.1:*"], "hooks": {"time": 200, "memory": 16777216}}"#);
    for (name, code) in [
        ("loops", "for (;;) {}"),
        ("matches", "/(a*)*b/.test('a'.repeat(50))"),
        ("eats", "var all = []; for (;;) all.push(new Array(10000).fill({}))"),
        ("doubles", "var text = 'x'; for (;;) text += text + 'y'"),
        ("recurses", "(function again() { return again() + 1; })()"),
        ("throws", "throw new Error('no')"),
        ("well", "return args.body"),
    ] {
        folder.write(
            &format!("tables/{name}.ql"),
            format!("create table {name} on select get from '{}' using patch '{name}.js'", backend.uri("/")),
        );
        folder.write(&format!("tables/{name}.js"), format!("exports['patch response'] = function (args) {{ {code}; }};"));
    }
    let server = Server::start(folder).await;
    for (name, status, codes) in [
        ("loops", 500, &["hook_time"][..]),
        ("matches", 500, &["hook_time"]),
        ("eats", 500, &["hook_memory"]),
        ("doubles", 500, &["hook_memory", "hook_threw"]),
        ("recurses", 500, &["hook_stack"]),
        ("throws", 400, &["hook_threw"]),
    ] {
        let answer = server.ask(&format!("select * from {name}")).await;
        let (found, code) = answer.failure();
        assert!(codes.contains(&code) && (found == status || code == "hook_threw"), "{name}: {answer:?}");
        assert_eq!(server.ask("select * from well").await.body, serde_json::json!({"v": 1}), "{name}");
    }
}

//! The folder breaks while it is served: the old tables stay.

use std::fs;

use polywire_gateway::directory::change::NotReloaded;
use serde_json::json;

use crate::folder::Folder;
use crate::server::Server;

const OLD: &str = "return {\"is\": \"old\"} via route '/r' using method get";
const NEW: &str = "return {\"is\": \"new\"} via route '/r' using method get";

#[tokio::test]
async fn broken_while_it_runs() {
    let folder = Folder::new();
    folder.write("routes/r.ql", OLD).write("tables/t.ql", "create table t on select get from 'http://127.0.0.1:1/'");
    let server = Server::start(folder).await;
    let (folder, gateway) = (&server.folder, &server.serving.gateway);
    let is = async |what: &str| {
        assert_eq!(server.get("/r").await.body, json!({"is": what}));
        assert_eq!(server.get("/tables").await.body[0]["name"], "t");
    };
    is("old").await;
    // A broken file holds back what changed with it.
    folder.write("routes/r.ql", NEW).write("tables/t.ql", "create table t on select get from");
    let NotReloaded::Broken(problems) = gateway.reload().expect_err("it is broken") else { panic!("it can be read") };
    assert_eq!(problems[0].sources[0].name, "tables/t.ql");
    is("old").await;
    for (broken, mended) in [("{", "{}"), ("[]", "{}"), (r#"{"deadline": "soon"}"#, "{}")] {
        folder.write("config.json", broken);
        assert!(matches!(gateway.reload(), Err(NotReloaded::Unreadable(_))), "{broken}");
        folder.write("config.json", mended);
    }
    let aside = folder.path().with_extension("aside");
    for part in ["tables", "routes", ""] {
        fs::rename(folder.path().join(part), &aside).expect("moved away");
        assert!(matches!(gateway.reload(), Err(NotReloaded::Gone { .. } | NotReloaded::Unreadable(_))), "{part}");
        fs::rename(&aside, folder.path().join(part)).expect("moved back");
        is("old").await;
    }
    folder.write("tables/t.ql", "create table t on select get from 'http://127.0.0.1:1/'");
    gateway.reload().expect("it is mended");
    is("new").await;
}

#[tokio::test]
async fn deleted_files_are_meant_to_be_gone() {
    let folder = Folder::new();
    folder.write("routes/r.ql", OLD).write("routes/other.ql", "return 1 via route '/other' using method get");
    let server = Server::start(folder).await;
    assert_eq!(server.get("/other").await.status, 200);
    fs::remove_file(server.folder.path().join("routes/other.ql")).expect("removed");
    server.serving.gateway.reload().expect("nothing is broken");
    assert_eq!((server.get("/other").await.status, server.get("/r").await.status), (404, 200));
}

#[tokio::test]
async fn secrets_of_the_gateway_are_not_for_scripts() {
    let folder = Folder::new();
    folder.write(
        "config.json",
        r#"{"site": "north", "adHoc": {"enabled": true}, "cache": "memory", "proxy": {"*": {"host": "p", "user": "u", "password": "s3cret"}}}"#,
    );
    folder.write("routes/site.ql", "return \"{config.site}\" via route '/site' using method get");
    let server = Server::start(folder).await;
    assert_eq!(server.ask("return \"{config.site}\"").await.body, "north");
    for own in ["adHoc", "cache", "proxy"] {
        let answer = server.ask(&format!("return \"{{config.{own}}}\"")).await;
        assert!(!format!("{answer:?}").contains("s3cret") && answer.body != "memory", "{answer:?}");
    }
}

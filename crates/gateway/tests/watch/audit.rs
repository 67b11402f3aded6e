//! The logs of slow queries and for audits, and secrets of the configuration.

use serde_json::{Value, json};

use crate::world::World;

fn lines(path: &std::path::Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn slow_scripts_have_a_line_with_their_requests() {
    let world = World::new(json!({"slow": 0})).await;
    world.get("/find/lamp", &[("request-id", "mine")]).await;
    world.ask("a = select * from gone; return \"{a}\"", &[]).await;
    let folder = world.end().await;
    let told = lines(&folder.path().join("slow.log"));
    assert_eq!(told.len(), 2, "{told:?}");
    let (first, second) = (&told[0], &told[1]);
    assert_eq!((&first["route"], &first["failure"], &first["requests"]), (&json!("/find/{word}"), &Value::Null, &json!(1)));
    let slowest = &first["slowest"][0];
    assert_eq!((&slowest["table"], &slowest["status"]), (&json!("items"), &json!(200)));
    assert!(slowest["uri"].as_str().unwrap().ends_with("/items?q=lamp&key=***"), "{slowest}");
    assert!(first["id"].as_str().unwrap().starts_with("mine!") && first["statements"][0]["line"] == 1, "{first}");
    assert!(second["route"].is_null() && second["failure"].is_string() && second["script"].as_str().unwrap().len() == 64, "{second}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn fast_scripts_have_none() {
    let world = World::new(json!({"slow": 60_000})).await;
    world.get("/find/lamp", &[]).await;
    let folder = world.end().await;
    assert_eq!(lines(&folder.path().join("slow.log")), Vec::<Value>::new());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn scripts_writes_refusals_and_reloads_are_audited() {
    let world = World::new(json!({"adHoc": {"token": "t0ken-of-all"}})).await;
    let token = [("authorization", "Bearer t0ken-of-all")];
    world.get("/find/lamp", &[]).await;
    world.ask("return 1", &[]).await;
    world.ask("return 'pr1vate'", &token).await;
    world.ask("insert into items (a) values ('b')", &token).await;
    world.gateway.reload().unwrap();
    world.folder.write("config.json", "{");
    world.gateway.reload().unwrap_err();
    let folder = world.end().await;
    let told = lines(&folder.path().join("audit.log"));
    let events: Vec<&str> = told.iter().map(|line| line["event"].as_str().unwrap()).collect();
    assert_eq!(events, ["refused", "script", "write", "reload", "reload"], "{told:?}");
    assert_eq!((&told[0]["status"], &told[0]["path"]), (&json!(401), &json!("/q?s=***")));
    assert!(told[1]["address"].as_str().unwrap().starts_with("127.0.0.1:") && told[1]["script"].as_str().unwrap().len() == 64);
    assert_eq!(told[2]["writes"], json!(["items"]));
    assert!(told[3]["failure"].is_null() && told[4]["failure"].as_str().unwrap().contains("config.json"), "{told:?}");
    let text = std::fs::read_to_string(folder.path().join("audit.log")).unwrap();
    assert!(!text.contains("pr1vate") && !text.contains("t0ken-of-all"), "{text}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn values_from_files_are_for_the_folder_alone() {
    let world = World::new(json!({})).await;
    let folder = &world.folder;
    folder.write("config.json", r#"{"allowPrivate": ["127.0.0.1:*"], "shop": {"key": {"$file": "key"}, "name": "north"}}"#);
    folder.write("key", "h1dden-value\n");
    let base = &world.mock;
    folder.write("routes/key.ql", "return { \"n\": \"{config.shop.key}\" } via route '/key' using method get");
    let uri = std::fs::read_to_string(folder.path().join("tables/gone.ql")).unwrap();
    folder.write("tables/keyed.ql", uri.replace("table gone", "table keyed").replace("/gone'", "/keyed?k={config.shop.key}'"));
    world.gateway.reload().unwrap();
    assert_eq!(world.get("/key", &[]).await.text, r#"{"n":"h1dden-value"}"#);
    let shown = world.ask("return { \"n\": \"{config.shop}\" }", &[]).await.text;
    assert_eq!(shown, r#"{"n":{"name":"north"}}"#);
    let failed = world.ask("return select * from keyed", &[]).await.text;
    assert!(!failed.contains("h1dden"), "{failed}");
    assert!(base.seen().iter().any(|seen| format!("{seen:?}").contains("h1dden-value")), "{:?}", base.seen());
    for path in ["/table?name=keyed", "/q?s=explain%20analyze%20return%20select%20*%20from%20keyed"] {
        let shown = world.get(path, &[]).await.text;
        assert!(!shown.contains("h1dden"), "{shown}");
    }
}

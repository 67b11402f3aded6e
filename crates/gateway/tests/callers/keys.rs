//! API keys and their scopes.

use serde_json::json;

use crate::world::{World, hash};

fn config() -> serde_json::Value {
    json!({"callers": {
        "keys": [
            {"name": "shop", "sha256": hash("shop-s3cret"), "scopes": ["items"]},
            {"name": "tool", "sha256": hash("tool-s3cret"), "scopes": ["scripts"]},
            {"name": "all", "sha256": hash("all-s3cret"), "scopes": ["items", "everything"]},
            {"name": "nothing", "sha256": hash("none-s3cret")},
            {"name": "old", "sha256": hash("old-s3cret"), "scopes": ["everything"], "expires": "2020-01-01T00:00:00Z"},
        ],
        "scopes": {
            "items": {"routes": ["get /items", "/two"], "tables": ["items"]},
            "scripts": {"adHoc": true, "tables": ["items"]},
            "everything": {"routes": ["*"], "adHoc": true},
        },
    }})
}

#[tokio::test]
async fn a_key_opens_what_its_scopes_name() {
    let world = World::new(config(), &[]).await;
    let script = |text: &str| format!("/q?s={}", percent_encoding::utf8_percent_encode(text, percent_encoding::NON_ALPHANUMERIC));
    let making = script("create table x on select get from 'http://127.0.0.1:1/'; return select * from x");
    for (key, path, status, code) in [
        ("", "/items", 401, "unknown_caller"),
        ("", "/q?s=return%201", 401, "unknown_caller"),
        ("", "/tables", 401, "unknown_caller"),
        ("", "/metrics", 401, "unknown_caller"),
        ("", "/openapi.json", 401, "unknown_caller"),
        ("wrong", "/items", 401, "bad_key"),
        ("old-s3cret", "/items", 401, "bad_key"),
        ("shop-s3cret", "/items", 200, ""),
        ("shop-s3cret", "/other", 403, "out_of_scope"),
        // The route is in scope, one of its tables is not.
        ("shop-s3cret", "/two", 403, "out_of_scope"),
        ("shop-s3cret", "/q?s=return%201", 403, "out_of_scope"),
        ("shop-s3cret", "/tables", 200, ""),
        ("tool-s3cret", &script("return select v from items"), 200, ""),
        ("tool-s3cret", &script("return select v from other"), 403, "out_of_scope"),
        ("tool-s3cret", &script("return select v from items where v in (select v from other)"), 403, "out_of_scope"),
        ("tool-s3cret", &script("explain return select v from other"), 403, "out_of_scope"),
        ("tool-s3cret", &script("explain analyze return select v from other"), 403, "out_of_scope"),
        ("tool-s3cret", &making, 403, "out_of_scope"),
        // A route of the script itself is none of the folder.
        ("tool-s3cret", &script("return select v from other via route '/items' using method get"), 403, "out_of_scope"),
        ("tool-s3cret", "/items", 403, "out_of_scope"),
        ("all-s3cret", "/two", 200, ""),
        ("all-s3cret", &script("return select v from other"), 200, ""),
        ("nothing", "/items", 401, "bad_key"),
        ("none-s3cret", "/items", 403, "out_of_scope"),
    ] {
        let headers = [("x-api-key", key)];
        let answer = world.get(path, if key.is_empty() { &[] } else { &headers }).await;
        assert_eq!(answer.code(), (status, code), "{key} {path}: {answer:?}");
        if status == 401 {
            assert!(answer.headers.contains_key("www-authenticate"), "{answer:?}");
        }
        assert!(!answer.body.to_string().contains("s3cret"), "{answer:?}");
    }
    assert_eq!(world.get("/healthz", &[]).await.status, 200, "probes have no key");
    // Events show services: they are for callers who may send scripts.
    for (key, shown) in [("shop-s3cret", false), ("all-s3cret", true)] {
        let answer = world.get("/items?events=%7B%7D", &[("x-api-key", key)]).await;
        assert_eq!((answer.status, answer.headers.contains_key("link")), (200, shown), "{key}");
    }
    // No script sees the hashes.
    let answer = world.script("return '{config.callers}'", &[("x-api-key", "all-s3cret")]).await;
    assert!(!answer.body.to_string().contains("sha256"), "{answer:?}");
}

#[tokio::test]
async fn keys_change_with_the_configuration() {
    let world = World::new(config(), &[]).await;
    assert_eq!(world.get("/items", &[("x-api-key", "shop-s3cret")]).await.status, 200);
    let mut other = config();
    other["callers"]["keys"] = json!([{"name": "new", "sha256": hash("new-s3cret"), "scopes": ["items"]}]);
    other["callers"]["header"] = json!("x-shop-key");
    other["callers"]["anonymous"] = json!(["scripts"]);
    world.reconfigure(other);
    assert_eq!(world.get("/items", &[("x-shop-key", "shop-s3cret")]).await.code(), (401, "bad_key"));
    assert_eq!(world.get("/items", &[("x-shop-key", "new-s3cret")]).await.status, 200);
    // A caller who shows nothing has the scopes of everybody.
    assert_eq!(world.script("return select v from items", &[]).await.status, 200);
    assert_eq!(world.script("return select v from other", &[]).await.code(), (403, "out_of_scope"));
    assert_eq!(world.get("/items", &[]).await.code(), (403, "out_of_scope"));
    // A broken configuration changes nothing.
    let broken = json!({"callers": {"anonymous": ["gone"]}, "allowPrivate": ["127.0.0.1:*"]});
    world.folder.write("config.json", broken.to_string());
    assert!(world.serving.gateway.reload().unwrap_err().to_string().contains("gone"));
    assert_eq!(world.get("/items", &[("x-shop-key", "new-s3cret")]).await.status, 200);
}

#[tokio::test]
async fn log_and_metrics_name_the_caller_and_never_the_key() {
    let world = World::new(config(), &[]).await;
    world.get("/items", &[("x-api-key", "shop-s3cret")]).await;
    world.get("/items", &[("x-api-key", "wrong-s3cret")]).await;
    world.get("/other", &[("x-api-key", "shop-s3cret")]).await;
    let lines = world.log("access.log", 3).await;
    let callers: Vec<_> = lines.iter().map(|line| line["caller"].as_str()).collect();
    assert_eq!(callers, [Some("shop"), None, Some("shop")]);
    let numbers = world.serving.gateway.metrics_text();
    assert!(numbers.contains("polywire_caller_requests_total{caller=\"shop\",status=\"2xx\"} 1\n"), "{numbers}");
    assert!(numbers.contains("polywire_caller_requests_total{caller=\"shop\",status=\"4xx\"} 1\n"), "{numbers}");
    assert!(!numbers.contains("s3cret") && !format!("{lines:?}").contains("s3cret"));
}

#[tokio::test]
async fn the_token_of_scripts_still_opens_them() {
    let mut config = config();
    config["adHoc"] = json!({"token": "t0ken"});
    let world = World::new(config, &[]).await;
    assert_eq!(world.script("return select v from other", &[("authorization", "Bearer t0ken")]).await.status, 200);
    assert_eq!(world.script("return 1", &[("authorization", "Bearer t1ken")]).await.status, 401);
    assert_eq!(world.script("return select v from items", &[("x-api-key", "tool-s3cret")]).await.status, 200);
}

#[tokio::test]
async fn the_audit_names_who_ran_a_script_and_who_was_refused() {
    let world = World::new(config(), &[]).await;
    for (key, script) in [("tool-s3cret", "return 1"), ("shop-s3cret", "return 2"), ("wrong", "return 3")] {
        world.script(script, &[("x-api-key", key)]).await;
    }
    let lines = world.log("audit.log", 3).await;
    let seen: Vec<_> = lines.iter().map(|line| json!([line["event"], line["caller"], line["status"]])).collect();
    assert_eq!(seen, [json!(["script", "tool", 200]), json!(["refused", "shop", 403]), json!(["refused", null, 401])]);
    assert!(lines.iter().all(|line| !line.to_string().contains("s3cret")));
}

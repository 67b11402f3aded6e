//! The parameter `events`.

use serde_json::{Value, json};

use crate::world::{Answered, World, encoded};

/// Returns the packets in the header `Link`.
fn packets(answered: &Answered) -> Vec<Value> {
    let link = answered.headers["link"].to_str().unwrap();
    let data = link.strip_prefix("<data:application/json,").and_then(|link| link.strip_suffix(">; rel=\"execstate\"")).unwrap();
    serde_json::from_str(&percent_encoding::percent_decode_str(data).decode_utf8().unwrap()).unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn events_come_back_in_a_link() {
    let world = World::new(json!({})).await;
    let events = encoded(r#"{"data": "[\"ack\", \"statement-response\", \"script-done\"]"}"#);
    let answered = world.get(&format!("/find/lamp?events={events}"), &[]).await;
    assert_eq!(answered.text, r#"["lamp","rug"]"#);
    let told = packets(&answered);
    let names: Vec<&str> = told.iter().map(|packet| packet["type"].as_str().unwrap()).collect();
    assert_eq!(names, ["ack", "statement-response", "script-done"]);
    let response = &told[1]["data"];
    assert_eq!((&response["status"], &response["headers"]["x-of"]), (&json!(200), &json!("items")), "{response}");
    assert!(response["headers"].get("set-cookie").is_none() && !answered.headers["link"].to_str().unwrap().contains("s3cret"));

    let ends = world.get(&format!("/find/lamp?events={}", encoded(r#"{"data": ["ql.io-end-event"]}"#)), &[]).await;
    assert!(packets(&ends).iter().any(|packet| packet["type"] == "ql.io-end-event"), "{:?}", packets(&ends));
    // Whatever is asked for, the head is one that proxies take.
    let everything = world.get("/find/lamp?events=%7B%7D", &[]).await;
    let told = packets(&everything);
    assert!(told.len() > 1 && told.last().unwrap()["type"] == "left-out", "{told:?}");
    let head: usize = everything.headers.iter().map(|(name, value)| name.as_str().len() + value.len() + 4).sum();
    assert!(head < 2048, "{head}");
    assert!(!world.get("/find/lamp", &[]).await.headers.contains_key("link"));
    world.end().await;
}

#[tokio::test]
async fn what_finds_no_place_is_counted() {
    let world = World::new(json!({})).await;
    let script = format!("a = \"{}\"; b = \"short\"; return '{{b}}'", "x".repeat(9000));
    let events = encoded(r#"{"data": ["a", "b"]}"#);
    let answered = world.get(&format!("/q?s={}&events={events}", encoded(&script)), &[]).await;
    assert_eq!(packets(&answered), [json!({"type": "b", "data": "short"}), json!({"type": "left-out", "data": {"count": 1}})]);
    world.end().await;
}

#[tokio::test]
async fn who_may_send_no_scripts_gets_no_events() {
    let world = World::new(json!({"adHoc": {"token": "t0ken"}})).await;
    let path = "/find/lamp?events=%7B%7D";
    assert!(!world.get(path, &[]).await.headers.contains_key("link"));
    assert!(world.get(path, &[("authorization", "Bearer t0ken")]).await.headers.contains_key("link"));
    world.end().await;
}

//! `explain` over HTTP.

use serde_json::{Value, json};

use crate::world::World;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn scripts_are_explained_in_the_form_that_is_accepted() {
    let world = World::new(json!({})).await;
    let script = "explain\na = select title from items where q = 'lamp'; return '{a}'";
    let told = world.ask(script, &[]).await;
    let value: Value = serde_json::from_str(&told.text).unwrap();
    assert_eq!((told.status, &value["steps"][0]["line"]), (200, &json!(2)), "{}", told.text);
    assert_eq!(value["steps"][0]["alternatives"][0]["reads"], json!([{"table": "items", "wanted": "title"}]));
    assert_eq!(value["mostRequests"], json!(51));
    assert!(value["steps"][0].get("state").is_none() && world.mock.seen().is_empty(), "it was not run");
    let told = world.ask(script, &[("accept", "text/plain")]).await;
    assert_eq!(told.headers["content-type"], "text/plain; charset=utf-8");
    assert!(told.text.contains("#0 line 2: a = select title from items"), "{}", told.text);
    assert!(told.text.ends_with("51 requests at most\n"), "{}", told.text);

    let told = world.ask(&script.replace("explain", "explain analyze"), &[]).await;
    let value: Value = serde_json::from_str(&told.text).unwrap();
    let made = &value["steps"][0]["requests"][0];
    assert_eq!(
        (&made["status"], &made["cached"], &made["retries"], &value["steps"][0]["state"]),
        (&json!(200), &json!(false), &json!(0), &json!("done"))
    );
    assert!(made["uri"].as_str().unwrap().ends_with("key=***") && made["bytesIn"].as_u64().unwrap() > 50, "{made}");
    world.end().await;
}

#[tokio::test]
async fn a_failure_is_explained_and_a_mistake_is_one() {
    let world = World::new(json!({})).await;
    let told = world.ask("explain analyze return select * from gone", &[]).await;
    let value: Value = serde_json::from_str(&told.text).unwrap();
    assert_eq!(
        (told.status, &value["failure"]["status"], &value["steps"][0]["requests"][0]["retries"]),
        (200, &json!(502), &json!(1)),
        "{}",
        told.text
    );
    let told = world.ask("explain return selec", &[]).await;
    let value: Value = serde_json::from_str(&told.text).unwrap();
    assert_eq!((told.status, &value["line"]), (400, &json!(1)), "{}", told.text);
    let told = world.ask("explain = 3; return '{explain}'", &[]).await;
    assert_eq!((told.status, &*told.text), (200, "3"), "a variable may have the name");
    world.end().await;
}

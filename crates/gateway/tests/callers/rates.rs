//! Rates of callers and addresses.

use serde_json::{Value, json};

use crate::redis_server::{self, free_port};
use crate::world::{World, hash};

fn config(rates: Value) -> Value {
    json!({"rates": rates, "callers": {
        "keys": [
            {"name": "one", "sha256": hash("one"), "scopes": ["all"]},
            {"name": "two", "sha256": hash("two"), "scopes": ["all"], "rate": {"requests": 1, "seconds": 3600}},
        ],
        "scopes": {"all": {"routes": ["*"], "adHoc": true}},
    }})
}

/// The statuses of `count` requests with a key.
async fn statuses(world: &World, key: &str, count: usize) -> Vec<u16> {
    let mut statuses = Vec::new();
    for _ in 0..count {
        statuses.push(world.get("/items", &[("x-api-key", key)]).await.status);
    }
    statuses
}

#[tokio::test]
async fn a_caller_has_its_rate() {
    let world = World::new(config(json!({"perCaller": {"requests": 3, "seconds": 3600}})), &[]).await;
    let first = world.get("/items", &[("x-api-key", "one")]).await;
    assert_eq!((first.status, first.header("ratelimit-policy")), (200, "\"caller\";q=3;w=3600"));
    assert_eq!(first.header("ratelimit"), "\"caller\";r=2;t=1200");
    assert_eq!(statuses(&world, "one", 3).await, [200, 200, 429]);
    let refused = world.get("/items", &[("x-api-key", "one")]).await;
    assert_eq!(refused.code(), (429, "rate_limited"));
    let wait: u64 = refused.header("retry-after").parse().unwrap();
    assert!((1100..=1200).contains(&wait), "{wait}");
    assert!(refused.header("ratelimit").starts_with("\"caller\";r=0;"), "{refused:?}");
    assert_eq!(refused.body["retryAfter"], wait);
    // Others have their own; a key may have one that differs.
    assert_eq!(statuses(&world, "two", 2).await, [200, 429]);
    assert_eq!(world.get("/healthz", &[]).await.status, 200);
    // Rates that did not change are counted on after the folder was read again.
    world.reconfigure(config(json!({"perCaller": {"requests": 3, "seconds": 3600}})));
    assert_eq!(statuses(&world, "one", 1).await, [429]);
    world.reconfigure(config(json!({"perCaller": {"requests": 4, "seconds": 3600}})));
    assert_eq!(statuses(&world, "one", 1).await, [200]);
}

#[tokio::test]
async fn an_address_has_its_rate_and_a_proxy_speaks_for_others() {
    let rates = json!({"perAddress": {"requests": 2, "seconds": 3600}, "proxies": ["127.0.0.1/32"]});
    let world = World::new(json!({"rates": rates}), &[]).await;
    let ask = async |forwarded: &str| world.get("/items", &[("x-forwarded-for", forwarded)]).await.status;
    assert_eq!([ask("198.51.100.1").await, ask("198.51.100.1").await, ask("198.51.100.1").await], [200, 200, 429]);
    // Addresses that the caller itself wrote are not believed.
    assert_eq!(ask("192.0.2.9, 198.51.100.1").await, 429);
    assert_eq!(ask("198.51.100.2").await, 200);
    // A wrong key costs the address as much as a right one.
    let world = World::new(config(json!({"perAddress": {"requests": 2, "seconds": 3600}})), &[]).await;
    assert_eq!(statuses(&world, "wrong", 3).await, [401, 401, 429]);
    assert_eq!(statuses(&world, "one", 1).await, [429]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn replicas_count_together_and_go_on_without_redis() {
    let mut redis = redis_server::Server::start(free_port()).await;
    let store = format!("redis://127.0.0.1:{}", redis.port);
    let rates = json!({"perCaller": {"requests": 20, "seconds": 3600}, "store": store});
    let (a, b) = (World::new(config(rates.clone()), &[]).await, World::new(config(rates), &[]).await);
    assert_eq!([statuses(&a, "one", 1).await, statuses(&b, "one", 1).await], [[200], [200]]);
    // At the same time: not one more passes.
    let asked = (0..30).flat_map(|_| [&a, &b]).map(|world| world.get("/items", &[("x-api-key", "one")]));
    let answers = futures_util::future::join_all(asked).await;
    assert_eq!(answers.iter().filter(|answer| answer.status == 200).count(), 18);
    assert!(answers.iter().filter(|answer| answer.status != 200).all(|answer| answer.code() == (429, "rate_limited")));
    let wait: u64 = answers.iter().find(|answer| answer.status == 429).unwrap().header("retry-after").parse().unwrap();
    assert!((100..=180).contains(&wait), "{wait}");
    redis.kill();
    // Each counts by itself.
    assert_eq!(statuses(&a, "one", 20).await, [200; 20]);
    assert_eq!(statuses(&a, "one", 1).await, [429]);
    assert_eq!(statuses(&b, "one", 1).await, [200]);
}

//! The cache on Debian's redis-server: working, killed, and started again.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, StatusCode};
use polywire_gateway::cache::remote::{Remote, Trust};
use polywire_gateway::cache::{Cache, Entry, Fetched, Store};
use polywire_gateway::observe::Counters;
use polywire_gateway::secrets::Secrets;

use crate::redis_server::{Server, free_port};

const MINUTE: Duration = Duration::from_secs(60);

fn entry(body: &'static [u8]) -> Entry {
    let mut headers = HeaderMap::new();
    headers.insert("content-type", "text/plain".parse().unwrap());
    Entry { status: StatusCode::CREATED, headers, body: Bytes::from_static(body), made: false }
}

/// Returns the cache's reply for a key, and true if it had to be fetched.
async fn ask(cache: &Cache<String>, key: &str) -> (Entry, bool) {
    let mut fetched = false;
    let fetch = async {
        fetched = true;
        Ok(Fetched { entry: entry(b"\0\r\n\r\nbody\xff"), keep: true })
    };
    let kept = cache.get_or_fetch(key, MINUTE, fetch).await.expect("a cache never fails");
    ((*kept).clone(), fetched)
}

/// Asks until the reply need not be fetched; gives up after some seconds.
async fn kept_again(cache: &Cache<String>, key: &str) -> bool {
    for _ in 0..100 {
        if !ask(cache, key).await.1 {
            return true;
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    false
}

fn cache(port: u16) -> (Cache<String>, Arc<Counters>) {
    let counters = Arc::new(Counters::default());
    let store = Arc::new(Remote::new(&format!("redis://127.0.0.1:{port}"), &Trust::default()).unwrap());
    (Cache::new(store, Secrets::default(), counters.clone()), counters)
}

#[tokio::test]
async fn shared_by_replicas_and_outlived_by_the_gateway() {
    let mut server = Server::start(free_port()).await;
    let (one, counters) = cache(server.port);
    let (two, _) = cache(server.port);
    assert_eq!(ask(&one, "k").await, (entry(b"\0\r\n\r\nbody\xff"), true));
    assert!(kept_again(&one, "k").await && kept_again(&two, "k").await);
    assert_eq!(ask(&two, "k").await, (entry(b"\0\r\n\r\nbody\xff"), false));
    assert_eq!(counters.snapshot().cache_failures, 0);
    server.kill();
    for _ in 0..20 {
        assert_eq!(ask(&one, "k").await, (entry(b"\0\r\n\r\nbody\xff"), true));
    }
    assert!(counters.snapshot().cache_failures > 0);
    let _server = Server::start(server.port).await;
    // It is empty now, and used again.
    assert!(kept_again(&one, "k").await && kept_again(&two, "k").await);
}

#[tokio::test]
async fn nobody_there_from_the_start() {
    let port = free_port();
    let (cache, counters) = cache(port);
    assert!(ask(&cache, "k").await.1 && ask(&cache, "k").await.1);
    assert_eq!(counters.snapshot().cache_failures, 1);
    let _server = Server::start(port).await;
    assert!(kept_again(&cache, "k").await);
}

#[tokio::test]
async fn a_server_that_never_answers() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let (cache, counters) = cache(listener.local_addr().unwrap().port());
    for _ in 0..10 {
        assert!(ask(&cache, "k").await.1);
    }
    assert!((1..10).contains(&counters.snapshot().cache_failures));
}

#[tokio::test]
async fn entries_expire_and_strangers_are_no_entries() {
    let server = Server::start(free_port()).await;
    let store = Remote::new(&format!("redis://127.0.0.1:{}", server.port), &Trust::default()).unwrap();
    store.put("brief", Arc::new(entry(b"x")), Duration::from_millis(1)).await.unwrap();
    tokio::time::sleep(Duration::from_millis(20)).await;
    assert_eq!(store.get("brief").await, Ok(None));
    store.put("long", Arc::new(Entry { body: vec![0; 2 << 20].into(), ..entry(b"") }), MINUTE).await.unwrap();
    assert_eq!(store.get("long").await, Ok(None));
    let client = redis::Client::open(format!("redis://127.0.0.1:{}", server.port)).unwrap();
    let mut connection = client.get_multiplexed_async_connection().await.unwrap();
    let () = redis::cmd("SET").arg("polywire:2:odd").arg("what somebody else wrote").query_async(&mut connection).await.unwrap();
    let () = redis::cmd("LPUSH").arg("polywire:2:list").arg("1").query_async(&mut connection).await.unwrap();
    assert_eq!(store.get("odd").await, Ok(None));
    assert!(store.get("list").await.is_err());
}

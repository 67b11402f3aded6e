//! The cache server is killed and started again: answers go on, and hits come back.

use std::time::Duration;

use polywire_gateway::server::{Listening, Start};
use serde_json::json;

use crate::backend::{Backend, reply};
use crate::folder::Folder;
use crate::redis_server::{self, free_port};
use crate::server::Server;

/// Asks until the service need not be asked.
async fn hit(server: &Server, backend: &Backend) -> bool {
    for _ in 0..100 {
        let before = backend.asked().len();
        assert_eq!(server.ask("select v from t").await.body, json!([7]));
        if backend.asked().len() == before {
            return true;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    false
}

#[tokio::test]
async fn killed_and_started_again() {
    let backend = Backend::new(|_| vec![reply(200, &["content-type: application/json"], r#"{"v": 7}"#)]).await;
    let mut redis = redis_server::Server::start(free_port()).await;
    let cache = Some(format!("redis://127.0.0.1:{}", redis.port));
    let mut replicas = Vec::new();
    for _ in 0..2 {
        let folder = Folder::new();
        folder.write("tables/t.ql", format!("create table t on select get from '{}' expires 3600", backend.uri("/")));
        let start = Start { cache: cache.clone(), ..Start::default() };
        replicas.push(Server::start_with(folder, start, Listening::default()).await);
    }
    assert!(hit(&replicas[0], &backend).await);
    // A reply that one fetched, the other has.
    let fetched = backend.asked().len();
    assert!(hit(&replicas[1], &backend).await);
    assert_eq!(backend.asked().len(), fetched);
    redis.kill();
    for replica in &replicas {
        for _ in 0..20 {
            let answer = replica.ask("select v from t").await;
            assert_eq!((answer.status, answer.body), (200, json!([7])));
        }
        assert!(replica.serving.gateway.counters().snapshot().cache_failures > 0);
    }
    assert!(backend.asked().len() >= fetched + 40);
    let _redis = redis_server::Server::start(redis.port).await;
    for replica in &replicas {
        assert!(hit(replica, &backend).await);
    }
}

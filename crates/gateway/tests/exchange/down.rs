//! Services that are down, or refuse for now.

use std::time::{Duration, Instant};

use http::Method;
use polywire_gateway::exchange::breaker::Breaker;
use polywire_gateway::exchange::client::Parts;
use polywire_gateway::exchange::error::ErrorKind;
use polywire_gateway::exchange::options::Options;
use polywire_gateway::exchange::retry::Retry;

use crate::backend::{Backend, Hang, ok, reply};
use crate::caller::{caller_with, loopback, once, post};

#[tokio::test]
async fn a_host_that_mostly_fails_is_left_alone_then_tried() {
    let breaker = Breaker { requests: 10, pause: 200, ..Breaker::default() };
    let caller = caller_with(Options { breaker, ..loopback() }, Parts::default());
    let backend = Backend::new(|asked| if asked.number < 12 { vec![reply(503, &[], "")] } else { ok("well") }).await;
    // Each URI is asked once, so that none of them backs off.
    for n in 0..10 {
        assert_eq!(caller.send(&once(backend.uri(&format!("/{n}")))).await.unwrap().status, 503);
    }
    for n in 10..30 {
        let kind = caller.failure(&once(backend.uri(&format!("/{n}")))).await;
        assert!(matches!(kind, ErrorKind::CircuitOpen { .. }), "{kind:?}");
    }
    assert_eq!((backend.asked().len(), caller.counts().circuits, caller.counts().left_alone), (10, 1, 20));
    // The trial fails, and the next pause is longer.
    tokio::time::sleep(Duration::from_millis(250)).await;
    assert_eq!(caller.send(&once(backend.uri("/trial"))).await.unwrap().status, 503);
    assert!(matches!(caller.failure(&once(backend.uri("/x"))).await, ErrorKind::CircuitOpen { .. }));
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert_eq!(caller.send(&once(backend.uri("/trial"))).await.unwrap().status, 503);
    tokio::time::sleep(Duration::from_millis(1000)).await;
    for _ in 0..5 {
        assert_eq!(caller.get(backend.uri("/")).await.unwrap().body, "well");
    }
}

#[tokio::test]
async fn nobody_has_a_host_left_alone_by_haste() {
    let breaker = Breaker { requests: 5, ..Breaker::default() };
    let caller = caller_with(Options { breaker, ..loopback() }, Parts::default());
    let backend = Backend::new(|asked| if asked.path() == "/slow" { vec![Hang] } else { ok("well") }).await;
    for _ in 0..10 {
        let mut request = once(backend.uri("/slow"));
        request.idle = Duration::from_millis(5);
        let kind = caller.failure(&request).await;
        assert!(matches!(kind, ErrorKind::Timeout { .. } | ErrorKind::BackOff { .. }), "{kind:?}");
    }
    assert_eq!(caller.get(backend.uri("/")).await.unwrap().body, "well");
}

#[tokio::test]
async fn what_is_refused_for_now_is_tried_again_if_it_may_be() {
    let retry = Retry { statuses: vec![502, 503, 504], wait: 20, ..Retry::default() };
    let caller = caller_with(Options { retry, ..loopback() }, Parts::default());
    let backend = Backend::new(|asked| if asked.number < 2 { vec![reply(503, &[], "")] } else { ok("well") }).await;
    let begin = Instant::now();
    let response = caller.get(backend.uri("/")).await.unwrap();
    assert_eq!((response.status.as_u16(), response.retries, &response.body[..]), (200, 2, &b"well"[..]));
    assert!(begin.elapsed() >= Duration::from_millis(30), "{:?}", begin.elapsed());
    let never = Backend::new(|_| vec![reply(503, &[], "")]).await;
    let mut writing = post(never.uri("/"), "x");
    writing.repeatable = true;
    assert_eq!(caller.send(&writing).await.unwrap().status, 503);
    assert_eq!(caller.send(&once(never.uri("/"))).await.unwrap().status, 503);
    let mut deleting = once(never.uri("/"));
    deleting.method = Method::DELETE;
    assert_eq!(caller.send(&deleting).await.unwrap().status, 503);
    assert_eq!(never.asked().len(), 3);
    assert_eq!(caller.get(never.uri("/")).await.unwrap().status, 503);
    assert_eq!(never.asked().len(), 6);
}

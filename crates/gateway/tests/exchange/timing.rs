//! Timeouts, the second try, and back-off.

use std::sync::Arc;
use std::time::Duration;

use polywire_gateway::exchange::bounds::Bounds;
use polywire_gateway::exchange::error::ErrorKind;
use polywire_gateway::exchange::message::{Delays, Request};

use crate::backend::{Backend, Close, Hang, Pause, ok, send};
use crate::caller::{caller, post};

const SHORT: Duration = Duration::from_millis(60);
const LONG: Duration = Duration::from_secs(30);

#[tokio::test]
async fn slow_but_never_idle() {
    let backend = Backend::new(|_| {
        let mut acts = vec![send("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n")];
        for _ in 0..10 {
            acts.extend([Pause(Duration::from_millis(20)), send("x")]);
        }
        acts
    })
    .await;
    let caller = caller();
    let mut request = post(backend.uri("/"), "");
    request.idle = Duration::from_secs(10);
    assert_eq!(caller.send(&request).await.unwrap().body, "xxxxxxxxxx");
    request.overall = Some(SHORT);
    assert_eq!(caller.failure(&request).await, ErrorKind::Deadline);
    request.overall = None;
    let bounds = Bounds::new(Some(SHORT), 10);
    assert_eq!(caller.client.send(&request, &bounds).await.unwrap_err().kind(), &ErrorKind::Deadline);
}

#[tokio::test]
async fn the_deadline_counts_while_waiting_for_a_turn() {
    let backend = Backend::new(|_| vec![Hang]).await;
    let caller = Arc::new(caller());
    let bounds = Bounds::new(Some(2 * SHORT), 1);
    let first = {
        let (caller, bounds, request) = (caller.clone(), bounds.clone(), Request::get(backend.uri("/")));
        tokio::spawn(async move { caller.client.send(&request, &bounds).await })
    };
    tokio::time::sleep(SHORT / 4).await;
    let second = caller.client.send(&Request::get(backend.uri("/2")), &bounds).await;
    assert_eq!(second.unwrap_err().kind(), &ErrorKind::Deadline);
    assert_eq!(first.await.unwrap().unwrap_err().kind(), &ErrorKind::Deadline);
    assert!(backend.asked().iter().all(|asked| asked.path() == "/"));
}

#[tokio::test]
async fn selects_are_tried_twice_and_others_once() {
    let backend = Backend::new(|asked| if asked.number % 2 == 0 { vec![Close] } else { ok("second") }).await;
    let caller = caller();
    assert_eq!(caller.get(backend.uri("/")).await.unwrap().body, "second");
    assert_eq!((backend.asked().len(), caller.counts().retries), (2, 1));
    assert!(matches!(caller.failure(&post(backend.uri("/"), "x")).await, ErrorKind::Closed { .. }));
    assert_eq!((backend.asked().len(), caller.counts().retries), (3, 1));
    // A select may be a POST.
    let select = Request { repeatable: true, ..post(backend.uri("/x"), "x") };
    assert!(caller.send(&post(backend.uri("/even"), "")).await.is_ok());
    assert_eq!(caller.send(&select).await.unwrap().body, "second");
    let backend = Backend::new(|_| vec![Hang]).await;
    let idle = Request { idle: SHORT, ..Request::get(backend.uri("/")) };
    assert_eq!(caller.failure(&idle).await, ErrorKind::Timeout { idle: SHORT });
    assert_eq!(backend.asked().len(), 2);
}

#[tokio::test]
async fn who_keeps_failing_is_left_alone() {
    let backend = Backend::new(|asked| if asked.path() == "/down" { vec![Close] } else { ok("") }).await;
    let caller = caller();
    let mut request = Request { delays: Delays { min: LONG, max: LONG }, ..post(backend.uri("/down"), "") };
    request.table = "t".into();
    for _ in 0..4 {
        assert!(matches!(caller.failure(&request).await, ErrorKind::Closed { .. }));
    }
    for _ in 0..5 {
        let ErrorKind::BackOff { count: 4, delay: LONG, .. } = caller.failure(&request).await else { panic!("it was asked") };
    }
    assert_eq!(backend.asked().len(), 4);
    let counts = caller.counts();
    assert_eq!((counts.backoffs, counts.left_alone, counts.failures), (1, 5, 9));
    // Others are not concerned.
    assert!(caller.get(backend.uri("/up")).await.is_ok());
    assert!(matches!(caller.failure(&post(backend.uri("/down"), "")).await, ErrorKind::Closed { .. }));
    // A delay that is over, and a success.
    let backend = Backend::new(|asked| if asked.number < 4 { vec![Close] } else { ok("") }).await;
    let brief = Request { delays: Delays { min: Duration::from_millis(1), max: Duration::from_millis(1) }, ..post(backend.uri("/"), "") };
    for _ in 0..4 {
        assert!(caller.send(&brief).await.is_err());
    }
    tokio::time::sleep(Duration::from_millis(20)).await;
    assert!(caller.send(&brief).await.is_ok());
    assert!(caller.send(&brief).await.is_ok());
}

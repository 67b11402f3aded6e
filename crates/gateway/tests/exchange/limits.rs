//! How many at a time.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use polywire_gateway::exchange::bounds::Bounds;
use polywire_gateway::exchange::client::Parts;
use polywire_gateway::exchange::message::Request;
use polywire_gateway::exchange::options::Options;

use crate::backend::{Backend, Pause, ok, reply};
use crate::caller::{caller, caller_with, loopback};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ten_thousand_calls_through_a_small_pool() {
    const WIDTH: usize = 8;
    let backend = Backend::new(|_| ok("x".repeat(2000))).await;
    let caller = Arc::new(caller_with(Options { connections_per_host: WIDTH, ..loopback() }, Parts::default()));
    let wide = Bounds::new(None, 20_000);
    let calls: Vec<_> = (0..10_000)
        .map(|number| {
            let (caller, wide, uri) = (caller.clone(), wide.clone(), backend.uri(&format!("/{number}")));
            tokio::spawn(async move { caller.client.send(&Request::get(uri), &wide).await.unwrap().body.len() })
        })
        .collect();
    for call in calls {
        assert_eq!(call.await.unwrap(), 2000);
    }
    assert_eq!((backend.asked().len(), caller.counts().replies), (10_000, 10_000));
    // The pool opens a connection beside waiting for one, so a few more than there are exchanges at
    // a time.
    assert!(backend.connections() < 10 * WIDTH, "{} connections", backend.connections());
    assert!(caller.counts().open() <= 4 * WIDTH as u64, "{} open", caller.counts().open());
}

#[tokio::test]
async fn the_exchanges_of_an_answer_and_of_a_host_are_limited() {
    for (per_host, per_answer) in [(1000, 3), (3, 1000)] {
        let (now, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let backend = {
            let (now, most) = (now.clone(), most.clone());
            Backend::new(move |_| {
                most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                let now = now.clone();
                tokio::spawn(async move {
                    tokio::time::sleep(Duration::from_millis(5)).await;
                    now.fetch_sub(1, Ordering::SeqCst);
                });
                vec![Pause(Duration::from_millis(20)), reply(200, &[], "")]
            })
            .await
        };
        let caller = caller_with(Options { connections_per_host: per_host, ..loopback() }, Parts::default());
        let bounds = Bounds::new(None, per_answer);
        let request = Request::get(backend.uri("/"));
        let calls = (0..30).map(|_| caller.client.send(&request, &bounds));
        assert!(futures_util::future::join_all(calls).await.iter().all(Result::is_ok));
        assert!((1..=3).contains(&most.load(Ordering::SeqCst)), "{most:?}");
    }
}

#[tokio::test]
async fn a_call_that_is_given_up_leaves_its_place() {
    let backend = Backend::new(|asked| if asked.path() == "/slow" { vec![Pause(Duration::from_secs(30))] } else { ok("") }).await;
    let caller = caller_with(Options { connections_per_host: 1, ..loopback() }, Parts::default());
    for _ in 0..3 {
        assert!(tokio::time::timeout(Duration::from_millis(50), caller.get(backend.uri("/slow"))).await.is_err());
    }
    assert_eq!(caller.get(backend.uri("/")).await.unwrap().status, 200);
}

#[tokio::test]
async fn a_claimed_length_takes_no_memory() {
    // The longest reply that may be is claimed a hundred times over; nothing comes of it.
    let backend = Backend::new(|_| {
        vec![crate::backend::send("HTTP/1.1 200 OK\r\ncontent-length: 10000000\r\n\r\nx"), Pause(Duration::from_secs(30))]
    })
    .await;
    let caller = caller();
    let before = resident();
    let wide = Bounds::new(None, 1000);
    let mut request = crate::caller::once(backend.uri("/"));
    request.idle = Duration::from_millis(500);
    let calls = (0..100).map(|_| caller.client.send(&request, &wide));
    assert!(futures_util::future::join_all(calls).await.iter().all(Result::is_err));
    let grown = resident().saturating_sub(before);
    assert!(grown < 200 << 20, "{grown} bytes");
}

/// The most memory that this process had so far, in bytes.
fn resident() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<usize>().unwrap() << 10
}

//! Equal requests of one script.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::response::Response;
use http::StatusCode;
use serde_json::{Value, json};

use crate::world::{Service, World, reply};

async fn world(config: Value) -> (Service, World) {
    let count = Arc::new(AtomicUsize::new(0));
    let service = Service::start(move |asked| {
        let n = count.fetch_add(1, Ordering::Relaxed);
        match asked.path.as_str() {
            "/fails" => Response::builder().status(StatusCode::CONFLICT).body("no".into()).unwrap(),
            "/large" => reply(&json!([{"id": 1, "text": "x".repeat(300_000), "n": asked.one("n")}])),
            _ => reply(&json!([{"id": 1, "n": n}])),
        }
    })
    .await;
    let base = format!("get from 'http://127.0.0.1:{}", service.port);
    let tables = [
        ("usual", format!("{base}/a?q={{q}}' using headers 'X-H' = '{{h}}'")),
        ("shared", format!("{base}/a?q={{q}}' using headers 'X-H' = '{{h}}' with shared replies")),
        ("other", format!("{base}/a?q={{q}}' using headers 'X-H' = '{{h}}' with shared replies resultset 'x'")),
        ("separate", format!("{base}/a?q={{q}}' with separate replies")),
        ("fails", format!("{base}/fails' with shared replies")),
        ("large", format!("{base}/large?n={{n}}' with shared replies")),
        (
            "written",
            format!(
                "{base}/w' with shared replies on insert post to 'http://127.0.0.1:{0}/w' on update put to 'http://127.0.0.1:{0}/w'",
                service.port
            ),
        ),
        ("posted", format!("post to 'http://127.0.0.1:{}/p' with shared replies", service.port)),
    ];
    let world = World::new(&[&service], config, &tables).await;
    (service, world)
}

/// Forty statements, and an object of all of them.
fn forty(select: &str) -> String {
    let statements: String = (0..40).map(|n| format!("v{n} = {select}; ")).collect();
    let members: Vec<String> = (0..40).map(|n| format!("\"v{n}\": \"{{v{n}}}\"")).collect();
    format!("{statements} return {{{}}}", members.join(", "))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn forty_equal_requests_are_one() {
    let (service, world) = world(json!({})).await;
    let answer = world.ask(&forty("select n from shared where q = 'x'")).await;
    assert_eq!((answer.status, service.count()), (200, 1), "{}", answer.text);
    assert!(answer.value().as_object().unwrap().values().all(|value| *value == json!([0])), "{}", answer.text);
    assert_eq!(world.metric("polywire_backend_shared_total").await, 39);
    assert_eq!(world.metric("polywire_backend_requests_total").await, 1);
    // Never across answers.
    world.ask("return select n from shared where q = 'x'").await;
    assert_eq!(service.count(), 2);
    // A list, a join, and statements one behind the other, of another table too.
    for (script, requests) in [
        ("return select n from shared where q in ('x', 'x', 'x', 'y')", 2),
        ("l = [{\"k\": 1}, {\"k\": 1}, {\"k\": 2}]; return select b.n from l as l, shared as b where b.q = l.k", 2),
        ("a = select n from shared where q = 'x'; b = select n from shared where q = 'x' and x = '{a}'; return '{b}'", 1),
        ("a = select n from shared where q = 'x'; b = select n from other where q = 'x' and x = '{a}'; return '{b}'", 1),
        ("return select n from shared where q in ('x', 'x') and h in ('1')", 1),
        ("a = select n from shared where h = 1; b = select n from shared where h = 2; return {\"a\": \"{a}\", \"b\": \"{b}\"}", 2),
        ("a = select n from shared timeout 100; b = select n from shared; return {\"a\": \"{a}\", \"b\": \"{b}\"}", 2),
        ("return select n from usual where q in ('x', 'x')", 2),
        ("return select n from posted where q in ('x', 'x')", 1),
    ] {
        let before = service.count();
        let answer = world.ask(script).await;
        assert_eq!((answer.status, service.count() - before), (200, requests), "{script}: {}", answer.text);
    }
    let text = world.explain(&format!("analyze {}", forty("select n from shared where q = 'x'"))).await;
    assert!(text.contains("equal requests share a reply") && text.contains("40 requests") && text.contains("\nshared: 39\n"), "{text}");
    assert_eq!(world.ask("describe shared").await.value()["select"]["shared"], json!(true));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_setting_holds_for_tables_that_do_not_say() {
    let (service, world) = world(json!({"shareReplies": true})).await;
    for (table, requests) in [("usual", 1), ("shared", 1), ("separate", 3)] {
        let before = service.count();
        world.ask(&format!("return select n from {table} where q in ('x', 'x', 'x')")).await;
        assert_eq!(service.count() - before, requests, "{table}");
    }
    world.folder.write("config.json", "{}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn writes_are_never_shared_and_end_sharing() {
    let (service, world) = world(json!({"shareReplies": true})).await;
    let script = "a = select n from written; b = insert into written (x) values ('{a}'); c = insert into written (x) values ('{a}');
                  return select n from written where b = '{b}' and c = '{c}'";
    let answer = world.ask(script).await;
    let methods: Vec<String> = service.seen().into_iter().map(|asked| asked.method).collect();
    assert_eq!((answer.status, methods), (200, ["GET", "POST", "POST", "GET"].map(str::to_owned).to_vec()), "{}", answer.text);
    assert_eq!(answer.value(), json!([3]));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn failures_are_shared_only_by_those_who_wait() {
    let (service, world) = world(json!({})).await;
    let answer = world.ask(&forty("select n from fails || {\"was\": \"failed\"}")).await;
    assert_eq!((answer.status, service.count(), answer.partial()), (200, 1, "40"), "{}", answer.text);
    let script = "a = select n from fails || 'once'; return select n from fails where x = '{a}' || 'twice'";
    assert_eq!((world.ask(script).await.value(), service.count()), (json!("twice"), 3));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn retries_and_hosts_left_alone_are_explained() {
    let gone = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = gone.local_addr().unwrap().port();
    drop(gone);
    let table = ("gone", format!("get from 'http://127.0.0.1:{port}/'"));
    let allowed = json!({"allowPrivate": [format!("127.0.0.1:{port}")]});
    let world = World::new(&[], allowed, &[table]).await;
    let text = world.explain("analyze return select * from gone").await;
    assert!(text.contains(", 1 times again: ") && text.contains("\nretries: 1\n"), "{text}");
    for _ in 0..4 {
        world.ask("return select * from gone").await;
    }
    let text = world.explain("analyze return select * from gone").await;
    assert!(text.contains(", left alone: ") && text.contains("\nleft alone: 1\n"), "{text}");
    let value = world.ask("explain analyze return select * from gone").await.value();
    assert_eq!(value["sums"], json!({"shared": 0, "pages": 0, "batches": 0, "retries": 0, "leftAlone": 1}));
    assert_eq!(value["steps"][0]["requests"][0]["leftAlone"], json!(true));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn kept_replies_count_and_are_bounded() {
    let (service, world) = world(json!({"maxMemory": 4_000_000})).await;
    let chain = |count: usize| {
        let ask = |n: usize, before: String| format!("v{n} = select id from large where n = {n} and x = '{before}'; ");
        let first: String = (0..count).map(|n| ask(n, if n == 0 { String::new() } else { format!("{{v{}}}", n - 1) })).collect();
        format!("{first} return select id from large where n = 0 and x = '{{v{}}}'", count - 1)
    };
    // A quarter of the memory is for them: three.
    let answer = world.ask(&chain(3)).await;
    assert_eq!((answer.status, service.count()), (200, 3), "{}", answer.text);
    let before = service.count();
    let answer = world.ask(&chain(5)).await;
    assert_eq!((answer.status, service.count() - before), (200, 5), "those that came first stay");
    let last = chain(5).replace("where n = 0 and x = '{v4}'", "where n = 4 and x = '{v4}'");
    let before = service.count();
    let answer = world.ask(&last).await;
    assert_eq!((answer.status, service.count() - before), (200, 6), "there was no room for the last");
    let world = World::new(
        &[&service],
        json!({"maxMemory": 500_000}),
        &[("l", format!("get from 'http://127.0.0.1:{}/large' with shared replies", service.port))],
    )
    .await;
    assert_eq!(
        world.ask("a = select * from l; b = select * from l; return {\"a\": \"{a}\", \"b\": \"{b}\"}").await.value()["code"],
        json!("too_much_memory")
    );
}

//! Callers who try to stop the gateway, to read its secrets, or to move a request.

use std::time::{Duration, Instant};

use crate::backend::{Backend, ok, reply};
use crate::folder::Folder;
use crate::server::{Answer, Server};

fn head(answer: &Answer) -> usize {
    answer.headers.iter().map(|(name, value)| name.as_str().len() + value.len() + 4).sum()
}

/// A gateway with a table `t` of one value, `user` with a path, and `keys` with secrets.
async fn server(backend: &Backend, config: &str) -> Server {
    let folder = Folder::new();
    folder.write("config.json", config);
    let table = |name: &str, user: &str, path: &str, rest: &str| {
        let uri = format!("http://{user}127.0.0.1:{}{path}", backend.port);
        folder.write(&format!("tables/{name}.ql"), format!("create table {name} on select get from '{uri}' {rest}"));
    };
    table("t", "", "/t?v={v}", "");
    table("user", "", "/users/{id}/profile", "using headers 'X-Credential' = 'cr3dential'");
    table(
        "keys",
        "name:s3cret2@",
        "/k?api_key=s3cret1&q={q}",
        "using headers 'Authorization' = 'Bearer s3cret3', 'Cookie' = 'a=s3cret4', 'X-Shop-Token' = 's3cret5' using defaults password = 's3cret6', q = 'lamp'",
    );
    folder.write("routes/t.ql", "return select v from t where v = '{v}' via route '/t?v={v}' using method get");
    folder.write("routes/user.ql", "return select path from user where id = '{id}' via route '/user/{id}' using method get");
    folder.write(
        "routes/length.ql",
        "h = 'Content-Length'; return {\"h\": \"{h}\"} via route '/length' using method get using headers '{h}' = '5', 'X-A' = 'b'",
    );
    folder.write("routes/form.ql", "return '{v}' via route '/form' using method post");
    Server::start(folder).await
}

const CONFIG: &str = r#"{"allowPrivate": ["127.0.0.1:*"], "maxNestedRequests": 200}"#;

async fn echo() -> Backend {
    Backend::new(|asked| vec![reply(200, &["content-type: application/json"], format!(r#"[{{"v": 1, "path": "{}"}}]"#, asked.path()))])
        .await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn heads_do_not_grow_with_requests() {
    let backend = echo().await;
    let server = server(&backend, CONFIG).await;
    for count in [1, 71, 200] {
        let values: Vec<String> = (0..count).map(|n| format!("v={n}")).collect();
        let answer = server.get(&format!("/t?{}", values.join("&"))).await;
        assert_eq!((answer.status, answer.body.as_array().map(Vec::len)), (200, Some(count)), "{answer:?}");
        assert!(head(&answer) < 2048, "{count}: {}", head(&answer));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_do_not_multiply() {
    let backend = echo().await;
    let server = server(&backend, r#"{"allowPrivate": ["127.0.0.1:*"], "maxNestedRequests": 5}"#).await;
    let values: Vec<String> = (0..1000).map(|n| format!("v={n}")).collect();
    let answer = server.get(&format!("/t?{}", values.join("&"))).await;
    assert_eq!(answer.failure(), (400, "too_many_requests"));
    assert!(answer.body["hint"].as_str().is_some_and(|hint| hint.contains("maxNestedRequests")), "{answer:?}");
    assert_eq!(backend.asked().len(), 0);
    server.is_well().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn values_do_not_multiply() {
    let backend = echo().await;
    let server = server(&backend, CONFIG).await;
    let steps = |last: usize| (1..=last).map(|n| format!("a{n}=[\"{{a{}}}\",\"{{a{}}}\"];", n - 1, n - 1)).collect::<String>();
    let begin = Instant::now();
    for (script, code) in [
        (format!("a0=\"{}\";{}return {{\"a\":\"{{a30}}\"}}", "x".repeat(100), steps(30)), "too_much_memory"),
        // An answer beyond the budget, of values that are within it.
        (
            format!(
                "a0=\"{}\";{}return {{\"a\":\"{{a17}}\",\"b\":\"{{a17}}\",\"c\":\"{{a17}}\",\"d\":\"{{a17}}\"}}",
                "x".repeat(100),
                steps(17)
            ),
            "too_much_memory",
        ),
    ] {
        assert_eq!(server.ask(&script).await.failure(), (422, code), "{script}");
    }
    assert!(begin.elapsed() < Duration::from_secs(20));
    server.is_well().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_deadline_ends_evaluation() {
    let backend = echo().await;
    let server = server(&backend, r#"{"allowPrivate": ["127.0.0.1:*"], "deadline": 300, "maxMemory": 4000000000}"#).await;
    // Each row goes with each.
    let rows = vec!["{\"a\":1}"; 2000].join(",");
    let script = format!("r=[{rows}]; x = select a.a, b.a from r as a, r as b where a.a = b.a; return {{\"x\":\"{{x}}\"}}");
    let begin = Instant::now();
    let answer = server.ask(&script).await;
    let took = begin.elapsed();
    assert!([(504, "deadline"), (422, "too_much_work")].contains(&answer.failure()), "{answer:?}");
    assert!(took < Duration::from_secs(5), "{took:?} {answer:?}");
    server.is_well().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn others_are_served_while_long_forms_are_read() {
    let backend = echo().await;
    let server = server(&backend, CONFIG).await;
    let form = format!("v=1{}", "&a=b".repeat(2_200_000));
    let url = format!("http://127.0.0.1:{}/form", server.port);
    let posts: Vec<_> = (0..20).map(|_| tokio::spawn(post(url.clone(), form.clone()))).collect();
    let mut slowest = Duration::ZERO;
    while !posts.iter().all(tokio::task::JoinHandle::is_finished) {
        let begin = Instant::now();
        assert_eq!(server.get("/healthz").await.status, 200);
        slowest = slowest.max(begin.elapsed());
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let mut read = 0;
    for answered in posts {
        let status = answered.await.unwrap();
        assert!([400, 503].contains(&status), "{status}");
        read += usize::from(status == 400);
    }
    // Not all of them have room at the same time.
    assert!(read > 0);
    assert!(slowest < Duration::from_secs(10), "{slowest:?}");
}

async fn post(url: String, form: String) -> u16 {
    let client = hyper_util::client::legacy::Client::builder(hyper_util::rt::TokioExecutor::new()).build_http();
    let request = http::Request::post(url).header("content-type", "application/x-www-form-urlencoded");
    client.request(request.body(http_body_util::Full::new(bytes::Bytes::from(form))).unwrap()).await.unwrap().status().as_u16()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn values_stay_in_their_segment() {
    let backend = echo().await;
    let server = server(&backend, CONFIG).await;
    for path in ["/user/%2e%2e", "/user/..%2f..", "/user/%2E", "/user/a%2f..%2fb%2f.."] {
        let answer = server.get(path).await;
        let sent = backend.asked();
        assert!(sent.iter().all(|asked| asked.path().matches('/').count() == 3 && asked.path().ends_with("/profile")), "{path}: {sent:?}");
        assert!(answer.status == 200 || answer.failure() == (400, "bad_parameter"), "{path}: {answer:?}");
    }
    assert_eq!(server.get("/user/%2e%2e").await.failure(), (400, "bad_parameter"));
    let answer = server.get("/user/...").await;
    assert!(answer.body.to_string().contains("/users/.../profile"), "{answer:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tables_are_shown_without_secrets() {
    let backend = echo().await;
    let server = server(&backend, CONFIG).await;
    for path in ["/table?name=keys", "/table?name=keys&format=html", "/tables", "/tables?format=html", "/api", "/openapi.json"] {
        let answer = server.get(path).await;
        let shown = answer.body.to_string();
        assert!(answer.status == 200 && !shown.contains("s3cret"), "{path}: {shown}");
    }
    let shown = server.ask("describe keys").await.body.to_string();
    assert!(shown.contains("***") && shown.contains("lamp") && !shown.contains("s3cret"), "{shown}");
    for script in ["explain return select * from keys", "explain analyze return select * from keys"] {
        let shown = server.ask(script).await.body.to_string();
        assert!(!shown.contains("s3cret"), "{shown}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn routes_do_not_frame_answers() {
    let backend = Backend::new(|_| ok("{}")).await;
    let answer = server(&backend, CONFIG).await.get("/length").await;
    assert_eq!((&answer.body["h"], &answer.headers["x-a"]), (&serde_json::json!("Content-Length"), &http::HeaderValue::from_static("b")));
    let folder = Folder::new();
    folder.write("config.json", CONFIG);
    for (n, name) in ["Content-Length", "Transfer-Encoding", "Connection", "Keep-Alive", "Upgrade", "Trailer", "TE"].iter().enumerate() {
        folder.write(&format!("routes/{n}.ql"), format!("return {{}} via route '/{n}' using method get using headers '{name}' = '5'"));
    }
    let serving = crate::serving::Serving::start(&folder, Default::default(), Default::default()).await.unwrap();
    let problems: Vec<String> = serving.gateway.directory().problems.iter().map(ToString::to_string).collect();
    assert_eq!(problems.iter().filter(|problem| problem.contains("the server frames its answers")).count(), 7, "{problems:?}");
}

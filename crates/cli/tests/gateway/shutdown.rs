//! SIGTERM: what is under way is answered, nobody new is let in, and it ends.

use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::Notify;

use crate::backend::{Act, Backend, Hang, reply};
use crate::folder::Folder;
use crate::program::{Program, Signal, client, get};

/// Makes a folder with the route `/r`, whose service answers once notified, and `/never`, whose
/// service never answers.
async fn slow() -> (Folder, Backend, Arc<Notify>) {
    let told = Arc::new(Notify::new());
    let waits_for = told.clone();
    let backend = Backend::new(move |asked| match asked.path() {
        "/never" => vec![Hang],
        _ => vec![Act::Wait(waits_for.clone()), reply(200, &["content-type: application/json"], r#"{"v": 1}"#)],
    })
    .await;
    let folder = Folder::new();
    folder.write("config.json", r#"{"allowPrivate": ["127.0.0.1:*"]}"#);
    for name in ["r", "never"] {
        folder.write(
            &format!("routes/{name}.ql"),
            format!(
                "create table {name} on select get from '{}'\nreturn select * from {name} via route '/{name}' using method get",
                backend.uri(&format!("/{name}"))
            ),
        );
    }
    // Routes call what tables name.
    folder.write("tables/t.ql", format!("create table t on select get from '{}'", backend.uri("/t")));
    (folder, backend, told)
}

async fn asked(backend: &Backend) {
    while backend.asked().is_empty() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn answers_under_way_are_given() {
    let (folder, backend, told) = slow().await;
    let mut program = Program::start(&folder, &[]);
    let port = program.port;
    let mut idle = TcpStream::connect(("127.0.0.1", port)).await.expect("a connection");
    idle.write_all(b"GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n").await.expect("written");
    let under_way = tokio::spawn(async move { get(&client(), port, "/r").await });
    asked(&backend).await;
    program.tell(Signal::TERM);
    program.line("shutting down");
    // Nobody listens any more.
    while TcpStream::connect(("127.0.0.1", port)).await.is_ok() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert!(!under_way.is_finished());
    told.notify_one();
    assert_eq!(under_way.await.expect("no panic"), Ok((200, r#"{"v":1}"#.to_owned())));
    assert!(program.ended().await.success());
    let mut answer = String::new();
    idle.read_to_string(&mut answer).await.expect("closed in peace");
    assert!(answer.ends_with("ok\n"));
}

#[tokio::test]
async fn the_grace_ends_and_who_says_it_twice_means_it() {
    let (folder, backend, _) = slow().await;
    for (grace, twice) in [("1", false), ("3600", true)] {
        let mut program = Program::start(&folder, &["--grace", grace]);
        let port = program.port;
        let before = backend.asked().len();
        let under_way = tokio::spawn(async move { get(&client(), port, "/never").await });
        while backend.asked().len() == before {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        program.tell(Signal::TERM);
        program.line("shutting down");
        if twice {
            program.tell(Signal::TERM);
        }
        assert!(program.ended().await.success());
        // Its connection ends, or before that the one to the service.
        let cut = under_way.await.expect("no panic");
        assert!(cut.as_ref().map_or(true, |(status, _)| *status == 502), "{cut:?}");
    }
}

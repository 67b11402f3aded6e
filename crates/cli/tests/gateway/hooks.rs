//! Hooks that data makes run for minutes, in a process with workers. They end in time, others are
//! served, and the program ends at SIGTERM.

use std::fs;
use std::time::Duration;

use bytes::Bytes;
use http::Request;
use http_body_util::{BodyExt, Full};

use crate::folder::Folder;
use crate::program::{Asking, PATIENCE, Program, Signal, client, get};

/// The largest part of a caller's body.
const LONG: usize = 7_000_000;

/// A folder with the routes `/stuck`, whose function searches the body for its own half and more,
/// and `/fine`, with another function.
fn folder(time: u64) -> Folder {
    let folder = Folder::new();
    folder.write("config.json", format!(r#"{{"hooks": {{"time": {time}}}}}"#));
    folder.write("tables/t.ql", "create table t on select get from 'http://127.0.0.1:1/'");
    folder.write(
        "tables/lib.js",
        "exports.stuck = function (text) { return text.indexOf(text.slice(0, text.length / 2) + 'b'); };
         exports.fine = function (text) { return text + '!'; };",
    );
    folder.write(
        "routes/stuck.ql",
        "u = require(\"tables/lib.js\")\nx = u.stuck(\"{text}\")\nreturn \"{x}\" via route '/stuck' using method post",
    );
    folder.write("routes/fine.ql", "u = require(\"tables/lib.js\")\nx = u.fine(\"a\")\nreturn \"{x}\" via route '/fine' using method get");
    folder
}

/// Sends a body of which the search takes minutes.
fn attack(client: &Asking, port: u16) -> tokio::task::JoinHandle<Option<(u16, String)>> {
    let body = format!(r#"{{"text":"{}"}}"#, "a".repeat(LONG));
    let request = Request::post(format!("http://127.0.0.1:{port}/stuck")).header("content-type", "application/json");
    let request = request.body(Full::new(Bytes::from(body))).expect("a request");
    let client = client.clone();
    tokio::spawn(async move {
        let reply = client.request(request).await.ok()?;
        let status = reply.status().as_u16();
        let body = reply.into_body().collect().await.ok()?.to_bytes();
        Some((status, String::from_utf8_lossy(&body).into_owned()))
    })
}

/// Worker processes of a program.
fn workers(parent: u32) -> Vec<u32> {
    let threads = fs::read_dir(format!("/proc/{parent}/task")).into_iter().flatten().flatten();
    let children = threads.flat_map(|thread| {
        let text = fs::read_to_string(thread.path().join("children")).unwrap_or_default();
        text.split_ascii_whitespace().filter_map(|id| id.parse().ok()).collect::<Vec<u32>>()
    });
    children.collect()
}

async fn until_gone(workers: &[u32]) {
    let gone = async {
        while workers.iter().any(|id| fs::read_to_string(format!("/proc/{id}/cmdline")).is_ok_and(|line| line.contains("hooks-worker"))) {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(PATIENCE, gone).await.expect("workers end");
}

#[tokio::test]
async fn six_bodies_hold_no_hooks() {
    let folder = folder(3000);
    let program = Program::start(&folder, &[]);
    let client = client();
    assert_eq!(get(&client, program.port, "/fine").await, Ok((200, "\"a!\"".into())));
    let attacks: Vec<_> = (0..6).map(|_| attack(&client, program.port)).collect();
    for _ in 0..20 {
        assert_eq!(get(&client, program.port, "/fine").await, Ok((200, "\"a!\"".into())));
        assert_eq!(get(&client, program.port, "/healthz").await.map(|answer| answer.0), Ok(200));
    }
    for attack in attacks {
        let (status, body) = attack.await.expect("a task").expect("an answer");
        assert!(body.contains("its engine was ended") || body == "null" || body.is_empty(), "{status}: {body}");
    }
    let workers = workers(program.pid());
    assert!(!workers.is_empty());
    drop(program);
    until_gone(&workers).await;
}

#[tokio::test]
async fn a_stuck_hook_does_not_outlive_the_grace() {
    let folder = folder(600_000);
    let mut program = Program::start(&folder, &["--grace", "1"]);
    let client = client();
    let attacks: Vec<_> = (0..6).map(|_| attack(&client, program.port)).collect();
    assert_eq!(get(&client, program.port, "/fine").await, Ok((200, "\"a!\"".into())));
    while workers(program.pid()).len() < 3 {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let workers = workers(program.pid());
    program.tell(Signal::TERM);
    program.ended().await;
    until_gone(&workers).await;
    drop(attacks);
}

#[tokio::test]
async fn workers_end_with_a_killed_gateway() {
    let folder = folder(600_000);
    let mut program = Program::start(&folder, &[]);
    let client = client();
    let attack = attack(&client, program.port);
    assert_eq!(get(&client, program.port, "/fine").await, Ok((200, "\"a!\"".into())));
    let workers = workers(program.pid());
    assert!(!workers.is_empty());
    program.kill();
    until_gone(&workers).await;
    drop(attack);
}

#[tokio::test]
async fn modules_are_loaded_again_with_the_folder() {
    let folder = folder(10_000);
    let mut program = Program::start(&folder, &[]);
    let client = client();
    assert_eq!(get(&client, program.port, "/fine").await, Ok((200, "\"a!\"".into())));
    folder.write("tables/lib.js", "exports.fine = function (text) { return text + '?'; };");
    program.line("loaded again");
    assert_eq!(get(&client, program.port, "/fine").await, Ok((200, "\"a?\"".into())));
}

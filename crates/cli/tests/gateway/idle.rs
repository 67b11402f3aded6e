//! Ten thousand callers who say nothing more.

use std::fs;

use futures_util::future::join_all;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::backend::{Backend, reply};
use crate::folder::Folder;
use crate::program::{Program, client, get};

const CALLERS: u64 = 10_000;

/// Open files that the test and the server need beside idle connections.
const OTHERS: u64 = 200;

/// Raises the limit of this process, and returns the number of connections that it and the server
/// may hold: the server keeps a quarter for services.
fn possible() -> u64 {
    let maximum = getrlimit(Resource::Nofile).maximum;
    setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum }).expect("up to the hard limit everybody may");
    maximum.map_or(CALLERS, |files| (files - files / 4).saturating_sub(OTHERS).min(CALLERS) / 100 * 100)
}

async fn ask(stream: &mut TcpStream) {
    stream.write_all(b"GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n").await.expect("written");
    let mut answer = Vec::new();
    while !answer.ends_with(b"ok\n") {
        assert!(stream.read_buf(&mut answer).await.expect("read") > 0, "closed");
    }
}

/// Memory of a process, in KiB.
fn resident(pid: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).expect("Linux");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("a line");
    line.trim().trim_end_matches(" kB").parse().expect("a number")
}

#[tokio::test]
#[expect(clippy::print_stdout, reason = "the memory is for those who ask with --nocapture")]
async fn ten_thousand_idle_connections() {
    let callers = possible();
    assert!(callers >= 2000, "the hard limit of open files is too low to show anything; raise it with `ulimit -Hn 20000`");
    let backend = Backend::new(|_| vec![reply(200, &["content-type: application/json"], r#"{"v": 1}"#)]).await;
    let folder = Folder::new();
    folder.write("config.json", r#"{"allowPrivate": ["127.0.0.1:*"]}"#);
    folder.write("tables/t.ql", format!("create table t on select get from '{}'", backend.uri("/")));
    folder.write("routes/r.ql", "return select v from t via route '/r' using method get");
    let program = Program::start(&folder, &[]);
    let (asking, port) = (client(), program.port);
    assert_eq!(get(&asking, port, "/r").await, Ok((200, "[1]".to_owned())));
    let before = resident(program.pid());
    let mut idle = Vec::new();
    while (idle.len() as u64) < callers {
        let some = (0..100).map(|_| async {
            let mut stream = TcpStream::connect(("127.0.0.1", port)).await.expect("a connection");
            ask(&mut stream).await;
            stream
        });
        idle.extend(join_all(some).await);
    }
    let memory = resident(program.pid()) - before;
    println!("{callers} idle connections: {memory} KiB more, {} bytes each", memory * 1024 / callers);
    assert!(memory * 1024 / callers < 64 << 10, "{memory} KiB for {callers} idle connections");
    for _ in 0..20 {
        assert_eq!(get(&client(), port, "/r").await, Ok((200, "[1]".to_owned())));
    }
    // They are there still.
    for stream in idle.iter_mut().step_by(20) {
        ask(stream).await;
    }
    drop(idle);
    assert_eq!(get(&client(), port, "/r").await, Ok((200, "[1]".to_owned())));
}

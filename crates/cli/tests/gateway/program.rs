//! A server that is a process, and who asks it.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use bytes::Bytes;
use http::Request;
use http_body_util::{BodyExt, Full};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
pub use rustix::process::Signal;
use rustix::process::{Pid, kill_process};

use crate::folder::Folder;

/// Longer than anything takes that works.
pub const PATIENCE: Duration = Duration::from_secs(60);

pub struct Program {
    pub port: u16,
    child: Child,
    lines: Receiver<String>,
}

impl Program {
    /// `polywire serve` over a folder, when it listens.
    pub fn start(folder: &Folder, arguments: &[&str]) -> Program {
        let mut child = Command::new(env!("CARGO_BIN_EXE_polywire"))
            .arg("serve")
            .arg(folder.path())
            .args(["--threads", "2"])
            .args(if arguments.contains(&"--port") { [].as_slice() } else { &["--port", "0"] })
            .args(arguments)
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let stderr = BufReader::new(child.stderr.take().expect("a pipe"));
        let (sender, lines) = channel();
        std::thread::spawn(move || stderr.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));
        let mut program = Program { port: 0, child, lines };
        let line = program.line("listening at");
        program.port = line.rsplit(':').next().and_then(|port| port.parse().ok()).unwrap_or_else(|| panic!("no port in {line}"));
        program
    }

    /// Waits for a line of its log.
    pub fn line(&mut self, part: &str) -> String {
        let mut seen = String::new();
        loop {
            match self.lines.recv_timeout(PATIENCE) {
                Ok(line) if line.contains(part) => return line,
                Ok(line) => seen = seen + &line + "\n",
                Err(_) => panic!("it never said {part:?}, but {seen}"),
            }
        }
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    pub fn tell(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).expect("it runs");
    }

    /// `kill -9`.
    pub fn kill(&mut self) {
        self.child.kill().expect("it runs");
        self.child.wait().expect("it ended");
    }

    /// How it ended.
    pub async fn ended(&mut self) -> ExitStatus {
        let waiting = async {
            loop {
                if let Some(status) = self.child.try_wait().expect("a child") {
                    return status;
                }
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        tokio::time::timeout(PATIENCE, waiting).await.expect("it ends")
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub type Asking = Client<HttpConnector, Full<Bytes>>;

pub fn client() -> Asking {
    Client::builder(TokioExecutor::new()).build_http()
}

/// Status and body of an answer.
pub async fn get(client: &Asking, port: u16, path: &str) -> Result<(u16, String), String> {
    let request = Request::get(format!("http://127.0.0.1:{port}{path}")).body(Full::default()).expect("a request");
    let asking = async {
        let reply = client.request(request).await.map_err(|error| format!("{error:?}"))?;
        let status = reply.status().as_u16();
        let body = reply.into_body().collect().await.map_err(|error| error.to_string())?.to_bytes();
        Ok((status, String::from_utf8_lossy(&body).into_owned()))
    };
    tokio::time::timeout(PATIENCE, asking).await.map_err(|_| "no answer".to_owned())?
}

/// Asks until the body is as expected.
pub async fn until(client: &Asking, port: u16, path: &str, body: &str) {
    let mut last = None;
    for _ in 0..600 {
        last = Some(get(client, port, path).await);
        if last.as_ref().is_some_and(|answer| answer.as_ref().is_ok_and(|(_, found)| found == body)) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("{path} never gave {body}, but {last:?}");
}

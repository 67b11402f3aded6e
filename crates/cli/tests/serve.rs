//! `polywire serve` as a process: its access log, and its signals.
#![cfg(feature = "gateway")]

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, ChildStderr, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

/// The longest wait for a line.
const PATIENCE: Duration = Duration::from_secs(30);

fn lines(stderr: ChildStderr) -> Receiver<String> {
    let (sender, receiver) = channel();
    thread::spawn(move || BufReader::new(stderr).lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));
    receiver
}

fn ask(address: &str, path: &str) -> String {
    let mut stream = TcpStream::connect(address).expect("it listens");
    write!(stream, "GET {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n").expect("a request");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    answer
}

fn signal(child: &Child, name: &str) {
    assert!(Command::new("kill").args([name, &child.id().to_string()]).status().expect("kill").success());
}

fn count(log: &Path) -> usize {
    fs::read_to_string(log).map_or(0, |text| text.lines().count())
}

#[test]
fn the_access_log_is_opened_again_and_its_lines_are_no_changes_of_the_folder() {
    let folder = std::env::temp_dir().join(format!("polywire-serve-{}", std::process::id()));
    fs::create_dir_all(folder.join("routes")).expect("a folder");
    fs::write(folder.join("routes/one.ql"), "return 1 via route '/one' using method get").expect("a route");
    let (log, moved) = (folder.join("access.log"), folder.join("access.log.1"));
    let mut child = Command::new(env!("CARGO_BIN_EXE_polywire"))
        .args(["serve", "--port", "0", "--access-log"])
        .args([&log, &folder])
        .stderr(Stdio::piped())
        .spawn()
        .expect("polywire runs");
    let told = lines(child.stderr.take().expect("a pipe"));
    let first = told.recv_timeout(PATIENCE).expect("it says where it listens");
    let address = first.rsplit("http://").next().expect("an address").to_owned();
    assert!(ask(&address, "/one").ends_with("\r\n\r\n1"));
    while count(&log) == 0 {
        thread::yield_now();
    }
    // Longer than changes are waited for.
    assert!(told.recv_timeout(Duration::from_millis(600)).is_err(), "nothing was loaded again");

    fs::rename(&log, &moved).expect("the log is moved");
    signal(&child, "-HUP");
    assert!(told.recv_timeout(PATIENCE).expect("a line").contains("loaded again: 0 tables, 1 routes"));
    while !log.exists() {
        thread::yield_now();
    }
    ask(&address, "/two");
    signal(&child, "-TERM");
    assert!(child.wait().expect("an end").success());
    assert_eq!((count(&moved), count(&log)), (1, 1));
    fs::remove_dir_all(folder).expect("the folder goes");
}

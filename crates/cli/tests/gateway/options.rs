//! Options that ql.io had too.

use std::process::Command;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::folder::Folder;
use crate::program::{Program, client, get};

/// The status that a request for a WebSocket connection is answered with.
async fn console(port: u16) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).await.expect("a connection");
    let head = "GET / HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\n\
                sec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\nsec-websocket-protocol: ql.io-console\r\n\r\n";
    stream.write_all(head.as_bytes()).await.expect("written");
    let mut status = [0; 12];
    stream.read_exact(&mut status).await.expect("an answer");
    String::from_utf8_lossy(&status).into_owned()
}

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("routes/r.ql", "return 1 via route '/r' using method get");
    folder
}

#[tokio::test]
async fn no_console() {
    let folder = folder();
    for (options, index, socket) in
        [(&[][..], 200, "HTTP/1.1 101"), (&["-e"], 404, "HTTP/1.1 403"), (&["--disableConsole"], 404, "HTTP/1.1 403")]
    {
        let program = Program::start(&folder, options);
        assert_eq!(get(&client(), program.port, "/").await.expect("an answer").0, index, "{options:?}");
        assert_eq!(console(program.port).await, socket, "{options:?}");
        // Scripts are another matter.
        assert_eq!(get(&client(), program.port, "/q?s=return%202").await, Ok((200, "2".to_owned())));
    }
}

#[tokio::test]
async fn numbers_at_a_port_of_their_own() {
    let folder = folder();
    for option in ["-m", "--monPort"] {
        let mut program = Program::start(&folder, &[option, "0"]);
        let line = program.line("metrics at http://127.0.0.1:");
        let place = line.rsplit(':').next().expect("a port").strip_suffix("/metrics").expect("a path");
        let (asking, port, monitor) = (client(), program.port, place.parse().expect("a number"));
        assert_eq!(get(&asking, port, "/r").await, Ok((200, "1".to_owned())));
        let (status, numbers) = get(&asking, monitor, "/metrics").await.expect("an answer");
        let counted = "polywire_requests_total{method=\"GET\",route=\"/r\",status=\"2xx\"} 1\n";
        assert!(status == 200 && numbers.contains(counted), "{numbers}");
        assert_eq!(get(&asking, monitor, "/healthz").await, Ok((200, "ok\n".to_owned())));
        // Neither shows what the other is for.
        assert_eq!(get(&asking, monitor, "/r").await.expect("an answer").0, 404);
        assert_eq!(get(&asking, port, "/metrics").await.expect("an answer").0, 404);
        assert!(!get(&asking, port, "/").await.expect("an answer").1.contains("metrics"));
    }
}

#[test]
fn strangers_send_scripts_only_if_that_was_asked_for() {
    let folder = folder();
    let output = Command::new(env!("CARGO_BIN_EXE_polywire"))
        .arg("serve")
        .arg(folder.path())
        .args(["--host", "0.0.0.0", "--port", "0"])
        .output()
        .expect("the program starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success(), "{said}");
    assert!(["0.0.0.0", "adHoc", "token", "--no-ad-hoc", "--ad-hoc-open"].iter().all(|part| said.contains(part)), "{said}");
    for option in ["--ad-hoc-open", "--no-ad-hoc"] {
        Program::start(&folder, &["--host", "0.0.0.0", option]);
    }
}

#[test]
fn a_folder_is_checked_without_being_served() {
    let check = |folder: &Folder| {
        let program = Command::new(env!("CARGO_BIN_EXE_polywire")).arg("serve").arg(folder.path()).arg("--check").output();
        let output = program.expect("a program");
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let folder = folder();
    assert_eq!(check(&folder), (Some(0), "polywire: 0 tables, 1 routes\n".to_owned()));
    folder.write("tables/broken.ql", "create table broken on select git from 'http://h/'");
    let (code, said) = check(&folder);
    assert!(code == Some(1) && said.contains("tables/broken.ql") && said.contains("one error"), "{code:?} {said}");
    folder.write("tables/broken.ql", "create table whole on select get from 'http://h/'");
    folder.write("config.json", "{\"shop\": {\"key\": {\"$env\": \"NO_SUCH_VARIABLE\"}}}");
    let (code, said) = check(&folder);
    assert!(code.is_some_and(|code| code > 1) && said.contains("shop.key") && said.contains("NO_SUCH_VARIABLE"), "{code:?} {said}");
}

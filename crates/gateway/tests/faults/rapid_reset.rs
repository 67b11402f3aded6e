//! HTTP/2 requests that are cancelled as soon as they are made (CVE-2023-44487), written frame by
//! frame.

use std::time::Duration;

use tokio::io::AsyncWriteExt;

use crate::backend::{Backend, Hang};
use crate::folder::Folder;
use crate::server::{Server, all};

/// RFC 9113 4.1: length, type, flags, stream, payload.
fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let mut bytes = (payload.len() as u32).to_be_bytes()[1..].to_vec();
    bytes.extend([kind, flags]);
    bytes.extend(stream.to_be_bytes());
    bytes.extend(payload);
    bytes
}

const HEADERS: u8 = 1;
const RST_STREAM: u8 = 3;
const SETTINGS: u8 = 4;
const END_STREAM_AND_HEADERS: u8 = 5;
const CANCEL: [u8; 4] = [0, 0, 0, 8];

/// `GET http://x/slow`, with the static table of RFC 7541 and literals that are not indexed.
const REQUEST: &[u8] = b"\x82\x86\x04\x05/slow\x01\x01x";

#[tokio::test]
async fn a_flood_of_requests_taken_back() {
    let backend = Backend::new(|_| vec![Hang]).await;
    let folder = Folder::new();
    folder.write("tables/t.ql", format!("create table t on select get from '{}'", backend.uri("/")));
    folder.write("routes/slow.ql", "return select * from t via route '/slow' using method get");
    let server = Server::start(folder).await;
    let mut stream = server.connect().await;
    stream.write_all(&[b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".as_slice(), &frame(SETTINGS, 0, 0, &[])].concat()).await.expect("written");
    let (mut reading, mut writing) = stream.into_split();
    let flood = async {
        for number in 0..20_000u32 {
            let id = 2 * number + 1;
            let pair = [frame(HEADERS, END_STREAM_AND_HEADERS, id, REQUEST), frame(RST_STREAM, 0, id, &CANCEL)].concat();
            if writing.write_all(&pair).await.is_err() {
                break;
            }
        }
        // Whoever let them all in would have kept the connection.
        tokio::time::sleep(Duration::from_secs(30)).await;
    };
    let read = async {
        let mut buffer = [0; 4096];
        while let Ok(1..) = tokio::io::AsyncReadExt::read(&mut reading, &mut buffer).await {}
    };
    tokio::select! {
        () = read => {}
        () = flood => panic!("all requests were let in"),
    }
    assert!(backend.asked().len() < 1000, "{} requests went on to the service", backend.asked().len());
    let mut stream = server.connect().await;
    stream.write_all(b"GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n").await.expect("written");
    assert!(all(&mut stream).await.ends_with("ok\n"));
    server.is_well().await;
}

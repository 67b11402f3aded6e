//! Exchanges kept as files, and answered from them.

use std::path::Path;

use http::HeaderValue;
use polywire_gateway::exchange::client::Parts;
use polywire_gateway::exchange::error::ErrorKind;
use polywire_gateway::exchange::message::Request;
use polywire_gateway::exchange::options::Options;
use polywire_gateway::exchange::tape::Tape;

use crate::backend::{Backend, reply};
use crate::caller::{caller_with, loopback, post};
use crate::folder::Folder;

fn files(folder: &Path) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        if entry.path().is_dir() {
            found.extend(files(&entry.path()));
        } else {
            found.push((
                entry.file_name().into_string().unwrap(),
                String::from_utf8_lossy(&std::fs::read(entry.path()).unwrap()).into_owned(),
            ));
        }
    }
    found.sort();
    found
}

#[tokio::test]
async fn there_and_back_without_secrets() {
    let folder = Folder::new();
    let backend = Backend::new(|asked| {
        let body = format!("{{\"path\": \"{}\", \"sent\": {}}}", asked.path().replace("s3cret", "-"), asked.body.len());
        vec![reply(
            if asked.path() == "/404" { 404 } else { 200 },
            &["content-type: application/json", "set-cookie: s3cret", "x-key: s3cret", "x-odd: a: b"],
            body,
        )]
    })
    .await;
    let options = || Options { secret_headers: vec!["x-key".to_owned()], secret_parameters: vec!["key".to_owned()], ..loopback() };
    let mut requests = Vec::new();
    for path in ["/items?q=1&key=s3cret", "/items?q=2", "/404"] {
        let uri = format!("http://user:s3cret@127.0.0.1:{}{path}", backend.port);
        requests.push(Request::get(uri.parse().unwrap()));
        requests.push(post(uri.parse().unwrap(), "<a/>"));
    }
    for request in &mut requests {
        for name in ["authorization", "cookie", "x-key"] {
            request.headers.insert(name, HeaderValue::from_static("s3cret"));
        }
        request.headers.insert("content-type", HeaderValue::from_static("application/soap+xml"));
    }
    let recorder = caller_with(options(), Parts { tape: Tape::Record(folder.path().to_owned()), ..Parts::default() });
    let mut live = Vec::new();
    for request in &requests {
        live.push(recorder.send(request).await.unwrap());
    }
    let kept = files(folder.path());
    // Two files for each GET, three for each POST.
    assert_eq!(kept.len(), 3 * 2 + 3 * 3);
    for (name, text) in &kept {
        assert!(!name.contains("s3cret") && !text.contains("s3cret"), "{name}: {text}");
    }
    assert_eq!(kept.iter().filter(|(name, text)| name.ends_with(".request.xml") && text == "<a/>").count(), 3);
    assert_eq!(kept.iter().filter(|(name, text)| name.ends_with(".reply.json") && text.starts_with("{\"path\": \"/")).count(), 6);
    // The same again makes the same files.
    for request in &requests {
        recorder.send(request).await.unwrap();
    }
    assert_eq!(files(folder.path()), kept);
    drop(backend);
    let player = caller_with(
        Options { allow_private: Vec::new(), ..options() },
        Parts { tape: Tape::Replay(folder.path().to_owned()), ..Parts::default() },
    );
    for (request, live) in requests.iter().zip(&live) {
        let mut request = request.clone();
        request.headers.insert("authorization", HeaderValue::from_static("another"));
        let replayed = player.send(&request).await.unwrap();
        assert_eq!((replayed.status, &replayed.body, &replayed.headers["x-odd"]), (live.status, &live.body, &live.headers["x-odd"]));
        assert!(!replayed.uri.to_string().contains("user"));
    }
    assert_eq!(player.counts().requests, 0);
    let unknown = Request::get("http://127.0.0.1:1/unknown".parse().unwrap());
    let ErrorKind::Unrecorded { file } = player.failure(&unknown).await else { panic!("there is none") };
    assert!(file.starts_with("127_0_0_1_1/GET-unknown-"), "{file}");
}

#[tokio::test]
async fn files_that_are_no_exchanges() {
    let folder = Folder::new();
    let player = caller_with(loopback(), Parts { tape: Tape::Replay(folder.path().to_owned()), ..Parts::default() });
    let request = Request::get("http://127.0.0.1:1/x".parse().unwrap());
    let ErrorKind::Unrecorded { file } = player.failure(&request).await else { panic!("there is none") };
    let path = folder.path().join(file);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    for text in ["", "GET / HTTP/1.1\n\n", "\n\n", "GET / HTTP/1.1\n\nHTTP/1.1 200 OK\na: b\n\n"] {
        std::fs::write(&path, text).unwrap();
        assert!(matches!(player.failure(&request).await, ErrorKind::Tape { .. }), "{text:?}");
    }
}

//! Content codings of answers and of requests.

use std::io::{Read, Write};

use flate2::Compression;
use serde_json::json;

use crate::server::Server;

const LONG: (&str, &str) = ("routes/long.ql", "return \"{text}\" via route '/long' using method post");

/// Long enough to be worth it.
fn text() -> String {
    json!({"text": "a text that says the same again and again. ".repeat(100)}).to_string()
}

fn decoded(coding: &str, body: &[u8]) -> String {
    let mut text = String::new();
    match coding {
        "gzip" => flate2::read::GzDecoder::new(body).read_to_string(&mut text).unwrap(),
        "deflate" => flate2::read::ZlibDecoder::new(body).read_to_string(&mut text).unwrap(),
        "br" => brotli_decompressor::Decompressor::new(body, 4096).read_to_string(&mut text).unwrap(),
        "zstd" => zstd::stream::read::Decoder::new(body).unwrap().read_to_string(&mut text).unwrap(),
        _ => panic!("{coding}"),
    };
    text
}

#[tokio::test]
async fn answers_are_in_the_coding_that_is_wanted_most() {
    let server = Server::new(&[LONG]).await;
    let ask = async |accept: &[(&str, &str)]| {
        server.ask("POST", "/long", &[&[("content-type", "application/json")], accept].concat(), text()).await
    };
    let plain = ask(&[]).await;
    assert_eq!((plain.status.as_u16(), plain.header("content-encoding")), (200, ""));
    assert_eq!(plain.header("content-length"), plain.body.len().to_string());
    assert!(plain.header("vary").contains("accept-encoding"));
    for (accept, coding) in [
        ("gzip", "gzip"),
        ("deflate", "deflate"),
        ("br", "br"),
        ("zstd", "zstd"),
        ("gzip;q=0.5, br;q=0.9, zstd;q=0.1", "br"),
        ("br;q=0, gzip;q=0.2, identity;q=0.1", "gzip"),
        ("identity", ""),
        ("gzip;q=0", ""),
        ("compress", ""),
    ] {
        let reply = ask(&[("accept-encoding", accept)]).await;
        assert_eq!((reply.status.as_u16(), reply.header("content-encoding")), (200, coding), "{accept}");
        assert!(reply.header("vary").contains("accept-encoding"), "{accept}");
        match coding {
            "" => assert_eq!(reply.body, plain.body, "{accept}"),
            coding => {
                assert!(reply.body.len() < plain.body.len() / 4, "{accept}");
                assert_eq!(decoded(coding, &reply.body), plain.text(), "{accept}");
            }
        }
    }
}

#[tokio::test]
async fn short_answers_are_sent_as_they_are() {
    let server = Server::new(&[LONG]).await;
    let headers = [("content-type", "application/json"), ("accept-encoding", "gzip")];
    let reply = server.ask("POST", "/long", &headers, r#"{"text":"short"}"#).await;
    assert_eq!((reply.header("content-encoding"), reply.text()), ("", "\"short\""));
}

#[tokio::test]
async fn compression_can_be_turned_off() {
    let server = Server::with(json!({"compress": false}), &[LONG]).await;
    let headers = [("content-type", "application/json"), ("accept-encoding", "gzip, br")];
    let reply = server.ask("POST", "/long", &headers, text()).await;
    assert_eq!((reply.status.as_u16(), reply.header("content-encoding")), (200, ""));
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut writer = flate2::write::GzEncoder::new(Vec::new(), Compression::default());
    writer.write_all(bytes).unwrap();
    writer.finish().unwrap()
}

#[tokio::test]
async fn coded_requests_are_decoded_within_the_limit() {
    let server = Server::with(json!({"maxRequestLength": 100_000}), &[LONG]).await;
    let ask = async |coding: &str, body: Vec<u8>| {
        server.ask("POST", "/long", &[("content-type", "application/json"), ("content-encoding", coding)], body).await
    };
    let mut deflate = flate2::write::ZlibEncoder::new(Vec::new(), Compression::default());
    deflate.write_all(text().as_bytes()).unwrap();
    for (coding, body) in [
        ("gzip", gzip(text().as_bytes())),
        ("deflate", deflate.finish().unwrap()),
        ("zstd", zstd::encode_all(text().as_bytes(), 3).unwrap()),
    ] {
        let reply = ask(coding, body).await;
        assert_eq!(reply.status, 200, "{coding}: {}", reply.text());
        assert_eq!(reply.json(), serde_json::from_str::<serde_json::Value>(&text()).unwrap()["text"], "{coding}");
    }

    let bomb = gzip(&vec![b' '; 50_000_000]);
    assert!(bomb.len() < 100_000);
    let reply = ask("gzip", bomb).await;
    assert_eq!((reply.status.as_u16(), reply.json()["code"].as_str()), (413, Some("request_too_long")));
    let reply = ask("identity", vec![b' '; 100_001]).await;
    assert_eq!(reply.status, 413);

    let reply = ask("gzip", b"no gzip".to_vec()).await;
    assert_eq!((reply.status.as_u16(), reply.json()["code"].as_str()), (400, Some("bad_request_body")));
    let reply = ask("compress", b"x".to_vec()).await;
    assert_eq!((reply.status.as_u16(), reply.header("accept-encoding")), (415, "gzip, deflate, br, zstd"));
}

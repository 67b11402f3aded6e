//! Bodies of callers: what scripts see of them, and what backends get.

use bytes::Bytes;
use serde_json::{Value, json};

use crate::server::Server;

const ECHO: (&str, &str) = (
    "routes/echo.ql",
    "return {\"a\": \"{a}\", \"n\": \"{n.m}\", \"part\": \"{req.parts[0]}\", \"parts\": \"{req.parts}\"} via route '/echo' using method post",
);

async fn echoed(server: &Server, content_type: &str, body: impl Into<Bytes>) -> Value {
    let reply = server.ask("POST", "/echo", &[("content-type", content_type)], body).await;
    assert_eq!(reply.status, 200, "{content_type}: {}", reply.text());
    reply.json()
}

#[tokio::test]
async fn members_of_a_body_in_any_format_are_variables() {
    let server = Server::new(&[ECHO]).await;
    let formats: [(&str, &[u8]); 9] = [
        ("application/json", br#"{"a":1,"n":{"m":"x"}}"#),
        ("application/vnd.api+json", br#"{"a":1,"n":{"m":"x"}}"#),
        ("application/xml", b"<n><m>x</m></n>"),
        ("application/msgpack", b"\x82\xa1a\x01\xa1n\x81\xa1m\xa1x"),
        ("application/x-msgpack", b"\x82\xa1a\x01\xa1n\x81\xa1m\xa1x"),
        ("application/cbor", b"\xa2\x61a\x01\x61n\xa1\x61m\x61x"),
        ("application/bson", b"\x1d\0\0\0\x10a\0\x01\0\0\0\x03n\0\x0e\0\0\0\x02m\0\x02\0\0\0x\0\0\0"),
        ("application/yaml", b"a: 1\nn: {m: x}\n"),
        ("application/x-www-form-urlencoded", b"a=1&n.m=x"),
    ];
    for (content_type, body) in formats {
        let expected = match content_type {
            "application/xml" => json!({"n": "x", "parts": []}),
            "application/x-www-form-urlencoded" => json!({"a": "1", "parts": []}),
            _ => json!({"a": 1, "n": "x", "parts": []}),
        };
        assert_eq!(echoed(&server, content_type, body).await, expected, "{content_type}");
    }
    for (content_type, body) in [("application/json", "{"), ("application/cbor", "\u{7f}"), ("application/xml", "<a>")] {
        let reply = server.ask("POST", "/echo", &[("content-type", content_type)], body).await;
        assert_eq!((reply.status.as_u16(), reply.json()["code"].as_str()), (400, Some("bad_request_body")), "{content_type}");
    }
}

#[tokio::test]
async fn the_first_part_is_the_body_and_the_rest_are_parts() {
    let server = Server::new(&[ECHO]).await;
    let mixed = "a preamble\r\n--b\r\nContent-Type: application/json\r\n\r\n{\"a\":[1],\"n\":{\"m\":2}}\r\n\
                 --b\r\nContent-Type: text/plain\r\nContent-Disposition: attachment; filename=\"x y.txt\"\r\nContent-ID: <1>\r\n\r\nline\r\n--x\r\n\
                 --b\r\nContent-Type: image/png\r\n\r\n\u{1}\u{2}\r\n--b--\r\nan epilogue";
    let first = json!({"type": "text/plain", "file": "x y.txt", "id": "<1>", "body": "line\r\n--x"});
    let second = json!({"type": "image/png", "body": "AQI="});
    let expected = json!({"a": [1], "n": 2, "part": first, "parts": [first, second]});
    for content_type in
        ["multipart/mixed; boundary=b", "multipart/related; type=\"application/json\"; boundary=\"b\"", "Multipart/Form-Data; boundary=b"]
    {
        assert_eq!(echoed(&server, content_type, mixed).await, expected, "{content_type}");
    }
    // Parts need no head.
    let found = echoed(&server, "multipart/mixed; boundary=b", "--b\r\n\r\n{\"a\":3}\r\n--b\r\n\r\n--b\r\n--b--").await;
    assert_eq!(found, json!({"a": 3, "part": {"body": "--b"}, "parts": [{"body": "--b"}]}));
    // The part that `start` names is the body, wherever it stands.
    let start = "--b\r\nContent-ID: <x>\r\nContent-Type: text/plain\r\n\r\nt\r\n--b\r\nContent-ID: <r>\r\nContent-Type: application/xml\r\n\r\n<a>5</a>\r\n--b--";
    let found = echoed(&server, "multipart/related; boundary=b; start=\"<r>\"", start).await;
    assert_eq!(found["a"], 5);
    assert_eq!(found["part"], json!({"type": "text/plain", "id": "<x>", "body": "t"}));
}

#[tokio::test]
async fn fields_of_a_form_are_members() {
    let server = Server::new(&[ECHO]).await;
    let form = "--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n\
                --b\r\nContent-Disposition: form-data; name=\"f\"; filename=\"f.csv\"\r\nContent-Type: text/csv\r\n\r\nx,y\r\n\
                --b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nzwei \u{fc}\r\n--b--\r\n";
    let expected = json!({
        "a": ["1", "zwei \u{fc}"],
        "part": {"type": "text/csv", "name": "f", "file": "f.csv", "body": "x,y"},
        "parts": [{"type": "text/csv", "name": "f", "file": "f.csv", "body": "x,y"}, {"name": "a", "body": "zwei \u{fc}"}],
    });
    assert_eq!(echoed(&server, "multipart/form-data; boundary=b", form).await, expected);
}

#[tokio::test]
async fn broken_parts_are_refused() {
    let server = Server::new(&[ECHO]).await;
    let many = "--b\r\n\r\nx\r\n".repeat(1001) + "--b--";
    for (content_type, body, what) in [
        ("multipart/mixed", "x", "without a boundary"),
        ("multipart/mixed; boundary=\"\"", "x", "without a boundary"),
        ("multipart/mixed; boundary=b", "no boundary", "boundary"),
        ("multipart/mixed; boundary=b", "--b\r\n\r\nno end", "part 0"),
        ("multipart/mixed; boundary=b", "--b\r\nno header\r\n\r\nx\r\n--b--", "part 0"),
        ("multipart/mixed; boundary=b", "--b\r\nContent-Type: application/json\r\n\r\n{\r\n--b--", "json"),
        ("multipart/mixed; boundary=b", "--b\r\nContent-Transfer-Encoding: base64\r\n\r\neA==\r\n--b--", "base64"),
        ("multipart/related; boundary=b; start=\"<x>\"", "--b\r\n\r\nx\r\n--b--", "Content-ID"),
        ("multipart/mixed; boundary=b", &many, "1000"),
    ] {
        let reply = server.ask("POST", "/echo", &[("content-type", content_type)], body.to_owned()).await;
        assert_eq!((reply.status.as_u16(), reply.json()["code"].as_str()), (400, Some("bad_request_body")), "{content_type} {what}");
        assert!(reply.text().contains(what), "{}", reply.text());
    }
}

#[tokio::test]
async fn parts_are_passed_on_byte_by_byte() {
    let server = Server::new(&[
        ("tables/t.ql", "create table t on insert post to '$BASE/up' using bodyTemplate 'b.mu' type 'application/xml'"),
        ("tables/b.mu", "<up>{{params.a}}</up>"),
        (
            "routes/up.ql",
            "return insert into t (a) values ('{a}') with parts '{req.parts[1]}', '{req.parts[0]}' via route '/up' using method post",
        ),
        ("routes/raw.ql", "return insert into t via route '/raw' using method post"),
    ])
    .await;
    assert_eq!(server.problems, [""; 0]);
    let png: &[u8] = b"\x89PNG\r\n\x1a\n\0\xff\r\n--";
    let body = [
        b"--b\r\nContent-Type: application/json\r\n\r\n{\"a\":\"fig\"}\r\n--b\r\nContent-Type: image/png\r\nContent-ID: <p>\r\n\r\n",
        png,
        b"\r\n--b\r\nContent-Type: text/plain; charset=latin1\r\n\r\ncaf\xe9\r\n--b--\r\n",
    ]
    .concat();
    let reply = server.ask("POST", "/up", &[("content-type", "multipart/related; boundary=b")], body).await;
    assert_eq!(reply.status, 200, "{}", reply.text());
    let (media, sent) = server.sent().pop().unwrap();
    let boundary = media.strip_prefix("multipart/related; boundary=").unwrap().split(';').next().unwrap();
    let expected = [
        format!("--{boundary}\r\ncontent-type: application/xml\r\n\r\n<up>fig</up>\r\n--{boundary}\r\ncontent-type: text/plain; charset=latin1\r\n\r\n").as_bytes(),
        b"caf\xe9",
        format!("\r\n--{boundary}\r\ncontent-type: image/png\r\ncontent-id: <p>\r\n\r\n").as_bytes(),
        png,
        format!("\r\n--{boundary}--\r\n").as_bytes(),
    ]
    .concat();
    assert_eq!(sent, expected);

    // An opaque body is passed on unchanged.
    let reply = server.ask("POST", "/raw", &[("content-type", "application/octet-stream")], png).await;
    assert_eq!(reply.status, 200, "{}", reply.text());
    assert_eq!(server.sent().pop().unwrap().1, png);
}

//! `polywire serve` over the shop of the examples: recorded services, and a table whose service is
//! live.

mod common;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Stdio};

/// A server that ends with its owner.
struct Server {
    child: Child,
    address: String,
}

impl Server {
    fn start(args: &[&str]) -> Server {
        let mut all = vec!["serve", "--port", "0", "--threads", "1", "--no-watch", "--replay", "examples/shop/recorded"];
        all.extend(args);
        let mut child = common::command(&all).stderr(Stdio::piped()).spawn().expect("polywire runs");
        let mut said = String::new();
        let mut stderr = BufReader::new(child.stderr.take().expect("a pipe"));
        stderr.read_line(&mut said).expect("a line");
        let address = said.trim_end().rsplit("http://").next().expect("an address").to_owned();
        assert!(said.contains("7 tables, 1 routes"), "{said}");
        Server { child, address }
    }

    /// Status and body.
    fn get(&self, path: &str) -> (String, String) {
        let mut stream = TcpStream::connect(&self.address).expect("a connection");
        write!(stream, "GET {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n").expect("a request");
        let mut text = String::new();
        stream.read_to_string(&mut text).expect("a reply");
        let (head, body) = text.split_once("\r\n\r\n").expect("a head");
        (head.split(' ').nth(1).unwrap_or_default().to_owned(), body.to_owned())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn the_route_answers_with_and_without_its_optional_parameter() {
    let server = Server::start(&["examples/shop"]);
    let (status, body) = server.get("/search/lamp?maker=Birk");
    assert_eq!((status.as_str(), body.contains(r#""from":"Birk""#)), ("200", true), "{body}");
    let (status, body) = server.get("/search/lamp");
    assert_eq!((status.as_str(), body.matches("price").count()), ("200", 3), "{body}");
    assert_eq!(server.get("/ecv").0, "404");
    assert_eq!(server.get("/q?s=show%20tables").0, "200");
}

#[test]
fn options_of_the_original_are_understood() {
    let shop = ["--tables", "examples/shop/tables", "--routes", "examples/shop/routes", "--config", "examples/shop/config.json"];
    let server = Server::start(&[&shop[..], &["--disable-q", "--ecvPath", "/ecv"]].concat());
    assert_eq!(server.get("/ecv"), ("200".to_owned(), "ok\n".to_owned()));
    assert_eq!(server.get("/q?s=show%20tables").0, "403");
    assert_eq!(server.get("/search/lamp?maker=Birk").0, "200");
}

#[test]
fn a_table_is_drafted_from_what_the_service_replies() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    let service = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("a request");
        let mut asked = String::new();
        let mut reader = BufReader::new(stream.try_clone().expect("a stream"));
        while !asked.ends_with("\r\n\r\n") {
            assert!(reader.read_line(&mut asked).expect("a line") > 0);
        }
        let body = "<r><row><id>07</id></row><row><id>08</id></row></r>";
        let head = format!("HTTP/1.1 200 OK\r\ncontent-type: text/xml\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", body.len());
        stream.write_all((head + body).as_bytes()).expect("a reply");
        asked
    });
    let url = format!("http://{address}/rows?q=a+lamp");
    let output = common::command(&["table", "new", &url, "--name", "rows", "--header", "X-Shop: EU"]).output().expect("polywire runs");
    let asked = service.join().expect("no panic");
    assert!(asked.starts_with("GET /rows?q=a+lamp HTTP/1.1\r\n") && asked.contains("x-shop: EU\r\n"), "{asked}");
    let expected = format!(
        "-- Drafted from what http://{address}/rows replies.\n-- config.json needs \"allowPrivate\": [\"{address}\"].\n-- config.json should say \"strict\": true: then a misspelt parameter is an error.\ncreate table rows\n  \
         on select get from 'http://{address}/rows?q={{q}}'\n    using headers 'X-Shop' = 'EU'\n    using defaults q = 'a lamp'\n    \
         resultset 'r.row'\n    with arrays 'r.row'\n         text 'r.row.id';\n"
    );
    assert_eq!(String::from_utf8(output.stdout).expect("text"), expected);
}

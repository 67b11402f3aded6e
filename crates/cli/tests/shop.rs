//! `polywire serve` over the shop of the examples, whose services are recorded.

mod common;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
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
        write!(stream, "GET {path} HTTP/1.1\r\nhost: shop\r\nconnection: close\r\n\r\n").expect("a request");
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

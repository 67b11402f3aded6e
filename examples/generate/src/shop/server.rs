//! A server that stands for all hosts: a forward proxy that answers by itself.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};

use url::Url;

/// A request.
pub struct Request {
    /// Absolute, as proxies are asked.
    pub url: Url,
    pub body: String,
}

/// A reply.
pub struct Reply {
    pub status: &'static str,
    pub content_type: &'static str,
    pub body: Vec<u8>,
}

/// Answers requests at a free port of this machine for as long as the program runs; the port.
pub fn start(answer: fn(&Request) -> Reply) -> io::Result<u16> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let port = listener.local_addr()?.port();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            // A connection that breaks is the client's to tell of.
            std::thread::spawn(move || serve(stream, answer));
        }
    });
    Ok(port)
}

/// One exchange for each connection.
fn serve(mut stream: TcpStream, answer: fn(&Request) -> Reply) -> io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut first = String::new();
    reader.read_line(&mut first)?;
    let url = first.split(' ').nth(1).and_then(|url| Url::parse(url).ok());
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        match line.trim_end().split_once(':') {
            Some((name, value)) if name.eq_ignore_ascii_case("content-length") => length = value.trim().parse().unwrap_or(0),
            Some(_) => {}
            None => break,
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let Some(url) = url else { return Ok(()) };
    let Reply { status, content_type, body } = answer(&Request { url, body: String::from_utf8_lossy(&body).into_owned() });
    let length = body.len();
    write!(stream, "HTTP/1.1 {status}\r\ncontent-type: {content_type}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n")?;
    stream.write_all(&body)
}

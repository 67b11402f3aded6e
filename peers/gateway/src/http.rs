//! As much of HTTP/1.1 as a client of the benchmark needs: one request at a time on a connection that stays.

use std::io;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// A connection to a gateway.
pub struct Connection {
    stream: TcpStream,
    request: Vec<u8>,
    buffer: Vec<u8>,
}

/// A reply.
pub struct Reply {
    pub status: u16,
    pub body: Vec<u8>,
}

fn broken(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what.to_owned())
}

impl Connection {
    /// Connects, to ask for `path` again and again.
    pub async fn open(port: u16, path: &str) -> io::Result<Connection> {
        let stream = TcpStream::connect(("127.0.0.1", port)).await?;
        stream.set_nodelay(true)?;
        let request = format!("GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAccept: application/json\r\n\r\n").into_bytes();
        Ok(Connection { stream, request, buffer: Vec::with_capacity(1 << 17) })
    }

    /// Asks once, and reads all of the answer.
    pub async fn ask(&mut self) -> io::Result<Reply> {
        self.stream.write_all(&self.request).await?;
        self.buffer.clear();
        let (status, start, length) = loop {
            self.more().await?;
            let mut headers = [httparse::EMPTY_HEADER; 64];
            let mut response = httparse::Response::new(&mut headers);
            let httparse::Status::Complete(start) = response.parse(&self.buffer).map_err(|error| broken(&error.to_string()))? else {
                continue;
            };
            let named = |name: &str| {
                let found = response.headers.iter().find(|header| header.name.eq_ignore_ascii_case(name))?;
                std::str::from_utf8(found.value).ok()
            };
            let length = match named("content-length") {
                Some(length) => Some(length.parse::<usize>().map_err(|_| broken("content-length"))?),
                None if named("transfer-encoding") == Some("chunked") => None,
                None => return Err(broken("a reply without a length")),
            };
            break (response.code.unwrap_or(0), start, length);
        };
        let body = match length {
            Some(length) => {
                while self.buffer.len() < start + length {
                    self.more().await?;
                }
                self.buffer[start..start + length].to_vec()
            }
            None => self.chunks(start).await?,
        };
        Ok(Reply { status, body })
    }

    async fn chunks(&mut self, mut at: usize) -> io::Result<Vec<u8>> {
        let mut body = Vec::new();
        loop {
            match httparse::parse_chunk_size(&self.buffer[at..]).map_err(|_| broken("size of a chunk"))? {
                httparse::Status::Partial => self.more().await?,
                httparse::Status::Complete((head, size)) => {
                    let size = size as usize;
                    while self.buffer.len() < at + head + size + 2 {
                        self.more().await?;
                    }
                    body.extend_from_slice(&self.buffer[at + head..at + head + size]);
                    at += head + size + 2;
                    if size == 0 {
                        return Ok(body);
                    }
                }
            }
        }
    }

    async fn more(&mut self) -> io::Result<()> {
        match self.stream.read_buf(&mut self.buffer).await? {
            0 => Err(broken("the connection was closed")),
            _ => Ok(()),
        }
    }
}

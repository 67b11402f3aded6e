//! HTTP/1 by hand.

use std::io::{ErrorKind, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::time::{Duration, Instant};

/// The most bytes of one answer that are kept.
const MOST: usize = 96 << 20;

/// An answer.
#[derive(Debug, Clone, Default)]
pub struct Answer {
    /// The status.
    pub status: u16,
    /// The status line and the headers, with their last empty line.
    pub head: String,
    /// The body, without chunks.
    pub body: Vec<u8>,
}

impl Answer {
    /// Returns a header by its name in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.head
            .lines()
            .skip(1)
            .filter_map(|line| line.split_once(':'))
            .find(|(known, _)| known.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.trim())
    }

    /// Returns the body as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// Returns the status and the beginning of the body, for reports.
    pub fn short(&self) -> String {
        let text: String = self.text().chars().take(160).collect();
        format!("{} {}", self.status, text.replace('\n', " "))
    }
}

/// A connection to a port at loopback.
#[derive(Debug)]
pub struct Wire {
    stream: TcpStream,
    /// Bytes that were read and not taken.
    ahead: Vec<u8>,
    taken: usize,
}

impl Wire {
    /// Connects.
    ///
    /// # Errors
    /// Nobody accepts within five seconds.
    pub fn open(port: u16) -> Result<Wire, String> {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let stream = TcpStream::connect_timeout(&address, Duration::from_secs(5)).map_err(|error| format!("no connection: {error}"))?;
        let _ = stream.set_nodelay(true);
        Ok(Wire { stream, ahead: Vec::new(), taken: 0 })
    }

    /// Sends bytes. A caller that is turned away early may not get rid of all of them, which is no
    /// error: the answer says why.
    pub fn send(&mut self, bytes: &[u8], time: Duration) -> bool {
        let _ = self.stream.set_write_timeout(Some(time.max(Duration::from_millis(1))));
        self.stream.write_all(bytes).is_ok()
    }

    /// Reads some bytes; none at the end of the stream.
    ///
    /// # Errors
    /// The time is over, or the connection broke.
    pub fn more(&mut self, until: Instant) -> Result<usize, String> {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err("no answer in time".to_owned());
        }
        let _ = self.stream.set_read_timeout(Some(left.max(Duration::from_millis(1))));
        let mut space = [0; 16 << 10];
        loop {
            return match self.stream.read(&mut space) {
                Ok(read) => {
                    if self.taken > 1 << 20 {
                        self.ahead.drain(..self.taken);
                        self.taken = 0;
                    }
                    self.ahead.extend_from_slice(&space[..read]);
                    Ok(read)
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => Err("no answer in time".to_owned()),
                Err(error) => Err(format!("cut off: {error}")),
            };
        }
    }

    /// Returns the bytes that were read and not taken.
    pub fn ahead(&self) -> &[u8] {
        &self.ahead[self.taken..]
    }

    /// Takes bytes that were read.
    pub fn take(&mut self, count: usize) -> Vec<u8> {
        let bytes = self.ahead[self.taken..self.taken + count].to_vec();
        self.taken += count;
        bytes
    }

    fn exactly(&mut self, count: usize, until: Instant) -> Result<Vec<u8>, String> {
        while self.ahead().len() < count {
            if self.more(until)? == 0 {
                return Err("the answer ended early".to_owned());
            }
        }
        Ok(self.take(count))
    }

    fn line(&mut self, until: Instant) -> Result<Vec<u8>, String> {
        loop {
            if let Some(end) = self.ahead().windows(2).position(|pair| pair == b"\r\n") {
                let mut line = self.take(end + 2);
                line.truncate(end);
                return Ok(line);
            }
            if self.more(until)? == 0 {
                return Err("the answer ended early".to_owned());
            }
        }
    }

    /// Reads an answer.
    ///
    /// # Errors
    /// There is none in time, or it is no HTTP.
    pub fn answer(&mut self, is_head: bool, time: Duration) -> Result<Answer, String> {
        let until = Instant::now() + time;
        let mut head;
        let mut searched = 0usize;
        loop {
            if let Some(end) = self.ahead()[searched..].windows(4).position(|four| four == b"\r\n\r\n") {
                head = self.take(searched + end + 4);
                // Answers that only announce another one.
                if head.starts_with(b"HTTP/1.1 100") {
                    searched = 0;
                    continue;
                }
                break;
            }
            searched = self.ahead().len().saturating_sub(3);
            if self.more(until)? == 0 {
                return Err(if self.ahead().is_empty() {
                    "closed without an answer".to_owned()
                } else {
                    "the answer ended early".to_owned()
                });
            }
        }
        let text = String::from_utf8_lossy(&std::mem::take(&mut head)).into_owned();
        let status = text.strip_prefix("HTTP/1.").and_then(|rest| rest.get(2..5)).and_then(|status| status.parse().ok());
        let mut answer = Answer { status: status.ok_or_else(|| format!("no answer of HTTP/1: {text:.40}"))?, head: text, body: Vec::new() };
        if is_head || answer.status == 204 || answer.status == 304 {
            return Ok(answer);
        }
        if answer.header("transfer-encoding").is_some() {
            loop {
                let line = self.line(until)?;
                let size = String::from_utf8_lossy(&line).split(';').next().and_then(|size| usize::from_str_radix(size.trim(), 16).ok());
                let size = size.ok_or("a chunk without a size")?;
                let chunk = self.exactly(size, until)?;
                self.line(until)?;
                if size == 0 {
                    return Ok(answer);
                }
                answer.body.extend_from_slice(&chunk);
                if answer.body.len() > MOST {
                    return Err("an answer without an end".to_owned());
                }
            }
        }
        if let Some(length) = answer.header("content-length") {
            let length: usize = length.parse().map_err(|_| "a length that is no number".to_owned())?;
            if length > MOST {
                return Err(format!("an answer of {length} bytes"));
            }
            answer.body = self.exactly(length, until)?;
            return Ok(answer);
        }
        while self.more(until)? > 0 {
            if self.ahead().len() > MOST {
                return Err("an answer without an end".to_owned());
            }
        }
        answer.body = self.take(self.ahead().len());
        Ok(answer)
    }
}

/// Returns a request of a method without a body.
pub fn request(method: &str, target: &str, port: u16, headers: &str) -> Vec<u8> {
    format!("{method} {target} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{headers}\r\n").into_bytes()
}

/// Returns a POST with a body.
pub fn post(target: &str, port: u16, media: &str, headers: &str, body: &[u8]) -> Vec<u8> {
    let head = format!("Content-Type: {media}\r\nContent-Length: {}\r\n{headers}", body.len());
    [request("POST", target, port, &head).as_slice(), body].concat()
}

/// Percent-encodes all but letters and digits.
pub fn encoded(text: &str) -> String {
    text.bytes().map(|byte| if byte.is_ascii_alphanumeric() { (byte as char).to_string() } else { format!("%{byte:02X}") }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    fn answered(bytes: &'static [u8]) -> Result<Answer, String> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let server = std::thread::spawn(move || listener.accept().unwrap().0.write_all(bytes).unwrap());
        let answer = Wire::open(port).unwrap().answer(false, Duration::from_secs(5));
        server.join().unwrap();
        answer
    }

    #[test]
    fn answers_end_as_their_heads_say() {
        let answer = answered(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nokmore").unwrap();
        assert_eq!((answer.status, answer.text().as_str(), answer.header("Content-Length")), (200, "ok", Some("2")));
        let answer = answered(b"HTTP/1.1 404 No\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n1;x=y\r\n!\r\n0\r\n\r\n").unwrap();
        assert_eq!((answer.status, answer.text().as_str()), (404, "ok!"));
        assert_eq!(answered(b"HTTP/1.0 200 OK\r\n\r\nall").unwrap().text(), "all");
    }

    #[test]
    fn what_is_cut_or_no_answer_is_an_error() {
        assert!(answered(b"HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nok").is_err());
        assert!(answered(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nok").is_err());
        assert!(answered(b"SSH-2.0\r\n\r\n").is_err());
        assert!(answered(b"").unwrap_err().contains("closed"));
    }

    #[test]
    fn text_in_targets() {
        assert_eq!(encoded("a b/1"), "a%20b%2F1");
    }
}

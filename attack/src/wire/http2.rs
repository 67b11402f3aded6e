//! HTTP/2 by hand (RFC 9113): frames as an attacker writes them.

use std::time::{Duration, Instant};

use super::hpack;
use super::http1::Wire;

pub const DATA: u8 = 0;
pub const HEADERS: u8 = 1;
pub const PRIORITY: u8 = 2;
pub const RST_STREAM: u8 = 3;
pub const SETTINGS: u8 = 4;
pub const PING: u8 = 6;
pub const GOAWAY: u8 = 7;
pub const WINDOW_UPDATE: u8 = 8;
pub const CONTINUATION: u8 = 9;

pub const END_STREAM: u8 = 1;
pub const END_HEADERS: u8 = 4;

/// The beginning of a connection (RFC 9113 3.4).
pub const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// Returns a frame.
pub fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let mut bytes = (payload.len() as u32).to_be_bytes()[1..].to_vec();
    bytes.extend([kind, flags]);
    bytes.extend(stream.to_be_bytes());
    bytes.extend_from_slice(payload);
    bytes
}

/// A frame that came. Which stream it belongs to matters to no attack.
#[derive(Debug, Clone)]
pub struct Frame {
    pub kind: u8,
    pub flags: u8,
    pub payload: Vec<u8>,
}

/// A connection of HTTP/2.
#[derive(Debug)]
pub struct Connection {
    wire: Wire,
    authority: String,
    /// The number of the next stream.
    pub next: u32,
    /// Counts of what came: heads, bytes of data, resets.
    pub heads: usize,
    pub data: usize,
    pub resets: usize,
    /// The error of a GOAWAY.
    pub goaway: Option<u32>,
    /// True once the server has closed.
    pub closed: bool,
}

impl Connection {
    /// Connects, with settings in force from the beginning.
    ///
    /// # Errors
    /// Nobody accepts.
    pub fn open(port: u16, settings: &[(u16, u32)]) -> Result<Connection, String> {
        let mut wire = Wire::open(port)?;
        let settings: Vec<u8> =
            settings.iter().flat_map(|(id, value)| [id.to_be_bytes().to_vec(), value.to_be_bytes().to_vec()].concat()).collect();
        wire.send(&[PREFACE, &frame(SETTINGS, 0, 0, &settings)].concat(), Duration::from_secs(5));
        Ok(Connection { wire, authority: format!("127.0.0.1:{port}"), next: 1, heads: 0, data: 0, resets: 0, goaway: None, closed: false })
    }

    /// Returns the head of a request as the fields of a block.
    pub fn request(&self, method: &str, path: &str) -> Vec<u8> {
        hpack::block(&hpack::request(method, path, &self.authority))
    }

    /// Sends bytes; false if the server takes no more.
    pub fn send(&mut self, bytes: &[u8]) -> bool {
        if self.closed {
            return false;
        }
        let sent = self.wire.send(bytes, Duration::from_millis(500));
        self.closed |= !sent;
        sent
    }

    /// Begins a request, and returns its stream.
    pub fn get(&mut self, path: &str, flags: u8) -> u32 {
        let stream = self.next;
        self.next += 2;
        let block = self.request("GET", path);
        self.send(&frame(HEADERS, flags | END_HEADERS, stream, &block));
        stream
    }

    /// Takes the frames that come until `time` has passed or the server closes, and hands each to
    /// `look`, which ends it by returning false.
    pub fn read(&mut self, time: Duration, mut look: impl FnMut(&Frame) -> bool) {
        let until = Instant::now() + time;
        loop {
            while let Some(frame) = self.taken() {
                match frame.kind {
                    HEADERS => self.heads += 1,
                    DATA => self.data += frame.payload.len(),
                    RST_STREAM => self.resets += 1,
                    GOAWAY => self.goaway = frame.payload.get(4..8).map(|code| u32::from_be_bytes([code[0], code[1], code[2], code[3]])),
                    SETTINGS if frame.flags & 1 == 0 => {
                        self.send(&self::frame(SETTINGS, 1, 0, &[]));
                    }
                    _ => {}
                }
                if !look(&frame) {
                    return;
                }
            }
            match self.wire.more(until) {
                Ok(0) => self.closed = true,
                Ok(_) => continue,
                Err(error) if error.contains("time") => {}
                Err(_) => self.closed = true,
            }
            return;
        }
    }

    /// Reads whatever comes for a time.
    pub fn wait(&mut self, time: Duration) {
        self.read(time, |_| true);
    }

    /// Returns true if the server ended the connection, or has said that it does.
    pub fn ended(&self) -> bool {
        self.closed || self.goaway.is_some()
    }

    fn taken(&mut self) -> Option<Frame> {
        let head = self.wire.ahead();
        let head: [u8; 9] = head.get(..9)?.try_into().ok()?;
        let length = u32::from_be_bytes([0, head[0], head[1], head[2]]) as usize;
        if self.wire.ahead().len() < 9 + length {
            return None;
        }
        let bytes = self.wire.take(9 + length);
        Some(Frame { kind: head[3], flags: head[4], payload: bytes[9..].to_vec() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_have_nine_bytes_before_their_payload() {
        assert_eq!(frame(PING, 1, 3, &[7; 2]), [0, 0, 2, 6, 1, 0, 0, 0, 3, 7, 7]);
    }
}

//! A service behind the gateway: it replies as its path says, and keeps what it was asked.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use crate::wire::bomb;

/// Requests that are kept; more are counted.
const KEPT: usize = 20_000;

/// Bytes that a bomb becomes.
const BOMB: usize = 128 << 20;

/// A request that the service got.
#[derive(Debug, Clone)]
pub struct Seen {
    /// The request line, without its version.
    pub asked: String,
    /// All lines of its head.
    pub head: String,
    /// The length of its body.
    pub length: usize,
}

/// A running service. Its threads end with this program.
#[derive(Debug)]
pub struct Service {
    /// Its port, at 127.0.0.1.
    pub port: u16,
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    seen: Mutex<Vec<Seen>>,
    connections: AtomicUsize,
    requests: AtomicUsize,
}

impl Service {
    /// Starts a service at a free port.
    ///
    /// # Errors
    /// There is no port.
    pub fn start() -> Result<Service, String> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(|error| error.to_string())?;
        let port = listener.local_addr().map_err(|error| error.to_string())?.port();
        let shared = Arc::new(Shared::default());
        let own = shared.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                own.connections.fetch_add(1, Ordering::Relaxed);
                let shared = own.clone();
                // Who can't have a thread is not served, and counts.
                let _ = std::thread::Builder::new().stack_size(128 << 10).spawn(move || serve(stream, &shared));
            }
        });
        Ok(Service { port, shared })
    }

    /// Forgets what it was asked.
    pub fn forget(&self) {
        self.shared.seen.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// Returns requests whose line contains `part`.
    pub fn seen(&self, part: &str) -> Vec<Seen> {
        self.shared.seen.lock().unwrap_or_else(PoisonError::into_inner).iter().filter(|seen| seen.asked.contains(part)).cloned().collect()
    }

    /// Returns the number of connections so far.
    pub fn connections(&self) -> usize {
        self.shared.connections.load(Ordering::Relaxed)
    }

    /// Returns the number of requests so far.
    pub fn requests(&self) -> usize {
        self.shared.requests.load(Ordering::Relaxed)
    }
}

fn serve(stream: TcpStream, shared: &Shared) {
    let _ = stream.set_nodelay(true);
    let _ = stream.set_read_timeout(Some(Duration::from_secs(60)));
    let Ok(mut writer) = stream.try_clone() else { return };
    let mut reader = BufReader::new(stream);
    while let Some(seen) = read(&mut reader) {
        shared.requests.fetch_add(1, Ordering::Relaxed);
        let reply = reply(&seen, shared);
        // Kept before it is answered: who has the answer may look for it.
        keep(seen, shared);
        if writer.write_all(&reply).is_err() {
            return;
        }
    }
}

fn keep(seen: Seen, shared: &Shared) {
    // Good callers ask for more than anybody wants to look at.
    if seen.asked.contains("/good?") {
        return;
    }
    let mut all = shared.seen.lock().unwrap_or_else(PoisonError::into_inner);
    if all.len() < KEPT {
        all.push(seen);
    }
}

/// Reads a request: strictly, so that smuggled bytes show as requests of their own.
fn read(reader: &mut BufReader<TcpStream>) -> Option<Seen> {
    let mut head = String::new();
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        if reader.read_until(b'\n', &mut bytes).ok()? == 0 {
            return None;
        }
        let line = String::from_utf8_lossy(&bytes);
        let is_last = line == "\r\n";
        head.push_str(&line);
        if is_last {
            break;
        }
        if head.len() > 1 << 20 {
            return None;
        }
    }
    let value = |name: &str| {
        let line = head.lines().skip(1).filter_map(|line| line.split_once(':')).find(|(known, _)| known.eq_ignore_ascii_case(name));
        line.map(|(_, value)| value.trim().to_owned())
    };
    let mut length = 0;
    if value("transfer-encoding").is_some() {
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).ok()?;
            let size = usize::from_str_radix(line.trim(), 16).ok()?;
            std::io::copy(&mut reader.by_ref().take(size as u64 + 2), &mut std::io::sink()).ok()?;
            if size == 0 {
                break;
            }
            length += size;
        }
    } else if let Some(claimed) = value("content-length").and_then(|length| length.parse::<u64>().ok()) {
        length = std::io::copy(&mut reader.by_ref().take(claimed), &mut std::io::sink()).ok()? as usize;
    }
    let asked = head.lines().next().unwrap_or_default().trim_end_matches(" HTTP/1.1").to_owned();
    Some(Seen { asked, head, length })
}

fn reply(seen: &Seen, shared: &Shared) -> Vec<u8> {
    let target = seen.asked.split(' ').nth(1).unwrap_or_default();
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let parameter =
        |name: &str| query.split('&').filter_map(|pair| pair.split_once('=')).find(|(known, _)| *known == name).map(|(_, value)| value);
    let number = |name: &str| parameter(name).and_then(|value| value.parse::<usize>().ok());
    let json = |body: &str| message(200, "Content-Type: application/json\r\n", body.as_bytes());
    match path {
        "/good" => json(&format!(r#"{{"id":"{}","name":"lamp"}}"#, parameter("id").unwrap_or_default())),
        "/rows" => {
            let rows: Vec<String> = (0..number("n").unwrap_or(50)).map(|n| format!(r#"{{"id":{n},"title":"Title {n}"}}"#)).collect();
            json(&format!("[{}]", rows.join(",")))
        }
        "/id" => message(200, &format!("Content-Type: application/json\r\nrequest-id: {}\r\n", "s".repeat(number("n").unwrap_or(500))), b"{\"ok\":true}"),
        // A name that is a path of its own in what a format could not keep.
        "/losses" => {
            let members: Vec<String> = (0..2000).map(|n| format!(r#""name {n} {}":{{"a":[1,null,{{"b":[]}}]}}"#, "x".repeat(40))).collect();
            json(&format!("{{{}}}", members.join(",")))
        }
        "/long" => json(&format!(r#"{{"text":"{}"}}"#, "lamp ".repeat(number("n").unwrap_or(1 << 20) / 5))),
        "/hang" => {
            std::thread::sleep(Duration::from_secs(8));
            json("{}")
        }
        "/cookie" => message(200, "Content-Type: application/json\r\nSet-Cookie: session=of-another\r\n", format!(r#"{{"n":{}}}"#, shared.requests.load(Ordering::Relaxed)).as_bytes()),
        "/counted" => {
            let marks: Vec<&str> = seen.head.lines().filter(|line| line.to_ascii_lowercase().contains("poison")).collect();
            message(200, "Content-Type: application/json\r\n", format!(r#"{{"n":{},"poison":{}}}"#, shared.requests.load(Ordering::Relaxed), marks.len()).as_bytes())
        }
        // Says nothing of what it was asked, which has credentials.
        "/quiet" => json(r#"{"ok":true}"#),
        "/failing" => message(500, "Content-Type: text/plain\r\n", b"poison"),
        "/to" => message(302, &format!("Location: {}\r\n", decoded(parameter("uri").unwrap_or_default())), b""),
        "/bomb" => {
            let coding = parameter("coding").unwrap_or("gzip");
            message(200, &format!("Content-Type: application/json\r\nContent-Encoding: {}\r\n", bomb::header(coding)), bombs(coding))
        }
        "/nested" => json(&format!("{}{}", "[".repeat(200_000), "]".repeat(200_000))),
        "/entities" => {
            let lines: String = (1..30).map(|n| format!(r#"<!ENTITY e{n} "&e{};&e{};&e{};">"#, n - 1, n - 1, n - 1)).collect();
            message(200, "Content-Type: application/xml\r\n", format!(r#"<!DOCTYPE a [<!ENTITY e0 "lol">{lines}]><a>&e29;</a>"#).as_bytes())
        }
        "/aliases" => {
            let lines: String = (1..30).map(|n| format!("a{n}: &a{n} [*a{0},*a{0},*a{0},*a{0}]\n", n - 1)).collect();
            message(200, "Content-Type: application/yaml\r\n", format!("a0: &a0 [1,2,3]\n{lines}").as_bytes())
        }
        "/split" => b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\nContent-Length: 200\r\n\r\n{}HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\npoison".to_vec(),
        "/behind" => b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 12\r\n\r\n{\"poison\":1}".to_vec(),
        "/heads" => {
            let lines: String = (0..5000).map(|n| format!("x-{n}: {}\r\n", "y".repeat(1000))).collect();
            message(200, &lines, b"{}")
        }
        _ => json(&format!(r#"{{"asked":{:?},"length":{}}}"#, seen.asked, seen.length)),
    }
}

fn message(status: u16, headers: &str, body: &[u8]) -> Vec<u8> {
    let head = format!("HTTP/1.1 {status} Status\r\n{headers}Content-Length: {}\r\n\r\n", body.len());
    [head.as_bytes(), body].concat()
}

/// Returns a bomb of a coding; none for another name. The first call makes all of them.
pub fn bombs(coding: &str) -> &'static [u8] {
    static ALL: OnceLock<Vec<(&str, Vec<u8>)>> = OnceLock::new();
    let all = ALL.get_or_init(|| bomb::CODINGS.iter().map(|coding| (*coding, bomb::bomb(coding, b' ', BOMB))).collect());
    all.iter().find(|(known, _)| *known == coding).map_or(&[], |(_, bytes)| bytes)
}

/// Removes percent-encoding.
fn decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let byte = text.get(at + 1..at + 3).filter(|_| bytes[at] == b'%').and_then(|digits| u8::from_str_radix(digits, 16).ok());
        out.push(byte.unwrap_or(bytes[at]));
        at += if byte.is_some() { 3 } else { 1 };
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::http1::{self, Wire};

    #[test]
    fn it_replies_by_path_and_keeps_what_it_was_asked() {
        let service = Service::start().unwrap();
        let mut wire = Wire::open(service.port).unwrap();
        for (target, status, part) in [("/good?id=7", 200, r#""id":"7""#), ("/failing", 500, "poison"), ("/x%20y", 200, "GET /x%20y")] {
            wire.send(&http1::request("GET", target, service.port, ""), Duration::from_secs(5));
            let answer = wire.answer(false, Duration::from_secs(5)).unwrap();
            assert!(answer.status == status && answer.text().contains(part), "{target}: {}", answer.short());
        }
        wire.send(&http1::post("/sent", service.port, "text/plain", "", b"four"), Duration::from_secs(5));
        assert!(wire.answer(false, Duration::from_secs(5)).unwrap().text().contains("\"length\":4"));
        assert_eq!((service.seen("/sent").len(), service.requests(), service.connections()), (1, 4, 1));
    }

    #[test]
    fn percent_encoding_is_removed() {
        assert_eq!(decoded("http%3A%2F%2Fa%zz%4"), "http://a%zz%4");
    }
}

//! Attacks by frames of HTTP/2.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::trial::Trial;
use crate::wire::hpack;
use crate::wire::http2::{
    CONTINUATION, Connection, DATA, END_HEADERS, END_STREAM, GOAWAY, HEADERS, PING, PRIORITY, RST_STREAM, SETTINGS, WINDOW_UPDATE, frame,
};

/// The setting of a stream's first window (RFC 9113 6.5.2).
const INITIAL_WINDOW: u16 = 4;

fn opened(trial: &Trial<'_>, settings: &[(u16, u32)]) -> Option<Connection> {
    match Connection::open(trial.port, settings) {
        Ok(connection) => Some(connection),
        Err(error) => {
            trial.miss(error);
            None
        }
    }
}

/// Sends pieces until the server ends the connection, reading now and then. Returns the number of
/// pieces that it took.
fn flood(trial: &Trial<'_>, connection: &mut Connection, pieces: usize, mut piece: impl FnMut(&mut Connection, usize) -> Vec<u8>) -> usize {
    for number in 0..pieces {
        if !trial.goes_on() {
            return number;
        }
        trial.tried(1);
        let bytes = piece(connection, number);
        if !connection.send(&bytes) {
            return number;
        }
        if number % 200 == 199 {
            connection.wait(Duration::from_millis(1));
            if connection.ended() {
                return number;
            }
        }
    }
    connection.wait(Duration::from_secs(2));
    pieces
}

/// Expects that the server has ended the connection.
fn over(trial: &Trial<'_>, connection: &mut Connection, what: &str) {
    if !connection.ended() {
        connection.wait(Duration::from_secs(2));
    }
    trial.expect(connection.ended(), || format!("{what}: the connection is still served"));
}

/// Requests that are taken back at once (CVE-2023-44487).
pub fn rapid_reset(trial: &Trial<'_>) {
    let before = trial.world.service.requests();
    trial.crowd(4, 4, |_| {
        let Some(mut connection) = opened(trial, &[]) else { return };
        let block = connection.request("GET", "/hostile/hang");
        let taken = flood(trial, &mut connection, 30_000, |connection, _| {
            let stream = connection.next;
            connection.next += 2;
            [frame(HEADERS, END_STREAM | END_HEADERS, stream, &block), frame(RST_STREAM, 0, stream, &[0, 0, 0, 8])].concat()
        });
        over(trial, &mut connection, &format!("{taken} requests taken back"));
    });
    let hung = trial.world.service.seen("/hang").len();
    trial.expect(hung < 4000, || format!("{hung} requests of {} reached the service", trial.world.service.requests() - before));
}

/// Requests that the server takes back by itself, for mistakes in their streams (MadeYouReset,
/// CVE-2025-8671).
pub fn made_you_reset(trial: &Trial<'_>) {
    type Mistake = fn(u32) -> Vec<u8>;
    let mistakes: [(&str, Mistake); 6] = [
        ("a window that grows by nothing", |stream| frame(WINDOW_UPDATE, 0, stream, &[0; 4])),
        ("a window beyond its most", |stream| frame(WINDOW_UPDATE, 0, stream, &[0x7f, 0xff, 0xff, 0xff])),
        ("data after the end", |stream| frame(DATA, 0, stream, b"x")),
        ("a head after the end", |stream| frame(HEADERS, END_HEADERS | END_STREAM, stream, &[0x82, 0x84, 0x86])),
        ("a priority of itself", |stream| frame(PRIORITY, 0, stream, &[&stream.to_be_bytes()[..], &[0]].concat())),
        ("a priority of a wrong length", |stream| frame(PRIORITY, 0, stream, &[0; 3])),
    ];
    for (what, mistake) in mistakes {
        let Some(mut connection) = opened(trial, &[]) else { return };
        let block = connection.request("GET", "/hostile/hang");
        trial.world.service.forget();
        flood(trial, &mut connection, 8000, |connection, _| {
            let stream = connection.next;
            connection.next += 2;
            [frame(HEADERS, END_STREAM | END_HEADERS, stream, &block), mistake(stream)].concat()
        });
        // Either the connection ends, or its requests are bounded as all streams are.
        let hung = trial.world.service.seen("/hang").len();
        trial.expect(hung < 1500, || format!("{what}: {hung} requests reached the service"));
        if !trial.goes_on() {
            return;
        }
    }
}

/// A head without an end (CVE-2024-27316).
pub fn continuation(trial: &Trial<'_>) {
    for (what, piece) in [
        ("long", hpack::block(&[("x", &"y".repeat(8000))])),
        ("short", hpack::block(&[("x", "y")])),
        ("empty", Vec::new()),
        ("indexed", vec![0x82; 8000]),
    ] {
        let Some(mut connection) = opened(trial, &[]) else { return };
        let block = connection.request("GET", "/good/1");
        connection.send(&frame(HEADERS, END_STREAM, 1, &block));
        let pieces = if piece.len() > 100 { 4000 } else { 40_000 };
        let taken = flood(trial, &mut connection, pieces, |_, _| frame(CONTINUATION, 0, 1, &piece));
        over(trial, &mut connection, &format!("{taken} {what} pieces of a head"));
    }
}

/// Frames that cost an answer each, and frames that say nothing.
pub fn control(trial: &Trial<'_>) {
    let settings: Vec<u8> = [0, 4, 0, 0, 255, 255].repeat(100);
    let floods: [(&str, Vec<u8>); 6] = [
        ("settings", frame(SETTINGS, 0, 0, &settings)),
        ("empty settings", frame(SETTINGS, 0, 0, &[])),
        ("pings", frame(PING, 0, 0, &[7; 8])),
        ("priorities", frame(PRIORITY, 0, 3, &[0, 0, 0, 1, 7])),
        ("unknown frames", frame(200, 0, 0, &[0; 100])),
        ("windows", frame(WINDOW_UPDATE, 0, 0, &[0, 0, 0, 1])),
    ];
    trial.crowd(6, 6, |number| {
        let (_, bytes) = &floods[number];
        let Some(mut connection) = opened(trial, &[]) else { return };
        // Nothing of what the server answers is read for a while.
        for _ in 0..60 {
            trial.tried(200);
            if !connection.send(&bytes.repeat(200)) || !trial.goes_on() {
                break;
            }
        }
        connection.wait(Duration::from_millis(500));
    });
}

/// Data without bytes, on streams that wait.
pub fn empty_data(trial: &Trial<'_>) {
    let Some(mut connection) = opened(trial, &[]) else { return };
    let block = connection.request("POST", "/parsed");
    connection.send(&frame(HEADERS, END_HEADERS, 1, &block));
    flood(trial, &mut connection, 60_000, |_, _| frame(DATA, 0, 1, &[]));
    let Some(mut padded) = opened(trial, &[]) else { return };
    padded.send(&frame(HEADERS, END_HEADERS, 1, &block));
    let full: Vec<u8> = [vec![255], vec![0; 255]].concat();
    flood(trial, &mut padded, 20_000, |_, _| frame(DATA, 8, 1, &full));
}

/// A small head that is long when it is decoded.
pub fn table(trial: &Trial<'_>) {
    trial.crowd(4, 8, |_| {
        let Some(mut connection) = opened(trial, &[]) else { return };
        let block = [connection.request("GET", "/good/1"), hpack::indexed("x", &"y".repeat(3900))].concat();
        connection.send(&frame(HEADERS, END_STREAM | END_HEADERS, 1, &block));
        connection.next = 3;
        // The entry of four kilobytes, in one byte each.
        let bomb = [connection.request("GET", "/good/1"), vec![0xbe; 15_000]].concat();
        let taken = flood(trial, &mut connection, 100, |connection, _| {
            let stream = connection.next;
            connection.next += 2;
            frame(HEADERS, END_STREAM | END_HEADERS, stream, &bomb)
        });
        let _ = taken;
        // The good one was answered, and at most by chance another one.
        trial.expect(connection.data < 10_000, || format!("{} bytes of answers to heads of 60 MB", connection.data));
    });
    // Names and values without a byte, up to the limit of a frame.
    let Some(mut connection) = opened(trial, &[]) else { return };
    let empty: Vec<u8> = [0, 1, b'x', 0].repeat(4000);
    let block = [connection.request("GET", "/good/1"), empty].concat();
    connection.send(&frame(HEADERS, END_STREAM | END_HEADERS, 1, &block[..block.len().min(16_384)]));
    connection.wait(Duration::from_secs(1));
    trial.tried(1);
    // Changes of the table's size, over and over.
    let Some(mut connection) = opened(trial, &[]) else { return };
    let resized = [[0x20, 0x3f, 0xe1, 0x1f].repeat(4000), connection.request("GET", "/good/1")].concat();
    connection.send(&frame(HEADERS, END_STREAM | END_HEADERS, 1, &resized[..resized.len().min(16_384)]));
    connection.wait(Duration::from_secs(1));
    trial.tried(1);
}

/// Answers that may not be sent: their windows are closed.
pub fn windows(trial: &Trial<'_>) {
    let mut all = Vec::new();
    for _ in 0..20 {
        let Some(mut connection) = opened(trial, &[(INITIAL_WINDOW, 0)]) else { return };
        for _ in 0..100 {
            trial.tried(1);
            connection.get("/long/300000", END_STREAM);
        }
        all.push(connection);
    }
    // And windows that grow by one byte.
    for _ in 0..8 {
        for connection in &mut all {
            let updates: Vec<u8> = (0..100).flat_map(|n| frame(WINDOW_UPDATE, 0, 2 * n + 1, &[0, 0, 0, 1])).collect();
            connection.send(&updates);
            connection.wait(Duration::from_millis(5));
        }
        std::thread::sleep(Duration::from_millis(300));
    }
}

/// More streams than are allowed, and streams that are never ended.
pub fn streams(trial: &Trial<'_>) {
    let mut all = Vec::new();
    for _ in 0..10 {
        let Some(mut connection) = opened(trial, &[]) else { return };
        for _ in 0..2000 {
            trial.tried(1);
            let stream = connection.next;
            connection.next += 2;
            let block = connection.request("POST", "/parsed");
            if !connection.send(&frame(HEADERS, END_HEADERS, stream, &block)) {
                break;
            }
        }
        connection.wait(Duration::from_millis(100));
        all.push(connection);
    }
    std::thread::sleep(Duration::from_secs(1));
    // Farewells that do not go.
    for connection in &mut all {
        connection.send(&frame(GOAWAY, 0, 0, &[0; 8]).repeat(100));
    }
}

/// Many good requests, without a window's update: the flood of a fast and honest client.
pub fn honest(trial: &Trial<'_>) {
    trial.crowd(4, 8, |_| {
        let Some(mut connection) = opened(trial, &[]) else { return };
        let started = Instant::now();
        for _ in 0..20 {
            for _ in 0..50 {
                trial.tried(1);
                connection.get("/good/1", END_STREAM);
            }
            let goal = connection.heads + 50;
            while connection.heads < goal && !connection.ended() && started.elapsed() < Duration::from_secs(12) {
                let mut left = goal - connection.heads;
                connection.read(Duration::from_millis(500), |frame| {
                    left -= usize::from(frame.kind == HEADERS);
                    left > 0
                });
                connection.send(&frame(WINDOW_UPDATE, 0, 0, &[0, 0, 64, 0]));
            }
        }
        trial.expect(connection.heads == 1000 && connection.goaway.is_none(), || {
            format!("{} of 1000 answers, goaway {:?}", connection.heads, connection.goaway)
        });
    });
}

/// Cases of h2spec 2.2.1, with those that it calls strict.
const CASES: usize = 146;

/// h2spec: all of its cases.
pub fn spec(trial: &Trial<'_>) {
    let Some(h2spec) = &trial.world.h2spec else { return trial.skip("h2spec is not here: tools/setup.sh suites installs it") };
    // Some cases send a mistake after a request that may be answered by then: one round without a
    // failure counts.
    let mut failed: Option<Vec<String>> = None;
    for _ in 0..5 {
        let outcome =
            Command::new(h2spec).args(["-h", "127.0.0.1", "-p", &trial.port.to_string(), "-o", "2", "-S"]).stdin(Stdio::null()).output();
        let text = match outcome {
            Ok(outcome) => String::from_utf8_lossy(&outcome.stdout).into_owned(),
            Err(error) => return trial.miss(format!("{}: {error}", h2spec.display())),
        };
        let line = text.lines().rev().find(|line| line.contains("tests,")).unwrap_or_default();
        let all = line.split(' ').next().and_then(|count| count.parse::<usize>().ok()).unwrap_or(0);
        trial.tried(all);
        trial.expect(all >= CASES, || format!("h2spec has {all} cases, and {CASES} are known"));
        let now = text.lines().filter(|line| line.contains('×')).map(|line| line.trim().to_owned());
        failed = Some(match failed {
            Some(before) => now.filter(|case| before.contains(case)).collect(),
            None => now.collect(),
        });
        if failed.as_ref().is_some_and(Vec::is_empty) {
            break;
        }
    }
    let failed = failed.unwrap_or_default();
    trial.expect(failed.is_empty(), || format!("h2spec: {} cases failed in each round: {}", failed.len(), failed.join("; ")));
}

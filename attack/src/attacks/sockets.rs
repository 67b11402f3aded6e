//! WebSocket connections.

use std::time::{Duration, Instant};

use crate::trial::Trial;
use crate::wire::http1::Wire;

/// Opens a connection and upgrades it; none if it is refused.
fn open(trial: &Trial<'_>) -> Option<Wire> {
    trial.tried(1);
    let port = trial.port;
    let request = format!(
        "GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: ql.io-console\r\n\r\n"
    );
    let mut wire = Wire::open(port).ok()?;
    wire.send(request.as_bytes(), Duration::from_secs(2));
    let answer = wire.answer(true, Duration::from_secs(5)).ok()?;
    (answer.status == 101).then_some(wire)
}

/// Returns a frame of a client (RFC 6455 5.2), with a mask of zeros.
fn frame(first: u8, payload: &[u8]) -> Vec<u8> {
    let mut bytes = vec![first];
    match payload.len() {
        length @ 0..=125 => bytes.push(0x80 | length as u8),
        length @ 126..=65_535 => bytes.extend([0xfe].into_iter().chain((length as u16).to_be_bytes())),
        length => bytes.extend([0xff].into_iter().chain((length as u64).to_be_bytes())),
    }
    bytes.extend([0; 4]);
    bytes.extend_from_slice(payload);
    bytes
}

/// Frames that are long, endless, wrong, or many.
pub fn frames(trial: &Trial<'_>) {
    if open(trial).is_none() {
        return trial.skip("no WebSocket here");
    }
    let script = |text: &str| format!(r#"{{"type":"script","data":"{text}"}}"#).into_bytes();
    let attacks: Vec<Vec<u8>> = vec![
        frame(0x81, &vec![b'x'; 10 << 20]),
        [vec![0x81, 0xff, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff], vec![0; 100_000]].concat(),
        [frame(0x01, b"x"), frame(0x00, &[b'x'; 1000]).repeat(20_000)].concat(),
        [frame(0x01, b""), frame(0x00, b"").repeat(200_000)].concat(),
        frame(0x89, &[b'p'; 125]).repeat(50_000),
        frame(0x81, &script("show tables")).repeat(3000),
        frame(0x81, &script("a = select * from hostile where kind = 'hang'")).repeat(200),
        frame(0x81, b"{").repeat(5000),
        frame(0x81, &[0xff, 0xfe]),
        frame(0x83, b"x"),
        frame(0xf1, b"x"),
        vec![0x81, 0x05, b'a', b'b', b'c', b'd', b'e'],
        frame(0x88, &[0]),
        frame(0x81, &script(&"[".repeat(200_000))),
        frame(0x81, &format!(r#"{{"type":"events","data":"[{}]"}}"#, "\\\"ack\\\",".repeat(100_000)).into_bytes()),
    ];
    trial.crowd(5, attacks.len() * 2, |number| {
        let Some(mut wire) = open(trial) else { return };
        wire.send(&attacks[number % attacks.len()], Duration::from_secs(1));
        let until = Instant::now() + Duration::from_millis(800);
        while let Ok(1..) = wire.more(until) {}
    });
}

/// As many connections as there are places, and more.
pub fn places(trial: &Trial<'_>) {
    let mut all: Vec<Wire> = (0..150).filter_map(|_| open(trial)).collect();
    trial.expect(all.len() <= 100, || format!("{} connections where 100 are allowed", all.len()));
    std::thread::sleep(Duration::from_secs(1));
    for wire in &mut all {
        wire.send(&frame(0x88, &[3, 232]), Duration::from_millis(100));
    }
    drop(all);
    std::thread::sleep(Duration::from_secs(1));
    trial.expect(open(trial).is_some(), || "no connection after all were closed".to_owned());
}

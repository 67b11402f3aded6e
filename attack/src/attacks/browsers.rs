//! Pages of other sites, open in a browser that reaches the gateway.

use std::time::Duration;

use crate::trial::Trial;
use crate::wire::http1::{self, Wire, encoded};

/// Heads as browsers send them for a page elsewhere.
const FOREIGN: &[&str] = &[
    "Origin: http://evil.example\r\nSec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: cors\r\nSec-Fetch-Dest: empty\r\n",
    "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: no-cors\r\nSec-Fetch-Dest: script\r\n",
    "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: no-cors\r\nSec-Fetch-Dest: image\r\nReferer: http://evil.example/\r\n",
    "Sec-Fetch-Site: same-site\r\nSec-Fetch-Mode: no-cors\r\nSec-Fetch-Dest: script\r\n",
    "Origin: null\r\nSec-Fetch-Site: cross-site\r\n",
    "Origin: http://127.0.0.1.evil.example\r\n",
    "Origin: http://evil.example\r\n",
];

/// Scripts and writing routes that a page elsewhere asks for.
pub fn sites(trial: &Trial<'_>) {
    let writing = encoded("insert into sink (x) values ('evil')");
    for headers in FOREIGN {
        trial.world.service.forget();
        trial.get_with(&format!("/q?s={writing}"), headers);
        trial.get_with("/write?x=evil", headers);
        trial.get_with("/write?x=evil&callback=f", headers);
        for media in ["application/x-www-form-urlencoded", "text/plain", "multipart/form-data; boundary=b"] {
            trial.post("/q", media, headers, format!("s={writing}").as_bytes());
            trial.post("/write", media, headers, b"x=evil");
            trial.post("/write", media, headers, b"--b\r\nContent-Disposition: form-data; name=\"x\"\r\n\r\nevil\r\n--b--");
        }
        trial.ask(&http1::request("HEAD", "/write?x=evil", trial.port, headers));
        let written = trial.world.service.seen("/sink").len();
        trial.expect(written == 0, || format!("{written} writes by a page elsewhere: {headers:?}"));
        // Reading: neither by a script element, nor by a permission.
        for target in ["/q?s=return%20%22%7Bconfig%7D%22&callback=f", "/q?s=return%20%22%7Bconfig%7D%22"] {
            if let Some(answer) = trial.get_with(target, headers) {
                trial.expect(!answer.text().contains("allowPrivate"), || {
                    format!("{target}: the configuration for a page elsewhere: {headers:?}")
                });
            }
        }
        for target in ["/good/1", "/tables", "/openapi.json"] {
            if let Some(answer) = trial.get_with(target, headers) {
                let permission = answer.header("access-control-allow-origin");
                trial.expect(permission.is_none(), || format!("{target}: permitted for {permission:?}"));
            }
        }
        let preflight = http1::request(
            "OPTIONS",
            "/write",
            trial.port,
            &format!("{headers}Access-Control-Request-Method: POST\r\nAccess-Control-Request-Headers: content-type\r\n"),
        );
        if let Some(answer) = trial.ask(&preflight) {
            trial.expect(
                answer.header("access-control-allow-origin").is_none() && answer.header("access-control-allow-methods").is_none(),
                || "a preflight is permitted".to_owned(),
            );
        }
    }
}

/// Names that lead to loopback for a page's script (DNS rebinding), and names of other sites.
pub fn names(trial: &Trial<'_>) {
    let port = trial.port;
    let script = encoded("insert into sink (x) values ('evil')");
    for name in [
        "evil.example".to_owned(),
        format!("evil.example:{port}"),
        format!("127.0.0.1.evil.example:{port}"),
        "a.localhost.evil.example".to_owned(),
        "127.0.0.1:1@evil.example".to_owned(),
        "evil.example#127.0.0.1".to_owned(),
    ] {
        trial.world.service.forget();
        for headers in ["", "Sec-Fetch-Site: same-origin\r\n"] {
            for target in ["/good/1".to_owned(), "/write?x=evil".to_owned(), format!("/q?s={script}")] {
                let request = format!("GET {target} HTTP/1.1\r\nHost: {name}\r\n{headers}\r\n");
                let answer = trial.ask(request.as_bytes());
                trial.expect(answer.as_ref().is_none_or(|answer| (400..500).contains(&answer.status)), || {
                    format!("Host {name}: {}", answer.map(|answer| answer.short()).unwrap_or_default())
                });
                // The name in the target goes before the header (RFC 9112 3.2.2).
                let request = format!("GET http://{name}{target} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{headers}\r\n");
                let answer = trial.asked(request.as_bytes());
                trial.expect(answer.as_ref().is_ok_and(|answer| (400..500).contains(&answer.status)), || {
                    format!("target of {name}: {}", answer.map_or_else(|error| error, |answer| answer.short()))
                });
            }
        }
        let written = trial.world.service.seen("/sink").len();
        trial.expect(written == 0, || format!("{written} writes under the name {name}"));
    }
}

/// WebSocket from other origins and under other names.
pub fn sockets(trial: &Trial<'_>) {
    let port = trial.port;
    for (host, origin) in [
        (format!("127.0.0.1:{port}"), "http://evil.example"),
        (format!("evil.example:{port}"), "http://evil.example"),
        (format!("127.0.0.1:{port}"), "null"),
        (format!("127.0.0.1:{port}"), "file://"),
    ] {
        trial.tried(1);
        let request = format!(
            "GET / HTTP/1.1\r\nHost: {host}\r\nOrigin: {}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: ql.io-console\r\n\r\n",
            if host.starts_with("evil") { format!("http://{host}") } else { origin.to_owned() }
        );
        let opened = Wire::open(port).and_then(|mut wire| {
            wire.send(request.as_bytes(), Duration::from_secs(2));
            wire.answer(true, Duration::from_secs(5))
        });
        trial.expect(opened.as_ref().is_ok_and(|answer| (400..500).contains(&answer.status)), || {
            format!("WebSocket of {origin} at {host}: {opened:?}")
        });
    }
}

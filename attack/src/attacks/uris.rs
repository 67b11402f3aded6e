//! Values that would move a request elsewhere.

use crate::trial::Trial;
use crate::wire::http1::{self, encoded};

/// Spellings of a step up, of an end of the path, and of a line's end.
const SPELLINGS: &[&str] = &[
    "..",
    ".",
    "%2e%2e",
    "%2E%2E",
    ".%2e",
    "%2e.",
    "%2e",
    "..%2f..",
    "..%2fadmin",
    "%2e%2e%2fadmin",
    "..%5cadmin",
    "..\\admin",
    "%2e%2e%5cadmin",
    "..;",
    "..;/admin",
    "..%3b",
    "a/../../admin",
    "a%2f..%2f..%2fadmin",
    "%2f",
    "%2f%2f",
    "//127.0.0.1/",
    "%2f%2f127.0.0.1%2f",
    "%252e%252e",
    "%252e%252e%252f",
    "%c0%ae%c0%ae",
    "%c0%af",
    "%e0%80%ae",
    "%u002e%u002e",
    "%uff0e%uff0e",
    "%ef%bc%8e%ef%bc%8e",
    "%ef%bc%8e.",
    "..%00",
    "%00",
    "..%0d%0a",
    "%0d%0aHost:%20evil",
    "..%09",
    "..%20",
    "%20..",
    "+..",
    "..%23",
    "%23",
    "%3f",
    "%3fadmin=1",
    "..%3f",
    "x%26admin=1",
    "x;admin=1",
    "@127.0.0.1",
    "%40",
    "x%40evil",
    ":80",
    "%3a80",
    "..%c2%ad",
    ".%c2%ad.",
    "..%e2%80%8b",
    "%ff",
    "%80",
    "{id}",
    "%7bid%7d",
    "$%7bid%7d",
];

/// Returns the path of a request as a service takes it apart.
fn segments(asked: &str) -> Vec<&str> {
    let target = asked.split(' ').nth(1).unwrap_or_default();
    target.split(['?', '#']).next().unwrap_or_default().split('/').skip(1).collect()
}

/// One segment of a path stays one.
pub fn paths(trial: &Trial<'_>) {
    for (route, first) in [("/user/", "users"), ("/plain?id=", "plain")] {
        for spelling in SPELLINGS {
            trial.world.service.forget();
            // The target as it is: some spellings are no URI, and are refused.
            let answer = trial.asked(&http1::request("GET", &format!("{route}{spelling}"), trial.port, ""));
            for seen in trial.world.service.seen("/") {
                let segments = segments(&seen.asked);
                let plain = segments.iter().map(|segment| segment.to_ascii_lowercase().replace("%2e", "."));
                let dots = plain.clone().any(|segment| segment == "." || segment == "..");
                let shape =
                    segments.first() == Some(&first) && segments.last() == Some(&"profile") && (first == "plain" || segments.len() == 3);
                trial.expect(shape && !dots && seen.asked.split(' ').count() == 2, || format!("{route}{spelling}: asked {}", seen.asked));
                trial.expect(!seen.asked.contains('?'), || format!("{route}{spelling}: a query: {}", seen.asked));
            }
            trial.expect(answer.is_ok(), || format!("{route}{spelling}: no answer"));
        }
    }
}

/// One value of a query stays one; a host, a port, a scheme as well.
pub fn parts(trial: &Trial<'_>) {
    for spelling in SPELLINGS.iter().copied().chain(["a%26fixed=2", "a%23", "a&fixed=2", "%26last=2", "a%3d", "a;last=2"]) {
        trial.world.service.forget();
        let _ = trial.asked(&http1::request("GET", &format!("/search?q={spelling}"), trial.port, ""));
        for seen in trial.world.service.seen("/") {
            let query = seen.asked.split_once('?').map_or("", |(_, query)| query);
            let names: Vec<&str> = query.split('&').map(|pair| pair.split_once('=').map_or(pair, |(name, _)| name)).collect();
            trial.expect(names == ["fixed", "q", "last"] && !query.contains(['#', ';']), || {
                format!("/search?q={spelling}: asked {}", seen.asked)
            });
        }
    }
    let forbidden = trial.world.forbidden.port;
    let before = trial.world.forbidden.connections();
    let hosts = [
        format!("127.0.0.1:{forbidden}/x?"),
        format!("127.0.0.1:{forbidden}#"),
        format!("x@127.0.0.1:{forbidden}/"),
        format!("127.0.0.1:{forbidden}\\"),
        "127.0.0.1/..".to_owned(),
        "[::1]".to_owned(),
        "127.0.0.1\r\nX: y".to_owned(),
        "127.0.0.1\t".to_owned(),
        "127.0.0.1%2f".to_owned(),
        format!("127.0.0.1%3a{forbidden}%2f"),
        "".to_owned(),
        " ".to_owned(),
        "localhost".to_owned(),
        "0".to_owned(),
        "127.1".to_owned(),
    ];
    for host in hosts {
        trial.refused(trial.get(&format!("/host?host={}", encoded(&host))), &[400, 403, 404, 502], &format!("the host {host:?}"));
    }
    for port in [
        format!("{forbidden}"),
        format!("{forbidden}/x?"),
        format!("{}@127.0.0.1:{forbidden}", trial.world.service.port),
        "80".to_owned(),
        "-1".to_owned(),
        "99999".to_owned(),
        "0x50".to_owned(),
        "".to_owned(),
    ] {
        trial.refused(trial.get(&format!("/port?port={}", encoded(&port))), &[400, 403, 404, 502], &format!("the port {port:?}"));
    }
    for scheme in ["file", "gopher", "ftp", "javascript", "unix", "http://evil/?", "data", ""] {
        trial.refused(trial.get(&format!("/scheme?scheme={}", encoded(scheme))), &[400, 403, 404, 502], &format!("the scheme {scheme:?}"));
    }
    let after = trial.world.forbidden.connections();
    trial.expect(after == before, || format!("{} connections to a port that may not be called", after - before));
}

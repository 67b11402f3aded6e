//! Heads of answers that grow with what a caller sends or a service returns. The limit is looked at
//! in every answer (`Trial::looked`); here are the requests that would exceed it.

use crate::trial::Trial;
use crate::wire::http1::encoded;

/// Ids of many requests, of long callers' ids, and of services.
pub fn ids(trial: &Trial<'_>) {
    let list: Vec<String> = (0..45).map(|n| n.to_string()).collect();
    let body = format!(r#"{{"ks":[{}]}}"#, list.join(","));
    for length in [0, 1, 100, 512, 513, 4096, 30_000] {
        for byte in ["a", "[", "]", "!ql.io!127.0.0.1[", "\u{e9}"] {
            let id = if length == 0 { String::new() } else { format!("Request-Id: {}\r\n", byte.repeat(length / byte.len() + 1)) };
            trial.refused(trial.post("/many", "application/json", &id, body.as_bytes()), &[200], "an id");
        }
    }
}

/// Headers that name what a format could not keep.
pub fn losses(trial: &Trial<'_>) {
    for accept in [
        "text/csv",
        "application/xml",
        "application/x-bencode",
        "application/yaml",
        "application/msgpack",
        "application/cbor",
        "application/bson",
    ] {
        trial.refused(trial.get_with("/losses", &format!("Accept: {accept}\r\n")), &[200, 406], accept);
    }
    trial.refused(trial.get("/losses?events=all"), &[200, 403], "events");
    let names: String = (0..800).map(|n| format!("event-{n}\\\",\\\"")).collect();
    trial.refused(
        trial.get(&format!("/losses?events={}", encoded(&format!(r#"{{"data":"[\"{names}\"]"}}"#)))),
        &[200, 400, 403, 431],
        "names of events",
    );
}

/// A route's own headers, filled by a caller.
pub fn routes(trial: &Trial<'_>) {
    for length in [100, 1800, 2000, 2048, 4000, 30_000] {
        trial.refused(trial.get(&format!("/labelled?q={}", "x".repeat(length))), &[200, 500], "a route's header");
    }
    for text in ["a%0d%0aSet-Cookie:%20x=1", "%00", "a%0aX: y", "%C3%A9"] {
        let answer = trial.get(&format!("/labelled?q={text}"));
        trial.expect(answer.as_ref().is_none_or(|answer| answer.header("set-cookie").is_none() && answer.header("x").is_none()), || {
            format!("a header by {text}")
        });
    }
    // What came with the request is written back nowhere in a head.
    for headers in ["Origin: http://a\r\n", "Cookie: a=b\r\n", "Range: bytes=0-1,2-3\r\n", "X-Forwarded-For: 1.2.3.4\r\n"] {
        trial.refused(trial.get_with("/good/1", &headers.replace('a', &"a".repeat(3000))), &[200, 400, 403], headers);
    }
}

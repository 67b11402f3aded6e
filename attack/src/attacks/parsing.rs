//! Bodies that are long to read. Good callers, and the health check, are served meanwhile.

use std::time::{Duration, Instant};

use crate::trial::Trial;
use crate::wire::http1;

/// Answers to a body that is too much.
const ANY: &[u16] = &[200, 400, 408, 413, 415, 422, 503];

/// Asks for the health while bodies are read.
fn healthy(trial: &Trial<'_>) {
    let mut worst = Duration::ZERO;
    for _ in 0..40 {
        let started = Instant::now();
        trial.refused(trial.get("/healthz"), &[200], "the health check");
        worst = worst.max(started.elapsed());
        std::thread::sleep(Duration::from_millis(25));
    }
    trial.expect(worst < Duration::from_secs(2), || format!("the health check took {worst:?}"));
}

fn bodies(trial: &Trial<'_>, threads: usize, all: &[(&str, Vec<u8>)], times: usize) {
    std::thread::scope(|scope| {
        scope.spawn(|| healthy(trial));
        trial.crowd(threads, all.len() * times, |number| {
            let (media, body) = &all[number % all.len()];
            trial.refused(trial.post("/parsed", media, "", body), ANY, media);
        });
    });
}

/// Forms of nine megabytes, twenty at once.
pub fn forms(trial: &Trial<'_>) {
    let few = format!("s={}", "x".repeat(9_000_000));
    let distinct: String = (0..90_000).map(|n| format!("{n:x}{}=&", "y".repeat(90))).collect();
    let all = [
        ("application/x-www-form-urlencoded", "a&".repeat(4_500_000).into_bytes()),
        ("application/x-www-form-urlencoded", "a=1&".repeat(24_000).into_bytes()),
        ("application/x-www-form-urlencoded", "%41=%zz+&".repeat(95_000).into_bytes()),
        ("application/x-www-form-urlencoded", distinct.into_bytes()),
        ("application/x-www-form-urlencoded", few.into_bytes()),
    ];
    bodies(trial, 20, &all, 8);
}

/// Values of every format: many, deep, long, and claimed.
pub fn values(trial: &Trial<'_>) {
    let members: String = (0..400_000).map(|n| format!("\"{n}\":[],")).collect();
    let same = "\"a\":1,".repeat(1_000_000);
    let rows: String = (0..300_000).map(|n| format!("{n},a,b\n")).collect();
    let attributes: String = (0..300_000).map(|n| format!(" a{n}=\"\"")).collect();
    let entities: String = (1..30).map(|n| format!(r#"<!ENTITY e{n} "&e{};&e{};&e{};">"#, n - 1, n - 1, n - 1)).collect();
    let aliases: String = (1..30).map(|n| format!("a{n}: &a{n} [*a{0},*a{0},*a{0},*a{0}]\n", n - 1)).collect();
    let anchors: String = (0..200_000).map(|n| format!("- &a{n} {n}\n")).collect();
    let all: Vec<(&str, Vec<u8>)> = vec![
        ("application/json", "[".repeat(9_000_000).into_bytes()),
        ("application/json", format!("{{{}\"z\":0}}", members).into_bytes()),
        ("application/json", format!("{{{same}\"a\":0}}").into_bytes()),
        ("application/json", format!("[{}0]", "0,".repeat(4_000_000)).into_bytes()),
        ("application/json", format!("[{}0]", "1e999999999,".repeat(500_000)).into_bytes()),
        ("application/json", "9".repeat(9_000_000).into_bytes()),
        ("application/json", format!("\"{}\"", "\\u0041".repeat(1_400_000)).into_bytes()),
        ("application/xml", "<a>".repeat(3_000_000).into_bytes()),
        ("application/xml", format!("<a{attributes}/>").into_bytes()),
        ("application/xml", format!(r#"<!DOCTYPE a [<!ENTITY e0 "lol">{entities}]><a>&e29;</a>"#).into_bytes()),
        ("application/xml", format!("<a>{}</a>", "<b/>".repeat(2_000_000)).into_bytes()),
        ("application/xml", format!("<a>{}", "<!--".repeat(2_000_000)).into_bytes()),
        ("application/yaml", format!("a0: &a0 [1,2,3]\n{aliases}").into_bytes()),
        ("application/yaml", "[".repeat(1_000_000).into_bytes()),
        ("application/yaml", "- ".repeat(1_000_000).into_bytes()),
        ("application/yaml", "? ".repeat(1_000_000).into_bytes()),
        ("application/yaml", anchors.into_bytes()),
        ("application/yaml", format!("a: \"{}", "\\\n ".repeat(1_000_000)).into_bytes()),
        ("text/csv", rows.into_bytes()),
        ("text/csv", ",".repeat(9_000_000).into_bytes()),
        ("text/csv", "\"".repeat(9_000_000).into_bytes()),
        ("application/msgpack", [[0xdd, 0xff, 0xff, 0xff, 0xff].as_slice(), &[0xc0; 1_000_000]].concat()),
        ("application/msgpack", vec![0x91; 5_000_000]),
        ("application/msgpack", vec![0xdf, 0xff, 0xff, 0xff, 0xff]),
        ("application/cbor", vec![0x9b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]),
        ("application/cbor", vec![0x81; 5_000_000]),
        ("application/cbor", vec![0xd8; 5_000_000]),
        ("application/cbor", vec![0x9f; 5_000_000]),
        ("application/cbor", vec![0x7b, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x41]),
        ("application/bson", [0xff, 0xff, 0xff, 0x7f].to_vec()),
        ("application/x-bencode", "l".repeat(5_000_000).into_bytes()),
        ("application/x-bencode", b"999999999999:a".to_vec()),
        ("application/jsonl", "{}\n".repeat(2_000_000).into_bytes()),
        ("text/plain; charset=utf-7", vec![b'+'; 5_000_000]),
        ("application/json; charset=utf-16", vec![0xd8; 5_000_000]),
        ("text/xml; charset=iso-2022-jp", [0x1b, b'$', b'B', b'!'].repeat(1_000_000)),
    ];
    bodies(trial, 8, &all, 2);
}

/// Parts: many, nested, without an end.
pub fn parts(trial: &Trial<'_>) {
    let media = "multipart/form-data; boundary=b";
    let part = |n: usize| format!("--b\r\nContent-Disposition: form-data; name=\"f{n}\"\r\n\r\nx\r\n");
    let long = format!("multipart/form-data; boundary={}", "b".repeat(60));
    let all: Vec<(&str, Vec<u8>)> = vec![
        (media, (0..900).map(part).collect::<String>().into_bytes()),
        (media, (0..100_000).map(part).collect::<String>().into_bytes()),
        (media, "--b\r\n".repeat(1_500_000).into_bytes()),
        (media, "\r\n--".repeat(2_000_000).into_bytes()),
        (media, format!("--b\r\n{}", "a: b\r\n".repeat(1_000_000)).into_bytes()),
        (media, format!("--b\r\nContent-Disposition: form-data; name=\"{}\"\r\n\r\nx\r\n--b--", "x".repeat(5_000_000)).into_bytes()),
        (media, format!("--b\r\nContent-Disposition: form-data{}\r\n\r\nx\r\n--b--", "; a=\"".repeat(1_000_000)).into_bytes()),
        (&long, format!("--{}", "b".repeat(9_000_000)).into_bytes()),
        ("multipart/mixed; boundary=\"b", b"--b--".to_vec()),
        ("multipart/mixed", b"--b--".to_vec()),
        ("multipart/related; boundary=b; start=x", b"--b\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\n--b--".to_vec()),
    ];
    bodies(trial, 8, &all, 3);
}

/// Heads that are long to read, within the limits.
pub fn heads(trial: &Trial<'_>) {
    let long = 50_000;
    let headers = [
        format!("Accept: {}\r\n", "text/a;q=0.1,".repeat(long / 13)),
        format!("Accept: {}\r\n", ",".repeat(long)),
        format!("Accept: {}\r\n", "a/b;".repeat(long / 4)),
        format!("Accept-Encoding: {}\r\n", "gzip;q=0,".repeat(long / 9)),
        format!("Accept-Language: {}\r\n", "a,".repeat(long / 2)),
        format!("Cookie: {}\r\n", "a=b;".repeat(long / 4)),
        format!("Authorization: Bearer {}\r\n", "a".repeat(long)),
        format!("Range: bytes={}\r\n", "0-,".repeat(long / 3)),
        format!("Content-Type: multipart/mixed;{}\r\n", " a=b;".repeat(long / 5)),
        format!("If-None-Match: {}\r\n", "\"a\",".repeat(long / 4)),
        format!("Traceparent: {}\r\n", "0".repeat(long)),
        (0..90).map(|n| format!("X-{n}: {}\r\n", "y".repeat(500))).collect(),
    ];
    let targets = [
        "/good/1".to_owned(),
        format!("/one?{}", "q&".repeat(20_000)),
        format!("/one?q=1&{}", (0..8000).map(|n| format!("a{n}=1&")).collect::<String>()),
        format!("/{}", "a/".repeat(25_000)),
        format!("/good/{}", "%41".repeat(15_000)),
        format!("/{}", "%".repeat(50_000)),
        format!("/{}good/1", "./".repeat(20_000)),
    ];
    trial.crowd(6, headers.len() * 20, |number| {
        trial.refused(trial.get_with("/good/1", &headers[number % headers.len()]), &[200, 400, 403, 406, 416, 431], "a long header");
    });
    trial.crowd(6, targets.len() * 20, |number| {
        let request = http1::request("GET", &targets[number % targets.len()], trial.port, "");
        trial.refused(trial.ask(&request), &[200, 400, 404, 414, 431], "a long target");
    });
}

//! Replies for one caller that others get.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::trial::Trial;
use crate::wire::http1::{self, encoded};

/// Returns a key that nobody has asked for.
fn fresh() -> usize {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// Asks with an attacker's request first, then as everybody does.
fn poisoned(trial: &Trial<'_>, what: &str, route: &str, attacker: impl FnOnce(&str) -> Vec<u8>) {
    let path = format!("/{route}/{}", fresh());
    let _ = trial.asked(&attacker(&path));
    if let Some(answer) = trial.get(&path) {
        let poison = answer.text().contains("poison") && !answer.text().contains(r#""poison":0"#);
        trial.expect(route == "failing" || !poison, || format!("{what}: {}", answer.short()));
        trial.expect(answer.header("set-cookie").is_none(), || format!("{what}: a cookie of another"));
    }
}

/// Headers, methods, bodies and parameters that are no part of the key.
pub fn keys(trial: &Trial<'_>) {
    let port = trial.port;
    for header in [
        "X-Forwarded-Host",
        "X-Forwarded-Proto",
        "X-Original-URL",
        "X-Rewrite-URL",
        "Forwarded",
        "X-HTTP-Method-Override",
        "Accept-Language",
        "Cookie",
        "Authorization",
        "Referer",
        "Via",
        "Max-Forwards",
        "traceparent",
        "X-Poison",
        "User-Agent",
        "If-None-Match",
        "Range",
        "Expect",
    ] {
        poisoned(trial, header, "cached", |path| http1::request("GET", path, port, &format!("{header}: poison\r\n")));
    }
    for query in [
        "?k=poison",
        "?poison=1",
        "?k=1&k=poison",
        "?callback=poison",
        "?events=all",
        "?format=poison",
        "?_method=poison",
        ";poison",
        "%3fpoison",
    ] {
        poisoned(trial, query, "cached", |path| http1::request("GET", &format!("{path}{query}"), port, ""));
    }
    poisoned(trial, "a body", "cached", |path| {
        [http1::request("GET", path, port, "Content-Type: application/json\r\nContent-Length: 14\r\n").as_slice(), br#"{"k":"poison"}"#]
            .concat()
    });
    poisoned(trial, "HEAD", "cached", |path| http1::request("HEAD", path, port, ""));
    poisoned(trial, "a cookie", "cookies", |path| http1::request("GET", path, port, ""));
}

/// Replies that must not be kept: failures, and bytes behind a reply.
pub fn replies(trial: &Trial<'_>) {
    let port = trial.port;
    for route in ["splits", "behind"] {
        poisoned(trial, route, route, |path| http1::request("GET", path, port, ""));
        // The next request on the connection to the service gets its own reply.
        for _ in 0..5 {
            trial.refused(trial.get(&format!("/good/{}", fresh())).filter(|answer| answer.text().contains("poison")), &[], route);
        }
    }
    let path = format!("/failing/{}", fresh());
    trial.world.service.forget();
    for _ in 0..2 {
        trial.refused(trial.get(&path), &[400, 500, 502], "a failure");
    }
    let asked = trial.world.service.seen("/failing").len();
    trial.expect(asked >= 2, || "a failure was kept".to_owned());
    // A table of a script, with the name and the address of one of the folder.
    let (key, own) = (fresh(), trial.world.service.port);
    let script = format!(
        "create table cached on select get from 'http://127.0.0.1:{own}/counted?k={key}' using headers 'X-Poison' = 'poison' expires 600; return select * from cached"
    );
    trial.script(&script);
    trial.get(&format!("/q?s={}", encoded(&script)));
    if let Some(answer) = trial.get(&format!("/cached/{key}")) {
        trial.expect(answer.text().contains(r#""poison":0"#), || format!("a script's table: {}", answer.short()));
    }
}

/// Keys without an end: the cache has its bounds.
pub fn fill(trial: &Trial<'_>) {
    trial.crowd(4, 4000, |_| drop(trial.get(&format!("/cached/{}{}", fresh(), "x".repeat(500)))));
}

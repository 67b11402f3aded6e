//! Tables that lead to the gateway itself.

use std::time::{Duration, Instant};

use crate::trial::Trial;
use crate::wire::http1::{self, encoded};

/// Routes that ask themselves, once and twice; with ids of callers that hide it.
pub fn routes(trial: &Trial<'_>) {
    for id in [String::new(), "x".repeat(512), "x".repeat(5000), "!ql.io!".repeat(60), "\u{e9}".repeat(600)] {
        let headers = if id.is_empty() { String::new() } else { format!("Request-Id: {id}\r\n") };
        for path in ["/itself", "/twice?k=0"] {
            let before = trial.world.gateway.access().lines().count();
            let started = Instant::now();
            let answer = trial.ask(&http1::request("GET", path, trial.port, &headers));
            trial.refused(answer, &[200, 400, 502, 504, 508], path);
            trial.expect(started.elapsed() < Duration::from_secs(5), || format!("{path}: an answer after {:?}", started.elapsed()));
            std::thread::sleep(Duration::from_millis(300));
            let access = trial.world.gateway.access();
            let own = access.lines().skip(before).filter(|line| line.contains(&path[..6])).count();
            trial.expect(own < 200, || format!("{path}: one request became {own}"));
        }
    }
}

/// A script that has the gateway run it again.
pub fn scripts(trial: &Trial<'_>) {
    let inner = "return select * from asks where s = 'return select * from itself'";
    let own = trial.port;
    for script in [
        inner.to_owned(),
        format!("create table me on select get from 'http://127.0.0.1:{own}/q?s={}'; return select * from me", encoded(inner)),
        "return select * from asks where s in ('select * from itself', 'select * from twice where k in (1,2,3)', 'select * from itself limit 1')".to_owned(),
    ] {
        let started = Instant::now();
        trial.refused(trial.script(&script), &[200, 400, 403, 502, 504, 508], "a script for itself");
        trial.expect(started.elapsed() < Duration::from_secs(8), || format!("an answer after {:?}", started.elapsed()));
    }
    trial.crowd(8, 40, |_| trial.refused(trial.get("/itself"), &[200, 400, 502, 503, 504, 508], "a loop"));
}

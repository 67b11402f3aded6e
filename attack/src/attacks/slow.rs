//! Callers that take their time, and callers that come in crowds.

use std::time::{Duration, Instant};

use crate::trial::Trial;
use crate::wire::http1::{self, Wire};

/// Opens connections, at most `count`, and hands each to `begin`.
fn crowd(trial: &Trial<'_>, count: usize, begin: impl Fn(&mut Wire)) -> Vec<Wire> {
    let mut all = Vec::new();
    for _ in 0..count {
        trial.tried(1);
        match Wire::open(trial.port) {
            Ok(mut wire) => {
                begin(&mut wire);
                all.push(wire);
            }
            Err(error) => {
                trial.miss(format!("the {}th connection: {error}", all.len() + 1));
                break;
            }
        }
    }
    all
}

/// Heads that drip (slowloris): cut off after ten seconds, whatever drips.
pub fn heads(trial: &Trial<'_>) {
    let mut all = crowd(trial, 1500, |wire| {
        let _ = wire.send(b"GET /good/1 HTTP/1.1\r\nHost: 127.0.0.1\r\n", Duration::from_secs(1));
    });
    let began = Instant::now();
    while began.elapsed() < Duration::from_millis(11_500) && trial.goes_on() {
        for wire in &mut all {
            wire.send(b"X-a: b\r\n", Duration::from_millis(10));
        }
        std::thread::sleep(Duration::from_millis(500));
    }
    let open = all.iter_mut().map(closed).filter(|closed| !closed).count();
    trial.expect(open == 0, || format!("{open} of 1500 dripping heads are still waited for after 11 s"));
}

fn closed(wire: &mut Wire) -> bool {
    loop {
        match wire.more(Instant::now() + Duration::from_millis(5)) {
            Ok(0) => return true,
            Ok(_) => {}
            Err(error) => return !error.contains("time"),
        }
    }
}

/// Bodies that drip: the memory and the place that they take are small.
pub fn bodies(trial: &Trial<'_>) {
    let mut all = crowd(trial, 1000, |wire| {
        let head = http1::request("POST", "/parsed", trial.port, "Content-Type: application/json\r\nContent-Length: 9000000\r\n");
        wire.send(&head, Duration::from_secs(1));
    });
    for _ in 0..8 {
        for wire in &mut all {
            wire.send(b"[1,", Duration::from_millis(10));
        }
        std::thread::sleep(Duration::from_millis(400));
    }
    // Bodies that wait for permission, and never come.
    let waiting = crowd(trial, 300, |wire| {
        let head = http1::request(
            "POST",
            "/parsed",
            trial.port,
            "Content-Type: application/json\r\nContent-Length: 9000000\r\nExpect: 100-continue\r\n",
        );
        wire.send(&head, Duration::from_secs(1));
    });
    std::thread::sleep(Duration::from_secs(1));
    drop(waiting);
}

/// Answers that nobody takes.
pub fn readers(trial: &Trial<'_>) {
    let all = crowd(trial, 150, |wire| {
        let one = http1::request("GET", "/long/200000", trial.port, "");
        wire.send(&one.repeat(20), Duration::from_millis(50));
    });
    std::thread::sleep(Duration::from_secs(4));
    drop(all);
}

/// Connections without a word, and connections that are closed at once.
pub fn connections(trial: &Trial<'_>) {
    let silent = crowd(trial, 2000, |_| {});
    trial.crowd(4, 6000, |_| {
        trial.tried(1);
        if let Ok(mut wire) = Wire::open(trial.port) {
            wire.send(b"G", Duration::from_millis(10));
        }
    });
    drop(silent);
}

/// Many requests on few connections, without waiting for answers.
pub fn pipelines(trial: &Trial<'_>) {
    trial.crowd(8, 24, |_| {
        trial.tried(500);
        let Ok(mut wire) = Wire::open(trial.port) else { return trial.miss("no connection") };
        let one = http1::request("GET", "/healthz", trial.port, "");
        wire.send(&one.repeat(500), Duration::from_secs(5));
        let mut answers = 0;
        while answers < 500 && wire.answer(false, Duration::from_secs(5)).is_ok_and(|answer| answer.status == 200) {
            answers += 1;
        }
        trial.expect(answers == 500, || format!("{answers} of 500 answers to requests at once"));
    });
}

/// As many requests as go, to all that costs little and all that costs much.
pub fn floods(trial: &Trial<'_>) {
    let targets = [
        "/good/1",
        "/healthz",
        "/nowhere",
        "/tables",
        "/openapi.json",
        "/join?n=40",
        "/hook/warm",
        "/metrics",
        "/api",
        "/q?s=show%20tables",
    ];
    trial.crowd(24, 24, |number| {
        let mut wire: Option<Wire> = None;
        for round in 0..400 {
            if !trial.goes_on() {
                return;
            }
            trial.tried(1);
            let target = targets[(number + round) % targets.len()];
            let mut open = match wire.take().map_or_else(|| Wire::open(trial.port), Ok) {
                Ok(open) => open,
                Err(error) => return trial.miss(error),
            };
            open.send(&http1::request("GET", target, trial.port, ""), Duration::from_secs(5));
            match open.answer(false, Duration::from_secs(10)) {
                Ok(answer) => {
                    trial.expect(matches!(answer.status, 200 | 403 | 404 | 503), || format!("{target}: {}", answer.short()));
                    wire = Some(open);
                }
                Err(error) => trial.miss(format!("{target}: {error}")),
            }
        }
    });
}

/// Services that are slow hold no good caller up.
pub fn services(trial: &Trial<'_>) {
    let all = crowd(trial, 600, |wire| {
        let _ = wire.send(&http1::request("GET", "/hostile/hang", trial.port, ""), Duration::from_secs(1));
    });
    std::thread::sleep(Duration::from_secs(3));
    drop(all);
}

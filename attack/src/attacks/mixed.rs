//! Many requests of all kinds: memory does not grow.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use crate::trial::Trial;
use crate::wire::http1::{self, Wire, encoded};
use crate::world::process::state;

/// Requests of the whole mix.
const ALL: usize = 200_000;

/// Requests after which memory is what it should stay.
const WARM: usize = 50_000;

/// Growth that is noise: allocators keep pages, in steps.
const NOISE: u64 = 4 << 20;

fn requests(port: u16) -> Vec<Vec<u8>> {
    let get = |target: &str, headers: &str| http1::request("GET", target, port, headers);
    let json = |target: &str, body: &str| http1::post(target, port, "application/json", "", body.as_bytes());
    vec![
        get("/good/1", ""),
        get("/good/2", "Accept: application/xml\r\n"),
        get("/good/3", "Accept-Encoding: gzip\r\n"),
        get("/one?q=1&q=2&q=3", ""),
        get("/join?n=5", "Accept: text/csv\r\n"),
        get("/hook/warm", ""),
        json("/many", r#"{"ks":[1,2,3]}"#),
        json("/polluted", r#"{"value":{"__proto__":{"a":1},"b":[1,2.5,"x"]}}"#),
        json("/parsed", "{"),
        http1::post("/parsed", port, "application/x-www-form-urlencoded", "", b"a=1&b=2&a=3"),
        http1::post(
            "/parsed",
            port,
            "multipart/form-data; boundary=b",
            "",
            b"--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nx\r\n--b--\r\n",
        ),
        get("/cached/1", ""),
        get("/nowhere", ""),
        get("/user/..%2f..", ""),
        get("/hostile/failing", ""),
        get("/away?uri=http%3A%2F%2F127.0.0.1%3A1%2F", ""),
        get("/tables", "Accept: text/html\r\n"),
        get("/table?name=secret", ""),
        get("/healthz", ""),
        get(&format!("/q?s={}", encoded("a = [1,2]; return {\"a\": \"{a}\"}")), ""),
        get(&format!("/q?s={}", encoded("select * from")), ""),
        get(&format!("/q?s={}", encoded("explain select * from good where id = '1'")), "Accept: text/plain\r\n"),
        get("/long/20000", "Accept-Encoding: br\r\n"),
        get("/metrics", ""),
    ]
}

/// 200,000 requests, all connections kept.
pub fn growth(trial: &Trial<'_>) {
    let requests = requests(trial.port);
    let (done, failed) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let (warm, worst) = (AtomicU64::new(0), AtomicU64::new(0));
    std::thread::scope(|scope| {
        for number in 0..6 {
            let (requests, done, failed) = (&requests, &done, &failed);
            scope.spawn(move || {
                let mut wire = None;
                let mut at = number * 7;
                while done.fetch_add(1, Ordering::Relaxed) < ALL && trial.goes_on() {
                    at += 1;
                    let request = &requests[at % requests.len()];
                    let mut open = match wire.take().map_or_else(|| Wire::open(trial.port), Ok) {
                        Ok(open) => open,
                        Err(_) => {
                            failed.fetch_add(1, Ordering::Relaxed);
                            continue;
                        }
                    };
                    open.send(request, Duration::from_secs(5));
                    match open.answer(false, Duration::from_secs(10)) {
                        Ok(answer) if answer.header("connection") != Some("close") => wire = Some(open),
                        Ok(_) => {}
                        Err(_) => drop(failed.fetch_add(1, Ordering::Relaxed)),
                    }
                }
            });
        }
        scope.spawn(|| {
            while done.load(Ordering::Relaxed) < ALL && trial.goes_on() {
                std::thread::sleep(Duration::from_millis(200));
                if done.load(Ordering::Relaxed) > WARM {
                    let memory = state(trial.world.gateway.pid()).memory;
                    // The first looks are what later ones are compared with.
                    let _ = warm.compare_exchange(0, memory, Ordering::Relaxed, Ordering::Relaxed);
                    worst.store(memory, Ordering::Relaxed);
                }
            }
        });
    });
    let done = done.into_inner().min(ALL);
    trial.tried(done);
    trial.expect(done == ALL, || format!("{done} of {ALL} requests in the time"));
    trial.expect(failed.load(Ordering::Relaxed) == 0, || format!("{failed:?} requests without an answer"));
    let (warm, last) = (warm.into_inner(), worst.into_inner());
    trial.expect(last <= warm + warm / 10 + NOISE, || {
        format!("memory grew from {} MB after {WARM} requests to {} MB", warm >> 20, last >> 20)
    });
}

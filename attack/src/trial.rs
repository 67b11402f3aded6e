//! One attack under way: what it may use, and what it has found.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::wire::http1::{self, Answer, Wire};
use crate::world::{SECRET, World};

/// The longest head of an answer, with its status line and the headers that a server adds last.
const HEAD: usize = 2048;

/// The longest time for an answer to an attacker.
pub const ANSWER: Duration = Duration::from_secs(12);

/// An attack under way.
pub struct Trial<'w> {
    /// The gateway and what is around it.
    pub world: &'w World,
    /// The port of the gateway, or of what is in front of it.
    pub port: u16,
    until: Instant,
    tries: AtomicUsize,
    misses: Mutex<Vec<String>>,
    skipped: Mutex<Option<String>>,
}

/// What an attack has found.
#[derive(Debug, Default)]
pub struct Findings {
    /// Attempts.
    pub tries: usize,
    /// What should not have happened.
    pub misses: Vec<String>,
    /// The reason for which it was not made.
    pub skipped: Option<String>,
}

impl<'w> Trial<'w> {
    /// Makes an attack that ends after `seconds`.
    pub fn new(world: &'w World, port: u16, seconds: u64) -> Trial<'w> {
        let until = Instant::now() + Duration::from_secs(seconds);
        Trial { world, port, until, tries: AtomicUsize::new(0), misses: Mutex::default(), skipped: Mutex::default() }
    }

    /// Returns true while the attack has time.
    pub fn goes_on(&self) -> bool {
        Instant::now() < self.until
    }

    /// Counts attempts.
    pub fn tried(&self, count: usize) {
        self.tries.fetch_add(count, Ordering::Relaxed);
    }

    /// Notes what should not have happened.
    pub fn miss(&self, text: impl Into<String>) {
        self.misses.lock().unwrap_or_else(PoisonError::into_inner).push(text.into());
    }

    /// Notes what should not have happened, unless `holds`.
    pub fn expect(&self, holds: bool, text: impl FnOnce() -> String) {
        if !holds {
            self.miss(text());
        }
    }

    /// Says that the attack was not made.
    pub fn skip(&self, why: impl Into<String>) {
        *self.skipped.lock().unwrap_or_else(PoisonError::into_inner) = Some(why.into());
    }

    /// Ends it.
    pub fn findings(self) -> Findings {
        Findings {
            tries: self.tries.into_inner(),
            misses: self.misses.into_inner().unwrap_or_else(PoisonError::into_inner),
            skipped: self.skipped.into_inner().unwrap_or_else(PoisonError::into_inner),
        }
    }

    /// Sends a request on a connection of its own, and returns the answer. No answer is a miss, and
    /// so is one that no attacker may get: a long head, a secret, a panic.
    pub fn ask(&self, request: &[u8]) -> Option<Answer> {
        match self.asked(request) {
            Ok(answer) => Some(answer),
            Err(error) => {
                self.miss(format!("{error}: {}", shown(request)));
                None
            }
        }
    }

    /// As [`Trial::ask`], for requests that may have no answer.
    ///
    /// # Errors
    /// There is no answer.
    pub fn asked(&self, request: &[u8]) -> Result<Answer, String> {
        self.tried(1);
        let mut wire = Wire::open(self.port)?;
        wire.send(request, ANSWER);
        let answer = wire.answer(request.starts_with(b"HEAD "), ANSWER)?;
        self.looked(&answer, request);
        Ok(answer)
    }

    /// Looks for what no attacker may get.
    pub fn looked(&self, answer: &Answer, request: &[u8]) {
        let behind_nginx = self.port != self.world.gateway.port;
        self.expect(behind_nginx || answer.head.len() <= HEAD, || format!("a head of {} bytes: {}", answer.head.len(), shown(request)));
        let leaks = |bytes: &[u8]| bytes.windows(SECRET.len()).any(|part| part == SECRET.as_bytes());
        let asked_for = leaks(request);
        self.expect(asked_for || !leaks(answer.head.as_bytes()) && !leaks(&answer.body), || {
            format!("a secret: {}: {}", shown(request), around(&answer.text(), SECRET))
        });
        self.expect(!answer.text().contains("panicked"), || format!("a panic: {}", shown(request)));
    }

    /// Asks by GET.
    pub fn get(&self, target: &str) -> Option<Answer> {
        self.get_with(target, "")
    }

    /// Asks by GET, with more headers.
    pub fn get_with(&self, target: &str, headers: &str) -> Option<Answer> {
        self.ask(&http1::request("GET", target, self.port, headers))
    }

    /// Sends a body.
    pub fn post(&self, target: &str, media: &str, headers: &str, body: &[u8]) -> Option<Answer> {
        self.ask(&http1::post(target, self.port, media, headers, body))
    }

    /// Runs a script of the caller: by POST, as scripts may be long.
    pub fn script(&self, script: &str) -> Option<Answer> {
        self.script_with(script, "")
    }

    /// Runs a script of the caller, with more headers.
    pub fn script_with(&self, script: &str, headers: &str) -> Option<Answer> {
        self.post("/q", "application/x-www-form-urlencoded", headers, format!("s={}", http1::encoded(script)).as_bytes())
    }

    /// Does the same `times`, in `threads`, as long as there is time.
    pub fn crowd(&self, threads: usize, times: usize, one: impl Fn(usize) + Sync) {
        let next = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| {
                    while self.goes_on() {
                        let number = next.fetch_add(1, Ordering::Relaxed);
                        if number >= times {
                            return;
                        }
                        one(number);
                    }
                });
            }
        });
    }

    /// Expects an answer with one of the statuses.
    pub fn refused(&self, answer: Option<Answer>, statuses: &[u16], what: &str) {
        if let Some(answer) = answer {
            self.expect(statuses.contains(&answer.status), || format!("{what}: {}", answer.short()));
        }
    }
}

/// Returns the beginning of a request, for reports.
pub fn shown(request: &[u8]) -> String {
    String::from_utf8_lossy(&request[..request.len().min(160)]).replace("\r\n", " | ")
}

fn around(text: &str, part: &str) -> String {
    let at = text.find(part).unwrap_or(0);
    text.chars().skip(at.saturating_sub(80)).take(160).collect()
}

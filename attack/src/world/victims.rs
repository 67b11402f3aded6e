//! Good callers: what an attack costs those who did nothing.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::wire::http1::{self, Wire};

/// The longest wait for an answer. A later one is lost.
const PATIENCE: Duration = Duration::from_secs(10);

/// Requests of one connection.
const EACH: usize = 25;

/// Good callers at work.
#[derive(Debug)]
pub struct Victims {
    stop: Arc<AtomicBool>,
    asked: Arc<AtomicUsize>,
    threads: Vec<JoinHandle<Toll>>,
}

/// The price that good callers paid.
#[derive(Debug, Clone, Default)]
pub struct Toll {
    /// Times of answers, sorted.
    times: Vec<Duration>,
    /// Requests without a good answer.
    pub lost: Vec<String>,
}

impl Victims {
    /// Starts `count` callers of a port, who wait for `pause` between requests.
    pub fn start(port: u16, count: usize, pause: Duration) -> Victims {
        let (stop, asked) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
        let one = |number: usize| {
            let (stop, asked) = (stop.clone(), asked.clone());
            std::thread::spawn(move || caller(port, number * 1_000_000, pause, &stop, &asked))
        };
        let threads = (0..count).map(one).collect();
        Victims { stop, asked, threads }
    }

    /// Returns the number of requests so far.
    pub fn asked(&self) -> usize {
        self.asked.load(Ordering::Relaxed)
    }

    /// Stops the callers, and returns what they saw.
    pub fn end(self) -> Toll {
        self.stop.store(true, Ordering::Relaxed);
        let mut toll = Toll::default();
        for thread in self.threads {
            match thread.join() {
                Ok(seen) => {
                    toll.times.extend(seen.times);
                    toll.lost.extend(seen.lost);
                }
                Err(_) => toll.lost.push("a good caller panicked".to_owned()),
            }
        }
        toll.times.sort();
        toll
    }
}

impl Toll {
    /// Returns the time within which 99 of 100 answers came.
    pub fn p99(&self) -> Duration {
        self.times.get((self.times.len() * 99).div_ceil(100).saturating_sub(1)).copied().unwrap_or_default()
    }

    /// Returns the number of answers.
    pub fn answers(&self) -> usize {
        self.times.len()
    }
}

fn caller(port: u16, first: usize, pause: Duration, stop: &AtomicBool, asked: &AtomicUsize) -> Toll {
    let mut toll = Toll::default();
    let mut number = first;
    let mut wire: Option<Wire> = None;
    while !stop.load(Ordering::Relaxed) {
        number += 1;
        // A request of its own connection, now and then: new callers must get in, too.
        if number.is_multiple_of(EACH) {
            wire = None;
        }
        let started = Instant::now();
        let outcome = good(&mut wire, port, number);
        asked.fetch_add(1, Ordering::Relaxed);
        match outcome {
            Ok(()) => toll.times.push(started.elapsed()),
            Err(error) => {
                toll.lost.push(format!("request {number}: {error}"));
                wire = None;
            }
        }
        std::thread::sleep(pause);
    }
    toll
}

/// Asks for something that the service alone knows, so that no other answer looks right.
fn good(wire: &mut Option<Wire>, port: u16, number: usize) -> Result<(), String> {
    let wire = match wire {
        Some(wire) => wire,
        None => wire.insert(Wire::open(port)?),
    };
    wire.send(&http1::request("GET", &format!("/good/{number}"), port, ""), PATIENCE);
    let answer = wire.answer(false, PATIENCE)?;
    let expected = format!(r#"[{{"id":"{number}","name":"lamp"}}]"#);
    if answer.status == 200 && answer.text() == expected { Ok(()) } else { Err(answer.short()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_99th_of_100() {
        let toll = Toll { times: (1..=200).map(Duration::from_millis).collect(), lost: Vec::new() };
        assert_eq!((toll.p99(), toll.answers()), (Duration::from_millis(198), 200));
        assert_eq!(Toll::default().p99(), Duration::ZERO);
    }

    #[test]
    fn who_gets_no_answer_lost_a_request() {
        let listener = std::net::TcpListener::bind((std::net::Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let server = std::thread::spawn(move || drop(listener.accept()));
        let victims = Victims::start(port, 1, Duration::from_millis(1));
        server.join().unwrap();
        while victims.asked() < 2 {
            std::thread::sleep(Duration::from_millis(5));
        }
        let toll = victims.end();
        assert!(toll.answers() == 0 && toll.lost.len() >= 2);
    }
}

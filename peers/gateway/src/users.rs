//! Users who think between requests: a closed loop, as the published test had it (docs/spec/ql.md 16.6).

use std::time::{Duration, Instant};

use crate::http::Connection;
use crate::wrk::{CONNECTIONS, Seen};

/// How long users think, in seconds: mean and deviation of a normal distribution.
const THOUGHT: (f64, f64) = (0.9, 0.1);

/// Has 200 users ask for `path` until `time` is over. All of it in this thread.
pub async fn run(port: u16, path: &str, time: Duration) -> Seen {
    let end = Instant::now() + time;
    let users: Vec<_> = (0..CONNECTIONS).map(|number| tokio::task::spawn_local(user(number as u64, port, path.to_owned(), end))).collect();
    let start = Instant::now();
    let mut all = Log::default();
    for user in users {
        match user.await {
            Ok(log) => all.add(log),
            Err(_) => all.errors += 1,
        }
    }
    all.seen(start.elapsed().as_secs_f64())
}

#[derive(Default)]
struct Log {
    /// Microseconds.
    times: Vec<f64>,
    bytes: u64,
    errors: u64,
}

async fn user(number: u64, port: u16, path: String, end: Instant) -> Log {
    let mut log = Log::default();
    let mut draw = Draw(number.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    let mut connection = None;
    // They don't all begin at once.
    tokio::time::sleep(Duration::from_secs_f64(draw.uniform() * THOUGHT.0)).await;
    while Instant::now() < end {
        let start = Instant::now();
        let asked = async {
            if connection.is_none() {
                connection = Some(Connection::open(port, &path).await?);
            }
            connection.as_mut().expect("it was just opened").ask().await
        };
        match asked.await {
            Ok(reply) if reply.status == 200 => {
                log.times.push(start.elapsed().as_secs_f64() * 1e6);
                log.bytes += reply.body.len() as u64;
            }
            _ => {
                log.errors += 1;
                connection = None;
            }
        }
        tokio::time::sleep(Duration::from_secs_f64((THOUGHT.0 + THOUGHT.1 * draw.normal()).max(0.0))).await;
    }
    log
}

impl Log {
    fn add(&mut self, other: Log) {
        self.times.extend(other.times);
        self.bytes += other.bytes;
        self.errors += other.errors;
    }

    fn seen(mut self, seconds: f64) -> Seen {
        self.times.sort_by(f64::total_cmp);
        let count = self.times.len().max(1) as f64;
        let mean = self.times.iter().sum::<f64>() / count;
        let deviation = (self.times.iter().map(|time| (time - mean).powi(2)).sum::<f64>() / count).sqrt();
        let at = |share: f64| {
            self.times.get(((self.times.len() as f64 * share) as usize).min(self.times.len().saturating_sub(1))).copied().unwrap_or(0.0)
        };
        Seen {
            seconds,
            requests: self.times.len() as u64,
            bytes: self.bytes,
            errors: self.errors,
            mean,
            deviation,
            min: at(0.0),
            p50: at(0.5),
            p99: at(0.99),
            max: at(1.0),
        }
    }
}

/// Random numbers (xorshift64*), the same in each run.
struct Draw(u64);

impl Draw {
    fn uniform(&mut self) -> f64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Of mean 0 and deviation 1, by Box and Muller.
    fn normal(&mut self) -> f64 {
        let (one, other) = (1.0 - self.uniform(), self.uniform());
        (-2.0 * one.ln()).sqrt() * (std::f64::consts::TAU * other).cos()
    }
}

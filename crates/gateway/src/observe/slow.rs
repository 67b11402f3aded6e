//! The log of slow queries: one line of JSON for each script that took long, with its requests.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use http::{HeaderValue, Uri};
use polywire_ql::execute::{Made, StepRecord};
use serde::Serialize;

use super::lines::{self, Entry};
use crate::secrets::Secrets;

/// The most requests of a line, those that took longest.
const MOST: usize = 20;

/// A script that took long.
#[derive(Debug)]
pub struct SlowQuery {
    /// The time of its end.
    pub time: SystemTime,
    /// Id of the request.
    pub id: HeaderValue,
    /// Path of its route; none for a script of a caller.
    pub route: Option<Arc<str>>,
    /// SHA-256 of the script's text, in hexadecimal digits.
    pub script: String,
    /// The time that it took.
    pub elapsed: Duration,
    /// The time that it waited for its turn.
    pub waited: Duration,
    /// Code of its failure.
    pub failure: Option<String>,
    /// Line and record of each statement.
    pub statements: Vec<(u32, StepRecord)>,
    /// Requests to services.
    pub requests: Vec<Made>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Written<'a> {
    time: String,
    id: Option<&'a str>,
    route: Option<&'a str>,
    script: &'a str,
    duration_ms: f64,
    waited_ms: f64,
    failure: Option<&'a str>,
    statements: Vec<Statement>,
    requests: usize,
    slowest: Vec<Request<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Statement {
    line: u32,
    started_ms: f64,
    duration_ms: f64,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Request<'a> {
    table: &'a str,
    method: &'a str,
    uri: String,
    status: u16,
    duration_ms: f64,
    bytes: u64,
    cached: bool,
    retries: u32,
}

impl Entry for SlowQuery {
    const THREAD: &'static str = "slow-log";

    fn written(&self, secrets: &Secrets) -> impl Serialize {
        let mut made: Vec<&Made> = self.requests.iter().collect();
        made.sort_by_key(|made| std::cmp::Reverse(made.elapsed));
        made.truncate(MOST);
        let slowest = made.into_iter().map(|made| Request {
            table: &made.table,
            method: &made.method,
            uri: made.uri.parse::<Uri>().map_or_else(|_| secrets.show_beginning(&made.uri), |uri| secrets.show(&uri)),
            status: made.status,
            duration_ms: millis(made.elapsed),
            bytes: made.bytes_in,
            cached: made.cached,
            retries: made.retries,
        });
        let statements = self.statements.iter().filter(|(_, record)| !record.elapsed.is_zero());
        Written {
            time: lines::time(self.time),
            id: self.id.to_str().ok(),
            route: self.route.as_deref(),
            script: &self.script,
            duration_ms: millis(self.elapsed),
            waited_ms: millis(self.waited),
            failure: self.failure.as_deref(),
            statements: statements
                .map(|(line, record)| Statement { line: *line, started_ms: millis(record.started), duration_ms: millis(record.elapsed) })
                .collect(),
            requests: self.requests.len(),
            slowest: slowest.collect(),
        }
    }
}

fn millis(time: Duration) -> f64 {
    time.as_micros() as f64 / 1000.0
}

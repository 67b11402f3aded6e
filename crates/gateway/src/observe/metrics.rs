//! The metrics of a gateway in Prometheus' text format.
//!
//! Labels have few values: paths of routes as their scripts write them, never those of requests;
//! names of the folder's tables; methods that have names.

use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use http::{Method, StatusCode};
use polywire_hooks::Tally;
use prometheus::core::Collector;
use prometheus::proto::MetricFamily;
use prometheus::{HistogramOpts, HistogramVec, IntCounter, IntCounterVec, IntGauge, Opts, TextEncoder};

use super::counters::Counters;
use super::event::{Event, Observer};

/// Upper bounds of the durations' buckets, in seconds: from a cached answer's time to the default
/// deadline.
const BUCKETS: [f64; 16] = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0];

/// The media type of the text format.
pub const MEDIA_TYPE: &str = prometheus::TEXT_FORMAT;

/// The most callers with a label of their own: subjects of tokens are the issuer's to make.
const MOST_CALLERS: usize = 1000;

/// Stands for further callers.
const OTHERS: &str = "(others)";

/// A count of living things.
#[derive(Debug, Clone, Default)]
pub struct Gauge(Arc<AtomicU64>);

/// One of the things that a [`Gauge`] counts, for as long as it lives.
#[derive(Debug)]
pub struct Counted(Gauge);

impl Gauge {
    /// Counts one more.
    pub fn enter(&self) -> Counted {
        self.0.fetch_add(1, Ordering::Relaxed);
        Counted(self.clone())
    }

    /// Returns the count.
    pub fn value(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// An answer that was sent.
#[derive(Debug, Clone, Copy)]
pub struct Answered<'a> {
    /// Path of the route, as its script writes it.
    pub route: &'a str,
    /// Method of the request, if it could be read.
    pub method: Option<&'a Method>,
    /// Status of the answer.
    pub status: StatusCode,
    /// From the head of the request to the end of the answer.
    pub elapsed: Duration,
    /// Bytes of the answer's body, as sent.
    pub bytes: u64,
    /// True if parts of it are missing.
    pub partial: bool,
    /// Name of the caller, if it is known.
    pub caller: Option<&'a str>,
}

/// The metrics of a gateway. Counting costs some atomic operations.
pub struct Metrics {
    /// The beginning of counting.
    pub started: Instant,
    /// Counts of exchanges and cache.
    pub counters: Counters,
    /// Connections of callers that are open.
    pub connections: Gauge,
    /// WebSocket connections that are open.
    pub sockets: Gauge,
    requests: IntCounterVec,
    durations: HistogramVec,
    sent: IntCounter,
    partial: IntCounter,
    callers: IntCounterVec,
    /// Names of callers that have a label of their own.
    known: Mutex<HashSet<Box<str>>>,
    reloads: IntCounterVec,
    replies: IntCounterVec,
    reply_bytes: IntCounterVec,
    skipped: IntCounterVec,
    rpc: IntCounterVec,
}

/// Counts of other parts.
#[derive(Debug, Clone, Copy)]
pub struct Elsewhere<'a> {
    /// Calls of hooks.
    pub hooks: &'a Tally,
    /// Plans of callers' scripts that are kept.
    pub plans: u64,
    /// Hosts that are left alone, or tried by one request.
    pub circuits: u64,
    /// Tables and routes that are loaded.
    pub tables: usize,
    /// Routes that are loaded.
    pub routes: usize,
    /// Lines of logs that were not written; none without a log.
    pub log_dropped: Option<u64>,
}

impl Default for Metrics {
    fn default() -> Metrics {
        // The names are fixed, and their form is checked by every test that makes one.
        let valid = "a valid name";
        let vector = |name: &str, help: &str, labels: &[&str]| IntCounterVec::new(Opts::new(name, help), labels).expect(valid);
        let reloads = vector("polywire_reloads_total", "Reloads of the folder", &["outcome"]);
        for outcome in ["ok", "failed"] {
            reloads.with_label_values(&[outcome]);
        }
        let durations = HistogramOpts::new("polywire_request_duration_seconds", "From the head of a request to the end of its answer");
        Metrics {
            started: Instant::now(),
            counters: Counters::default(),
            connections: Gauge::default(),
            sockets: Gauge::default(),
            requests: vector("polywire_requests_total", "Requests answered", &["route", "method", "status"]),
            durations: HistogramVec::new(durations.buckets(BUCKETS.to_vec()), &["route"]).expect(valid),
            sent: IntCounter::new("polywire_sent_bytes_total", "Bytes of answers' bodies").expect(valid),
            partial: IntCounter::new(
                "polywire_partial_answers_total",
                "Answers that lack something, or have a fallback, since a request, statement or function failed",
            )
            .expect(valid),
            callers: vector("polywire_caller_requests_total", "Requests answered, of callers that are known", &["caller", "status"]),
            known: Mutex::default(),
            reloads,
            replies: vector(
                "polywire_table_requests_total",
                "Requests of statements, those from the cache included",
                &["table", "outcome"],
            ),
            reply_bytes: vector("polywire_table_bytes_total", "Bytes of replies, without content coding", &["table"]),
            skipped: vector("polywire_table_skipped_bytes_total", "Bytes of replies that were skipped", &["table"]),
            rpc: vector("polywire_table_rpc_total", "Replies of gRPC and Connect", &["table", "status"]),
        }
    }
}

impl Metrics {
    /// Counts an answer.
    pub fn answered(&self, answered: &Answered<'_>) {
        let class = match answered.status.as_u16() / 100 {
            1 => "1xx",
            2 => "2xx",
            3 => "3xx",
            4 => "4xx",
            _ => "5xx",
        };
        self.requests.with_label_values(&[answered.route, known(answered.method), class]).inc();
        if let Some(caller) = answered.caller {
            self.callers.with_label_values(&[self.label(caller), class]).inc();
        }
        self.durations.with_label_values(&[answered.route]).observe(answered.elapsed.as_secs_f64());
        self.sent.inc_by(answered.bytes);
        if answered.partial {
            self.partial.inc();
        }
    }

    /// Returns the label of a caller: its name, for the first thousand.
    fn label<'n>(&self, name: &'n str) -> &'n str {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.contains(name) || (known.len() < MOST_CALLERS && known.insert(name.into())) { name } else { OTHERS }
    }

    /// Counts that the folder was loaded again, or could not be.
    pub fn reloaded(&self, ok: bool) {
        self.reloads.with_label_values(&[if ok { "ok" } else { "failed" }]).inc();
    }

    /// Returns everything, in the text format.
    pub fn text(&self, elsewhere: &Elsewhere<'_>) -> String {
        let counts = self.counters.snapshot();
        let mut families = Vec::new();
        let vectors: [&dyn Collector; 10] = [
            &self.callers,
            &self.requests,
            &self.durations,
            &self.sent,
            &self.partial,
            &self.reloads,
            &self.replies,
            &self.reply_bytes,
            &self.skipped,
            &self.rpc,
        ];
        for vector in vectors {
            // The format has no place for a family without values.
            families.extend(vector.collect().into_iter().filter(|family| !family.get_metric().is_empty()));
        }
        for (name, help, value) in [
            (
                "polywire_backend_requests_total",
                "Requests sent to services; redirects and retries are requests of their own",
                counts.requests,
            ),
            ("polywire_backend_replies_total", "Whole replies of services", counts.replies),
            ("polywire_backend_failures_total", "Exchanges with services that ended without a reply", counts.failures),
            ("polywire_backend_refused_total", "Exchanges that the policy refused", counts.refused),
            ("polywire_backend_timeouts_total", "Exchanges that ended by a timeout or deadline", counts.timeouts),
            ("polywire_backend_left_alone_total", "Exchanges not tried during a back-off", counts.left_alone),
            ("polywire_backend_sent_bytes_total", "Bytes of bodies sent to services", counts.sent),
            ("polywire_backend_received_bytes_total", "Bytes of replies' bodies, as on the wire", counts.received),
            ("polywire_backend_decoded_bytes_total", "Bytes of replies' bodies, without content coding", counts.decoded),
            ("polywire_backend_skipped_bytes_total", "Bytes of replies that were skipped", counts.skipped),
            ("polywire_backend_retries_total", "Retries", counts.retries),
            ("polywire_backend_redirects_total", "Redirects followed", counts.redirects),
            ("polywire_backend_backoffs_total", "Back-offs begun", counts.backoffs),
            ("polywire_backend_circuits_total", "Pauses of hosts that mostly failed, begun", counts.circuits),
            ("polywire_backend_shared_total", "Requests answered by the reply to an equal one of the same script", counts.shared),
            ("polywire_backend_pages_total", "Pages asked for, of rows that come in pages", counts.pages),
            ("polywire_backend_batches_total", "Requests for several values at once", counts.batches),
            ("polywire_backend_batched_values_total", "Values that such requests asked for", counts.batched_values),
            ("polywire_backend_connections_total", "Connections to services opened", counts.connected),
            ("polywire_cache_hits_total", "Replies from the cache", counts.cache_hits),
            ("polywire_cache_misses_total", "Replies that the cache did not have", counts.cache_misses),
            ("polywire_cache_stored_total", "Replies put into the cache", counts.cache_stored),
            ("polywire_cache_shared_total", "Replies shared by simultaneous callers", counts.cache_shared),
            ("polywire_cache_failures_total", "Failures of the cache", counts.cache_failures),
            ("polywire_hook_calls_total", "Calls of hooks, functions and templates", elsewhere.hooks.calls()),
            ("polywire_hook_failures_total", "Calls of hooks, functions and templates that failed", elsewhere.hooks.failures()),
        ] {
            counter(name, help, value, &mut families);
        }
        if let Some(dropped) = elsewhere.log_dropped {
            counter("polywire_access_log_dropped_total", "Lines of logs that were not written", dropped, &mut families);
        }
        for (name, help, value) in [
            ("polywire_connections", "Connections of callers that are open", self.connections.value()),
            ("polywire_sockets", "WebSocket connections that are open", self.sockets.value()),
            ("polywire_backend_connections", "Connections to services that are open", counts.open()),
            ("polywire_backend_circuits_open", "Hosts that are left alone, or tried by one request", elsewhere.circuits),
            ("polywire_plans", "Plans of callers' scripts that are kept", elsewhere.plans),
            ("polywire_tables", "Tables loaded", elsewhere.tables as u64),
            ("polywire_routes", "Routes loaded", elsewhere.routes as u64),
        ] {
            gauge(Opts::new(name, help), value, &mut families);
        }
        let build =
            Opts::new("polywire_build_info", "The program; its version is a label").const_label("version", env!("CARGO_PKG_VERSION"));
        gauge(build, 1, &mut families);
        // Encoding fails for families without names or values only.
        TextEncoder::new().encode_to_string(&families).unwrap_or_default()
    }
}

/// Returns a method as a label: one for all that a caller may invent.
fn known(method: Option<&Method>) -> &str {
    match method {
        Some(method @ &(Method::GET | Method::POST | Method::PUT | Method::DELETE | Method::PATCH | Method::HEAD | Method::OPTIONS)) => {
            method.as_str()
        }
        _ => "other",
    }
}

fn counter(name: &str, help: &str, value: u64, families: &mut Vec<MetricFamily>) {
    if let Ok(counter) = IntCounter::new(name, help) {
        counter.inc_by(value);
        families.extend(counter.collect());
    }
}

fn gauge(options: Opts, value: u64, families: &mut Vec<MetricFamily>) {
    if let Ok(gauge) = IntGauge::with_opts(options) {
        gauge.set(i64::try_from(value).unwrap_or(i64::MAX));
        families.extend(gauge.collect());
    }
}

impl Observer for Metrics {
    fn event(&self, event: Event<'_>) {
        self.counters.event(event);
        match event {
            Event::Decoded { table, bytes, skipped, failed } => {
                self.replies.with_label_values(&[table, if failed { "failed" } else { "ok" }]).inc();
                self.reply_bytes.with_label_values(&[table]).inc_by(bytes);
                self.skipped.with_label_values(&[table]).inc_by(skipped);
            }
            Event::Rpc { table, status } => self.rpc.with_label_values(&[table, status]).inc(),
            _ => {}
        }
    }
}

//! The client: sends requests by all the rules, and returns whole replies.

use std::error::Error as _;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;

use bytes::Bytes;
use foldhash::HashMap;
use http::header::{AUTHORIZATION, CONNECTION, CONTENT_ENCODING, CONTENT_LENGTH, PROXY_AUTHORIZATION, TE, TRANSFER_ENCODING};
use http::uri::{Authority, PathAndQuery};
use http::{HeaderMap, HeaderValue, Method, StatusCode, Uri};
use http_body_util::Full;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use rustls::{ClientConfig, RootCertStore};
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::Instant;
use tracing::Instrument;

use super::backoff::BackOff;
use super::basic::basic;
use super::body::{Broken, Whole, collect};
use super::bounds::Bounds;
use super::breaker::{Breakers, Outcome};
use super::certificates::certificates;
use super::coding;
use super::connect::{Connector, Resolve, Rules, System, Unresolved};
use super::error::{Error, ErrorKind};
use super::headers;
use super::message::{IDLE, Request, Response, Timings};
use super::options::Options;
use super::policy::{Policy, Refusal};
use super::retry::Retries;
use super::tape::{self, Tape};
use super::watch::{Late, Watch};
use super::{redirect, span};
use polywire_ql::memory::Pool as Memory;

use crate::aside::LONG;
use crate::observe::{Event, Observer, Silent, trace};
use crate::room::{Room, Stopped, kept};
use crate::secrets::{Secrets, host_and_port};

type Pool = legacy::Client<HttpsConnector<Connector>, Full<Bytes>>;

/// The most bytes of one read, reached by connections with long replies: a reply in one read need
/// not be put together. It is also the longest head of a reply.
const BUFFER: usize = 32 << 10;

/// The longest list of headers in HTTP/2, as it counts them (RFC 9113 6.5.2).
const HEADER_LIST: u32 = 64 << 10;

/// The window of an HTTP/2 stream, in bytes: a reply of common size comes without a pause.
const STREAM_WINDOW: u32 = 1 << 20;

/// The most idle hosts whose limits are remembered.
const IDLE_HOSTS: usize = 1024;

/// Sends requests. Cheap to clone; clones share connections, limits and back-off. Needs a tokio
/// runtime with I/O and time.
#[derive(Clone)]
pub struct Client(Arc<Inner>);

struct Inner {
    /// HTTP/1.1, and HTTP/2 where TLS negotiates it.
    pool: Pool,
    /// HTTP/2 without TLS.
    prior: Pool,
    options: Options,
    rules: Arc<Rules>,
    secrets: Secrets,
    backoff: BackOff,
    breakers: Arc<Breakers>,
    retries: Retries,
    gates: Gates,
    tape: Tape,
    room: Room,
}

/// The parts of a client beside its options.
#[derive(Default)]
pub struct Parts {
    /// The hosts that may be called; see [`Options::policy`].
    pub policy: Policy,
    /// The observer of its events.
    pub observer: Option<Arc<dyn Observer>>,
    /// The resolver of names; none = that of the operating system.
    pub resolver: Option<Arc<dyn Resolve>>,
    /// The place where exchanges are kept or come from.
    pub tape: Tape,
    /// The memory of replies; none = no bound beside that of each.
    pub memory: Option<Memory>,
}

impl Client {
    /// Makes a client. The error names the invalid option.
    pub fn new(options: Options, parts: Parts) -> Result<Client, String> {
        let rules = Arc::new(Rules {
            policy: RwLock::new(Arc::new(parts.policy)),
            proxies: options.proxy.clone(),
            resolver: parts.resolver.unwrap_or_else(|| Arc::new(System)),
            connect_timeout: options.connect_timeout,
            observer: parts.observer.unwrap_or_else(|| Arc::new(Silent)),
        });
        let connector = HttpsConnectorBuilder::new()
            .with_tls_config(tls(&options)?)
            .https_or_http()
            .enable_http1()
            .enable_http2()
            .wrap_connector(Connector(rules.clone()));
        let mut builder = legacy::Client::builder(TokioExecutor::new());
        builder
            .pool_timer(TokioTimer::new())
            .timer(TokioTimer::new())
            .pool_idle_timeout(options.keep_alive)
            .pool_max_idle_per_host(options.connections_per_host)
            .http1_max_buf_size(BUFFER)
            .http2_max_header_list_size(HEADER_LIST)
            .http2_initial_stream_window_size(STREAM_WINDOW)
            .http2_initial_connection_window_size(4 * STREAM_WINDOW);
        let pool = builder.build(connector.clone());
        let prior = builder.http2_only(true).build(connector);
        let secrets = options.secrets();
        let gates = Gates { open: Mutex::default(), width: options.connections_per_host.clamp(1, Semaphore::MAX_PERMITS) };
        Ok(Client(Arc::new(Inner {
            pool,
            prior,
            rules,
            secrets,
            backoff: BackOff::default(),
            breakers: Breakers::new(options.breaker),
            retries: Retries::new(options.retry.clone()),
            gates,
            tape: parts.tape,
            room: Room::new(parts.memory.unwrap_or_else(|| Memory::new(u64::MAX))),
            options,
        })))
    }

    /// Replaces the policy, after tables were loaded again. Exchanges in flight go on.
    pub fn set_policy(&self, policy: Policy) {
        *self.0.rules.policy.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(policy);
    }

    /// Returns the number of hosts that are left alone, or tried by one request.
    pub fn open_circuits(&self) -> usize {
        self.0.breakers.troubled()
    }

    /// Returns the names of secrets.
    pub fn secrets(&self) -> &Secrets {
        &self.0.secrets
    }

    /// Sends a request and returns the reply, whatever its status.
    pub async fn send(&self, request: &Request, bounds: &Bounds) -> Result<Response, Error> {
        let span = span::open(request, &self.0.secrets);
        let outcome = self.exchange(request, bounds).instrument(span.clone()).await;
        span::record(&span, &outcome);
        outcome
    }

    async fn exchange(&self, request: &Request, bounds: &Bounds) -> Result<Response, Error> {
        let inner = &*self.0;
        let mut retries = 0;
        let outcome = match &inner.tape {
            Tape::Off => inner.exchange(request, bounds, &mut retries).await,
            // Rare cases are boxed, so that they don't make each exchange larger.
            Tape::Replay(directory) => Box::pin(tape::replay(directory, request, &inner.secrets)).await.map_err(|kind| (kind, None)),
            Tape::Record(directory) => Box::pin(inner.exchange_and_record(request, bounds, directory, &mut retries)).await,
        };
        match outcome {
            Ok(mut response) => {
                response.retries = retries;
                response.uri = without_user(&response.uri).0.unwrap_or(response.uri);
                inner.rules.observer.event(Event::Reply {
                    host: response.uri.host().unwrap_or_default(),
                    status: response.status.as_u16(),
                    received: response.received,
                    decoded: response.body.len() as u64,
                    elapsed: response.timings.total,
                });
                Ok(response)
            }
            Err((kind, uri)) => {
                let error = Error::new(kind, inner.secrets.show(uri.as_ref().unwrap_or(&request.uri))).retried(retries);
                inner.rules.observer.event(Event::Failed(error.class()));
                Err(error)
            }
        }
    }
}

/// The error, and its URI if that differs from the request's.
type Failed = (ErrorKind, Option<Uri>);

impl Inner {
    async fn exchange_and_record(
        &self,
        request: &Request,
        bounds: &Bounds,
        directory: &Path,
        retries: &mut u32,
    ) -> Result<Response, Failed> {
        let response = self.exchange(request, bounds, retries).await?;
        tape::record(directory, request, &response, &self.secrets).await.map_err(|kind| (kind, None))?;
        Ok(response)
    }

    async fn exchange(&self, request: &Request, bounds: &Bounds, retries: &mut u32) -> Result<Response, Failed> {
        let here = |kind: ErrorKind| (kind, None);
        let start = Instant::now();
        self.rules.policy().check(&request.uri).map_err(|refusal| here(ErrorKind::Refused(refusal)))?;
        self.backoff.check(&request.uri, &request.table).map_err(here)?;
        let pass = self.breakers.check(&request.uri).map_err(here)?;
        self.retries.asked();
        let overall = request.overall.and_then(|overall| start.checked_add(overall));
        let deadline = [bounds.deadline, overall].into_iter().flatten().min();
        let _turn = room(&bounds.parallel, deadline).await.map_err(here)?;
        let waited = start.elapsed();
        let mut outcome = self.attempt(request, deadline, waited).await;
        if request.repeatable && outcome.as_ref().is_err_and(|(kind, _)| kind.is_network()) {
            self.rules.observer.event(Event::Retried);
            *retries += 1;
            outcome = Box::pin(self.attempt(request, deadline, waited)).await;
        }
        let mut again = 0;
        while request.repeatable
            && request.method.is_idempotent()
            && let Ok(response) = &outcome
            && let Some(wait) = self.retries.wait(response.status, &response.headers, again)
            && deadline.is_none_or(|deadline| Instant::now() + wait < deadline)
        {
            tokio::time::sleep(wait).await;
            self.rules.observer.event(Event::Retried);
            *retries += 1;
            again += 1;
            outcome = Box::pin(self.attempt(request, deadline, waited)).await;
        }
        if pass.ended(judged(&outcome)) {
            self.rules.observer.event(Event::CircuitOpened);
        }
        match &mut outcome {
            Ok(response) => {
                response.timings.total = start.elapsed();
                self.backoff.succeeded(&request.uri, &request.table);
            }
            Err((kind, _)) if kind.is_network() && self.backoff.failed(&request.uri, &request.table, request.delays) => {
                self.rules.observer.event(Event::BackOff);
            }
            Err(_) => {}
        }
        outcome
    }

    /// Makes one attempt, through all redirects, after having `waited`.
    async fn attempt(&self, request: &Request, deadline: Option<Instant>, mut waited: Duration) -> Result<Response, Failed> {
        let mut headers = request.headers.clone();
        // The length is that of the body, whatever the table says (ql-D12).
        headers.remove(CONTENT_LENGTH);
        headers.remove(TRANSFER_ENCODING);
        self.secrets.mark(&mut headers);
        trace::pass_on(&mut headers);
        let mut uri = request.uri.clone();
        for _ in 0..=redirect::MOST {
            let (plain, credentials) = without_user(&uri);
            uri = plain.unwrap_or(uri);
            if let Some(credentials) = credentials {
                headers.entry(AUTHORIZATION).or_insert(credentials);
            }
            let at = |kind: ErrorKind| (kind, Some(uri.clone()));
            let gate = self.gates.of(&uri);
            let before = Instant::now();
            let pass = room(&gate, deadline).await.map_err(at)?;
            waited += before.elapsed();
            let mut watch = Watch::new(Some(request.idle), deadline);
            let sent = if redirect::may_follow(&request.method) { headers.clone() } else { std::mem::take(&mut headers) };
            let mut response = self.hop(request, &uri, sent, &mut watch).await.map_err(at)?;
            if gate.available_permits() == 0 {
                // Lets the connection return to the pool before the next exchange looks for it
                // there.
                tokio::task::yield_now().await;
            }
            drop(pass);
            let next = redirect::next(&request.method, &uri, response.status, &response.headers);
            let Some(next) = next.map_err(|reason| at(ErrorKind::Redirect { reason }))? else {
                let limit = self.options.max_decoded_length.unwrap_or(self.options.max_response_length);
                let coded = response.headers.contains_key(CONTENT_ENCODING);
                response.body = coding::decode(&mut response.headers, response.body, limit, LONG).await.map_err(at)?;
                if coded {
                    response.body = self.room.keep(response.body).map_err(|_| at(ErrorKind::Full))?;
                }
                response.timings.waited = waited;
                return Ok(response);
            };
            self.rules.policy().check(&next).map_err(|refusal| (ErrorKind::Refused(refusal), Some(next.clone())))?;
            redirect::strip(&mut headers, &uri, &next, &self.secrets);
            self.rules.observer.event(Event::Redirected);
            uri = next;
        }
        Err((ErrorKind::Redirect { reason: format!("more than {} redirects", redirect::MOST) }, Some(uri)))
    }

    /// Makes one exchange, without redirects.
    async fn hop(&self, request: &Request, uri: &Uri, headers: HeaderMap, watch: &mut Watch) -> Result<Response, ErrorKind> {
        let mut message = http::Request::new(Full::new(request.body.clone()));
        *message.method_mut() = request.method.clone();
        *message.uri_mut() = uri.clone();
        *message.headers_mut() = headers;
        // RFC 9110 8.6: a method that anticipates a body says that there is none.
        if request.body.is_empty() && [Method::POST, Method::PUT, Method::PATCH].contains(&request.method) {
            message.headers_mut().insert(CONTENT_LENGTH, HeaderValue::from_static("0"));
        }
        let host = uri.host().unwrap_or_default();
        self.rules.observer.event(Event::Request { host, sent: request.body.len() as u64 });
        if !self.rules.proxies.is_empty()
            && uri.scheme_str() == Some("http")
            && let Some(credentials) = self.rules.proxies.of(&host.to_ascii_lowercase()).and_then(|proxy| proxy.credentials.clone())
        {
            message.headers_mut().insert(PROXY_AUTHORIZATION, credentials);
        }
        headers::ask_for_trailers(message.headers_mut());
        let prior = uri.scheme_str() == Some("http") && self.options.http2_hosts.iter().any(|name| name == host);
        if uri.scheme_str() == Some("http") && !prior && message.headers().contains_key(TE) {
            // RFC 9110 10.1.4: HTTP/1.1 alone names it as the connection's.
            message.headers_mut().append(CONNECTION, HeaderValue::from_static("te"));
        }
        let pool = if prior { &self.prior } else { &self.pool };
        let start = Instant::now();
        let reply = watch.wait(pool.request(message)).await.map_err(late)?.map_err(|error| classify(&error))?;
        let head = start.elapsed();
        let (mut parts, body) = reply.into_parts();
        let share = self.room.share();
        let Whole { bytes: body, trailers } =
            collect(self.room.body(body, &share), self.options.max_response_length, watch).await.map_err(|broken| match broken {
                Broken::Error(kind) => kind,
                Broken::Late(why) => late(why),
                Broken::Transport { error: Stopped::Full, .. } => ErrorKind::Full,
                Broken::Transport { error: Stopped::Transport(error), received, expected } => cut_short(&error, received, expected),
            })?;
        headers::add_trailers(&mut parts.headers, trailers);
        Ok(Response {
            status: parts.status,
            headers: parts.headers,
            uri: uri.clone(),
            received: body.len() as u64,
            body: kept(body, share),
            retries: 0,
            timings: Timings { head, ..Timings::default() },
        })
    }
}

/// Returns what an exchange says of its host.
fn judged(outcome: &Result<Response, Failed>) -> Outcome {
    match outcome {
        Ok(response) => match response.status {
            StatusCode::BAD_GATEWAY | StatusCode::SERVICE_UNAVAILABLE | StatusCode::GATEWAY_TIMEOUT => Outcome::Failed,
            _ => Outcome::Well,
        },
        // A statement may ask for less patience than any host deserves.
        Err((ErrorKind::Timeout { idle }, _)) if *idle < IDLE => Outcome::Unknown,
        Err((kind, _)) if kind.is_network() => Outcome::Failed,
        Err(_) => Outcome::Unknown,
    }
}

/// Returns room for an exchange: at once where there is some, else before the deadline.
async fn room(places: &Semaphore, deadline: Option<Instant>) -> Result<SemaphorePermit<'_>, ErrorKind> {
    if let Ok(permit) = places.try_acquire() {
        return Ok(permit);
    }
    // Semaphores of this module are never closed.
    Watch::new(None, deadline).wait(places.acquire()).await.map_err(late)?.map_err(|_| ErrorKind::Deadline)
}

fn late(late: Late) -> ErrorKind {
    match late {
        Late::Idle(idle) => ErrorKind::Timeout { idle },
        Late::Deadline => ErrorKind::Deadline,
    }
}

/// The exchanges of each host, limited.
struct Gates {
    open: Mutex<HashMap<Authority, Arc<Semaphore>>>,
    width: usize,
}

impl Gates {
    fn of(&self, uri: &Uri) -> Arc<Semaphore> {
        let Some(authority) = uri.authority() else { return Arc::new(Semaphore::new(self.width)) };
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(gate) = open.get(authority) {
            return gate.clone();
        }
        if open.len() >= IDLE_HOSTS {
            open.retain(|_, gate| Arc::strong_count(gate) > 1);
        }
        open.entry(authority.clone()).or_insert_with(|| Arc::new(Semaphore::new(self.width))).clone()
    }
}

/// Returns the URI without its user information, if it has any, and that as a header (RFC 7617).
fn without_user(uri: &Uri) -> (Option<Uri>, Option<HeaderValue>) {
    let Some((user, _)) = uri.authority().and_then(|authority| authority.as_str().rsplit_once('@')) else { return (None, None) };
    let authority = uri.authority().map_or("", |authority| host_and_port(authority.as_str()));
    let plain = Uri::builder()
        .scheme(uri.scheme_str().unwrap_or_default())
        .authority(authority)
        .path_and_query(uri.path_and_query().map_or("/", PathAndQuery::as_str))
        .build();
    let (user, password) = user.split_once(':').unwrap_or((user, ""));
    let decoded = |text: &str| percent_encoding::percent_decode_str(text).collect::<Vec<u8>>();
    (plain.ok(), basic(&decoded(user), &decoded(password)))
}

fn tls(options: &Options) -> Result<ClientConfig, String> {
    let mut roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    let of_file = options.root_certificates.as_deref().map(certificates).transpose()?;
    for certificate in options.roots.iter().cloned().chain(of_file.into_iter().flatten()) {
        roots.add(certificate).map_err(|error| format!("a certificate to trust cannot be used: {error}"))?;
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let builder = builder.map_err(|error| error.to_string())?.with_root_certificates(roots);
    match &options.client_certificate {
        None => Ok(builder.with_no_client_auth()),
        Some(identity) => {
            let (chain, key) = identity.read()?;
            let config = builder.with_client_auth_cert(chain, key);
            config.map_err(|error| format!("{}: {error}", identity.certificate.display()))
        }
    }
}

/// Returns the kind of a pool's error.
fn classify(error: &legacy::Error) -> ErrorKind {
    let mut cause: Option<&(dyn std::error::Error + 'static)> = error.source();
    let mut last = None;
    while let Some(this) = cause {
        if let Some(refusal) = this.downcast_ref::<Refusal>() {
            return ErrorKind::Refused(refusal.clone());
        }
        if let Some(Unresolved(reason)) = this.downcast_ref::<Unresolved>() {
            return ErrorKind::Resolve { reason: reason.clone() };
        }
        if let Some(tls) = this.downcast_ref::<rustls::Error>() {
            return ErrorKind::Tls { reason: tls.to_string() };
        }
        if let Some(hyper) = this.downcast_ref::<hyper::Error>() {
            if hyper.is_incomplete_message() || hyper.is_canceled() || hyper.is_closed() {
                return ErrorKind::Closed { received: None, expected: None };
            }
            if hyper.is_parse() {
                return ErrorKind::Protocol { reason: hyper.to_string() };
            }
            if hyper.is_user() {
                return ErrorKind::Request { reason: hyper.to_string() };
            }
        }
        if let Some(failure) = this.downcast_ref::<io::Error>() {
            if let Some(tls) = tls_error(failure) {
                return ErrorKind::Tls { reason: tls.to_string() };
            }
            return if error.is_connect() {
                ErrorKind::Connect { code: code(failure.kind()), reason: failure.to_string() }
            } else {
                ErrorKind::Closed { received: None, expected: None }
            };
        }
        last = Some(this);
        cause = this.source();
    }
    let reason = last.map_or_else(|| error.to_string(), ToString::to_string);
    if error.is_connect() { ErrorKind::Connect { code: "ECONNREFUSED", reason } } else { ErrorKind::Protocol { reason } }
}

/// Returns the TLS error in an I/O error: `source` steps over what an `io::Error` holds.
fn tls_error(failure: &io::Error) -> Option<&rustls::Error> {
    let inner = failure.get_ref()?;
    inner.downcast_ref().or_else(|| tls_error(inner.downcast_ref()?))
}

/// Returns the name by which callers of the gateway know a system error.
fn code(kind: io::ErrorKind) -> &'static str {
    match kind {
        io::ErrorKind::TimedOut => "ETIMEDOUT",
        io::ErrorKind::ConnectionReset => "ECONNRESET",
        io::ErrorKind::HostUnreachable => "EHOSTUNREACH",
        io::ErrorKind::NetworkUnreachable => "ENETUNREACH",
        io::ErrorKind::AddrNotAvailable => "EADDRNOTAVAIL",
        _ => "ECONNREFUSED",
    }
}

/// Returns the kind of an error in the middle of a body.
fn cut_short(error: &hyper::Error, received: u64, expected: Option<u64>) -> ErrorKind {
    let cause = error.source().and_then(|cause| cause.downcast_ref::<io::Error>()).map(io::Error::kind);
    match cause {
        Some(io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput) => {
            ErrorKind::Protocol { reason: error.source().map_or_else(|| error.to_string(), ToString::to_string) }
        }
        Some(_) => ErrorKind::Closed { received: Some(received), expected },
        None if error.is_incomplete_message() || error.is_closed() || error.is_canceled() => {
            ErrorKind::Closed { received: Some(received), expected }
        }
        None => ErrorKind::Protocol { reason: error.to_string() },
    }
}

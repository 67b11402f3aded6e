//! Scripts over WebSocket, subprotocol `ql.io-console` (docs/spec/ql.md 12.2): events as they
//! happen, and statements step by step.
//!
//! A connection runs its scripts one after the other. Its messages are bounded in length and
//! number, and so is its queue. The rules for scripts of callers hold, and a page of another origin
//! is refused, since browsers let it connect.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use axum::extract::ws::{CloseFrame, Message, WebSocket, WebSocketUpgrade, close_code};
use axum::extract::{FromRequestParts, Request};
use axum::response::{IntoResponse, Response};
use futures_util::future::BoxFuture;
use futures_util::{FutureExt, SinkExt, StreamExt};
use http::header::{CONTENT_TYPE, SEC_WEBSOCKET_PROTOCOL, UPGRADE};
use http::request::Parts;
use polywire_doc::{Datum, Object};
use polywire_ql::error::QueryError;
use polywire_ql::observe::{Event, Observer};
use serde::Deserialize;
use serde_json::Value;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::{Instant, interval_at, sleep_until, timeout};

use super::caller::{By, Caller};
use super::callers::{self, Admitted};
use super::events::{DebugSteps, Feed, Interest, Packets, packet};
use super::execute::{Executed, deadline, execute};
use super::gateway::Gateway;
use super::{admission, answer, explained, guard, persisted};
use crate::decode::{Content, data_type};
use crate::observe::Counted;

/// The subprotocol.
const PROTOCOL: &str = "ql.io-console";

/// Prefix of a token among the subprotocols: pages cannot send a header.
const TOKEN: &str = "bearer.";

/// The longest message of a client: a script, and its JSON syntax.
const MESSAGE: usize = 2 << 20;

/// The most scripts of a connection that wait for their turn.
const WAITING: usize = 16;

/// The most bytes of events that wait to be sent; more are left out, with a warning.
const OUTGOING: usize = 16 << 20;

/// The time after which a silent connection, on which nothing runs, is closed (docs/spec/ql.md 13).
const IDLE: Duration = Duration::from_secs(300);

/// The longest time for a client to take a message.
const PATIENCE: Duration = Duration::from_secs(30);

/// The longest time for a script that runs step by step (docs/spec/ql.md 12.2).
const DEBUGGED: Duration = Duration::from_secs(30 * 60);

/// The interval of `ql.io-heart-beat` (docs/spec/ql.md 14).
const HEART_BEAT: Duration = Duration::from_secs(60);

/// Prefix of a script that runs step by step.
const STEPWISE: &str = "__debug__";

/// Returns true if a request wants a WebSocket connection, at whatever path.
pub(super) fn is_asked_for(request: &Request) -> bool {
    request.method() == http::Method::GET
        && request.headers().get(UPGRADE).is_some_and(|value| value.as_bytes().eq_ignore_ascii_case(b"websocket"))
}

/// Answers a request for a WebSocket connection.
pub(super) async fn open(gateway: Arc<Gateway>, request: Request) -> Response {
    let (mut parts, _) = request.into_parts();
    let known = match callers::admit(&gateway, &mut parts).await {
        Ok(known) => known,
        Err(response) => return *response,
    };
    let mut caller = match admitted(&gateway, &parts, &known) {
        Ok(token) => Caller { token, by: By::Script, ..Caller::new(&parts, Content::default(), gateway.id_header()) },
        Err(failure) => return answer::of_failure(&failure),
    };
    // The headers may hold the token.
    if let Datum::Object(headers) = &mut caller.request.headers {
        let kept = headers.iter().filter(|(name, _)| !name.starts_with("sec-websocket-"));
        let kept: Object = kept.map(|(name, value)| (name.clone(), value.clone())).collect();
        caller.request.headers = Datum::from(kept);
    }
    let Ok(place) = gateway.sockets().clone().try_acquire_owned() else {
        let failure = QueryError::new("too_many_sockets", "the limit of open WebSocket connections is reached").status(503);
        return answer::of_failure(&failure.hint("try again later, or raise `sockets` in config.json"));
    };
    let upgrade = match WebSocketUpgrade::from_request_parts(&mut parts, &()).await {
        Ok(upgrade) => upgrade,
        Err(rejection) => return rejection.into_response(),
    };
    let counted = gateway.metrics().sockets.enter();
    upgrade.protocols([PROTOCOL]).max_message_size(MESSAGE).max_frame_size(MESSAGE).on_upgrade(|socket| async move {
        Talk::new(gateway, caller, counted).hold(socket).await;
        drop(place);
    })
}

/// Returns the token of a request that may send scripts.
fn admitted(gateway: &Gateway, parts: &Parts, known: &Admitted) -> Result<Option<String>, QueryError> {
    let headers = &parts.headers;
    if !gateway.has_console() {
        let failure = QueryError::new("console_off", "this gateway has no console").status(403);
        return Err(failure.hint("send scripts to /q, or start it without --disable-console"));
    }
    let offered = headers.get_all(SEC_WEBSOCKET_PROTOCOL).iter().filter_map(|value| value.to_str().ok());
    let offered: Vec<&str> = offered.flat_map(|list| list.split(',')).map(str::trim).collect();
    if !offered.contains(&PROTOCOL) {
        return Err(QueryError::new("no_subprotocol", format!("a WebSocket connection here speaks the subprotocol {PROTOCOL}")));
    }
    let directory = gateway.directory();
    guard::own_site(&directory, &parts.uri, headers, "send scripts")?;
    let token = admission::shown(headers).or_else(|| offered.iter().find_map(|name| name.strip_prefix(TOKEN)));
    admission::admitted(gateway, &directory, token, &known.identity)?;
    Ok(token.map(str::to_owned))
}

/// A message of a client.
#[derive(Debug, Deserialize)]
struct Said {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    data: Value,
    #[serde(rename = "emitterID")]
    emitter: Option<u64>,
    id: Option<u64>,
}

/// Packets that wait to be sent.
#[derive(Clone)]
struct Outbox {
    sender: UnboundedSender<Vec<u8>>,
    waiting: Arc<AtomicUsize>,
    left_out: Arc<AtomicU64>,
}

impl Outbox {
    fn new() -> (Outbox, UnboundedReceiver<Vec<u8>>) {
        let (sender, receiver) = unbounded_channel();
        (Outbox { sender, waiting: Arc::default(), left_out: Arc::default() }, receiver)
    }

    /// Queues a packet that is never left out.
    fn push(&self, packet: Vec<u8>) {
        self.waiting.fetch_add(packet.len(), Ordering::Relaxed);
        // The receiver is gone if the connection is.
        let _ = self.sender.send(packet);
    }

    fn sent(&self, packet: &[u8]) {
        self.waiting.fetch_sub(packet.len(), Ordering::Relaxed);
    }

    /// Sends a warning with the number of events left out, if there are any.
    fn confess(&self) {
        let count = self.left_out.swap(0, Ordering::Relaxed);
        if count > 0 {
            let message = format!("{count} events were left out, since the client takes them too slowly");
            self.push(packet("ql.io-warning", Datum::object([("message", Datum::text(message))])));
        }
    }
}

impl Packets for Outbox {
    fn take(&self, packet: Vec<u8>) {
        if self.waiting.load(Ordering::Relaxed) + packet.len() > OUTGOING {
            self.left_out.fetch_add(1, Ordering::Relaxed);
        } else {
            self.push(packet);
        }
    }
}

/// A script that runs.
struct Running {
    script: BoxFuture<'static, ()>,
    steps: Arc<DebugSteps>,
}

/// One connection.
struct Talk {
    gateway: Arc<Gateway>,
    caller: Arc<Caller>,
    interest: Interest,
    outbox: Outbox,
    outgoing: UnboundedReceiver<Vec<u8>>,
    waiting: VecDeque<String>,
    running: Option<Running>,
    /// The number of scripts so far: clients name a script by its number.
    scripts: u64,
    _counted: Counted,
}

impl Talk {
    fn new(gateway: Arc<Gateway>, caller: Caller, counted: Counted) -> Talk {
        let (outbox, outgoing) = Outbox::new();
        Talk {
            gateway,
            caller: Arc::new(caller),
            interest: Interest::default(),
            outbox,
            outgoing,
            waiting: VecDeque::new(),
            running: None,
            scripts: 0,
            _counted: counted,
        }
    }

    /// Serves the connection until either side closes it.
    async fn hold(mut self, socket: WebSocket) {
        let (mut out, mut input) = socket.split();
        let mut beats = interval_at(Instant::now() + HEART_BEAT, HEART_BEAT);
        let mut heard = Instant::now();
        let why = loop {
            let idle = self.waiting.is_empty() && self.running.is_none();
            let running = async {
                match &mut self.running {
                    Some(running) => running.script.as_mut().await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                biased;
                Some(packet) = self.outgoing.recv() => {
                    self.outbox.sent(&packet);
                    // Packets are JSON that the gateway wrote.
                    let text = String::from_utf8(packet).unwrap_or_default();
                    if !matches!(timeout(PATIENCE, out.send(Message::Text(text.into()))).await, Ok(Ok(()))) {
                        return;
                    }
                }
                message = input.next() => {
                    heard = Instant::now();
                    match message {
                        Some(Ok(Message::Text(text))) => {
                            if let Err(why) = self.hear(&text) {
                                break why;
                            }
                        }
                        Some(Ok(Message::Binary(_))) => break "messages are text",
                        // The library answers these.
                        Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
                        Some(Ok(Message::Close(_)) | Err(_)) | None => return,
                    }
                }
                () = running => {
                    self.running = None;
                    heard = Instant::now();
                    self.next();
                }
                _ = beats.tick() => self.beat(),
                () = sleep_until(heard + IDLE), if idle => break "the connection was idle for too long",
            }
        };
        let frame = CloseFrame { code: close_code::POLICY, reason: why.into() };
        // The client may have gone.
        let _ = timeout(PATIENCE, out.send(Message::Close(Some(frame)))).await;
    }

    /// Obeys a message; the error is the reason for closing the connection.
    fn hear(&mut self, text: &str) -> Result<(), &'static str> {
        let said: Said = serde_json::from_str(text).map_err(|_| "expected a JSON object with a type")?;
        let current = |number: Option<u64>, running: &Running| number == Some(running.steps.emitter());
        match said.kind.as_str() {
            "events" => {
                self.interest = Interest::new(&said.data);
                self.outbox.push(packet("events", Datum::from("{}")));
            }
            "script" => {
                let script = said.data.as_str().ok_or("expected the text of a script as data")?;
                if self.waiting.len() >= WAITING {
                    return Err("too many scripts wait");
                }
                self.waiting.push_back(script.to_owned());
                self.next();
            }
            "debug" => {
                if let Some(running) = self.running.as_ref().filter(|running| current(said.emitter, running)) {
                    running.steps.step();
                }
            }
            "kill" => {
                if let Some(running) = self.running.take_if(|running| current(said.id, running)) {
                    let number = Datum::UInt(running.steps.emitter());
                    self.outbox.push(packet("ql.io-kill", Datum::object([("id", number)])));
                    let failure = QueryError::new("killed", "the client has ended the script");
                    result(&self.outbox, &[], Some(&failure.to_datum()));
                    self.next();
                }
            }
            _ => return Err("expected the type events, script, debug or kill"),
        }
        Ok(())
    }

    /// Begins the next script, if none runs.
    fn next(&mut self) {
        if self.running.is_some() {
            return;
        }
        let Some(script) = self.waiting.pop_front() else { return };
        self.scripts += 1;
        let steps = Arc::new(DebugSteps::new(self.scripts));
        let script = Script {
            gateway: self.gateway.clone(),
            caller: self.caller.clone(),
            interest: self.interest.clone(),
            outbox: self.outbox.clone(),
            steps: steps.clone(),
            text: script,
        };
        self.running = Some(Running { script: script.run().boxed(), steps });
    }

    fn beat(&self) {
        const NAME: &str = "ql.io-heart-beat";
        if self.interest.has(NAME) {
            let uptime = Datum::F64(self.gateway.metrics().started.elapsed().as_secs_f64());
            self.outbox.take(packet(NAME, Datum::object([("pid", Datum::UInt(std::process::id().into())), ("uptime", uptime)])));
        }
    }
}

/// Sends the result of a script.
fn result(outbox: &Outbox, headers: &[(String, String)], body: Option<&Datum>) {
    outbox.confess();
    let json = (CONTENT_TYPE.as_str(), Datum::from(data_type()));
    let headers = headers.iter().map(|(name, value)| (name.as_str(), Datum::text(value.as_str())));
    let headers = Datum::object(std::iter::once(json).chain(headers));
    outbox.push(packet("script-result", Datum::object([("headers", headers), ("body", body.cloned().unwrap_or_default())])));
}

/// A script of a client.
struct Script {
    gateway: Arc<Gateway>,
    caller: Arc<Caller>,
    interest: Interest,
    outbox: Outbox,
    steps: Arc<DebugSteps>,
    text: String,
}

impl Script {
    async fn run(self) {
        match self.execute().await {
            Ok((headers, body)) => result(&self.outbox, &headers, body.as_ref()),
            Err(failure) => result(&self.outbox, &[], Some(&failure.to_datum())),
        }
    }

    async fn execute(&self) -> Result<(Vec<(String, String)>, Option<Datum>), QueryError> {
        let (gateway, directory) = (&*self.gateway, self.gateway.directory());
        callers::again(gateway, &self.caller.identity).await?;
        persisted::permitted(&directory, self.text.strip_prefix(STEPWISE).unwrap_or(&self.text))?;
        if let Some((asked, script)) = polywire_ql::explain::asked(&self.text) {
            let (explained, _) = explained::explained(gateway, &directory, asked, &script, &self.caller).await?;
            return Ok((Vec::new(), Some(explained.value)));
        }
        let stepwise = self.text.strip_prefix(STEPWISE);
        let steps = stepwise.map(|_| self.steps.clone());
        let longest = if stepwise.is_some() { DEBUGGED } else { deadline(&directory) };
        let feed = Feed::new(self.interest.clone(), self.outbox.clone(), steps);
        let plan = match gateway.plan(stepwise.unwrap_or(&self.text), &directory) {
            Ok(plan) => plan,
            Err(diagnostics) => {
                let failure = QueryError::from(&*diagnostics);
                feed.event(&Event::Ack);
                feed.event(&Event::CompileError(&failure));
                feed.event(&Event::Done(Duration::ZERO));
                return Err(failure);
            }
        };
        feed.plan(&plan, &directory);
        let Executed { execution, id, .. } = execute(gateway, &directory, &plan, &self.caller, &feed, longest, false).await;
        let execution = execution.inspect_err(|failure| feed.failed(failure))?;
        let body = execution.result?;
        let mut headers = execution.headers;
        headers.push((gateway.id_header().to_string(), id.to_str().unwrap_or_default().to_owned()));
        Ok((headers, body))
    }
}

//! The events of a script, for callers that ask for them (docs/spec/ql.md 12, 12.2, 14).

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use futures_util::future::{BoxFuture, FutureExt};
use http::HeaderValue;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use polywire_doc::Datum;
use polywire_ql::error::QueryError;
use polywire_ql::explain;
use polywire_ql::observe::{Event, Observer};
use polywire_ql::plan::Plan;
use polywire_ql::statement::StatementInfo;
use serde_json::Value;
use tokio::sync::Semaphore;
use uuid::Uuid;

use super::admission;
use super::caller::Caller;
use super::gateway::Gateway;
use crate::decode::data_type;
use crate::directory::Directory;

/// Sent when a script or statement begins.
const BEGIN: &str = "ql.io-begin-event";

/// Sent when it ends.
const END: &str = "ql.io-end-event";

/// Sent for each error, with its statement.
const ERROR: &str = "ql.io-error";

/// Sent with the plan of a script before it runs, for consoles that draw it.
const VISUALIZATION: &str = "ql.io-visualization";

/// The longest `Link` header, in bytes: with the others it stays within the head of an answer.
const LINK: usize = 1024;

/// Characters that need no percent sign in a data URI (RFC 3986 3.3).
const PLAIN: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~').remove(b':').remove(b',').remove(b'/');

/// The events that a client wants.
#[derive(Debug, Clone, Default)]
pub(super) enum Interest {
    /// None.
    #[default]
    Nothing,
    /// Those of these names.
    These(Arc<HashSet<String>>),
    /// All.
    Everything,
}

impl Interest {
    /// Reads `data` of a subscription: a list of names, or one as text; all events if it is
    /// neither.
    pub fn new(data: &Value) -> Interest {
        let parsed = data.as_str().and_then(|text| serde_json::from_str(text).ok());
        let list = parsed.as_ref().unwrap_or(data);
        match list.as_array() {
            Some(names) => Interest::These(Arc::new(names.iter().filter_map(Value::as_str).map(str::to_owned).collect())),
            None => Interest::Everything,
        }
    }

    pub fn has(&self, name: &str) -> bool {
        match self {
            Interest::Nothing => false,
            Interest::These(names) => names.contains(name),
            Interest::Everything => true,
        }
    }
}

/// The longest packet, in bytes. Values in it may be larger than what a script holds in memory.
const MOST_BYTES: usize = 64 << 20;

/// Returns an event as clients get it. Data that are too long are left out.
pub(super) fn packet(name: &str, data: Datum) -> Vec<u8> {
    let of = |data| Datum::object([("type", Datum::from(name)), ("data", data)]);
    let packet = of(data).to_json_within(MOST_BYTES);
    packet.unwrap_or_else(|| of(Datum::object([("message", Datum::from("the data of this event are too long"))])).to_json())
}

/// Receives packets.
pub(super) trait Packets: Send + Sync {
    fn take(&self, packet: Vec<u8>);
}

/// Emits the events of one script.
pub(super) struct Feed<P> {
    interest: Interest,
    packets: P,
    steps: Option<Arc<DebugSteps>>,
    uuid: Uuid,
    /// Open statements, by number: that of the script is the highest.
    begun: Mutex<HashMap<u32, Begun>>,
}

/// Stands for the script among its statements.
const SCRIPT: u32 = u32::MAX;

struct Begun {
    number: usize,
    name: &'static str,
    time: u64,
    start: Instant,
    ended: bool,
}

impl<P: Packets> Feed<P> {
    pub fn new(interest: Interest, packets: P, steps: Option<Arc<DebugSteps>>) -> Feed<P> {
        Feed { interest, packets, steps, uuid: Uuid::new_v4(), begun: Mutex::default() }
    }

    pub fn packets(&self) -> &P {
        &self.packets
    }

    fn emit(&self, name: &str, data: Datum) {
        self.packets.take(packet(name, data));
    }

    /// Emits the plan, as `explain` returns it to programs.
    pub fn plan(&self, plan: &Plan, directory: &Directory) {
        if self.interest.has(VISUALIZATION) {
            self.emit(VISUALIZATION, explain::value(plan, directory));
        }
    }

    /// Emits the error of the script as a whole: a statement emits its own.
    pub fn failed(&self, failure: &QueryError) {
        self.error(SCRIPT, failure);
        self.close();
    }

    fn begin(&self, statement: u32, name: &'static str) {
        if ![BEGIN, END, ERROR].iter().any(|name| self.interest.has(name)) {
            return;
        }
        let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
        let mut all = self.begun.lock().unwrap_or_else(PoisonError::into_inner);
        let begun =
            Begun { number: all.len() + 1, name, time: u64::try_from(time).unwrap_or(u64::MAX), start: Instant::now(), ended: false };
        let data = self.nested(statement, &begun);
        all.insert(statement, begun);
        drop(all);
        if self.interest.has(BEGIN) {
            self.emit(BEGIN, Datum::object(data));
        }
    }

    fn end(&self, statement: u32) {
        let mut all = self.begun.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(begun) = all.get_mut(&statement).filter(|begun| !begun.ended) else { return };
        begun.ended = true;
        let mut data = self.nested(statement, begun);
        data.push(("duration", Datum::F64(begun.start.elapsed().as_secs_f64() * 1000.0)));
        drop(all);
        if self.interest.has(END) {
            self.emit(END, Datum::object(data));
        }
    }

    /// Ends the script, and its open statements: those that failed, and those in flight then.
    fn close(&self) {
        let all = self.begun.lock().unwrap_or_else(PoisonError::into_inner);
        let mut left: Vec<(usize, u32)> = all.iter().map(|(statement, begun)| (begun.number, *statement)).collect();
        drop(all);
        // The script has begun before all others.
        left.sort_unstable_by(|a, b| b.cmp(a));
        left.into_iter().for_each(|(_, statement)| self.end(statement));
    }

    fn error(&self, statement: u32, failure: &QueryError) {
        if !self.interest.has(ERROR) {
            return;
        }
        let all = self.begun.lock().unwrap_or_else(PoisonError::into_inner);
        // A script that does not compile never begins.
        let mut data = all.get(&statement).map_or_else(Vec::new, |begun| self.nested(statement, begun));
        drop(all);
        data.push(("error", failure.to_datum()));
        self.emit(ERROR, Datum::object(data));
    }

    fn nested(&self, statement: u32, begun: &Begun) -> Vec<(&'static str, Datum)> {
        let is_script = statement == SCRIPT;
        vec![
            ("eventId", Datum::UInt(begun.number as u64)),
            ("parentEventId", if is_script { Datum::Null } else { Datum::UInt(1) }),
            ("startTime", Datum::UInt(begun.time)),
            ("type", Datum::from(if is_script { "script" } else { "statement" })),
            ("name", Datum::from(begun.name)),
            ("uuid", Datum::text(self.uuid.to_string())),
        ]
    }
}

impl<P: Packets> Observer for Feed<P> {
    fn event(&self, event: &Event<'_>) {
        match event {
            Event::Ack => self.begin(SCRIPT, "script"),
            Event::InFlight(statement) => self.begin(statement.id, statement.kind),
            Event::Success(statement, _) => self.end(statement.id),
            // It goes on if it has a fallback.
            Event::Error(statement, failure) => self.error(statement.id, failure),
            Event::CompileError(failure) => self.failed(failure),
            Event::Done(_) => self.close(),
            _ => {}
        }
        // Every answer has a place of its own for the result.
        if self.interest.has(event.name()) && !matches!(event, Event::Result(_)) {
            self.emit(event.name(), event.to_datum());
        }
    }

    fn wants(&self, name: &str) -> bool {
        self.interest.has(name)
    }

    fn hold<'a>(&'a self, statement: &'a StatementInfo) -> Option<BoxFuture<'a, ()>> {
        let steps = self.steps.as_ref()?;
        let at = |name: &str| {
            let members = [
                ("emitterID", Datum::UInt(steps.emitter)),
                ("line", Datum::UInt(statement.line.into())),
                ("id", Datum::UInt(statement.id.into())),
                ("type", Datum::from(statement.kind)),
            ];
            self.emit(name, Datum::object(members));
        };
        Some(
            async move {
                at("ql.io-debug");
                // The semaphore is never closed.
                if let Ok(step) = steps.allowed.acquire().await {
                    step.forget();
                }
                at("ql.io-debug-step");
            }
            .boxed(),
        )
    }
}

/// The steps that a debugger allows.
pub(super) struct DebugSteps {
    emitter: u64,
    allowed: Semaphore,
}

impl DebugSteps {
    /// Makes the steps of the script that clients know as `emitter`.
    pub fn new(emitter: u64) -> DebugSteps {
        DebugSteps { emitter, allowed: Semaphore::new(0) }
    }

    pub fn emitter(&self) -> u64 {
        self.emitter
    }

    /// Allows one statement to begin.
    pub fn step(&self) {
        if self.allowed.available_permits() < polywire_ql::plan::MAX_STEPS {
            self.allowed.add_permits(1);
        }
    }
}

/// Packets for the header of an answer.
#[derive(Default)]
pub(super) struct Collected(Mutex<Collection>);

#[derive(Default)]
struct Collection {
    /// Percent-encoded, with commas between.
    text: String,
    left_out: u64,
}

impl Packets for Collected {
    fn take(&self, packet: Vec<u8>) {
        let mut collection = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Encoding makes nothing shorter.
        if collection.text.len() + packet.len() < LINK {
            let text = String::from_utf8_lossy(&packet);
            let encoded = utf8_percent_encode(&text, PLAIN).to_string();
            if collection.text.len() + encoded.len() < LINK {
                if !collection.text.is_empty() {
                    collection.text.push(',');
                }
                collection.text.push_str(&encoded);
                return;
            }
        }
        collection.left_out += 1;
    }
}

impl Collected {
    /// Returns the header `Link`: a list of the packets. Its end has the number of those that found
    /// no place.
    pub fn link(&self) -> Option<HeaderValue> {
        let collection = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut text = collection.text.clone();
        if collection.left_out > 0 {
            let left_out = packet("left-out", Datum::object([("count", Datum::UInt(collection.left_out))]));
            if !text.is_empty() {
                text.push(',');
            }
            text.extend(utf8_percent_encode(&String::from_utf8_lossy(&left_out), PLAIN));
        }
        HeaderValue::from_str(&format!("<data:{},%5B{text}%5D>; rel=\"execstate\"", data_type())).ok()
    }
}

/// Returns the feed that a caller asks for by the parameter `events`, if it may send scripts:
/// events show more of services than routes do.
pub(super) fn wanted(gateway: &Gateway, directory: &Directory, caller: &Caller) -> Option<Feed<Collected>> {
    let (_, text) = caller.query.iter().find(|(name, _)| name == "events")?;
    admission::admitted(gateway, directory, caller.token.as_deref(), &caller.identity).ok()?;
    let parsed: Value = serde_json::from_str(text).unwrap_or_default();
    let interest = Interest::new(parsed.get("data").unwrap_or(&Value::Null));
    Some(Feed::new(interest, Collected::default(), None))
}

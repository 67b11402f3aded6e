//! Answers that are sent while they are made: a line of JSON, or an event (HTML Standard 9.2), for
//! each part.
//!
//! Members of a returned object are sent when their variables are set, rows of a list one by one.

use std::collections::{HashMap, HashSet, VecDeque};
use std::convert::Infallible;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use futures_util::stream::unfold;
use http::header::CACHE_CONTROL;
use http::{HeaderName, HeaderValue, StatusCode};
use polywire_doc::Datum;
use polywire_ql::error::QueryError;
use polywire_ql::observe::{Event, Observer};
use polywire_ql::plan::Plan;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::caller::Caller;
use super::execute::{Executed, deadline, execute};
use super::gateway::Gateway;
use super::notes::{Ran, Requests};
use super::pace::Place;
use super::{answer, run};
use crate::decode::{Offer, choose, ranges};
use crate::directory::Directory;

/// The media type of events.
const EVENTS: &str = "text/event-stream";

/// Keeps nginx from gathering the parts.
const BUFFERING: HeaderName = HeaderName::from_static("x-accel-buffering");

/// The bytes of rows that are sent together.
const CHUNK: usize = 16 << 10;

/// A form of such answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// Lines of JSON, under this media type.
    Lines(&'static str),
    /// Events.
    Events,
}

/// Returns the form that a caller wants, if it wants one more than any other format.
pub(super) fn wanted(offers: &[Offer], caller: &Caller) -> Option<Form> {
    let accept = caller.accept.as_deref()?;
    if caller.query.iter().any(|(name, _)| name == "callback" || name == "events") {
        return None;
    }
    match choose(&ranges(Some(accept)), offers.iter().map(|offer| offer.media_type).chain([EVENTS]))? {
        EVENTS => Some(Form::Events),
        chosen => offers.iter().find(|offer| offer.media_type == chosen && offer.is_lines()).map(|offer| Form::Lines(offer.media_type)),
    }
}

impl Form {
    fn media_type(self) -> &'static str {
        match self {
            Form::Lines(media_type) => media_type,
            Form::Events => EVENTS,
        }
    }

    /// Writes JSON, which has no line ends, as a line or an event.
    fn write(self, name: &str, json: &[u8], out: &mut Vec<u8>) {
        if self == Form::Events {
            out.extend_from_slice(format!("event: {name}\ndata: ").as_bytes());
        }
        out.extend_from_slice(json);
        out.extend_from_slice(if self == Form::Events { b"\n\n" } else { b"\n" });
    }
}

/// A member of the returned object, and its value.
type Part = (Arc<str>, Datum);

/// Sends the members of the result whose variables are set.
struct Early {
    /// Members by their variable.
    members: HashMap<Arc<str>, Vec<Arc<str>>>,
    sent: Mutex<HashSet<Arc<str>>>,
    sender: UnboundedSender<Part>,
}

impl Observer for Early {
    fn event(&self, event: &Event<'_>) {
        let Event::Variable(name, Some(value)) = event else { return };
        for member in self.members.get(*name).into_iter().flatten() {
            // Null is a value that an object has at the end, or lacks.
            if !value.view().is_null() && self.sender.send((member.clone(), (*value).clone())).is_ok() {
                self.sent.lock().unwrap_or_else(PoisonError::into_inner).insert(member.clone());
            }
        }
    }

    fn wants(&self, _: &str) -> bool {
        false
    }
}

/// The end of a script.
struct Ended {
    result: Result<Option<Datum>, QueryError>,
    /// Failures that the result does without.
    partial: usize,
    sent: HashSet<Arc<str>>,
    id: HeaderValue,
    requests: Requests,
    _place: Option<Place>,
}

/// Runs a plan for a caller. A failure before the first part is an answer with its status; later
/// ones are the last part.
pub(super) async fn answered(gateway: Arc<Gateway>, directory: Arc<Directory>, plan: Arc<Plan>, caller: Caller, form: Form) -> Response {
    let (sender, parts) = unbounded_channel();
    let most = directory.settings.max_memory;
    let id_header = gateway.id_header().clone();
    let ran = gateway.logs().audit.is_some().then(|| Ran::new(&plan));
    let begin = Instant::now();
    let running = async move {
        let mut members: HashMap<Arc<str>, Vec<Arc<str>>> = HashMap::new();
        plan.parts().into_iter().for_each(|(member, variable)| members.entry(variable).or_default().push(member));
        let early = Early { members, sent: Mutex::default(), sender };
        let Executed { execution, id, requests, place } =
            execute(&gateway, &directory, &plan, &caller, &early, deadline(&directory), false).await;
        run::slow(&gateway, &directory, &plan, &execution, &id, begin);
        let sent = early.sent.into_inner().unwrap_or_else(PoisonError::into_inner);
        let (result, partial) = match execution {
            Ok(execution) => (execution.result, execution.warnings.iter().filter(|warning| warning.failure.is_some()).count()),
            Err(failure) => (Err(failure), 0),
        };
        Ended { result, partial, sent, id, requests, _place: place }
    };
    let mut stream =
        Streaming { form, parts, running: Some(running.boxed()), queue: VecDeque::new(), rows: None, most, left: most, ended: None };
    let mut noted = None;
    let first = tokio::select! {
        biased;
        Some(part) = stream.parts.recv() => Some(part),
        ended = Streaming::end(&mut stream.running) => {
            noted = Some((ended.id.clone(), ended.requests));
            match ended.result {
                Err(failure) if ended.sent.is_empty() => {
                    let mut response = answer::of_failure(&failure);
                    response.extensions_mut().insert(ended.requests);
                    if let Some(ran) = ran {
                        response.extensions_mut().insert(ran);
                    }
                    response.headers_mut().insert(id_header, ended.id);
                    return response;
                }
                _ => stream.finish(ended),
            }
            None
        }
    };
    if let Some(part) = first {
        stream.part(&part);
    }
    let body = unfold(stream, |mut stream| async move { stream.next().await.map(|bytes| (Ok::<_, Infallible>(bytes), stream)) });
    let mut response = answer::reply(StatusCode::OK, form.media_type(), Body::from_stream(body));
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    response.headers_mut().insert(BUFFERING, HeaderValue::from_static("no"));
    if let Some(ran) = ran {
        response.extensions_mut().insert(ran);
    }
    if let Some((id, requests)) = noted {
        response.extensions_mut().insert(requests);
        response.headers_mut().insert(id_header, id);
    }
    response
}

/// An answer that is being sent.
struct Streaming {
    form: Form,
    parts: UnboundedReceiver<Part>,
    running: Option<BoxFuture<'static, Ended>>,
    queue: VecDeque<Bytes>,
    /// Rows of the result, the next one, and the failures that it does without.
    rows: Option<(Datum, usize, usize)>,
    /// Bytes that an answer may have, and those that this one may still have.
    most: u64,
    left: u64,
    /// Others may wait until it is dropped.
    ended: Option<Ended>,
}

impl Streaming {
    async fn end(running: &mut Option<BoxFuture<'static, Ended>>) -> Ended {
        match running {
            Some(future) => {
                let ended = future.await;
                *running = None;
                ended
            }
            None => std::future::pending().await,
        }
    }

    /// Returns the next bytes; `None` at the end.
    async fn next(&mut self) -> Option<Bytes> {
        loop {
            if let Some(bytes) = self.queue.pop_front() {
                return Some(bytes);
            }
            if self.rows.is_some() {
                self.more_rows();
                continue;
            }
            self.running.as_ref()?;
            tokio::select! {
                biased;
                Some(part) = self.parts.recv() => self.part(&part),
                ended = Streaming::end(&mut self.running) => self.finish(ended),
            }
        }
    }

    /// Queues a value. Returns false, after an error, if the answer is too long.
    fn push(&mut self, name: &str, value: &Datum) -> bool {
        match value.to_json_within(usize::try_from(self.left).unwrap_or(usize::MAX)) {
            Some(json) => {
                self.left -= json.len() as u64;
                let mut out = Vec::with_capacity(json.len() + 32);
                self.form.write(name, &json, &mut out);
                self.queue.push_back(out.into());
                true
            }
            None => {
                self.fail(&answer::too_large(self.most));
                false
            }
        }
    }

    fn part(&mut self, (member, value): &Part) {
        self.push("part", &Datum::object([(member.clone(), value.clone())]));
    }

    fn fail(&mut self, failure: &QueryError) {
        // The rest of the script is of no use.
        (self.running, self.rows, self.ended) = (None, None, None);
        let failure = failure.to_datum();
        let told = if self.form == Form::Events { failure } else { Datum::object([("error", failure)]) };
        let mut out = Vec::new();
        self.form.write("error", &told.to_json(), &mut out);
        self.queue.push_back(out.into());
    }

    /// Queues the parts that are left, and the end.
    fn finish(&mut self, mut ended: Ended) {
        while let Ok(part) = self.parts.try_recv() {
            self.part(&part);
        }
        let result = std::mem::replace(&mut ended.result, Ok(None));
        let (partial, sent) = (ended.partial, std::mem::take(&mut ended.sent));
        // Others may begin once this is sent.
        self.ended = Some(ended);
        match result {
            Err(failure) => self.fail(&failure),
            Ok(None) => self.close(partial),
            Ok(Some(value)) if value.view().is_list() => self.rows = Some((value, 0, partial)),
            Ok(Some(value)) if value.view().is_object() && !sent.is_empty() => {
                for (name, value) in value.view().members().filter(|(name, _)| !sent.contains(*name)) {
                    if !self.push("part", &Datum::object([(name, value.to_datum())])) {
                        return;
                    }
                }
                self.close(partial);
            }
            Ok(Some(value)) => {
                if value.view().is_null() || self.push("value", &value) {
                    self.close(partial);
                }
            }
        }
    }

    /// Queues rows, some of them at a time.
    fn more_rows(&mut self) {
        let Some((rows, mut next, partial)) = self.rows.take() else { return };
        let mut out = Vec::new();
        while out.len() < CHUNK {
            let Some(row) = rows.view().index(next) else { break };
            next += 1;
            let Some(json) = row.to_datum().to_json_within(usize::try_from(self.left).unwrap_or(usize::MAX)) else {
                self.queue.push_back(out.into());
                return self.fail(&answer::too_large(self.most));
            };
            self.left -= json.len() as u64;
            self.form.write("row", &json, &mut out);
        }
        if !out.is_empty() {
            self.queue.push_back(out.into());
        }
        match rows.view().index(next) {
            Some(_) => self.rows = Some((rows, next, partial)),
            None => self.close(partial),
        }
    }

    /// Queues the event of the end. Lines have none.
    fn close(&mut self, partial: usize) {
        self.ended = None;
        if self.form == Form::Events {
            let mut out = Vec::new();
            self.form.write("end", &Datum::object([("partial", Datum::UInt(partial as u64))]).to_json(), &mut out);
            self.queue.push_back(out.into());
        }
    }
}

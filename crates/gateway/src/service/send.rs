//! Requests go out, through the cache (docs/spec/ql.md 8 and 11).

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::header::LINK;
use http::{HeaderMap, StatusCode};
use polywire_doc::{Datum, Wanted};
use polywire_hooks::{Body, CacheKey, Content, Hook};
use polywire_ql::backend::Reply;
use polywire_ql::error::QueryError;
use polywire_ql::observe::Event;
use polywire_ql::syntax::ast::VerbKind;
use tokio::time::Instant as Moment;

use super::call::{Ready, TableCall, pairs};
use super::problem;
use super::rpc::{self, Rpc};
use super::soap;
use crate::cache::key::{Asked, Maker, of, of_hook};
use crate::cache::{Cache, Entry, Fetched};
use crate::decode::{Decoder, data_type};
use crate::observe::{Event as GatewayEvent, OF_SCRIPTS};

/// The reply of a service or of the cache.
#[derive(Clone)]
pub(super) struct Raw {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: Bytes,
    /// The body as the hook *parse response* made it, if that gave a structure.
    pub parsed: Option<Datum>,
    /// Name of the status that the protocol has beside HTTP's.
    pub rpc_status: Option<&'static str>,
}

/// The parts of a reply that name the next page.
#[derive(Default)]
pub(super) struct Seen {
    /// Values of the header `Link`.
    pub links: Vec<String>,
    pub body: Bytes,
}

impl TableCall<'_> {
    /// Makes one exchange: request, reply, decoding. Fills `seen` if there was a reply.
    pub async fn exchange(&self, ready: &Ready, seen: Option<&mut Seen>) -> Reply {
        let start = Instant::now();
        let writes = self.call.action.verb != VerbKind::Select;
        if writes {
            self.session.sharing.forget_all();
        }
        let method = ready.request.method.to_string();
        let uri = self.session.service.shared.client.secrets().show(&ready.request.uri);
        self.emit_request(&method, &uri, ready);
        let mut reply = Reply { method, uri, values: ready.values, ..Reply::new(Ok(Datum::Null)) };
        let mut headers = HeaderMap::new();
        let outcome = self.fetch_or_share(ready, &mut reply).await;
        if writes {
            self.session.sharing.forget_all();
        }
        let outcome = match outcome {
            Ok(raw) => {
                reply.status = raw.status.as_u16();
                reply.rpc_status = raw.rpc_status;
                reply.bytes_in = raw.body.len() as u64;
                if self.call.observer.wants("statement-response") {
                    headers = raw.headers.clone();
                }
                if let Some(seen) = seen {
                    let links = raw.headers.get_all(LINK).iter();
                    seen.links = links.map(|link| String::from_utf8_lossy(link.as_bytes()).into_owned()).collect();
                    seen.body = raw.body.clone();
                }
                self.read(raw, ready, &mut reply).await
            }
            Err(failure) => {
                reply.status = failure.parts().upstream_status.unwrap_or(reply.status);
                reply.rpc_status = rpc::status(&failure);
                Err(failure)
            }
        };
        reply.elapsed = start.elapsed();
        reply.outcome = outcome;
        let table = if self.call.table.folder.is_some() { &*self.call.table.name } else { OF_SCRIPTS };
        let (bytes, skipped) = (reply.bytes_in, reply.bytes_skipped);
        if let Some(status) = reply.rpc_status {
            self.session.service.observer.event(GatewayEvent::Rpc { table, status });
        }
        self.session.service.observer.event(GatewayEvent::Decoded { table, bytes, skipped, failed: reply.outcome.is_err() });
        self.emit_reply(&reply, headers);
        reply
    }

    /// Takes the reply of an equal request of the same execution, if there is one and it is shared.
    async fn fetch_or_share(&self, ready: &Ready, reply: &mut Reply) -> Result<Raw, QueryError> {
        // A hook that makes the reply may look at more than the request.
        let hooked = || self.prepared.patch.as_ref().is_some_and(|patch| patch.has(Hook::ParseResponse));
        if !self.session.sharing.applies(self.call.action, &ready.request) || hooked() {
            return self.fetch(ready, reply).await;
        }
        let asked = self.session.sharing.asked(&ready.request);
        // Rare cases are boxed, so that they don't make each exchange larger.
        let fetch = Box::pin(async {
            let outcome = self.fetch(ready, reply).await;
            let kept = outcome.as_ref().ok().filter(|raw| raw.status.is_success()).map(|raw| raw.body.len() as u64);
            (outcome, kept)
        });
        let shared = Box::pin(asked.get_or_fetch(fetch)).await;
        reply.shared = shared.from_other;
        reply.kept = shared.kept;
        if shared.from_other {
            self.session.service.observer.event(GatewayEvent::Shared);
        }
        shared.outcome
    }

    async fn fetch(&self, ready: &Ready, reply: &mut Reply) -> Result<Raw, QueryError> {
        let service = self.session.service;
        let expires = self.call.action.expires.filter(|seconds| *seconds > 0);
        let (Some(cache), Some(expires)) = (&service.cache, expires) else {
            return self.send(ready, &mut reply.retries).await;
        };
        // The cache's part is boxed: it would make each exchange several times as large.
        Box::pin(self.get_or_send(cache, expires, ready, reply)).await
    }

    /// Takes the reply from the cache, else from the service.
    async fn get_or_send(&self, cache: &Cache<QueryError>, expires: u64, ready: &Ready, reply: &mut Reply) -> Result<Raw, QueryError> {
        let service = self.session.service;
        let key = self.key(ready).await?;
        let mut asked = false;
        let mut retries = 0;
        let fetch = async {
            asked = true;
            let raw = self.send(ready, &mut retries).await?;
            let keep = raw.status.is_success();
            // Callers who wait for this reply, or find it in the cache, need bytes.
            let (body, made) = raw.parsed.map_or((raw.body, false), |parsed| (Bytes::from(parsed.to_json()), true));
            Ok(Fetched { entry: Entry { status: raw.status, headers: raw.headers, body, made }, keep })
        };
        let entry = cache.get_or_fetch(&key, Duration::from_secs(expires), fetch).await;
        reply.retries = retries;
        let entry = entry?;
        reply.cached = !asked;
        let parsed = entry.made.then(|| {
            let decoder = Decoder::by_media_type().limits(service.limits);
            let decoded = decoder.decode(&entry.body, Some(data_type()), &Wanted::everything());
            decoded.map(|decoded| decoded.value).map_err(|error| problem::of_decoder(&error, &reply.uri, entry.status.as_u16()))
        });
        Ok(Raw {
            status: entry.status,
            headers: entry.headers.clone(),
            body: entry.body.clone(),
            parsed: parsed.transpose()?,
            rpc_status: None,
        })
    }

    async fn send(&self, ready: &Ready, retries: &mut u32) -> Result<Raw, QueryError> {
        let service = self.session.service;
        self.session.requests.fetch_add(1, Ordering::Relaxed);
        let rpc = self.prepared.encoder.as_ref().and_then(|_| Rpc::of(&ready.request.headers));
        let timed = rpc.and_then(|rpc| rpc.timed(&ready.request, self.deadline()));
        let request = timed.as_ref().unwrap_or(&ready.request);
        let response = service.shared.client.send(request, &self.session.bounds).await.map_err(|error| {
            *retries = error.retries();
            problem::of_exchange(&error)
        })?;
        *retries = response.retries;
        let id = &service.shared.id_header;
        self.session.note(response.headers.get(id).or_else(|| ready.request.headers.get(id)));
        let mut raw = Raw { status: response.status, headers: response.headers, body: response.body, parsed: None, rpc_status: None };
        let uri = || service.shared.client.secrets().show(&ready.request.uri);
        if let Some(rpc) = rpc {
            rpc.check(&mut raw, service.limits.decoded).map_err(|failure| failure.uri(uri()))?;
            raw.rpc_status = Some(rpc::OK);
        }
        if self.prepared.soap.is_some() {
            soap::open(&mut raw, &self.prepared.decoder).map_err(|failure| failure.uri(uri()))?;
        }
        if let Some(patch) = self.prepared.patch.as_ref().filter(|patch| patch.has(Hook::ParseResponse)) {
            let given = self.for_hooks(&raw, ready);
            let answer = patch.parse_response(self.record(ready.params.as_ref()), given, vec![raw.body.clone()]).await;
            if let Some(Body { content, media_type }) = answer.map_err(problem::of_hook)?.value {
                match content {
                    Content::Text(text) => raw.body = Bytes::from(text),
                    Content::Bytes(bytes) => raw.body = Bytes::from(bytes),
                    Content::Data(data) => raw.parsed = Some(data),
                }
                // Text of a hook is JSON unless it says otherwise, and in UTF-8.
                let media = media_type.unwrap_or_else(|| data_type().to_owned());
                if let Ok(media) = media.parse() {
                    raw.headers.insert(http::header::CONTENT_TYPE, media);
                }
            }
        }
        Ok(raw)
    }

    /// Returns the moment until which a reply is of use, by the answer and the statement.
    fn deadline(&self) -> Option<Moment> {
        let of_statement = self.call.tail.timeout.and_then(|millis| Moment::now().checked_add(Duration::from_millis(millis)));
        self.session.bounds.deadline.into_iter().chain(of_statement).min()
    }

    async fn key(&self, ready: &Ready) -> Result<String, QueryError> {
        let service = self.session.service;
        let request = &ready.request;
        let full = request.uri.to_string();
        let table = self.call.table;
        let maker = if table.folder.is_some() { Maker::Folder } else { Maker::Script(self.call.action.patch.as_deref()) };
        if let Some(patch) = self.prepared.patch.as_ref().filter(|patch| patch.has(Hook::ComputeKey)) {
            let body = (!request.body.is_empty())
                .then(|| Body { content: Content::Text(String::from_utf8_lossy(&request.body).into_owned()), media_type: None });
            let given = CacheKey {
                table: table.name.to_string(),
                method: request.method.to_string(),
                uri: full.clone(),
                headers: pairs(&request.headers),
                body,
                request_id_name: service.shared.id_header.to_string(),
            };
            let answer = patch.compute_key(self.record(ready.params.as_ref()), given).await.map_err(problem::of_hook)?;
            if let Some(key) = answer.value {
                return Ok(of_hook(&key, maker));
            }
        }
        let named: Vec<(&str, String)> = self
            .call
            .params
            .statement
            .iter()
            .map(|(name, value)| (&**name, String::from_utf8_lossy(&value.to_json()).into_owned()))
            .collect();
        let params: Vec<(&str, &str)> = named.iter().map(|(name, value)| (*name, value.as_str())).collect();
        Ok(of(&Asked {
            table: &table.name,
            maker,
            method: &request.method,
            uri: &full,
            params: &params,
            headers: &request.headers,
            body: &request.body,
            id: &service.shared.id_header,
        }))
    }

    fn emit_request(&self, method: &str, uri: &str, ready: &Ready) {
        if !self.call.observer.wants("statement-request") {
            return;
        }
        let headers = self.shown(ready.request.headers.clone());
        let body = (!ready.request.body.is_empty()).then(|| Datum::text(String::from_utf8_lossy(&ready.request.body).into_owned()));
        self.call.observer.event(&Event::Request { statement: self.call.statement, method, uri, headers: &headers, body: body.as_ref() });
    }

    /// Returns headers as an object, without secrets.
    fn shown(&self, mut headers: HeaderMap) -> Datum {
        self.session.service.shared.client.secrets().remove(&mut headers);
        Datum::object(pairs(&headers).into_iter().map(|(name, value)| (name, Datum::text(value))))
    }

    fn emit_reply(&self, reply: &Reply, headers: HeaderMap) {
        if !self.call.observer.wants("statement-response") {
            return;
        }
        self.call.observer.event(&Event::Response {
            statement: self.call.statement,
            uri: &reply.uri,
            status: reply.status,
            headers: &self.shown(headers),
            body: reply.outcome.as_ref().ok(),
            elapsed: reply.elapsed,
        });
    }
}

//! Parameters become requests (specification 8.1 to 8.5, 10).

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{HeaderMap, HeaderName, HeaderValue, Method, Uri};
use polywire_doc::{Datum, Ref, View};
use polywire_hooks::{Body, Content, Hook, Hooks, Record, Request as Told};
use polywire_ql::backend::{Call, Opaque};
use polywire_ql::failure::Failure;
use polywire_ql::params::Params;
use polywire_ql::syntax::ast::{Tail, VerbKind};
use polywire_ql::table::{Action, Table};
use polywire_ql::template::mutable::MutableUri;
use polywire_ql::template::text::Missing;
use polywire_ql::template::uri::{UriError, UriTemplate};
use polywire_ql::template::{Lookup, scalar_text, walk};
use tracing::Instrument;

use super::prepare::Prepared;
use super::{Session, problem};
use crate::exchange::client::Client;
use crate::exchange::headers;
use crate::exchange::message::{Delays, IDLE, Request};
use crate::exchange::multipart::{self, Kind, Part};

/// One call of a table's verb, under way.
pub(super) struct Turn<'t> {
    pub session: &'t Session<'t>,
    pub call: &'t Call<'t>,
    pub prepared: &'t Arc<Prepared>,
    /// What hooks are told of the statement.
    pub statement: Datum,
}

/// A request that is ready, and the parameters that it was made of.
pub(super) struct Ready {
    pub request: Request,
    /// As hooks left them; none if there are no hooks.
    pub params: Option<Datum>,
}

/// What requests are made of.
#[derive(Clone, Copy)]
struct Maker<'m> {
    hooks: &'m Hooks,
    client: &'m Client,
    id: (&'m HeaderName, &'m HeaderValue),
    prepared: &'m Prepared,
    table: &'m Table,
    action: &'m Action,
    statement: &'m Datum,
    tail: Tail,
    opaque: Option<Opaque<'m>>,
    parts: &'m [Datum],
    allowed: usize,
    /// The parameters of the statement itself.
    named: &'m [(Arc<str>, Datum)],
    config: &'m Datum,
    /// Where parameters are looked up that nobody has gathered.
    found: Option<&'m Params<'m>>,
}

/// The same, for a visit to the hooks, where all parameters are gathered.
struct Owned {
    hooks: Hooks,
    client: Client,
    id: (HeaderName, HeaderValue),
    prepared: Arc<Prepared>,
    table: Arc<Table>,
    verb: VerbKind,
    statement: Datum,
    tail: Tail,
    opaque: Option<(Datum, Option<String>)>,
    parts: Vec<Datum>,
    allowed: usize,
    named: Vec<(Arc<str>, Datum)>,
    config: Datum,
}

impl Owned {
    async fn requests(self, params: Datum) -> Result<Vec<Ready>, Failure> {
        let Some(action) = self.table.action(self.verb) else { return Ok(Vec::new()) };
        let maker = Maker {
            hooks: &self.hooks,
            client: &self.client,
            id: (&self.id.0, &self.id.1),
            prepared: &self.prepared,
            table: &self.table,
            action,
            statement: &self.statement,
            tail: self.tail,
            opaque: self.opaque.as_ref().map(|(value, media)| Opaque { value, media: media.as_deref() }),
            parts: &self.parts,
            allowed: self.allowed,
            named: &self.named,
            config: &self.config,
            found: None,
        };
        maker.requests(Some(params)).await
    }
}

/// Parameters as hooks changed them, else as the language found them.
struct Values<'v> {
    changed: Option<&'v Datum>,
    found: Option<&'v Params<'v>>,
}

impl Lookup for Values<'_> {
    fn lookup(&self, name: &str) -> Option<Datum> {
        match self.changed {
            Some(params) => walk(params.view(), name),
            None => self.found.and_then(|params| params.lookup(name)),
        }
    }
}

impl<'t> Turn<'t> {
    pub fn new(session: &'t Session<'t>, call: &'t Call<'t>, prepared: &'t Arc<Prepared>) -> Turn<'t> {
        let statement = if prepared.patch.is_some() || prepared.template.is_some() { told_of(call) } else { Datum::Null };
        Turn { session, call, prepared, statement }
    }

    /// The requests to make, in order. None if a hook wants none.
    pub async fn requests(&self) -> Result<Vec<Ready>, Failure> {
        let (call, service) = (self.call, self.session.service);
        let params = self.needs_params().then(|| call.params.to_datum());
        let params = match params {
            // One visit to a thread of hooks, not one for each of them.
            Some(params) if self.prepared.hooks_before > 1 => {
                let owned = Owned {
                    hooks: service.hooks.clone(),
                    client: service.client.clone(),
                    id: (service.id_header.clone(), self.session.id.clone()),
                    prepared: self.prepared.clone(),
                    table: call.table.clone(),
                    verb: call.action.verb,
                    statement: self.statement.clone(),
                    tail: call.tail,
                    opaque: call.opaque.map(|opaque| (opaque.value.clone(), opaque.media.map(str::to_owned))),
                    parts: call.parts.to_vec(),
                    allowed: call.allowed,
                    named: call.params.statement.clone(),
                    config: call.params.config.clone(),
                };
                return service.hooks.visit(owned.requests(params).in_current_span()).await.map_err(problem::of_hook)?;
            }
            params => params,
        };
        let maker = Maker {
            hooks: &service.hooks,
            client: &service.client,
            id: (&service.id_header, &self.session.id),
            prepared: self.prepared,
            table: call.table,
            action: call.action,
            statement: &self.statement,
            tail: call.tail,
            opaque: call.opaque,
            parts: call.parts,
            allowed: call.allowed,
            named: &call.params.statement,
            config: call.params.config,
            found: Some(call.params),
        };
        maker.requests(params).await
    }

    /// Whether somebody looks at all parameters at once.
    fn needs_params(&self) -> bool {
        self.prepared.patch.is_some() || self.prepared.template.is_some() || self.prepared.auth.is_some()
    }

    /// What all hooks are told.
    pub fn record(&self, params: Option<&Datum>) -> Record {
        Record { statement: self.statement.clone(), params: params.cloned().unwrap_or_default(), log: None }
    }
}

/// Names of what hooks are told of a statement, which all of them share.
static TOLD: LazyLock<[Arc<str>; 7]> = LazyLock::new(|| ["line", "id", "type", "text", "table", "limit", "offset"].map(Arc::from));

/// What hooks are told of a statement.
fn told_of(call: &Call<'_>) -> Datum {
    let values = [
        Some(Datum::UInt(call.statement.line.into())),
        Some(Datum::UInt(call.statement.id.into())),
        Some(Datum::from(call.statement.kind)),
        Some(Datum::Text(call.statement.text.clone())),
        Some(Datum::Text(call.table.name.clone())),
        // Patches of the original make the number of a page of these.
        call.limit.map(Datum::UInt),
        call.offset.map(Datum::UInt),
    ];
    Datum::object(TOLD.iter().zip(values).filter_map(|(name, value)| Some((name.clone(), value?))))
}

impl Maker<'_> {
    async fn requests(self, mut params: Option<Datum>) -> Result<Vec<Ready>, Failure> {
        self.validate(params.as_ref()).await?;
        if let Some(module) = &self.prepared.auth {
            let given = params.clone().unwrap_or_default();
            let answered = self.hooks.authenticate(module, given, self.config.clone(), None).await;
            // A module that refuses stops the request (D14).
            if let Some(changed) = answered.map_err(problem::of_hook)? {
                params = Some(changed);
            }
        }
        let foreach = self.action.body.as_ref().and_then(|body| body.foreach.as_deref());
        let Some(name) = foreach else { return self.of_params(params, self.allowed).await };
        let each = match params.as_ref().and_then(|params| params.view().get(name)) {
            Some(value) if value.is_list() => value.items().map(Ref::to_datum).collect(),
            Some(value) => vec![value.to_datum()],
            None => Vec::new(),
        };
        let mut all = Vec::new();
        for value in each {
            let mut one = params.clone().unwrap_or_default();
            if let Datum::Object(object) = &mut one {
                object.insert(name, value);
            }
            all.extend(self.of_params(Some(one), self.allowed - all.len()).await?);
        }
        Ok(all)
    }

    async fn validate(&self, params: Option<&Datum>) -> Result<(), Failure> {
        let Some(patch) = self.prepared.patch.as_ref().filter(|patch| patch.has(Hook::ValidateParam)) else { return Ok(()) };
        for (name, value) in self.named {
            let answer = patch.validate_param(self.record(params), name, value.clone()).await.map_err(problem::of_hook)?;
            if !answer.value {
                let shown = scalar_text(value.view()).unwrap_or_else(|| String::from_utf8_lossy(&value.to_json()).into_owned());
                return Err(Failure::new("bad_parameter", format!("Value of {name} \"{shown}\" is not valid")));
            }
        }
        Ok(())
    }

    async fn of_params(&self, mut params: Option<Datum>, allowed: usize) -> Result<Vec<Ready>, Failure> {
        let action = self.action;
        let values = Values { changed: params.as_ref(), found: self.found };
        let templated = match &action.uri {
            Ok(template) => template.format(&values, allowed).map_err(|failure| self.without_secrets(failure))?,
            Err(_) => action.uris(&values, allowed)?,
        };
        let mut uris = Vec::with_capacity(templated.len());
        for uri in &templated {
            match self.prepared.patch.as_ref().filter(|patch| patch.has(Hook::PatchUri)) {
                Some(patch) => {
                    let answer = patch.patch_uri(self.record(params.as_ref()), uri).await.map_err(problem::of_hook)?;
                    params = answer.params.or(params);
                    uris.extend(answer.value);
                }
                // What a hook would get, printed again (5.4): another text only where there is a query.
                None if uri.contains('?') => uris.push(MutableUri::read(uri).to_string()),
                None => uris.push(uri.clone()),
            }
        }
        if uris.len() > allowed {
            return Err(Failure::new("too_many_requests", format!("{} requests, of {allowed} that one statement may make", uris.len()))
                .hint("ask for fewer values at once"));
        }
        let mut all = Vec::with_capacity(uris.len());
        for uri in uris {
            all.push(self.of_uri(uri, params.clone()).await?);
        }
        Ok(all)
    }

    async fn of_uri(&self, uri: String, mut params: Option<Datum>) -> Result<Ready, Failure> {
        let action = self.action;
        let broken = |what: String| {
            let failure = Failure::new("bad_request_made", what).hint("mend the table");
            match uri.parse::<Uri>() {
                Ok(parsed) => failure.uri(self.client.secrets().show(&parsed)),
                // Where its secrets are cannot be told.
                Err(_) => failure,
            }
        };
        let method = Method::from_bytes(action.method.to_ascii_uppercase().as_bytes())
            .map_err(|_| broken(format!("no method: {}", action.method)))?;
        let parsed = uri.parse().map_err(|error| {
            let failure = broken(format!("no URI: {error}"));
            match unconfigured(action) {
                Some(name) => failure.hint(format!("the configuration has no `{}`", name.trim_start_matches("config."))),
                None => failure,
            }
        })?;
        let mut headers = headers::standing(self.prepared.accept.clone());
        headers.insert(self.id.0, self.id.1.clone());
        let values = Values { changed: params.as_ref(), found: self.found };
        let named: Vec<(&str, String)> =
            action.headers.iter().map(|(name, template)| (name.as_str(), template.format(&values, Missing::Drop))).collect();
        headers::add(&mut headers, named.iter().map(|(name, value)| (*name, value.as_str()))).map_err(&broken)?;
        if let Some(patch) = self.prepared.patch.as_ref().filter(|patch| patch.has(Hook::PatchHeaders)) {
            let told = Told { uri: uri.clone(), headers: pairs(&headers) };
            let answer = patch.patch_headers(self.record(params.as_ref()), told).await.map_err(problem::of_hook)?;
            params = answer.params.or(params);
            headers = HeaderMap::new();
            headers::add(&mut headers, answer.value.iter().map(|(name, value)| (name.as_str(), value.as_str()))).map_err(&broken)?;
        }
        let mut body = Bytes::new();
        if !matches!(method, Method::GET | Method::HEAD) {
            let (made, changed) = self.body(&uri, &headers, params.clone()).await?;
            params = changed.or(params);
            if let Some((media, bytes)) = made {
                body = bytes;
                if let Some(media) = media.filter(|_| !headers.contains_key(CONTENT_TYPE)) {
                    headers.insert(CONTENT_TYPE, HeaderValue::from_str(&media).map_err(|_| broken(format!("no media type: {media}")))?);
                }
            }
        }
        let tail = &self.tail;
        let millis = |value: Option<u64>, other: Duration| value.map_or(other, Duration::from_millis);
        let usual = Delays::default();
        let request = Request {
            method,
            uri: parsed,
            headers,
            body,
            table: self.table.name.clone(),
            repeatable: action.verb == VerbKind::Select,
            idle: millis(tail.timeout, IDLE),
            overall: None,
            delays: Delays { min: millis(tail.min_delay, usual.min), max: millis(tail.max_delay, usual.max) },
        };
        Ok(Ready { request, params })
    }

    /// The body with its media type, and the parameters if a hook changed them.
    async fn body(
        &self,
        uri: &str,
        headers: &HeaderMap,
        mut params: Option<Datum>,
    ) -> Result<(Option<(Option<String>, Bytes)>, Option<Datum>), Failure> {
        let action = self.action;
        let told = || Told { uri: uri.to_owned(), headers: pairs(headers) };
        let mut body = None;
        if let Some(opaque) = self.opaque {
            body = Some(Body {
                content: content_of(opaque.value),
                media_type: action.body.as_ref().map(|body| body.media.clone()).or_else(|| media_of(opaque)),
            });
        } else if let Some(patch) = self.prepared.patch.as_ref().filter(|patch| patch.has(Hook::BodyTemplate)) {
            let answer = patch.body_template(self.record(params.as_ref()), told()).await.map_err(problem::of_hook)?;
            params = answer.params.or(params);
            body = answer.value;
        }
        if let (None, Some(file), Some(clause)) = (&body, &self.prepared.template, &action.body) {
            let text = match &self.prepared.form {
                Some(Ok(template)) => self.form(template, params.as_ref())?,
                Some(Err(failure)) => return Err(failure.clone()),
                None => {
                    let record = self.record(params.as_ref());
                    self.hooks.template(file, &clause.media, record, told).await.map_err(problem::of_hook)?
                }
            };
            body = Some(Body { content: Content::Text(text), media_type: Some(clause.media.clone()) });
        }
        if let (Some(patch), Some(made)) = (self.prepared.patch.as_ref().filter(|patch| patch.has(Hook::PatchBody)), body.clone()) {
            let answer = patch.patch_body(self.record(params.as_ref()), told(), made).await.map_err(problem::of_hook)?;
            params = answer.params.or(params);
            body = answer.value;
        }
        let made = body.map(|body| (body.media_type, bytes_of(body.content)));
        if self.parts.is_empty() {
            return Ok((made, params));
        }
        let first = made.map(|(media, bytes)| Part {
            content_type: media.and_then(|media| HeaderValue::from_str(&media).ok()),
            body: bytes,
            ..Part::default()
        });
        let parts: Vec<Part> = first.into_iter().chain(self.parts.iter().map(part)).collect();
        let (media, bytes) = multipart::compose(Kind::Related, &parts);
        Ok((Some((media.to_str().ok().map(str::to_owned), bytes)), params))
    }

    /// A form's body.
    fn form(&self, template: &UriTemplate, params: Option<&Datum>) -> Result<String, Failure> {
        let values = Values { changed: params, found: self.found };
        let made = template.format(&values, 1).map_err(|failure| self.without_secrets(failure))?;
        Ok(made.into_iter().next().unwrap_or_default())
    }

    /// A template that cannot be filled: what was made of it so far may hold what the table and the configuration keep to themselves.
    fn without_secrets(&self, mut failure: UriError) -> UriError {
        if let UriError::Required { so_far, .. } = &mut failure {
            *so_far = self.client.secrets().show_beginning(so_far);
        }
        failure
    }

    /// What all hooks are told.
    fn record(&self, params: Option<&Datum>) -> Record {
        Record { statement: self.statement.clone(), params: params.cloned().unwrap_or_default(), log: None }
    }
}

/// What a table's URI needs of the configuration, and the configuration has not.
fn unconfigured(action: &Action) -> Option<String> {
    let template = action.uri.as_ref().ok()?;
    template.parameters().map(|parameter| parameter.name).find(|name| name.starts_with("config."))
}

/// Names and values for hooks.
pub(super) fn pairs(headers: &HeaderMap) -> Vec<(String, String)> {
    headers.iter().map(|(name, value)| (name.as_str().to_owned(), String::from_utf8_lossy(value.as_bytes()).into_owned())).collect()
}

fn content_of(value: &Datum) -> Content {
    match value.view().view() {
        View::Text(text) => Content::Text(text.to_owned()),
        View::Bytes(bytes) => Content::Bytes(bytes.to_vec()),
        _ => Content::Data(value.clone()),
    }
}

fn media_of(opaque: Opaque<'_>) -> Option<String> {
    match opaque.value.view().view() {
        View::Text(_) | View::Bytes(_) => opaque.media.map(str::to_owned),
        _ => Some("application/json".to_owned()),
    }
}

fn bytes_of(content: Content) -> Bytes {
    match content {
        Content::Text(text) => Bytes::from(text),
        Content::Bytes(bytes) => Bytes::from(bytes),
        Content::Data(data) => Bytes::from(data.to_json()),
    }
}

/// A part of the caller's request: an object with its type, name, file, id and body, or the body alone.
fn part(value: &Datum) -> Part {
    let view = value.view();
    let text = |name: &str| view.get(name).and_then(|value| value.as_str().map(str::to_owned));
    match view.get("body") {
        Some(body) => Part {
            content_type: text("type").and_then(|media| HeaderValue::from_str(&media).ok()),
            name: text("name"),
            file: text("file"),
            id: text("id").and_then(|id| HeaderValue::from_str(&id).ok()),
            body: bytes_of(content_of(&body.to_datum())),
        },
        None => Part { body: bytes_of(content_of(value)), ..Part::default() },
    }
}

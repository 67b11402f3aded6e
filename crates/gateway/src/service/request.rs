//! Parameters become requests (specification 8.1 to 8.5, 10).

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{HeaderMap, HeaderValue, Method};
use polywire_core::doc::{Datum, Ref, View};
use polywire_hooks::{Body, Content, Hook, Record, Request as Told};
use polywire_ql::backend::Call;
use polywire_ql::failure::Failure;
use polywire_ql::params::Params;
use polywire_ql::syntax::ast::VerbKind;
use polywire_ql::template::mutable::MutableUri;
use polywire_ql::template::text::Missing;
use polywire_ql::template::uri::UriTemplate;
use polywire_ql::template::{Lookup, scalar_text, walk};

use super::prepare::Prepared;
use super::{Session, problem};
use crate::exchange::headers;
use crate::exchange::message::{Delays, IDLE, Request};
use crate::exchange::multipart::{self, Kind, Part};

/// One call of a table's verb, under way.
pub(super) struct Turn<'t> {
    pub session: &'t Session<'t>,
    pub call: &'t Call<'t>,
    pub prepared: &'t Arc<Prepared>,
}

/// A request that is ready, and the parameters that it was made of.
pub(super) struct Ready {
    pub request: Request,
    /// As hooks left them; none if there are no hooks.
    pub params: Option<Datum>,
}

/// Parameters as hooks changed them, else as the language found them.
struct Values<'v> {
    changed: Option<&'v Datum>,
    found: &'v Params<'v>,
}

impl Lookup for Values<'_> {
    fn lookup(&self, name: &str) -> Option<Datum> {
        match self.changed {
            Some(params) => walk(params.view(), name),
            None => self.found.lookup(name),
        }
    }
}

impl Turn<'_> {
    /// The requests to make, in order. None if a hook wants none.
    pub async fn requests(&self) -> Result<Vec<Ready>, Failure> {
        let mut params = self.needs_params().then(|| self.call.params.to_datum());
        self.validate(params.as_ref()).await?;
        if let Some(module) = &self.prepared.auth {
            let given = params.clone().unwrap_or_default();
            let answered = self.session.service.hooks.authenticate(module, given, self.call.params.config.clone(), None).await;
            // A module that refuses stops the request (D14).
            if let Some(changed) = answered.map_err(problem::of_hook)? {
                params = Some(changed);
            }
        }
        let foreach = self.call.action.body.as_ref().and_then(|body| body.foreach.as_deref());
        let Some(name) = foreach else { return self.of_params(params, self.call.allowed).await };
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
            all.extend(self.of_params(Some(one), self.call.allowed - all.len()).await?);
        }
        Ok(all)
    }

    /// Whether somebody looks at all parameters at once.
    fn needs_params(&self) -> bool {
        self.prepared.patch.is_some() || self.prepared.template.is_some() || self.prepared.auth.is_some()
    }

    async fn validate(&self, params: Option<&Datum>) -> Result<(), Failure> {
        let Some(patch) = self.prepared.patch.as_ref().filter(|patch| patch.has(Hook::ValidateParam)) else { return Ok(()) };
        for (name, value) in &self.call.params.statement {
            let answer = patch.validate_param(self.record(params), name, value.clone()).await.map_err(problem::of_hook)?;
            if !answer.value {
                let shown = scalar_text(value.view()).unwrap_or_else(|| String::from_utf8_lossy(&value.to_json()).into_owned());
                return Err(Failure::new("bad_parameter", format!("Value of {name} \"{shown}\" is not valid")));
            }
        }
        Ok(())
    }

    async fn of_params(&self, mut params: Option<Datum>, allowed: usize) -> Result<Vec<Ready>, Failure> {
        let action = self.call.action;
        let values = Values { changed: params.as_ref(), found: self.call.params };
        let templated = action.uris(&values, allowed)?;
        let mut uris = Vec::with_capacity(templated.len());
        for uri in &templated {
            match self.prepared.patch.as_ref().filter(|patch| patch.has(Hook::PatchUri)) {
                Some(patch) => {
                    let answer = patch.patch_uri(self.record(params.as_ref()), uri).await.map_err(problem::of_hook)?;
                    params = answer.params.or(params);
                    uris.extend(answer.value);
                }
                // What a hook would get, printed again (5.4).
                None => uris.push(MutableUri::read(uri).to_string()),
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
        let action = self.call.action;
        let broken = |what: String| Failure::new("bad_request_made", what).hint("mend the table").uri(uri.clone());
        let method = Method::from_bytes(action.method.to_ascii_uppercase().as_bytes())
            .map_err(|_| broken(format!("no method: {}", action.method)))?;
        let parsed = uri.parse().map_err(|error| broken(format!("no URI: {error}")))?;
        let mut headers = headers::standing(self.prepared.accept.clone());
        headers.insert(&self.session.service.id_header, self.session.id.clone());
        let values = Values { changed: params.as_ref(), found: self.call.params };
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
        let tail = &self.call.tail;
        let millis = |value: Option<u64>, other: Duration| value.map_or(other, Duration::from_millis);
        let usual = Delays::default();
        let request = Request {
            method,
            uri: parsed,
            headers,
            body,
            table: self.call.table.name.clone(),
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
        let action = self.call.action;
        let told = || Told { uri: uri.to_owned(), headers: pairs(headers) };
        let mut body = None;
        if let Some(opaque) = self.call.opaque {
            body = Some(Body {
                content: content_of(opaque),
                media_type: action.body.as_ref().map(|body| body.media.clone()).or_else(|| media_of(opaque)),
            });
        } else if let Some(patch) = self.prepared.patch.as_ref().filter(|patch| patch.has(Hook::BodyTemplate)) {
            let answer = patch.body_template(self.record(params.as_ref()), told()).await.map_err(problem::of_hook)?;
            params = answer.params.or(params);
            body = answer.value;
        }
        if let (None, Some(file), Some(clause)) = (&body, &self.prepared.template, &action.body) {
            let text = if clause.media.eq_ignore_ascii_case("application/x-www-form-urlencoded") && !file.ends_with(".ejs") {
                self.form(file, params.as_ref())?
            } else {
                let record = self.record(params.as_ref());
                self.session.service.hooks.template(file, &clause.media, record, told()).await.map_err(problem::of_hook)?
            };
            body = Some(Body { content: Content::Text(text), media_type: Some(clause.media.clone()) });
        }
        if let (Some(patch), Some(made)) = (self.prepared.patch.as_ref().filter(|patch| patch.has(Hook::PatchBody)), body.clone()) {
            let answer = patch.patch_body(self.record(params.as_ref()), told(), made).await.map_err(problem::of_hook)?;
            params = answer.params.or(params);
            body = answer.value;
        }
        let made = body.map(|body| (body.media_type, bytes_of(body.content)));
        if self.call.parts.is_empty() {
            return Ok((made, params));
        }
        let first = made.map(|(media, bytes)| Part {
            content_type: media.and_then(|media| HeaderValue::from_str(&media).ok()),
            body: bytes,
            ..Part::default()
        });
        let parts: Vec<Part> = first.into_iter().chain(self.call.parts.iter().map(part)).collect();
        let (media, bytes) = multipart::compose(Kind::Related, &parts);
        Ok((Some((media.to_str().ok().map(str::to_owned), bytes)), params))
    }

    /// A form's body: a file with a URI template (specification 8.3).
    fn form(&self, file: &str, params: Option<&Datum>) -> Result<String, Failure> {
        let wrong = |what: String| Failure::new("template", what).hint("mend the table").status(500);
        let path = self.session.service.root.join(file);
        let text = std::fs::read_to_string(path).map_err(|error| wrong(format!("the body template `{file}` cannot be read: {error}")))?;
        let template =
            UriTemplate::read(text.trim()).map_err(|(at, what)| wrong(format!("the body template `{file}`, byte {at}: {what}")))?;
        let values = Values { changed: params, found: self.call.params };
        Ok(template.format(&values, 1)?.into_iter().next().unwrap_or_default())
    }

    /// What all hooks are told.
    pub fn record(&self, params: Option<&Datum>) -> Record {
        let statement = Datum::object([
            ("line", Datum::UInt(self.call.statement.line.into())),
            ("id", Datum::UInt(self.call.statement.id.into())),
            ("type", Datum::from(self.call.statement.kind)),
            ("text", Datum::Text(self.call.statement.text.clone())),
            ("table", Datum::Text(self.call.table.name.clone())),
        ]);
        Record { statement, params: params.cloned().unwrap_or_default(), log: None }
    }
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

fn media_of(value: &Datum) -> Option<String> {
    match value.view().view() {
        View::Text(_) | View::Bytes(_) => None,
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

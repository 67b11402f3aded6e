//! Parameters become requests (docs/spec/ql.md 8.1 to 8.5, 10).

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{HeaderMap, HeaderValue, Method, Uri};
use polywire_doc::{Datum, Ref, View};
use polywire_hooks::{Body, Content, Hook, Record, Request as HookRequest};
use polywire_ql::backend::Opaque;
use polywire_ql::error::QueryError;
use polywire_ql::limits::NestedRequests;
use polywire_ql::params::Params;
use polywire_ql::syntax::ast::{Tail, VerbKind};
use polywire_ql::table::{Action, Table};
use polywire_ql::template::mutable::MutableUri;
use polywire_ql::template::text::Missing;
use polywire_ql::template::uri::{Formatted, UriError, UriTemplate};
use polywire_ql::template::{Lookup, scalar_text, walk};
use tracing::Instrument;

use super::call::{Ready, TableCall, pairs, record};
use super::parameters;
use super::problem;
use super::session::Shared;
use super::shelf::Prepared;
use crate::decode::data_type;
use crate::exchange::headers;
use crate::exchange::message::{Delays, IDLE, Request};
use crate::exchange::multipart::{self, MultipartKind, Part};
use crate::exchange::request_id;

/// Makes the requests of one call. It borrows from the call, or owns everything where it goes to a
/// thread of hooks.
struct RequestMaker<'m> {
    shared: Cow<'m, Arc<Shared>>,
    /// The id of the request.
    id: Cow<'m, HeaderValue>,
    /// True if the caller gave it.
    is_callers: bool,
    prepared: Cow<'m, Arc<Prepared>>,
    table: Cow<'m, Arc<Table>>,
    verb: VerbKind,
    statement: Cow<'m, Datum>,
    tail: Tail,
    /// The body that replaces the template's, and its media type.
    opaque: Option<(Cow<'m, Datum>, Option<Cow<'m, str>>)>,
    parts: Cow<'m, [Datum]>,
    nested: Cow<'m, NestedRequests>,
    /// The parameters of the statement itself.
    named: Cow<'m, [(Arc<str>, Datum)]>,
    config: Cow<'m, Datum>,
    /// The place to look up parameters that nobody has gathered.
    found: Option<&'m Params<'m>>,
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

impl TableCall<'_> {
    /// Makes the requests of the call, in order. There is none if a hook wants none.
    pub async fn requests(&self) -> Result<Vec<Ready>, QueryError> {
        let params = self.needs_params().then(|| self.call.params.to_datum());
        let maker = RequestMaker::new(self);
        match params {
            // One visit to a thread of hooks, not one for each of them.
            Some(params) if self.prepared.hooks_before > 1 => {
                let visit = maker.into_owned().requests(Some(params)).in_current_span();
                self.session.service.shared.hooks.visit(&self.call.table.name, visit).await.map_err(problem::of_hook)?
            }
            params => maker.requests(params).await,
        }
    }
}

impl<'m> RequestMaker<'m> {
    /// Borrows everything from a call.
    fn new(of: &'m TableCall<'m>) -> RequestMaker<'m> {
        let call = of.call;
        RequestMaker {
            shared: Cow::Borrowed(&of.session.service.shared),
            id: Cow::Borrowed(&of.session.id),
            is_callers: of.session.is_callers,
            prepared: Cow::Borrowed(of.prepared),
            table: Cow::Borrowed(call.table),
            verb: call.action.verb,
            statement: Cow::Borrowed(&of.statement),
            tail: call.tail,
            opaque: call.opaque.map(|Opaque { value, media }| (Cow::Borrowed(value), media.map(Cow::Borrowed))),
            parts: Cow::Borrowed(call.parts),
            nested: Cow::Borrowed(call.nested),
            named: Cow::Borrowed(&call.params.statement),
            config: Cow::Borrowed(call.params.config),
            found: Some(call.params),
        }
    }

    /// Owns everything. Parameters must have been gathered: they are not looked up any more.
    fn into_owned(self) -> RequestMaker<'static> {
        fn owned<T: ToOwned + ?Sized>(borrowed: Cow<'_, T>) -> Cow<'static, T> {
            Cow::Owned(borrowed.into_owned())
        }
        RequestMaker {
            shared: owned(self.shared),
            id: owned(self.id),
            is_callers: self.is_callers,
            prepared: owned(self.prepared),
            table: owned(self.table),
            verb: self.verb,
            statement: owned(self.statement),
            tail: self.tail,
            opaque: self.opaque.map(|(value, media)| (owned(value), media.map(owned))),
            parts: owned(self.parts),
            nested: owned(self.nested),
            named: owned(self.named),
            config: owned(self.config),
            found: None,
        }
    }

    async fn requests(self, mut params: Option<Datum>) -> Result<Vec<Ready>, QueryError> {
        let Some(action) = self.table.action(self.verb) else { return Ok(Vec::new()) };
        self.validate(params.as_ref()).await?;
        if let Some(module) = &self.prepared.auth {
            let given = params.clone().unwrap_or_default();
            let answered = self.shared.hooks.authenticate(module, given, Datum::clone(&self.config), None).await;
            // A module that refuses stops the request (ql-D14).
            if let Some(changed) = answered.map_err(problem::of_hook)? {
                params = Some(changed);
            }
        }
        let foreach = action.body.as_ref().and_then(|body| body.foreach.as_deref());
        let Some(name) = foreach else { return self.of_params(action, params).await };
        let each = match params.as_ref().and_then(|params| params.view().get(name)) {
            Some(value) if value.is_list() => value.items().map(Ref::to_datum).collect(),
            Some(value) => vec![value.to_datum()],
            None => Vec::new(),
        };
        self.nested.multiply(each.len())?;
        let mut all = Vec::new();
        for value in each {
            let mut one = params.clone().unwrap_or_default();
            if let Datum::Object(object) = &mut one {
                object.insert(name, value);
            }
            all.extend(self.of_params(action, Some(one)).await?);
        }
        Ok(all)
    }

    async fn validate(&self, params: Option<&Datum>) -> Result<(), QueryError> {
        let Some(patch) = self.prepared.patch.as_ref().filter(|patch| patch.has(Hook::ValidateParam)) else { return Ok(()) };
        for (name, value) in self.named.iter() {
            let answer = patch.validate_param(self.record(params), name, value.clone()).await.map_err(problem::of_hook)?;
            if !answer.value {
                let shown = scalar_text(value.view()).unwrap_or_else(|| String::from_utf8_lossy(&value.to_json()).into_owned());
                return Err(QueryError::new("bad_parameter", format!("Value of {name} \"{shown}\" is not valid")));
            }
        }
        Ok(())
    }

    async fn of_params(&self, action: &Action, mut params: Option<Datum>) -> Result<Vec<Ready>, QueryError> {
        let values = Values { changed: params.as_ref(), found: self.found };
        let allowed = self.nested.allowed();
        let templated = match &action.uri {
            Ok(template) => template.requests(&values, allowed).map_err(|failure| self.without_secrets(failure))?,
            Err(_) => action.uris(&values, allowed)?.into_iter().map(|uri| Formatted { uri, values: 1 }).collect(),
        };
        let mut uris = Vec::with_capacity(templated.len());
        for Formatted { uri, values } in &templated {
            let mut add = |uri| uris.push((uri, *values));
            match self.prepared.patch.as_ref().filter(|patch| patch.has(Hook::PatchUri)) {
                Some(patch) => {
                    let answer = patch.patch_uri(self.record(params.as_ref()), uri).await.map_err(problem::of_hook)?;
                    params = answer.params.or(params);
                    answer.value.into_iter().for_each(add);
                }
                // A hook would get the URI printed again (docs/spec/ql.md 5.4): the text differs
                // only where there is a query.
                None if uri.contains('?') => add(MutableUri::read(uri).to_string()),
                None => add(uri.clone()),
            }
        }
        self.nested.multiply(uris.len())?;
        let mut all = Vec::with_capacity(uris.len());
        for (uri, values) in uris {
            all.push(self.of_uri(action, uri, values, params.clone()).await?);
        }
        Ok(all)
    }

    async fn of_uri(&self, action: &Action, uri: String, count: usize, mut params: Option<Datum>) -> Result<Ready, QueryError> {
        let broken = |what: String| {
            let failure = QueryError::new("bad_request_made", what).hint("mend the table");
            match uri.parse::<Uri>() {
                Ok(parsed) => failure.uri(self.shared.client.secrets().show(&parsed)),
                // The places of its secrets are unknown.
                Err(_) => failure,
            }
        };
        let method = Method::from_bytes(action.method.to_ascii_uppercase().as_bytes())
            .map_err(|_| broken(format!("invalid method: {}", action.method)))?;
        let parsed = uri.parse().map_err(|error| {
            let failure = broken(format!("invalid URI: {error}"));
            match unconfigured(action) {
                Some(name) => failure.hint(format!("the configuration has no `{}`", name.trim_start_matches("config."))),
                None => failure,
            }
        })?;
        let mut headers = headers::standing(self.prepared.accept.clone());
        let values = Values { changed: params.as_ref(), found: self.found };
        let named: Vec<(&str, String)> =
            action.headers.iter().map(|(name, template)| (name.as_str(), template.format(&values, Missing::Drop))).collect();
        headers::add(&mut headers, named.iter().map(|(name, value)| (*name, value.as_str()))).map_err(&broken)?;
        if let Some(soap) = &self.prepared.soap {
            soap.set_headers(&mut headers).map_err(&broken)?;
        }
        self.identify(&mut headers, &named);
        if let Some(patch) = self.prepared.patch.as_ref().filter(|patch| patch.has(Hook::PatchHeaders)) {
            let given = HookRequest { uri: uri.clone(), headers: pairs(&headers) };
            let answer = patch.patch_headers(self.record(params.as_ref()), given).await.map_err(problem::of_hook)?;
            params = answer.params.or(params);
            headers = HeaderMap::new();
            headers::add(&mut headers, answer.value.iter().map(|(name, value)| (name.as_str(), value.as_str()))).map_err(&broken)?;
        }
        let mut body = Bytes::new();
        if !matches!(method, Method::GET | Method::HEAD) {
            let (made, changed) = self.body(action, &uri, &headers, params.clone()).await?;
            params = changed.or(params);
            if let Some((media, bytes)) = made {
                body = bytes;
                if let Some(media) = media.filter(|_| !headers.contains_key(CONTENT_TYPE)) {
                    headers
                        .insert(CONTENT_TYPE, HeaderValue::from_str(&media).map_err(|_| broken(format!("invalid media type: {media}")))?);
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
        Ok(Ready { request, params, values: count })
    }

    /// Sets the id of the request (docs/spec/ql.md 8.2): the caller's, the table's, or a fresh one.
    fn identify(&self, headers: &mut HeaderMap, named: &[(&str, String)]) {
        let header = &self.shared.id_header;
        let is_id = |name: &str| name.eq_ignore_ascii_case(header.as_str()) || name.eq_ignore_ascii_case("request-id");
        let of_table = named.iter().find(|(name, value)| is_id(name.trim()) && !value.trim().is_empty());
        let id = match of_table.filter(|_| !self.is_callers) {
            Some((_, value)) => request_id::outgoing(Some(value.trim()), &self.shared.mark),
            None => HeaderValue::clone(&self.id),
        };
        headers.insert(header, id);
    }

    /// Makes the body with its media type, and the parameters if a hook changed them.
    async fn body(
        &self,
        action: &Action,
        uri: &str,
        headers: &HeaderMap,
        mut params: Option<Datum>,
    ) -> Result<(Option<(Option<String>, Bytes)>, Option<Datum>), QueryError> {
        let given = || HookRequest { uri: uri.to_owned(), headers: pairs(headers) };
        let mut body = None;
        let is_written = self.prepared.encoder.is_some() || self.prepared.soap.is_some();
        let object = self.opaque.as_ref().filter(|(value, _)| is_written && value.view().is_object());
        if let Some((value, media)) = self.opaque.as_ref().filter(|_| object.is_none()) {
            body = Some(Body {
                content: content_of(value),
                media_type: action.body.as_ref().map(|body| body.media.clone()).or_else(|| media_of(value, media.as_deref())),
            });
        } else if let Some(patch) = self.prepared.patch.as_ref().filter(|patch| patch.has(Hook::BodyTemplate)) {
            let answer = patch.body_template(self.record(params.as_ref()), given()).await.map_err(problem::of_hook)?;
            params = answer.params.or(params);
            body = answer.value;
        }
        if let (None, Some(file), Some(clause)) = (&body, &self.prepared.template, &action.body) {
            let text = match &self.prepared.form {
                Some(Ok(template)) => self.form(template, params.as_ref())?,
                Some(Err(failure)) => return Err(failure.clone()),
                None => {
                    let record = self.record(params.as_ref());
                    self.shared.hooks.template(file, &clause.media, record, given).await.map_err(problem::of_hook)?
                }
            };
            body = Some(Body { content: Content::Text(text), media_type: Some(clause.media.clone()) });
        }
        let value = || match object {
            Some((value, _)) => value.clone().into_owned(),
            None => parameters::value(action, &self.named, params.as_ref(), &Values { changed: params.as_ref(), found: self.found }),
        };
        if let (None, Some(encoder)) = (&body, &self.prepared.encoder) {
            body = Some(parameters::encode(encoder, &value(), headers)?);
        }
        if let Some(soap) = &self.prepared.soap {
            body = Some(soap.wrap(body, value)?);
        }
        if let Some(patch) = self.prepared.patch.as_ref().filter(|patch| patch.has(Hook::PatchBody)) {
            let answer = patch.patch_body(self.record(params.as_ref()), given(), body).await.map_err(problem::of_hook)?;
            params = answer.params.or(params);
            body = answer.value;
        }
        let made = body.map(|body| Ok::<_, QueryError>((body.media_type, bytes_of(body.content)?))).transpose()?;
        if self.parts.is_empty() {
            return Ok((made, params));
        }
        let first = made.map(|(media, bytes)| Part {
            content_type: media.and_then(|media| HeaderValue::from_str(&media).ok()),
            body: bytes,
            ..Part::default()
        });
        let parts: Vec<Part> = first.map(Ok).into_iter().chain(self.parts.iter().map(part)).collect::<Result<_, QueryError>>()?;
        let (media, bytes) = multipart::compose(MultipartKind::Related, &parts);
        Ok((Some((media.to_str().ok().map(str::to_owned), bytes)), params))
    }

    /// Makes the body of a form.
    fn form(&self, template: &UriTemplate, params: Option<&Datum>) -> Result<String, QueryError> {
        let values = Values { changed: params, found: self.found };
        let made = template.format(&values, 1).map_err(|failure| self.without_secrets(failure))?;
        Ok(made.into_iter().next().unwrap_or_default())
    }

    /// Hides secrets of the table and the configuration in the beginning of a template that cannot
    /// be filled.
    fn without_secrets(&self, mut failure: UriError) -> UriError {
        if let UriError::Required { so_far, .. } = &mut failure {
            *so_far = self.shared.client.secrets().show_beginning(so_far);
        }
        failure
    }

    /// Returns the facts that every hook gets.
    fn record(&self, params: Option<&Datum>) -> Record {
        record(&self.statement, params)
    }
}

/// Returns a name in a table's URI that the configuration lacks.
fn unconfigured(action: &Action) -> Option<String> {
    let template = action.uri.as_ref().ok()?;
    template.parameters().map(|parameter| parameter.name).find(|name| name.starts_with("config."))
}

fn content_of(value: &Datum) -> Content {
    match value.view().view() {
        View::Text(text) => Content::Text(text.to_owned()),
        View::Bytes(bytes) => Content::Bytes(bytes.to_vec()),
        _ => Content::Data(value.clone()),
    }
}

fn media_of(value: &Datum, media: Option<&str>) -> Option<String> {
    match value.view().view() {
        View::Text(_) | View::Bytes(_) => media.map(str::to_owned),
        _ => Some(data_type().to_owned()),
    }
}

/// The longest body that is made of a value, in bytes. A value may share its parts, and be longer
/// as text than in memory.
const MOST_BODY: usize = 64 << 20;

fn bytes_of(content: Content) -> Result<Bytes, QueryError> {
    match content {
        Content::Text(text) => Ok(Bytes::from(text)),
        Content::Bytes(bytes) => Ok(Bytes::from(bytes)),
        Content::Data(data) => data.to_json_within(MOST_BODY).map(Bytes::from).ok_or_else(|| {
            QueryError::new("too_much_memory", format!("the body of a request to a service has more than {MOST_BODY} bytes"))
                .status(422)
                .hint("send less")
        }),
    }
}

/// Makes a part of the caller's value: an object with its type, name, file, id and body, or the
/// body alone.
fn part(value: &Datum) -> Result<Part, QueryError> {
    let view = value.view();
    let text = |name: &str| view.get(name).and_then(|value| value.as_str().map(str::to_owned));
    Ok(match view.get("body") {
        Some(body) => Part {
            content_type: text("type").and_then(|media| HeaderValue::from_str(&media).ok()),
            name: text("name"),
            file: text("file"),
            id: text("id").and_then(|id| HeaderValue::from_str(&id).ok()),
            body: bytes_of(content_of(&body.to_datum()))?,
        },
        None => Part { body: bytes_of(content_of(value))?, ..Part::default() },
    })
}

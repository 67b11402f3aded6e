//! The hooks before the request.

use polywire_doc::Datum;
use rquickjs::{Object, Value};

use super::name::Hook;
use super::patch::Patch;
use super::record::{Answer, Record};
use super::wire::{Body, Headers, body_in, body_out, headers_in, headers_out};
use crate::pool::Call;
use crate::sandbox::ModuleCall;

/// The request as hooks see it once its URI is known.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// The URI.
    pub uri: String,
    /// The headers so far.
    pub headers: Headers,
}

/// The members that `compute key` gets besides the record.
#[derive(Debug, Clone, Default)]
pub struct CacheKey {
    /// Name of the table.
    pub table: String,
    /// The HTTP method.
    pub method: String,
    /// The URI.
    pub uri: String,
    /// The headers.
    pub headers: Headers,
    /// The body, if there is one.
    pub body: Option<Body>,
    /// Name of the header with the request's id, which must not be part of a key.
    pub request_id_name: String,
}

impl Patch {
    /// Calls `validate param`: returns whether `value` is valid for the parameter `name`; true
    /// without the hook.
    pub fn validate_param(&self, record: Record, name: &str, value: Datum) -> Call<Answer<bool>> {
        if !self.has(Hook::ValidateParam) {
            return Answer::default_of(true);
        }
        let name = name.to_string();
        self.ask_with(
            Hook::ValidateParam,
            None,
            record,
            |_, _| Ok(()),
            move |call| Ok(Some(vec![rquickjs::String::from_str(call.ctx.clone(), &name)?.into_value(), call.inward(value.view())?])),
            |call, given| Ok(call.truth_of(&given)?),
        )
    }

    /// Calls `patch uri`: returns the URIs of the requests, several for a fan-out, none for no
    /// request; `uri` itself without the hook. A URI that goes through the hook is parsed and
    /// printed again (docs/spec/ql.md 5.4).
    pub fn patch_uri(&self, record: Record, uri: &str) -> Call<Answer<Vec<String>>> {
        let uri = uri.to_string();
        if !self.has(Hook::PatchUri) {
            return Answer::default_of(vec![uri]);
        }
        self.ask(
            Hook::PatchUri,
            Some("uri"),
            record,
            move |call, record| Ok(record.set("uri", call.call::<_, Value<'_>>("mutableUri", (uri,))?)?),
            |call, given| Ok(call.call("addresses", (given,))?),
        )
    }

    /// Calls `patch headers`: returns the headers of the request; those of `request` without the
    /// hook.
    pub fn patch_headers(&self, record: Record, request: Request) -> Call<Answer<Headers>> {
        if !self.has(Hook::PatchHeaders) {
            return Answer::default_of(request.headers);
        }
        self.ask(
            Hook::PatchHeaders,
            Some("headers"),
            record,
            move |call, record| Ok(request.fill(call, record)?),
            |call, given| headers_out(call, &given),
        )
    }

    /// Calls `body template`: returns the body; `None` without the hook, or if it returns nothing.
    pub fn body_template(&self, record: Record, request: Request) -> Call<Answer<Option<Body>>> {
        if !self.has(Hook::BodyTemplate) {
            return Answer::default_of(None);
        }
        self.ask(
            Hook::BodyTemplate,
            None,
            record,
            move |call, record| Ok(request.fill(call, record)?),
            |call, given| body_out(call, &given),
        )
    }

    /// Calls `patch body`: returns the body to send in place of `body`; `body` without the hook.
    /// Where there is no body yet, the hook gets one without content and type.
    pub fn patch_body(&self, record: Record, request: Request, body: Option<Body>) -> Call<Answer<Option<Body>>> {
        if !self.has(Hook::PatchBody) {
            return Answer::default_of(body);
        }
        self.ask(
            Hook::PatchBody,
            Some("body"),
            record,
            move |call, record| {
                request.fill(call, record)?;
                Ok(record.set("body", body_in(call, body)?)?)
            },
            |call, given| body_out(call, &given),
        )
    }

    /// Calls `compute key`: returns the key of the reply in the cache; `None`, for the usual key,
    /// without the hook or if it returns nothing.
    pub fn compute_key(&self, record: Record, key: CacheKey) -> Call<Answer<Option<String>>> {
        if !self.has(Hook::ComputeKey) {
            return Answer::default_of(None);
        }
        self.ask(
            Hook::ComputeKey,
            None,
            record,
            move |call, record| {
                record.set("table", key.table)?;
                record.set("method", key.method)?;
                record.set("uri", key.uri)?;
                record.set("headers", headers_in(call, &key.headers)?)?;
                record.set("reqIdName", key.request_id_name)?;
                if let Some(body) = key.body {
                    record.set("body", body_in(call, Some(body))?)?;
                }
                Ok(())
            },
            |call, given| call.text_of(&given),
        )
    }
}

impl Request {
    fn fill<'js>(&self, call: &ModuleCall<'_, 'js>, record: &Object<'js>) -> rquickjs::Result<()> {
        record.set("uri", self.uri.as_str())?;
        record.set("headers", headers_in(call, &self.headers)?)
    }
}

//! The hooks before the request.

use polywire_doc::Datum;
use rquickjs::{Object, String as JsString, Value};

use super::args::HookArgs;
use super::name::Hook;
use super::patch::Patch;
use super::record::{Answer, Record};
use super::wire::{Body, Headers, body_in, body_out, headers_in, headers_out};
use crate::engine::Raised;
use crate::pool::Call;
use crate::sandbox::ModuleCall;
use crate::wire::wire_fields;

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
        self.ask(record, ValidateArgs { name: name.to_string(), value })
    }

    /// Calls `patch uri`: returns the URIs of the requests, several for a fan-out, none for no
    /// request; `uri` itself without the hook. A URI that goes through the hook is parsed and
    /// printed again (docs/spec/ql.md 5.4).
    pub fn patch_uri(&self, record: Record, uri: &str) -> Call<Answer<Vec<String>>> {
        let uri = uri.to_string();
        if !self.has(Hook::PatchUri) {
            return Answer::default_of(vec![uri]);
        }
        self.ask(record, UriArgs { uri })
    }

    /// Calls `patch headers`: returns the headers of the request; those of `request` without the
    /// hook.
    pub fn patch_headers(&self, record: Record, request: Request) -> Call<Answer<Headers>> {
        if !self.has(Hook::PatchHeaders) {
            return Answer::default_of(request.headers);
        }
        self.ask(record, HeadersArgs { request })
    }

    /// Calls `body template`: returns the body; `None` without the hook, or if it returns nothing.
    pub fn body_template(&self, record: Record, request: Request) -> Call<Answer<Option<Body>>> {
        if !self.has(Hook::BodyTemplate) {
            return Answer::default_of(None);
        }
        self.ask(record, TemplateArgs { request })
    }

    /// Calls `patch body`: returns the body to send in place of `body`; `body` without the hook.
    /// Where there is no body yet, the hook gets one without content and type.
    pub fn patch_body(&self, record: Record, request: Request, body: Option<Body>) -> Call<Answer<Option<Body>>> {
        if !self.has(Hook::PatchBody) {
            return Answer::default_of(body);
        }
        self.ask(record, BodyArgs { request, body })
    }

    /// Calls `compute key`: returns the key of the reply in the cache; `None`, for the usual key,
    /// without the hook or if it returns nothing.
    pub fn compute_key(&self, record: Record, key: CacheKey) -> Call<Answer<Option<String>>> {
        if !self.has(Hook::ComputeKey) {
            return Answer::default_of(None);
        }
        self.ask(record, KeyArgs { key })
    }
}

wire_fields!(Request { uri, headers });
wire_fields!(CacheKey { table, method, uri, headers, body, request_id_name });

impl Request {
    fn fill<'js>(&self, call: &ModuleCall<'_, 'js>, record: &Object<'js>) -> rquickjs::Result<()> {
        record.set("uri", self.uri.as_str())?;
        record.set("headers", headers_in(call, &self.headers)?)
    }
}

/// The arguments of `validate param`.
pub(crate) struct ValidateArgs {
    name: String,
    value: Datum,
}

wire_fields!(ValidateArgs { name, value });

impl HookArgs for ValidateArgs {
    type Value = bool;

    const HOOK: Hook = Hook::ValidateParam;

    fn fill<'js>(&self, _: &ModuleCall<'_, 'js>, _: &Object<'js>) -> Result<(), Raised> {
        Ok(())
    }

    fn more<'js>(&self, call: &ModuleCall<'_, 'js>) -> rquickjs::Result<Option<Vec<Value<'js>>>> {
        let name = JsString::from_str(call.ctx.clone(), &self.name)?.into_value();
        Ok(Some(vec![name, call.inward(self.value.view())?]))
    }

    fn read<'js>(call: &ModuleCall<'_, 'js>, given: Value<'js>) -> Result<bool, Raised> {
        Ok(call.truth_of(&given)?)
    }
}

/// The arguments of `patch uri`.
pub(crate) struct UriArgs {
    uri: String,
}

wire_fields!(UriArgs { uri });

impl HookArgs for UriArgs {
    type Value = Vec<String>;

    const HOOK: Hook = Hook::PatchUri;
    const FIELD: Option<&'static str> = Some("uri");

    fn fill<'js>(&self, call: &ModuleCall<'_, 'js>, record: &Object<'js>) -> Result<(), Raised> {
        Ok(record.set("uri", call.call::<_, Value<'_>>("mutableUri", (self.uri.as_str(),))?)?)
    }

    fn read<'js>(call: &ModuleCall<'_, 'js>, given: Value<'js>) -> Result<Vec<String>, Raised> {
        Ok(call.call("addresses", (given,))?)
    }
}

/// The arguments of `patch headers`.
pub(crate) struct HeadersArgs {
    request: Request,
}

wire_fields!(HeadersArgs { request });

impl HookArgs for HeadersArgs {
    type Value = Headers;

    const HOOK: Hook = Hook::PatchHeaders;
    const FIELD: Option<&'static str> = Some("headers");

    fn fill<'js>(&self, call: &ModuleCall<'_, 'js>, record: &Object<'js>) -> Result<(), Raised> {
        Ok(self.request.fill(call, record)?)
    }

    fn read<'js>(call: &ModuleCall<'_, 'js>, given: Value<'js>) -> Result<Headers, Raised> {
        headers_out(call, &given)
    }
}

/// The arguments of `body template`.
pub(crate) struct TemplateArgs {
    request: Request,
}

wire_fields!(TemplateArgs { request });

impl HookArgs for TemplateArgs {
    type Value = Option<Body>;

    const HOOK: Hook = Hook::BodyTemplate;

    fn fill<'js>(&self, call: &ModuleCall<'_, 'js>, record: &Object<'js>) -> Result<(), Raised> {
        Ok(self.request.fill(call, record)?)
    }

    fn read<'js>(call: &ModuleCall<'_, 'js>, given: Value<'js>) -> Result<Option<Body>, Raised> {
        body_out(call, &given)
    }
}

/// The arguments of `patch body`.
pub(crate) struct BodyArgs {
    request: Request,
    body: Option<Body>,
}

wire_fields!(BodyArgs { request, body });

impl HookArgs for BodyArgs {
    type Value = Option<Body>;

    const HOOK: Hook = Hook::PatchBody;
    const FIELD: Option<&'static str> = Some("body");

    fn fill<'js>(&self, call: &ModuleCall<'_, 'js>, record: &Object<'js>) -> Result<(), Raised> {
        self.request.fill(call, record)?;
        Ok(record.set("body", body_in(call, self.body.as_ref())?)?)
    }

    fn read<'js>(call: &ModuleCall<'_, 'js>, given: Value<'js>) -> Result<Option<Body>, Raised> {
        body_out(call, &given)
    }
}

/// The arguments of `compute key`.
pub(crate) struct KeyArgs {
    key: CacheKey,
}

wire_fields!(KeyArgs { key });

impl HookArgs for KeyArgs {
    type Value = Option<String>;

    const HOOK: Hook = Hook::ComputeKey;

    fn fill<'js>(&self, call: &ModuleCall<'_, 'js>, record: &Object<'js>) -> Result<(), Raised> {
        let key = &self.key;
        record.set("table", key.table.as_str())?;
        record.set("method", key.method.as_str())?;
        record.set("uri", key.uri.as_str())?;
        record.set("headers", headers_in(call, &key.headers)?)?;
        record.set("reqIdName", key.request_id_name.as_str())?;
        if let Some(body) = &key.body {
            record.set("body", body_in(call, Some(body))?)?;
        }
        Ok(())
    }

    fn read<'js>(call: &ModuleCall<'_, 'js>, given: Value<'js>) -> Result<Option<String>, Raised> {
        call.text_of(&given)
    }
}

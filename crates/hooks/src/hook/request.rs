//! The hooks before the request.

use polywire_doc::Datum;
use rquickjs::Value;

use super::wire::{body_in, body_out, headers_in, headers_out};
use super::{Answer, Body, Headers, Hook, Patch, Record};
use crate::pool::Call;

/// What hooks are told of a request once its address is known.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// The address.
    pub uri: String,
    /// The headers as far as they are known.
    pub headers: Headers,
}

/// What `compute key` is told besides the record.
#[derive(Debug, Clone, Default)]
pub struct CacheKey {
    /// Name of the table.
    pub table: String,
    /// The HTTP method.
    pub method: String,
    /// The address.
    pub uri: String,
    /// The headers.
    pub headers: Headers,
    /// The body, if there is one.
    pub body: Option<Body>,
    /// Name of the header that holds the request's id, which has no place in a key.
    pub request_id_name: String,
}

impl Patch {
    /// `validate param`: whether `value` is good for the parameter `name`; yes without the hook.
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
            move |turn| Ok(Some(vec![rquickjs::String::from_str(turn.ctx.clone(), &name)?.into_value(), turn.inward(value.view())?])),
            |turn, given| Ok(turn.truth_of(&given)?),
        )
    }

    /// `patch uri`: the addresses to ask, several for a fan-out, none for no request at all. The address itself without the hook. What goes through the hook is parsed and printed
    /// again (specification 5.4).
    pub fn patch_uri(&self, record: Record, uri: &str) -> Call<Answer<Vec<String>>> {
        let uri = uri.to_string();
        if !self.has(Hook::PatchUri) {
            return Answer::default_of(vec![uri]);
        }
        self.ask(
            Hook::PatchUri,
            Some("uri"),
            record,
            move |turn, told| Ok(told.set("uri", turn.call::<_, Value<'_>>("mutableUri", (uri,))?)?),
            |turn, given| Ok(turn.call("addresses", (given,))?),
        )
    }

    /// `patch headers`: the headers of the request; what was given without the hook.
    pub fn patch_headers(&self, record: Record, request: Request) -> Call<Answer<Headers>> {
        if !self.has(Hook::PatchHeaders) {
            return Answer::default_of(request.headers);
        }
        self.ask(
            Hook::PatchHeaders,
            Some("headers"),
            record,
            move |turn, told| Ok(request.tell(turn, told)?),
            |turn, given| headers_out(turn, &given),
        )
    }

    /// `body template`: the body; `None` without the hook, or if it gives nothing.
    pub fn body_template(&self, record: Record, request: Request) -> Call<Answer<Option<Body>>> {
        if !self.has(Hook::BodyTemplate) {
            return Answer::default_of(None);
        }
        self.ask(Hook::BodyTemplate, None, record, move |turn, told| Ok(request.tell(turn, told)?), |turn, given| body_out(turn, &given))
    }

    /// `patch body`: the body in place of `body`, which is given back without the hook.
    pub fn patch_body(&self, record: Record, request: Request, body: Body) -> Call<Answer<Option<Body>>> {
        if !self.has(Hook::PatchBody) {
            return Answer::default_of(Some(body));
        }
        self.ask(
            Hook::PatchBody,
            Some("body"),
            record,
            move |turn, told| {
                request.tell(turn, told)?;
                Ok(told.set("body", body_in(turn, body)?)?)
            },
            |turn, given| body_out(turn, &given),
        )
    }

    /// `compute key`: the key of the reply in the cache; `None` without the hook, or if it gives nothing: then the usual key is to be taken.
    pub fn compute_key(&self, record: Record, key: CacheKey) -> Call<Answer<Option<String>>> {
        if !self.has(Hook::ComputeKey) {
            return Answer::default_of(None);
        }
        self.ask(
            Hook::ComputeKey,
            None,
            record,
            move |turn, told| {
                told.set("table", key.table)?;
                told.set("method", key.method)?;
                told.set("uri", key.uri)?;
                told.set("headers", headers_in(turn, &key.headers)?)?;
                told.set("reqIdName", key.request_id_name)?;
                if let Some(body) = key.body {
                    told.set("body", body_in(turn, body)?)?;
                }
                Ok(())
            },
            |turn, given| turn.text_of(&given),
        )
    }
}

impl Request {
    fn tell<'js>(&self, turn: &crate::engine::Turn<'_, 'js>, told: &rquickjs::Object<'js>) -> rquickjs::Result<()> {
        told.set("uri", self.uri.as_str())?;
        told.set("headers", headers_in(turn, &self.headers)?)
    }
}

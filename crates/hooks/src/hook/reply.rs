//! The hooks after the request.

use bytes::Bytes;
use polywire_doc::Datum;
use rquickjs::{Array, Object, Value};

use super::args::HookArgs;
use super::name::Hook;
use super::patch::Patch;
use super::record::{Answer, Record};
use super::reply_body::ReplyBody;
use super::wire::{Body, Headers, body_out, headers_in};
use crate::engine::{Parsed, Raised};
use crate::pool::Call;
use crate::sandbox::ModuleCall;
use crate::task::Source;
use crate::wire::wire_fields;

/// The reply as hooks see it.
#[derive(Debug, Clone, Default)]
pub struct Reply {
    /// The URI of the request.
    pub uri: String,
    /// The HTTP status.
    pub status: u16,
    /// The headers of the reply.
    pub headers: Headers,
}

impl Patch {
    /// Calls `parse response`: returns the body as text, bytes or a structure, and its media type
    /// if that differs from the header. Returns `None`, for the usual decoding, without the hook or
    /// if it returns nothing. The hook also gets the total length, as `length`.
    pub fn parse_response(&self, record: Record, reply: Reply, body: Vec<Bytes>) -> Call<Answer<Option<Body>>> {
        if !self.has(Hook::ParseResponse) {
            return Answer::default_of(None);
        }
        self.ask(record, ParseArgs { reply, body })
    }

    /// Calls `patch mediaType`: returns the media type to read the text of a reply by; `None`, for
    /// that of the header, without the hook or if it returns nothing.
    pub fn patch_media_type(&self, record: Record, reply: Reply, text: &str) -> Call<Answer<Option<String>>> {
        if !self.has(Hook::PatchMediaType) {
            return Answer::default_of(None);
        }
        self.ask(record, MediaTypeArgs { reply, text: text.to_string() })
    }

    /// Calls `patch status`: returns the status that counts; that of the reply without the hook.
    pub fn patch_status(&self, record: Record, reply: Reply, body: impl Into<Parsed>) -> Call<Answer<u16>> {
        if !self.has(Hook::PatchStatus) {
            return Answer::default_of(reply.status);
        }
        self.ask(record, StatusArgs { reply, body: ReplyBody::new(body.into(), self.seen()) })
    }

    /// Calls `patch response`: returns the body in place of `body`; `body` without the hook. A body
    /// that the hook has not changed is the same value as before. So is a value in it that the hook
    /// returns unchanged, if its [`Part`](crate::Part) suffices.
    pub fn patch_response(&self, record: Record, reply: Reply, body: impl Into<Parsed>) -> Call<Answer<Datum>> {
        let body = body.into();
        if !self.has(Hook::PatchResponse) {
            return Answer::default_of(body.value);
        }
        self.ask(record, ResponseArgs { reply, body: ReplyBody::new(body, self.seen()) })
    }
}

wire_fields!(Reply { uri, status, headers });

impl Reply {
    fn fill<'js>(&self, call: &ModuleCall<'_, 'js>, record: &Object<'js>) -> rquickjs::Result<()> {
        record.set("uri", self.uri.as_str())?;
        record.set("status", self.status)?;
        record.set("headers", headers_in(call, &self.headers)?)
    }
}

/// The arguments of `parse response`.
pub(crate) struct ParseArgs {
    reply: Reply,
    body: Vec<Bytes>,
}

wire_fields!(ParseArgs { reply, body });

impl HookArgs for ParseArgs {
    type Value = Option<Body>;

    const HOOK: Hook = Hook::ParseResponse;

    fn fill<'js>(&self, call: &ModuleCall<'_, 'js>, record: &Object<'js>) -> Result<(), Raised> {
        self.reply.fill(call, record)?;
        let list = Array::new(call.ctx.clone())?;
        record.set("length", self.body.iter().map(Bytes::len).sum::<usize>())?;
        for (index, part) in self.body.iter().enumerate() {
            list.set(index, call.bytes(part)?)?;
        }
        Ok(record.set("body", list)?)
    }

    fn read<'js>(call: &ModuleCall<'_, 'js>, given: Value<'js>) -> Result<Option<Body>, Raised> {
        body_out(call, &given)
    }
}

/// The arguments of `patch mediaType`.
pub(crate) struct MediaTypeArgs {
    reply: Reply,
    text: String,
}

wire_fields!(MediaTypeArgs { reply, text });

impl HookArgs for MediaTypeArgs {
    type Value = Option<String>;

    const HOOK: Hook = Hook::PatchMediaType;

    fn fill<'js>(&self, call: &ModuleCall<'_, 'js>, record: &Object<'js>) -> Result<(), Raised> {
        self.reply.fill(call, record)?;
        Ok(record.set("body", self.text.as_str())?)
    }

    fn read<'js>(call: &ModuleCall<'_, 'js>, given: Value<'js>) -> Result<Option<String>, Raised> {
        call.text_of(&given)
    }
}

/// The arguments of `patch status`.
pub(crate) struct StatusArgs {
    reply: Reply,
    body: ReplyBody,
}

wire_fields!(StatusArgs { reply, body });

impl HookArgs for StatusArgs {
    type Value = u16;

    const HOOK: Hook = Hook::PatchStatus;
    const FIELD: Option<&'static str> = Some("status");

    fn fill<'js>(&self, call: &ModuleCall<'_, 'js>, record: &Object<'js>) -> Result<(), Raised> {
        self.reply.fill(call, record)?;
        Ok(record.set("body", call.parsed(&self.body.parsed)?)?)
    }

    fn read<'js>(call: &ModuleCall<'_, 'js>, given: Value<'js>) -> Result<u16, Raised> {
        let number = match call.text_of(&given)? {
            Some(text) => text.trim().parse().ok().filter(|status| (100..1000).contains(status)),
            None => None,
        };
        number.ok_or_else(|| call.answer_error("patch status has to return a number from 100 to 999"))
    }

    fn source(&self) -> Option<&dyn Source> {
        Some(&self.body)
    }
}

/// The arguments of `patch response`.
pub(crate) struct ResponseArgs {
    reply: Reply,
    body: ReplyBody,
}

wire_fields!(ResponseArgs { reply, body });

impl HookArgs for ResponseArgs {
    type Value = Datum;

    const HOOK: Hook = Hook::PatchResponse;
    const FIELD: Option<&'static str> = Some("body");

    fn fill<'js>(&self, call: &ModuleCall<'_, 'js>, record: &Object<'js>) -> Result<(), Raised> {
        self.reply.fill(call, record)?;
        Ok(record.set("body", call.parsed(&self.body.parsed)?)?)
    }

    fn read<'js>(call: &ModuleCall<'_, 'js>, given: Value<'js>) -> Result<Datum, Raised> {
        Ok(call.outward_parsed(&given)?.unwrap_or(Datum::Null))
    }

    fn source(&self) -> Option<&dyn Source> {
        Some(&self.body)
    }
}

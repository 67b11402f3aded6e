//! The hooks after the request.

use bytes::Bytes;
use polywire_doc::Datum;
use rquickjs::{Array, Object};

use super::name::Hook;
use super::patch::Patch;
use super::record::{Answer, Record};
use super::wire::{Body, Headers, body_out, headers_in};
use crate::engine::Parsed;
use crate::pool::Call;
use crate::sandbox::ModuleCall;

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
        self.ask(
            Hook::ParseResponse,
            None,
            record,
            move |call, record| {
                reply.fill(call, record)?;
                let list = Array::new(call.ctx.clone())?;
                record.set("length", body.iter().map(Bytes::len).sum::<usize>())?;
                for (index, part) in body.into_iter().enumerate() {
                    list.set(index, call.bytes(&part)?)?;
                }
                Ok(record.set("body", list)?)
            },
            |call, given| body_out(call, &given),
        )
    }

    /// Calls `patch mediaType`: returns the media type to read the text of a reply by; `None`, for
    /// that of the header, without the hook or if it returns nothing.
    pub fn patch_media_type(&self, record: Record, reply: Reply, text: &str) -> Call<Answer<Option<String>>> {
        if !self.has(Hook::PatchMediaType) {
            return Answer::default_of(None);
        }
        let text = text.to_string();
        self.ask(
            Hook::PatchMediaType,
            None,
            record,
            move |call, record| {
                reply.fill(call, record)?;
                Ok(record.set("body", text)?)
            },
            |call, given| call.text_of(&given),
        )
    }

    /// Calls `patch status`: returns the status that counts; that of the reply without the hook.
    pub fn patch_status(&self, record: Record, reply: Reply, body: impl Into<Parsed>) -> Call<Answer<u16>> {
        let body = body.into();
        if !self.has(Hook::PatchStatus) {
            return Answer::default_of(reply.status);
        }
        self.ask(
            Hook::PatchStatus,
            Some("status"),
            record,
            move |call, record| {
                reply.fill(call, record)?;
                Ok(record.set("body", call.parsed(&body)?)?)
            },
            |call, given| {
                let number = match call.text_of(&given)? {
                    Some(text) => text.trim().parse().ok().filter(|status| (100..1000).contains(status)),
                    None => None,
                };
                number.ok_or_else(|| call.answer_error("patch status has to return a number from 100 to 999"))
            },
        )
    }

    /// Calls `patch response`: returns the body in place of `body`; `body` without the hook. A body
    /// that the hook has not changed is the same value as before. So is a value in it that the hook
    /// returns unchanged, if its [`Part`](crate::Part) suffices.
    pub fn patch_response(&self, record: Record, reply: Reply, body: impl Into<Parsed>) -> Call<Answer<Datum>> {
        let body = body.into();
        if !self.has(Hook::PatchResponse) {
            return Answer::default_of(body.value);
        }
        self.ask(
            Hook::PatchResponse,
            Some("body"),
            record,
            move |call, record| {
                reply.fill(call, record)?;
                Ok(record.set("body", call.parsed(&body)?)?)
            },
            |call, given| Ok(call.outward_parsed(&given)?.unwrap_or(Datum::Null)),
        )
    }
}

impl Reply {
    fn fill<'js>(&self, call: &ModuleCall<'_, 'js>, record: &Object<'js>) -> rquickjs::Result<()> {
        record.set("uri", self.uri.as_str())?;
        record.set("status", self.status)?;
        record.set("headers", headers_in(call, &self.headers)?)
    }
}

//! The hooks after the request.

use bytes::Bytes;
use polywire_doc::Datum;
use rquickjs::{Array, Object};

use super::wire::{body_out, headers_in};
use super::{Answer, Body, Headers, Hook, Parsed, Patch, Record};
use crate::engine::Turn;
use crate::pool::Call;

/// What hooks are told of a reply.
#[derive(Debug, Clone, Default)]
pub struct Reply {
    /// The address that was asked.
    pub uri: String,
    /// The HTTP status.
    pub status: u16,
    /// The headers of the reply.
    pub headers: Headers,
}

impl Patch {
    /// `parse response`: the body as text, bytes or a structure, and its media type if that is another than the header says. `None` without the hook, or if it gives nothing: then the body is to be
    /// decoded in the usual way. The hook is told the total length too, as `length`.
    pub fn parse_response(&self, record: Record, reply: Reply, body: Vec<Bytes>) -> Call<Answer<Option<Body>>> {
        if !self.has(Hook::ParseResponse) {
            return Answer::default_of(None);
        }
        self.ask(
            Hook::ParseResponse,
            None,
            record,
            move |turn, told| {
                reply.tell(turn, told)?;
                let list = Array::new(turn.ctx.clone())?;
                told.set("length", body.iter().map(Bytes::len).sum::<usize>())?;
                for (index, part) in body.into_iter().enumerate() {
                    list.set(index, turn.bytes(&part)?)?;
                }
                Ok(told.set("body", list)?)
            },
            |turn, given| body_out(turn, &given),
        )
    }

    /// `patch mediaType`: the media type that the text of a reply is to be read as; `None` without the hook, or if it gives nothing: then that of the header.
    pub fn patch_media_type(&self, record: Record, reply: Reply, text: &str) -> Call<Answer<Option<String>>> {
        if !self.has(Hook::PatchMediaType) {
            return Answer::default_of(None);
        }
        let text = text.to_string();
        self.ask(
            Hook::PatchMediaType,
            None,
            record,
            move |turn, told| {
                reply.tell(turn, told)?;
                Ok(told.set("body", text)?)
            },
            |turn, given| turn.text_of(&given),
        )
    }

    /// `patch status`: the status that counts; that of the reply without the hook.
    pub fn patch_status(&self, record: Record, reply: Reply, body: impl Into<Parsed>) -> Call<Answer<u16>> {
        let body = body.into();
        if !self.has(Hook::PatchStatus) {
            return Answer::default_of(reply.status);
        }
        self.ask(
            Hook::PatchStatus,
            Some("status"),
            record,
            move |turn, told| {
                reply.tell(turn, told)?;
                Ok(told.set("body", turn.parsed(&body)?)?)
            },
            |turn, given| {
                let number = match turn.text_of(&given)? {
                    Some(text) => text.trim().parse().ok().filter(|status| (100..1000).contains(status)),
                    None => None,
                };
                number.ok_or_else(|| turn.answer_error("patch status has to give back a number from 100 to 999"))
            },
        )
    }

    /// `patch response`: the body in place of `body`, which is given back without the hook. A body that the hook has not changed is the same value as before, and so is a value in it that the hook gives
    /// back unchanged, if its [`Part`](super::Part) suffices.
    pub fn patch_response(&self, record: Record, reply: Reply, body: impl Into<Parsed>) -> Call<Answer<Datum>> {
        let body = body.into();
        if !self.has(Hook::PatchResponse) {
            return Answer::default_of(body.value);
        }
        self.ask(
            Hook::PatchResponse,
            Some("body"),
            record,
            move |turn, told| {
                reply.tell(turn, told)?;
                Ok(told.set("body", turn.parsed(&body)?)?)
            },
            |turn, given| Ok(turn.outward_parsed(&given)?.unwrap_or(Datum::Null)),
        )
    }
}

impl Reply {
    fn tell<'js>(&self, turn: &Turn<'_, 'js>, told: &Object<'js>) -> rquickjs::Result<()> {
        told.set("uri", self.uri.as_str())?;
        told.set("status", self.status)?;
        told.set("headers", headers_in(turn, &self.headers)?)
    }
}

//! Replies become data (docs/spec/ql.md 8.11, 9, 10).

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use http::header::CONTENT_TYPE;
use polywire_doc::{Datum, Wanted};
use polywire_hooks::{Hook, Parsed, Part, Reply as HookReply};
use polywire_ql::backend::Reply;
use polywire_ql::error::QueryError;

use super::call::{Ready, TableCall, pairs};
use super::part::PartOf;
use super::problem;
use super::rpc::Rpc;
use super::send::Raw;
use crate::decode::Decoder;

impl TableCall<'_> {
    /// Returns the data of a reply, or the failure that it means.
    pub async fn read(&self, raw: Raw, ready: &Ready, reply: &mut Reply) -> Result<Datum, QueryError> {
        let patch = self.prepared.patch.as_ref();
        let has = |hook| patch.filter(|patch| patch.has(hook));
        let mut media = raw.headers.get(CONTENT_TYPE).map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned());
        if let Some(patch) = has(Hook::PatchMediaType) {
            let text = String::from_utf8_lossy(&raw.body);
            let answer = patch.patch_media_type(self.record(ready.params.as_ref()), self.for_hooks(&raw, ready), &text).await;
            media = answer.map_err(problem::of_hook)?.value.or(media);
        }
        let ok = is_success(raw.status.as_u16());
        let hooked = has(Hook::PatchStatus).is_some() || has(Hook::PatchResponse).is_some();
        let wanted = match (ok, hooked) {
            // The body of an error is shown as a whole.
            (false, _) => Cow::Owned(Wanted::everything()),
            (true, true) => Cow::Owned(self.prepared.looked.wanted(&self.call.wanted.looked_at())),
            (true, false) => Cow::Borrowed(self.call.wanted),
        };
        let parsed = match (&raw.parsed, &self.prepared.transformer) {
            (Some(parsed), _) => Some(parsed.clone()),
            (None, Some(transformer)) => match self.transform(transformer, &raw, media.as_deref(), &reply.uri).await {
                Ok(value) => Some(value),
                // The body of an error need not be in the transformer's format.
                Err(_) if !ok => Some(Datum::text(String::from_utf8_lossy(&raw.body))),
                Err(failure) => return Err(failure),
            },
            (None, None) => None,
        };
        let in_hand = parsed.is_some();
        let decoded = match parsed {
            Some(parsed) => Ok((parsed, 0)),
            None => {
                let span = tracing::info_span!("decode", bytes = raw.body.len(), skipped = tracing::field::Empty);
                let decoded = span.in_scope(|| self.prepared.decoder.decode(&raw.body, media.as_deref(), &wanted));
                decoded.map(|decoded| {
                    span.record("skipped", decoded.skipped);
                    (decoded.value, decoded.skipped)
                })
            }
        };
        let mut value = match decoded {
            Ok((value, skipped)) => {
                reply.bytes_skipped = skipped;
                let rpc = self.prepared.encoder.as_ref().and_then(|_| Rpc::of(&ready.request.headers));
                if rpc == Some(Rpc::Grpc) { first_message(value) } else { value }
            }
            // The body of an error need not be in the table's format.
            Err(_) if !ok => match Decoder::by_media_type().decode(&raw.body, media.as_deref(), &wanted) {
                Ok(decoded) => decoded.value,
                Err(error) => Datum::text(error.source_text()),
            },
            Err(error) => return Err(problem::of_decoder(&error, &reply.uri, raw.status.as_u16())),
        };
        let mut status = raw.status.as_u16();
        if !hooked {
            return outcome(value, status, reply);
        }
        let part = (!in_hand && !wanted.is_everything()).then(|| {
            Arc::new(PartOf {
                prepared: self.prepared.clone(),
                body: raw.body.clone(),
                media,
                wanted: wanted.into_owned(),
                of_script: self.call.wanted.looked_at(),
                whole: OnceLock::new(),
            })
        });
        let parsed = |value| Parsed { value, part: part.clone().map(|part| part as Arc<dyn Part>) };
        // A hook may have caught the error, and gone on with a wrong value.
        let readable = |reply: &mut Reply| match part.as_ref().and_then(|part| part.whole.get()) {
            Some(Ok(whole)) => {
                reply.bytes_skipped = whole.skipped;
                Ok(())
            }
            Some(Err(error)) => Err(problem::of_decoder(error, &reply.uri, raw.status.as_u16())),
            None => Ok(()),
        };
        if let Some(patch) = has(Hook::PatchStatus) {
            let answer = patch.patch_status(self.record(ready.params.as_ref()), self.for_hooks(&raw, ready), parsed(value.clone())).await;
            readable(reply)?;
            status = answer.map_err(problem::of_hook)?.value;
        }
        if let (false, Some(part)) = (is_success(status), &part) {
            if let Ok(whole) = part.all() {
                value = whole.value.clone();
            }
            readable(reply)?;
        }
        if let Some(patch) = has(Hook::PatchResponse) {
            let answer = patch.patch_response(self.record(ready.params.as_ref()), self.for_hooks(&raw, ready), parsed(value)).await;
            readable(reply)?;
            value = answer.map_err(problem::of_hook)?.value;
        }
        outcome(value, status, reply)
    }
    /// Returns the facts about a reply that hooks get.
    pub fn for_hooks(&self, raw: &Raw, ready: &Ready) -> HookReply {
        HookReply { uri: ready.request.uri.to_string(), status: raw.status.as_u16(), headers: pairs(&raw.headers) }
    }
}

/// Returns a body, or the failure that its status means.
fn outcome(value: Datum, status: u16, reply: &Reply) -> Result<Datum, QueryError> {
    if is_success(status) {
        return Ok(value);
    }
    Err(QueryError::new("upstream_status", format!("The service answered with the status {status}"))
        .uri(reply.uri.clone())
        .upstream(status)
        .body(value))
}

/// Returns the only message of a gRPC reply, which is read as a list of messages.
fn first_message(value: Datum) -> Datum {
    match value.view().index(0) {
        Some(message) if value.view().is_list() => message.to_datum(),
        _ => value,
    }
}

/// Statuses 200 to 300 mean success (docs/spec/ql.md 8.11).
fn is_success(status: u16) -> bool {
    (200..=300).contains(&status)
}

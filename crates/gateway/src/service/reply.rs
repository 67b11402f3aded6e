//! Replies become data (specification 8.11, 9, 10).

use http::header::CONTENT_TYPE;
use polywire_core::doc::{Datum, Wanted};
use polywire_hooks::{Hook, Reply as Told};
use polywire_ql::backend::Reply;
use polywire_ql::failure::Failure;

use super::problem;
use super::request::{Ready, Turn, pairs};
use super::send::Raw;
use crate::decode::Decoder;

impl Turn<'_> {
    /// The data of a reply, or the failure that it means.
    pub async fn read(&self, raw: Raw, ready: &Ready, reply: &mut Reply) -> Result<Datum, Failure> {
        let patch = self.prepared.patch.as_ref();
        let has = |hook| patch.filter(|patch| patch.has(hook));
        let mut media = raw.headers.get(CONTENT_TYPE).map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned());
        if let Some(patch) = has(Hook::PatchMediaType) {
            let text = String::from_utf8_lossy(&raw.body);
            let answer = patch.patch_media_type(self.record(ready.params.as_ref()), self.told(&raw, ready), &text).await;
            media = answer.map_err(problem::of_hook)?.value.or(media);
        }
        let everything = Wanted::everything();
        let ok = is_success(raw.status.as_u16());
        // Hooks may look at anything, and the body of an error is shown as a whole.
        let whole = !ok || has(Hook::PatchStatus).is_some() || has(Hook::PatchResponse).is_some();
        let wanted = if whole { &everything } else { self.call.wanted };
        let decoded = match &raw.parsed {
            Some(parsed) => Ok((parsed.clone(), 0)),
            None => {
                let span = tracing::info_span!("decode", bytes = raw.body.len(), skipped = tracing::field::Empty);
                let decoded = span.in_scope(|| self.prepared.decoder.decode(&raw.body, media.as_deref(), wanted));
                decoded.map(|decoded| {
                    span.record("skipped", decoded.skipped);
                    (decoded.value, decoded.skipped)
                })
            }
        };
        let mut value = match decoded {
            Ok((value, skipped)) => {
                reply.bytes_skipped = skipped;
                value
            }
            // The body of an error need not be what the table says of its replies.
            Err(_) if !ok => match Decoder::by_media_type().decode(&raw.body, media.as_deref(), &everything) {
                Ok(decoded) => decoded.value,
                Err(error) => Datum::text(error.source_text()),
            },
            Err(error) => return Err(problem::of_decoder(&error, &reply.uri, raw.status.as_u16())),
        };
        let mut status = raw.status.as_u16();
        if let Some(patch) = has(Hook::PatchStatus) {
            let answer = patch.patch_status(self.record(ready.params.as_ref()), self.told(&raw, ready), value.clone()).await;
            status = answer.map_err(problem::of_hook)?.value;
        }
        if let Some(patch) = has(Hook::PatchResponse) {
            let answer = patch.patch_response(self.record(ready.params.as_ref()), self.told(&raw, ready), value).await;
            value = answer.map_err(problem::of_hook)?.value;
        }
        if is_success(status) {
            return Ok(value);
        }
        Err(Failure::new("upstream_status", format!("The service answered with the status {status}"))
            .uri(reply.uri.clone())
            .upstream(status)
            .body(value))
    }

    /// What hooks are told of a reply.
    pub fn told(&self, raw: &Raw, ready: &Ready) -> Told {
        Told { uri: ready.request.uri.to_string(), status: raw.status.as_u16(), headers: pairs(&raw.headers) }
    }
}

/// Statuses 200 to 300 mean success (specification 8.11).
fn is_success(status: u16) -> bool {
    (200..=300).contains(&status)
}

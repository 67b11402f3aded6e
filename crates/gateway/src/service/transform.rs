//! Replies that a transformer reads (docs/spec/ql.md 9).

use polywire_doc::{Datum, Object};
use polywire_hooks::{Content, Transformer};
use polywire_ql::error::QueryError;

use super::call::{TableCall, pairs};
use super::problem;
use super::send::Raw;
use crate::decode::body_text;

impl TableCall<'_> {
    /// Returns a reply as a transformer reads it. The transformer gets text where the character set
    /// allows it, else bytes. A blank body is an empty object without its help.
    pub async fn transform(&self, transformer: &Transformer, raw: &Raw, media: Option<&str>, uri: &str) -> Result<Datum, QueryError> {
        if raw.body.iter().all(u8::is_ascii_whitespace) {
            return Ok(Datum::Object(Object::default()));
        }
        let content = match body_text(&raw.body, media) {
            Some(text) => Content::Text(text),
            None => Content::Bytes(raw.body.to_vec()),
        };
        let made = transformer.to_json(content, pairs(&raw.headers), None).await;
        made.map(Option::unwrap_or_default).map_err(|error| {
            // A thrown error says more than the text that it could not read.
            let threw = error.thrown().is_some();
            let failure = problem::of_hook(error).uri(uri).upstream(raw.status.as_u16());
            if threw { failure } else { failure.body(Datum::text(String::from_utf8_lossy(&raw.body))) }
        })
    }
}

//! The body of a caller's request as data (spec 12, "bodies understood").

use std::collections::HashMap;

use bytes::Bytes;
use polywire_core::Limits;
use polywire_doc::{Datum, Object, Wanted};

use super::charset;
use super::decoder::Decoder;
use super::failure::Undecodable;
use super::media_type::{BodyType, json};
use super::parts::{self, Kind};

/// What a caller's body holds.
#[derive(Debug, Clone, Default)]
pub struct Content {
    /// The body; none if nothing was sent.
    pub body: Option<Datum>,
    /// The body as it was sent, text or bytes, where it is not JSON and not of several parts.
    pub sent: Option<Datum>,
    /// The parts behind it, of a body of several.
    pub parts: Vec<Datum>,
}

const FORM: &str = "application/x-www-form-urlencoded";

/// The body as data, with its parts, if it has several: `multipart/form-data`, `related` and `mixed`. All else as [`request_body`].
///
/// # Errors
/// As [`request_body`].
pub fn content(body: &Bytes, content_type: Option<&str>, limits: &Limits) -> Result<Content, Undecodable> {
    match content_type.and_then(|text| Some((Kind::of(&BodyType::parse(Some(text)).essence)?, text))) {
        Some((kind, content_type)) => parts::parts(kind, body, content_type, limits),
        None => {
            let is_json = match (BodyType::parse(content_type).format(), json()) {
                (Some(format), Some(json)) => format.name == json.name,
                _ => false,
            };
            let sent = (!is_json).then(|| parts::raw(body, content_type));
            Ok(Content { body: Some(request_body(body, content_type, limits)?), sent, parts: Vec::new() })
        }
    }
}

/// The body as data: a form as an object of texts, repeated names as lists; every format of the registry by its media type, markup by the same mapping as
/// in replies; anything else
/// is opaque, its bytes as they came.
///
/// # Errors
/// It is not what its media type says, or beyond `limits`.
pub fn request_body(body: &Bytes, content_type: Option<&str>, limits: &Limits) -> Result<Datum, Undecodable> {
    let body_type = BodyType::parse(content_type);
    if body_type.essence == FORM {
        let (text, _) = charset::to_utf8(body, &body_type).map_err(|error| Undecodable::Wrong { error, body: body.clone() })?;
        return Ok(form(&text));
    }
    if content_type.is_some_and(|text| !text.trim().is_empty()) && body_type.format().is_none() {
        return Ok(Datum::Bytes(body.as_ref().into()));
    }
    Decoder::by_media_type().limits(*limits).decode(body, content_type, &Wanted::everything()).map(|decoded| decoded.value)
}

fn form(text: &[u8]) -> Datum {
    fields(form_urlencoded::parse(text).map(|(name, value)| (name.into_owned(), Datum::text(&*value))))
}

/// Fields as an object; repeated names become lists.
pub(crate) fn fields(pairs: impl IntoIterator<Item = (String, Datum)>) -> Datum {
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut members: Vec<(String, Vec<Datum>)> = Vec::new();
    for (name, value) in pairs {
        match places.get(&name) {
            Some(&at) => members[at].1.push(value),
            None => {
                places.insert(name.clone(), members.len());
                members.push((name, vec![value]));
            }
        }
    }
    let one_or_all = |mut values: Vec<Datum>| match values.len() {
        1 => values.swap_remove(0),
        _ => Datum::from(values),
    };
    let object: Object = members.into_iter().map(|(name, values)| (name, one_or_all(values))).collect();
    Datum::Object(object)
}

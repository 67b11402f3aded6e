//! The body of a caller's request as data (docs/spec/ql.md 12, "bodies understood").

use bytes::Bytes;
use polywire_core::{Error, ErrorKind, Limits};
use polywire_doc::{Datum, Object, Wanted};
use polywire_formats::registry;

use super::charset;
use super::decoder::Decoder;
use super::failure::Undecodable;
use super::fields::fields;
use super::media_type::BodyType;
use super::parts::{Part, Parts, PartsKind, parts, raw};

/// The contents of a caller's body.
#[derive(Debug, Clone, Default)]
pub struct Content {
    /// The body; none if nothing was sent.
    pub body: Option<Datum>,
    /// The body as it was sent, text or bytes, where it is not JSON and not of several parts.
    pub sent: Option<Datum>,
    /// The parts behind the first, for a body of several.
    pub parts: Vec<Datum>,
}

const FORM: &str = "application/x-www-form-urlencoded";

/// Returns the body as data, with its parts for `multipart/form-data`, `related` and `mixed`. Other
/// bodies are read as by [`request_body`].
///
/// # Errors
/// As [`request_body`].
pub fn content(body: &Bytes, content_type: Option<&str>, limits: &Limits) -> Result<Content, Undecodable> {
    match content_type.and_then(|text| Some((PartsKind::of(&BodyType::parse(Some(text)).essence)?, text))) {
        Some((kind, content_type)) => several(kind, body, content_type, limits),
        None => {
            let is_json = BodyType::parse(content_type).format().is_some_and(|format| format.name == registry::DATA.name);
            let sent = (!is_json).then(|| raw(body, content_type));
            Ok(Content { body: Some(request_body(body, content_type, limits)?), sent, parts: Vec::new() })
        }
    }
}

/// Returns the root part as the body, and the others as objects with `type`, `name`, `file`, `id`
/// (the `Content-ID`), as far as they are known, and `body`. If a form begins with a plain field,
/// the body is the object of all plain fields; those behind the first are parts as well.
fn several(kind: PartsKind, body: &Bytes, content_type: &str, limits: &Limits) -> Result<Content, Undecodable> {
    let wrong = |error: Error| Undecodable::Wrong { error, body: body.clone() };
    let Parts { root, others } = parts(kind, body, content_type).map_err(wrong)?;
    let content = match root {
        None => Datum::Object(Object::default()),
        Some(root) if kind == PartsKind::FormData && root.is_plain() => {
            let plain = std::iter::once(&root).chain(&others).filter(|part| part.is_plain());
            fields(plain.map(|part| (part.name.clone().unwrap_or_default(), part.raw())))
        }
        Some(root) => root_of(&root, limits)?,
    };
    Ok(Content { body: Some(content), parts: others.into_iter().map(Part::into_datum).collect(), ..Content::default() })
}

/// Reads the root part as a whole body would be read. Without a type it is JSON if it can be, else
/// text (RFC 2046 5.1).
fn root_of(part: &Part, limits: &Limits) -> Result<Datum, Undecodable> {
    match &part.content_type {
        Some(content_type) => request_body(&part.body, Some(content_type), limits),
        None => Ok(request_body(&part.body, None, limits).unwrap_or_else(|_| part.raw())),
    }
}

/// Returns the body as data. A form is an object of texts, with lists for repeated names. Formats
/// of the registry are read by their media types, markup by the mapping of replies. Anything else
/// is opaque: its bytes.
///
/// # Errors
/// The body is not in the format of its media type, or exceeds `limits`.
pub fn request_body(body: &Bytes, content_type: Option<&str>, limits: &Limits) -> Result<Datum, Undecodable> {
    let body_type = BodyType::parse(content_type);
    if body_type.essence == FORM {
        let (text, _) = charset::to_utf8(body, &body_type).map_err(|error| Undecodable::Wrong { error, body: body.clone() })?;
        return form(&text).map_err(|error| Undecodable::Wrong { error, body: body.clone() });
    }
    if content_type.is_some_and(|text| !text.trim().is_empty()) && body_type.format().is_none() {
        return Ok(Datum::Bytes(body.as_ref().into()));
    }
    Decoder::by_media_type().limits(*limits).decode(body, content_type, &Wanted::everything()).map(|decoded| decoded.value)
}

/// The most fields of a form. Each takes as much work as kilobytes of text.
const MOST_FIELDS: usize = 100_000;

fn form(text: &[u8]) -> Result<Datum, Error> {
    let count = text.iter().filter(|byte| **byte == b'&').count() + 1;
    if count > MOST_FIELDS {
        return Err(Error::data(ErrorKind::Limit, 0).seen(format!("a form of {count} fields")).expected(format!("at most {MOST_FIELDS}")));
    }
    Ok(fields(form_urlencoded::parse(text).map(|(name, value)| (name.into_owned(), Datum::text(&*value)))))
}

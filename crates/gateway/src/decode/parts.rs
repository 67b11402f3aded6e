//! Bodies of several parts (RFC 2046 5.1, RFC 2387, RFC 7578), as callers send them
//! (docs/spec/ql.md 12).

use std::convert::Infallible;

use bytes::Bytes;
use futures_util::FutureExt;
use http::header::{CONTENT_TYPE, HeaderName};
use mediatype::{MediaType, Name};
use memchr::memmem;
use multer::{Field, Multipart};
use polywire_core::{Error, ErrorKind, Fault};
use polywire_doc::Datum;

use super::media_type::BodyType;

/// The most parts of one body.
const MOST: usize = 1000;

/// The longest boundary (RFC 2046 5.1.1).
const BOUNDARY: usize = 70;

const CONTENT_ID: HeaderName = HeaderName::from_static("content-id");
const TRANSFER_ENCODING: HeaderName = HeaderName::from_static("content-transfer-encoding");

/// The relation of the parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PartsKind {
    /// The first one is the body.
    Mixed,
    /// One is the body: the first, or the one that `start` names.
    Related,
    /// The fields of a form.
    FormData,
}

impl PartsKind {
    /// Returns the kind that a media type names; `None` for kinds that are not understood.
    pub fn of(essence: &str) -> Option<PartsKind> {
        match essence {
            "multipart/mixed" => Some(PartsKind::Mixed),
            "multipart/related" => Some(PartsKind::Related),
            "multipart/form-data" => Some(PartsKind::FormData),
            _ => None,
        }
    }
}

/// One part.
#[derive(Debug, Default)]
pub(super) struct Part {
    pub content_type: Option<String>,
    pub name: Option<String>,
    pub file: Option<String>,
    pub id: Option<String>,
    pub body: Bytes,
}

impl Part {
    /// Returns true for a field of a form that holds a value, not a document.
    pub fn is_plain(&self) -> bool {
        self.name.is_some() && self.file.is_none() && self.content_type.is_none()
    }

    /// Returns the contents unread.
    pub fn raw(&self) -> Datum {
        raw(&self.body, self.content_type.as_deref())
    }

    pub fn into_datum(self) -> Datum {
        let body = self.raw();
        let named = [("type", self.content_type), ("name", self.name), ("file", self.file), ("id", self.id)];
        let named = named.into_iter().filter_map(|(name, value)| Some((name, Datum::from(value?))));
        Datum::object(named.chain([("body", body)]))
    }
}

/// Returns a body unread: as text if it is UTF-8 and its type allows text, else as bytes.
pub(super) fn raw(body: &Bytes, content_type: Option<&str>) -> Datum {
    let body_type = content_type.map(|text| BodyType::parse(Some(text)));
    let is_text = body_type.is_none_or(|body_type| {
        let utf8 = body_type.charset.as_deref().is_none_or(|charset| charset.eq_ignore_ascii_case("utf-8"));
        utf8 && body_type.is_text()
    });
    match std::str::from_utf8(body) {
        Ok(text) if is_text => Datum::text(text),
        _ => Datum::Bytes(body.as_ref().into()),
    }
}

/// The parts of a body: the one that is the body itself, none if there are no parts, and the others
/// in their order.
#[derive(Debug, Default)]
pub(super) struct Parts {
    pub root: Option<Part>,
    pub others: Vec<Part>,
}

/// Splits a body of several parts.
///
/// # Errors
/// The media type has no boundary, the body is not split by it, or the part that `start` names is
/// missing.
pub(super) fn parts(kind: PartsKind, body: &Bytes, content_type: &str) -> Result<Parts, Error> {
    let parameter = |name: &str| {
        let parsed = MediaType::parse(content_type).ok()?;
        let name = Name::new(name)?;
        parsed.params.iter().find(|(known, _)| *known == name).map(|(_, value)| value.unquoted_str().into_owned())
    };
    let boundary = parameter("boundary").filter(|boundary| (1..=BOUNDARY).contains(&boundary.len()));
    let Some(boundary) = boundary else {
        return Err(bad("a media type without a boundary").expected("boundary=, with 1 to 70 characters").hint("RFC 2046 5.1.1"));
    };
    let mut others = split(body, boundary)?;
    if others.is_empty() {
        return Ok(Parts::default());
    }
    let root = match (kind, parameter("start")) {
        (PartsKind::Related, Some(start)) => {
            let root = others.iter().position(|part| part.id.as_deref() == Some(start.as_str()));
            root.ok_or_else(|| bad(format!("start={start}")).expected("the Content-ID of a part").hint("RFC 2387 3.2"))?
        }
        _ => 0,
    };
    Ok(Parts { root: Some(others.remove(root)), others })
}

fn split(body: &Bytes, boundary: String) -> Result<Vec<Part>, Error> {
    // The body is complete, so that no step waits.
    let pieces = headed(body, &boundary).into_iter().map(Ok::<Bytes, Infallible>);
    let mut fields = Multipart::new(futures_util::stream::iter(pieces), boundary);
    let read = async {
        let mut parts = Vec::new();
        while let Some(field) = fields.next_field().await.map_err(|error| broken(parts.len(), &error))? {
            if parts.len() == MOST {
                return Err(Error::new(ErrorKind::Limit, Fault::Data)
                    .seen("a body with more parts")
                    .expected(format!("at most {MOST} parts")));
            }
            parts.push(part(field, parts.len()).await?);
        }
        Ok(parts)
    };
    read.now_or_never().unwrap_or_else(|| Err(Error::internal("parts that are waited for")))
}

/// Returns the body with a head for each part that has none: multer needs one, RFC 2046 5.1 does
/// not.
fn headed(body: &Bytes, boundary: &str) -> Vec<Bytes> {
    let bare = format!("--{boundary}\r\n\r\n");
    let mut pieces = Vec::new();
    let mut from = 0;
    for at in memmem::find_iter(body, bare.as_bytes()).filter(|at| *at == 0 || body[..*at].ends_with(b"\r\n")).take(MOST + 1) {
        let end = at + bare.len() - 2;
        pieces.extend([body.slice(from..end), Bytes::from_static(b"x-bare: 1\r\n")]);
        from = end;
    }
    pieces.push(body.slice(from..));
    pieces
}

async fn part(field: Field<'_>, number: usize) -> Result<Part, Error> {
    let text = |name: HeaderName| field.headers().get(name).map(|value| String::from_utf8_lossy(value.as_bytes()).trim().to_owned());
    // HTTP's bodies are bytes already (RFC 7578 4.7): an encoded part must not pass as an unencoded
    // one.
    if let Some(encoding) = text(TRANSFER_ENCODING)
        && !["7bit", "8bit", "binary"].iter().any(|known| encoding.eq_ignore_ascii_case(known))
    {
        return Err(bad(format!("part {number} with Content-Transfer-Encoding: {encoding}"))
            .expected("the bytes themselves")
            .hint("leave it out"));
    }
    Ok(Part {
        content_type: text(CONTENT_TYPE).filter(|text| !text.is_empty()),
        id: text(CONTENT_ID).filter(|text| !text.is_empty()),
        name: field.name().map(str::to_owned),
        file: field.file_name().map(str::to_owned),
        body: field.bytes().await.map_err(|error| broken(number, &error))?,
    })
}

fn bad(seen: impl Into<std::borrow::Cow<'static, str>>) -> Error {
    Error::new(ErrorKind::Syntax, Fault::Data).seen(seen)
}

fn broken(number: usize, error: &multer::Error) -> Error {
    bad(format!("part {number}: {error}")).expected("parts between lines of -- and the boundary")
}

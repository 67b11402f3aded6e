//! Bodies that cannot be read.

use std::fmt;

use bytes::Bytes;
use polywire_core::Error;

/// The reason why a body is not read.
#[derive(Debug)]
pub enum Undecodable {
    /// No format has its media type (docs/spec/ql.md 9: `No transformer available`).
    UnknownType {
        /// The part before the slash.
        kind: String,
        /// The part after it.
        subtype: String,
        /// The body.
        body: Bytes,
    },
    /// It is not what its media type says.
    Wrong {
        /// The error, with its place.
        error: Error,
        /// The body.
        body: Bytes,
    },
}

impl Undecodable {
    pub(super) fn unknown(essence: &str, body: &Bytes) -> Undecodable {
        let (kind, subtype) = essence.split_once('/').unwrap_or((essence, ""));
        Undecodable::UnknownType { kind: kind.to_string(), subtype: subtype.to_string(), body: body.clone() }
    }

    /// Returns the error's text, without the origin of the body.
    pub fn what(&self) -> String {
        match self {
            Undecodable::UnknownType { kind, subtype, .. } => format!("no format has the media type {kind}/{subtype}"),
            Undecodable::Wrong { error, .. } => error.to_string(),
        }
    }

    /// Returns the body as it came, for whoever looks for the cause; bytes that are no text are
    /// replaced.
    pub fn source_text(&self) -> String {
        let (Undecodable::UnknownType { body, .. } | Undecodable::Wrong { body, .. }) = self;
        String::from_utf8_lossy(body).into_owned()
    }
}

impl fmt::Display for Undecodable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Undecodable::UnknownType { kind, subtype, .. } => {
                write!(f, "No transformer available for the media type {kind}/{subtype}; name a format in the table by `using decoder`")
            }
            Undecodable::Wrong { error, .. } => write!(f, "the reply cannot be read: {error}"),
        }
    }
}

impl std::error::Error for Undecodable {}

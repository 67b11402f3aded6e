//! Errors of decoders (docs/spec/extprot.md 5.6).

use std::borrow::Cow;
use std::fmt;

use polywire_core::{Error, ErrorKind};

pub use polywire_extprot_runtime::{Cause, Limits as SizeLimits, Size};

/// Reason why a message is refused, with the offset and the path of the field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecodeError {
    /// Kind of error.
    pub cause: Cause,
    /// Offset of the refused value in the message. For [`Cause::UnexpectedEnd`], the offset where
    /// the composite or the input ends.
    pub at: usize,
    /// Names of messages, variants and fields, outermost first (docs/spec/extprot.md 5.6).
    pub path: Vec<String>,
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, at byte {}", self.cause, self.at)?;
        if self.path.is_empty() { Ok(()) } else { write!(f, ", in {}", self.path.join("/")) }
    }
}

impl std::error::Error for DecodeError {}

impl DecodeError {
    /// Converts the error into the error of a walk over a message at offset `base` of a stream.
    pub fn into_error(self, base: u64) -> Error {
        let kind = match self.cause {
            Cause::UnexpectedEnd => ErrorKind::Truncated,
            Cause::LimitExceeded(..) => ErrorKind::Limit,
            Cause::VintOverflow => ErrorKind::Range,
            _ => ErrorKind::Syntax,
        };
        let expected: Cow<'static, str> = match (self.path.is_empty(), self.cause) {
            (true, _) => "a value".into(),
            (false, Cause::UnexpectedEnd) => format!("the rest of {}", self.path.join("/")).into(),
            (false, _) => self.path.join("/").into(),
        };
        Error::data(kind, base + self.at as u64).seen(self.cause.to_string()).expected(expected)
    }
}

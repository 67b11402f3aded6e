//! Parts of a document (docs/spec/usds.md 5.1 to 5.3).

use std::ops::Range;

use crate::dictionary::Identity;
use crate::error::{DecodeError, Problem, Revision};
use crate::events::Extent;
use crate::wire::signature::body_revision;
use crate::wire::{self, codes};

/// The head of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Head {
    /// Identity of the dictionary.
    pub identity: Identity,
    /// Range of the head.
    pub at: Extent,
}

/// The parts of a document.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Parts {
    /// The head.
    pub head: Option<Head>,
    /// Contents of the dictionary section.
    pub dictionary: Option<Range<usize>>,
    /// Revision by the signature of the body, and the range of its entries after the signature.
    pub body: Option<(Revision, Range<usize>)>,
}

/// Returns the head at the start of `bytes` with the size in it; `None` if `bytes` start with
/// another part.
fn head(bytes: &[u8], revision: Revision) -> Result<Option<(Head, usize)>, DecodeError> {
    let refused = |problem, at| DecodeError::new(problem, revision, if problem == Problem::End { bytes.len() } else { at });
    match bytes.first() {
        None => return Err(refused(Problem::Empty, 0)),
        Some(first) if *first != codes::HEAD[0] => return Ok(None),
        Some(_) => {}
    }
    for (at, expected) in codes::HEAD.iter().enumerate() {
        match bytes.get(at) {
            None => return Err(refused(Problem::End, at)),
            Some(byte) if byte != expected => return Err(refused(Problem::Document, at)),
            Some(_) => {}
        }
    }
    let (id, at) = wire::array(bytes, 4).map_err(|problem| refused(problem, 4))?;
    let ([major, minor], at) = wire::array(bytes, at).map_err(|problem| refused(problem, at))?;
    let (size, end) = wire::size(bytes, at).map_err(|problem| refused(problem, at))?;
    let head = Head { identity: Identity { id: u32::from_le_bytes(id), major, minor }, at: Extent { start: 0, end } };
    Ok(Some((head, size as usize)))
}

/// Returns the parts of a complete document. `revision` is that of error codes, unless the bytes
/// determine another.
///
/// # Errors
/// The bytes are not a document, or not one of the size in the head.
pub fn split(bytes: &[u8], revision: Revision) -> Result<Parts, DecodeError> {
    let mut parts = Parts::default();
    let mut at = 0;
    if let Some((head, size)) = head(bytes, revision)? {
        at = head.at.end;
        parts.head = Some(head);
        match bytes.len() - at {
            left if left < size => {
                let revision = shown_revision(bytes, at).unwrap_or(revision);
                return Err(DecodeError::new(Problem::End, revision, bytes.len()).seen(format!("the end after {left} of {size} bytes")));
            }
            left if left > size => {
                let seen = format!("{} bytes after the {size} that the head announces", left - size);
                return Err(DecodeError::new(Problem::Document, revision, at + size).seen(seen));
            }
            0 => return Ok(parts),
            _ => {}
        }
    }
    if bytes[at] == codes::DICTIONARY && parts.head.is_some() {
        let revision = shown_revision(bytes, at).unwrap_or(revision);
        let (start, end) = wire::sized(bytes, at + 1)
            .map_err(|problem| DecodeError::new(problem, revision, if problem == Problem::End { bytes.len() } else { at + 1 }))?;
        parts.dictionary = Some(start..end);
        at = end;
        if at == bytes.len() {
            return Ok(parts);
        }
    }
    match body_revision(bytes[at]) {
        Some(revision) => parts.body = Some((revision, at + 1..bytes.len())),
        None => {
            let seen = format!("the byte {:02x}, which starts no part of a document here", bytes[at]);
            return Err(DecodeError::new(Problem::Document, revision, at).seen(seen));
        }
    }
    Ok(parts)
}

/// Returns the revision that the part at `at` shows (docs/spec/usds.md 5.6).
fn shown_revision(bytes: &[u8], at: usize) -> Option<Revision> {
    match *bytes.get(at)? {
        codes::DICTIONARY => {
            let (_, start) = wire::size(bytes, at + 1).ok()?;
            crate::dictionary::section::revision(&bytes[start..])
        }
        signature => body_revision(signature),
    }
}

/// Returns the length of the document at the start of `bytes`, by its head; `None` for a document
/// without a head, which ends with the stream.
///
/// # Errors
/// The number of missing bytes, or the fault in the head.
pub fn framed(bytes: &[u8]) -> Result<Option<usize>, Framing> {
    match head(bytes, Revision::A) {
        Ok(None) => Ok(None),
        Ok(Some((head, size))) => Ok(Some(head.at.end + size)),
        Err(failure) if matches!(failure.problem(), Problem::End | Problem::Empty) => {
            Err(Framing::More(11usize.saturating_sub(bytes.len()).max(1)))
        }
        Err(failure) => Err(Framing::Bad(failure)),
    }
}

/// Reason why no document was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Framing {
    /// At least this number of bytes is missing.
    More(usize),
    /// The bytes are not a document.
    Bad(DecodeError),
}

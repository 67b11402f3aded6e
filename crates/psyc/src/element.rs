//! What elements of lists and values of dicts have in common (sections 5.1 and 5.2).

use memchr::memchr;

use crate::wire::{SIZE_LIMIT, keyword_len};

/// An element as it lies in its list, or a value in its dict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Element<'a> {
    /// Type of its own, empty if it has none.
    pub kind: &'a [u8],
    pub value: &'a [u8],
    /// Offset of the value.
    pub at: usize,
    /// Offset after it.
    pub end: usize,
    /// Whether nothing can follow: it ended with the bytes, and not by its size.
    pub last: bool,
}

/// Why there is no whole element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bad {
    /// The bytes end too early.
    More,
    /// Only a part of a sized value is there, from this offset on.
    Part(usize),
    /// A `=` without a type, or what follows one, at this offset.
    Kind(usize),
    /// No size, type or space, or no space after a size, at this offset.
    Length(usize),
}

/// A size and the space after it, from `at` on: the size, and the offset after the space.
pub(crate) fn size(bytes: &[u8], at: usize) -> Result<(usize, usize), Bad> {
    let mut end = at;
    let mut value = 0usize;
    loop {
        match bytes.get(end) {
            None => return Err(Bad::More),
            Some(digit @ b'0'..=b'9') => {
                value = value.checked_mul(10).and_then(|value| value.checked_add(usize::from(digit - b'0'))).unwrap_or(usize::MAX);
                if value > SIZE_LIMIT {
                    return Err(Bad::Length(end));
                }
                end += 1;
            }
            Some(b' ') if end > at => return Ok((value, end + 1)),
            Some(_) => return Err(Bad::Length(end)),
        }
    }
}

/// `size` bytes from `at` on.
pub(crate) fn octets(bytes: &[u8], at: usize, size: usize) -> Result<usize, Bad> {
    match at.checked_add(size) {
        Some(end) if end <= bytes.len() => Ok(end),
        _ if at == bytes.len() => Err(Bad::More),
        _ => Err(Bad::Part(at)),
    }
}

/// The element that starts at `at`, behind its bar or brace, and may end before `stop`.
pub(crate) fn element(bytes: &[u8], at: usize, stop: u8) -> Result<Element<'_>, Bad> {
    let mut kind: &[u8] = b"";
    let mut next = at;
    if bytes.get(at) == Some(&b'=') {
        let len = keyword_len(&bytes[at + 1..]);
        next = at + 1 + len;
        if len == 0 {
            return Err(if next == bytes.len() { Bad::More } else { Bad::Kind(next) });
        }
        kind = &bytes[at + 1..next];
    }
    let empty = |last| Ok(Element { kind, value: &bytes[next..next], at: next, end: next, last });
    match bytes.get(next) {
        None => empty(true),
        Some(byte) if *byte == stop => empty(false),
        Some(b' ') => {
            let start = next + 1;
            let end = memchr(stop, &bytes[start..]).map_or(bytes.len(), |found| start + found);
            Ok(Element { kind, value: &bytes[start..end], at: start, end, last: end == bytes.len() })
        }
        Some(b':') if !kind.is_empty() => sized(bytes, next + 1, kind),
        Some(b'0'..=b'9') if kind.is_empty() => sized(bytes, next, kind),
        Some(_) => Err(if kind.is_empty() { Bad::Length(next) } else { Bad::Kind(next) }),
    }
}

fn sized<'a>(bytes: &'a [u8], at: usize, kind: &'a [u8]) -> Result<Element<'a>, Bad> {
    let (size, start) = size(bytes, at)?;
    let end = octets(bytes, start, size)?;
    Ok(Element { kind, value: &bytes[start..end], at: start, end, last: size == 0 && end == bytes.len() })
}

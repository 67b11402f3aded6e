//! Whole updates: where, and what (sections 5.4 and 5.5).

use alloc::vec::Vec;

use super::ErrorKind;
use crate::dict::{KEY_END, KEY_START};
use crate::number;
use crate::packet::Operator;
use crate::wire::keyword_len;

/// A step into a structure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step<'a> {
    /// `#` and the number of an element, counted from 0.
    Element(u64),
    /// `.` and the name of a struct's member.
    Member(&'a [u8]),
    /// The key of a dict in braces.
    Key(&'a [u8]),
}

/// What the value of the operator `@` says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Update<'a> {
    pub steps: Vec<Step<'a>>,
    pub operator: Operator,
    /// The type told, or empty.
    pub kind: &'a [u8],
    pub value: &'a [u8],
}

impl<'a> Update<'a> {
    pub fn read(bytes: &'a [u8], depth: usize) -> Result<Update<'a>, ErrorKind> {
        let mut steps = Vec::new();
        let mut at = 0;
        loop {
            let rest = &bytes[at..];
            let (step, length) = match rest {
                [b' ', ..] => break,
                [b'#', digits @ ..] => {
                    let found = number::unsigned(digits);
                    if found.read == 0 {
                        return Err(ErrorKind::Value(at + 1));
                    }
                    (Step::Element(found.value), 1 + found.read)
                }
                [b'.', name @ ..] => match keyword_len(name) {
                    0 => return Err(ErrorKind::Value(at + 1)),
                    length => (Step::Member(&name[..length]), 1 + length),
                },
                [KEY_START, key @ ..] => {
                    let (start, end) = match key.first() {
                        Some(b'0'..=b'9') => sized(bytes, at + 1)?,
                        _ => (at + 1, memchr::memchr(KEY_END, key).map(|end| at + 1 + end).ok_or(ErrorKind::Value(bytes.len()))?),
                    };
                    if bytes.get(end) != Some(&KEY_END) {
                        return Err(ErrorKind::Value(end));
                    }
                    (Step::Key(&bytes[start..end]), end + 1 - at)
                }
                _ => return Err(ErrorKind::Value(at)),
            };
            if steps.len() == depth {
                return Err(ErrorKind::Limit("depth"));
            }
            steps.push(step);
            at += length;
        }
        at += 1;
        let operator = bytes.get(at).copied().and_then(Operator::from_byte).ok_or(ErrorKind::Value(at))?;
        at += 1;
        let length = keyword_len(&bytes[at..]);
        let kind = &bytes[at..at + length];
        at += length;
        let value = match bytes.get(at) {
            None => &[][..],
            Some(b' ') => &bytes[at + 1..],
            Some(b':') => {
                // What follows the octets is ignored.
                let (start, end) = sized(bytes, at + 1)?;
                &bytes[start..end]
            }
            Some(_) => return Err(ErrorKind::Value(at)),
        };
        Ok(Update { steps, operator, kind, value })
    }
}

/// Where octets start and end whose size starts at `at`.
fn sized(bytes: &[u8], at: usize) -> Result<(usize, usize), ErrorKind> {
    let found = number::unsigned(&bytes[at..]);
    let space = at + found.read;
    if found.read == 0 || bytes.get(space) != Some(&b' ') {
        return Err(ErrorKind::Value(space));
    }
    let start = space + 1;
    let end = usize::try_from(found.value).ok().and_then(|size| start.checked_add(size)).filter(|end| *end <= bytes.len());
    Ok((start, end.ok_or(ErrorKind::Value(bytes.len()))?))
}

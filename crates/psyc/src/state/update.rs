//! Whole updates: the place, and the change (docs/spec/psyc.md 5.4 and 5.5).

use alloc::vec::Vec;

use super::error::ErrorKind;
use crate::packet::Operator;
use crate::{index, update};

/// A step into a structure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PathStep<'a> {
    /// `#` and the number of an element, counted from 0.
    Element(usize),
    /// `.` and the name of a struct's member.
    Member(&'a [u8]),
    /// The key of a dict in braces.
    Key(&'a [u8]),
}

/// The value of the operator `@`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Update<'a> {
    pub steps: Vec<PathStep<'a>>,
    pub operator: Operator,
    /// The type, or empty.
    pub kind: &'a [u8],
    pub value: &'a [u8],
}

impl<'a> Update<'a> {
    pub fn read(bytes: &'a [u8], depth: usize) -> Result<Update<'a>, ErrorKind> {
        let short = ErrorKind::Value(bytes.len());
        let mut steps = Vec::new();
        let mut found = None;
        let mut parser = update::Update::new(bytes);
        let (operator, kind, value) = loop {
            let step = match parser.step().map_err(|fault| ErrorKind::Value(fault.at))? {
                update::UpdateStep::Index(index::IndexStep::List(number) | index::IndexStep::ListLast(number)) => PathStep::Element(number),
                update::UpdateStep::Index(index::IndexStep::Member(name) | index::IndexStep::MemberLast(name)) => PathStep::Member(name),
                update::UpdateStep::Index(index::IndexStep::Key(key)) => PathStep::Key(key),
                update::UpdateStep::Type(operator, kind) => {
                    found = Some((operator, kind));
                    continue;
                }
                update::UpdateStep::TypeEnd(operator, kind) => break (operator, kind, &[][..]),
                update::UpdateStep::Value(value) => {
                    let (operator, kind) = found.ok_or(short)?;
                    break (operator, kind, value);
                }
                update::UpdateStep::End(bare) => {
                    let (operator, kind) = found.or(bare.map(|operator| (operator, &[][..]))).ok_or(short)?;
                    break (operator, kind, &[][..]);
                }
                _ => return Err(short),
            };
            if steps.len() == depth {
                return Err(ErrorKind::Limit("depth"));
            }
            steps.push(step);
        };
        Ok(Update { steps, operator, kind, value })
    }
}

//! Updates: the operator `@`, which changes a part of a structured variable (docs/spec/psyc.md 5.5
//! and 10).

use crate::element::{self, Input, ItemState, Memo};
use crate::index;
use crate::packet::Operator;
use crate::wire::scan;

pub use crate::element::{ElementError, Limits};

/// The result of one call of [`step`], numbered as in docs/spec/psyc.md 10.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UpdateStep<'a> {
    /// The update ends too early.
    More,
    /// A step of the index, never one of the kinds for the last step.
    Index(index::IndexStep<'a>),
    /// Operator and type, which may be empty; a value comes.
    Type(Operator, &'a [u8]),
    /// Operator and type at the end: the value is empty.
    TypeEnd(Operator, &'a [u8]),
    /// The first part of a sized value.
    ValueStart(&'a [u8]),
    /// A further part.
    ValuePart(&'a [u8]),
    /// The last part.
    ValueEnd(&'a [u8]),
    /// A value.
    Value(&'a [u8]),
    /// The end: after a bare operator, or where a value would begin. Has the operator, once it was
    /// read.
    End(Option<Operator>),
}

impl UpdateStep<'_> {
    /// Returns the number of docs/spec/psyc.md 10.
    pub const fn number(&self) -> i32 {
        match self {
            UpdateStep::More => 1,
            UpdateStep::Index(step) => step.number(),
            UpdateStep::Type(..) => 21,
            UpdateStep::TypeEnd(..) => 22,
            UpdateStep::ValueStart(_) => 23,
            UpdateStep::ValuePart(_) => 24,
            UpdateStep::ValueEnd(_) => 25,
            UpdateStep::Value(_) => 26,
            UpdateStep::End(_) => 27,
        }
    }
}

/// The state of the parser between calls: the fields that follow the buffer in the C library's
/// `PsycParseUpdateState`.
pub type UpdateState = ItemState;

/// [`UpdateState::part`]: the operator and what follows it. The parts of the index before it are
/// those of [`index`].
pub const PART_TYPE: i32 = 12;
/// [`UpdateState::part`]: the size of the value.
pub const PART_LENGTH: i32 = 13;
/// [`UpdateState::part`]: the value.
pub const PART_VALUE: i32 = 14;

/// Errors of docs/spec/psyc.md 10.
const ERROR_INDEX_TYPE: i32 = -2;
const ERROR_OPER: i32 = -21;
const ERROR_TYPE: i32 = -22;
const ERROR_LENGTH: i32 = -23;

/// Returns the next item of the update in `buf`, which may be a part of the update. For `end` and
/// for continuing see [`list::step`](crate::list::step).
pub fn step<'b>(state: &mut UpdateState, buf: &'b [u8], end: bool, limits: &Limits) -> Result<UpdateStep<'b>, ElementError> {
    let s = state;
    s.poisoned()?;
    let input = Input { buf, end, limits };
    match s.part {
        PART_LENGTH => return length(s, input),
        PART_VALUE => return Ok(value(s, input)),
        _ => {}
    }
    if let Some(step) = index::key_on(s, buf)? {
        return Ok(if step == index::IndexStep::More { UpdateStep::More } else { UpdateStep::Index(step) });
    }
    match buf.get(s.cursor) {
        None if end => Ok(ended(s)),
        None => Ok(UpdateStep::More),
        Some(b' ') => operator(s, input),
        // A list or struct step at the end is not one: an operator has to follow.
        Some(b'#' | b'.' | b'{') => Ok(match index::path_step(s, Input { end: false, ..input })? {
            index::IndexStep::More => UpdateStep::More,
            step => UpdateStep::Index(step),
        }),
        Some(_) => Err(s.fault(ERROR_INDEX_TYPE, s.cursor)),
    }
}

/// Returns the end, with the operator if one was read (docs/spec/psyc.md 10, code 27).
fn ended<'b>(s: &UpdateState) -> UpdateStep<'b> {
    UpdateStep::End(Operator::from_byte(s.spare[0]))
}

/// Reads the space at the cursor, the operator after it, and a type.
fn operator<'b>(s: &mut UpdateState, input: Input<'b, '_>) -> Result<UpdateStep<'b>, ElementError> {
    let Input { buf, end, .. } = input;
    let (base, start) = (s.cursor, s.cursor + 2);
    let Some(&byte) = buf.get(base + 1) else { return Ok(UpdateStep::More) };
    let Some(operator) = Operator::from_byte(byte) else { return Err(s.fault(ERROR_OPER, base + 1)) };
    s.spare[0] = byte;
    let after = scan::keyword_end(buf, start.max(base + s.startc));
    let next = buf.get(after);
    if next.is_none() && !end {
        s.keep(Memo { at: after - base, kind_end: 0, size: 0 });
        return Ok(UpdateStep::More);
    }
    let kind = &buf[start..after];
    let part = match next {
        None | Some(b' ') => PART_VALUE,
        Some(b':') => PART_LENGTH,
        Some(_) => return Err(s.fault(ERROR_TYPE, after)),
    };
    (s.cursor, s.part, s.startc, s.elemlen, s.elem_parsed, s.elemlen_found) = (after, part, 0, 0, 0, 0);
    Ok(match next {
        Some(_) => UpdateStep::Type(operator, kind),
        None if kind.is_empty() => UpdateStep::End(Some(operator)),
        None => UpdateStep::TypeEnd(operator, kind),
    })
}

/// Reads the colon at the cursor, a size, a space, and a value of that size.
fn length<'b>(s: &mut UpdateState, input: Input<'b, '_>) -> Result<UpdateStep<'b>, ElementError> {
    let Input { buf, end, limits } = input;
    let (base, first) = (s.cursor, s.cursor + 1);
    let memo = s.memo();
    let (size, after) = match element::digits(buf, first.max(base + memo.at), memo.size, limits.size) {
        Ok(found) => found,
        Err(at) => return Err(s.fault(ERROR_LENGTH, at)),
    };
    let start = after + 1;
    match buf.get(after) {
        Some(b' ') if after > first => {}
        Some(_) => return Err(s.fault(ERROR_LENGTH, after)),
        None => {
            s.keep(Memo { at: after - base, kind_end: 0, size });
            return Ok(UpdateStep::More);
        }
    }
    if start == buf.len() && (size > 0 || !end) {
        s.keep(Memo { at: after - base, kind_end: 0, size });
        return Ok(UpdateStep::More);
    }
    let there = size.min(buf.len() - start);
    (s.cursor, s.part, s.startc, s.elemlen, s.elem_parsed, s.elemlen_found) = (start + there, PART_VALUE, 0, size, there, 1);
    let value = &buf[start..start + there];
    Ok(match there {
        _ if there < size => UpdateStep::ValueStart(value),
        0 if start == buf.len() => ended(s),
        _ => UpdateStep::Value(value),
    })
}

/// Reads on in a sized value, or reads the space at the cursor and the value after it. Bytes after
/// a sized value are ignored.
fn value<'b>(s: &mut UpdateState, input: Input<'b, '_>) -> UpdateStep<'b> {
    let Input { buf, end, .. } = input;
    if s.is_open() {
        return match s.take_part(buf) {
            None => UpdateStep::More,
            Some((part, false)) => UpdateStep::ValuePart(part),
            Some((part, true)) => UpdateStep::ValueEnd(part),
        };
    }
    if s.elemlen_found != 0 || buf.len() <= s.cursor {
        s.cursor = buf.len();
        return ended(s);
    }
    if !end {
        return UpdateStep::More;
    }
    let start = s.cursor + 1;
    s.cursor = buf.len();
    if start == buf.len() { ended(s) } else { UpdateStep::Value(&buf[start..]) }
}

/// Reads an update that is whole.
#[derive(Debug, Clone)]
pub struct Update<'a> {
    value: &'a [u8],
    state: UpdateState,
}

impl<'a> Update<'a> {
    /// Returns a reader of the update in `value`.
    pub fn new(value: &'a [u8]) -> Update<'a> {
        Update { value, state: UpdateState::new() }
    }

    /// Returns the next item.
    pub fn step(&mut self) -> Result<UpdateStep<'a>, ElementError> {
        step(&mut self.state, self.value, true, &Limits::NONE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_has_the_operator_once_it_was_read() {
        for (text, calls) in [("#1 =_t:0 ", 3), ("#1 =_t ", 3), ("#1 =", 2), ("#1 =_t:2 ab", 4), ("#1 =_t ab", 4)] {
            let mut update = Update::new(text.as_bytes());
            let steps: Vec<UpdateStep<'_>> = (0..calls).map(|_| update.step().unwrap()).collect();
            assert_eq!(steps.last(), Some(&UpdateStep::End(Some(Operator::Assign))), "{text:?}: {steps:?}");
        }
        let mut update = Update::new(b"{a}");
        assert!(matches!(update.step(), Ok(UpdateStep::Index(_))));
        assert_eq!(update.step(), Ok(UpdateStep::End(None)));
    }
}

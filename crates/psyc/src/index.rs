//! Indexes: paths into structured values (docs/spec/psyc.md 5.4 and 9).

use crate::element::{self, Bad, Input, ItemState, KEY_END, Memo};
use crate::wire::scan;

pub use crate::element::{ElementError, Limits};

/// The result of one call of [`step`], numbered as in docs/spec/psyc.md 9.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IndexStep<'a> {
    /// The index ends inside a step.
    More,
    /// An element of a list, counted from 0.
    List(usize),
    /// The same, at the end of the index.
    ListLast(usize),
    /// A member of a struct.
    Member(&'a [u8]),
    /// The same, at the end of the index.
    MemberLast(&'a [u8]),
    /// The first part of a sized key of a dict.
    KeyStart(&'a [u8]),
    /// A further part.
    KeyPart(&'a [u8]),
    /// The last part.
    KeyEnd(&'a [u8]),
    /// A key of a dict.
    Key(&'a [u8]),
    /// Nothing is left.
    End,
}

impl IndexStep<'_> {
    /// Returns the number of docs/spec/psyc.md 9.
    pub const fn number(&self) -> i32 {
        match self {
            IndexStep::More => 1,
            IndexStep::List(_) => 3,
            IndexStep::ListLast(_) => 4,
            IndexStep::Member(_) => 5,
            IndexStep::MemberLast(_) => 6,
            IndexStep::KeyStart(_) => 7,
            IndexStep::KeyPart(_) => 8,
            IndexStep::KeyEnd(_) => 9,
            IndexStep::Key(_) => 10,
            IndexStep::End => 11,
        }
    }
}

/// The state of the parser between calls: the fields that follow the buffer in the C library's
/// `PsycParseIndexState`.
pub type IndexState = ItemState;

/// [`IndexState::part`]: the start of the index.
pub const PART_START: i32 = 0;
/// [`IndexState::part`]: between steps.
pub const PART_TYPE: i32 = 1;
/// [`IndexState::part`]: in a sized key, or before its closing brace.
pub const PART_DICT: i32 = 5;

/// Errors of docs/spec/psyc.md 9.
const ERROR_TYPE: i32 = -2;
const ERROR_LIST: i32 = -3;
const ERROR_STRUCT: i32 = -4;
const ERROR_DICT_LENGTH: i32 = -5;
const ERROR_DICT: i32 = -6;

/// Returns the next step of the index in `buf`, which may be a part of the index. For `end` and for
/// continuing see [`list::step`](crate::list::step).
pub fn step<'b>(state: &mut IndexState, buf: &'b [u8], end: bool, limits: &Limits) -> Result<IndexStep<'b>, ElementError> {
    state.poisoned()?;
    let input = Input { buf, end, limits };
    if let Some(step) = key_on(state, buf)? {
        return Ok(step);
    }
    match buf.get(state.cursor) {
        None if end => Ok(IndexStep::End),
        None => Ok(IndexStep::More),
        Some(b'#' | b'.' | b'{') => path_step(state, input),
        Some(_) => Err(state.fault(ERROR_TYPE, state.cursor)),
    }
}

/// Reads on in a sized key, or reads its closing brace. Returns [`None`] if neither is due.
pub(crate) fn key_on<'b>(s: &mut ItemState, buf: &'b [u8]) -> Result<Option<IndexStep<'b>>, ElementError> {
    if s.part != PART_DICT {
        return Ok(None);
    }
    if s.is_open() {
        let Some((part, rest)) = s.take_part(buf) else { return Ok(Some(IndexStep::More)) };
        if rest {
            close_key(s, buf);
        }
        return Ok(Some(if rest { IndexStep::KeyEnd(part) } else { IndexStep::KeyPart(part) }));
    }
    match buf.get(s.cursor) {
        None => Ok(Some(IndexStep::More)),
        Some(&KEY_END) => {
            close_key(s, buf);
            Ok(None)
        }
        Some(_) => Err(s.fault(ERROR_DICT, s.cursor)),
    }
}

/// Reads the closing brace of a key, if it is there.
fn close_key(s: &mut ItemState, buf: &[u8]) {
    let closed = buf.get(s.cursor) == Some(&KEY_END);
    s.cursor += usize::from(closed);
    s.part = if closed { PART_TYPE } else { PART_DICT };
}

/// Reads the step at the cursor, whose first byte is one that a step starts with.
pub(crate) fn path_step<'b>(s: &mut ItemState, input: Input<'b, '_>) -> Result<IndexStep<'b>, ElementError> {
    let Input { buf, end, limits } = input;
    let base = s.cursor;
    let memo = s.memo();
    let from = (base + 1).max(base + memo.at);
    let unfinished = |s: &mut ItemState, at: usize, size| {
        s.keep(Memo { at: at - base, kind_end: 0, size });
        Ok(IndexStep::More)
    };
    match buf[base] {
        b'#' => {
            let (number, after) = match element::digits(buf, from, memo.size, limits.size) {
                Ok(found) => found,
                Err(at) => return Err(s.fault(ERROR_LIST, at)),
            };
            match buf.get(after) {
                Some(_) if after == base + 1 => Err(s.fault(ERROR_LIST, after)),
                None if after == base + 1 || !end => unfinished(s, after, number),
                next => {
                    (s.cursor, s.part, s.startc, s.elemlen, s.elem_parsed, s.elemlen_found) = (after, PART_TYPE, 0, 0, 0, 0);
                    Ok(if next.is_some() { IndexStep::List(number) } else { IndexStep::ListLast(number) })
                }
            }
        }
        b'.' => {
            let after = scan::keyword_end(buf, from);
            match buf.get(after) {
                Some(_) if after == base + 1 => Err(s.fault(ERROR_STRUCT, after)),
                None if after == base + 1 || !end => unfinished(s, after, 0),
                next => {
                    (s.cursor, s.part, s.startc, s.elemlen, s.elem_parsed, s.elemlen_found) = (after, PART_TYPE, 0, 0, 0, 0);
                    let name = &buf[base + 1..after];
                    Ok(if next.is_some() { IndexStep::Member(name) } else { IndexStep::MemberLast(name) })
                }
            }
        }
        _ => match element::key(input, base, memo) {
            Ok(key) => {
                s.take(&key);
                s.part = PART_DICT;
                if !key.is_whole() {
                    return Ok(IndexStep::KeyStart(key.value));
                }
                close_key(s, buf);
                Ok(IndexStep::Key(key.value))
            }
            Err(Bad::More(memo)) => {
                s.keep(memo);
                Ok(IndexStep::More)
            }
            Err(Bad::Kind(at) | Bad::Length(at) | Bad::Long(at)) => Err(s.fault(ERROR_DICT_LENGTH, at)),
        },
    }
}

/// Reads the steps of an index that is whole.
#[derive(Debug, Clone)]
pub struct Index<'a> {
    value: &'a [u8],
    state: IndexState,
}

impl<'a> Index<'a> {
    /// Returns a reader of the index in `value`.
    pub fn new(value: &'a [u8]) -> Index<'a> {
        Index { value, state: IndexState::new() }
    }

    /// Returns the next step.
    pub fn step(&mut self) -> Result<IndexStep<'a>, ElementError> {
        step(&mut self.state, self.value, true, &Limits::NONE)
    }
}

//! Dicts (docs/spec/psyc.md 5.2 and 8).

use crate::element::{self, Bad, Input, ItemState, Start};
use crate::list::Element;

pub use crate::element::{ElementError, Limits};

/// Starts a key, and ends the value before it.
pub const KEY_START: u8 = b'{';
/// Ends a key.
pub const KEY_END: u8 = element::KEY_END;

/// The result of one call of [`step`], numbered as in docs/spec/psyc.md 8.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DictStep<'a> {
    /// The value ends inside a key or a value.
    More,
    /// The default type, for values without a type of their own.
    Default(&'a [u8]),
    /// The first part of a sized key.
    KeyStart(&'a [u8]),
    /// A further part.
    KeyPart(&'a [u8]),
    /// The last part.
    KeyEnd(&'a [u8]),
    /// A key.
    Key(&'a [u8]),
    /// The first part of a sized value.
    ValueStart(Element<'a>),
    /// A further part.
    ValuePart(&'a [u8]),
    /// The last part.
    ValueEnd(&'a [u8]),
    /// A value.
    Value(Element<'a>),
    /// A value that ends with the dict.
    Last(Element<'a>),
    /// The end. The bytes are a default type that stands alone, or empty.
    End(&'a [u8]),
}

impl DictStep<'_> {
    /// Returns the number of docs/spec/psyc.md 8.
    pub const fn number(&self) -> i32 {
        match self {
            DictStep::More => 1,
            DictStep::Default(_) => 2,
            DictStep::KeyStart(_) => 3,
            DictStep::KeyPart(_) => 4,
            DictStep::KeyEnd(_) => 5,
            DictStep::Key(_) => 6,
            DictStep::ValueStart(_) => 7,
            DictStep::ValuePart(_) => 8,
            DictStep::ValueEnd(_) => 9,
            DictStep::Value(_) => 10,
            DictStep::Last(_) => 11,
            DictStep::End(_) => 12,
        }
    }
}

/// The state of the parser between calls: the fields that follow the buffer in the C library's
/// `PsycParseDictState`.
pub type DictState = ItemState;

/// [`DictState::part`]: the start of the dict.
pub const PART_START: i32 = 0;
/// [`DictState::part`]: before a key.
pub const PART_KEY_START: i32 = 2;
/// [`DictState::part`]: in a sized key.
pub const PART_KEY: i32 = 4;
/// [`DictState::part`]: after a key.
pub const PART_VALUE_START: i32 = 5;
/// [`DictState::part`]: in a sized value.
pub const PART_VALUE: i32 = 8;

/// Errors of docs/spec/psyc.md 8.
const ERROR_KEY_START: i32 = -3;
const ERROR_KEY_LENGTH: i32 = -4;
const ERROR_VALUE_START: i32 = -6;
const ERROR_VALUE_TYPE: i32 = -7;
const ERROR_VALUE_LENGTH: i32 = -8;

/// Returns the next item of the dict in `buf`, which may be a part of the dict. For `end` and for
/// continuing see [`list::step`](crate::list::step). The limit of elements without a size holds for
/// lists only.
pub fn step<'b>(state: &mut DictState, buf: &'b [u8], end: bool, limits: &Limits) -> Result<DictStep<'b>, ElementError> {
    let s = state;
    s.poisoned()?;
    let input = Input { buf, end, limits: &Limits { element: usize::MAX, ..*limits } };
    if matches!(s.part, PART_KEY | PART_VALUE) && s.is_open() {
        let is_key = s.part == PART_KEY;
        let Some((part, rest)) = s.take_part(buf) else { return Ok(DictStep::More) };
        if rest {
            s.part = if is_key { PART_VALUE_START } else { PART_KEY_START };
        }
        return Ok(match (is_key, rest) {
            (true, false) => DictStep::KeyPart(part),
            (true, true) => DictStep::KeyEnd(part),
            (false, false) => DictStep::ValuePart(part),
            (false, true) => DictStep::ValueEnd(part),
        });
    }
    if s.part == PART_VALUE_START {
        return value(s, input);
    }
    if s.part == PART_START {
        match s.start(input, PART_KEY_START) {
            Start::More => return Ok(DictStep::More),
            Start::Alone(kind) => return Ok(DictStep::End(kind)),
            Start::Default(kind) => return Ok(DictStep::Default(kind)),
            Start::Nothing => {}
        }
    }
    let base = s.cursor;
    match buf.get(base) {
        None if end => return Ok(DictStep::End(b"")),
        None => return Ok(DictStep::More),
        Some(&KEY_START) => {}
        Some(_) => return Err(s.fault(ERROR_KEY_START, base)),
    }
    match element::key(input, base, s.memo()) {
        Ok(key) => {
            s.take(&key);
            s.part = if key.is_whole() { PART_VALUE_START } else { PART_KEY };
            Ok(if key.is_whole() { DictStep::Key(key.value) } else { DictStep::KeyStart(key.value) })
        }
        Err(Bad::More(memo)) => {
            s.keep(memo);
            Ok(DictStep::More)
        }
        Err(Bad::Kind(at) | Bad::Length(at) | Bad::Long(at)) => Err(s.fault(ERROR_KEY_LENGTH, at)),
    }
}

fn value<'b>(s: &mut DictState, input: Input<'b, '_>) -> Result<DictStep<'b>, ElementError> {
    let base = s.cursor;
    match input.buf.get(base) {
        None => return Ok(DictStep::More),
        Some(&KEY_END) => {}
        Some(_) => return Err(s.fault(ERROR_VALUE_START, base)),
    }
    match element::element(input, base, KEY_START, s.memo()) {
        Ok(item) => {
            s.take(&item);
            s.part = if item.is_whole() { PART_KEY_START } else { PART_VALUE };
            Ok(match (item.is_whole(), item.last) {
                (false, _) => DictStep::ValueStart(item.into()),
                (true, false) => DictStep::Value(item.into()),
                (true, true) => DictStep::Last(item.into()),
            })
        }
        Err(Bad::More(memo)) => {
            s.keep(memo);
            Ok(DictStep::More)
        }
        Err(Bad::Kind(at)) => Err(s.fault(ERROR_VALUE_TYPE, at)),
        Err(Bad::Length(at) | Bad::Long(at)) => Err(s.fault(ERROR_VALUE_LENGTH, at)),
    }
}

/// Reads the keys and values of a dict that is whole.
#[derive(Debug, Clone)]
pub struct Dict<'a> {
    value: &'a [u8],
    state: DictState,
}

impl<'a> Dict<'a> {
    /// Returns a reader of the dict in `value`.
    pub fn new(value: &'a [u8]) -> Dict<'a> {
        Dict { value, state: DictState::new() }
    }

    /// Returns the next item.
    pub fn step(&mut self) -> Result<DictStep<'a>, ElementError> {
        step(&mut self.state, self.value, true, &Limits::NONE)
    }
}

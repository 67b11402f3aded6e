//! Lists (docs/spec/psyc.md 5.1 and 7), and structs, which are lists of their members' types or values (docs/spec/psyc.md 5.3).

use crate::element::{self, Bad, Input, Item, ItemState, Start};
use crate::wire::BAR;

pub use crate::element::{Fault, Limits};

/// What one call of [`step`] delivers, numbered as in docs/spec/psyc.md 7.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step<'a> {
    /// The value ends inside an element.
    More,
    /// The type of elements without one of their own.
    Default(&'a [u8]),
    /// The first part of a sized element.
    Start(Element<'a>),
    /// A further part.
    Part(&'a [u8]),
    /// The last part.
    PartEnd(&'a [u8]),
    /// An element.
    Element(Element<'a>),
    /// An element that ends with the value.
    Last(Element<'a>),
    /// Nothing is left but, perhaps, a default type alone.
    End(&'a [u8]),
}

impl Step<'_> {
    /// The number of docs/spec/psyc.md 7.
    pub const fn number(&self) -> i32 {
        match self {
            Step::More => 1,
            Step::Default(_) => 2,
            Step::Start(_) => 3,
            Step::Part(_) => 4,
            Step::PartEnd(_) => 5,
            Step::Element(_) => 6,
            Step::Last(_) => 7,
            Step::End(_) => 8,
        }
    }
}

/// An element, or what is there of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Element<'a> {
    /// Type of its own, empty if it has none.
    pub kind: &'a [u8],
    /// Its value.
    pub value: &'a [u8],
    /// Its size, if it is told.
    pub size: Option<usize>,
}

impl<'a> From<Item<'a>> for Element<'a> {
    fn from(item: Item<'a>) -> Element<'a> {
        Element { kind: item.kind, value: item.value, size: item.size }
    }
}

/// All that a parser keeps between calls: what follows the buffer in the C library's `PsycParseListState` (docs/spec/psyc.md A.7), field by field. The
/// fields are those of [`ItemState`], with the words of a string between.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ListState {
    /// Offset of the next unread byte of the buffer; after an error, of the byte at fault.
    pub cursor: usize,
    /// How far behind the cursor an unfinished element was looked at.
    pub startc: usize,
    /// Length and address of a type in C; not used.
    pub kind: [usize; 2],
    /// The size that the element was declared with.
    pub elemlen: usize,
    /// Bytes delivered of it.
    pub elem_parsed: usize,
    /// What is being read, a `PART_` number.
    pub part: i32,
    /// Whether the element was declared with a size.
    pub elemlen_found: u8,
    /// What was wrong, as a positive number. Padding in C.
    pub poison: u8,
    /// Nothing.
    pub spare: [u8; 2],
}

/// [`ListState::part`]: the start of the list.
pub const PART_START: i32 = 0;
/// [`ListState::part`]: between elements.
pub const PART_ELEM_START: i32 = 2;
/// [`ListState::part`]: in a sized element.
pub const PART_ELEM: i32 = 5;

/// Errors of docs/spec/psyc.md 7.
const ERROR_ELEM_START: i32 = -3;
const ERROR_ELEM_TYPE: i32 = -4;
const ERROR_ELEM_LENGTH: i32 = -5;
const ERROR_ELEM_NO_LEN: i32 = -6;

/// The next thing in the list that `buf` is, or is a part of.
///
/// `end` says that the list ends with the buffer, as the C library always takes it: an element without a size ends there. If it is false, that
/// element is waited for too. On [`Step::More`] there are two ways on: the same bytes with more behind them; or the bytes from the cursor on
/// with more behind them, and the cursor set to 0. After [`Step::Start`] and [`Step::Part`], nothing is left of the buffer.
pub fn step<'b>(state: &mut ListState, buf: &'b [u8], end: bool, limits: &Limits) -> Result<Step<'b>, Fault> {
    let ListState { cursor, startc, kind, elemlen, elem_parsed, part, elemlen_found, poison, spare } = *state;
    let mut item = ItemState { cursor, startc, elemlen, elem_parsed, part, elemlen_found, poison, spare };
    let step = next(&mut item, Input { buf, end, limits });
    let ItemState { cursor, startc, elemlen, elem_parsed, part, elemlen_found, poison, spare } = item;
    *state = ListState { cursor, startc, kind, elemlen, elem_parsed, part, elemlen_found, poison, spare };
    step
}

fn next<'b>(s: &mut ItemState, input: Input<'b, '_>) -> Result<Step<'b>, Fault> {
    s.poisoned()?;
    let Input { buf, end, .. } = input;
    if s.part == PART_ELEM && s.is_open() {
        return Ok(match s.take_part(buf) {
            None => Step::More,
            Some((part, false)) => Step::Part(part),
            Some((part, true)) => {
                s.part = PART_ELEM_START;
                Step::PartEnd(part)
            }
        });
    }
    if s.part == PART_START {
        match s.start(input, PART_ELEM_START) {
            Start::More => return Ok(Step::More),
            Start::Alone(kind) => return Ok(Step::End(kind)),
            Start::Default(kind) => return Ok(Step::Default(kind)),
            Start::Nothing => {}
        }
    }
    let base = s.cursor;
    match buf.get(base) {
        None if end => return Ok(Step::End(b"")),
        None => return Ok(Step::More),
        Some(&BAR) => {}
        Some(_) => return Err(s.fault(ERROR_ELEM_START, base)),
    }
    match element::element(input, base, BAR, s.memo()) {
        Ok(item) => {
            s.take(&item);
            s.part = if item.is_whole() { PART_ELEM_START } else { PART_ELEM };
            Ok(match (item.is_whole(), item.last) {
                (false, _) => Step::Start(item.into()),
                (true, false) => Step::Element(item.into()),
                (true, true) => Step::Last(item.into()),
            })
        }
        Err(Bad::More(memo)) => {
            s.keep(memo);
            Ok(Step::More)
        }
        Err(Bad::Kind(at)) => Err(s.fault(ERROR_ELEM_TYPE, at)),
        Err(Bad::Length(at)) => Err(s.fault(ERROR_ELEM_LENGTH, at)),
        Err(Bad::Long(at)) => Err(s.fault(ERROR_ELEM_NO_LEN, at)),
    }
}

/// Reads the elements of a list that is whole.
#[derive(Debug, Clone)]
pub struct List<'a> {
    value: &'a [u8],
    state: ListState,
}

impl<'a> List<'a> {
    /// The list that `value` is.
    pub fn new(value: &'a [u8]) -> List<'a> {
        List { value, state: ListState::default() }
    }

    /// The next thing in it.
    pub fn step(&mut self) -> Result<Step<'a>, Fault> {
        step(&mut self.state, self.value, true, &Limits::NONE)
    }
}

//! Lists (docs/spec/psyc.md 5.1 and 7), and structs, which are lists of their members' types or
//! values (docs/spec/psyc.md 5.3).

use crate::element::{self, Bad, Input, Item, ItemState, Start};
use crate::wire::BAR;

pub use crate::element::{ElementError, Limits};

/// The result of one call of [`step`], numbered as in docs/spec/psyc.md 7.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListStep<'a> {
    /// The value ends inside an element.
    More,
    /// The default type, for elements without a type of their own.
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
    /// The end. The bytes are a default type that stands alone, or empty.
    End(&'a [u8]),
}

impl ListStep<'_> {
    /// Returns the number of docs/spec/psyc.md 7.
    pub const fn number(&self) -> i32 {
        match self {
            ListStep::More => 1,
            ListStep::Default(_) => 2,
            ListStep::Start(_) => 3,
            ListStep::Part(_) => 4,
            ListStep::PartEnd(_) => 5,
            ListStep::Element(_) => 6,
            ListStep::Last(_) => 7,
            ListStep::End(_) => 8,
        }
    }
}

/// An element, or the part of it that is in the buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Element<'a> {
    /// Its own type, empty if it has none.
    pub kind: &'a [u8],
    /// Its value.
    pub value: &'a [u8],
    /// Its declared size, if any.
    pub size: Option<usize>,
}

impl<'a> From<Item<'a>> for Element<'a> {
    fn from(item: Item<'a>) -> Element<'a> {
        Element { kind: item.kind, value: item.value, size: item.size }
    }
}

/// The state of the parser between calls. It has, field by field, the fields that follow the buffer
/// in the C library's `PsycParseListState` (docs/spec/psyc.md A.7): those of [`ItemState`], with
/// the two words of a string between.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ListState {
    /// The offset of the next unread byte of the buffer; after an error, that of the wrong byte.
    pub cursor: usize,
    /// The number of bytes after the cursor that were looked at for an unfinished element.
    pub startc: usize,
    /// Length and address of a type in C; not used.
    pub kind: [usize; 2],
    /// The declared size of the element.
    pub elemlen: usize,
    /// The number of bytes of it delivered.
    pub elem_parsed: usize,
    /// The part being read, a `PART_` number.
    pub part: i32,
    /// 1 if the element has a declared size.
    pub elemlen_found: u8,
    /// The error as a positive number, or 0. Padding in C.
    pub poison: u8,
    /// Unused.
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

/// Returns the next item of the list in `buf`, which may be a part of the list.
///
/// If `end` is true, the list ends with the buffer, as the C library always takes it: an element
/// without a size ends there. If it is false, the parser waits for the rest of that element. After
/// [`ListStep::More`], call again with the same bytes and more appended; or with the bytes from the
/// cursor on and more appended, and the cursor set to 0. After [`ListStep::Start`] and
/// [`ListStep::Part`], the whole buffer is read.
pub fn step<'b>(state: &mut ListState, buf: &'b [u8], end: bool, limits: &Limits) -> Result<ListStep<'b>, ElementError> {
    let ListState { cursor, startc, kind, elemlen, elem_parsed, part, elemlen_found, poison, spare } = *state;
    let mut item = ItemState { cursor, startc, elemlen, elem_parsed, part, elemlen_found, poison, spare };
    let step = next(&mut item, Input { buf, end, limits });
    let ItemState { cursor, startc, elemlen, elem_parsed, part, elemlen_found, poison, spare } = item;
    *state = ListState { cursor, startc, kind, elemlen, elem_parsed, part, elemlen_found, poison, spare };
    step
}

fn next<'b>(s: &mut ItemState, input: Input<'b, '_>) -> Result<ListStep<'b>, ElementError> {
    s.poisoned()?;
    let Input { buf, end, .. } = input;
    if s.part == PART_ELEM && s.is_open() {
        return Ok(match s.take_part(buf) {
            None => ListStep::More,
            Some((part, false)) => ListStep::Part(part),
            Some((part, true)) => {
                s.part = PART_ELEM_START;
                ListStep::PartEnd(part)
            }
        });
    }
    if s.part == PART_START {
        match s.start(input, PART_ELEM_START) {
            Start::More => return Ok(ListStep::More),
            Start::Alone(kind) => return Ok(ListStep::End(kind)),
            Start::Default(kind) => return Ok(ListStep::Default(kind)),
            Start::Nothing => {}
        }
    }
    let base = s.cursor;
    match buf.get(base) {
        None if end => return Ok(ListStep::End(b"")),
        None => return Ok(ListStep::More),
        Some(&BAR) => {}
        Some(_) => return Err(s.fault(ERROR_ELEM_START, base)),
    }
    match element::element(input, base, BAR, s.memo()) {
        Ok(item) => {
            s.take(&item);
            s.part = if item.is_whole() { PART_ELEM_START } else { PART_ELEM };
            Ok(match (item.is_whole(), item.last) {
                (false, _) => ListStep::Start(item.into()),
                (true, false) => ListStep::Element(item.into()),
                (true, true) => ListStep::Last(item.into()),
            })
        }
        Err(Bad::More(memo)) => {
            s.keep(memo);
            Ok(ListStep::More)
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
    /// Returns a reader of the list in `value`.
    pub fn new(value: &'a [u8]) -> List<'a> {
        List { value, state: ListState::default() }
    }

    /// Returns the next item.
    pub fn step(&mut self) -> Result<ListStep<'a>, ElementError> {
        step(&mut self.state, self.value, true, &Limits::NONE)
    }
}

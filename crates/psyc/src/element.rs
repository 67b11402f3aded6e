//! Elements of lists, keys and values of dicts, and steps of indexes (docs/spec/psyc.md 5.1, 5.2
//! and 5.4): their types, their sizes, values that a byte ends, and items that are continued after
//! the end of a buffer.

use crate::wire::{SIZE_LIMIT, scan};

/// Ends a key.
pub(crate) const KEY_END: u8 = b'}';

/// Bounds of the parsers of structured values, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The largest declared size that is accepted, and the largest list index (psyc-D3).
    pub size: usize,
    /// The largest element of a list that has no declared size (code -6).
    pub element: usize,
}

impl Limits {
    /// No bounds but those of the machine's addresses.
    pub const NONE: Limits = Limits { size: SIZE_LIMIT, element: usize::MAX };

    /// The nominal limits of docs/spec/psyc.md 2.
    pub const NOMINAL: Limits = Limits { size: SIZE_LIMIT, element: crate::wire::ELEM_SIZE_MAX };
}

impl Default for Limits {
    fn default() -> Limits {
        Limits::NONE
    }
}

/// An error in a structured value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ElementError {
    /// Its number in the parser's section of the specification; negative.
    pub number: i32,
    /// The offset in the buffer of the wrong byte.
    pub at: usize,
}

/// The state of a parser of dicts, indexes or updates between calls. It has, field by field, the
/// fields that follow the buffer in the C library's states (docs/spec/psyc.md A.7).
///
/// An unfinished item is continued without looking at its bytes again: `startc` holds the place to
/// go on at, and `elemlen` and `elem_parsed`, which no value needs meanwhile, hold what was found
/// before it.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ItemState {
    /// The offset of the next unread byte of the buffer; after an error, that of the wrong byte.
    pub cursor: usize,
    /// The number of bytes after the cursor that were looked at for an unfinished item.
    pub startc: usize,
    /// The declared size of the key or value; of an unfinished item, the digits read so far.
    pub elemlen: usize,
    /// The number of bytes of it delivered; for an unfinished item, the end of its type after the
    /// cursor.
    pub elem_parsed: usize,
    /// The part being read, a number of the parser's section of the specification.
    pub part: i32,
    /// 1 if the key or value has a declared size.
    pub elemlen_found: u8,
    /// The error as a positive number, or 0. Every further call reports it again (psyc-D11).
    /// Padding in C.
    pub poison: u8,
    /// The operator of an update in the first byte, once it was read. Padding in C.
    pub spare: [u8; 2],
}

impl ItemState {
    /// Returns a parser at the start of a value.
    pub const fn new() -> ItemState {
        ItemState { cursor: 0, startc: 0, elemlen: 0, elem_parsed: 0, part: 0, elemlen_found: 0, poison: 0, spare: [0; 2] }
    }

    /// Returns the error of an earlier call, which stays.
    pub(crate) fn poisoned(&self) -> Result<(), ElementError> {
        if self.poison == 0 { Ok(()) } else { Err(ElementError { number: -i32::from(self.poison), at: self.cursor }) }
    }

    /// Records an error, which stays.
    #[cold]
    pub(crate) fn fault(&mut self, number: i32, at: usize) -> ElementError {
        self.cursor = at;
        self.poison = number.unsigned_abs() as u8;
        ElementError { number, at }
    }

    /// Returns whether a sized key or value is being delivered.
    pub(crate) fn is_open(&self) -> bool {
        self.elemlen_found != 0 && self.elem_parsed < self.elemlen
    }

    /// Returns the results kept for an unfinished item.
    pub(crate) fn memo(&self) -> Memo {
        match self.startc {
            0 => Memo::default(),
            at => Memo { at, kind_end: self.elem_parsed, size: self.elemlen },
        }
    }

    /// Keeps what was found of an unfinished item.
    pub(crate) fn keep(&mut self, memo: Memo) {
        (self.startc, self.elem_parsed, self.elemlen, self.elemlen_found) = (memo.at, memo.kind_end, memo.size, 0);
    }

    /// Moves on after an item, or what is there of it.
    pub(crate) fn take(&mut self, item: &Item<'_>) {
        self.cursor = item.end;
        self.startc = 0;
        self.elemlen = item.size.unwrap_or(0);
        self.elem_parsed = if item.size.is_some() { item.value.len() } else { 0 };
        self.elemlen_found = u8::from(item.size.is_some());
    }

    /// Reads the start of a list or dict; unless the buffer cuts it, `part` comes next.
    pub(crate) fn start<'b>(&mut self, Input { buf, end, .. }: Input<'b, '_>, part: i32) -> Start<'b> {
        let start = self.cursor;
        let after = scan::keyword_end(buf, start + self.startc);
        if after >= buf.len() && !end {
            self.startc = after - start;
            return Start::More;
        }
        (self.startc, self.cursor, self.part) = (0, after, part);
        match buf.get(start..after).unwrap_or_default() {
            kind if after >= buf.len() => Start::Alone(kind),
            [] => Start::Nothing,
            kind => Start::Default(kind),
        }
    }

    /// Returns as much of a sized key or value as is in the buffer, and whether that is the rest;
    /// [`None`] if nothing is there.
    pub(crate) fn take_part<'b>(&mut self, buf: &'b [u8]) -> Option<(&'b [u8], bool)> {
        let start = self.cursor.min(buf.len());
        let there = (self.elemlen - self.elem_parsed).min(buf.len() - start);
        self.cursor = start + there;
        self.elem_parsed += there;
        (there > 0).then(|| (&buf[start..start + there], !self.is_open()))
    }
}

/// The start of a list or dict.
pub(crate) enum Start<'b> {
    /// The buffer ends before that is known.
    More,
    /// A default type, which may be empty, and nothing else.
    Alone(&'b [u8]),
    /// A default type.
    Default(&'b [u8]),
    /// No default type.
    Nothing,
}

/// The results kept for an unfinished item, counted from its start.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Memo {
    /// Up to where it was looked at, 0 if not at all.
    pub at: usize,
    /// Where its type ends, 0 if that is not known.
    pub kind_end: usize,
    /// Its size, as far as its digits are known.
    pub size: usize,
}

/// The input of a parser.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Input<'b, 'l> {
    pub buf: &'b [u8],
    /// True if the value ends with the buffer.
    pub end: bool,
    pub limits: &'l Limits,
}

/// An element, a value or a key as it lies in the buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Item<'a> {
    /// Its own type, empty if it has none.
    pub kind: &'a [u8],
    /// The part of its value that is in the buffer.
    pub value: &'a [u8],
    /// Offset of the value.
    pub at: usize,
    /// Offset after it.
    pub end: usize,
    /// Its declared size, if any; larger than the value if only a part is in the buffer.
    pub size: Option<usize>,
    /// True if nothing can follow: the item ended with the bytes and not by its size.
    pub last: bool,
}

impl Item<'_> {
    /// Returns whether all of it is there.
    pub(crate) fn is_whole(&self) -> bool {
        self.size.is_none_or(|size| size == self.value.len())
    }
}

/// Why there is no item.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Bad {
    /// The bytes end too early. With what was found.
    More(Memo),
    /// A `=` without a type, or what follows one, at this offset.
    Kind(usize),
    /// No size, type or space, or no space after a size, at this offset.
    Length(usize),
    /// Larger than the limit without a size, from this offset on.
    Long(usize),
}

/// Records that an unfinished item, which starts at `base`, goes on at `at`.
fn more(base: usize, at: usize, kind_end: usize, size: usize) -> Bad {
    Bad::More(Memo { at: at - base, kind_end: kind_end.saturating_sub(base), size })
}

/// Digits from `at` on, where `number` is what those before say: the number, and where they end.
pub(crate) fn digits(bytes: &[u8], mut at: usize, mut number: usize, limit: usize) -> Result<(usize, usize), usize> {
    while let Some(digit @ b'0'..=b'9') = bytes.get(at) {
        number = match number.checked_mul(10).and_then(|number| number.checked_add(usize::from(digit - b'0'))) {
            Some(number) if number <= limit => number,
            _ => return Err(at),
        };
        at += 1;
    }
    Ok((number, at))
}

/// Returns the element that follows the bar or brace at `base`, and may end before `stop`.
pub(crate) fn element<'b>(input: Input<'b, '_>, base: usize, stop: u8, memo: Memo) -> Result<Item<'b>, Bad> {
    let Input { buf, end, limits } = input;
    let start = base + 1;
    let mut next = start;
    if buf.get(start) == Some(&b'=') {
        next = if memo.kind_end > 0 { base + memo.kind_end } else { scan::keyword_end(buf, (start + 1).max(base + memo.at)) };
        if next == start + 1 {
            return Err(if next == buf.len() { Bad::More(Memo::default()) } else { Bad::Kind(next) });
        }
    }
    let kind = if next > start { &buf[start + 1..next] } else { b"" };
    let empty = |last| Ok(Item { kind, value: &buf[next..next], at: next, end: next, size: None, last });
    match buf.get(next) {
        None if end => empty(true),
        None => Err(more(base, next.max(start), 0, 0)),
        Some(byte) if *byte == stop => empty(false),
        Some(b' ') => {
            let at = next + 1;
            let limit = at.saturating_add(limits.element).saturating_add(1);
            let searched = buf.len().min(limit);
            match scan::find(stop, &buf[..searched], at.max(base + memo.at)) {
                Some(found) => Ok(Item { kind, value: &buf[at..found], at, end: found, size: None, last: false }),
                None if searched == limit => Err(Bad::Long(limit - 1)),
                None if end => Ok(Item { kind, value: &buf[at..], at, end: buf.len(), size: None, last: true }),
                None => Err(more(base, buf.len(), next, 0)),
            }
        }
        Some(b':') if !kind.is_empty() => sized(input, base, next + 1, kind, next, memo),
        Some(b'0'..=b'9') if kind.is_empty() => sized(input, base, next, kind, next, memo),
        Some(_) => Err(if kind.is_empty() { Bad::Length(next) } else { Bad::Kind(next) }),
    }
}

/// Reads a size whose digits start at `first`, a space, and as much as is there of a value of
/// that size.
fn sized<'b>(input: Input<'b, '_>, base: usize, first: usize, kind: &'b [u8], kind_end: usize, memo: Memo) -> Result<Item<'b>, Bad> {
    let Input { buf, end, limits } = input;
    let resumed = memo.kind_end > 0;
    let from = if resumed { first.max(base + memo.at) } else { first };
    let (size, after) = digits(buf, from, if resumed { memo.size } else { 0 }, limits.size).map_err(Bad::Length)?;
    match buf.get(after) {
        None => return Err(more(base, after, kind_end, size)),
        Some(b' ') if after > first => {}
        Some(_) => return Err(Bad::Length(after)),
    }
    let at = after + 1;
    let there = size.min(buf.len() - at);
    if at == buf.len() && (size > 0 || !end) {
        return Err(more(base, after, kind_end, size));
    }
    let last = size == 0 && at == buf.len();
    Ok(Item { kind, value: &buf[at..at + there], at, end: at + there, size: Some(size), last })
}

/// Returns the key that follows the brace at `base`. It ends before its closing brace, which is
/// there unless the key is sized.
pub(crate) fn key<'b>(input: Input<'b, '_>, base: usize, memo: Memo) -> Result<Item<'b>, Bad> {
    let (buf, start) = (input.buf, base + 1);
    match buf.get(start) {
        None => Err(Bad::More(Memo::default())),
        // After its space something has to follow, also if the size is 0.
        Some(b'0'..=b'9') => sized(Input { end: false, ..input }, base, start, b"", start, memo),
        Some(_) => match scan::find(KEY_END, buf, start.max(base + memo.at)) {
            Some(found) => Ok(Item { kind: b"", value: &buf[start..found], at: start, end: found, size: None, last: false }),
            None => Err(more(base, buf.len(), 0, 0)),
        },
    }
}

/// Returns the element after the bar or brace at `base` of a value that is whole; all of it is
/// there.
pub(crate) fn whole(bytes: &[u8], base: usize, stop: u8) -> Result<Item<'_>, Bad> {
    all(element(Input { buf: bytes, end: true, limits: &Limits::NONE }, base, stop, Memo::default()))
}

/// Returns the key after the brace at `base` of a value that is whole; all of it is there.
pub(crate) fn whole_key(bytes: &[u8], base: usize) -> Result<Item<'_>, Bad> {
    all(key(Input { buf: bytes, end: true, limits: &Limits::NONE }, base, Memo::default()))
}

fn all(item: Result<Item<'_>, Bad>) -> Result<Item<'_>, Bad> {
    match item {
        Ok(item) if !item.is_whole() => Err(Bad::More(Memo { size: item.size.unwrap_or(0), ..Memo::default() })),
        other => other,
    }
}

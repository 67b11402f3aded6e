//! The packet parser: a resumable state machine over the caller's buffers (docs/spec/psyc.md 6). It
//! allocates and copies nothing.
//!
//! [`step`] is two parsers. The quick one reads only the items that most packets are made of, whole
//! in the buffer. The full one reads everything, and it alone reports errors. Where both return an
//! item, it is the same one; a test compares them.

use super::bytes::{self, BAR, END, LF, SIZE_LIMIT, TAB, is_keyword_byte, is_operator};
use super::scan::{self, Line};
use crate::packet::{Modifier, Operator, Sizing, State};

/// An error in a packet, numbered as in docs/spec/psyc.md 6.2.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Code {
    /// The size of the content is not a number, too large, or not that of the content.
    Length = 2,
    /// An operator without a name.
    ModName = 3,
    /// The byte after a name or a size is not TAB.
    ModTab = 4,
    /// The size of a value is not a number, or too large.
    ModLen = 5,
    /// The byte after a sized value is not LF.
    ModNl = 6,
    /// The byte after a method is not LF.
    Method = 7,
    /// The end mark is required here.
    End = 8,
    /// A content without a declared size is larger than the limit.
    NoLen = 9,
    /// A value without a declared size is larger than the limit.
    ModNoLen = 10,
}

impl Code {
    /// Returns the error of that number; [`Code::End`] for any other, which comes of a state that
    /// no parser made.
    const fn from_number(number: i32) -> Code {
        match number {
            -2 => Code::Length,
            -3 => Code::ModName,
            -4 => Code::ModTab,
            -5 => Code::ModLen,
            -6 => Code::ModNl,
            -7 => Code::Method,
            -9 => Code::NoLen,
            -10 => Code::ModNoLen,
            _ => Code::End,
        }
    }

    /// Returns the number of docs/spec/psyc.md 6.2.
    pub const fn number(self) -> i32 {
        -(self as i32)
    }

    /// Returns the expected input, for people.
    pub const fn expected(self) -> &'static str {
        match self {
            Code::Length => "the size of the content in digits, and a content of that size",
            Code::ModName => "the name of a variable",
            Code::ModTab => "TAB before the value",
            Code::ModLen => "a size in digits that a value can have",
            Code::ModNl => "LF after a value of the declared size",
            Code::Method => "LF after the method",
            Code::End => "the end mark, '|' and LF",
            Code::NoLen => "the size of a content that is larger than the limit",
            Code::ModNoLen => "the size of a value that is larger than the limit",
        }
    }
}

/// The result of one call, numbered as in docs/spec/psyc.md 6.2.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PacketStep<'b> {
    /// The buffer ends before the next item is whole.
    More,
    /// A line of the routing header.
    Routing(Modifier<'b>),
    /// The state line.
    State(State),
    /// The first part of a sized value; it may be empty.
    EntityStart(Modifier<'b>),
    /// A further part.
    EntityPart(&'b [u8]),
    /// The last part.
    EntityEnd(&'b [u8]),
    /// A whole line of the entity header.
    Entity(Modifier<'b>),
    /// The method and the first part of sized data, or of an opaque content. While a body is open,
    /// a continuation without a method.
    BodyStart(&'b [u8], &'b [u8]),
    /// A further part.
    BodyPart(&'b [u8]),
    /// The last part.
    BodyEnd(&'b [u8]),
    /// Method and data; for an opaque content, its bytes without a method. While a body is open,
    /// its last part without a method.
    Body(&'b [u8], &'b [u8]),
    /// The end mark was read; in content mode, the end of the content was reached.
    Complete,
}

impl PacketStep<'_> {
    /// Returns the number of docs/spec/psyc.md 6.2.
    pub const fn number(&self) -> i32 {
        match self {
            PacketStep::More => 1,
            PacketStep::Routing(_) => 2,
            PacketStep::State(State::Resync) => 3,
            PacketStep::State(State::Reset) => 4,
            PacketStep::EntityStart(_) => 5,
            PacketStep::EntityPart(_) => 6,
            PacketStep::EntityEnd(_) => 7,
            PacketStep::Entity(_) => 8,
            PacketStep::BodyStart(..) => 9,
            PacketStep::BodyPart(_) => 10,
            PacketStep::BodyEnd(_) => 11,
            PacketStep::Body(..) => 12,
            PacketStep::Complete => 13,
        }
    }
}

/// Bounds of a parser, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The largest declared size that is accepted (psyc-D3).
    pub size: usize,
    /// The largest content without a declared size, with its last LF ([`Code::NoLen`]).
    pub content: usize,
    /// The largest value without a declared size, in both headers ([`Code::ModNoLen`]).
    pub value: usize,
}

impl Limits {
    /// No bounds but those of the machine's addresses.
    pub const NONE: Limits = Limits { size: SIZE_LIMIT, content: usize::MAX, value: usize::MAX };

    /// The nominal limits of docs/spec/psyc.md 2.
    pub const NOMINAL: Limits = Limits { size: SIZE_LIMIT, content: bytes::CONTENT_SIZE_MAX, value: bytes::MODIFIER_SIZE_MAX };
}

impl Default for Limits {
    fn default() -> Limits {
        Limits::NONE
    }
}

/// [`ParseState::part`]: a packet was completed, and the next call starts another.
pub const PART_RESET: i32 = -1;
/// [`ParseState::part`]: the routing header.
pub const PART_ROUTING: i32 = 0;
/// [`ParseState::part`]: the size of the content.
pub const PART_LENGTH: i32 = 1;
/// [`ParseState::part`]: state line, entity header, and what follows it.
pub const PART_CONTENT: i32 = 2;
/// [`ParseState::part`]: the method, and data without a declared size.
pub const PART_METHOD: i32 = 3;
/// [`ParseState::part`]: sized data, and the content in routing-only mode.
pub const PART_DATA: i32 = 4;
/// [`ParseState::part`]: the end mark.
pub const PART_END: i32 = 5;

/// [`ParseState::flags`]: the content is delivered as it is (docs/spec/psyc.md 6.5).
pub const FLAG_ROUTING_ONLY: u8 = 1;
/// [`ParseState::flags`]: the buffer is one content without the packet around it
/// (docs/spec/psyc.md 6.6). Not with the other flag.
pub const FLAG_START_AT_CONTENT: u8 = 2;

/// [`ParseState::held`]: an item or a sized value was begun and is not complete.
const UNFINISHED: u8 = 0x80;

/// [`ParseState::held`]: the quick parser is not used, since there are limits or the buffer is a
/// lone content.
pub(super) const UNUSUAL: u8 = 0x40;

/// [`ParseState::held`]: the bits of the error.
const FAULT: u8 = 0x0f;

/// The state of a parser between calls. It has, field by field, the fields that follow the buffer
/// in the C library's `PsycParseState` (docs/spec/psyc.md A.7).
///
/// An unfinished item is continued without looking at its bytes again: `startc` holds the place to
/// go on at, and `valuelen` and `value_parsed`, which no value needs meanwhile, hold what was found
/// before it.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ParseState {
    /// The offset of the next unread byte of the buffer; after an error, that of the wrong byte.
    pub cursor: usize,
    /// The number of bytes after the cursor that were looked at for an unfinished item.
    pub startc: usize,
    /// The number of bytes of the routing header read.
    pub routinglen: usize,
    /// The declared size of the content.
    pub contentlen: usize,
    /// The number of bytes of the content read.
    pub content_parsed: usize,
    /// The declared size of the value, or the size of data that follows from the size of the
    /// content; of an unfinished line, the digits read so far.
    pub valuelen: usize,
    /// The number of bytes of a sized value delivered; for an unfinished line or method, the end of
    /// its name after the cursor.
    pub value_parsed: usize,
    /// The part being read, a `PART_` number.
    pub part: i32,
    /// The mode, `FLAG_` bits.
    pub flags: u8,
    /// 1 if the content has a declared size.
    pub contentlen_found: u8,
    /// 1 if the value has a declared size, or data a size that follows from that of the content.
    pub valuelen_found: u8,
    /// 0 if the quick parser may read the next item. Else the error as a positive number, which
    /// every further call reports again (psyc-D11), and bits for an unfinished item or sized value
    /// and for a parser with limits. Padding in C.
    pub held: u8,
}

impl ParseState {
    /// Returns a parser at the start of a packet, or of a content.
    pub const fn new(flags: u8) -> ParseState {
        ParseState {
            cursor: 0,
            startc: 0,
            routinglen: 0,
            contentlen: 0,
            content_parsed: 0,
            valuelen: 0,
            value_parsed: 0,
            part: if flags & FLAG_START_AT_CONTENT == 0 { PART_ROUTING } else { PART_CONTENT },
            flags,
            contentlen_found: 0,
            valuelen_found: 0,
            held: 0,
        }
    }

    #[inline]
    fn restart(&mut self) {
        *self = ParseState { cursor: self.cursor, held: self.held & UNUSUAL, ..ParseState::new(self.flags) };
    }

    /// Returns whether a sized value of the entity header is being delivered.
    #[inline]
    fn in_value(&self) -> bool {
        self.valuelen_found != 0 && self.value_parsed < self.valuelen
    }

    /// Returns whether the next item may be one of the usual: nothing is held, and the buffer is
    /// not a lone content.
    #[inline(always)]
    fn is_usual(&self) -> bool {
        const MASK: u32 = u32::from_le_bytes([FLAG_START_AT_CONTENT, 0, 0, 0xff]);
        u32::from_le_bytes([self.flags, self.contentlen_found, self.valuelen_found, self.held]) & MASK == 0
    }

    /// No value and no unfinished item.
    #[inline]
    fn clear_value(&mut self) {
        self.startc = 0;
        self.valuelen = 0;
        self.value_parsed = 0;
        self.valuelen_found = 0;
    }

    /// Returns the least number of bytes missing, after [`PacketStep::More`].
    pub(super) fn missing(&self) -> usize {
        let sized = self.valuelen_found != 0 && matches!(self.part, PART_CONTENT | PART_DATA);
        if sized { self.valuelen.saturating_sub(self.value_parsed).max(1) } else { 1 }
    }
}

/// Returns the next item of `buf`. The cursor is the offset of an error, and every further call
/// returns the same error (psyc-D11).
///
/// After [`PacketStep::More`], call again with the same bytes and more appended; or with the bytes
/// from the cursor on and more appended, and the cursor set to 0.
#[inline(always)]
pub fn step<'b>(state: &mut ParseState, buf: &'b [u8]) -> Result<PacketStep<'b>, Code> {
    if let Some(step) = usual_step(state, buf) {
        return Ok(step);
    }
    let (after, flat) = full(*state, buf, &Limits::NONE);
    *state = after;
    flat.step()
}

/// Does the same if the next item is one that most packets are made of, and whole in the buffer.
/// Returns `None` otherwise, with the state fit for [`step`], which then returns the item.
///
/// It is for callers that handle both cases themselves and keep the rare one out of the common
/// path.
#[inline(always)]
pub fn usual_step<'b>(state: &mut ParseState, buf: &'b [u8]) -> Option<PacketStep<'b>> {
    if state.is_usual() { quick(state, buf) } else { None }
}

/// Does what [`step`] does, within limits.
pub fn step_within<'b>(state: &mut ParseState, buf: &'b [u8], limits: &Limits) -> Result<PacketStep<'b>, Code> {
    let (after, flat) = full(*state, buf, limits);
    *state = after;
    flat.step()
}

/// Returns the next item of a state that [is usual](ParseState::is_usual), if the item is one of
/// the usual and all there. Else nothing, and the state is as good as before.
#[inline(always)]
pub(super) fn quick<'b>(s: &mut ParseState, buf: &'b [u8]) -> Option<PacketStep<'b>> {
    if s.part != PART_CONTENT {
        if s.part == PART_END {
            let (due, rest) = quick_start(buf.get(s.cursor..)?, s.contentlen_found != 0 && s.content_parsed < s.contentlen)?;
            let step = quick_end(s, rest, due)?;
            s.content_parsed += due;
            return Some(step);
        }
        if s.part > PART_ROUTING {
            return None;
        }
        if s.part == PART_RESET {
            s.restart();
        }
        let (due, rest) = quick_start(buf.get(s.cursor..)?, s.routinglen > 0)?;
        let byte = *rest.first()?;
        if let Some(operator) = Operator::from_byte(byte) {
            let Line { name, value, len } = scan::line(rest)?;
            s.routinglen += due + len;
            s.cursor += due + len;
            return Some(PacketStep::Routing(Modifier { operator, name, value, sizing: Sizing::No }));
        }
        if byte == BAR {
            let step = quick_end(s, rest, due)?;
            s.routinglen += due;
            return Some(step);
        }
        if s.flags & FLAG_ROUTING_ONLY != 0 {
            return None;
        }
        let mut at = 0;
        if byte != LF {
            let size = quick_digits(rest, &mut at)?;
            if *rest.get(at)? != LF {
                return None;
            }
            s.contentlen = size;
            s.contentlen_found = 1;
        }
        s.routinglen += due;
        s.cursor += due + at + 1;
        s.part = PART_CONTENT;
    }
    let (due, mut rest) = quick_start(buf.get(s.cursor..)?, s.content_parsed > 0)?;
    if s.contentlen_found != 0 {
        let left = s.contentlen.checked_sub(s.content_parsed + due)?;
        if left == 0 {
            // A content with a declared size may be read to its end.
            let step = quick_end(s, rest, due)?;
            s.content_parsed += due;
            return Some(step);
        }
        rest = rest.get(..left).unwrap_or(rest);
    }
    let byte = *rest.first()?;
    if let Some(operator) = Operator::from_byte(byte) {
        if let Some(Line { name, value, len }) = scan::line(rest) {
            s.content_parsed += due + len;
            s.cursor += due + len;
            if s.valuelen_found != 0 {
                s.clear_value();
            }
            return Some(PacketStep::Entity(Modifier { operator, name, value, sizing: Sizing::No }));
        }
        let (modifier, len) = quick_sized(rest, operator)?;
        let size = modifier.value.len();
        s.content_parsed += due + len;
        s.cursor += due + len;
        (s.valuelen, s.value_parsed, s.valuelen_found) = (size, size, 1);
        return Some(PacketStep::Entity(modifier));
    }
    quick_body(s, rest, due)
}

/// Returns the rest after the LF that may be due, and the length of that LF.
#[inline(always)]
fn quick_start(rest: &[u8], due: bool) -> Option<(usize, &[u8])> {
    match (due, rest) {
        (false, _) => Some((0, rest)),
        (true, [LF, rest @ ..]) => Some((1, rest)),
        _ => None,
    }
}

/// Reads the digits of a size, few enough for any machine, and moves `at` past them.
///
/// The first eight come at once, so that a size of many digits takes as long as one of a few.
#[inline(always)]
fn quick_digits(buf: &[u8], at: &mut usize) -> Option<usize> {
    let start = *at;
    let (end, mut size) = (start + 9, 0);
    if let Some(eight) = buf.get(start..).and_then(|rest| rest.first_chunk::<8>()) {
        let (count, number) = eight_digits(*eight);
        (*at, size) = (start + count, number);
        if count < 8 {
            return (count > 0).then_some(size);
        }
    }
    while *at < end
        && let Some(digit @ b'0'..=b'9') = buf.get(*at)
    {
        size = size * 10 + usize::from(digit - b'0');
        *at += 1;
    }
    (*at > start).then_some(size)
}

/// How many digits eight bytes start with, and their number.
#[inline(always)]
fn eight_digits(bytes: [u8; 8]) -> (usize, usize) {
    const EACH: u64 = 0x0101_0101_0101_0101;
    let values = u64::from_le_bytes(bytes) ^ (EACH * u64::from(b'0'));
    // The high bit of the first byte that is more than 9. A carry reaches only bytes after it.
    let others = (values.wrapping_add(EACH * (0x80 - 10)) | values) & (EACH * 0x80);
    let count = others.trailing_zeros() as usize / 8;
    if count == 0 {
        return (0, 0);
    }
    // Zeros in front, then pairs, fours and eight.
    let digits = values << (8 * (8 - count));
    let pairs = digits.wrapping_mul(10).wrapping_add(digits >> 8) & 0x00ff_00ff_00ff_00ff;
    let fours = pairs.wrapping_mul(100).wrapping_add(pairs >> 16) & 0x0000_ffff_0000_ffff;
    (count, (fours.wrapping_mul(10_000).wrapping_add(fours >> 32) & 0xffff_ffff) as usize)
}

/// Reads the end mark at the start of `rest`, which is `due` bytes after the cursor.
#[inline(always)]
fn quick_end<'b>(s: &mut ParseState, rest: &[u8], due: usize) -> Option<PacketStep<'b>> {
    if rest.first_chunk::<2>()? != END {
        return None;
    }
    s.cursor += due + END.len();
    s.part = PART_RESET;
    Some(PacketStep::Complete)
}

/// Reads a line with a size at the start of `rest`, and returns where its value ends. The LF after
/// that is there too.
#[inline(never)]
fn quick_sized(rest: &[u8], operator: Operator) -> Option<(Modifier<'_>, usize)> {
    let name_end = scan::keyword_end(rest, 1);
    let mut at = name_end + 1;
    if name_end == 1 || *rest.get(name_end)? != b' ' {
        return None;
    }
    let size = quick_digits(rest, &mut at)?;
    let (value, end) = (at + 1, at + 1 + size);
    if *rest.get(at)? != TAB || end >= rest.len() {
        return None;
    }
    Some((Modifier { operator, name: &rest[1..name_end], value: &rest[value..end], sizing: Sizing::Need }, end))
}

/// Method and data, or the end mark in place of them, at the start of `rest`, which is `due` bytes
/// after the cursor.
#[inline(always)]
fn quick_body<'b>(s: &mut ParseState, rest: &'b [u8], due: usize) -> Option<PacketStep<'b>> {
    let method_end = scan::keyword_end(rest, 0);
    if method_end == 0 {
        if s.contentlen_found != 0 {
            return None;
        }
        let step = quick_end(s, rest, due)?;
        s.content_parsed += due;
        return Some(step);
    }
    let (method, behind) = rest.split_at_checked(method_end)?;
    let (LF, after) = behind.split_first().map(|(byte, after)| (*byte, after))? else { return None };
    let (data, len);
    if s.contentlen_found != 0 {
        let left = s.contentlen - s.content_parsed - due;
        let size = left.saturating_sub(method_end + 2);
        data = after.get(..size)?;
        len = method_end + 1 + size;
        (s.valuelen, s.value_parsed, s.valuelen_found) = (size, size, 1);
    } else {
        // The LF of the method may be that of the delimiter.
        let end = scan::delimiter(behind, 0)?;
        data = after.get(..end.saturating_sub(1))?;
        len = method_end + end + 1;
        if s.valuelen_found != 0 {
            s.clear_value();
        }
    }
    s.content_parsed += due + len;
    s.cursor += due + len;
    s.part = PART_END;
    Some(PacketStep::Body(method, data))
}

/// The result of a call, in one shape.
///
/// The full parser gives it back in memory. A caller that the quick one is inlined into puts the
/// step together itself, and so keeps the steps of the quick one in registers: that is a quarter of
/// the instructions of a packet.
#[derive(Debug, Clone, Copy)]
pub(super) struct Flat<'b> {
    /// The number of docs/spec/psyc.md 6.2.
    number: i32,
    operator: Operator,
    sizing: Sizing,
    /// The name of a modifier, or a method.
    name: &'b [u8],
    value: &'b [u8],
}

impl<'b> Flat<'b> {
    fn new(step: Result<PacketStep<'b>, Code>) -> Flat<'b> {
        let number = step.map_or_else(Code::number, |step| step.number());
        let flat = |name, value| Flat { number, operator: Operator::Set, sizing: Sizing::No, name, value };
        match step {
            Ok(PacketStep::Routing(line) | PacketStep::Entity(line) | PacketStep::EntityStart(line)) => {
                Flat { operator: line.operator, sizing: line.sizing, ..flat(line.name, line.value) }
            }
            Ok(PacketStep::Body(method, part) | PacketStep::BodyStart(method, part)) => flat(method, part),
            Ok(PacketStep::EntityPart(part) | PacketStep::EntityEnd(part) | PacketStep::BodyPart(part) | PacketStep::BodyEnd(part)) => {
                flat(b"", part)
            }
            Ok(PacketStep::More | PacketStep::State(_) | PacketStep::Complete) | Err(_) => flat(b"", b""),
        }
    }

    /// Returns the step that the fields stand for.
    #[inline(always)]
    pub(super) fn step(self) -> Result<PacketStep<'b>, Code> {
        let Flat { number, operator, sizing, name, value } = self;
        let line = Modifier { operator, name, value, sizing };
        Ok(match number {
            1 => PacketStep::More,
            2 => PacketStep::Routing(line),
            3 => PacketStep::State(State::Resync),
            4 => PacketStep::State(State::Reset),
            5 => PacketStep::EntityStart(line),
            6 => PacketStep::EntityPart(value),
            7 => PacketStep::EntityEnd(value),
            8 => PacketStep::Entity(line),
            9 => PacketStep::BodyStart(name, value),
            10 => PacketStep::BodyPart(value),
            11 => PacketStep::BodyEnd(value),
            12 => PacketStep::Body(name, value),
            13 => PacketStep::Complete,
            error => return Err(Code::from_number(error)),
        })
    }
}

/// Returns the next item, whatever it is. The state comes and goes by value, so that where the
/// quick parser is inlined it need not lie in memory.
#[inline(never)]
pub(super) fn full<'b>(mut state: ParseState, buf: &'b [u8], limits: &Limits) -> (ParseState, Flat<'b>) {
    let flat = Flat::new(any(&mut state, buf, limits));
    (state, flat)
}

fn any<'b>(state: &mut ParseState, buf: &'b [u8], limits: &Limits) -> Result<PacketStep<'b>, Code> {
    if state.held & FAULT != 0 {
        return Err(Code::from_number(-i32::from(state.held & FAULT)));
    }
    if state.part == PART_RESET {
        state.restart();
    }
    let mut read = Read { state: *state, buf, limits };
    let step = read.item();
    *state = read.state;
    let unfinished = state.startc != 0 || state.part == PART_CONTENT && state.in_value();
    state.held = state.held & UNUSUAL | if unfinished { UNFINISHED } else { 0 };
    match step {
        Ok(step) => Ok(step),
        Err(Stop::More) => Ok(PacketStep::More),
        Err(Stop::ParseError(code, at)) => {
            (state.cursor, state.held) = (at, state.held & UNUSUAL | code as u8);
            Err(code)
        }
    }
}

/// The reasons why there is no next item. Where it is taken up again is in the state.
enum Stop {
    More,
    ParseError(Code, usize),
}

type Item<T> = Result<T, Stop>;

/// The end of what an item may take up, and what is wrong if it does not suffice.
#[derive(Clone, Copy)]
struct Bound {
    end: usize,
    code: Code,
}

struct Read<'b, 'l> {
    state: ParseState,
    buf: &'b [u8],
    limits: &'l Limits,
}

impl<'b> Read<'b, '_> {
    fn item(&mut self) -> Item<PacketStep<'b>> {
        if self.state.cursor > self.buf.len() {
            return Err(Stop::More);
        }
        match self.state.part {
            PART_ROUTING => self.routing(),
            PART_LENGTH => self.length(),
            PART_CONTENT => self.content(),
            PART_METHOD => self.body(),
            PART_DATA if self.state.valuelen_found != 0 => self.data(false),
            PART_DATA => self.opaque(),
            _ => self.end(),
        }
    }

    /// Returns where a sized content ends, or one whose size is limited.
    fn bound(&self) -> Bound {
        let s = &self.state;
        let (size, code) = match s.contentlen_found {
            0 if s.flags & FLAG_START_AT_CONTENT != 0 => (usize::MAX, Code::NoLen),
            0 => (self.limits.content, Code::NoLen),
            _ => (s.contentlen, Code::Length),
        };
        let end = if size == usize::MAX { size } else { s.cursor.saturating_add(size.saturating_sub(s.content_parsed)) };
        Bound { end, code }
    }

    /// Returns the byte of an item at `at`.
    fn byte(&self, at: usize, bound: Bound) -> Item<u8> {
        if at >= bound.end {
            return Err(Stop::ParseError(bound.code, at));
        }
        self.buf.get(at).copied().ok_or(Stop::More)
    }

    /// Records that an unfinished item goes on at `at`; its name ends at `name_end`, if that is
    /// known, and `size` is what its digits say so far.
    fn more(&mut self, at: usize, name_end: Option<usize>, size: usize) -> Stop {
        let s = &mut self.state;
        s.startc = at - s.cursor;
        s.value_parsed = name_end.map_or(0, |end| end - s.cursor);
        s.valuelen = size;
        s.valuelen_found = 0;
        Stop::More
    }

    /// Returns where an unfinished item goes on, not before `start`.
    fn resumed(&self, start: usize) -> usize {
        start.max(self.state.cursor + self.state.startc)
    }

    /// Returns where the name of an unfinished item ends, if that is known.
    fn known_name(&self) -> Option<usize> {
        let s = &self.state;
        (s.startc != 0 && s.value_parsed != 0).then_some(s.cursor + s.value_parsed)
    }

    /// Reads the LF of the line before, if it is `due`, and returns where the next line starts.
    fn line_start(&self, due: bool) -> Item<usize> {
        let at = self.state.cursor;
        match (due, self.buf.get(at)) {
            (false, _) => Ok(at),
            (true, Some(&LF)) => Ok(at + 1),
            (true, Some(_)) => Err(Stop::ParseError(Code::ModNl, at)),
            (true, None) => Err(Stop::More),
        }
    }

    fn routing(&mut self) -> Item<PacketStep<'b>> {
        let start = self.line_start(self.state.routinglen > 0)?;
        let byte = *self.buf.get(start).ok_or(Stop::More)?;
        let before = self.state.cursor;
        if is_operator(byte) {
            let (_, line) = self.line(start, Bound { end: usize::MAX, code: Code::NoLen }, false)?;
            self.state.routinglen += self.state.cursor - before;
            return Ok(PacketStep::Routing(line));
        }
        let s = &mut self.state;
        s.routinglen += start - before;
        s.cursor = start;
        s.startc = 0;
        match byte {
            LF => self.start_content(start + 1),
            b'0'..=b'9' => {
                s.part = PART_LENGTH;
                s.contentlen = 0;
                self.length()
            }
            _ => {
                s.part = PART_END;
                self.end()
            }
        }
    }

    fn length(&mut self) -> Item<PacketStep<'b>> {
        let start = self.resumed(self.state.cursor);
        let (size, end) = self.digits(start, self.state.contentlen, Bound { end: usize::MAX, code: Code::Length }, Code::Length)?;
        match self.buf.get(end) {
            Some(&LF) => {
                self.state.contentlen = size;
                self.state.contentlen_found = 1;
                self.start_content(end + 1)
            }
            Some(_) => Err(Stop::ParseError(Code::Length, end)),
            None => {
                self.state.startc = end - self.state.cursor;
                self.state.contentlen = size;
                Err(Stop::More)
            }
        }
    }

    /// Returns the digits of a size from `at` on, where `size` is what those before say; and where
    /// they end.
    fn digits(&self, mut at: usize, mut size: usize, bound: Bound, code: Code) -> Item<(usize, usize)> {
        while let Some(digit @ b'0'..=b'9') = self.buf.get(at) {
            if at >= bound.end {
                return Err(Stop::ParseError(bound.code, at));
            }
            size = match size.checked_mul(10).and_then(|size| size.checked_add(usize::from(digit - b'0'))) {
                Some(size) if size <= self.limits.size => size,
                _ => return Err(Stop::ParseError(code, at)),
            };
            at += 1;
        }
        Ok((size, at))
    }

    fn start_content(&mut self, at: usize) -> Item<PacketStep<'b>> {
        let s = &mut self.state;
        s.cursor = at;
        s.content_parsed = 0;
        s.clear_value();
        if s.flags & FLAG_ROUTING_ONLY == 0 {
            s.part = PART_CONTENT;
            return self.content();
        }
        s.part = PART_DATA;
        if s.contentlen_found == 0 {
            return self.opaque();
        }
        s.valuelen = s.contentlen;
        s.valuelen_found = 1;
        self.data(true)
    }

    /// Reads a content without a declared size, as it is.
    fn opaque(&mut self) -> Item<PacketStep<'b>> {
        let (start, buf) = (self.state.cursor, self.buf);
        // The LF before the content may be that of the delimiter (psyc-D7).
        let end = match buf.get(start..).unwrap_or_default() {
            [BAR, LF, ..] => start,
            [] | [BAR] => return Err(Stop::More),
            _ => self.delimiter(start, self.bound())? + 1,
        };
        let s = &mut self.state;
        (s.cursor, s.startc, s.content_parsed, s.part) = (end, 0, end - start, PART_END);
        Ok(PacketStep::Body(b"", &buf[start..end]))
    }

    /// Returns where the delimiter is, from `start` on. Its first LF has to be within the bound.
    fn delimiter(&mut self, start: usize, bound: Bound) -> Item<usize> {
        let from = self.resumed(start);
        let end = bound.end.saturating_add(2).min(self.buf.len());
        match scan::delimiter(&self.buf[..end], from) {
            Some(found) => Ok(found),
            None if end == bound.end.saturating_add(2) => Err(Stop::ParseError(bound.code, bound.end)),
            None => {
                let name_end = self.known_name();
                // The last two bytes may be the start of one.
                Err(self.more(end.saturating_sub(2).max(from), name_end, 0))
            }
        }
    }

    /// Reads a line of a header from the operator on, moves the cursor past it, and returns whether
    /// its whole value is in the buffer.
    fn line(&mut self, start: usize, bound: Bound, entity: bool) -> Item<(bool, Modifier<'b>)> {
        let buf = self.buf;
        let Some(operator) = buf.get(start).copied().and_then(Operator::from_byte) else {
            return Err(Stop::ParseError(Code::ModName, start));
        };
        let known = self.known_name();
        let name_end = match known {
            Some(end) => end,
            None => self.keyword(start + 1, bound)?,
        };
        let after = *buf.get(name_end).ok_or(Stop::More)?;
        if name_end == start + 1 {
            return Err(Stop::ParseError(Code::ModName, name_end));
        }
        let modifier = |value, sizing| Modifier { operator, name: &buf[start + 1..name_end], value, sizing };
        let resumed = |at| if known.is_some() { self.resumed(at) } else { at };
        match after {
            TAB => {
                let value = name_end + 1;
                let from = resumed(value);
                let limit = value.saturating_add(self.limits.value).saturating_add(1);
                let end = buf.len().min(bound.end).min(limit);
                match scan::find(LF, &buf[..end], from) {
                    Some(end) => {
                        self.state.clear_value();
                        self.state.cursor = end;
                        Ok((true, modifier(&buf[value..end], Sizing::No)))
                    }
                    None if end == limit => Err(Stop::ParseError(Code::ModNoLen, end - 1)),
                    None if end == bound.end => Err(Stop::ParseError(bound.code, end)),
                    None => Err(self.more(end.max(from), Some(name_end), 0)),
                }
            }
            b' ' if entity => {
                let first = name_end + 1;
                let (size, end) =
                    self.digits(resumed(first), if known.is_some() { self.state.valuelen } else { 0 }, bound, Code::ModLen)?;
                if end >= bound.end {
                    return Err(Stop::ParseError(bound.code, end));
                }
                let Some(&after) = buf.get(end) else { return Err(self.more(end, Some(name_end), size)) };
                if end == first {
                    return Err(Stop::ParseError(Code::ModLen, end));
                }
                if after != TAB {
                    return Err(Stop::ParseError(Code::ModTab, end));
                }
                let value = end + 1;
                // The value and its LF have to fit.
                if value.saturating_add(size) >= bound.end {
                    return Err(Stop::ParseError(bound.code, value));
                }
                let there = size.min(buf.len() - value);
                let s = &mut self.state;
                (s.valuelen, s.value_parsed, s.valuelen_found, s.startc) = (size, there, 1, 0);
                s.cursor = value + there;
                Ok((there == size, modifier(&buf[value..value + there], Sizing::Need)))
            }
            _ => Err(Stop::ParseError(Code::ModTab, name_end)),
        }
    }

    /// Returns the end of a keyword that starts at `start`, where another byte has to follow.
    fn keyword(&mut self, start: usize, bound: Bound) -> Item<usize> {
        let from = self.resumed(start);
        let end = scan::keyword_end(&self.buf[..self.buf.len().min(bound.end)], from);
        if end >= bound.end {
            return Err(Stop::ParseError(bound.code, end));
        }
        if end >= self.buf.len() {
            return Err(self.more(end, None, 0));
        }
        Ok(end)
    }

    fn content(&mut self) -> Item<PacketStep<'b>> {
        if self.state.in_value() {
            return self.value();
        }
        let alone = self.state.flags & FLAG_START_AT_CONTENT != 0;
        if alone && self.state.cursor + 1 >= self.buf.len() {
            (self.state.cursor, self.state.part) = (self.buf.len(), PART_RESET);
            return Ok(PacketStep::Complete);
        }
        let before = self.state.cursor;
        let start = self.line_start(self.state.content_parsed > 0)?;
        let sized = self.state.contentlen_found != 0;
        let end = sized && self.state.content_parsed + (start - before) == self.state.contentlen;
        let byte = if end { BAR } else { *self.buf.get(start).ok_or(Stop::More)? };
        let bound = self.bound();
        if !end && is_operator(byte) {
            if start >= bound.end {
                return Err(Stop::ParseError(bound.code, start));
            }
            if self.state.content_parsed == 0 && matches!(byte, b'=' | b'?') && self.byte(start + 1, bound)? == LF {
                self.state.clear_value();
                (self.state.cursor, self.state.content_parsed) = (start + 1, 1);
                return Ok(PacketStep::State(if byte == b'=' { State::Reset } else { State::Resync }));
            }
            let (whole, line) = self.line(start, bound, true)?;
            self.state.content_parsed += self.state.cursor - before;
            return Ok(if whole { PacketStep::Entity(line) } else { PacketStep::EntityStart(line) });
        }
        let keyword = !end && is_keyword_byte(byte);
        if !keyword && !end && (byte != BAR || sized || alone) {
            return Err(Stop::ParseError(Code::End, start));
        }
        let s = &mut self.state;
        s.content_parsed += start - before;
        s.cursor = start;
        if keyword {
            s.part = PART_METHOD;
            self.body()
        } else {
            s.part = PART_END;
            self.end()
        }
    }

    /// Reads a method and its data.
    fn body(&mut self) -> Item<PacketStep<'b>> {
        let (start, buf) = (self.state.cursor, self.buf);
        let bound = self.bound();
        let known = self.known_name();
        let method_end = match known {
            Some(end) => end,
            None => self.keyword(start, bound)?,
        };
        if *buf.get(method_end).ok_or(Stop::More)? != LF {
            return Err(Stop::ParseError(Code::Method, method_end));
        }
        let method = &buf[start..method_end];
        let data = method_end + 1;
        if self.state.flags & FLAG_START_AT_CONTENT != 0 {
            let end = (buf.len() - 1).max(data);
            let s = &mut self.state;
            (s.valuelen, s.value_parsed, s.valuelen_found, s.startc) = (end - data, end - data, 1, 0);
            s.content_parsed += end - start;
            (s.cursor, s.part) = (end, PART_CONTENT);
            return Ok(PacketStep::Body(method, &buf[data..end]));
        }
        if self.state.contentlen_found != 0 {
            let size = (bound.end - data).saturating_sub(1);
            let there = size.min(buf.len() - data);
            let s = &mut self.state;
            (s.valuelen, s.value_parsed, s.valuelen_found, s.startc) = (size, there, 1, 0);
            s.cursor = data + there;
            s.content_parsed += s.cursor - start;
            let value = &buf[data..data + there];
            return Ok(if there == size {
                s.part = PART_END;
                PacketStep::Body(method, value)
            } else {
                s.part = PART_DATA;
                PacketStep::BodyStart(method, value)
            });
        }
        // The LF of the method may be that of the delimiter. An unfinished search goes on after
        // it.
        if known.is_none() {
            self.state.startc = method_end - start;
            self.state.value_parsed = method_end - start;
        }
        let end = self.delimiter(method_end, bound)?;
        let s = &mut self.state;
        s.clear_value();
        s.cursor = end + 1;
        s.content_parsed += end + 1 - start;
        s.part = PART_END;
        Ok(PacketStep::Body(method, &buf[data..end.max(data)]))
    }

    /// Reads as much of a sized value as is in the buffer.
    fn take(&mut self) -> &'b [u8] {
        let s = &mut self.state;
        let start = s.cursor;
        let there = (s.valuelen - s.value_parsed).min(self.buf.len() - start);
        s.cursor += there;
        s.value_parsed += there;
        s.content_parsed += there;
        &self.buf[start..start + there]
    }

    /// Reads on in a sized value.
    fn value(&mut self) -> Item<PacketStep<'b>> {
        let there = self.take();
        if !self.state.in_value() {
            return Ok(PacketStep::EntityEnd(there));
        }
        if there.is_empty() { Err(Stop::More) } else { Ok(PacketStep::EntityPart(there)) }
    }

    /// Sized data, or an opaque content, that goes on, or starts here.
    fn data(&mut self, starts: bool) -> Item<PacketStep<'b>> {
        let started = self.state.value_parsed > 0;
        let there = self.take();
        if !self.state.in_value() {
            self.state.part = PART_END;
            return Ok(if started { PacketStep::BodyEnd(there) } else { PacketStep::Body(b"", there) });
        }
        match (there.is_empty(), started) {
            (true, _) if !starts => Err(Stop::More),
            (_, true) => Ok(PacketStep::BodyPart(there)),
            (_, false) => Ok(PacketStep::BodyStart(b"", there)),
        }
    }

    fn end(&mut self) -> Item<PacketStep<'b>> {
        let s = &mut self.state;
        let due = s.contentlen_found != 0 && s.content_parsed < s.contentlen;
        let mut at = s.cursor;
        for expected in if due { b"\n|\n" } else { END } {
            match self.buf.get(at) {
                None => return Err(Stop::More),
                Some(found) if found == expected => at += 1,
                Some(_) => return Err(Stop::ParseError(Code::End, at)),
            }
        }
        s.content_parsed += usize::from(due);
        (s.cursor, s.part) = (at, PART_RESET);
        Ok(PacketStep::Complete)
    }
}

#[cfg(test)]
mod tests {
    use super::eight_digits;

    #[test]
    fn eight_digits_are_those_of_the_text() {
        let mut rng = fastrand::Rng::with_seed(5);
        for round in 0..40_000 {
            let bytes: [u8; 8] = core::array::from_fn(|_| match rng.u8(..10) {
                0 if round % 2 == 0 => rng.u8(..),
                1 if round % 2 == 0 => rng.u8(0x2e..0x3c),
                _ => rng.u8(b'0'..=b'9'),
            });
            let count = bytes.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(8);
            let number = bytes[..count].iter().fold(0, |number, digit| number * 10 + usize::from(digit - b'0'));
            assert_eq!(eight_digits(bytes), (count, number), "{bytes:?}");
        }
    }
}

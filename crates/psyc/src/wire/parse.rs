//! The packet parser: a resumable state machine over buffers of the caller's (section 6). It allocates and copies nothing.

use memchr::{memchr, memmem};

use super::{BAR, DELIMITER, END, LF, SIZE_LIMIT, TAB, is_keyword_byte, is_operator};
use crate::packet::{Modifier, Operator, Sizing, State};

/// How much of packets is parsed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    /// All.
    #[default]
    All,
    /// The routing header; the content comes as it is (section 6.5).
    RoutingOnly,
    /// The buffer is one whole content without the packet around it (section 6.6).
    Content,
}

/// What is wrong, numbered as in section 6.2.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Code {
    /// An end mark had to be here.
    End,
    /// The byte after a method is not LF.
    Method,
    /// The byte after a sized value is not LF.
    ModNl,
    /// The size of a value is not a number, or too large.
    ModLen,
    /// The byte after a name or a size is not TAB.
    ModTab,
    /// An operator without a name.
    ModName,
    /// The size of the content is not a number, too large, or not that of the content.
    Length,
}

impl Code {
    /// The number of section 6.2.
    pub const fn number(self) -> i32 {
        match self {
            Code::End => -8,
            Code::Method => -7,
            Code::ModNl => -6,
            Code::ModLen => -5,
            Code::ModTab => -4,
            Code::ModName => -3,
            Code::Length => -2,
        }
    }

    /// What would have been right, for people.
    pub const fn expected(self) -> &'static str {
        match self {
            Code::End => "the end mark, '|' and LF",
            Code::Method => "LF after the method",
            Code::ModNl => "LF after a value of the size told",
            Code::ModLen => "a size in digits that a value can have",
            Code::ModTab => "TAB before the value",
            Code::ModName => "the name of a variable",
            Code::Length => "the size of the content in digits, and a content of that size",
        }
    }
}

/// An error of the parser, which is of no use after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fault {
    /// What is wrong.
    pub code: Code,
    /// Offset in the buffer of the byte that is.
    pub at: usize,
}

/// What one call delivers, numbered as in section 6.2.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step<'b> {
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
    /// The first part of sized data, or of an opaque content. While a body is open, a continuation without a method.
    BodyStart(&'b [u8], &'b [u8]),
    /// A further part.
    BodyPart(&'b [u8]),
    /// The last part.
    BodyEnd(&'b [u8]),
    /// Method and data; of an opaque content, just that. While a body is open, its last part without a method.
    Body(&'b [u8], &'b [u8]),
    /// The end mark was read; in content mode, the content is used up.
    Complete,
}

impl Step<'_> {
    /// The number of section 6.2.
    pub const fn number(&self) -> i32 {
        match self {
            Step::More => 1,
            Step::Routing(_) => 2,
            Step::State(State::Resync) => 3,
            Step::State(State::Reset) => 4,
            Step::EntityStart(_) => 5,
            Step::EntityPart(_) => 6,
            Step::EntityEnd(_) => 7,
            Step::Entity(_) => 8,
            Step::BodyStart(..) => 9,
            Step::BodyPart(_) => 10,
            Step::BodyEnd(_) => 11,
            Step::Body(..) => 12,
            Step::Complete => 13,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Part {
    #[default]
    Routing,
    Content,
    /// The content as one piece, in routing-only mode.
    Opaque,
    Value,
    Data,
    End,
    Done,
}

/// Where an unfinished item is taken up again, counted from the cursor, so that no byte is looked at twice.
#[derive(Debug, Clone, Copy, Default)]
enum Resume {
    #[default]
    Start,
    Name(usize),
    Digits {
        name: usize,
        at: usize,
        value: u64,
    },
    Value {
        name: usize,
        at: usize,
    },
}

/// A sized value or sized data that is being delivered.
#[derive(Debug, Clone, Copy, Default)]
struct Sized {
    left: u64,
    started: bool,
}

/// The parser. It does not hold the buffer: [`Parser::next`] is given it each time, and it may have grown in between.
///
/// On [`Step::More`] there are two ways on: give it the same bytes with more behind them; or call [`Parser::drop_read`], and give it the
/// bytes from [`Parser::cursor`] on with more behind them.
#[derive(Debug, Clone)]
pub struct Parser {
    mode: Mode,
    part: Part,
    cursor: usize,
    /// The LF of the line before was not read yet.
    lf_due: bool,
    /// Whether nothing of the content was read.
    first: bool,
    content_size: Option<u64>,
    /// Bytes of a sized content from the cursor on.
    left: Option<u64>,
    value_size: Option<u64>,
    sized: Sized,
    resume: Resume,
    fault: Option<Fault>,
    limit: u64,
}

impl Default for Parser {
    fn default() -> Self {
        Parser::new(Mode::All)
    }
}

/// What stands in the way of the next item.
enum Stop {
    More(Resume),
    Fault(Fault),
}

type Read<T> = Result<T, Stop>;

fn fault<T>(code: Code, at: usize) -> Read<T> {
    Err(Stop::Fault(Fault { code, at }))
}

impl Parser {
    /// A parser at the start of a packet, or of a content.
    pub fn new(mode: Mode) -> Parser {
        Parser {
            mode,
            part: if mode == Mode::Content { Part::Content } else { Part::Routing },
            cursor: 0,
            lf_due: false,
            first: true,
            content_size: None,
            left: None,
            value_size: None,
            sized: Sized::default(),
            resume: Resume::Start,
            fault: None,
            limit: SIZE_LIMIT,
        }
    }

    /// Sets the largest size that is believed, in bytes.
    #[must_use]
    pub fn limit(mut self, limit: u64) -> Parser {
        self.limit = limit.min(SIZE_LIMIT);
        self
    }

    /// Offset of the next unread byte of the buffer.
    pub fn cursor(&self) -> usize {
        self.cursor
    }

    /// Says that the next buffer starts at the cursor of this one.
    pub fn drop_read(&mut self) {
        self.cursor = 0;
    }

    /// The size that the content was declared with. Valid after [`Step::Complete`], until the next call.
    pub fn content_size(&self) -> Option<u64> {
        self.content_size
    }

    /// The size that the last value was declared with, or that data has by that of the content.
    pub fn value_size(&self) -> Option<u64> {
        self.value_size
    }

    /// How many bytes are missing at least, after [`Step::More`] with the same buffer.
    pub fn missing(&self) -> u64 {
        if matches!(self.part, Part::Value | Part::Data) { self.sized.left.max(1) } else { 1 }
    }

    /// The next item of `buf`. After an error, the same error for good (D11).
    #[inline]
    pub fn next<'b>(&mut self, buf: &'b [u8]) -> Result<Step<'b>, Fault> {
        if let Some(fault) = self.fault {
            return Err(fault);
        }
        if self.part == Part::Done {
            *self = Parser { cursor: self.cursor, limit: self.limit, ..Parser::new(self.mode) };
        }
        match self.step(buf) {
            Ok(step) => Ok(step),
            Err(Stop::More(resume)) => {
                self.resume = resume;
                Ok(Step::More)
            }
            Err(Stop::Fault(fault)) => {
                self.fault = Some(fault);
                Err(fault)
            }
        }
    }

    fn step<'b>(&mut self, buf: &'b [u8]) -> Read<Step<'b>> {
        match self.part {
            Part::Routing => self.routing(buf),
            Part::Content => self.content(buf),
            Part::Opaque => self.opaque(buf),
            Part::Value => Ok(self.value_on(buf)?),
            Part::Data => Ok(self.data_on(buf)?),
            Part::End | Part::Done => self.end(buf),
        }
    }

    /// Moves on by `bytes`.
    #[inline]
    fn read(&mut self, bytes: usize) {
        self.cursor += bytes;
        self.resume = Resume::Start;
        if let Some(left) = &mut self.left {
            *left = left.saturating_sub(bytes as u64);
        }
    }

    /// The byte `at` of an item that has to lie in the content.
    #[inline]
    fn byte(&self, buf: &[u8], at: usize, resume: Resume) -> Read<u8> {
        if self.left.is_some_and(|left| (at - self.cursor) as u64 >= left) {
            return fault(Code::Length, at);
        }
        buf.get(at).copied().ok_or(Stop::More(resume))
    }

    /// The LF of the line before.
    #[inline]
    fn line_end(&mut self, buf: &[u8], code: Code) -> Read<()> {
        if self.lf_due {
            match buf.get(self.cursor) {
                None => return Err(Stop::More(Resume::Start)),
                Some(&LF) => self.read(1),
                Some(_) => return fault(code, self.cursor),
            }
            self.lf_due = false;
        }
        Ok(())
    }

    fn end<'b>(&mut self, buf: &'b [u8]) -> Read<Step<'b>> {
        self.line_end(buf, Code::End)?;
        for (n, byte) in END.iter().enumerate() {
            match buf.get(self.cursor + n) {
                None => return Err(Stop::More(Resume::Start)),
                Some(found) if found == byte => {}
                Some(_) => return fault(Code::End, self.cursor + n),
            }
        }
        self.left = None;
        self.read(END.len());
        self.part = Part::Done;
        Ok(Step::Complete)
    }

    #[inline]
    fn routing<'b>(&mut self, buf: &'b [u8]) -> Read<Step<'b>> {
        self.line_end(buf, Code::ModNl)?;
        let Some(&byte) = buf.get(self.cursor) else { return Err(Stop::More(self.resume)) };
        match byte {
            _ if is_operator(byte) => {
                let line = self.line(buf, false)?;
                Ok(Step::Routing(line))
            }
            b'0'..=b'9' => {
                let (size, end) = self.digits(buf, 0, self.cursor, Code::Length)?;
                match buf.get(end) {
                    None => Err(Stop::More(self.resume)),
                    Some(&LF) => {
                        self.read(end + 1 - self.cursor);
                        (self.content_size, self.left) = (Some(size), Some(size));
                        self.start_content(buf)
                    }
                    Some(_) => fault(Code::Length, end),
                }
            }
            LF => {
                self.read(1);
                self.start_content(buf)
            }
            _ => {
                self.part = Part::End;
                self.end(buf)
            }
        }
    }

    fn start_content<'b>(&mut self, buf: &'b [u8]) -> Read<Step<'b>> {
        if self.mode != Mode::RoutingOnly {
            self.part = Part::Content;
            return self.content(buf);
        }
        match self.left {
            Some(size) => {
                self.sized = Sized { left: size, started: false };
                self.value_size = Some(size);
                self.part = Part::Data;
                self.data_on(buf)
            }
            None => {
                self.part = Part::Opaque;
                self.opaque(buf)
            }
        }
    }

    /// A content of untold size, uninterpreted.
    fn opaque<'b>(&mut self, buf: &'b [u8]) -> Read<Step<'b>> {
        let start = self.cursor;
        let end = if buf[start..].starts_with(END) { start } else { self.delimiter(buf, start, 0)? + 1 };
        self.read(end - start);
        self.part = Part::End;
        Ok(Step::Body(b"", &buf[start..end]))
    }

    /// Where the delimiter is, from `start` on.
    fn delimiter(&mut self, buf: &[u8], start: usize, name: usize) -> Read<usize> {
        let from = match self.resume {
            Resume::Value { at, .. } => self.cursor + at,
            _ => start,
        };
        match memmem::find(&buf[from..], DELIMITER) {
            Some(found) => Ok(from + found),
            None => {
                // The last two bytes may be the start of one.
                let at = buf.len().saturating_sub(DELIMITER.len() - 1).max(from) - self.cursor;
                Err(Stop::More(Resume::Value { name, at }))
            }
        }
    }

    /// The digits of a size from `start` on, and where they end. The byte there may be missing.
    fn digits(&mut self, buf: &[u8], name: usize, start: usize, code: Code) -> Read<(u64, usize)> {
        let (mut at, mut value) = match self.resume {
            Resume::Digits { at, value, .. } => (self.cursor + at, value),
            _ => (start, 0),
        };
        while let Some(digit @ b'0'..=b'9') = buf.get(at) {
            if self.left.is_some_and(|left| (at - self.cursor) as u64 >= left) {
                return fault(Code::Length, at);
            }
            value = match value.checked_mul(10).and_then(|value: u64| value.checked_add(u64::from(digit - b'0'))) {
                Some(value) if value <= self.limit => value,
                _ => return fault(code, at),
            };
            at += 1;
        }
        self.resume = Resume::Digits { name, at: at - self.cursor, value };
        Ok((value, at))
    }

    /// A line of a header, from the operator on. Leaves the cursor at its LF.
    #[inline]
    fn line<'b>(&mut self, buf: &'b [u8], entity: bool) -> Read<Modifier<'b>> {
        let start = self.cursor;
        let operator = match Operator::from_byte(buf[start]) {
            Some(operator) => operator,
            None => return fault(Code::ModName, start),
        };
        let name_end = match self.resume {
            Resume::Digits { name, .. } | Resume::Value { name, .. } => start + name,
            Resume::Name(at) => self.keyword(buf, start + at)?,
            Resume::Start => self.keyword(buf, start + 1)?,
        };
        let name = name_end - start;
        let after = self.byte(buf, name_end, Resume::Name(name))?;
        if name_end == start + 1 {
            return fault(Code::ModName, name_end);
        }
        let modifier = |value, sizing| Modifier { operator, name: &buf[start + 1..name_end], value, sizing };
        match after {
            TAB => {
                let value = name_end + 1;
                let from = match self.resume {
                    Resume::Value { at, .. } => start + at,
                    _ => value,
                };
                let end = self.left.map_or(buf.len(), |left| buf.len().min(start.saturating_add(left as usize)));
                match memchr(LF, &buf[from.min(end)..end]) {
                    Some(found) => {
                        let end = from + found;
                        self.value_size = None;
                        self.read(end - start);
                        self.lf_due = true;
                        Ok(modifier(&buf[value..end], Sizing::No))
                    }
                    None if end < buf.len() || self.left.is_some_and(|left| (end - start) as u64 >= left) => fault(Code::Length, end),
                    None => Err(Stop::More(Resume::Value { name, at: end.max(from) - start })),
                }
            }
            b' ' if entity => {
                let digits = name_end + 1;
                let (size, end) = self.digits(buf, name, digits, Code::ModLen)?;
                let after = self.byte(buf, end, self.resume)?;
                if end == digits {
                    return fault(Code::ModLen, end);
                }
                if after != TAB {
                    return fault(Code::ModTab, end);
                }
                let value = end + 1;
                // The value and its LF have to fit.
                if self.left.is_some_and(|left| ((value - start) as u64).saturating_add(size) >= left) {
                    return fault(Code::Length, value);
                }
                self.read(value - start);
                self.value_size = Some(size);
                self.sized = Sized { left: size, started: true };
                let there = self.take_sized(buf);
                if self.sized.left == 0 {
                    self.lf_due = true;
                } else {
                    self.part = Part::Value;
                }
                Ok(modifier(there, Sizing::Need))
            }
            _ => fault(Code::ModTab, name_end),
        }
    }

    /// As much of a sized value as is there.
    fn take_sized<'b>(&mut self, buf: &'b [u8]) -> &'b [u8] {
        let start = self.cursor.min(buf.len());
        let there = usize::try_from(self.sized.left).unwrap_or(usize::MAX).min(buf.len() - start);
        self.sized.left -= there as u64;
        self.read(there);
        &buf[start..start + there]
    }

    /// The end of a keyword that goes on at `from`.
    #[inline]
    fn keyword(&self, buf: &[u8], from: usize) -> Read<usize> {
        let mut at = from;
        loop {
            match self.byte(buf, at, Resume::Name(at - self.cursor))? {
                byte if is_keyword_byte(byte) => at += 1,
                _ => return Ok(at),
            }
        }
    }

    #[inline]
    fn content<'b>(&mut self, buf: &'b [u8]) -> Read<Step<'b>> {
        if self.mode == Mode::Content && self.cursor + 1 >= buf.len() {
            self.cursor = buf.len();
            self.part = Part::Done;
            return Ok(Step::Complete);
        }
        self.line_end(buf, Code::ModNl)?;
        if self.left == Some(0) {
            self.part = Part::End;
            return self.end(buf);
        }
        let start = self.cursor;
        let Some(&byte) = buf.get(start) else { return Err(Stop::More(self.resume)) };
        if is_operator(byte) {
            if self.first
                && matches!(byte, b'=' | b'?')
                && matches!(self.resume, Resume::Start)
                && self.byte(buf, start + 1, Resume::Start)? == LF
            {
                self.first = false;
                self.read(1);
                self.lf_due = true;
                return Ok(Step::State(if byte == b'=' { State::Reset } else { State::Resync }));
            }
            let line = self.line(buf, true)?;
            self.first = false;
            return Ok(if self.part == Part::Value { Step::EntityStart(line) } else { Step::Entity(line) });
        }
        if is_keyword_byte(byte) {
            return self.body(buf);
        }
        if byte == BAR && self.left.is_none() && self.mode == Mode::All {
            self.part = Part::End;
            return self.end(buf);
        }
        fault(Code::End, start)
    }

    /// A method, and its data.
    fn body<'b>(&mut self, buf: &'b [u8]) -> Read<Step<'b>> {
        let start = self.cursor;
        let end = match self.resume {
            Resume::Value { name, .. } => start + name,
            Resume::Name(at) => self.keyword(buf, start + at)?,
            _ => self.keyword(buf, start)?,
        };
        if self.byte(buf, end, Resume::Name(end - start))? != LF {
            return fault(Code::Method, end);
        }
        let method = &buf[start..end];
        let data = end + 1;
        if self.mode == Mode::Content {
            let last = buf.len().saturating_sub(1).max(data);
            self.value_size = Some((last - data) as u64);
            self.cursor = last;
            self.part = Part::Content;
            return Ok(Step::Body(method, &buf[data..last]));
        }
        if let Some(left) = self.left {
            self.read(data - start);
            let size = left - (data - start) as u64;
            self.lf_due = size > 0;
            self.sized = Sized { left: size.saturating_sub(1), started: false };
            self.value_size = Some(self.sized.left);
            self.part = Part::Data;
            let there = self.take_sized(buf);
            return Ok(if self.sized.left == 0 {
                self.part = Part::End;
                Step::Body(method, there)
            } else {
                self.sized.started = !there.is_empty();
                Step::BodyStart(method, there)
            });
        }
        self.value_size = None;
        if buf[data..].starts_with(END) {
            self.read(data - start);
            self.part = Part::End;
            return Ok(Step::Body(method, b""));
        }
        let stop = self.delimiter(buf, data, end - start)?;
        self.read(stop - start);
        self.lf_due = true;
        self.part = Part::End;
        Ok(Step::Body(method, &buf[data..stop]))
    }

    /// A sized value that goes on.
    fn value_on<'b>(&mut self, buf: &'b [u8]) -> Read<Step<'b>> {
        let there = self.take_sized(buf);
        if self.sized.left == 0 {
            self.part = Part::Content;
            self.lf_due = true;
            return Ok(Step::EntityEnd(there));
        }
        if there.is_empty() { Err(Stop::More(Resume::Start)) } else { Ok(Step::EntityPart(there)) }
    }

    /// Sized data, or an opaque content, that goes on.
    fn data_on<'b>(&mut self, buf: &'b [u8]) -> Read<Step<'b>> {
        let opening = self.mode == Mode::RoutingOnly && !self.sized.started && self.cursor >= buf.len() && self.left == self.content_size;
        let there = self.take_sized(buf);
        let started = self.sized.started;
        self.sized.started = started || !there.is_empty();
        if self.sized.left == 0 {
            self.part = Part::End;
            return Ok(if started { Step::BodyEnd(there) } else { Step::Body(b"", there) });
        }
        match (there.is_empty(), started) {
            // Told once that an opaque content starts, with nothing of it there yet.
            (true, false) if opening && self.first => {
                self.first = false;
                Ok(Step::BodyStart(b"", there))
            }
            (true, _) => Err(Stop::More(Resume::Start)),
            (false, false) => Ok(Step::BodyStart(b"", there)),
            (false, true) => Ok(Step::BodyPart(there)),
        }
    }
}

//! Packets to events.

use polywire_core::{
    Budget, Error, ErrorKind, Field, Frame, Hint, Len, Next, Open, Reader, Result, Scalar, Sink, Span, Spelling, Str, Timestamp,
};

use super::tags::{NAME, ROUTING, operator_code, state_code};
use crate::dict::{KEY_END, KEY_START};
use crate::element::{self, Bad, Item, Memo};
use crate::packet::{Operator, State};
use crate::record::name::{self, Place, Room};
use crate::record::words::{self, DATA, Mark, PAIR, VALUE_METHOD};
use crate::value::PSYC_EPOCH;
use crate::wire::{BAR, Framer, PacketStep, Parser, keyword_len};
use polywire_core::value::lexical::{Lexical, classify, is_number};

/// Reads PSYC packets.
#[derive(Debug, Default)]
pub struct PsycReader {
    framer: Framer,
    lines: Vec<Line>,
    levels: Vec<OpenValue>,
    room: Room,
}

/// A modifier of the packet, by offsets.
#[derive(Debug, Clone, Copy)]
struct Line {
    routing: bool,
    operator: Operator,
    name: (usize, usize),
    value: (usize, usize),
}

/// A structured value that is being sent.
#[derive(Debug, Clone, Copy)]
struct OpenValue {
    kind: OpenKind,
    at: usize,
    end: usize,
    /// The default type, for elements without a type of their own.
    default: (usize, usize),
    /// Values so far.
    count: u32,
    /// In dicts: the key was sent, and its value follows.
    value_due: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OpenKind {
    /// Elements of a list.
    Items,
    /// The one element of a tagged value.
    One,
    /// Key and value of an entry of the packet itself: no container of its own.
    Pair,
    /// Entries of a dict whose keys are names.
    Names,
    /// Entries of a dict with keys of any kind.
    Keys,
}

impl Reader for PsycReader {
    fn frame(&mut self, buf: &[u8], _base: u64, eof: bool) -> Result<Frame> {
        Ok(self.framer.frame(buf, eof))
    }

    fn walk<'m>(&mut self, msg: &'m [u8], base: u64, sink: &mut dyn Sink<'m>, budget: &mut Budget) -> Result<()> {
        self.lines.clear();
        self.levels.clear();
        let mut walk = Walk { msg, base, sink, budget, levels: &mut self.levels, room: &mut self.room };
        walk.packet(&mut self.lines).map_err(|error| error.format_is(NAME))
    }
}

/// The parts of a packet beside its lines.
#[derive(Debug, Default)]
struct Parts {
    state: Option<State>,
    /// Where the header ends.
    header_end: usize,
    method: (usize, usize),
    data: (usize, usize),
}

struct Walk<'w, 'm> {
    msg: &'m [u8],
    base: u64,
    sink: &'w mut dyn Sink<'m>,
    budget: &'w mut Budget,
    levels: &'w mut Vec<OpenValue>,
    room: &'w mut Room,
}

impl<'m> Walk<'_, 'm> {
    fn span(&self, start: usize, end: usize) -> Span {
        Span::at(self.base, start, end)
    }

    #[cold]
    fn bad(&self, at: usize, expected: &'static str) -> Error {
        let offset = self.base + at as u64;
        match self.msg.get(at) {
            Some(byte) if byte.is_ascii_graphic() => {
                Error::data(ErrorKind::Syntax, offset).seen(format!("'{}'", *byte as char)).expected(expected)
            }
            Some(byte) => Error::data(ErrorKind::Syntax, offset).seen(format!("byte 0x{byte:02x}")).expected(expected),
            None => Error::truncated(offset, expected),
        }
    }

    /// Finds the parts of the packet. The parts found before an error stay.
    fn parse(&mut self, lines: &mut Vec<Line>, parts: &mut Parts) -> Result<()> {
        let mut parser = Parser::default();
        loop {
            let step = parser.next(self.msg).map_err(|fault| {
                let at = fault.at.min(self.msg.len());
                Error::data(ErrorKind::Syntax, self.base + at as u64).seen(self.bad(at, "").what()).expected(fault.code.expected())
            });
            let line = |routing, line: crate::packet::Modifier<'m>, end: usize| {
                let value = end - line.value.len();
                let name = start_of(self.msg, line.name);
                Line { routing, operator: line.operator, name: (name, name + line.name.len()), value: (value, end) }
            };
            match step? {
                PacketStep::Routing(modifier) => {
                    lines.push(line(true, modifier, parser.cursor()));
                    parts.header_end = parser.cursor();
                }
                PacketStep::Entity(modifier) => {
                    lines.push(line(false, modifier, parser.cursor()));
                    parts.header_end = parser.cursor();
                }
                PacketStep::State(state) => parts.state = Some(state),
                PacketStep::Body(method, data) => {
                    let start = start_of(self.msg, method);
                    parts.method = (start, start + method.len());
                    let start = start_of(self.msg, data);
                    parts.data = (start, start + data.len());
                }
                PacketStep::Complete if parser.cursor() == self.msg.len() => return Ok(()),
                PacketStep::Complete => {
                    let at = parser.cursor();
                    let more = self.msg.len() - at;
                    return Err(Error::data(ErrorKind::Trailing, self.base + at as u64)
                        .seen(format!("{more} bytes after the packet"))
                        .expected("its end"));
                }
                _ => return Err(Error::truncated(self.base + self.msg.len() as u64, "the rest of the packet")),
            }
        }
    }

    fn packet(&mut self, lines: &mut Vec<Line>) -> Result<()> {
        if self.msg.is_empty() {
            return Err(Error::truncated(self.base, "a packet"));
        }
        let mut parts = Parts::default();
        let parsed = self.parse(lines, &mut parts);
        if self.send(lines, &parts, &parsed)? {
            parsed?;
        }
        Ok(())
    }

    /// Sends the parts found. Returns false if the sink wants no more.
    fn send(&mut self, lines: &[Line], parts: &Parts, parsed: &Result<()>) -> Result<bool> {
        let (msg, end) = (self.msg, self.msg.len());
        let method = &msg[parts.method.0..parts.method.1];
        let (data, data_end) = parts.data;
        if method == VALUE_METHOD && lines.is_empty() && parts.state.is_none() && parsed.is_ok() {
            let next = self.variable(None, data, data_end)?;
            return Ok(next != Next::Stop && self.run()?);
        }
        self.budget.item(self.base)?;
        if let Some(state) = parts.state {
            self.budget.enter(self.base)?;
            match self.sink.open(Open::Tagged { space: NAME, code: state_code(state) }, self.span(0, 0))? {
                Next::Enter => self.budget.item(self.base)?,
                next => return Ok(next == Next::Skip),
            }
        }
        self.budget.enter(self.base)?;
        let has_data = data < data_end;
        let len = Len::Claimed(lines.len() as u64 + u64::from(has_data));
        let is_map = lines.iter().any(|line| self.is_pair(line));
        if is_map && !method.is_empty() {
            return Err(self.bad(parts.method.0, "no method in a packet that is a map"));
        }
        let name = if method.is_empty() { Str::Input("") } else { name::of(method, Place::Method, self.room) };
        let open = if is_map { Open::Map(len) } else { Open::Record { name: name.get(), len } };
        match self.sink.open(open, Span::at(self.base, 0, 0))? {
            Next::Enter => {
                for line in lines {
                    if !self.line(*line)? {
                        return Ok(false);
                    }
                }
                if has_data {
                    let at = self.span(parts.method.0, parts.method.1);
                    self.budget.item(at.start)?;
                    match self.sink.field(Field::named(Str::Input(DATA)), at)? {
                        Next::Enter => {
                            self.budget.item(self.base + data as u64)?;
                            self.sink.scalar(text_or_octets(&msg[data..data_end]), self.span(data, data_end))?;
                        }
                        Next::Skip => {}
                        Next::Stop => return Ok(false),
                    }
                }
                if parsed.is_err() {
                    return Ok(true);
                }
                let at = if has_data { data_end } else { parts.header_end };
                self.sink.close(self.span(at, end))?;
            }
            Next::Skip => {}
            Next::Stop => return Ok(false),
        }
        self.budget.leave();
        if parts.state.is_some() {
            self.sink.close(self.span(end, end))?;
            self.budget.leave();
        }
        Ok(true)
    }

    fn is_pair(&self, line: &Line) -> bool {
        !line.routing && line.operator == Operator::Set && &self.msg[line.name.0..line.name.1] == PAIR
    }

    /// Sends one variable. Returns false if the sink wants no more.
    fn line(&mut self, line: Line) -> Result<bool> {
        let keyword = &self.msg[line.name.0..line.name.1];
        let (start, end) = line.value;
        if self.is_pair(&line) {
            self.levels.push(OpenValue { kind: OpenKind::Pair, at: start, end, default: (start, start), count: 0, value_due: false });
            return self.run();
        }
        let structure = if line.operator.takes_whole_values() { words::structured(keyword, &self.msg[start..end]) } else { None };
        let (mark, own) = structure.map_or((None, 0), |(mark, own)| (Some(mark), own));
        let at = self.span(line.name.0, line.name.1);
        let mut room = std::mem::take(self.room);
        let next = self.field(name::of(&keyword[own..], Place::Name, &mut room), at);
        *self.room = room;
        match next? {
            Next::Enter => {}
            next => return Ok(next == Next::Skip),
        }
        let code = operator_code(line.operator) + if line.routing { ROUTING } else { 0 };
        let tagged = line.routing || line.operator != Operator::Set;
        if tagged {
            self.budget.item(self.base + start as u64)?;
            self.budget.enter(self.base + start as u64)?;
            match self.sink.open(Open::Tagged { space: NAME, code }, self.span(start, start))? {
                Next::Enter => {}
                Next::Skip => {
                    self.budget.leave();
                    return Ok(true);
                }
                Next::Stop => return Ok(false),
            }
        }
        if self.variable(mark, start, end)? == Next::Stop || !self.run()? {
            return Ok(false);
        }
        if tagged {
            self.budget.leave();
            self.sink.close(self.span(end, end))?;
        }
        Ok(true)
    }

    /// Sends the value of a variable.
    fn variable(&mut self, mark: Option<Mark>, start: usize, end: usize) -> Result<Next> {
        if mark.is_some() {
            return self.value(mark, start, end, false);
        }
        match words::marked(&self.msg[start..end]) {
            Some((mark, payload)) => self.value(Some(mark), end - payload.len(), end, false),
            None => self.value(None, start, end, false),
        }
    }

    fn field(&mut self, name: Str<'m, '_, str>, at: Span) -> Result<Next> {
        self.budget.item(at.start)?;
        if let Str::Scratch(name) = name {
            self.budget.decode(name.len() as u64, at.start)?;
        }
        self.sink.field(Field::named(name), at)
    }

    /// Sends the values of all levels. Returns false if the sink wants no more.
    fn run(&mut self) -> Result<bool> {
        let msg = self.msg;
        while let Some(level) = self.levels.last().copied() {
            let OpenValue { kind, at, end, default, count, value_due } = level;
            if at == end && !value_due {
                let wanted = match kind {
                    OpenKind::One => 1,
                    OpenKind::Pair => 2,
                    _ => count,
                };
                if count != wanted {
                    return Err(self.bad_end(end, "another element"));
                }
                self.levels.pop();
                if kind != OpenKind::Pair {
                    self.budget.leave();
                    self.sink.close(self.span(end, end))?;
                }
                continue;
            }
            let bytes = &msg[..end];
            let is_dict = matches!(kind, OpenKind::Names | OpenKind::Keys);
            if is_dict && !value_due {
                if msg[at] != KEY_START {
                    return Err(self.bad(at, "'{' before a key"));
                }
                let key = element::whole_key(bytes, at).map_err(|bad| self.bad_element(bad, end))?;
                if bytes.get(key.end) != Some(&KEY_END) {
                    return Err(self.bad_end(key.end, "'}' after a key"));
                }
                self.set(OpenValue { at: key.end + 1, value_due: true, ..level });
                match self.key(kind, key.at, key.end)? {
                    Next::Enter => {}
                    Next::Skip => {
                        let found = element::whole(bytes, key.end, KEY_START).map_err(|bad| self.bad_element(bad, end))?;
                        self.set(OpenValue { at: found.end, value_due: false, count: count + 1, ..level });
                    }
                    Next::Stop => return Ok(false),
                }
                continue;
            }
            let (from, stop) = if is_dict { (at - 1, KEY_START) } else { (at, BAR) };
            if !is_dict && (msg[at] != BAR || kind == OpenKind::One && count == 1 || kind == OpenKind::Pair && count == 2) {
                return Err(self.bad(at, "'|' before an element, or the end of the value"));
            }
            let found = element::whole(bytes, from, stop).map_err(|bad| self.bad_element(bad, end))?;
            self.set(OpenValue { at: found.end, value_due: false, count: count.saturating_add(1), ..level });
            let next = self.element(found, default, kind == OpenKind::Pair && count == 0)?;
            if next == Next::Stop {
                return Ok(false);
            }
            if kind == OpenKind::Pair && count == 0 && next == Next::Skip && found.end < end {
                // The value of a field that is not wanted.
                let value = element::whole(bytes, found.end, BAR).map_err(|bad| self.bad_element(bad, end))?;
                self.set(OpenValue { at: value.end, value_due: false, count: 2, ..level });
            }
        }
        Ok(true)
    }

    fn set(&mut self, level: OpenValue) {
        if let Some(last) = self.levels.last_mut() {
            *last = level;
        }
    }

    #[cold]
    fn bad_end(&self, at: usize, expected: &'static str) -> Error {
        let mut error = self.bad(at, expected);
        if self.levels.last().is_some_and(|level| at >= level.end) {
            error = error.seen("the end of the value");
        }
        error
    }

    #[cold]
    fn bad_element(&self, bad: Bad, end: usize) -> Error {
        let ended = |expected| Error::data(ErrorKind::Syntax, self.base + end as u64).seen("the end of the value").expected(expected);
        match bad {
            Bad::More(Memo { size: 0, .. }) => ended("a whole element"),
            Bad::More(_) => ended("an element of the declared size"),
            Bad::Kind(at) => self.bad(at, "a type followed by ':', a space or the end of the element"),
            Bad::Length(at) | Bad::Long(at) => self.bad(at, "'=' and a type, a size and a space, or a space"),
        }
    }

    /// Sends a key of a dict.
    fn key(&mut self, kind: OpenKind, start: usize, end: usize) -> Result<Next> {
        let text = &self.msg[start..end];
        match words::marked(text) {
            Some((mark, payload)) if kind == OpenKind::Keys || mark == Mark::Text => {
                let next = self.value(Some(mark), end - payload.len(), end, true)?;
                // Only a field returns that its value is not wanted.
                Ok(next)
            }
            Some(_) => Err(self.bad(start, "a key that is a name")),
            None => match std::str::from_utf8(text) {
                Ok(name) => self.field(Str::Input(name), self.span(start, end)),
                Err(error) => Err(self.not_text(start + error.valid_up_to())),
            },
        }
    }

    #[cold]
    fn not_text(&self, at: usize) -> Error {
        let byte = self.msg.get(at).copied().unwrap_or_default();
        Error::data(ErrorKind::Encoding, self.base + at as u64).seen(format!("byte 0x{byte:02x}")).expected("UTF-8 text")
    }

    /// Sends an element of a list, or a value of a dict.
    fn element(&mut self, found: Item<'m>, default: (usize, usize), is_key: bool) -> Result<Next> {
        let kind = if found.kind.is_empty() { &self.msg[default.0..default.1] } else { found.kind };
        let (start, end) = (found.at, found.at + found.value.len());
        if kind.is_empty() {
            return self.value(None, start, end, is_key);
        }
        if let Some(mark) = Mark::of(kind) {
            return self.value(Some(mark), start, end, is_key);
        }
        // A type of the application's: a case that holds the value.
        let offset = self.base + start as u64;
        self.budget.item(offset)?;
        self.budget.enter(offset)?;
        let at = self.span(start, start);
        let name = name::of(kind, Place::Name, self.room);
        let next = self.sink.open(Open::Variant { name: name.get(), index: 0 }, at)?;
        if next == Next::Enter {
            if start < end {
                self.value(None, start, end, false)?;
            }
            self.sink.close(self.span(end, end))?;
        }
        self.budget.leave();
        Ok(if next == Next::Stop { Next::Stop } else { Next::Enter })
    }

    /// Sends a value, or a key that is no name; a text key becomes a field. Returns [`Next::Skip`]
    /// only for a field.
    fn value(&mut self, mark: Option<Mark>, start: usize, end: usize, is_key: bool) -> Result<Next> {
        let payload = &self.msg[start..end];
        let at = self.span(start, end);
        let scalar = match mark {
            None | Some(Mark::Value) => self.plain(payload, at.start)?,
            Some(Mark::Null) if payload.is_empty() => Scalar::Null,
            Some(Mark::Null) => return Err(self.bad(start, "nothing")),
            Some(Mark::Text) => match simdutf8::compat::from_utf8(payload) {
                Ok(text) => Scalar::Text(Str::Input(text)),
                Err(error) => return Err(self.not_text(start + error.valid_up_to())),
            },
            Some(Mark::Float) => match payload {
                b"inf" => Scalar::f64(f64::INFINITY),
                b"-inf" => Scalar::f64(f64::NEG_INFINITY),
                b"nan" => Scalar::f64(f64::NAN),
                _ => return Err(self.bad(start, "inf, -inf or nan")),
            },
            Some(Mark::Float32) => match payload {
                b"inf" => Scalar::f32(f32::INFINITY),
                b"-inf" => Scalar::f32(f32::NEG_INFINITY),
                b"nan" => Scalar::f32(f32::NAN),
                digits => {
                    self.budget.digits(digits.len(), at.start)?;
                    let text = std::str::from_utf8(digits).unwrap_or_default();
                    match text.parse::<f32>() {
                        Ok(value) if is_number(digits) && value.is_finite() => Scalar::f32(value),
                        _ => return Err(self.bad(start, "a number that a 32-bit float holds")),
                    }
                }
            },
            Some(Mark::Decimal) => {
                self.budget.digits(payload.len(), at.start)?;
                match std::str::from_utf8(payload) {
                    Ok(text) if is_number(payload) => Scalar::decimal(Str::Input(text)),
                    _ => return Err(self.bad(start, "a decimal number")),
                }
            }
            Some(Mark::Date) => match date(payload) {
                Some(moment) => Scalar::Time(moment),
                None => return Err(self.bad(start, "seconds since the PSYC epoch")),
            },
            Some(Mark::Bytes) => Scalar::Bytes(Str::Input(payload)),
            Some(Mark::Octets) => Scalar::Octets(Str::Input(payload)),
            Some(mark) => return self.container(mark, start, end),
        };
        if is_key && let Scalar::Text(Str::Input(name)) = scalar {
            return self.field(Str::Input(name), at);
        }
        self.budget.item(at.start)?;
        match scalar {
            Scalar::F64(value, _) if value.is_finite() => {
                let spelling = Spelling::digits(std::str::from_utf8(payload).unwrap_or_default());
                self.sink.scalar(Scalar::F64(value, Hint::new(&spelling)), at)?;
            }
            scalar => self.sink.scalar(scalar, at)?,
        }
        Ok(Next::Enter)
    }

    /// Reads a value without a mark.
    fn plain(&self, payload: &'m [u8], offset: u64) -> Result<Scalar<'m, 'm>> {
        let text = |bytes: &'m [u8]| Str::Input(std::str::from_utf8(bytes).unwrap_or_default());
        if matches!(payload.first(), Some(b'-' | b'0'..=b'9')) && payload.len() > self.budget.limits().digits as usize && is_number(payload)
        {
            self.budget.digits(payload.len(), offset)?;
        }
        Ok(match classify(payload) {
            Lexical::Bool(value) => Scalar::Bool(value),
            Lexical::Int(value) => Scalar::int(value),
            Lexical::UInt(value) => Scalar::uint(value),
            Lexical::F64(value) => Scalar::f64(value),
            Lexical::Big => Scalar::big(text(payload)),
            Lexical::Decimal => Scalar::decimal(text(payload)),
            Lexical::Text => text_or_octets(payload),
        })
    }

    fn container(&mut self, mark: Mark, start: usize, end: usize) -> Result<Next> {
        let mut room = std::mem::take(self.room);
        let next = self.container_in(&mut room, mark, start, end);
        *self.room = room;
        next
    }

    fn container_in(&mut self, room: &mut Room, mark: Mark, start: usize, end: usize) -> Result<Next> {
        let msg = self.msg;
        let offset = self.base + start as u64;
        self.budget.item(offset)?;
        self.budget.enter(offset)?;
        let head = start + keyword_len(&msg[start..end]);
        let name = name::of(&msg[start..head], Place::Name, room);
        let name = name.get();
        let at = self.span(start, start);
        let mut level = OpenValue { kind: OpenKind::Items, at: head, end, default: (start, head), count: 0, value_due: false };
        if matches!(mark, Mark::Variant | Mark::Record | Mark::Tagged) {
            if head == start {
                return Err(self.bad_head(start, end, "a name"));
            }
            level.default = (start, start);
        }
        let next = match mark {
            Mark::Dict => {
                level.kind = OpenKind::Names;
                self.sink.open(Open::Record { name: "", len: Len::Unknown }, at)?
            }
            Mark::Map => {
                level.kind = OpenKind::Keys;
                self.sink.open(Open::Map(Len::Unknown), at)?
            }
            Mark::Tuple => self.sink.open(Open::Tuple(Len::Unknown), at)?,
            Mark::Record => {
                level.kind = OpenKind::Names;
                self.sink.open(Open::Record { name, len: Len::Unknown }, at)?
            }
            Mark::Variant => {
                let (number, after) = self.number(head, end)?;
                let Ok(index) = u32::try_from(number) else { return Err(self.bad(head + 1, "the index of a case")) };
                level.at = after;
                self.sink.open(Open::Variant { name, index }, at)?
            }
            Mark::Tagged => {
                let (code, after) = self.number(head, end)?;
                level.at = after;
                level.kind = OpenKind::One;
                self.sink.open(Open::Tagged { space: name, code }, at)?
            }
            _ => self.sink.open(Open::List(Len::Unknown), at)?,
        };
        match next {
            Next::Enter => self.levels.push(level),
            Next::Skip => self.budget.leave(),
            Next::Stop => return Ok(Next::Stop),
        }
        Ok(Next::Enter)
    }

    #[cold]
    fn bad_head(&self, at: usize, end: usize, expected: &'static str) -> Error {
        if at < end {
            return self.bad(at, expected);
        }
        Error::data(ErrorKind::Syntax, self.base + at as u64).seen("the end of the value").expected(expected)
    }

    /// Returns the number that is the first element of a list at `at`.
    fn number(&self, at: usize, end: usize) -> Result<(u64, usize)> {
        if self.msg[..end].get(at) != Some(&BAR) {
            return Err(self.bad_head(at, end, "'|' and a number"));
        }
        let found = element::whole(&self.msg[..end], at, BAR).map_err(|bad| self.bad_element(bad, end))?;
        match classify(found.value) {
            Lexical::UInt(number) if found.kind.is_empty() => Ok((number, found.end)),
            _ => Err(self.bad_head(at + 1, end, "a number")),
        }
    }
}

fn text_or_octets(bytes: &[u8]) -> Scalar<'_, '_> {
    match simdutf8::basic::from_utf8(bytes) {
        Ok(text) => Scalar::Text(Str::Input(text)),
        Err(_) => Scalar::Octets(Str::Input(bytes)),
    }
}

/// Returns the offset of a part of the message in it.
fn start_of(msg: &[u8], part: &[u8]) -> usize {
    polywire_core::bytes::offset_in(msg, part).unwrap_or(0)
}

/// Seconds since the PSYC epoch, and nine digits of nanoseconds after a point if there are any.
fn date(payload: &[u8]) -> Option<Timestamp> {
    let text = std::str::from_utf8(payload).ok()?;
    let (seconds, nanos) = match text.split_once('.') {
        Some((seconds, nanos)) if nanos.len() == 9 && nanos.bytes().all(|byte| byte.is_ascii_digit()) => (seconds, nanos.parse().ok()?),
        Some(_) => return None,
        None => (text, 0),
    };
    let digits = seconds.strip_prefix('-').unwrap_or(seconds);
    if digits.is_empty() || digits.len() > 20 || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let seconds = seconds.parse::<i128>().ok()? + i128::from(PSYC_EPOCH);
    Timestamp::new(i64::try_from(seconds).ok()?, nanos)
}

//! Bytes to events.

mod special;

use std::sync::Arc;

use polywire_core::bytes::Input;
use polywire_core::{
    Budget, Error, ErrorKind, Field, Frame, Hint, Len, Limits, Next, Note, Open, Reader, Result, Scalar, Sink, Span, Spelling, Str,
};

use special::Special;

use crate::meant;
use crate::plan::{Plan, Shape, Ty};
use crate::skip::{Skipper, more, no_value};
use crate::tags::{self, SPACE};
use crate::wire::{self, ANY, HEADER, Head, Name, SIGNATURE, wrong};

/// Reads messages, alone or in packets.
#[derive(Debug, Default)]
pub struct EtchReader {
    packets: bool,
    plan: Option<Arc<Plan>>,
    skipper: Skipper,
    levels: Vec<Level>,
    framing: bool,
}

impl EtchReader {
    /// Makes a reader. `packets` means that each message stands in a packet.
    pub fn new(packets: bool) -> EtchReader {
        EtchReader { packets, ..EtchReader::default() }
    }

    /// Reads by a schema.
    pub(crate) fn by(mut self, plan: &Arc<Plan>) -> EtchReader {
        self.plan = Some(Arc::clone(plan));
        self
    }

    /// Finds the first packet (`docs/spec/etch.md 6`).
    fn packet(buf: &[u8], base: u64, eof: bool) -> Result<Frame> {
        let (signature, length) = match (buf.first_chunk(), buf.get(4..).and_then(<[u8]>::first_chunk)) {
            (Some(signature), Some(length)) => (*signature, i32::from_be_bytes(*length)),
            _ if eof => return Err(Error::truncated(base + buf.len() as u64, "the head of a packet")),
            _ => return Ok(Frame::More(HEADER - buf.len())),
        };
        if signature != SIGNATURE {
            return Err(wrong(base, format!("bytes {signature:02x?}")).expected("de ad be ef, the start of a packet"));
        }
        let length = usize::try_from(length)
            .map_err(|_| Error::data(ErrorKind::Range, base + 4).seen(format!("a length of {length}")).expected("0 to 2147483647"))?;
        let end = HEADER + length;
        Ok(match buf.len() {
            _ if length == 0 => Frame::Between(HEADER),
            len if len < end && !eof => Frame::More(end - len),
            len => Frame::Message { start: 0, end: end.min(len) },
        })
    }
}

/// An open container, with the number of events that its end closes.
#[derive(Debug, Clone, Copy)]
enum Level {
    /// Fields of a type, if the schema has it.
    Fields(u32, Option<u32>),
    /// Elements of a declared type.
    Elements(u32, u8, Ty),
    /// Keys and values of a map.
    Pairs(u32),
    /// Values of a list or a set.
    Values(u32),
}

struct Walk<'w, 'm> {
    input: Input<'m>,
    msg: &'m [u8],
    base: u64,
    plan: Option<&'w Plan>,
    /// True if the type of the message is a hash: names that every service has are then hashes too.
    hashes: bool,
    levels: &'w mut Vec<Level>,
    skipper: &'w mut Skipper,
    sink: &'w mut dyn Sink<'m>,
    budget: &'w mut Budget,
}

/// True if the sink has stopped the walk.
type Stopped = bool;

impl<'w, 'm> Walk<'w, 'm> {
    fn span(&self, start: usize) -> Span {
        Span::at(self.base, start, self.input.pos())
    }

    fn message(&mut self, packets: bool) -> Result<()> {
        if packets {
            let signature: [u8; 4] = self.input.array("the head of a packet")?;
            if signature != SIGNATURE {
                return Err(wrong(self.base, format!("bytes {signature:02x?}")).expected("de ad be ef, the start of a packet"));
            }
            let length = self.input.u32_be("the length of a packet")?;
            if length as usize != self.input.remaining() {
                let at = self.base + self.msg.len() as u64;
                return Err(Error::data(
                    if self.input.remaining() < length as usize { ErrorKind::Truncated } else { ErrorKind::Trailing },
                    at,
                )
                .seen(format!("a packet of {} bytes", self.input.remaining()))
                .expected(format!("{length}, its length")));
            }
            let span = self.span(0);
            self.sink.note(Note::Frame("start and length of a packet"), span)?;
        }
        let at = self.input.pos();
        let (name, count) = wire::message(&mut self.input)?;
        self.hashes = matches!(name, Name::Hash(_));
        self.has_type(name, at)?;
        let root = self.plan.and_then(|plan| plan.root);
        if self.structure(at, name, count, root)? {
            return Ok(());
        }
        while let Some(level) = self.levels.last().copied() {
            if self.entry(level)? {
                return Ok(());
            }
        }
        match self.input.remaining() {
            0 => Ok(()),
            more => Err(Error::data(ErrorKind::Trailing, self.input.offset())
                .seen(format!("{more} bytes after the message"))
                .expected("its end")),
        }
    }

    fn entry(&mut self, level: Level) -> Result<Stopped> {
        let at = self.input.pos();
        match level {
            Level::Fields(left, of) => {
                if !more(&mut self.input, left, "fields")? {
                    return self.close(1, at).map(|()| false);
                }
                self.becomes(Level::Fields(left - 1, of));
                let name = wire::name(&mut self.input)?;
                let span = self.span(at);
                self.budget.item(span.start)?;
                let mut digits = itoa::Buffer::new();
                let name = self.field_name(name, &mut digits)?;
                let ty = self.plan.map_or(Ty::ANY, |plan| plan.field(of, name.get()));
                match self.sink.field(Field::named(name), span)? {
                    Next::Enter => self.value(ty),
                    Next::Skip => {
                        self.skipper.value(self.input.pos());
                        self.skip().map(|()| false)
                    }
                    Next::Stop => Ok(true),
                }
            }
            Level::Elements(left, closes, ty) => {
                if !more(&mut self.input, left, "elements")? {
                    return self.close(closes, at).map(|()| false);
                }
                self.becomes(Level::Elements(left - 1, closes, ty));
                self.value(ty)
            }
            Level::Values(left) => {
                if !more(&mut self.input, left, "elements")? {
                    more(&mut self.input, 0, "fields")?;
                    return self.close(1, at).map(|()| false);
                }
                self.becomes(Level::Values(left - 1));
                self.value(Ty::ANY)
            }
            Level::Pairs(left) => {
                if !more(&mut self.input, left, "elements")? {
                    more(&mut self.input, 0, "fields")?;
                    return self.close(1, at).map(|()| false);
                }
                self.becomes(Level::Pairs(left - 1));
                let mut ahead = self.input;
                // A key that is text is a name.
                if let (true, Ok(Head::Text(text))) = (left.is_multiple_of(2), wire::head(&mut ahead))
                    && let Ok(name) = std::str::from_utf8(text)
                {
                    self.input = ahead;
                    self.becomes(Level::Pairs(left - 2));
                    let span = self.span(at);
                    self.budget.item(span.start)?;
                    return match self.sink.field(Field::named(Str::Input(name)), span)? {
                        Next::Enter => self.value(Ty::ANY),
                        Next::Skip => {
                            self.skipper.value(self.input.pos());
                            self.skip().map(|()| false)
                        }
                        Next::Stop => Ok(true),
                    };
                }
                self.value(Ty::ANY)
            }
        }
    }

    fn becomes(&mut self, level: Level) {
        if let Some(top) = self.levels.last_mut() {
            *top = level;
        }
    }

    fn scalar(&mut self, value: Scalar<'m, '_>, at: usize) -> Result<Stopped> {
        let span = self.span(at);
        self.budget.item(span.start)?;
        self.sink.scalar(value, span).map(|()| false)
    }

    fn value(&mut self, ty: Ty) -> Result<Stopped> {
        let at = self.input.pos();
        let mut head = wire::head(&mut self.input)?;
        if let Some(plan) = self.plan {
            head = meant::head(plan, ty, head, self.base + at as u64)?;
        }
        match head {
            Head::None => Err(no_value(self.base + at as u64)),
            Head::Null => self.scalar(Scalar::Null, at),
            Head::Bool(value) => self.scalar(Scalar::Bool(value), at),
            Head::Int(value, bits) => {
                let bytes = &self.msg[at..self.input.pos()];
                let mut shortest = Vec::new();
                if bits > 0 {
                    wire::put_int(&mut shortest, value);
                }
                let spelling = Spelling::wire(SPACE, bits, bytes);
                let hint = if bits > 0 && shortest != bytes { Hint::new(&spelling) } else { Hint::NONE };
                self.scalar(u64::try_from(value).map_or(Scalar::Int(value, hint), |value| Scalar::UInt(value, hint)), at)
            }
            Head::F32(value) => self.scalar(Scalar::f32(value), at),
            Head::F64(value) => self.scalar(Scalar::f64(value), at),
            Head::Bytes(bytes) => self.scalar(Scalar::Bytes(Str::Input(bytes)), at),
            Head::Text(text) => {
                let text = std::str::from_utf8(text).map_or(Scalar::Octets(Str::Input(text)), |text| Scalar::Text(Str::Input(text)));
                self.scalar(text, at)
            }
            Head::Array(element, name, dimensions, count) => self.array(at, element, name, dimensions, count, ty),
            Head::Struct(name, count) => match self.special(name, count, ty) {
                Some((Special::Map(pairs), end)) => {
                    self.input.seek(end);
                    self.open(Open::Map(Len::Claimed(u64::from(pairs))), at, Level::Pairs(pairs * 2))
                }
                Some((Special::Time(moment), end)) => {
                    self.input.seek(end);
                    self.scalar(Scalar::Time(moment), at)
                }
                Some((Special::Values(count), end)) => {
                    self.input.seek(end);
                    self.open(Open::List(Len::Claimed(u64::from(count))), at, Level::Values(count))
                }
                Some((Special::Enumerator(name), end)) => {
                    self.input.seek(end);
                    self.scalar(Scalar::Text(Str::Scratch(name)), at)
                }
                None => {
                    if !ty.is_any() {
                        self.has_type(name, at)?;
                    }
                    let implied = if let (Shape::Struct(index), 0) = (ty.shape, ty.dimensions) { Some(index) } else { None };
                    self.structure(at, name, count, implied)
                }
            },
        }
    }

    /// Reads the head of a structure. It has no name if its type is the one that the schema
    /// implies.
    fn structure(&mut self, at: usize, name: Name<'m>, count: u32, implied: Option<u32>) -> Result<Stopped> {
        self.holds(count)?;
        let mut digits = itoa::Buffer::new();
        let of = self.plan.and_then(|plan| plan.ty(name));
        let name = if implied.is_some() && of == implied { Str::Scratch("") } else { self.type_name(name, &mut digits)? };
        self.open(Open::Record { name: name.get(), len: Len::Claimed(u64::from(count)) }, at, Level::Fields(count, of))
    }

    fn array(&mut self, at: usize, element: u8, name: Option<Name<'m>>, dimensions: u8, count: u32, ty: Ty) -> Result<Stopped> {
        self.holds(count)?;
        let list = Open::List(Len::Claimed(u64::from(count)));
        let is_declared = (element, dimensions) == (ty.code(), ty.dimensions)
            && self.plan.is_some_and(|plan| match (name, plan.structure(ty.shape)) {
                (Some(name), Some(wanted)) => self.is(name, wanted),
                (None, None) => true,
                _ => false,
            });
        // A list where an array of another type is declared has a mark, so that it stays one.
        if is_declared || ((element, dimensions) == (ANY, 1) && ty.dimensions == 0) {
            return self.open(list, at, Level::Elements(count, 1, ty.inner()));
        }
        let mut opens = vec![Open::Tagged { space: SPACE, code: tags::array(element, dimensions) }];
        opens.extend(name.map(|_| Open::Tuple(Len::Claimed(2))));
        let start = Span::at(self.base, at, at);
        let mut closes = 0;
        for open in opens {
            match self.enter(open, start)? {
                Next::Enter => closes += 1,
                Next::Stop => return Ok(true),
                Next::Skip => return self.pass(count, closes),
            }
        }
        if let Some(name) = name {
            let mut digits = itoa::Buffer::new();
            let name = self.type_name(name, &mut digits)?;
            self.budget.item(start.start)?;
            self.sink.scalar(Scalar::Text(name), start)?;
        }
        let span = self.span(at);
        match self.enter(list, span)? {
            Next::Enter => self.levels.push(Level::Elements(count, closes + 1, Ty::ANY)),
            Next::Stop => return Ok(true),
            Next::Skip => return self.pass(count, closes),
        }
        Ok(false)
    }

    /// Steps over the elements of an array, and closes what is open around it.
    fn pass(&mut self, count: u32, closes: u8) -> Result<Stopped> {
        self.skipper.elements(self.input.pos(), count);
        self.skip()?;
        let end = Span::at(self.base, self.input.pos(), self.input.pos());
        for _ in 0..closes {
            self.budget.leave();
            self.sink.close(end)?;
        }
        Ok(false)
    }

    fn enter(&mut self, open: Open<'_>, at: Span) -> Result<Next> {
        self.budget.item(at.start)?;
        self.budget.enter(at.start)?;
        let next = self.sink.open(open, at)?;
        if next != Next::Enter {
            self.budget.leave();
        }
        Ok(next)
    }

    fn open(&mut self, open: Open<'_>, at: usize, level: Level) -> Result<Stopped> {
        let span = self.span(at);
        match self.enter(open, span)? {
            Next::Enter => self.levels.push(level),
            Next::Stop => return Ok(true),
            Next::Skip => {
                match level {
                    Level::Fields(left, _) => self.skipper.fields(self.input.pos(), left),
                    Level::Elements(left, ..) | Level::Pairs(left) | Level::Values(left) => self.skipper.elements(self.input.pos(), left),
                }
                self.skip()?;
                if let Level::Pairs(_) | Level::Values(_) = level {
                    more(&mut self.input, 0, "fields")?;
                }
            }
        }
        Ok(false)
    }

    /// Closes events at the end of a container that began at `at`.
    fn close(&mut self, closes: u8, at: usize) -> Result<()> {
        self.levels.pop();
        let mut span = self.span(at);
        for _ in 0..closes {
            self.budget.leave();
            self.sink.close(span)?;
            span.start = span.end;
        }
        Ok(())
    }

    /// Steps over what the skipper was started with.
    fn skip(&mut self) -> Result<()> {
        let end = self.skipper.run(self.msg, self.base, self.budget.limits().depth)?;
        self.input.seek(end);
        Ok(())
    }

    /// Refuses a count that the bytes that are left cannot hold: each entry has a byte at least.
    fn holds(&self, count: u32) -> Result<()> {
        if count as usize <= self.input.remaining() {
            return Ok(());
        }
        Err(Error::data(ErrorKind::Truncated, self.input.offset())
            .seen(format!("a count of {count}, with {} bytes left", self.input.remaining()))
            .expected("a count that the message can hold")
            .hint("the message was cut short, or is of another format"))
    }
}

impl Reader for EtchReader {
    fn frame(&mut self, buf: &[u8], base: u64, eof: bool) -> Result<Frame> {
        if buf.is_empty() {
            return Ok(if eof { Frame::End } else { Frame::More(1) });
        }
        if self.packets {
            return EtchReader::packet(buf, base, eof);
        }
        if !self.framing {
            self.skipper.message(0);
            self.framing = true;
        }
        let end = match self.skipper.run(buf, 0, Limits::MAX_DEPTH) {
            Ok(end) => end,
            Err(error) if error.kind() == ErrorKind::Truncated && !eof => return Ok(Frame::More(1)),
            Err(error) if error.kind() == ErrorKind::Truncated => buf.len(),
            // The walk finds the same error and reports more about it.
            Err(_) => self.skipper.pos().max(1),
        };
        self.framing = false;
        Ok(Frame::Message { start: 0, end })
    }

    fn walk<'m>(&mut self, msg: &'m [u8], base: u64, sink: &mut dyn Sink<'m>, budget: &mut Budget) -> Result<()> {
        self.levels.clear();
        let mut walk = Walk {
            input: Input::new(msg, base),
            msg,
            base,
            plan: self.plan.as_deref(),
            hashes: false,
            levels: &mut self.levels,
            skipper: &mut self.skipper,
            sink,
            budget,
        };
        let name = if self.packets { "etch-packet" } else { SPACE };
        walk.message(self.packets).map_err(|error| error.format_is(name))
    }
}

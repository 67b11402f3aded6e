//! Bytes to events.

use polywire_core::bytes::Input;
use polywire_core::{
    Budget, Error, ErrorKind, Field, Frame, Hint, Len, Limits, Next, Note, Open, Reader, Result, Scalar, Sink, Span, Spelling, Str,
    Timestamp,
};

use crate::names::{hash, known};
use crate::skip::{Skipper, more, no_value};
use crate::tags::{self, SPACE};
use crate::wire::{self, ANY, HEADER, Head, Name, SIGNATURE, wrong};

/// Reads messages, alone or in packets.
#[derive(Debug, Default)]
pub struct EtchReader {
    packets: bool,
    skipper: Skipper,
    levels: Vec<Level>,
    framing: bool,
}

impl EtchReader {
    /// Makes a reader. `packets` means that each message stands in a packet.
    pub fn new(packets: bool) -> EtchReader {
        EtchReader { packets, ..EtchReader::default() }
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
    Fields(u32),
    Elements(u32, u8),
    /// Keys and values of a map.
    Pairs(u32),
}

struct Walk<'w, 'm> {
    input: Input<'m>,
    msg: &'m [u8],
    base: u64,
    /// True if the type of the message is a hash: names that every service has are then hashes too.
    hashes: bool,
    levels: &'w mut Vec<Level>,
    skipper: &'w mut Skipper,
    sink: &'w mut dyn Sink<'m>,
    budget: &'w mut Budget,
}

/// True if the sink has stopped the walk.
type Stopped = bool;

impl<'m> Walk<'_, 'm> {
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
        if self.structure(at, name, count)? {
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
            Level::Fields(left) => {
                if !more(&mut self.input, left, "fields")? {
                    return self.close(1, at).map(|()| false);
                }
                self.becomes(Level::Fields(left - 1));
                let name = wire::name(&mut self.input)?;
                let span = self.span(at);
                self.budget.item(span.start)?;
                let mut digits = itoa::Buffer::new();
                let name = match self.text(name)? {
                    Ok(text) => Str::Input(text),
                    Err(hash) => Str::Scratch(digits.format(hash)),
                };
                match self.sink.field(Field::named(name), span)? {
                    Next::Enter => self.value(),
                    Next::Skip => {
                        self.skipper.value(self.input.pos());
                        self.skip().map(|()| false)
                    }
                    Next::Stop => Ok(true),
                }
            }
            Level::Elements(left, closes) => {
                if !more(&mut self.input, left, "elements")? {
                    return self.close(closes, at).map(|()| false);
                }
                self.becomes(Level::Elements(left - 1, closes));
                self.value()
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
                        Next::Enter => self.value(),
                        Next::Skip => {
                            self.skipper.value(self.input.pos());
                            self.skip().map(|()| false)
                        }
                        Next::Stop => Ok(true),
                    };
                }
                self.value()
            }
        }
    }

    fn becomes(&mut self, level: Level) {
        if let Some(top) = self.levels.last_mut() {
            *top = level;
        }
    }

    /// Returns the text of a name, or the hash if it is not known.
    fn text(&self, name: Name<'m>) -> Result<std::result::Result<&'m str, i32>> {
        match name {
            Name::Hash(hash) => Ok(known(hash).ok_or(hash)),
            Name::Text(text) => self.input.utf8(text).map(Ok),
        }
    }

    fn scalar(&mut self, value: Scalar<'m, '_>, at: usize) -> Result<Stopped> {
        let span = self.span(at);
        self.budget.item(span.start)?;
        self.sink.scalar(value, span).map(|()| false)
    }

    fn value(&mut self) -> Result<Stopped> {
        let at = self.input.pos();
        match wire::head(&mut self.input)? {
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
            Head::Array(element, name, dimensions, count) => self.array(at, element, name, dimensions, count),
            Head::Struct(name, count) => match self.special(name, count) {
                Some((Special::Map(pairs), end)) => {
                    self.input.seek(end);
                    self.open(Open::Map(Len::Claimed(u64::from(pairs))), at, Level::Pairs(pairs * 2))
                }
                Some((Special::Time(moment), end)) => {
                    self.input.seek(end);
                    self.scalar(Scalar::Time(moment), at)
                }
                None => self.structure(at, name, count),
            },
        }
    }

    /// Returns whether a name is one that every service has, as the message has such names.
    fn is(&self, name: Name<'m>, wanted: &str) -> bool {
        match name {
            Name::Hash(number) => self.hashes && number == hash(wanted),
            Name::Text(text) => !self.hashes && text == wanted.as_bytes(),
        }
    }

    /// Looks whether a structure is a map or a moment, and where its entries begin or it ends.
    fn special(&self, name: Name<'m>, count: u32) -> Option<(Special, usize)> {
        if count != 1 {
            return None;
        }
        let mut ahead = self.input;
        let field = wire::name(&mut ahead).ok()?;
        if self.is(name, "_Etch_Map") && self.is(field, "keysAndValues") {
            match wire::head(&mut ahead).ok()? {
                Head::Array(ANY, None, 1, count) if count.is_multiple_of(2) && count as usize <= ahead.remaining() => {
                    return Some((Special::Map(count / 2), ahead.pos()));
                }
                _ => return None,
            }
        }
        if self.is(name, "_Etch_Datetime") && self.is(field, "dateTime") {
            let Ok(Head::Int(milliseconds, _)) = wire::head(&mut ahead) else { return None };
            let Ok(Head::None) = wire::head(&mut ahead) else { return None };
            let moment = Timestamp::new(milliseconds.div_euclid(1000), milliseconds.rem_euclid(1000) as u32 * 1_000_000)?;
            return Some((Special::Time(moment), ahead.pos()));
        }
        None
    }

    fn structure(&mut self, at: usize, name: Name<'m>, count: u32) -> Result<Stopped> {
        self.holds(count)?;
        let mut digits = itoa::Buffer::new();
        let name = match self.text(name)? {
            Ok(text) => text,
            Err(hash) => digits.format(hash),
        };
        self.open(Open::Record { name, len: Len::Claimed(u64::from(count)) }, at, Level::Fields(count))
    }

    fn array(&mut self, at: usize, element: u8, name: Option<Name<'m>>, dimensions: u8, count: u32) -> Result<Stopped> {
        self.holds(count)?;
        let list = Open::List(Len::Claimed(u64::from(count)));
        if (element, dimensions) == (ANY, 1) {
            return self.open(list, at, Level::Elements(count, 1));
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
            let name = match self.text(name)? {
                Ok(text) => Str::Input(text),
                Err(hash) => Str::Scratch(digits.format(hash)),
            };
            self.budget.item(start.start)?;
            self.sink.scalar(Scalar::Text(name), start)?;
        }
        let span = self.span(at);
        match self.enter(list, span)? {
            Next::Enter => self.levels.push(Level::Elements(count, closes + 1)),
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
                    Level::Fields(left) => self.skipper.fields(self.input.pos(), left),
                    Level::Elements(left, _) | Level::Pairs(left) => self.skipper.elements(self.input.pos(), left),
                }
                self.skip()?;
                if let Level::Pairs(_) = level {
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

/// A structure that every service has, and that other formats have too.
enum Special {
    /// A map of as many pairs.
    Map(u32),
    Time(Timestamp),
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

//! CBOR bytes to events.

use polywire_core::bytes::Input;
use polywire_core::{
    Budget, Error, ErrorKind, Field, Frame, Hint, Len, Limits, Next, Note, Open, Part, PartKind, Reader, Result, Scalar, Sink, Span,
    Spelling, Str,
};

use super::skip::{Skipped, Skipper};
use super::special::{self, Special};
use super::wire::{self, BREAK, BYTES, ENDLESS, Head, INDEFINITE, LIST, MAP, NAME, NEGATIVE, SIMPLE, TAG, TAG_SELF_DESCRIBED, TEXT, UINT};
use crate::decimal::{Form, Typed};

/// Reads CBOR.
#[derive(Debug, Default)]
pub struct CborReader {
    levels: Vec<Level>,
    skipper: Skipper,
    framing: Option<(Skipper, Budget)>,
    scratch: Vec<u8>,
    cut: bool,
    /// True if a note comes before each container of indefinite length.
    lengths: bool,
}

/// A container that is being read.
#[derive(Debug, Clone, Copy)]
struct Level {
    /// Number of values to come; in a map, even if a key is next.
    left: u64,
    map: bool,
    /// True if a break ends it.
    indefinite: bool,
}

impl CborReader {
    /// Creates a reader for truncated messages: claimed counts that reach beyond the bytes are no
    /// errors.
    pub(super) fn of_cut_messages() -> CborReader {
        CborReader { cut: true, ..CborReader::default() }
    }

    /// Creates a reader that emits a note before each container of indefinite length.
    pub(crate) fn with_lengths() -> CborReader {
        CborReader { lengths: true, ..CborReader::default() }
    }

    /// Has a note emitted before each container of indefinite length.
    pub(crate) fn show_lengths(&mut self) {
        self.lengths = true;
    }

    /// Walks like [`Reader::walk`], for one type of sink: calls to it are direct, and small ones
    /// are inlined.
    pub fn walk_into<'m, S: Sink<'m> + ?Sized>(&mut self, msg: &'m [u8], base: u64, sink: &mut S, budget: &mut Budget) -> Result<()> {
        self.events(msg, base, sink, budget).map_err(|error| error.format_is(NAME))
    }

    fn events<'m, S: Sink<'m> + ?Sized>(&mut self, msg: &'m [u8], base: u64, sink: &mut S, budget: &mut Budget) -> Result<()> {
        let mut input = Input::new(msg, base);
        self.levels.clear();
        let mut level = Level { left: 1, map: false, indefinite: false };
        // Self-described tags before the message count as depth like other tags, and end with it.
        let mut marks = 0;
        loop {
            while level.left == 0 {
                let Some(around) = self.levels.pop() else {
                    (0..marks).for_each(|_| budget.leave());
                    return match input.remaining() {
                        0 => Ok(()),
                        more => Err(trailing(input.offset(), more)),
                    };
                };
                level = around;
                budget.leave();
                sink.close(Span::at(base, input.pos(), input.pos()))?;
            }
            let at = input.pos();
            let offset = base + at as u64;
            let is_key = level.map && level.left & 1 == 0;
            let first = input.u8("the head of a value")?;
            if first == BREAK {
                if !level.indefinite || (level.map && !is_key) {
                    return Err(wire::misplaced_break(offset));
                }
                // Only a container's level is indefinite, so there is one around it.
                if let Some(around) = self.levels.pop() {
                    level = around;
                }
                budget.leave();
                sink.close(Span::at(base, at, at + 1))?;
                continue;
            }
            level.left -= 1;
            budget.item(offset)?;
            let head = wire::head(&mut input, first)?;
            let arg = head.arg;

            let value = match head.major {
                TEXT if head.info != INDEFINITE => {
                    let bytes = input.take(arg, "a text")?;
                    let text = match simdutf8::basic::from_utf8(bytes) {
                        Ok(text) => text,
                        Err(_) => input.utf8(bytes)?,
                    };
                    if is_key {
                        match sink.field(Field::named(Str::Input(text)), Span::at(base, at, input.pos()))? {
                            Next::Enter => {}
                            Next::Skip => {
                                level.left -= 1;
                                let pos = input.pos();
                                self.skip(&mut input, pos, msg, base, budget)?;
                            }
                            Next::Stop => return Ok(()),
                        }
                        continue;
                    }
                    Scalar::Text(Str::Input(text))
                }
                UINT | NEGATIVE
                    if let Some(bits) = head.odd_width()
                        && (head.major == UINT || arg >> 63 == 0) =>
                {
                    long(head, bits, &msg[at..input.pos()], Span::at(base, at, input.pos()), sink)?;
                    continue;
                }
                UINT if head.info != INDEFINITE => Scalar::uint(arg),
                NEGATIVE if head.info != INDEFINITE => match i64::try_from(arg) {
                    Ok(below) => Scalar::int(-1 - below),
                    Err(_) => {
                        budget.decode(20, offset)?;
                        let mut digits = itoa::Buffer::new();
                        let digits = digits.format(-1 - i128::from(arg));
                        sink.scalar(Scalar::big(Str::Scratch(digits)), Span::at(base, at, input.pos()))?;
                        continue;
                    }
                },
                BYTES if head.info != INDEFINITE => Scalar::Bytes(Str::Input(input.take(arg, "a byte string")?)),
                BYTES | TEXT if is_key => {
                    let next = self.assembled_key(&mut input, at, base, head.major, sink, budget)?;
                    match next {
                        Next::Enter => {}
                        Next::Skip => {
                            level.left -= 1;
                            let pos = input.pos();
                            self.skip(&mut input, pos, msg, base, budget)?;
                        }
                        Next::Stop => return Ok(()),
                    }
                    continue;
                }
                BYTES | TEXT => {
                    parts(&mut input, at, base, head.major, sink)?;
                    continue;
                }
                LIST | MAP => {
                    let map = head.major == MAP;
                    let indefinite = head.info == INDEFINITE;
                    let left = match (indefinite, map) {
                        (true, _) => ENDLESS,
                        (false, true) => arg.saturating_mul(2),
                        (false, false) => arg,
                    };
                    budget.enter(offset)?;
                    if !indefinite && left > input.remaining() as u64 && !self.cut {
                        return Err(overclaimed(&mut self.skipper, input, msg, base, at, arg, budget));
                    }
                    if indefinite && self.lengths {
                        sink.note(Note::Coerced(wire::INDEFINITE_NOTE), Span::at(base, at, input.pos()))?;
                    }
                    let len = if indefinite { Len::Unknown } else { Len::Claimed(arg) };
                    match sink.open(if map { Open::Map(len) } else { Open::List(len) }, Span::at(base, at, input.pos()))? {
                        Next::Enter => {
                            self.levels.push(level);
                            level = Level { left, map, indefinite };
                        }
                        Next::Skip => {
                            budget.leave();
                            self.skip(&mut input, at, msg, base, budget)?;
                        }
                        Next::Stop => return Ok(()),
                    }
                    continue;
                }
                TAG if head.info != INDEFINITE => {
                    let mut ahead = input;
                    if let Some(special) = special::read(arg, &mut ahead, budget.limits().digits) {
                        input = ahead;
                        tell(&special, Span::at(base, at, input.pos()), sink, budget)?;
                        continue;
                    }
                    budget.enter(offset)?;
                    let span = Span::at(base, at, input.pos());
                    if arg == TAG_SELF_DESCRIBED && self.levels.is_empty() {
                        sink.note(Note::Coerced("the tag 55799 says that this is CBOR"), span)?;
                        level.left += 1;
                        marks += 1;
                        continue;
                    }
                    match sink.open(Open::Tagged { space: NAME, code: arg }, span)? {
                        Next::Enter => {
                            self.levels.push(level);
                            level = Level { left: 1, map: false, indefinite: false };
                        }
                        Next::Skip => {
                            budget.leave();
                            self.skip(&mut input, at, msg, base, budget)?;
                        }
                        Next::Stop => return Ok(()),
                    }
                    continue;
                }
                _ => match head.info {
                    20 => Scalar::Bool(false),
                    21 => Scalar::Bool(true),
                    22 => Scalar::Null,
                    25 => Scalar::F32(wire::half(arg as u16), Hint::new(&wire::HALF)),
                    26 => Scalar::f32(f32::from_bits(arg as u32)),
                    27 => Scalar::f64(f64::from_bits(arg)),
                    INDEFINITE => return Err(wire::reserved(offset, first)),
                    24 if arg < 32 => return Err(wire::bad_simple(offset, arg)),
                    _ => {
                        if simple(Span::at(base, at, input.pos()), arg, sink, budget)? == Next::Stop {
                            return Ok(());
                        }
                        continue;
                    }
                },
            };
            sink.scalar(value, Span::at(base, at, input.pos()))?;
        }
    }

    /// Steps over the value at `pos`.
    fn skip(&mut self, input: &mut Input<'_>, pos: usize, msg: &[u8], base: u64, budget: &mut Budget) -> Result<()> {
        self.skipper.start(pos);
        match self.skipper.run(msg, base, budget)? {
            Skipped::All(end) => {
                input.seek(end);
                Ok(())
            }
            Skipped::More(_) => Err(Error::truncated(base + msg.len() as u64, "a value that is stepped over")),
        }
    }

    /// Joins a key in pieces: names come in one piece.
    fn assembled_key<'m, S: Sink<'m> + ?Sized>(
        &mut self,
        input: &mut Input<'m>,
        at: usize,
        base: u64,
        major: u8,
        sink: &mut S,
        budget: &mut Budget,
    ) -> Result<Next> {
        self.scratch.clear();
        while let Some(piece) = chunk(input, major)? {
            budget.decode(piece.len() as u64, base + at as u64)?;
            self.scratch.extend_from_slice(piece);
        }
        let span = Span::at(base, at, input.pos());
        if major == BYTES {
            sink.scalar(Scalar::Bytes(Str::Scratch(&self.scratch)), span)?;
            return Ok(Next::Enter);
        }
        let name = std::str::from_utf8(&self.scratch).map_err(|_| Error::internal("pieces of text that are no text together"))?;
        sink.field(Field::named(Str::Scratch(name)), span)
    }
}

/// Returns the error for a container that claims more values than there are bytes. A wrong byte
/// before the end of the message explains more, and framing ends broken messages there.
#[cold]
pub(super) fn overclaimed(
    skipper: &mut Skipper,
    input: Input<'_>,
    msg: &[u8],
    base: u64,
    at: usize,
    count: u64,
    budget: &mut Budget,
) -> Error {
    budget.leave();
    skipper.start(at);
    match skipper.run(msg, base, budget) {
        Err(error) => error,
        Ok(_) => Error::data(ErrorKind::Truncated, base + at as u64)
            .seen(format!("a container that claims {count} entries, with {} bytes left", input.remaining()))
            .expected("a count that the message can hold")
            .hint("the message was cut short, or is not CBOR"),
    }
}

/// Reads a string in pieces after its head.
fn parts<'m, S: Sink<'m> + ?Sized>(input: &mut Input<'m>, at: usize, base: u64, major: u8, sink: &mut S) -> Result<()> {
    let kind = if major == TEXT { PartKind::Text } else { PartKind::Bytes };
    let mut start = at;
    loop {
        let bytes = chunk(input, major)?;
        // The break belongs to the piece before it, so that the last piece is known as such.
        let last = bytes.is_none() || input.peek() == Some(BREAK);
        if last && bytes.is_some() {
            input.seek(input.pos() + 1);
        }
        let part = Part { bytes: bytes.unwrap_or_default(), kind, total: None, last };
        sink.part(part, Span::at(base, start, input.pos()))?;
        if last {
            return Ok(());
        }
        start = input.pos();
    }
}

/// Returns the next piece of an indefinite-length string, or `None` at its break: RFC 8949, section
/// 3.2.3.
pub(super) fn chunk<'m>(input: &mut Input<'m>, major: u8) -> Result<Option<&'m [u8]>> {
    let offset = input.offset();
    let first = input.u8("a piece of a string, or a break")?;
    if first == BREAK {
        return Ok(None);
    }
    if first >> 5 != major || first & 0x1f > 27 {
        return Err(wire::bad_chunk(offset, first, major));
    }
    let head = wire::head(input, first)?;
    let bytes = input.take(head.arg, "a piece of a string")?;
    if major == TEXT && simdutf8::basic::from_utf8(bytes).is_err() {
        input.utf8(bytes)?;
    }
    Ok(Some(bytes))
}

/// Emits an integer with the bytes that it came as.
#[cold]
fn long<'m, S: Sink<'m> + ?Sized>(head: Head, bits: u8, bytes: &[u8], at: Span, sink: &mut S) -> Result<()> {
    let spelling = Spelling::wire(NAME, bits, bytes);
    let hint = Hint::new(&spelling);
    sink.scalar(if head.major == UINT { Scalar::UInt(head.arg, hint) } else { Scalar::Int(!head.arg as i64, hint) }, at)
}

fn tell<'m, S: Sink<'m> + ?Sized>(special: &Special, at: Span, sink: &mut S, budget: &mut Budget) -> Result<()> {
    if let Special::Big(text) | Special::Decimal(Typed { text, .. }) = special {
        budget.decode(text.len() as u64, at.start)?;
    }
    let value = match special {
        Special::Time(moment) => Scalar::Time(*moment),
        Special::UInt(value) => Scalar::uint(*value),
        Special::Int(value) => Scalar::int(*value),
        Special::Big(text) => Scalar::big(Str::Scratch(text)),
        Special::Decimal(number) => {
            if number.form != Form::Decimal {
                sink.note(Note::Coerced("a decimal fraction"), at)?;
            }
            return sink.scalar(number.scalar(Hint::new(&number.spelling())), at);
        }
    };
    sink.scalar(value, at)
}

/// Emits a simple value that the model has no kind for.
fn simple<'m, S: Sink<'m> + ?Sized>(at: Span, code: u64, sink: &mut S, budget: &mut Budget) -> Result<Next> {
    budget.enter(at.start)?;
    let next = sink.open(Open::Tagged { space: SIMPLE, code }, at)?;
    let end = Span::new(at.end, at.end);
    if next == Next::Enter {
        budget.item(at.start)?;
        sink.scalar(Scalar::Null, end)?;
        sink.close(end)?;
    }
    budget.leave();
    Ok(next)
}

#[cold]
pub(super) fn trailing(offset: u64, more: usize) -> Error {
    Error::data(ErrorKind::Trailing, offset).seen(format!("{more} bytes after the message")).expected("its end")
}

/// The limits of framing: a message nested deeper than any walk goes is handed over as far as it
/// was scanned.
const FRAMING: Limits = Limits::MAX;

impl Reader for CborReader {
    fn frame(&mut self, buf: &[u8], _base: u64, eof: bool) -> Result<Frame> {
        if buf.is_empty() {
            return Ok(if eof { Frame::End } else { Frame::More(1) });
        }
        let (skipper, budget) = self.framing.get_or_insert_with(|| {
            let mut skipper = Skipper::default();
            skipper.start(0);
            (skipper, Budget::new(&FRAMING))
        });
        let end = match skipper.run(buf, 0, budget) {
            Ok(Skipped::All(end)) => end,
            Ok(Skipped::More(_)) if eof => buf.len(),
            Ok(Skipped::More(missing)) => return Ok(Frame::More(missing)),
            // The walk finds the same error and reports more about it.
            Err(_) => skipper.pos().min(buf.len()),
        };
        skipper.start(0);
        budget.reset();
        Ok(Frame::Message { start: 0, end })
    }

    fn walk<'m>(&mut self, msg: &'m [u8], base: u64, sink: &mut dyn Sink<'m>, budget: &mut Budget) -> Result<()> {
        self.walk_into(msg, base, sink, budget)
    }
}

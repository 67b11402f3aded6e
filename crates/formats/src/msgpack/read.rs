//! MessagePack bytes to events.

use polywire_core::bytes::Input;
use polywire_core::{
    Budget, Error, ErrorKind, Field, Frame, Hint, Len, Limits, Next, Open, Reader, Result, Scalar, Sink, Span, Spelling, Str, Timestamp,
};

use super::skip::{Skipped, Skipper, never_used};
use super::wire::{self, ARRAY16, ARRAY32, BIN8, BIN16, BIN32, EXT8, EXT16, EXT32, FALSE, FIXEXT1, FIXEXT16, FLOAT32, FLOAT64, NAME};
use super::wire::{INT8, INT16, INT32, INT64, MAP16, MAP32, NIL, STR8, STR16, STR32, TIMESTAMP, TRUE};
use super::wire::{UINT8, UINT16, UINT32, UINT64};

/// Reads MessagePack.
#[derive(Debug, Default)]
pub struct MsgpackReader {
    levels: Vec<Level>,
    skipper: Skipper,
    framing: Option<(Skipper, Budget)>,
    cut: bool,
}

/// A container that is being read.
#[derive(Debug, Clone, Copy)]
struct Level {
    /// Number of values to come; in a map, even if a key is next.
    left: u64,
    map: bool,
}

impl MsgpackReader {
    /// Creates a reader for truncated messages: claimed counts that reach beyond the bytes are no
    /// errors.
    pub(super) fn of_cut_messages() -> MsgpackReader {
        MsgpackReader { cut: true, ..MsgpackReader::default() }
    }

    /// Walks like [`Reader::walk`], for one type of sink: calls to it are direct, and small ones
    /// are inlined.
    pub fn walk_into<'m, S: Sink<'m> + ?Sized>(&mut self, msg: &'m [u8], base: u64, sink: &mut S, budget: &mut Budget) -> Result<()> {
        self.events(msg, base, sink, budget).map_err(|error| error.format_is(NAME))
    }

    fn events<'m, S: Sink<'m> + ?Sized>(&mut self, msg: &'m [u8], base: u64, sink: &mut S, budget: &mut Budget) -> Result<()> {
        let mut input = Input::new(msg, base);
        self.levels.clear();
        let mut level = Level { left: 1, map: false };
        loop {
            while level.left == 0 {
                let Some(around) = self.levels.pop() else {
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
            let is_key = level.map && level.left & 1 == 0;
            level.left -= 1;
            let head = input.u8("the head of a value")?;
            budget.item(base + at as u64)?;

            let text = match head {
                0xa0..=0xbf => u64::from(head & 0x1f),
                STR8 => u64::from(input.u8("the length of a text")?),
                STR16 => u64::from(input.u16_be("the length of a text")?),
                STR32 => u64::from(input.u32_be("the length of a text")?),
                0x80..=0x9f | ARRAY16..=MAP32 => {
                    let (count, map) = match head {
                        0x80..=0x8f => (u64::from(head & 0x0f), true),
                        ARRAY16 => (u64::from(input.u16_be("the count of a list")?), false),
                        ARRAY32 => (u64::from(input.u32_be("the count of a list")?), false),
                        MAP16 => (u64::from(input.u16_be("the count of a map")?), true),
                        MAP32 => (u64::from(input.u32_be("the count of a map")?), true),
                        _ => (u64::from(head & 0x0f), false),
                    };
                    let left = if map { count * 2 } else { count };
                    budget.enter(base + at as u64)?;
                    if left > input.remaining() as u64 && !self.cut {
                        return Err(overclaimed(&mut self.skipper, input, msg, Span::at(base, at, input.pos()), left, budget));
                    }
                    let open = if map { Open::Map(Len::Claimed(count)) } else { Open::List(Len::Claimed(count)) };
                    match sink.open(open, Span::at(base, at, input.pos()))? {
                        Next::Enter => {
                            self.levels.push(level);
                            level = Level { left, map };
                        }
                        Next::Skip => {
                            self.skip(&mut input, msg, base, left, budget)?;
                            budget.leave();
                        }
                        Next::Stop => return Ok(()),
                    }
                    continue;
                }
                BIN8 | BIN16 | BIN32 => {
                    let len = match head {
                        BIN8 => u64::from(input.u8("the length of a binary value")?),
                        BIN16 => u64::from(input.u16_be("the length of a binary value")?),
                        _ => u64::from(input.u32_be("the length of a binary value")?),
                    };
                    let bytes = input.take(len, "a binary value")?;
                    sink.scalar(Scalar::Bytes(Str::Input(bytes)), Span::at(base, at, input.pos()))?;
                    continue;
                }
                FIXEXT1..=FIXEXT16 | EXT8..=EXT32 => {
                    let len = match head {
                        EXT8 => u64::from(input.u8("the length of an extension")?),
                        EXT16 => u64::from(input.u16_be("the length of an extension")?),
                        EXT32 => u64::from(input.u32_be("the length of an extension")?),
                        _ => 1 << (head - FIXEXT1),
                    };
                    if extension(&mut input, base, at, len, sink, budget)? == Next::Stop {
                        return Ok(());
                    }
                    continue;
                }
                _ => {
                    let value = match head {
                        0x00..=0x7f => Scalar::uint(u64::from(head)),
                        0xe0..=0xff => Scalar::int(i64::from(head as i8)),
                        NIL => Scalar::Null,
                        FALSE => Scalar::Bool(false),
                        TRUE => Scalar::Bool(true),
                        FLOAT32 => Scalar::f32(input.f32_be("a 32-bit float")?),
                        FLOAT64 => Scalar::f64(input.f64_be("a 64-bit float")?),
                        UINT8 => Scalar::uint(u64::from(input.u8("an 8-bit integer")?)),
                        UINT16 => Scalar::uint(u64::from(input.u16_be("a 16-bit integer")?)),
                        UINT32 => Scalar::uint(u64::from(input.u32_be("a 32-bit integer")?)),
                        UINT64 => Scalar::uint(input.u64_be("a 64-bit integer")?),
                        INT8 => Scalar::int(i64::from(input.u8("an 8-bit integer")? as i8)),
                        INT16 => Scalar::int(i64::from(input.u16_be("a 16-bit integer")? as i16)),
                        INT32 => Scalar::int(i64::from(input.u32_be("a 32-bit integer")? as i32)),
                        INT64 => Scalar::int(input.u64_be("a 64-bit integer")? as i64),
                        // The cases above handle all head bytes but 0xc1.
                        _ => return Err(never_used(base + at as u64)),
                    };
                    let span = Span::at(base, at, input.pos());
                    match odd_width(head, value) {
                        None => sink.scalar(value, span)?,
                        Some(bits) => long(value, bits, &msg[at..input.pos()], span, sink)?,
                    }
                    continue;
                }
            };

            let bytes = input.take(text, "a text")?;
            let span = Span::at(base, at, input.pos());
            // Strings may hold any bytes ("str format family"): those that are no text are kept as
            // octets.
            match simdutf8::basic::from_utf8(bytes) {
                Ok(name) if is_key => match sink.field(Field::named(Str::Input(name)), span)? {
                    Next::Enter => {}
                    Next::Skip => {
                        level.left -= 1;
                        self.skip(&mut input, msg, base, 1, budget)?;
                    }
                    Next::Stop => return Ok(()),
                },
                Ok(text) => sink.scalar(Scalar::Text(Str::Input(text)), span)?,
                Err(_) => sink.scalar(Scalar::Octets(Str::Input(bytes)), span)?,
            }
        }
    }

    /// Steps over the next `values` values.
    fn skip(&mut self, input: &mut Input<'_>, msg: &[u8], base: u64, values: u64, budget: &mut Budget) -> Result<()> {
        self.skipper.start(input.pos(), values);
        match self.skipper.run(msg, base, budget)? {
            Skipped::All(end) => {
                input.seek(end);
                Ok(())
            }
            Skipped::More(_) => Err(Error::truncated(base + msg.len() as u64, "a value that is stepped over")),
        }
    }
}

/// Returns the error for a container that claims more values than there are bytes. A wrong byte
/// before the end of the message explains more, and framing ends broken messages there.
#[cold]
pub(super) fn overclaimed(skipper: &mut Skipper, input: Input<'_>, msg: &[u8], head: Span, values: u64, budget: &mut Budget) -> Error {
    skipper.start(input.pos(), values);
    match skipper.run(msg, input.offset() - input.pos() as u64, budget) {
        Err(error) => error,
        Ok(_) => Error::data(ErrorKind::Truncated, head.start)
            .seen(format!("a container that claims {values} keys and values, with {} bytes left", input.remaining()))
            .expected("a count that the message can hold")
            .hint("the message was cut short, or is not MessagePack"),
    }
}

/// Returns the width of an integer whose head the writer would not choose.
#[inline]
fn odd_width(head: u8, value: Scalar<'_, '_>) -> Option<u8> {
    match value {
        Scalar::UInt(value, _) if head >= UINT8 => wire::odd_width(head, i128::from(value)),
        Scalar::Int(value, _) if head <= INT64 => wire::odd_width(head, i128::from(value)),
        _ => None,
    }
}

/// Emits an integer with the bytes that it came as.
#[cold]
fn long<'m, S: Sink<'m> + ?Sized>(value: Scalar<'m, '_>, bits: u8, bytes: &[u8], at: Span, sink: &mut S) -> Result<()> {
    let spelling = Spelling::wire(NAME, bits, bytes);
    let hint = Hint::new(&spelling);
    sink.scalar(
        match value {
            Scalar::UInt(value, _) => Scalar::UInt(value, hint),
            Scalar::Int(value, _) => Scalar::Int(value, hint),
            other => other,
        },
        at,
    )
}

/// An extension.
pub(super) enum Extension<'m> {
    Time(Timestamp),
    Tagged { kind: u8, payload: &'m [u8] },
}

/// Reads an extension after its head and length.
pub(super) fn read_extension<'m>(input: &mut Input<'m>, base: u64, len: u64) -> Result<Extension<'m>> {
    let kind = input.u8("the type of an extension")?;
    let start = input.pos();
    let payload = input.take(len, "the bytes of an extension")?;
    if kind == TIMESTAMP
        && let Some(moment) = wire::timestamp(payload)
    {
        let moment = moment.ok_or_else(|| {
            Error::data(ErrorKind::Range, base + start as u64)
                .seen("a timestamp with a second or more of nanoseconds")
                .expected("at most 999999999")
        })?;
        return Ok(Extension::Time(moment));
    }
    Ok(Extension::Tagged { kind, payload })
}

/// Emits an extension after its head and length.
fn extension<'m, S: Sink<'m> + ?Sized>(
    input: &mut Input<'m>,
    base: u64,
    at: usize,
    len: u64,
    sink: &mut S,
    budget: &mut Budget,
) -> Result<Next> {
    let (kind, payload) = match read_extension(input, base, len)? {
        Extension::Time(moment) => {
            sink.scalar(Scalar::Time(moment), Span::at(base, at, input.pos()))?;
            return Ok(Next::Enter);
        }
        Extension::Tagged { kind, payload } => (kind, payload),
    };
    let end = input.pos();
    let start = end - payload.len();
    budget.enter(base + at as u64)?;
    let next = sink.open(Open::Tagged { space: NAME, code: u64::from(kind) }, Span::at(base, at, start))?;
    if next == Next::Enter {
        budget.item(base + start as u64)?;
        sink.scalar(Scalar::Bytes(Str::Input(payload)), Span::at(base, start, end))?;
        sink.close(Span::at(base, end, end))?;
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

impl Reader for MsgpackReader {
    fn frame(&mut self, buf: &[u8], _base: u64, eof: bool) -> Result<Frame> {
        if buf.is_empty() {
            return Ok(if eof { Frame::End } else { Frame::More(1) });
        }
        let (skipper, budget) = self.framing.get_or_insert_with(|| {
            let mut skipper = Skipper::default();
            skipper.start(0, 1);
            (skipper, Budget::new(&FRAMING))
        });
        let end = match skipper.run(buf, 0, budget) {
            Ok(Skipped::All(end)) => end,
            Ok(Skipped::More(_)) if eof => buf.len(),
            Ok(Skipped::More(missing)) => return Ok(Frame::More(missing)),
            // The walk finds the same error and reports more about it.
            Err(_) => skipper.pos().min(buf.len()),
        };
        skipper.start(0, 1);
        budget.reset();
        Ok(Frame::Message { start: 0, end })
    }

    fn walk<'m>(&mut self, msg: &'m [u8], base: u64, sink: &mut dyn Sink<'m>, budget: &mut Budget) -> Result<()> {
        self.walk_into(msg, base, sink, budget)
    }
}

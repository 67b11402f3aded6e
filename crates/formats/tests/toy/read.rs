//! Toy bytes to events.

use polywire_core::bytes::Input;
use polywire_core::{Budget, Error, ErrorKind, Field, Frame, Len, Next, Open, Reader, Result, Scalar, Sink, Span, Str};

use super::wire::{BYTES, FALSE, FLOAT, HEADER, LIST, MAGIC, MAP, NAME, NEGATIVE, NULL, RECORD, TAGGED, TEXT, TRUE, UNSIGNED};

/// Reads the toy format.
#[derive(Debug, Default)]
pub struct ToyReader {
    levels: Vec<Level>,
}

/// A container that is being read.
#[derive(Debug, Clone, Copy)]
struct Level {
    head: u8,
    /// Position after its contents.
    end: usize,
    /// True while a value must follow: that of a name, of a key, or of a tag.
    due: bool,
}

impl ToyReader {
    fn events<'m>(&mut self, msg: &'m [u8], base: u64, sink: &mut dyn Sink<'m>, budget: &mut Budget) -> Result<()> {
        let mut input = Input::new(msg, base);
        let magic = input.take(msg.len().min(MAGIC.len()) as u64, "the magic number")?;
        if !MAGIC.starts_with(magic) {
            return Err(Error::data(ErrorKind::Syntax, base).seen("other bytes").expected("`TOY1`"));
        }
        if magic.len() < MAGIC.len() {
            return Err(Error::truncated(input.offset(), "`TOY1`"));
        }
        let body_end = HEADER.saturating_add(input.u32_be("the length of a body")? as usize);
        self.levels.clear();
        loop {
            let at = input.pos();
            let offset = base + at as u64;
            let level = self.levels.last().copied();
            let end = level.map_or(body_end, |level| level.end);
            if let Some(level) = level
                && at == level.end
            {
                if level.due {
                    return Err(Error::data(ErrorKind::Syntax, offset).seen("the end of a container").expected("a value"));
                }
                self.levels.pop();
                sink.close(Span::at(base, at, at))?;
                budget.leave();
                if self.levels.is_empty() {
                    break;
                }
                continue;
            }
            budget.item(offset)?;
            match level {
                Some(Level { head: TAGGED, due: false, .. }) => {
                    return Err(Error::data(ErrorKind::Syntax, offset).seen("a second value").expected("the end of a tagged value"));
                }
                Some(Level { head: head @ (RECORD | MAP), due: false, .. }) if head == RECORD || input.peek() == Some(TEXT) => {
                    if head == MAP {
                        input.u8("a key")?;
                    }
                    let name = text(&mut input, end)?;
                    self.set_due(true);
                    match sink.field(Field::named(Str::Input(name)), Span::at(base, at, input.pos()))? {
                        Next::Enter => {}
                        Next::Skip => {
                            budget.item(input.offset())?;
                            skip(&mut input, end)?;
                            self.set_due(false);
                        }
                        Next::Stop => return Ok(()),
                    }
                    continue;
                }
                // A key that is no text.
                Some(Level { head: MAP, due: false, .. }) => self.set_due(true),
                _ => self.set_due(false),
            }
            match input.u8("a value")? {
                head @ (LIST | RECORD | MAP | TAGGED) => {
                    let len = input.varint("the length of a container")?;
                    let stop = stop(&input, len, end)?;
                    let open = match head {
                        LIST => Open::List(Len::Unknown),
                        RECORD => Open::Record { name: "", len: Len::Unknown },
                        MAP => Open::Map(Len::Unknown),
                        _ => {
                            let code = input.varint("the code of a tag")?;
                            inside(&input, stop)?;
                            Open::Tagged { space: NAME, code }
                        }
                    };
                    budget.enter(offset)?;
                    match sink.open(open, Span::at(base, at, input.pos()))? {
                        Next::Enter => {
                            self.levels.push(Level { head, end: stop, due: head == TAGGED });
                            continue;
                        }
                        Next::Skip => {
                            input.take((stop - input.pos()) as u64, "a container that is stepped over")?;
                            budget.leave();
                        }
                        Next::Stop => return Ok(()),
                    }
                }
                head => {
                    let value = scalar(head, &mut input, end, offset)?;
                    sink.scalar(value, Span::at(base, at, input.pos()))?;
                }
            }
            if self.levels.is_empty() {
                break;
            }
        }
        match (input.remaining(), body_end - input.pos()) {
            (0, 0) => Ok(()),
            (0, _) => Err(Error::truncated(input.offset(), "the rest of a body")),
            (more, _) => Err(Error::data(ErrorKind::Trailing, input.offset())
                .seen(format!("{more} bytes after the value"))
                .expected("the end of the message")),
        }
    }

    /// Sets whether a value must follow in the innermost container.
    fn set_due(&mut self, due: bool) {
        if let Some(level) = self.levels.last_mut() {
            level.due = due;
        }
    }
}

/// Reads the scalar whose head was at `offset`, and which must lie before `end`.
fn scalar<'m>(head: u8, input: &mut Input<'m>, end: usize, offset: u64) -> Result<Scalar<'m, 'm>> {
    let value = match head {
        NULL => Scalar::Null,
        FALSE => Scalar::Bool(false),
        TRUE => Scalar::Bool(true),
        UNSIGNED => Scalar::uint(input.varint("a whole number")?),
        NEGATIVE => match i64::try_from(input.varint("a number below zero")?) {
            Ok(inverted) => Scalar::int(!inverted),
            Err(_) => return Err(Error::data(ErrorKind::Range, offset).seen("a number below -2⁶³").expected("a number of 64 bits")),
        },
        FLOAT => Scalar::f64(input.f64_be("a float")?),
        TEXT => Scalar::Text(Str::Input(text(input, end)?)),
        BYTES => Scalar::Bytes(Str::Input(bytes(input, end)?)),
        other => return Err(Error::data(ErrorKind::Syntax, offset).seen(format!("byte 0x{other:02x}")).expected("the head of a value")),
    };
    inside(input, end)?;
    Ok(value)
}

/// Reads a length and as many bytes.
fn bytes<'m>(input: &mut Input<'m>, end: usize) -> Result<&'m [u8]> {
    let len = input.varint("a length")?;
    stop(input, len, end)?;
    input.take(len, "text or bytes")
}

fn text<'m>(input: &mut Input<'m>, end: usize) -> Result<&'m str> {
    let bytes = bytes(input, end)?;
    input.utf8(bytes)
}

/// Steps over a value by its head.
fn skip(input: &mut Input<'_>, end: usize) -> Result<()> {
    let offset = input.offset();
    match input.u8("a value")? {
        LIST | RECORD | MAP | TAGGED => bytes(input, end).map(|_| ()),
        head => scalar(head, input, end, offset).map(|_| ()),
    }
}

/// Returns the position `len` bytes on, which must not be after `end`.
fn stop(input: &Input<'_>, len: u64, end: usize) -> Result<usize> {
    usize::try_from(len).ok().and_then(|len| input.pos().checked_add(len)).filter(|stop| *stop <= end).ok_or_else(|| beyond(input))
}

/// Checks that the cursor is not after `end`.
fn inside(input: &Input<'_>, end: usize) -> Result<()> {
    if input.pos() > end { Err(beyond(input)) } else { Ok(()) }
}

#[cold]
fn beyond(input: &Input<'_>) -> Error {
    Error::data(ErrorKind::Syntax, input.offset())
        .seen("a length that goes beyond the end of its container")
        .expected("contents within the container")
}

impl Reader for ToyReader {
    fn frame(&mut self, buf: &[u8], base: u64, eof: bool) -> Result<Frame> {
        let magic = &buf[..buf.len().min(MAGIC.len())];
        if !MAGIC.starts_with(magic) {
            return Err(Error::data(ErrorKind::Syntax, base).seen("other bytes").expected("`TOY1`").format_is(NAME));
        }
        let end = match buf.get(MAGIC.len()..HEADER).and_then(<[u8]>::first_chunk) {
            Some(len) => HEADER.saturating_add(u32::from_be_bytes(*len) as usize),
            None => HEADER,
        };
        Ok(match end.saturating_sub(buf.len()) {
            0 => Frame::Message { start: 0, end },
            _ if eof && buf.is_empty() => Frame::End,
            _ if eof => Frame::Message { start: 0, end: buf.len() },
            missing => Frame::More(missing),
        })
    }

    fn walk<'m>(&mut self, msg: &'m [u8], base: u64, sink: &mut dyn Sink<'m>, budget: &mut Budget) -> Result<()> {
        self.events(msg, base, sink, budget).map_err(|error| error.format_is(NAME))
    }
}

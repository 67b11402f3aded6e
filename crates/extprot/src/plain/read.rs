//! Messages of an unknown type to events.

use polywire_core::bytes::unzigzag;
use polywire_core::{Budget, Error, ErrorKind, Field, Frame, Len, Next, Note, Open, Reader, Result, Scalar, Sink, Span};

use crate::error::{Cause, DecodeError};
use crate::walk::{Frames, NAME, text_or_octets};
use crate::wire::{self, Broken, Prefix, WireType, skip, vint};

/// Reader of messages without their protocol.
///
/// A tuple with tag 0, which may be a message, is a tuple. A tuple with another tag, or an enum, is
/// a variant with that index. Other values with a tag are tagged with it. Bools and bytes are
/// numbers, since only the protocol distinguishes them.
#[derive(Debug, Default)]
pub struct PlainReader {
    frames: Frames,
    levels: Vec<OpenComposite>,
}

/// An open composite.
#[derive(Debug, Clone, Copy)]
struct OpenComposite {
    /// Number of values still to come.
    left: u64,
    /// Offset of its end.
    end: usize,
    kind: CompositeKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CompositeKind {
    /// Values of a row.
    Row,
    /// A composite inside a tag, which closes with it.
    Tagged,
    /// Keys and values; a key comes next.
    Key,
    /// Keys and values; a value comes next.
    Value,
}

impl Reader for PlainReader {
    fn frame(&mut self, buf: &[u8], base: u64, eof: bool) -> Result<Frame> {
        self.frames.frame(buf, base, eof)
    }

    fn walk<'m>(&mut self, msg: &'m [u8], base: u64, sink: &mut dyn Sink<'m>, budget: &mut Budget) -> Result<()> {
        self.levels.clear();
        let mut walk = Walk { msg, base, sink, budget, levels: &mut self.levels };
        match walk.message() {
            Ok(_) => Ok(()),
            Err(error) => Err(error.format_is(NAME)),
        }
    }
}

struct Walk<'w, 'm> {
    msg: &'m [u8],
    base: u64,
    sink: &'w mut dyn Sink<'m>,
    budget: &'w mut Budget,
    levels: &'w mut Vec<OpenComposite>,
}

impl<'m> Walk<'_, 'm> {
    fn span(&self, start: usize, end: usize) -> Span {
        Span::at(self.base, start, end)
    }

    #[cold]
    fn broken(&self, why: Broken, at: usize, end: usize) -> Error {
        let (cause, at) = match why {
            Broken::End => (Cause::UnexpectedEnd, end),
            Broken::Overflow => (Cause::VintOverflow, at),
            Broken::WireType => (Cause::BadWireType(None), at),
        };
        DecodeError { cause, at, path: Vec::new() }.into_error(self.base)
    }

    /// Walks a message. Returns false if the sink stopped.
    fn message(&mut self) -> Result<bool> {
        let msg = self.msg;
        let Some(mut at) = self.value(0, msg.len(), false)? else { return Ok(false) };
        while let Some(level) = self.levels.last_mut() {
            let end = level.end;
            if level.left == 0 {
                let kind = level.kind;
                self.levels.pop();
                if at < end {
                    let span = self.span(at, end);
                    self.sink.note(Note::Unknown(&msg[at..end]), span)?;
                }
                at = end;
                let close = self.span(end, end);
                for _ in 0..if kind == CompositeKind::Tagged { 2 } else { 1 } {
                    self.budget.leave();
                    self.sink.close(close)?;
                }
                continue;
            }
            level.left -= 1;
            let is_key = level.kind == CompositeKind::Key;
            match level.kind {
                CompositeKind::Key => level.kind = CompositeKind::Value,
                CompositeKind::Value => level.kind = CompositeKind::Key,
                CompositeKind::Row | CompositeKind::Tagged => {}
            }
            match self.value(at, end, is_key)? {
                Some(after) => at = after,
                None => return Ok(false),
            }
        }
        if at < msg.len() {
            return Err(Error::data(ErrorKind::Trailing, self.base + at as u64)
                .seen(format!("{} bytes after the message", msg.len() - at))
                .expected("its end"));
        }
        Ok(true)
    }

    /// Emits the value at `start`, which may reach to `end`; of a composite, only its opening.
    /// Returns where to continue, or `None` if the sink stopped.
    fn value(&mut self, start: usize, end: usize, is_key: bool) -> Result<Option<usize>> {
        let window = &self.msg[..end];
        let (prefix, at) = wire::prefix(window, start).map_err(|why| self.broken(why, start, end))?;
        let Prefix { wire, tag } = prefix;
        if wire.has_length() && wire != WireType::Bytes {
            return self.composite(prefix, start, at, end);
        }
        let after = skip::payload(window, at, wire).map_err(|why| self.broken(why, start, end))?;
        let span = self.span(start, after);
        let payload = &window[at..after];
        if is_key && let (WireType::Bytes, 0, Scalar::Text(name)) = (wire, tag, self.string(window, at)) {
            self.budget.item(span.start)?;
            return match self.sink.field(Field::named(name), span)? {
                Next::Enter => Ok(Some(after)),
                Next::Stop => Ok(None),
                Next::Skip => {
                    let after = skip::value(window, after).map_err(|why| self.broken(why, after, end))?;
                    if let Some(level) = self.levels.last_mut() {
                        (level.left, level.kind) = (level.left - 1, CompositeKind::Key);
                    }
                    Ok(Some(after))
                }
            };
        }
        if wire == WireType::Enum {
            let index = u32::try_from(tag).ok();
            let open = match index {
                Some(index) => Open::Variant { name: "", index },
                None => Open::Tagged { space: NAME, code: tag },
            };
            return match self.open(open, start, at)? {
                Next::Stop => Ok(None),
                Next::Skip => Ok(Some(after)),
                Next::Enter => {
                    if index.is_none() {
                        self.budget.item(span.start)?;
                        self.sink.scalar(Scalar::Null, span)?;
                    }
                    self.budget.leave();
                    let close = self.span(after, after);
                    self.sink.close(close)?;
                    Ok(Some(after))
                }
            };
        }
        let scalar = match wire {
            WireType::Vint => Scalar::int(unzigzag(vint::read(window, at).map_err(|why| self.broken(why, start, end))?.0)),
            WireType::Bits8 => Scalar::uint(u64::from(payload[0])),
            WireType::Bits32 => Scalar::int(i64::from(i32::from_le_bytes(payload.try_into().unwrap_or_default()))),
            WireType::Bits64Float => Scalar::f64(f64::from_le_bytes(payload.try_into().unwrap_or_default())),
            WireType::Bytes => self.string(window, at),
            _ => Scalar::int(i64::from_le_bytes(payload.try_into().unwrap_or_default())),
        };
        if tag > 0 {
            match self.open(Open::Tagged { space: NAME, code: tag }, start, at)? {
                Next::Stop => return Ok(None),
                Next::Skip => return Ok(Some(after)),
                Next::Enter => {}
            }
            let inner = self.span(at, after);
            self.budget.item(inner.start)?;
            self.sink.scalar(scalar, inner)?;
            self.budget.leave();
            let close = self.span(after, after);
            self.sink.close(close)?;
            return Ok(Some(after));
        }
        self.budget.item(span.start)?;
        self.sink.scalar(scalar, span)?;
        Ok(Some(after))
    }

    /// Returns the string at `at`, whose length was checked.
    fn string(&self, window: &'m [u8], at: usize) -> Scalar<'m, 'm> {
        let (from, to) = wire::length(window, at).unwrap_or((at, at));
        text_or_octets(&window[from..to])
    }

    fn open(&mut self, open: Open<'_>, start: usize, end: usize) -> Result<Next> {
        let span = self.span(start, end);
        self.budget.item(span.start)?;
        self.budget.enter(span.start)?;
        let next = self.sink.open(open, span)?;
        if next == Next::Skip {
            self.budget.leave();
        }
        Ok(next)
    }

    fn composite(&mut self, prefix: Prefix, start: usize, at: usize, end: usize) -> Result<Option<usize>> {
        let (inside, stop) = wire::length(&self.msg[..end], at).map_err(|why| self.broken(why, start, end))?;
        let (count, first) = vint::read(&self.msg[..stop], inside).map_err(|why| self.broken(why, start, stop))?;
        let mut level = OpenComposite { left: count, end: stop, kind: CompositeKind::Row };
        let Prefix { wire, tag } = prefix;
        let row = match (wire, tag, u32::try_from(tag)) {
            (WireType::Tuple, 1.., Ok(index)) => Open::Variant { name: "", index },
            (WireType::Tuple, ..) => Open::Tuple(Len::Claimed(count)),
            (WireType::Htuple, ..) => Open::List(Len::Claimed(count)),
            _ => {
                // The count of pairs overflows only if the message ends before that many values.
                level = OpenComposite { left: count.saturating_mul(2), kind: CompositeKind::Key, ..level };
                Open::Map(Len::Claimed(count))
            }
        };
        let is_case = matches!(row, Open::Variant { .. });
        if tag > 0 && !is_case {
            match self.open(Open::Tagged { space: NAME, code: tag }, start, at)? {
                Next::Stop => return Ok(None),
                Next::Skip => return Ok(Some(stop)),
                Next::Enter => {}
            }
            match self.open(row, at, first)? {
                Next::Stop => return Ok(None),
                Next::Enter if level.kind == CompositeKind::Row => level.kind = CompositeKind::Tagged,
                Next::Enter => {
                    // OpenComposite of the tag itself, of which only the end is left.
                    self.levels.push(OpenComposite { left: 0, end: stop, kind: CompositeKind::Row });
                }
                Next::Skip => {
                    self.budget.leave();
                    let close = self.span(stop, stop);
                    self.sink.close(close)?;
                    return Ok(Some(stop));
                }
            }
            self.levels.push(level);
            return Ok(Some(first));
        }
        match self.open(row, start, first)? {
            Next::Stop => Ok(None),
            Next::Skip => Ok(Some(stop)),
            Next::Enter => {
                self.levels.push(level);
                Ok(Some(first))
            }
        }
    }
}

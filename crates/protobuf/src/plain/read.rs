//! Messages of an unknown type to events.

use polywire_core::{Budget, Error, Field, Frame, Len, Next, Note, Open, Reader, Result, Scalar, Sink, Span, Str};

use super::guess::{Guess, Guesser, plausible};
use crate::wire::framing::{Framing, Head, Says};
use crate::wire::{self, Broken, NAME, Tag, WireError, WireType, array, length, skip, varint, wire_error};

/// Reads messages without a schema, as records of fields named by their numbers.
///
/// Fields come as they stand, so that one number may come many times. Types that need the schema
/// are guessed, and each guess is noted with its reason and alternatives.
#[derive(Debug, Default)]
pub struct PlainReader {
    framing: Framing,
    levels: Vec<Level>,
    guesser: Guesser,
}

impl PlainReader {
    /// Makes a reader of messages in a framing.
    pub fn new(framing: Framing) -> PlainReader {
        PlainReader { framing, ..PlainReader::default() }
    }
}

/// An open container.
#[derive(Debug, Clone, Copy)]
struct Level {
    /// Its end; for a group, its latest possible end.
    end: usize,
    kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Message,
    /// A group of that field number.
    Group(u32),
}

impl Reader for PlainReader {
    fn frame(&mut self, buf: &[u8], base: u64, eof: bool) -> Result<Frame> {
        self.framing.frame(buf, base, eof).map_err(|error| error.format_is(NAME))
    }

    fn walk<'m>(&mut self, msg: &'m [u8], base: u64, sink: &mut dyn Sink<'m>, budget: &mut Budget) -> Result<()> {
        self.levels.clear();
        self.guesser.clear();
        let outcome = self.framing.head(msg, base).and_then(|head| {
            note_head(&head, base, sink)?;
            let mut walk = Walk { msg, base, sink, budget, levels: &mut self.levels, guesser: &mut self.guesser };
            walk.message(head.len)
        });
        outcome.map_err(|error| error.format_is(NAME))
    }
}

/// Notes the information in the head of a message.
pub(crate) fn note_head<'m, S: Sink<'m> + ?Sized>(head: &Head, base: u64, sink: &mut S) -> Result<()> {
    let Says::Schema { id, indexes } = &head.says else { return Ok(()) };
    let types: Vec<String> = indexes.iter().map(u32::to_string).collect();
    let text = format!("schema {id}, message type {}", types.join("."));
    sink.note(Note::Directive(&text), Span::at(base, 0, head.len))
}

/// Emits the field at `start`, which ends with `window`, as what it is likely to be. Returns
/// `false`, without effect, if it is no field.
pub(crate) fn emit_guess<'m, S: Sink<'m> + ?Sized>(
    window: &'m [u8],
    base: u64,
    start: usize,
    sink: &mut S,
    budget: &mut Budget,
) -> Result<bool> {
    let Ok((tag, wire, at)) = wire::tag(window, start) else { return Ok(false) };
    if skip::value(window, at, tag, wire, budget.limits().depth) != Ok(window.len()) {
        return Ok(false);
    }
    let (mut levels, mut guesser) = (Vec::new(), Guesser::default());
    let mut walk = Walk { msg: window, base, sink, budget, levels: &mut levels, guesser: &mut guesser };
    if let Some(next) = walk.field(window, start, at, tag, wire)? {
        walk.fields(next)?;
    }
    Ok(true)
}

/// A walk over one message.
struct Walk<'w, 'm, S: ?Sized> {
    msg: &'m [u8],
    base: u64,
    sink: &'w mut S,
    budget: &'w mut Budget,
    levels: &'w mut Vec<Level>,
    guesser: &'w mut Guesser,
}

/// Returns the name of a field: its number in digits.
fn name(number: u32, buffer: &mut itoa::Buffer) -> Str<'static, '_, str> {
    Str::Scratch(buffer.format(number))
}

impl<'m, S: Sink<'m> + ?Sized> Walk<'_, 'm, S> {
    fn span(&self, start: usize, end: usize) -> Span {
        Span::at(self.base, start, end)
    }

    fn located(&self) -> impl Fn(WireError) -> Error + use<'m, S> {
        let base = self.base;
        move |error| error.into_error(base)
    }

    /// Walks the message whose first field is at `start`.
    fn message(&mut self, start: usize) -> Result<()> {
        if self.open(start, start, self.msg.len(), Kind::Message)? == Next::Enter {
            self.fields(start)?;
        }
        Ok(())
    }

    /// Walks the fields from `at` on until the levels are closed. Returns `false` if the sink
    /// stopped.
    fn fields(&mut self, mut at: usize) -> Result<bool> {
        while let Some(&Level { end, kind }) = self.levels.last() {
            if at >= end {
                if let Kind::Group(number) = kind {
                    return Err(self.located()(wire_error(Broken::Unclosed(number), end)));
                }
                self.close(at, at)?;
                continue;
            }
            let window = &self.msg[..end];
            let (tag, wire, next) = wire::tag(window, at).map_err(self.located())?;
            if wire == WireType::End {
                if kind != Kind::Group(tag.number()) {
                    return Err(self.located()(wire_error(Broken::Unopened(tag.number()), at)));
                }
                self.close(at, next)?;
                at = next;
                continue;
            }
            match self.field(window, at, next, tag, wire)? {
                Some(next) => at = next,
                None => return Ok(false),
            }
        }
        Ok(true)
    }

    /// Walks one field. Returns the offset of the next one, or `None` if the sink stopped.
    fn field(&mut self, window: &'m [u8], start: usize, at: usize, tag: Tag, wire: WireType) -> Result<Option<usize>> {
        let number = tag.number();
        let span = self.span(start, at);
        self.budget.item(span.start)?;
        let next =
            self.sink.field(Field { name: name(number, &mut itoa::Buffer::new()), id: Some(u64::from(number)), slot: None }, span)?;
        match next {
            Next::Enter => {}
            Next::Stop => return Ok(None),
            Next::Skip => return skip::value(window, at, tag, wire, self.budget.limits().depth).map(Some).map_err(self.located()),
        }
        match wire {
            WireType::Varint => {
                let (value, end) = varint::read(window, at).map_err(self.located())?;
                let (scalar, why): (_, &[_]) = match (value, end - at) {
                    (_, 10) => (Scalar::int(value as i64), &["taken for a negative int32 or int64: ten bytes", "else uint64"]),
                    (0 | 1, _) => (Scalar::uint(value), &["taken for a whole number", "else bool", "else an enum"]),
                    _ => (Scalar::uint(value), &["taken for a whole number", "else sint32 or sint64, zigzag"]),
                };
                self.scalar(scalar, at, end, why)?;
                Ok(Some(end))
            }
            WireType::Fixed64 => {
                let bytes = array(window, at).map_err(self.located())?;
                let float = f64::from_le_bytes(bytes);
                let (scalar, why): (_, &[_]) = if float != 0.0 && plausible(float) {
                    (Scalar::f64(float), &["taken for a double: of common size", "else fixed64 or sfixed64"])
                } else {
                    (
                        Scalar::uint(u64::from_le_bytes(bytes)),
                        &["taken for fixed64: no double of common size", "else sfixed64", "else double"],
                    )
                };
                self.scalar(scalar, at, at + 8, why)?;
                Ok(Some(at + 8))
            }
            WireType::Fixed32 => {
                let bytes = array(window, at).map_err(self.located())?;
                let float = f32::from_le_bytes(bytes);
                let (scalar, why): (_, &[_]) = if float != 0.0 && plausible(f64::from(float)) {
                    (Scalar::f32(float), &["taken for a float: of common size", "else fixed32 or sfixed32"])
                } else {
                    (
                        Scalar::uint(u64::from(u32::from_le_bytes(bytes))),
                        &["taken for fixed32: no float of common size", "else sfixed32", "else float"],
                    )
                };
                self.scalar(scalar, at, at + 4, why)?;
                Ok(Some(at + 4))
            }
            WireType::Len => self.delimited(window, at),
            WireType::Start => match self.open(at, at, window.len(), Kind::Group(number))? {
                Next::Enter => Ok(Some(at)),
                Next::Stop => Ok(None),
                Next::Skip => skip::value(window, at, tag, wire, self.budget.limits().depth).map(Some).map_err(self.located()),
            },
            WireType::End => Err(self.located()(wire_error(Broken::Unopened(number), start))),
        }
    }

    /// Walks the value of wire type LEN whose length is at `at`.
    fn delimited(&mut self, window: &'m [u8], at: usize) -> Result<Option<usize>> {
        let (from, to) = length(window, at).map_err(self.located())?;
        let ranked = self.guesser.guess(self.msg, from..to);
        let why = [ranked.why, ranked.others[0], ranked.others[1]];
        let why = &why[..1 + ranked.others.iter().take_while(|other| !other.is_empty()).count()];
        let value = &self.msg[from..to];
        let list = |count: usize| Open::List(Len::Claimed(count as u64));
        match ranked.guess {
            Guess::Text => self.scalar(Scalar::Text(Str::Input(std::str::from_utf8(value).unwrap_or_default())), at, to, why)?,
            Guess::Bytes => self.scalar(Scalar::Bytes(Str::Input(value)), at, to, why)?,
            Guess::Message => {
                let next = self.open(at, from, to, Kind::Message)?;
                if next == Next::Enter {
                    self.remark(why, at, from)?;
                    return Ok(Some(from));
                }
                return Ok((next == Next::Skip).then_some(to));
            }
            Guess::Doubles => {
                return self.packed(list(value.len() / 8), why, at, from, to, |window, at| {
                    Ok((Scalar::f64(f64::from_le_bytes(array(window, at)?)), at + 8))
                });
            }
            Guess::Floats => {
                return self.packed(list(value.len() / 4), why, at, from, to, |window, at| {
                    Ok((Scalar::f32(f32::from_le_bytes(array(window, at)?)), at + 4))
                });
            }
            Guess::Varints => {
                let count = value.iter().filter(|byte| **byte < 0x80).count();
                return self.packed(list(count), why, at, from, to, |window, at| {
                    varint::read(window, at).map(|(value, end)| (Scalar::uint(value), end))
                });
            }
        }
        Ok(Some(to))
    }

    fn packed(
        &mut self,
        open: Open<'_>,
        why: &[&'static str],
        at: usize,
        from: usize,
        to: usize,
        element: impl Fn(&'m [u8], usize) -> Result<(Scalar<'m, 'm>, usize), WireError>,
    ) -> Result<Option<usize>> {
        let span = self.span(at, from);
        self.budget.item(span.start)?;
        self.budget.enter(span.start)?;
        let next = self.sink.open(open, span)?;
        if next == Next::Enter {
            self.remark(why, at, from)?;
            let mut at = from;
            while at < to {
                let (scalar, end) = element(&self.msg[..to], at).map_err(self.located())?;
                self.scalar(scalar, at, end, &[])?;
                at = end;
            }
            let close = self.span(to, to);
            self.sink.close(close)?;
        }
        self.budget.leave();
        Ok((next != Next::Stop).then_some(to))
    }

    fn scalar(&mut self, scalar: Scalar<'m, '_>, start: usize, end: usize, why: &[&'static str]) -> Result<()> {
        let span = self.span(start, end);
        self.budget.item(span.start)?;
        self.sink.scalar(scalar, span)?;
        self.remark(why, start, end)
    }

    fn remark(&mut self, why: &[&'static str], start: usize, end: usize) -> Result<()> {
        let span = self.span(start, end);
        why.iter().try_for_each(|why| self.sink.note(Note::Coerced(why), span))
    }

    fn open(&mut self, start: usize, from: usize, end: usize, kind: Kind) -> Result<Next> {
        let span = self.span(start, from);
        self.budget.item(span.start)?;
        self.budget.enter(span.start)?;
        let next = self.sink.open(Open::Record { name: "", len: Len::Unknown }, span)?;
        match next {
            Next::Enter => self.levels.push(Level { end, kind }),
            _ => self.budget.leave(),
        }
        Ok(next)
    }

    fn close(&mut self, start: usize, end: usize) -> Result<()> {
        self.levels.pop();
        self.budget.leave();
        let span = self.span(start, end);
        self.sink.close(span)
    }
}

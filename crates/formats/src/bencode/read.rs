//! Bencode bytes to events.

use polywire_core::bytes::Input;
use polywire_core::{Budget, Error, ErrorKind, Field, Frame, Len, Limits, Next, Note, Open, Reader, Result, Scalar, Sink, Span, Str};

use super::skip::{Skipped, Skipper};
use super::wire::{self, DICTIONARY, END, INTEGER, LIST, NAME, Scan, VALUE};

/// Reads bencode.
#[derive(Debug, Default)]
pub struct BencodeReader {
    levels: Vec<Level>,
    skipper: Skipper,
    framing: Option<(Skipper, Budget)>,
}

/// A container that is being read.
#[derive(Debug, Clone, Copy)]
struct Level {
    dictionary: bool,
    /// True in a dictionary while the value of a key is due.
    value_due: bool,
    /// Range of the bytes of the key before.
    key: Option<(usize, usize)>,
}

impl BencodeReader {
    /// Walks like [`Reader::walk`], for one type of sink: calls to it are direct, and small ones
    /// are inlined.
    pub fn walk_into<'m, S: Sink<'m> + ?Sized>(&mut self, msg: &'m [u8], base: u64, sink: &mut S, budget: &mut Budget) -> Result<()> {
        self.events(msg, base, sink, budget).map_err(|error| error.format_is(NAME))
    }

    fn events<'m, S: Sink<'m> + ?Sized>(&mut self, msg: &'m [u8], base: u64, sink: &mut S, budget: &mut Budget) -> Result<()> {
        let mut input = Input::new(msg, base);
        self.levels.clear();
        loop {
            let at = input.pos();
            let is_key = matches!(self.levels.last(), Some(level) if level.dictionary && !level.value_due);
            let head = input.u8(if is_key { "a key, or the end of a dictionary" } else { VALUE })?;
            if head == END
                && let Some(level) = self.levels.last()
            {
                if level.value_due {
                    return Err(wire::wrong(head, at, base).expected("the value of the key before"));
                }
                self.levels.pop();
                sink.close(Span::at(base, at, at + 1))?;
                budget.leave();
            } else {
                budget.item(base + at as u64)?;
                match head {
                    b'0'..=b'9' => {
                        let Scan::Done(len, start) = wire::length(msg, at, base)? else {
                            return Err(Error::truncated(base + msg.len() as u64, "the length of a string, and ':'"));
                        };
                        input.seek(start);
                        let bytes = input.take(len as u64, "a string")?;
                        let span = Span::at(base, at, input.pos());
                        if is_key {
                            self.in_order(msg, (start, input.pos()), span, sink)?;
                        }
                        match simdutf8::basic::from_utf8(bytes) {
                            Ok(name) if is_key => match sink.field(Field::named(Str::Input(name)), span)? {
                                Next::Enter => {}
                                Next::Skip => self.skip(&mut input, msg, base, budget)?,
                                Next::Stop => return Ok(()),
                            },
                            Ok(text) => sink.scalar(Scalar::Text(Str::Input(text)), span)?,
                            Err(_) => sink.scalar(Scalar::Octets(Str::Input(bytes)), span)?,
                        }
                        if is_key {
                            continue;
                        }
                    }
                    _ if is_key => return Err(wire::wrong(head, at, base).expected("a key: the length of a string, or 'e'")),
                    INTEGER => {
                        let Scan::Done((), end) = wire::integer(msg, at, 0, base)? else {
                            return Err(Error::truncated(base + msg.len() as u64, "the digits of an integer, and 'e'"));
                        };
                        input.seek(end);
                        let digits = input.utf8(&msg[at + 1..end - 1])?;
                        budget.digits(digits.len() - usize::from(digits.starts_with('-')), base + at as u64)?;
                        let value = match (digits.parse::<u64>(), digits.parse::<i64>()) {
                            (Ok(value), _) => Scalar::uint(value),
                            (_, Ok(value)) => Scalar::int(value),
                            _ => Scalar::big(Str::Input(digits)),
                        };
                        sink.scalar(value, Span::at(base, at, end))?;
                    }
                    LIST | DICTIONARY => {
                        budget.enter(base + at as u64)?;
                        let open = if head == LIST { Open::List(Len::Unknown) } else { Open::Map(Len::Unknown) };
                        match sink.open(open, Span::at(base, at, at + 1))? {
                            Next::Enter => {
                                self.levels.push(Level { dictionary: head == DICTIONARY, value_due: false, key: None });
                                continue;
                            }
                            Next::Skip => {
                                self.step_over(&mut input, msg, base, 1, budget)?;
                            }
                            Next::Stop => return Ok(()),
                        }
                    }
                    _ => return Err(wire::wrong(head, at, base).expected(VALUE)),
                }
            }
            // A value ended.
            match self.levels.last_mut() {
                Some(level) => level.value_due = false,
                None => {
                    return match input.remaining() {
                        0 => Ok(()),
                        more => Err(Error::data(ErrorKind::Trailing, input.offset())
                            .seen(format!("{more} bytes after the message"))
                            .expected("its end")),
                    };
                }
            }
        }
    }

    /// Takes a key, and adds a note if it belongs before the previous one. Keys are sorted as raw
    /// bytes: BEP 3.
    fn in_order<'m, S: Sink<'m> + ?Sized>(&mut self, msg: &[u8], key: (usize, usize), at: Span, sink: &mut S) -> Result<()> {
        let Some(level) = self.levels.last_mut() else { return Ok(()) };
        level.value_due = true;
        match level.key.replace(key) {
            Some((start, end)) if msg[start..end] > msg[key.0..key.1] => sink.note(Note::Coerced("a key out of order"), at),
            _ => Ok(()),
        }
    }

    /// Steps over the value of a key.
    fn skip(&mut self, input: &mut Input<'_>, msg: &[u8], base: u64, budget: &mut Budget) -> Result<()> {
        if let Some(level) = self.levels.last_mut() {
            level.value_due = false;
        }
        self.step_over(input, msg, base, 0, budget)
    }

    /// Steps over the next value, or the rest of `depth` containers.
    fn step_over(&mut self, input: &mut Input<'_>, msg: &[u8], base: u64, depth: usize, budget: &mut Budget) -> Result<()> {
        self.skipper.start(input.pos(), depth);
        match self.skipper.run(msg, base, budget)? {
            Skipped::All(end) => {
                input.seek(end);
                Ok(())
            }
            Skipped::More(_) => Err(Error::truncated(base + msg.len() as u64, "a value that is stepped over")),
        }
    }
}

/// The limits of framing: a message nested deeper than any walk goes is handed over as far as it
/// was scanned.
const FRAMING: Limits = Limits::MAX;

impl Reader for BencodeReader {
    fn frame(&mut self, buf: &[u8], _base: u64, eof: bool) -> Result<Frame> {
        if buf.is_empty() {
            return Ok(if eof { Frame::End } else { Frame::More(1) });
        }
        let (skipper, budget) = self.framing.get_or_insert_with(|| (Skipper::default(), Budget::new(&FRAMING)));
        let end = match skipper.run(buf, 0, budget) {
            Ok(Skipped::All(end)) => end,
            Ok(Skipped::More(_)) if eof => buf.len(),
            Ok(Skipped::More(missing)) => return Ok(Frame::More(missing)),
            // The walk finds the same error, at the same byte, and reports more about it.
            Err(error) => error.offset().and_then(|offset| usize::try_from(offset).ok()).map_or(buf.len(), |at| (at + 1).min(buf.len())),
        };
        skipper.start(0, 0);
        budget.reset();
        Ok(Frame::Message { start: 0, end })
    }

    fn walk<'m>(&mut self, msg: &'m [u8], base: u64, sink: &mut dyn Sink<'m>, budget: &mut Budget) -> Result<()> {
        self.walk_into(msg, base, sink, budget)
    }
}

//! Rows as messages of bytes, which any sink can read.
//!
//! A row is its length and the events of its message, one after the other. These bytes never leave
//! a process: they are what stands between a file of columns and a
//! [`Stream`](polywire_core::tools::Stream).

use std::io::{self, Read};

use arrow_array::RecordBatch;
use polywire_core::format::{Confidence, Framing, Nature};
use polywire_core::{
    Budget, Error, ErrorKind, Fault, Field, Format, Frame, Hint, Len, Next, Open, Part, Reader, Result, Scalar, Sink, Span, Spelling, Str,
    Timestamp,
};

use crate::emit::Messages;
use crate::files::FileKind;

/// The format of rows: what [`RowBytes`] gives.
pub static ROWS: Format = Format::new("rows", "Rows of columns", Nature::Binary, |_, _| Confidence::No, || Box::new(RowReader))
    .framing(Framing::Lengths)
    .may_be_empty();

/// Bytes that are made at a time, about.
const PIECE: usize = 128 << 10;

/// Rows of batches as bytes. Rows of bad messages are left out.
pub struct RowBytes<I> {
    batches: I,
    messages: Option<(Messages, usize)>,
    bytes: Vec<u8>,
    at: usize,
    left_out: u64,
}

impl<I: Iterator<Item = Result<RecordBatch>>> RowBytes<I> {
    /// Makes the rows of batches.
    pub fn new(batches: I) -> RowBytes<I> {
        RowBytes { batches, messages: None, bytes: Vec::new(), at: 0, left_out: 0 }
    }

    /// Returns the number of rows so far that are those of bad messages.
    pub fn left_out(&self) -> u64 {
        self.left_out
    }

    fn fill(&mut self) -> Result<()> {
        self.bytes.clear();
        self.at = 0;
        while self.bytes.len() < PIECE {
            let Some((messages, row)) = &mut self.messages else {
                match self.batches.next() {
                    Some(batch) => self.messages = Some((Messages::new(&batch?)?, 0)),
                    None => break,
                }
                continue;
            };
            if *row == messages.len() {
                self.messages = None;
                continue;
            }
            let start = self.bytes.len();
            self.bytes.extend_from_slice(&[0; 4]);
            let is_message = messages.emit(*row, &mut Events(&mut self.bytes))?;
            *row += 1;
            if is_message {
                let len = u32::try_from(self.bytes.len() - start - 4);
                let len = len.map_err(|_| Error::data(ErrorKind::Limit, 0).seen("a row of more than 4 GiB"))?;
                self.bytes[start..start + 4].copy_from_slice(&len.to_le_bytes());
            } else {
                self.bytes.truncate(start);
                self.left_out += 1;
            }
        }
        Ok(())
    }
}

impl<I: Iterator<Item = Result<RecordBatch>>> Read for RowBytes<I> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.at == self.bytes.len() {
            self.fill().map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;
        }
        let count = out.len().min(self.bytes.len() - self.at);
        out[..count].copy_from_slice(&self.bytes[self.at..self.at + count]);
        self.at += count;
        Ok(count)
    }
}

const NULL: u8 = 0;
const FALSE: u8 = 1;
const TRUE: u8 = 2;
const INT: u8 = 3;
const UINT: u8 = 4;
const F32: u8 = 5;
const F64: u8 = 6;
const BIG: u8 = 7;
const DECIMAL: u8 = 8;
const TEXT: u8 = 9;
const BYTES: u8 = 10;
const OCTETS: u8 = 11;
const TIME: u8 = 12;
const LIST: u8 = 13;
const MAP: u8 = 14;
const TUPLE: u8 = 15;
const RECORD: u8 = 16;
const VARIANT: u8 = 17;
const TAGGED: u8 = 18;
const FIELD: u8 = 19;
const CLOSE: u8 = 20;
/// A binary64 number, and the digits that writers keep.
const SPELT: u8 = 21;

/// Writes events as bytes.
pub(crate) struct Events<'b>(pub(crate) &'b mut Vec<u8>);

impl Events<'_> {
    fn long(&mut self, kind: u8, bytes: &[u8]) -> Result<()> {
        let len = u32::try_from(bytes.len()).map_err(|_| Error::data(ErrorKind::Limit, 0).seen("a value of more than 4 GiB"))?;
        self.0.push(kind);
        self.0.extend_from_slice(&len.to_le_bytes());
        self.0.extend_from_slice(bytes);
        Ok(())
    }

    fn len(&mut self, kind: u8, len: Len) {
        self.0.push(kind);
        let count = match len {
            Len::Claimed(count) => count,
            Len::Unknown => u64::MAX,
        };
        self.0.extend_from_slice(&count.to_le_bytes());
    }
}

impl<'m> Sink<'m> for Events<'_> {
    fn open(&mut self, open: Open<'_>, _: Span) -> Result<Next> {
        match open {
            Open::List(len) => self.len(LIST, len),
            Open::Map(len) => self.len(MAP, len),
            Open::Tuple(len) => self.len(TUPLE, len),
            Open::Record { len, .. } => self.len(RECORD, len),
            Open::Variant { name, index } => {
                self.long(VARIANT, name.as_bytes())?;
                self.0.extend_from_slice(&index.to_le_bytes());
            }
            Open::Tagged { space, code } => {
                self.long(TAGGED, space.as_bytes())?;
                self.0.extend_from_slice(&code.to_le_bytes());
            }
            other => return Err(Error::unknown_event(other.kind())),
        }
        Ok(Next::Enter)
    }

    fn field(&mut self, field: Field<'m, '_>, _: Span) -> Result<Next> {
        self.long(FIELD, field.name.get().as_bytes())?;
        Ok(Next::Enter)
    }

    fn scalar(&mut self, value: Scalar<'m, '_>, _: Span) -> Result<()> {
        match value {
            Scalar::Null => self.0.push(NULL),
            Scalar::Bool(value) => self.0.push(if value { TRUE } else { FALSE }),
            Scalar::Int(value, _) => {
                self.0.push(INT);
                self.0.extend_from_slice(&value.to_le_bytes());
            }
            Scalar::UInt(value, _) => {
                self.0.push(UINT);
                self.0.extend_from_slice(&value.to_le_bytes());
            }
            Scalar::F32(value, _) => {
                self.0.push(F32);
                self.0.extend_from_slice(&value.to_le_bytes());
            }
            Scalar::F64(value, hint) => match hint.digits() {
                Some(digits) => {
                    self.long(SPELT, digits.as_bytes())?;
                    self.0.extend_from_slice(&value.to_le_bytes());
                }
                None => {
                    self.0.push(F64);
                    self.0.extend_from_slice(&value.to_le_bytes());
                }
            },
            Scalar::Big(text, _) => self.long(BIG, text.get().as_bytes())?,
            Scalar::Decimal(text, _) => self.long(DECIMAL, text.get().as_bytes())?,
            Scalar::Text(text) => self.long(TEXT, text.get().as_bytes())?,
            Scalar::Bytes(bytes) => self.long(BYTES, bytes.get())?,
            Scalar::Octets(bytes) => self.long(OCTETS, bytes.get())?,
            Scalar::Time(moment) => {
                self.0.push(TIME);
                self.0.extend_from_slice(&moment.seconds().to_le_bytes());
                self.0.extend_from_slice(&moment.nanos().to_le_bytes());
            }
            other => return Err(Error::unknown_event(other.kind())),
        }
        Ok(())
    }

    fn part(&mut self, _: Part<'_>, _: Span) -> Result<()> {
        Err(Error::internal("a value of columns in parts"))
    }

    fn close(&mut self, _: Span) -> Result<()> {
        self.0.push(CLOSE);
        Ok(())
    }
}

/// Reads rows.
pub(crate) struct RowReader;

impl Reader for RowReader {
    fn frame(&mut self, buf: &[u8], base: u64, eof: bool) -> Result<Frame> {
        let Some(head) = buf.first_chunk::<4>() else {
            return match (buf.is_empty(), eof) {
                (true, true) => Ok(Frame::End),
                (false, true) => Err(Error::truncated(base, "the length of a row")),
                _ => Ok(Frame::More(4 - buf.len())),
            };
        };
        // No row is as long as these bytes would say.
        if base == 0
            && let Some(kind) = FileKind::recognise(buf)
        {
            return Err(Error::new(ErrorKind::Unsupported, Fault::Caller)
                .seen(format!("the bytes of a file of columns ({kind:?})"))
                .expected("its rows, which are no part of the file")
                .hint("`polywire::columns` reads such files, and the program does"));
        }
        let end = (u32::from_le_bytes(*head) as usize).saturating_add(4);
        match (buf.len() >= end, eof) {
            (true, _) => Ok(Frame::Message { start: 4, end }),
            (false, true) => Err(Error::truncated(base, "a row of the length before it")),
            (false, false) => Ok(Frame::More(end - buf.len())),
        }
    }

    fn walk<'m>(&mut self, msg: &'m [u8], base: u64, sink: &mut dyn Sink<'m>, budget: &mut Budget) -> Result<()> {
        let mut bytes = Bytes { msg, base, at: 0 };
        let mut depth = 0usize;
        loop {
            let start = bytes.at;
            let kind = bytes.take::<1>()?[0];
            let offset = base + start as u64;
            match kind {
                CLOSE if depth > 0 => {
                    depth -= 1;
                    budget.leave();
                    sink.close(bytes.span(start))?;
                }
                FIELD if depth > 0 => {
                    let name = bytes.text()?;
                    budget.item(offset)?;
                    match sink.field(Field::named(Str::Input(name)), bytes.span(start))? {
                        Next::Enter => {}
                        Next::Skip => bytes.skip(budget, 0)?,
                        Next::Stop => return Ok(()),
                    }
                    continue;
                }
                LIST..=TAGGED => {
                    let open = bytes.open(kind)?;
                    budget.enter(offset)?;
                    budget.item(offset)?;
                    match sink.open(open, bytes.span(start))? {
                        Next::Enter => depth += 1,
                        Next::Skip => {
                            budget.leave();
                            bytes.skip(budget, 1)?;
                        }
                        Next::Stop => return Ok(()),
                    }
                }
                SPELT => {
                    let spelling = Spelling::digits(bytes.text()?);
                    let value = f64::from_le_bytes(bytes.take()?);
                    budget.item(offset)?;
                    sink.scalar(Scalar::F64(value, Hint::new(&spelling)), bytes.span(start))?;
                }
                kind => {
                    let value = bytes.scalar(kind, start)?;
                    budget.item(offset)?;
                    sink.scalar(value, bytes.span(start))?;
                }
            }
            if depth == 0 {
                break;
            }
        }
        match bytes.at == msg.len() {
            true => Ok(()),
            false => Err(Error::data(ErrorKind::Trailing, base + bytes.at as u64).seen("bytes after a row")),
        }
    }

    fn groups_fields(&self) -> bool {
        true
    }
}

struct Bytes<'m> {
    msg: &'m [u8],
    base: u64,
    at: usize,
}

impl<'m> Bytes<'m> {
    fn span(&self, start: usize) -> Span {
        Span::at(self.base, start, self.at)
    }

    #[cold]
    fn cut(&self) -> Error {
        Error::truncated(self.base + self.msg.len() as u64, "the rest of a row")
    }

    fn take<const N: usize>(&mut self) -> Result<[u8; N]> {
        let chunk = self.msg.get(self.at..).and_then(|rest| rest.first_chunk::<N>()).copied();
        self.at += N;
        chunk.ok_or_else(|| self.cut())
    }

    fn long(&mut self) -> Result<&'m [u8]> {
        let len = u32::from_le_bytes(self.take()?) as usize;
        let bytes = self.msg.get(self.at..).and_then(|rest| rest.get(..len)).ok_or_else(|| self.cut())?;
        self.at += len;
        Ok(bytes)
    }

    fn text(&mut self) -> Result<&'m str> {
        let at = self.at;
        std::str::from_utf8(self.long()?)
            .map_err(|_| Error::data(ErrorKind::Encoding, self.base + at as u64).seen("other bytes in text").expected("UTF-8"))
    }

    /// Reads the rest of a container's start.
    fn open(&mut self, kind: u8) -> Result<Open<'m>> {
        match kind {
            VARIANT => return Ok(Open::Variant { name: self.text()?, index: u32::from_le_bytes(self.take()?) }),
            TAGGED => return Ok(Open::Tagged { space: self.text()?, code: u64::from_le_bytes(self.take()?) }),
            _ => {}
        }
        let count = u64::from_le_bytes(self.take()?);
        let len = if count == u64::MAX { Len::Unknown } else { Len::Claimed(count) };
        Ok(match kind {
            LIST => Open::List(len),
            MAP => Open::Map(len),
            TUPLE => Open::Tuple(len),
            _ => Open::Record { name: "", len },
        })
    }

    fn scalar(&mut self, kind: u8, start: usize) -> Result<Scalar<'m, 'm>> {
        let wrong = |kind: ErrorKind| Error::data(kind, self.base + start as u64);
        Ok(match kind {
            NULL => Scalar::Null,
            FALSE => Scalar::Bool(false),
            TRUE => Scalar::Bool(true),
            INT => Scalar::int(i64::from_le_bytes(self.take()?)),
            UINT => Scalar::uint(u64::from_le_bytes(self.take()?)),
            F32 => Scalar::f32(f32::from_le_bytes(self.take()?)),
            F64 => Scalar::f64(f64::from_le_bytes(self.take()?)),
            SPELT => {
                self.text()?;
                Scalar::f64(f64::from_le_bytes(self.take()?))
            }
            BIG => Scalar::big(Str::Input(self.text()?)),
            DECIMAL => Scalar::decimal(Str::Input(self.text()?)),
            TEXT => Scalar::Text(Str::Input(self.text()?)),
            BYTES => Scalar::Bytes(Str::Input(self.long()?)),
            OCTETS => Scalar::Octets(Str::Input(self.long()?)),
            TIME => {
                let moment = Timestamp::new(i64::from_le_bytes(self.take()?), u32::from_le_bytes(self.take()?));
                Scalar::Time(moment.ok_or_else(|| Error::data(ErrorKind::Range, self.base + start as u64).seen("too many nanoseconds"))?)
            }
            other => return Err(wrong(ErrorKind::Syntax).seen(format!("the byte {other} in a row"))),
        })
    }

    /// Steps over a value, or over the rest of `depth` containers.
    fn skip(&mut self, budget: &mut Budget, mut depth: usize) -> Result<()> {
        loop {
            let start = self.at;
            match self.take::<1>()?[0] {
                CLOSE if depth > 0 => depth -= 1,
                FIELD if depth > 0 => {
                    self.long()?;
                    continue;
                }
                kind @ LIST..=TAGGED => {
                    self.open(kind)?;
                    depth += 1;
                }
                kind => drop(self.scalar(kind, start)?),
            }
            budget.item(self.base + start as u64)?;
            if depth == 0 {
                return Ok(());
            }
        }
    }
}

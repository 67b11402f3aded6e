//! Events to MessagePack bytes, each value in the fewest bytes that hold it. Integers that came
//! from MessagePack in a longer head keep it.

use polywire_core::bytes::{Mark, OutBuf, Room};
use polywire_core::value::{ROUNDED, Tree, nearest_f64};
use polywire_core::{
    Error, ErrorKind, Fault, Field, Len, Losses, Lost, Needs, Next, Note, Open, Part, PartKind, Result, Scalar, Sink, Span, Writer,
};

use super::plain;
use super::wire::{self, FALSE, FLOAT32, FLOAT64, Head, NAME, NIL, TIMESTAMP, TRUE};
use crate::counted::{Counted, Fill, Kind, Levels};

/// Writes MessagePack.
#[derive(Debug, Default)]
pub struct MsgpackWriter {
    out: OutBuf,
    /// A message that came as a whole tree.
    room: Room,
    levels: Levels,
    /// Type of an extension whose bytes come next.
    extension: Option<u8>,
    part: Option<Pieces>,
    losses: Losses,
}

/// A text or binary value that comes in parts.
#[derive(Debug, Clone, Copy)]
struct Pieces {
    mark: Mark,
    /// Start of its bytes among those of the buffer, without gaps.
    start: usize,
    extension: Option<u8>,
}

impl MsgpackWriter {
    /// Counts a key or value of the innermost container.
    #[inline]
    fn value(&mut self, at: Span) {
        self.levels.value();
        if self.extension.is_some() {
            self.extension_dropped(at);
        }
    }

    #[cold]
    fn extension_dropped(&mut self, at: Span) {
        self.extension = None;
        self.losses.value("extension type dropped: its contents are not bytes", at);
    }

    #[inline]
    fn text(&mut self, text: &[u8]) -> Result<()> {
        match text.len() as u8 {
            short @ ..=31 if text.len() < 32 => self.out.put_short([wire::FIXSTR | short], text),
            short if text.len() < 256 => self.out.put_short([wire::STR8, short], text),
            _ => {
                Head::text(length(text.len())?).put(&mut self.out);
                self.out.put(text);
            }
        }
        Ok(())
    }

    fn push(&mut self, kind: Kind, len: Len) -> Result<()> {
        let counted = match len {
            Len::Claimed(count) => {
                let head = if kind == Kind::Map { Head::map(entries(count)?) } else { Head::list(entries(count)?) };
                head.put(&mut self.out);
                Counted::Written(count)
            }
            Len::Unknown => Counted::Gap(self.out.open()),
        };
        self.levels.open(kind, counted);
        Ok(())
    }

    fn octets(&mut self, bytes: &[u8], at: Span) {
        // Readers take a UTF-8 string for text.
        if std::str::from_utf8(bytes).is_ok() {
            self.losses.value("octets became text", at);
        }
    }

    fn extension(&mut self, kind: u8, len: usize, at: Span) -> Result<Head> {
        if kind == TIMESTAMP && matches!(len, 4 | 8 | 12) {
            self.losses.value("extension of type -1 became a timestamp", at);
        }
        Ok(Head::ext(kind, length(len)?))
    }

    /// Writes a scalar of any kind.
    fn other(&mut self, value: Scalar<'_, '_>, at: Span) -> Result<()> {
        let extension = self.extension;
        if let (Some(kind), Scalar::Bytes(bytes)) = (extension, value) {
            self.extension = None;
            self.value(at);
            let head = self.extension(kind, bytes.get().len(), at)?;
            head.put(&mut self.out);
            self.out.put(bytes.get());
            return Ok(());
        }
        self.value(at);
        match value {
            Scalar::Null => self.out.byte(NIL),
            Scalar::Bool(value) => self.out.byte(if value { TRUE } else { FALSE }),
            Scalar::Int(value, hint) => match hint.wire(NAME) {
                None => wire::put_int(&mut self.out, value),
                Some(bytes) => self.out.put(bytes),
            },
            Scalar::UInt(value, hint) => match hint.wire(NAME) {
                None => wire::put_uint(&mut self.out, value),
                Some(bytes) => self.out.put(bytes),
            },
            Scalar::F32(value, _) => self.out.tagged(FLOAT32, value.to_be_bytes()),
            Scalar::F64(value, _) => self.out.tagged(FLOAT64, value.to_be_bytes()),
            Scalar::Big(digits, _) => {
                self.losses.value("big integer became text", at);
                self.text(digits.get().as_bytes())?;
            }
            Scalar::Decimal(digits, hint) => match nearest_f64(digits.get(), hint) {
                Some(value) => {
                    self.losses.rounded(ROUNDED, at);
                    self.out.tagged(FLOAT64, value.to_be_bytes());
                }
                None => {
                    self.losses.value("decimal became text", at);
                    self.text(digits.get().as_bytes())?;
                }
            },
            Scalar::Text(text) => self.text(text.get().as_bytes())?,
            Scalar::Bytes(bytes) => {
                Head::bytes(length(bytes.get().len())?).put(&mut self.out);
                self.out.put(bytes.get());
            }
            Scalar::Octets(bytes) => {
                self.octets(bytes.get(), at);
                self.text(bytes.get())?;
            }
            Scalar::Time(moment) => wire::put_timestamp(&mut self.out, moment),
            other => return Err(Error::unknown_event(other.kind())),
        }
        Ok(())
    }
}

fn length(len: usize) -> Result<u32> {
    u32::try_from(len).map_err(|_| too_large(format!("a text or binary value of {len} bytes")))
}

fn entries(count: u64) -> Result<u32> {
    u32::try_from(count).map_err(|_| too_large(format!("a container of {count} entries")))
}

#[cold]
fn too_large(seen: String) -> Error {
    Error::new(ErrorKind::Unsupported, Fault::Data).seen(seen).expected("at most 4294967295").format_is(NAME)
}

impl<'m> Sink<'m> for MsgpackWriter {
    /// Asks for repeated fields as a list, since a map has each key once.
    fn needs(&self) -> Needs {
        Needs::GROUPED
    }

    fn open(&mut self, open: Open<'_>, at: Span) -> Result<Next> {
        self.value(at);
        match open {
            Open::List(len) => self.push(Kind::List, len)?,
            Open::Map(len) => self.push(Kind::Map, len)?,
            Open::Tuple(len) => {
                self.losses.value("tuple became list", at);
                self.push(Kind::List, len)?;
            }
            Open::Record { name, len } => {
                if !name.is_empty() {
                    self.losses.value("record name dropped", at);
                }
                self.push(Kind::Map, len)?;
            }
            Open::Variant { name, index } => {
                self.losses.value("variant became a map of its name", at);
                Head::map(1).put(&mut self.out);
                if name.is_empty() {
                    wire::put_uint(&mut self.out, u64::from(index));
                } else {
                    self.text(name.as_bytes())?;
                }
                self.push(Kind::Variant, Len::Unknown)?;
            }
            Open::Tagged { space, code } => {
                self.levels.open(Kind::Tagged, Counted::Written(1));
                match u8::try_from(code) {
                    Ok(code) if space == NAME => self.extension = Some(code),
                    _ => self.losses.value("tag dropped", at),
                }
            }
            other => return Err(Error::unknown_event(other.kind())),
        }
        Ok(Next::Enter)
    }

    #[inline]
    fn field(&mut self, field: Field<'m, '_>, at: Span) -> Result<Next> {
        self.value(at);
        self.text(field.name.get().as_bytes())?;
        Ok(Next::Enter)
    }

    // The common kinds come first, and the rest in a function of its own.
    #[inline(always)]
    fn scalar(&mut self, value: Scalar<'m, '_>, at: Span) -> Result<()> {
        match value {
            Scalar::Text(text) => {
                self.value(at);
                self.text(text.get().as_bytes())?;
            }
            Scalar::UInt(value, hint) if hint.spelling().is_none() => {
                self.value(at);
                wire::put_uint(&mut self.out, value);
            }
            Scalar::F64(value, _) => {
                self.value(at);
                self.out.tagged(FLOAT64, value.to_be_bytes());
            }
            Scalar::Bool(value) => {
                self.value(at);
                self.out.byte(if value { TRUE } else { FALSE });
            }
            other => return self.other(other, at),
        }
        Ok(())
    }

    fn part(&mut self, part: Part<'_>, at: Span) -> Result<()> {
        let pieces = match self.part {
            Some(pieces) => pieces,
            None => {
                let extension = if part.kind == PartKind::Bytes { self.extension.take() } else { None };
                self.value(at);
                let mark = self.out.open();
                Pieces { mark, start: self.out.bytes_mut().len(), extension }
            }
        };
        self.out.put(part.bytes);
        self.part = (!part.last).then_some(pieces);
        if part.last {
            let len = self.out.since(pieces.mark);
            let head = match (part.kind, pieces.extension) {
                (PartKind::Bytes, Some(kind)) => self.extension(kind, len, at)?,
                (PartKind::Bytes, None) => Head::bytes(length(len)?),
                (PartKind::Text, _) => Head::text(length(len)?),
                (PartKind::Octets, _) => {
                    let text = std::str::from_utf8(&self.out.bytes_mut()[pieces.start..]).is_ok();
                    if text {
                        self.losses.value("octets became text", at);
                    }
                    Head::text(length(len)?)
                }
            };
            self.out.close(pieces.mark, head.as_bytes());
        }
        Ok(())
    }

    #[inline]
    fn close(&mut self, _at: Span) -> Result<()> {
        match self.levels.close().map_err(|error| error.format_is(NAME))? {
            Some(Fill::Map(mark, pairs)) => self.out.close(mark, Head::map(entries(pairs)?).as_bytes()),
            Some(Fill::List(mark, values)) => self.out.close(mark, Head::list(entries(values)?).as_bytes()),
            Some(Fill::Null(mark)) => self.out.close(mark, &[NIL]),
            Some(Fill::Break) | None => {}
        }
        Ok(())
    }

    fn note(&mut self, note: Note<'_>, at: Span) -> Result<()> {
        self.losses.note(note, at);
        Ok(())
    }
}

impl Writer for MsgpackWriter {
    fn tree(&mut self, tree: &Tree<'_>) -> Result<()> {
        if self.levels.are_untouched() && self.room.is_empty() && self.room.fill(|place| plain::write(tree, place)) {
            return Ok(());
        }
        tree.emit_into(self)
    }

    fn finish(&mut self, out: &mut Vec<u8>) -> Result<()> {
        if self.part.is_some() {
            return Err(Error::internal("the end of a message within a value in parts").format_is(NAME));
        }
        if !self.room.is_empty() {
            if !self.levels.are_untouched() {
                return Err(Error::internal("two messages in one").format_is(NAME));
            }
            self.room.finish(out);
            return Ok(());
        }
        self.levels.finish().map_err(|error| error.format_is(NAME))?;
        self.out.finish(out);
        Ok(())
    }

    fn reset(&mut self) {
        self.out.clear();
        self.room.clear();
        self.levels.clear();
        self.extension = None;
        self.part = None;
        self.losses.clear();
    }

    fn losses(&mut self) -> Vec<Lost> {
        self.losses.take()
    }
}

//! Events to CBOR bytes: preferred serialisation, RFC 8949, section 4.1. Numbers and moments that
//! came from CBOR in another form keep it.

use num_bigint::BigUint;
use polywire_core::bytes::{OutBuf, Room};
use polywire_core::value::{ROUNDED, Tree, binary64, nearest_f64};
use polywire_core::{
    Error, Field, Hint, Len, Limits, Losses, Lost, Needs, Next, Note, Open, Part, PartKind, Result, Scalar, Sink, Span, Timestamp, Writer,
};

use super::plain;
use super::wire::{
    self, BREAK, BYTES, FALSE, FLOAT16, FLOAT32, FLOAT64, INDEFINITE, LIST, MAP, NAME, NEGATIVE, NULL, SIMPLE, SIMPLE_OR_FLOAT, Shortest,
    TAG,
};
use super::wire::{TAG_BIG, TAG_BIG_NEGATIVE, TAG_DATE_TEXT, TAG_DECIMAL, TAG_EPOCH, TEXT, TRUE, UINT};
use crate::counted::{Counted, Fill, Kind, Levels};
use crate::decimal::{self, Parts};

/// Writes CBOR.
#[derive(Debug, Default)]
pub struct CborWriter {
    out: OutBuf,
    /// A message that came as a whole tree.
    room: Room,
    levels: Levels,
    /// A simple value whose null comes next.
    simple: Option<u8>,
    in_part: bool,
    /// True if the next container keeps its indefinite length.
    indefinite: bool,
    losses: Losses,
}

impl CborWriter {
    /// Counts a key or value of the innermost container.
    #[inline]
    fn value(&mut self, at: Span) {
        self.levels.value();
        if self.simple.is_some() {
            self.simple_dropped(at);
        }
    }

    #[cold]
    fn simple_dropped(&mut self, at: Span) {
        self.simple = None;
        self.losses.value("simple value dropped: it holds more than null", at);
    }

    #[inline]
    fn string(&mut self, major: u8, bytes: &[u8]) {
        match bytes.len() as u8 {
            short @ ..=23 if bytes.len() < 24 => self.out.put_short([major << 5 | short], bytes),
            _ => {
                wire::put_head(&mut self.out, major, bytes.len() as u64);
                self.out.put_short([], bytes);
            }
        }
    }

    fn push(&mut self, kind: Kind, len: Len) {
        let counted = match len {
            Len::Unknown if std::mem::take(&mut self.indefinite) => {
                self.out.byte(if kind == Kind::Map { MAP } else { LIST } << 5 | INDEFINITE);
                Counted::Endless
            }
            Len::Claimed(count) => {
                wire::put_head(&mut self.out, if kind == Kind::Map { MAP } else { LIST }, count);
                Counted::Written(count)
            }
            Len::Unknown => Counted::Gap(self.out.open()),
        };
        self.levels.open(kind, counted);
    }

    /// Writes a whole number in the smallest form: basic, or a bignum. Returns false if it has too
    /// many digits, or is no number.
    fn integer(&mut self, negative: bool, digits: &str) -> bool {
        if digits.len() > Limits::DEFAULT.digits as usize {
            return false;
        }
        let Some(mut magnitude) = BigUint::parse_bytes(digits.as_bytes(), 10) else { return false };
        if negative {
            // Both forms count below zero as -1 - n.
            match magnitude.bits() {
                0 => return false,
                _ => magnitude -= 1u32,
            }
        }
        match u64::try_from(&magnitude) {
            Ok(small) => wire::put_head(&mut self.out, if negative { NEGATIVE } else { UINT }, small),
            Err(_) => {
                wire::put_head(&mut self.out, TAG, if negative { TAG_BIG_NEGATIVE } else { TAG_BIG });
                self.string(BYTES, &magnitude.to_bytes_be());
            }
        }
        true
    }

    fn big(&mut self, digits: &str, at: Span) {
        let (negative, magnitude) = digits.strip_prefix('-').map_or((false, digits), |rest| (true, rest));
        if !self.integer(negative, magnitude) {
            self.losses.value("big integer of more than 4096 digits became text", at);
            self.string(TEXT, digits.as_bytes());
        }
    }

    /// Writes a decimal number. One that no decimal fraction holds is rounded, unless its type is
    /// decimal.
    fn decimal(&mut self, text: &str, hint: Hint<'_>, at: Span) {
        if let Some(parts) = decimal::parse(text).filter(fits) {
            return self.fraction(&parts);
        }
        let exact = binary64(text);
        match exact.or_else(|| nearest_f64(text, hint)) {
            Some(value) => {
                if exact.is_none() {
                    self.losses.rounded(ROUNDED, at);
                }
                self.out.tagged(FLOAT64, value.to_be_bytes());
            }
            None => {
                self.losses.value("decimal beyond 4096 digits or a 64-bit exponent became text", at);
                self.string(TEXT, text.as_bytes());
            }
        }
    }

    /// Writes a decimal fraction: RFC 8949, section 3.4.4.
    fn fraction(&mut self, parts: &Parts) {
        wire::put_head(&mut self.out, TAG, TAG_DECIMAL);
        wire::put_head(&mut self.out, LIST, 2);
        self.int(parts.exponent);
        self.integer(parts.negative, &parts.digits);
    }

    #[inline]
    fn int(&mut self, value: i64) {
        if value < 0 {
            wire::put_head(&mut self.out, NEGATIVE, !value as u64);
        } else {
            wire::put_head(&mut self.out, UINT, value as u64);
        }
    }

    fn time(&mut self, moment: Timestamp, at: Span) {
        let text = if moment.nanos() == 0 && !moment.is_text() { None } else { moment.to_rfc3339() };
        match text {
            Some(text) => {
                wire::put_head(&mut self.out, TAG, TAG_DATE_TEXT);
                self.string(TEXT, text.as_bytes());
            }
            None => {
                if moment.nanos() != 0 {
                    self.losses.value("decimals of a second dropped from a timestamp outside the years 0 to 9999", at);
                }
                wire::put_head(&mut self.out, TAG, TAG_EPOCH);
                self.int(moment.seconds());
            }
        }
    }

    /// Writes a scalar of any kind.
    fn other(&mut self, value: Scalar<'_, '_>, at: Span) -> Result<()> {
        if let (Some(code), Scalar::Null) = (self.simple, value) {
            self.simple = None;
            self.value(at);
            wire::put_head(&mut self.out, SIMPLE_OR_FLOAT, u64::from(code));
            return Ok(());
        }
        self.value(at);
        match value {
            Scalar::Null => self.out.byte(NULL),
            Scalar::Bool(value) => self.out.byte(if value { TRUE } else { FALSE }),
            Scalar::UInt(_, hint) | Scalar::Int(_, hint) | Scalar::F64(_, hint) | Scalar::Big(_, hint)
                if hint.exponent().is_some()
                    && let Some(parts) = decimal::typed(hint).filter(fits) =>
            {
                self.fraction(&parts);
            }
            Scalar::Int(value @ ..=-1, hint) => wire::put_integer(&mut self.out, NEGATIVE, !value as u64, hint),
            Scalar::Int(value, hint) => wire::put_integer(&mut self.out, UINT, value as u64, hint),
            Scalar::UInt(value, hint) => wire::put_integer(&mut self.out, UINT, value, hint),
            Scalar::F32(value, hint)
                if hint.width() == Some(16)
                    && let Some(half) = wire::to_half(value) =>
            {
                self.out.tagged(FLOAT16, half.to_be_bytes());
            }
            Scalar::F32(value, _) => self.out.tagged(FLOAT32, value.to_be_bytes()),
            Scalar::F64(value, _) => self.out.tagged(FLOAT64, value.to_be_bytes()),
            Scalar::Big(digits, _) => self.big(digits.get(), at),
            Scalar::Decimal(text, hint) => self.decimal(text.get(), hint, at),
            Scalar::Text(text) => self.string(TEXT, text.get().as_bytes()),
            Scalar::Bytes(bytes) => self.string(BYTES, bytes.get()),
            Scalar::Octets(bytes) => {
                self.losses.value("octets became bytes", at);
                self.string(BYTES, bytes.get());
            }
            Scalar::Time(moment) => self.time(moment, at),
            other => return Err(Error::unknown_event(other.kind())),
        }
        Ok(())
    }
}

/// Returns whether a decimal fraction can hold the number: a negative zero is none.
fn fits(parts: &Parts) -> bool {
    parts.digits.len() <= Limits::DEFAULT.digits as usize && !(parts.negative && parts.digits == "0")
}

impl<'m> Sink<'m> for CborWriter {
    /// Asks for repeated fields as a list, since a map has each key once.
    fn needs(&self) -> Needs {
        Needs::GROUPED
    }

    fn open(&mut self, open: Open<'_>, at: Span) -> Result<Next> {
        self.value(at);
        match open {
            Open::List(len) => self.push(Kind::List, len),
            Open::Map(len) => self.push(Kind::Map, len),
            Open::Tuple(len) => {
                self.losses.value("tuple became list", at);
                self.push(Kind::List, len);
            }
            Open::Record { name, len } => {
                if !name.is_empty() {
                    self.losses.value("record name dropped", at);
                }
                self.push(Kind::Map, len);
            }
            Open::Variant { name, index } => {
                self.losses.value("variant became a map of its name", at);
                wire::put_head(&mut self.out, MAP, 1);
                if name.is_empty() {
                    wire::put_head(&mut self.out, UINT, u64::from(index));
                } else {
                    self.string(TEXT, name.as_bytes());
                }
                self.push(Kind::Variant, Len::Unknown);
            }
            Open::Tagged { space, code } => {
                self.levels.open(Kind::Tagged, Counted::Written(1));
                match (space, u8::try_from(code)) {
                    (NAME, _) => wire::put_head(&mut self.out, TAG, code),
                    // Simple values that are possible, and are no kind of the model: RFC 8949,
                    // section 3.3.
                    (SIMPLE, Ok(code @ (0..=19 | 23 | 32..))) => self.simple = Some(code),
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
        self.string(TEXT, field.name.get().as_bytes());
        Ok(Next::Enter)
    }

    // The common kinds come first, and the rest in a function of its own.
    #[inline(always)]
    fn scalar(&mut self, value: Scalar<'m, '_>, at: Span) -> Result<()> {
        match value {
            Scalar::Text(text) => {
                self.value(at);
                self.string(TEXT, text.get().as_bytes());
            }
            Scalar::UInt(value, hint) if hint.spelling().is_none() => {
                self.value(at);
                wire::put_head(&mut self.out, UINT, value);
            }
            Scalar::F64(value, hint) if hint.spelling().is_none() => {
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
        let major = if part.kind == PartKind::Text { TEXT } else { BYTES };
        let first = !std::mem::replace(&mut self.in_part, !part.last);
        if first {
            self.value(at);
            if part.kind == PartKind::Octets {
                self.losses.value("octets became bytes", at);
            }
            if part.last {
                self.string(major, part.bytes);
                return Ok(());
            }
            self.out.byte(major << 5 | INDEFINITE);
        }
        if !(part.last && part.bytes.is_empty()) {
            self.string(major, part.bytes);
        }
        if part.last {
            self.out.byte(BREAK);
        }
        Ok(())
    }

    #[inline]
    fn close(&mut self, _at: Span) -> Result<()> {
        match self.levels.close().map_err(|error| error.format_is(NAME))? {
            Some(Fill::Map(mark, pairs)) => self.out.close(mark, Shortest::new(MAP, pairs).as_bytes()),
            Some(Fill::List(mark, values)) => self.out.close(mark, Shortest::new(LIST, values).as_bytes()),
            Some(Fill::Null(mark)) => self.out.close(mark, &[NULL]),
            Some(Fill::Break) => self.out.byte(BREAK),
            None => {}
        }
        Ok(())
    }

    fn note(&mut self, note: Note<'_>, at: Span) -> Result<()> {
        self.indefinite = note == Note::Coerced(wire::INDEFINITE_NOTE);
        self.losses.note(note, at);
        Ok(())
    }
}

impl Writer for CborWriter {
    fn tree(&mut self, tree: &Tree<'_>) -> Result<()> {
        if self.levels.are_untouched() && self.room.is_empty() && self.room.fill(|place| plain::write(tree, place)) {
            return Ok(());
        }
        tree.emit_into(self)
    }

    fn finish(&mut self, out: &mut Vec<u8>) -> Result<()> {
        if self.in_part {
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
        self.simple = None;
        self.in_part = false;
        self.indefinite = false;
        self.losses.clear();
    }

    fn losses(&mut self) -> Vec<Lost> {
        self.losses.take()
    }
}

//! Messages to events (X.691).

use std::sync::Arc;

use polywire_core::{
    Budget, Error, ErrorKind, Field as Name, Frame as Found, Len, Next, Note, Open, Reader, Result, Scalar, Sink, Span, Str,
};
use smol_str::SmolStr;

use super::bits::Bits;
use super::layout::{Characters, Code, Extra, Field, Form, Layout, Letters, Part, Size};
use crate::model::{Kind, Range, StringKind, TypeId};
use crate::walk::keys::Keys;
use crate::walk::plan::TagKey;
use crate::walk::{LENGTH, VALUE, octets, raise};

/// Reader of messages of one type, in PER.
#[derive(Debug)]
pub struct PerReader {
    layout: Arc<Layout>,
    frames: Vec<Frame>,
    keys: Keys,
    text: String,
    bytes: Vec<u8>,
    /// True if spans count bits.
    bits: bool,
    /// True if values outside of constraints are read.
    lenient: bool,
}

impl PerReader {
    /// Returns a reader of a layout.
    pub(crate) fn new(layout: Arc<Layout>, lenient: bool) -> PerReader {
        let (frames, text, bytes) = (Vec::new(), String::new(), Vec::new());
        PerReader { layout, frames, keys: Keys::default(), text, bytes, bits: false, lenient }
    }
}

impl Reader for PerReader {
    fn frame(&mut self, buf: &[u8], _: u64, eof: bool) -> Result<Found> {
        Ok(super::whole(buf, eof))
    }

    fn walk<'m>(&mut self, msg: &'m [u8], base: u64, sink: &mut dyn Sink<'m>, budget: &mut Budget) -> Result<()> {
        self.frames.clear();
        self.keys.clear();
        let mut walk = Walk {
            layout: &self.layout,
            bits: Bits::new(msg, base),
            message: Some(msg),
            base,
            sink,
            budget,
            frames: &mut self.frames,
            keys: &mut self.keys,
            text: &mut self.text,
            bytes: &mut self.bytes,
            place: if self.bits { Place::Bits } else { Place::Bytes },
            lenient: self.lenient,
            nested: 0,
            muted: 0,
            skipped: false,
            stopped: false,
        };
        walk.run(Inside::Type(self.layout.plan.root())).map_err(|error| error.format_is(self.layout.name))
    }

    fn count_bits(&mut self, bits: bool) -> bool {
        // Values of OER begin at bytes.
        self.bits = bits && !self.layout.octets;
        !self.layout.octets
    }

    fn has_unique_keys(&self) -> bool {
        true
    }

    fn groups_fields(&self) -> bool {
        true
    }
}

/// Form of the spans.
#[derive(Debug, Clone, Copy)]
enum Place {
    Bytes,
    Bits,
    /// All have this one: the bytes are not in the message as they are.
    Fixed(Span),
}

/// Place in a value that is under way.
#[derive(Debug, Clone, Copy)]
enum Frame {
    /// Components behind a preamble.
    Part {
        structure: u32,
        /// Extension addition whose components these are; `ROOT` for the root.
        extra: u32,
        next: u32,
        /// Position of the preamble.
        preamble: u64,
        /// True if extension additions follow.
        extended: bool,
    },
    Additions {
        structure: u32,
        next: u32,
        count: u32,
        /// Position of the bits that say which are there.
        bitmap: u64,
    },
    List {
        element: TypeId,
        left: u64,
        /// True if another fragment follows.
        more: bool,
        /// Start of the element before.
        last: u64,
        /// Start of the one before that.
        before: u64,
        /// True if the elements must ascend.
        sorted: bool,
    },
    /// A component that is not to be its default: its structure, addition and index, and its start.
    Checked { structure: u32, extra: u32, step: u32, start: u64 },
    /// Alternative of a choice.
    Variant,
    /// A component that chooses rows of tables.
    Key,
    /// Contents of an open type, an octet string or a bit string. It begins at `start`; the value
    /// around ends at `end`.
    Window { start: u64, end: u64 },
}

const ROOT: u32 = u32::MAX;

/// Most contents in several fragments within each other.
const NESTED: u32 = 16;

/// Bytes for which an element without bits counts.
const EMPTY_ELEMENT: u64 = 16;

/// Contents of an encoding.
#[derive(Debug, Clone, Copy)]
enum Inside {
    Type(TypeId),
    /// Components of `[[ ]]`.
    Group {
        structure: u32,
        extra: u32,
        optionals: u32,
    },
}

/// Place of octets.
#[derive(Debug, Clone, Copy)]
enum Raw {
    /// Range of the bytes that are read.
    There(usize, usize),
    /// In `bytes`.
    Copied,
}

struct Walk<'w, 'x, 'm> {
    layout: &'w Layout,
    bits: Bits<'x>,
    /// The bytes that are read, if they are those of the message.
    message: Option<&'m [u8]>,
    base: u64,
    sink: &'w mut dyn Sink<'m>,
    budget: &'w mut Budget,
    frames: &'w mut Vec<Frame>,
    keys: &'w mut Keys,
    text: &'w mut String,
    bytes: &'w mut Vec<u8>,
    place: Place,
    lenient: bool,
    nested: u32,
    /// Number of open containers that the sink does not see.
    muted: u32,
    /// True if the sink does not see the next value.
    skipped: bool,
    stopped: bool,
}

impl<'x, 'm> Walk<'_, 'x, 'm> {
    fn run(&mut self, inside: Inside) -> Result<()> {
        match inside {
            Inside::Type(root) => self.value(root)?,
            Inside::Group { structure, extra, optionals } => {
                let preamble = self.bits.at();
                self.bits.skip(u64::from(optionals))?;
                self.pad()?;
                self.frames.push(Frame::Part { structure, extra, next: 0, preamble, extended: false });
            }
        }
        while let Some(frame) = self.frames.pop() {
            if self.stopped {
                return Ok(());
            }
            self.step(frame)?;
        }
        if self.stopped {
            return Ok(());
        }
        self.ends(self.bits.end(), self.bits.at() == 0)
    }

    /// Checks the bits from the end of a complete encoding up to `end` (X.691 11.1 and 11.2).
    fn ends(&mut self, end: u64, empty: bool) -> Result<()> {
        let at = self.bits.at();
        let left = end - at;
        // OER leaves an empty encoding empty; others have been seen to write an octet.
        let empty = empty && !self.layout.canonical;
        if left >= 8 && !(empty && left == 8) {
            let error = self.bits.error(ErrorKind::Trailing, at).seen(format!("{left} bits behind the value"));
            return Err(error.expected("the end of the encoding, with less than eight bits of padding"));
        }
        if self.bits.take(left as u32)? != 0 {
            return Err(self.bits.error(ErrorKind::Syntax, at).seen("padding that is not 0").expected("zeros (X.691 11.1)"));
        }
        if left > 0 && matches!(self.place, Place::Bits) {
            self.remark("padding", at)?;
        }
        Ok(())
    }

    #[inline]
    fn span(&self, start: u64, end: u64) -> Span {
        match self.place {
            Place::Bytes => Span::new(self.base + (start >> 3), self.base + if start == end { start >> 3 } else { (end + 7) >> 3 }),
            Place::Bits => Span::new(self.base * 8 + start, self.base * 8 + end),
            Place::Fixed(span) => span,
        }
    }

    /// Offset of a byte for errors.
    fn offset(&self, at: u64) -> u64 {
        match self.place {
            Place::Fixed(span) => span.start,
            _ => self.base + (at >> 3),
        }
    }

    // Events. A sink that skips a value sees none of it.

    #[inline]
    fn open(&mut self, open: Open<'_>, start: u64) -> Result<()> {
        if self.muted > 0 {
            self.muted += 1;
            return Ok(());
        }
        if self.skipped {
            (self.skipped, self.muted) = (false, 1);
            return Ok(());
        }
        match self.sink.open(open, self.span(start, self.bits.at()))? {
            Next::Enter => {}
            Next::Skip => self.muted = 1,
            Next::Stop => self.stopped = true,
        }
        Ok(())
    }

    #[inline]
    fn close(&mut self) -> Result<()> {
        if self.muted > 0 {
            self.muted -= 1;
            return Ok(());
        }
        let at = self.bits.at();
        let mut span = self.span(at, at);
        span.end = span.start;
        self.sink.close(span)
    }

    #[inline]
    fn scalar(&mut self, scalar: Scalar<'m, '_>, start: u64) -> Result<()> {
        if self.is_heard() { self.sink.scalar(scalar, self.span(start, self.bits.at())) } else { Ok(()) }
    }

    /// Returns whether the sink sees the scalar that comes now.
    #[inline]
    fn is_heard(&mut self) -> bool {
        let skipped = self.muted == 0 && std::mem::take(&mut self.skipped);
        self.muted == 0 && !skipped && !self.stopped
    }

    #[inline]
    fn named(&mut self, structure: u32, component: u32) -> Result<()> {
        if self.muted > 0 {
            return Ok(());
        }
        let known = &self.layout.plan.structure(structure).components[component as usize];
        let at = self.bits.at();
        let field = Name { slot: Some(component), ..Name::named(Str::Scratch(&known.name)) };
        let mut span = self.span(at, at);
        span.end = span.start;
        match self.sink.field(field, span)? {
            Next::Enter => {}
            Next::Skip => self.skipped = true,
            Next::Stop => self.stopped = true,
        }
        Ok(())
    }

    /// Emits a remark on the bits from `start` on, for sinks that count bits.
    #[cold]
    fn remark(&mut self, what: &str, start: u64) -> Result<()> {
        if self.muted > 0 || self.skipped || self.stopped {
            return Ok(());
        }
        self.sink.note(Note::Frame(what), self.span(start, self.bits.at()))
    }

    // Parts of encodings.

    #[inline]
    fn align(&mut self) -> Result<()> {
        if !self.layout.aligned {
            return Ok(());
        }
        self.skip_zeros("padding that is not 0", "zeros up to the next byte (X.691 11.2.6)")
    }

    /// Steps over zeros up to the next octet.
    #[inline]
    fn skip_zeros(&mut self, seen: &'static str, expected: &'static str) -> Result<()> {
        let at = self.bits.at();
        let padding = (at.wrapping_neg() & 7) as u32;
        if self.bits.take(padding)? != 0 {
            return Err(self.bits.error(ErrorKind::Syntax, at).seen(seen).expected(expected));
        }
        Ok(())
    }

    #[inline]
    fn field(&mut self, field: Field) -> Result<u64> {
        if field.align {
            self.align()?;
        }
        self.bits.take(field.bits.min(64))
    }

    /// Reads a length without bounds, and whether it is that of a fragment (X.691 11.9.3.5 to 8).
    #[inline]
    fn length(&mut self) -> Result<(u64, bool)> {
        if self.layout.octets {
            return self.octet_length().map(|length| (length, false));
        }
        self.align()?;
        let at = self.bits.at();
        let first = self.bits.take(8)?;
        Ok(match first {
            0..0x80 => (first, false),
            0x80..=0xbf => ((first & 0x3f) << 8 | self.bits.take(8)?, false),
            0xc1..=0xc4 => ((first & 7) << 14, true),
            _ => {
                let seen = format!("a fragment of {} times 16K", first & 0x3f);
                return Err(self.bits.error(ErrorKind::Syntax, at).seen(seen).expected("1 to 4 (X.691 11.9.3.8)"));
            }
        })
    }

    /// Reads a length of OER (X.696 8.6).
    #[inline]
    fn octet_length(&mut self) -> Result<u64> {
        let at = self.bits.at();
        let first = self.bits.take(8)?;
        if first < 0x80 {
            return Ok(first);
        }
        let octets = (first & 0x7f) as u32;
        if octets == 0 || octets > 8 {
            let error = self.bits.error(ErrorKind::Limit, at).seen(format!("a length of {octets} octets"));
            return Err(error.expected("1 to 8 octets"));
        }
        let length = self.bits.take(octets * 8)?;
        if length < 0x80 || length >> ((octets - 1) * 8) == 0 {
            self.not_canonical(at, "a length that is longer than it needs to be", "the shortest form (X.696 8.6.5)")?;
        }
        Ok(length)
    }

    /// Returns an error if the reader takes canonical messages only.
    fn not_canonical(&self, at: u64, seen: &'static str, expected: &'static str) -> Result<()> {
        if !self.layout.canonical {
            return Ok(());
        }
        Err(self.bits.error(ErrorKind::Syntax, at).seen(seen).expected(expected).hint("asn1-oer reads what is not canonical"))
    }

    /// Reads a number of elements in OER (X.696 17).
    fn quantity(&mut self) -> Result<u64> {
        let at = self.bits.at();
        let octets = self.octet_length()?;
        if octets == 0 || octets > 8 {
            return Err(self.bits.error(ErrorKind::Limit, at).seen(format!("a count of {octets} octets")).expected("1 to 8 octets"));
        }
        let count = self.bits.take(octets as u32 * 8)?;
        if octets > 1 && count >> ((octets - 1) * 8) == 0 {
            self.not_canonical(at, "a count that is longer than it needs to be", "the shortest form (X.696 17.2)")?;
        }
        Ok(count)
    }

    /// Steps over the zeros behind bits that are not as many as whole octets have (X.696 16.2).
    fn pad(&mut self) -> Result<()> {
        if !self.layout.octets {
            return Ok(());
        }
        self.skip_zeros("unused bits that are not 0", "zeros (X.696 16.2.4)")
    }

    /// Reads the length of a string or list: its size, and whether it is that of a fragment.
    #[inline]
    fn sized(&mut self, size: &Size) -> Result<(u64, bool)> {
        match size.high {
            Some(high) => {
                let at = self.bits.at();
                let length = if high == size.low { high } else { size.low + self.field(size.field)? };
                if length > high {
                    return Err(self.outside(at, format!("a size of {length}"), format!("{} to {high}", size.low)));
                }
                Ok((length, false))
            }
            None => self.length(),
        }
    }

    #[cold]
    fn outside(&self, at: u64, seen: String, expected: String) -> Error {
        let error = self.bits.error(ErrorKind::Range, at).seen(seen).expected(expected);
        error.hint("the schema's constraint forbids it: the sender may have another version of the schema")
    }

    /// Checks the size of a root value against a constraint that its length does not enforce.
    fn check_size(&self, at: u64, count: u64, size: &Size) -> Result<()> {
        if self.lenient || size.contains(count) {
            return Ok(());
        }
        let most = size.most.map_or_else(|| "more".to_string(), |most| most.to_string());
        Err(self.outside(at, format!("a size of {count}"), format!("{} to {most}", size.low)))
    }

    /// Reads a small number, most often less than 64 (X.691 11.6).
    fn small(&mut self) -> Result<u64> {
        if !self.bits.flag()? {
            return self.bits.take(6);
        }
        let at = self.bits.at();
        let (octets, more) = self.length()?;
        if more || octets > 8 {
            return Err(self.bits.error(ErrorKind::Limit, at).seen("a number of more than 64 bits").expected("the index of an extension"));
        }
        self.bits.take(octets as u32 * 8)
    }

    /// Reads octets behind a length of their number, in one piece.
    fn gather(&mut self, size: &Size) -> Result<Raw> {
        let at = self.bits.at();
        let (length, mut more) = self.sized(size)?;
        let align = length > 0 && (size.fixed().is_none_or(|fixed| fixed > 2));
        if align {
            self.align()?;
        }
        if !more {
            if size.high.is_none() {
                self.check_size(at, length, size)?;
            }
            return self.take_octets(length);
        }
        self.bytes.clear();
        let mut length = length;
        loop {
            self.budget.decode(length, self.offset(at))?;
            self.bits.copy(length * 8, self.bytes)?;
            if !more {
                break;
            }
            (length, more) = self.length()?;
        }
        self.check_size(at, self.bytes.len() as u64, size)?;
        Ok(Raw::Copied)
    }

    #[inline]
    fn take_octets(&mut self, length: u64) -> Result<Raw> {
        let start = (self.bits.at() >> 3) as usize;
        if self.bits.borrow(length)?.is_some() {
            return Ok(Raw::There(start, start + length as usize));
        }
        if length > self.bits.left() >> 3 {
            return Err(self.bits.ends());
        }
        self.bytes.clear();
        self.bits.copy(length * 8, self.bytes)?;
        Ok(Raw::Copied)
    }

    fn copied(&mut self, raw: Raw) -> Vec<u8> {
        match raw {
            Raw::There(start, end) => self.bits.bytes()[start..end].to_vec(),
            Raw::Copied => std::mem::take(self.bytes),
        }
    }

    fn raw(&self, raw: Raw) -> &[u8] {
        match raw {
            Raw::There(start, end) => &self.bits.bytes()[start..end],
            Raw::Copied => self.bytes,
        }
    }

    /// Reads a value: emits it, or pushes a frame that does.
    #[inline]
    fn value(&mut self, ty: TypeId) -> Result<()> {
        let start = self.bits.at();
        self.budget.item(self.base + (start >> 3))?;
        let layout = self.layout;
        match layout.code(ty) {
            Code::Boolean => {
                let is = if layout.octets { self.octet_flag()? } else { self.bits.flag()? };
                self.key(|| [if is { 0xff } else { 0 }]);
                self.scalar(Scalar::Bool(is), start)
            }
            Code::Null => self.scalar(Scalar::Null, start),
            Code::Integer(index) => self.integer(index, start),
            Code::Enumerated(index) => self.enumerated(index, start),
            Code::Structure(index) => self.structure(index, start),
            Code::List(element, size) => self.list(ty, element, size, start),
            Code::Choice(index) => self.choice(index, start),
            Code::Open => self.open_type(ty, start),
            Code::Octets(size) => self.octets(ty, size, start),
            Code::Bits(index, size) => self.bit_string(ty, index, size, start),
            Code::Characters(index) => self.characters(index, start),
            Code::Text(kind) => {
                let raw = self.gather(&Size::ANY)?;
                self.emit_text(kind, raw, start)
            }
            Code::FixedText(kind, octets) => {
                let raw = self.take_octets(u64::from(octets))?;
                self.emit_text(kind, raw, start)
            }
            Code::Oid => self.oid(false, start),
            Code::RelativeOid => self.oid(true, start),
            Code::Iri => {
                let raw = self.gather(&Size::ANY)?;
                self.emit_text(StringKind::Utf8, raw, start)
            }
            Code::Real => {
                let raw = self.gather(&Size::ANY)?;
                if layout.canonical && !octets::is_canonical_real(self.raw(raw)) {
                    self.not_canonical(start, "a REAL in a form that is not canonical", "that of X.690 11.3")?;
                }
                if !self.is_heard() {
                    return Ok(());
                }
                let (at, span) = (self.offset(start), self.span(start, self.bits.at()));
                let octets = match raw {
                    Raw::There(start, end) => &self.bits.bytes()[start..end],
                    Raw::Copied => &self.bytes[..],
                };
                let sink = &mut *self.sink;
                raise::real(octets, at, self.budget, |scalar| sink.scalar(scalar, span))
            }
            Code::Time => Err(self.bits.error(ErrorKind::Unsupported, start).seen(format!("a value of {}", layout.plan.keyword(ty)))),
        }
    }

    fn octet_flag(&mut self) -> Result<bool> {
        let at = self.bits.at();
        let octet = self.bits.take(8)?;
        if octet != 0 && octet != 0xff {
            self.not_canonical(at, "a truth value that is neither 0 nor FF", "FF (X.696 9.2)")?;
        }
        Ok(octet != 0)
    }

    /// Appends octets to the key that is under way.
    #[inline]
    fn key<const N: usize>(&mut self, octets: impl FnOnce() -> [u8; N]) {
        if self.keys.is_open() {
            self.keys.put(&octets());
        }
    }

    #[inline]
    fn integer(&mut self, index: u32, start: u64) -> Result<()> {
        let number = &self.layout.numbers[index as usize];
        if number.extensible && self.bits.flag()? {
            return self.free(start);
        }
        let value = match number.form {
            Form::Field(field) => {
                let wide = match field.bits {
                    0..=64 => u128::from(self.field(field)?),
                    bits => {
                        let high = self.bits.take(bits - 64)?;
                        u128::from(high) << 64 | u128::from(self.bits.take(64)?)
                    }
                };
                number.low.wrapping_add_unsigned(wide)
            }
            Form::Octets(field) => {
                let octets = self.field(field)? as u32 + 1;
                self.align()?;
                if octets > 16 {
                    return Err(self.outside(start, format!("a number of {octets} octets"), "the schema's range".to_string()));
                }
                let high = self.bits.take(octets.saturating_sub(8) * 8)?;
                number.low.wrapping_add_unsigned(u128::from(high) << 64 | u128::from(self.bits.take(octets.min(8) * 8)?))
            }
            Form::Plain(bits, signed) => {
                let raw = self.bits.take(bits)?;
                if signed { i128::from((raw << (64 - bits)) as i64 >> (64 - bits)) } else { i128::from(raw) }
            }
            Form::Semi => return self.semi(number.low, number.range, start),
            Form::Free => return self.bounded(number.range, start),
        };
        self.check_range(value, number.range, start)?;
        self.whole(value, start)
    }

    #[inline]
    fn check_range(&self, value: i128, range: Range, start: u64) -> Result<()> {
        if self.lenient || range.contains(value) {
            return Ok(());
        }
        let bound = |bound: Option<i128>, open: &str| bound.map_or_else(|| open.to_string(), |bound| bound.to_string());
        Err(self.outside(start, format!("the number {value}"), format!("{} to {}", bound(range.low, "MIN"), bound(range.high, "MAX"))))
    }

    #[inline]
    fn whole(&mut self, value: i128, start: u64) -> Result<()> {
        if self.keys.is_open() {
            let from = self.bytes.len();
            octets::put_integer(value, self.bytes);
            self.keys.put(&self.bytes[from..]);
            self.bytes.truncate(from);
        }
        if !self.is_heard() {
            return Ok(());
        }
        let span = self.span(start, self.bits.at());
        self.sink.scalar(raise::whole(value, self.text), span)
    }

    /// Reads a number in two's complement that has a greatest value.
    fn bounded(&mut self, range: Range, start: u64) -> Result<()> {
        let raw = self.gather(&Size::ANY)?;
        self.check_shortest(octets::superfluous(self.raw(raw)), start)?;
        if let (Some(high), false) = (range.high, self.lenient) {
            let octets = self.raw(raw);
            let negative = octets.first().is_some_and(|first| *first >= 0x80);
            if octets::integer(octets).map_or(!negative, |value| value > high) {
                return Err(self.outside(start, "a greater number".to_string(), format!("MIN to {high}")));
            }
        }
        self.emit_number(raw, start)
    }

    fn check_shortest(&self, superfluous: usize, start: u64) -> Result<()> {
        if superfluous == 0 {
            return Ok(());
        }
        self.not_canonical(start, "a number that is longer than it needs to be", "the shortest form (X.696 10.4)")
    }

    /// Reads a number of any size in two's complement.
    fn free(&mut self, start: u64) -> Result<()> {
        let raw = self.gather(&Size::ANY)?;
        self.check_shortest(octets::superfluous(self.raw(raw)), start)?;
        self.emit_number(raw, start)
    }

    fn emit_number(&mut self, raw: Raw, start: u64) -> Result<()> {
        let octets = match raw {
            Raw::There(start, end) => &self.bits.bytes()[start..end],
            Raw::Copied => &self.bytes[..],
        };
        if self.keys.is_open() {
            self.keys.put(&octets[octets::superfluous(octets)..]);
        }
        let at = self.offset(start);
        let scalar = raise::integer(octets, at, self.budget, self.text)?;
        let skipped = self.muted == 0 && std::mem::take(&mut self.skipped);
        if self.muted > 0 || skipped || self.stopped {
            return Ok(());
        }
        let span = match self.place {
            Place::Bytes => Span::new(self.base + (start >> 3), self.base + ((self.bits.at() + 7) >> 3)),
            Place::Bits => Span::new(self.base * 8 + start, self.base * 8 + self.bits.at()),
            Place::Fixed(span) => span,
        };
        self.sink.scalar(scalar, span)
    }

    /// Reads a number from `low` up.
    fn semi(&mut self, low: i128, range: Range, start: u64) -> Result<()> {
        let raw = self.gather(&Size::ANY)?;
        let octets = self.raw(raw);
        let zeros = octets.iter().take_while(|octet| **octet == 0).count();
        self.check_shortest(zeros.min(octets.len().saturating_sub(1)), start)?;
        if octets.is_empty() {
            return Err(self.bits.error(ErrorKind::Syntax, start).seen("a number without octets").expected("one octet or more"));
        }
        let octets = &octets[zeros..];
        if octets.len() <= 15 {
            let above = octets.iter().fold(0, |number, octet| number << 8 | u128::from(*octet));
            if let Some(value) = low.checked_add_unsigned(above) {
                self.check_range(value, range, start)?;
                return self.whole(value, start);
            }
        }
        if low != 0 {
            // Such a number is beyond what the sender of a real message needs.
            let seen = format!("a number of {} octets above {low}", octets.len());
            return Err(self.bits.error(ErrorKind::Unsupported, start).seen(seen).expected("a number of at most 128 bits"));
        }
        let octets = [&[0], octets].concat();
        *self.bytes = octets;
        self.emit_number(Raw::Copied, start)
    }

    fn enumerated(&mut self, index: u32, start: u64) -> Result<()> {
        let known = &self.layout.plan.enumerations[index as usize];
        if self.layout.octets {
            return self.octet_enumerated(index, start);
        }
        let item = if known.extensible && self.bits.flag()? {
            let extra = self.small()?;
            let item = extra.saturating_add(u64::from(known.root));
            if item >= known.items.len() as u64 {
                // An enumerator of a later version: PER writes its place among the additions.
                let index =
                    u32::try_from(extra).map_err(|_| self.outside(start, format!("the addition {extra}"), "a smaller one".into()))?;
                self.open(Open::Variant { name: "", index }, start)?;
                return if self.stopped { Ok(()) } else { self.close() };
            }
            item
        } else {
            let item = self.field(self.layout.enumerations[index as usize])?;
            if item >= u64::from(known.root) {
                return Err(self.outside(start, format!("the enumerator of index {item}"), format!("0 to {}", i64::from(known.root) - 1)));
            }
            item
        };
        let (name, number) = &known.items[item as usize];
        if self.keys.is_open() {
            let from = self.bytes.len();
            octets::put_integer(*number, self.bytes);
            self.keys.put(&self.bytes[from..]);
            self.bytes.truncate(from);
        }
        self.scalar(Scalar::Text(Str::Scratch(name)), start)
    }

    /// Reads the number of an enumerator (X.696 11).
    fn octet_enumerated(&mut self, index: u32, start: u64) -> Result<()> {
        let known = &self.layout.plan.enumerations[index as usize];
        let first = self.bits.take(8)?;
        let number = if first < 0x80 {
            i128::from(first)
        } else {
            let raw = self.take_octets(first & 0x7f)?;
            let octets = self.raw(raw);
            let number = octets::integer(octets);
            let shortest = octets::superfluous(octets) == 0 && number.is_none_or(|number| !(0..0x80).contains(&number));
            self.check_shortest(usize::from(!shortest), start)?;
            number.ok_or_else(|| self.outside(start, format!("an enumerator of {} octets", first & 0x7f), "1 to 16 octets".into()))?
        };
        match known.numbered(number) {
            Some(item) => {
                if self.keys.is_open() {
                    self.bytes.clear();
                    octets::put_integer(number, self.bytes);
                    self.keys.put(self.bytes);
                }
                self.scalar(Scalar::Text(Str::Scratch(&known.items[item as usize].0)), start)
            }
            None if known.extensible => self.whole(number, start),
            None => Err(self.outside(start, format!("the number {number}"), "that of an enumerator".into())),
        }
    }

    fn structure(&mut self, index: u32, start: u64) -> Result<()> {
        let known = &self.layout.structures[index as usize];
        self.budget.enter(self.base + (start >> 3))?;
        let extended = known.extensible && self.bits.flag()?;
        let preamble = self.bits.at();
        self.bits.skip(u64::from(known.root.optionals))?;
        self.pad()?;
        self.open(Open::Record { name: "", len: Len::Unknown }, start)?;
        self.keys.enter();
        self.frames.push(Frame::Part { structure: index, extra: ROOT, next: 0, preamble, extended });
        Ok(())
    }

    fn list(&mut self, ty: TypeId, element: TypeId, size: u32, start: u64) -> Result<()> {
        let mut size = &self.layout.sizes[size as usize];
        self.budget.enter(self.base + (start >> 3))?;
        if size.extensible && self.bits.flag()? {
            size = &Size::ANY;
        }
        let (left, more) = if self.layout.octets { (self.quantity()?, false) } else { self.sized(size)? };
        if size.high.is_none() || self.layout.octets && !more {
            self.check_size(start, left, size)?;
        }
        self.open(Open::List(if more { Len::Unknown } else { Len::Claimed(left) }), start)?;
        let sorted = self.layout.canonical && matches!(self.layout.plan.model().ty(ty).kind, Kind::SetOf(_));
        self.frames.push(Frame::List { element, left, more, last: u64::MAX, before: u64::MAX, sorted });
        Ok(())
    }

    fn choice(&mut self, index: u32, start: u64) -> Result<()> {
        let known = &self.layout.choices[index as usize];
        let choice = self.layout.plan.choice(index);
        self.budget.enter(self.base + (start >> 3))?;
        if self.layout.octets {
            return self.octet_choice(index, start);
        }
        if known.extensible && self.bits.flag()? {
            let extra = self.small()?;
            let extra = u32::try_from(extra).map_err(|_| self.outside(start, format!("the extension {extra}"), "a smaller one".into()))?;
            let number = extra.saturating_add(known.order.len() as u32);
            let Some(found) = choice.alternatives.get(number as usize) else {
                self.open(Open::Variant { name: "", index: extra }, start)?;
                self.frames.push(Frame::Variant);
                let content = self.bits.at();
                let raw = self.contents()?;
                return self.emit_bytes(raw, content);
            };
            self.key(|| [number as u8]);
            self.open(Open::Variant { name: &found.name, index: number }, start)?;
            self.frames.push(Frame::Variant);
            return self.within_open(found.ty);
        }
        let Some(field) = known.field else {
            return Err(self.outside(start, "a choice".into(), "no value: the type has no alternatives".into()));
        };
        let at = self.field(field)?;
        let Some(alternative) = known.order.get(at as usize).copied() else {
            return Err(self.outside(start, format!("the alternative of index {at}"), format!("0 to {}", known.order.len() - 1)));
        };
        let found = &choice.alternatives[alternative as usize];
        self.key(|| [alternative as u8]);
        self.open(Open::Variant { name: &found.name, index: alternative }, start)?;
        self.frames.push(Frame::Variant);
        self.value(found.ty)
    }

    /// Reads the octets of an open type (X.691 11.2).
    fn contents(&mut self) -> Result<Raw> {
        self.gather(&Size::ANY)
    }

    fn open_type(&mut self, ty: TypeId, start: u64) -> Result<()> {
        let node = self.layout.plan.node(ty);
        match self.keys.resolve(&self.layout.plan, node) {
            Some(found) => self.within_open(found),
            None => {
                let raw = self.contents()?;
                self.emit_bytes(raw, start)
            }
        }
    }

    /// Reads a value of a known type in an open type.
    fn within_open(&mut self, ty: TypeId) -> Result<()> {
        let start = self.bits.at();
        let (length, more) = self.length()?;
        if more {
            self.bits.set(start, self.bits.end());
            let raw = self.contents()?;
            let copied = self.copied(raw);
            return self.apart(&copied, Inside::Type(ty), start);
        }
        if matches!(self.place, Place::Bits) {
            self.remark("length of the open type", start)?;
        }
        self.window(length * 8, ty)
    }

    /// Reads a value whose encoding has the next bits to itself.
    fn window(&mut self, bits: u64, ty: TypeId) -> Result<()> {
        if bits > self.bits.left() {
            return Err(self.bits.ends());
        }
        let (at, end) = (self.bits.at(), self.bits.end());
        let after = at + bits;
        if self.layout.aligned && at & 7 != 0 {
            // Its own alignment counts from its start.
            let mut copied = Vec::new();
            self.bits.copy(bits, &mut copied)?;
            return self.apart(&copied, Inside::Type(ty), at);
        }
        if self.muted > 0 || self.skipped {
            self.skipped = self.skipped && self.muted > 0;
            self.bits.set(after, end);
            return Ok(());
        }
        self.budget.enter(self.offset(at))?;
        self.bits.set(at, after);
        self.frames.push(Frame::Window { start: at, end });
        self.value(ty)
    }

    /// Reads a value from octets that are not in the message as they are.
    #[cold]
    fn apart(&mut self, copied: &[u8], inside: Inside, start: u64) -> Result<()> {
        let span = self.span(start, self.bits.at());
        if self.nested >= NESTED {
            let error = self.bits.error(ErrorKind::Limit, start).seen(format!("more than {NESTED} fragmented values within each other"));
            return Err(error.hint("no real message has them"));
        }
        self.budget.enter(self.offset(start))?;
        let (mut frames, mut bytes) = (Vec::new(), Vec::new());
        let mut inner = Walk {
            layout: self.layout,
            bits: Bits::new(copied, span.start),
            message: None,
            base: span.start,
            sink: &mut *self.sink,
            budget: &mut *self.budget,
            frames: &mut frames,
            keys: &mut *self.keys,
            text: &mut *self.text,
            bytes: &mut bytes,
            place: Place::Fixed(span),
            lenient: self.lenient,
            nested: self.nested + 1,
            muted: self.muted,
            skipped: self.skipped,
            stopped: self.stopped,
        };
        let result = inner.run(inside);
        let state = (inner.muted, inner.skipped, inner.stopped);
        (self.muted, self.skipped, self.stopped) = state;
        self.budget.leave();
        result.map_err(|error| error.at(span.start).hint("the place counts from the start of the fragmented value that it is in"))
    }

    fn emit_bytes(&mut self, raw: Raw, start: u64) -> Result<()> {
        if !self.is_heard() {
            return Ok(());
        }
        let span = self.span(start, self.bits.at());
        let octets = match (raw, self.message) {
            (Raw::There(start, end), Some(message)) => Str::Input(&message[start..end]),
            (Raw::There(start, end), None) => Str::Scratch(&self.bits.bytes()[start..end]),
            (Raw::Copied, _) => Str::Scratch(&self.bytes[..]),
        };
        self.sink.scalar(Scalar::Bytes(octets), span)
    }

    fn emit_text(&mut self, kind: StringKind, raw: Raw, start: u64) -> Result<()> {
        if self.keys.is_open() {
            let octets = match raw {
                Raw::There(start, end) => &self.bits.bytes()[start..end],
                Raw::Copied => &self.bytes[..],
            };
            self.keys.put(octets);
        }
        if !self.is_heard() {
            return Ok(());
        }
        let (at, span) = (self.offset(start), self.span(start, self.bits.at()));
        let octets = match (raw, self.message) {
            (Raw::There(start, end), Some(message)) => Str::Input(&message[start..end]),
            (Raw::There(start, end), None) => Str::Scratch(&self.bits.bytes()[start..end]),
            (Raw::Copied, _) => Str::Scratch(&self.bytes[..]),
        };
        let scalar = raise::text(kind, octets, at, self.budget, self.text)?;
        self.sink.scalar(scalar, span)
    }

    fn oid(&mut self, relative: bool, start: u64) -> Result<()> {
        let raw = self.gather(&Size::ANY)?;
        let octets = match raw {
            Raw::There(start, end) => &self.bits.bytes()[start..end],
            Raw::Copied => &self.bytes[..],
        };
        if self.keys.is_open() {
            self.keys.put(octets);
        }
        let (at, span) = (self.offset(start), self.span(start, self.bits.at()));
        let scalar = raise::oid(octets, relative, at, self.budget, self.text)?;
        let skipped = self.muted == 0 && std::mem::take(&mut self.skipped);
        if self.muted > 0 || skipped || self.stopped {
            return Ok(());
        }
        self.sink.scalar(scalar, span)
    }

    fn octets(&mut self, ty: TypeId, size: u32, start: u64) -> Result<()> {
        let mut size = &self.layout.sizes[size as usize];
        if size.extensible && self.bits.flag()? {
            size = &Size::ANY;
        }
        let raw = self.gather(size)?;
        if let Some(contents) = self.layout.plan.node(ty).contents {
            return self.contained(raw, contents, start);
        }
        if self.keys.is_open() {
            let octets = match raw {
                Raw::There(start, end) => &self.bits.bytes()[start..end],
                Raw::Copied => &self.bytes[..],
            };
            self.keys.put(octets);
        }
        self.emit_bytes(raw, start)
    }

    /// Reads the value that an octet string contains (X.682 11).
    fn contained(&mut self, raw: Raw, ty: TypeId, start: u64) -> Result<()> {
        match raw {
            Raw::There(from, to) => {
                self.bits.set(from as u64 * 8, self.bits.end());
                self.window((to - from) as u64 * 8, ty)
            }
            Raw::Copied => {
                let copied = std::mem::take(self.bytes);
                self.apart(&copied, Inside::Type(ty), start)
            }
        }
    }

    fn characters(&mut self, index: u32, start: u64) -> Result<()> {
        let known = &self.layout.characters[index as usize];
        let extended = known.size.extensible && self.bits.flag()?;
        let (size, letters, align) =
            if extended { (&Size::ANY, &known.all, self.layout.aligned) } else { (&known.size, &known.root, known.align) };
        let (mut count, mut more) = self.sized(size)?;
        if align && count > 0 {
            self.align()?;
        }
        self.bytes.clear();
        let kept = std::mem::take(self.bytes);
        let mut out = kept;
        let mut total = 0;
        // Octets that are characters as they are.
        let plain = letters.bits == 8 && letters.by_number.is_empty() && self.bits.at() & 7 == 0 && !more;
        let raw = if plain {
            self.take_octets(count).map(Some)
        } else {
            let mut filled = Ok(None);
            loop {
                total += count;
                if let Err(error) = self.letters(known.kind, letters, count, &mut out) {
                    filled = Err(error);
                    break;
                }
                if !more {
                    break;
                }
                (count, more) = self.length()?;
            }
            filled
        };
        *self.bytes = out;
        let raw = raw?;
        let raw = raw.unwrap_or(Raw::Copied);
        if size.high.is_none() {
            self.check_size(start, if plain { count } else { total }, size)?;
        }
        if !extended && !self.lenient {
            self.permitted(known, raw, start)?;
        }
        self.emit_text(known.kind, raw, start)
    }

    /// Checks the characters of a root value.
    fn permitted(&self, known: &Characters, raw: Raw, start: u64) -> Result<()> {
        if !known.root.by_number.is_empty() {
            return Ok(());
        }
        let octets = self.raw(raw);
        let bad = match known.kind {
            StringKind::Bmp => octets
                .as_chunks::<2>()
                .0
                .iter()
                .map(|pair| u32::from(u16::from_be_bytes(*pair)))
                .find(|code| !known.alphabet.contains(*code)),
            StringKind::Universal => {
                octets.as_chunks::<4>().0.iter().map(|quad| u32::from_be_bytes(*quad)).find(|code| !known.alphabet.contains(*code))
            }
            _ if known.alphabet.ranges() == [(0, 0x7f)] => octets.iter().find(|octet| **octet > 0x7f).map(|octet| u32::from(*octet)),
            _ => octets.iter().map(|octet| u32::from(*octet)).find(|code| !known.alphabet.contains(*code)),
        };
        match bad {
            None => Ok(()),
            Some(code) => Err(self.outside(start, format!("the character U+{code:04X}"), "a character that the schema permits".into())),
        }
    }

    /// Reads characters, as octets of X.690.
    fn letters(&mut self, kind: StringKind, letters: &Letters, count: u64, out: &mut Vec<u8>) -> Result<()> {
        let start = self.bits.at();
        let width = match kind {
            StringKind::Bmp => 2,
            StringKind::Universal => 4,
            _ => 1,
        };
        let bits = u64::from(letters.bits);
        if bits == 0 || width > 1 || bits < 4 {
            self.budget.decode(count * width, self.offset(start))?;
        }
        if count.saturating_mul(bits) > self.bits.left() {
            return Err(self.bits.ends());
        }
        out.reserve((count * width) as usize);
        let mut left = count;
        // As many characters as a word of 64 bits holds.
        let most = 64u64.checked_div(bits).unwrap_or(u64::MAX);
        let mask = if bits == 0 { 0 } else { u64::MAX >> (64 - bits) };
        while left > 0 {
            let now = left.min(most);
            let word = self.bits.take((now * bits) as u32)?;
            for letter in (0..now).rev() {
                let number = if bits == 0 { 0 } else { word >> (letter * bits) & mask };
                let code = if letters.by_number.is_empty() {
                    number as u32
                } else {
                    match letters.by_number.get(number as usize) {
                        Some(code) => *code,
                        None => {
                            return Err(self.outside(
                                start,
                                format!("the character of index {number}"),
                                format!("0 to {}", letters.by_number.len() - 1),
                            ));
                        }
                    }
                };
                match width {
                    1 => out.push(code as u8),
                    2 => out.extend_from_slice(&(code as u16).to_be_bytes()),
                    _ => out.extend_from_slice(&code.to_be_bytes()),
                }
            }
            left -= now;
        }
        Ok(())
    }

    fn bit_string(&mut self, ty: TypeId, index: u32, size: u32, start: u64) -> Result<()> {
        let mut size = &self.layout.sizes[size as usize];
        if self.layout.octets {
            return self.octet_bit_string(ty, index, size, start);
        }
        if size.extensible && self.bits.flag()? {
            size = &Size::ANY;
        }
        let (mut count, mut more) = self.sized(size)?;
        if count > 0 && size.fixed().is_none_or(|fixed| fixed > 16) {
            self.align()?;
        }
        if let Some(contents) = self.layout.plan.node(ty).contents
            && !more
        {
            return self.window(count, contents);
        }
        self.bytes.clear();
        let mut total = 0;
        loop {
            self.bits.copy(count, self.bytes)?;
            total += count;
            if !more {
                break;
            }
            (count, more) = self.length()?;
        }
        if size.high.is_none() {
            self.check_size(start, total, size)?;
        }
        self.emit_bits(index, total, start)
    }

    /// Emits a bit string, whose bits are at hand.
    fn emit_bits(&mut self, index: u32, count: u64, start: u64) -> Result<()> {
        let layout = self.layout;
        let shape = &layout.plan.bits[index as usize];
        if !shape.names.is_empty() {
            self.open(Open::List(Len::Unknown), start)?;
            let first = self.bits.at().saturating_sub(count);
            let bytes = std::mem::take(self.bytes);
            let result = self.named_bits(&shape.names, &bytes, count, first);
            *self.bytes = bytes;
            result?;
            return if self.stopped { Ok(()) } else { self.close() };
        }
        if shape.fixed == Some(count) {
            return self.emit_bytes(Raw::Copied, start);
        }
        if !self.is_heard() {
            return Ok(());
        }
        let span = self.span(start, self.bits.at());
        match self.sink.open(Open::Record { name: "", len: Len::Claimed(2) }, Span { end: span.start, ..span })? {
            Next::Enter => {}
            Next::Skip => return Ok(()),
            Next::Stop => {
                self.stopped = true;
                return Ok(());
            }
        }
        let fields = [(VALUE, Scalar::Bytes(Str::Scratch(&self.bytes[..])), span), (LENGTH, Scalar::uint(count), Span::NONE)];
        for ((name, scalar, span), slot) in fields.into_iter().zip(0..) {
            self.budget.item(span.start)?;
            match self.sink.field(Name { slot: Some(slot), ..Name::named(Str::Scratch(name)) }, Span::NONE)? {
                Next::Enter => self.sink.scalar(scalar, span)?,
                Next::Skip => {}
                Next::Stop => {
                    self.stopped = true;
                    return Ok(());
                }
            }
        }
        self.sink.close(Span { start: span.end, ..span })
    }

    /// Emits the names of the bits that are set, which begin at `first`.
    fn named_bits(&mut self, names: &[(SmolStr, i128)], bytes: &[u8], count: u64, first: u64) -> Result<()> {
        if self.muted > 0 {
            return Ok(());
        }
        for (octet, byte) in (0u64..).zip(bytes) {
            for bit in 0..8 {
                let number = octet * 8 + bit;
                if byte & 0x80 >> bit == 0 || number >= count || self.stopped {
                    continue;
                }
                self.budget.item(self.offset(first))?;
                let span = self.span(first + number, first + number + 1);
                match names.iter().find(|(_, known)| *known == i128::from(number)) {
                    Some((name, _)) => self.sink.scalar(Scalar::Text(Str::Scratch(name)), span)?,
                    None => self.sink.scalar(Scalar::uint(number), span)?,
                }
            }
        }
        Ok(())
    }

    /// Goes on with a frame, which was popped.
    #[inline]
    fn step(&mut self, frame: Frame) -> Result<()> {
        match frame {
            Frame::Part { structure, extra, next, preamble, extended } => self.part(structure, extra, next, preamble, extended),
            Frame::List { element, left, more, last, before, sorted } => self.elements(element, left, more, last, before, sorted),
            Frame::Checked { structure, extra, step, start } => self.checked(structure, extra, step, start),
            Frame::Variant => {
                self.budget.leave();
                self.close()
            }
            Frame::Key => {
                self.keys.end();
                Ok(())
            }
            Frame::Window { start, end } => {
                let last = self.bits.end();
                self.ends(last, self.bits.at() == start)?;
                self.budget.leave();
                self.bits.set(last, end);
                Ok(())
            }
            Frame::Additions { structure, next, count, bitmap } => self.additions(structure, next, count, bitmap),
        }
    }

    fn part(&mut self, structure: u32, extra: u32, mut next: u32, preamble: u64, extended: bool) -> Result<()> {
        let layout = self.layout;
        let known = &layout.structures[structure as usize];
        let part: &Part = match known.additions.get(extra as usize) {
            Some(Extra::Group(part)) => part,
            _ => &known.root,
        };
        let components = &layout.plan.structure(structure).components;
        while let Some(step) = part.steps.get(next as usize) {
            next += 1;
            if step.bit.is_some_and(|bit| !self.bits.is_set(preamble + u64::from(bit))) {
                continue;
            }
            self.named(structure, step.component)?;
            if self.stopped {
                return Ok(());
            }
            let before = self.frames.len();
            self.frames.push(Frame::Part { structure, extra, next, preamble, extended });
            if layout.canonical && step.default.is_some() {
                self.frames.push(Frame::Checked { structure, extra, step: next - 1, start: self.bits.at() });
                if components[step.component as usize].is_key {
                    self.frames.push(Frame::Key);
                    self.keys.begin(step.component);
                }
                return self.value(step.ty);
            }
            if components[step.component as usize].is_key {
                self.frames.push(Frame::Key);
                self.keys.begin(step.component);
                return self.value(step.ty);
            }
            self.value(step.ty)?;
            // A scalar leaves no frame: on with the next component.
            if self.frames.len() > before + 1 || self.stopped {
                return Ok(());
            }
            self.frames.pop();
        }
        if extra != ROOT {
            return Ok(());
        }
        if extended {
            return self.extensions(structure);
        }
        self.leave()
    }

    fn leave(&mut self) -> Result<()> {
        self.keys.leave();
        self.budget.leave();
        self.close()
    }

    /// Reads which extension additions there are (X.691 19.7 and 19.8).
    fn extensions(&mut self, structure: u32) -> Result<()> {
        let start = self.bits.at();
        if self.layout.octets {
            return self.octet_extensions(structure, start);
        }
        let count = if !self.bits.flag()? {
            self.bits.take(6)? + 1
        } else {
            let (count, more) = self.length()?;
            if more || count == 0 {
                let error = self.bits.error(ErrorKind::Syntax, start).seen(format!("{count} extension additions"));
                return Err(error.expected("1 to 16383"));
            }
            count
        };
        let bitmap = self.bits.at();
        self.bits.skip(count)?;
        self.shown(bitmap, count, start)?;
        self.frames.push(Frame::Additions { structure, next: 0, count: count as u32, bitmap });
        Ok(())
    }

    /// Reads which extension additions there are in OER (X.696 16.4).
    fn octet_extensions(&mut self, structure: u32, start: u64) -> Result<()> {
        let octets = self.octet_length()?;
        let unused = self.bits.take(8)?;
        if !(2..=8192).contains(&octets) || unused > 7 {
            let seen = format!("a bitmap of {octets} octets with {unused} unused bits");
            return Err(self.bits.error(ErrorKind::Syntax, start).seen(seen).expected("a bit for each extension addition (X.696 16.4)"));
        }
        let count = (octets - 1) * 8 - unused;
        let bitmap = self.bits.at();
        self.bits.skip(count)?;
        self.pad()?;
        self.shown(bitmap, count, start)?;
        self.frames.push(Frame::Additions { structure, next: 0, count: count as u32, bitmap });
        Ok(())
    }

    /// Emits which additions there are: a relay writes as many bits.
    fn shown(&mut self, bitmap: u64, count: u64, start: u64) -> Result<()> {
        if self.muted > 0 || self.skipped || self.stopped {
            return Ok(());
        }
        self.text.clear();
        self.text.push_str(super::EXTENSIONS);
        for at in bitmap..bitmap + count {
            self.text.push(if self.bits.is_set(at) { '1' } else { '0' });
        }
        let span = self.span(start, self.bits.at());
        self.sink.note(Note::Frame(self.text), span)
    }

    fn additions(&mut self, structure: u32, next: u32, count: u32, bitmap: u64) -> Result<()> {
        let layout = self.layout;
        let known = &layout.structures[structure as usize];
        for addition in next..count {
            if !self.bits.is_set(bitmap + u64::from(addition)) {
                continue;
            }
            match known.additions.get(addition as usize) {
                Some(extra) => {
                    self.frames.push(Frame::Additions { structure, next: addition + 1, count, bitmap });
                    return match extra {
                        Extra::One(step) => {
                            self.named(structure, step.component)?;
                            if self.stopped {
                                return Ok(());
                            }
                            if layout.plan.structure(structure).components[step.component as usize].is_key {
                                self.frames.push(Frame::Key);
                                self.keys.begin(step.component);
                            }
                            self.within_open(step.ty)
                        }
                        Extra::Group(part) => self.group(structure, addition, part),
                    };
                }
                None => {
                    let start = self.bits.at();
                    let raw = self.contents()?;
                    if self.muted > 0 || self.stopped {
                        continue;
                    }
                    let span = self.span(start, self.bits.at());
                    let octets = match raw {
                        Raw::There(start, end) => &self.bits.bytes()[start..end],
                        Raw::Copied => &self.bytes[..],
                    };
                    self.sink.note(Note::Unknown(octets), span)?;
                }
            }
        }
        self.leave()
    }

    /// Reads the components of `[[ ]]`, which are one open type (X.691 19.9).
    fn group(&mut self, structure: u32, extra: u32, part: &Part) -> Result<()> {
        let start = self.bits.at();
        let (length, more) = self.length()?;
        if more {
            self.bits.set(start, self.bits.end());
            let raw = self.contents()?;
            let copied = self.copied(raw);
            return self.apart(&copied, Inside::Group { structure, extra, optionals: part.optionals }, start);
        }
        if length * 8 > self.bits.left() {
            return Err(self.bits.ends());
        }
        if matches!(self.place, Place::Bits) {
            self.remark("length of the group", start)?;
        }
        let (at, end) = (self.bits.at(), self.bits.end());
        if self.muted > 0 {
            self.bits.set(at + length * 8, end);
            return Ok(());
        }
        self.budget.enter(self.offset(at))?;
        self.bits.set(at, at + length * 8);
        self.frames.push(Frame::Window { start: at, end });
        self.bits.skip(u64::from(part.optionals))?;
        self.pad()?;
        self.frames.push(Frame::Part { structure, extra, next: 0, preamble: at, extended: false });
        Ok(())
    }

    fn elements(&mut self, element: TypeId, mut left: u64, mut more: bool, mut last: u64, mut before: u64, sorted: bool) -> Result<()> {
        loop {
            if sorted && before != u64::MAX {
                self.ascends(before, last)?;
            }
            while left == 0 {
                if !more {
                    self.budget.leave();
                    return self.close();
                }
                (left, more) = self.length()?;
            }
            left -= 1;
            let (frames, at) = (self.frames.len(), self.bits.at());
            if at == last {
                // The element before had no bits.
                self.budget.decode(EMPTY_ELEMENT, self.offset(at))?;
            }
            (before, last) = (last, at);
            self.frames.push(Frame::List { element, left, more, last, before, sorted });
            self.value(element)?;
            if self.frames.len() > frames + 1 || self.stopped {
                return Ok(());
            }
            self.frames.pop();
        }
    }

    /// Checks that the element from `last` up to here follows the one before (X.696 18).
    fn ascends(&self, before: u64, last: u64) -> Result<()> {
        let bytes = self.bits.bytes();
        let [before, start, end] = [before, last, self.bits.at()].map(|at| (at >> 3) as usize);
        if bytes[before..start] <= bytes[start..end] {
            return Ok(());
        }
        self.not_canonical(last, "an element of a SET OF behind a greater one", "elements in ascending order (X.696 18)")
    }

    /// Checks that a component is not its default (X.696 16.3).
    fn checked(&self, structure: u32, extra: u32, step: u32, start: u64) -> Result<()> {
        let known = &self.layout.structures[structure as usize];
        let part = match known.additions.get(extra as usize) {
            Some(Extra::Group(part)) => part,
            _ => &known.root,
        };
        let [from, to] = [start, self.bits.at()].map(|at| (at >> 3) as usize);
        match &part.steps[step as usize].default {
            Some(default) if default.bits.bytes() == &self.bits.bytes()[from..to] => {
                self.not_canonical(start, "a component that has its default", "no such component (X.696 16.3)")
            }
            _ => Ok(()),
        }
    }

    /// Reads the tag that says which alternative follows (X.696 8.7).
    fn octet_choice(&mut self, index: u32, start: u64) -> Result<()> {
        let known = &self.layout.choices[index as usize];
        let choice = self.layout.plan.choice(index);
        let first = self.bits.take(8)?;
        let (class, mut number) = (first >> 6, first & 0x3f);
        if number == 0x3f {
            number = 0;
            loop {
                let octet = self.bits.take(8)?;
                if number >> 55 != 0 {
                    return Err(self.outside(start, "a tag of more than 62 bits".into(), "a smaller one".into()));
                }
                let leading = number == 0 && octet == 0x80;
                number = number << 7 | octet & 0x7f;
                if leading {
                    return Err(self
                        .bits
                        .error(ErrorKind::Syntax, start)
                        .seen("a tag with leading zeros")
                        .expected("none (X.696 8.7.2.3)"));
                }
                if octet < 0x80 {
                    break;
                }
            }
            if number < 0x3f {
                return Err(self
                    .bits
                    .error(ErrorKind::Syntax, start)
                    .seen("a long form of a short tag")
                    .expected("one octet (X.696 8.7.2.2)"));
            }
        }
        let Some(alternative) = choice.tagged(TagKey::new(class, number)) else {
            if !choice.extensible || number >= 1 << 30 {
                return Err(self.outside(start, format!("the tag {class}.{number}"), "the tag of an alternative".into()));
            }
            // An alternative of a later version: its tag, and its octets.
            self.open(Open::Variant { name: "", index: (class << 30 | number) as u32 }, start)?;
            self.frames.push(Frame::Variant);
            let content = self.bits.at();
            let raw = self.contents()?;
            return self.emit_bytes(raw, content);
        };
        let found = &choice.alternatives[alternative as usize];
        self.key(|| [alternative as u8]);
        if self.layout.plan.node(found.ty).tags.is_empty() {
            // The tag is that of an alternative of a choice within.
            self.bits.set(start, self.bits.end());
        }
        self.open(Open::Variant { name: &found.name, index: alternative }, start)?;
        self.frames.push(Frame::Variant);
        if alternative as usize >= known.order.len() { self.within_open(found.ty) } else { self.value(found.ty) }
    }

    /// Reads a bit string of OER (X.696 13).
    fn octet_bit_string(&mut self, ty: TypeId, index: u32, size: &Size, start: u64) -> Result<()> {
        let (octets, count) = match size.fixed() {
            Some(bits) => (bits.div_ceil(8), bits),
            None => {
                let octets = self.octet_length()?;
                let unused = self.bits.take(8)?;
                if octets == 0 || unused > 7 || octets == 1 && unused > 0 {
                    let seen = format!("a bit string of {octets} octets with {unused} unused bits");
                    return Err(self.bits.error(ErrorKind::Syntax, start).seen(seen).expected("at most 7 (X.696 13.3.1)"));
                }
                (octets - 1, (octets - 1) * 8 - unused)
            }
        };
        if let Some(contents) = self.layout.plan.node(ty).contents {
            return self.window(octets * 8, contents);
        }
        if size.fixed().is_none() {
            self.check_size(start, count, size)?;
        }
        self.bytes.clear();
        self.bits.copy(count, self.bytes)?;
        let at = self.bits.at();
        let unused = (octets * 8 - count) as u32;
        if self.bits.take(unused)? != 0 {
            self.not_canonical(at, "unused bits that are not 0", "zeros (X.696 13.3.2)")?;
        }
        if self.layout.canonical && !self.layout.plan.bits[index as usize].names.is_empty() && count > size.low {
            let last = count - 1;
            if self.bytes.get((last / 8) as usize).is_some_and(|byte| byte & 0x80 >> (last % 8) == 0) {
                self.not_canonical(start, "zeros at the end of named bits", "none (X.696 13.4)")?;
            }
        }
        self.emit_bits(index, count, start)
    }
}

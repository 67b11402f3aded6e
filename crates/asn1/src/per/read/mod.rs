//! Messages to events (X.691).

mod bit_strings;
mod choices;
mod lengths;
mod lists;
mod numbers;
mod rows;
mod strings;
mod structures;
mod times;

use std::sync::Arc;

use polywire_core::{Budget, ErrorKind, Field as Name, Frame as Found, Needs, Next, Note, Open, Reader, Result, Scalar, Sink, Span, Str};

use super::bits::Bits;
use super::layout::{Code, Layout, Size};
use crate::model::{StringKind, TypeId};
use crate::walk::keys::Keys;
use crate::walk::{octets, raise};

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

    /// Walks a message as [`Reader::walk`] does, for a sink whose type is known at compile time.
    ///
    /// # Errors
    /// Errors of the sink, and mistakes in the message.
    pub fn walk_into<'m, S: Sink<'m> + ?Sized>(&mut self, msg: &'m [u8], base: u64, sink: &mut S, budget: &mut Budget) -> Result<()> {
        self.frames.clear();
        self.keys.clear();
        let guesses = sink.needs().has(Needs::GUESSES);
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
            guesses,
            keyed: !self.layout.plan.tables.is_empty(),
            nested: 0,
            muted: 0,
            skipped: false,
            stopped: false,
        };
        walk.run(Inside::Type(self.layout.plan.root())).map_err(|error| error.format_is(self.layout.name))
    }
}

impl Reader for PerReader {
    fn frame(&mut self, buf: &[u8], _: u64, eof: bool) -> Result<Found> {
        Ok(super::whole(buf, eof))
    }

    fn walk<'m>(&mut self, msg: &'m [u8], base: u64, sink: &mut dyn Sink<'m>, budget: &mut Budget) -> Result<()> {
        self.walk_into(msg, base, sink, budget)
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

struct Walk<'w, 'x, 'm, S: ?Sized> {
    layout: &'w Layout,
    bits: Bits<'x>,
    /// The bytes that are read, if they are those of the message.
    message: Option<&'m [u8]>,
    base: u64,
    sink: &'w mut S,
    budget: &'w mut Budget,
    frames: &'w mut Vec<Frame>,
    keys: &'w mut Keys,
    text: &'w mut String,
    bytes: &'w mut Vec<u8>,
    place: Place,
    lenient: bool,
    /// The sink shows the meaning of values.
    guesses: bool,
    /// True if there are open types that tables resolve.
    keyed: bool,
    nested: u32,
    /// Number of open containers that the sink does not see.
    muted: u32,
    /// True if the sink does not see the next value.
    skipped: bool,
    stopped: bool,
}

impl<'x, 'm, S: Sink<'m> + ?Sized> Walk<'_, 'x, 'm, S> {
    fn run(&mut self, inside: Inside) -> Result<()> {
        match inside {
            Inside::Type(root) => match self.layout.code(root) {
                Code::Structure(index) => self.whole_structure(index)?,
                _ => self.value(root)?,
            },
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
                self.check_text(ty, raw, start)?;
                self.emit_text(kind, raw, start)
            }
            Code::FixedText(kind, octets) => {
                let raw = self.take_octets(u64::from(octets))?;
                self.check_text(ty, raw, start)?;
                self.emit_text(kind, raw, start)
            }
            Code::Oid | Code::RelativeOid => self.oid(ty, start),
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
            Code::Float(bits) => {
                let octets = self.bits.take(bits)?;
                let value = if bits == 32 { Scalar::f32(f32::from_bits(octets as u32)) } else { Scalar::f64(f64::from_bits(octets)) };
                self.scalar(value, start)
            }
            Code::Time(kind) => self.time(kind, start),
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
}

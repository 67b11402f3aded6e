//! CHOICE, open types, and values in strings (X.691 11.2 and 23, X.696 20 and 30).

use polywire_core::{ErrorKind, Open, Result, Sink};

use super::super::bits::Bits;
use super::super::layout::Size;
use super::{Frame, Inside, NESTED, Place, Raw, Walk};
use crate::model::TypeId;
use crate::walk::plan::TagKey;

impl<'x, 'm, S: Sink<'m> + ?Sized> Walk<'_, 'x, 'm, S> {
    pub(super) fn choice(&mut self, index: u32, start: u64) -> Result<()> {
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
                return self.emit_bytes(None, raw, content);
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
    pub(super) fn contents(&mut self) -> Result<Raw> {
        self.gather(&Size::ANY)
    }

    pub(super) fn open_type(&mut self, ty: TypeId, start: u64) -> Result<()> {
        let node = self.layout.plan.node(ty);
        match self.keys.resolve(&self.layout.plan, node) {
            Some(found) => self.within_open(found),
            None => {
                let raw = self.contents()?;
                self.emit_bytes(None, raw, start)
            }
        }
    }

    /// Reads a value of a known type in an open type.
    pub(super) fn within_open(&mut self, ty: TypeId) -> Result<()> {
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
    pub(super) fn window(&mut self, bits: u64, ty: TypeId) -> Result<()> {
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
        if (self.muted > 0 || self.skipped) && !self.keys.is_open() {
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
    pub(super) fn apart(&mut self, copied: &[u8], inside: Inside, start: u64) -> Result<()> {
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
            guesses: self.guesses,
            keyed: self.keyed,
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

    /// Reads the value that an octet string contains (X.682 11).
    pub(super) fn contained(&mut self, raw: Raw, ty: TypeId, start: u64) -> Result<()> {
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

    /// Reads the tag that says which alternative follows (X.696 8.7).
    pub(super) fn octet_choice(&mut self, index: u32, start: u64) -> Result<()> {
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
            return self.emit_bytes(None, raw, content);
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
}

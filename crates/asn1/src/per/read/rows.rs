//! Lists of structures that have no parts with components, as most of a large message is: their
//! values are read in one loop, without a frame for each.

use polywire_core::{Field, Len, Next, Open, Result, Scalar, Sink, Str, bytes};

use super::super::layout::Quick;
use super::{Raw, Walk};
use crate::model::StringKind;
use crate::walk::octets::{self, Real};

impl<'x, 'm, S: Sink<'m> + ?Sized> Walk<'_, 'x, 'm, S> {
    /// Reads a value of a structure that [`row`](super::super::layout::Layout::row) has found.
    /// Returns false, and reads nothing, if it has extension additions.
    pub(super) fn row(&mut self, index: u32) -> Result<bool> {
        let layout = self.layout;
        let known = &layout.structures[index as usize];
        let components = &layout.plan.structure(index).components;
        let start = self.bits.at();
        if known.extensible && self.bits.is_set(start) {
            return Ok(false);
        }
        self.budget.item(self.base + (start >> 3))?;
        self.budget.enter(self.base + (start >> 3))?;
        let mut preamble = start;
        if known.extensible || known.root.optionals > 0 {
            preamble += u64::from(known.extensible);
            self.bits.skip(u64::from(known.extensible) + u64::from(known.root.optionals))?;
            self.pad()?;
        }
        self.open(Open::Record { name: "", len: Len::Unknown }, start)?;
        if self.keyed {
            self.keys.enter();
        }
        let quick = self.is_quick();
        for step in &known.root.steps {
            if step.bit.is_some_and(|bit| !self.bits.is_set(preamble + u64::from(bit))) {
                continue;
            }
            if self.muted == 0 && !self.stopped {
                let at = self.bits.at();
                let name = Str::Scratch(&*components[step.component as usize].name);
                let field = Field { slot: Some(step.component), ..Field::named(name) };
                match self.sink.field(field, self.span(at, at))? {
                    Next::Enter if quick && self.quick(step.quick)? => continue,
                    Next::Enter => {}
                    Next::Skip => self.skipped = true,
                    Next::Stop => self.stopped = true,
                }
            }
            if self.stopped {
                return Ok(true);
            }
            self.value(step.ty)?;
        }
        if !self.stopped {
            self.leave()?;
        }
        Ok(true)
    }

    /// Returns whether values may be read by [`quick`](Walk::quick).
    #[inline]
    pub(super) fn is_quick(&self) -> bool {
        !self.guesses && !self.keys.is_open()
    }

    /// Reads a value of the form that most have, which the sink sees. Returns false, and reads
    /// nothing, if it has another one.
    #[inline(always)]
    pub(super) fn quick(&mut self, form: Quick) -> Result<bool> {
        let start = self.bits.at();
        let unaligned = self.layout.aligned && start & 7 != 0;
        match form {
            Quick::Never => return Ok(false),
            Quick::Flag => {
                self.budget.item(self.base + (start >> 3))?;
                let is = self.bits.take(if self.layout.octets { 8 } else { 1 })? != 0;
                self.sink.scalar(Scalar::Bool(is), self.span(start, self.bits.at()))?;
            }
            Quick::Whole { signed } => {
                if unaligned {
                    return Ok(false);
                }
                let Some((number, octets)) = self.bits.counted() else { return Ok(false) };
                self.budget.item(self.base + (start >> 3))?;
                let free = 64 - octets * 8;
                let scalar = if signed { Scalar::int((number << free) as i64 >> free) } else { Scalar::uint(number) };
                self.sink.scalar(scalar, self.span(start, self.bits.at()))?;
            }
            Quick::Real => {
                let mut bits = self.bits;
                let Some((number, octets)) = bits.counted().filter(|_| !unaligned) else { return Ok(false) };
                let raw = (number << (64 - octets * 8)).to_be_bytes();
                let Ok(Real::Float(value)) = octets::real(&raw[..octets as usize]) else { return Ok(false) };
                self.bits = bits;
                self.budget.item(self.base + (start >> 3))?;
                self.sink.scalar(Scalar::f64(value), self.span(start, self.bits.at()))?;
            }
            Quick::Text(kind) => {
                if unaligned {
                    return Ok(false);
                }
                let Some(octets) = self.bits.count() else { return Ok(false) };
                self.budget.item(self.base + (start >> 3))?;
                let raw = self.take_octets(octets)?;
                if kind == StringKind::Utf8
                    && let (Raw::There(from, to), Some(message)) = (raw, self.message)
                    && let Some(text) = bytes::utf8(&message[from..to])
                {
                    self.sink.scalar(Scalar::Text(Str::Input(text)), self.span(start, self.bits.at()))?;
                } else {
                    self.emit_text(kind, raw, start)?;
                }
            }
            Quick::Octets(octets) => {
                let Some(message) = self.message else { return Ok(false) };
                if start & 7 != 0 || u64::from(octets) * 8 > self.bits.left() {
                    return Ok(false);
                }
                self.budget.item(self.base + (start >> 3))?;
                let from = (start >> 3) as usize;
                self.bits.skip(u64::from(octets) * 8)?;
                let raw = &message[from..from + octets as usize];
                self.sink.scalar(Scalar::Bytes(Str::Input(raw)), self.span(start, self.bits.at()))?;
            }
        }
        Ok(true)
    }
}

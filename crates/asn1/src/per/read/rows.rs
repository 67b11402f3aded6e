//! Lists of structures that have no parts with components, as most of a large message is: their
//! values are read in one loop, without a frame for each.

use polywire_core::{Field, Len, Next, Open, Result, Scalar, Sink, Str, bytes};

use super::super::layout::Quick;
use super::Walk;
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
        if self.muted > 0 || self.stopped || !self.is_quick() {
            return self.slow(index, preamble).map(|()| true);
        }
        for step in &known.root.steps {
            if step.bit.is_some_and(|bit| !self.bits.is_set(preamble + u64::from(bit))) {
                continue;
            }
            let at = self.bits.at();
            let name = Str::Scratch(&*components[step.component as usize].name);
            let field = Field { slot: Some(step.component), ..Field::named(name) };
            match self.sink.field(field, self.span(at, at))? {
                Next::Enter if self.quick(step.quick)? => continue,
                Next::Enter => {}
                Next::Skip => self.skipped = true,
                Next::Stop => {
                    self.stopped = true;
                    return Ok(true);
                }
            }
            self.value(step.ty)?;
            if self.stopped {
                return Ok(true);
            }
        }
        self.leave()?;
        Ok(true)
    }

    /// Reads the components of a row behind its preamble, as those of any structure.
    #[cold]
    fn slow(&mut self, index: u32, preamble: u64) -> Result<()> {
        for step in &self.layout.structures[index as usize].root.steps {
            if step.bit.is_some_and(|bit| !self.bits.is_set(preamble + u64::from(bit))) {
                continue;
            }
            if !self.stopped {
                self.named(index, step.component)?;
            }
            if self.stopped {
                return Ok(());
            }
            self.value(step.ty)?;
        }
        if self.stopped { Ok(()) } else { self.leave() }
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
        match form {
            Quick::Never => return Ok(false),
            Quick::Flag => {
                self.budget.item(self.base + (start >> 3))?;
                let is = self.bits.flag()?;
                self.sink.scalar(Scalar::Bool(is), self.span(start, self.bits.at()))?;
            }
            Quick::Octet => {
                let Some((at, _)) = self.bits.fixed_octets(1) else { return Ok(false) };
                self.budget.item(self.base + (start >> 3))?;
                let is = self.bits.bytes()[at] != 0;
                self.sink.scalar(Scalar::Bool(is), self.span(start, self.bits.at()))?;
            }
            Quick::Field { bits, low } => {
                self.budget.item(self.base + (start >> 3))?;
                let number = self.bits.take(bits)?;
                // Numbers of OER may be in two's complement: the lowest has the highest bit alone.
                let number = if self.layout.octets && low < 0 { number ^ 1 << (bits - 1) } else { number };
                self.sink.scalar(Scalar::int(low.wrapping_add_unsigned(number)), self.span(start, self.bits.at()))?;
            }
            Quick::Whole { signed } => {
                let Some((number, octets)) = self.bits.counted() else { return Ok(false) };
                self.budget.item(self.base + (start >> 3))?;
                let free = 64 - octets * 8;
                let scalar = if signed { Scalar::int((number << free) as i64 >> free) } else { Scalar::uint(number) };
                self.sink.scalar(scalar, self.span(start, self.bits.at()))?;
            }
            Quick::Real => {
                let Some((number, octets)) = self.bits.seen_counted() else { return Ok(false) };
                let raw = (number << (64 - octets * 8)).to_be_bytes();
                let Ok(Real::Float(value)) = octets::real(&raw[..octets as usize]) else { return Ok(false) };
                self.bits.step(8 + u64::from(octets) * 8);
                self.budget.item(self.base + (start >> 3))?;
                self.sink.scalar(Scalar::f64(value), self.span(start, self.bits.at()))?;
            }
            Quick::Utf8 => {
                if let (Some(message), Some((from, to))) = (self.message, self.bits.seen_octets())
                    && let Some(text) = bytes::utf8(&message[from..to])
                {
                    self.bits.step(8 + ((to - from) as u64) * 8);
                    self.budget.item(self.base + (start >> 3))?;
                    self.sink.scalar(Scalar::Text(Str::Input(text)), self.span(start, self.bits.at()))?;
                } else {
                    return Ok(false);
                }
            }
            Quick::Octets(octets) => {
                let Some(message) = self.message else { return Ok(false) };
                let Some((from, to)) = self.bits.fixed_octets(octets as usize) else { return Ok(false) };
                self.budget.item(self.base + (start >> 3))?;
                self.sink.scalar(Scalar::Bytes(Str::Input(&message[from..to])), self.span(start, self.bits.at()))?;
            }
        }
        Ok(true)
    }
}

//! Whole numbers and enumerators (X.691 13 and 14, X.696 10 and 11).

use polywire_core::{ErrorKind, Open, Result, Scalar, Sink, Span, Str};

use super::super::layout::{Form, Size};
use super::{Place, Raw, Walk};
use crate::model::Range;
use crate::walk::{octets, raise};

impl<'x, 'm, S: Sink<'m> + ?Sized> Walk<'_, 'x, 'm, S> {
    #[inline]
    pub(super) fn integer(&mut self, index: u32, start: u64) -> Result<()> {
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
            Form::Semi => {
                let is_free = number.low == 0 && number.range == Range::SIZES;
                return if is_free && self.short(false, start)? { Ok(()) } else { self.semi(number.low, number.range, start) };
            }
            Form::Free => {
                let is_free = number.range == Range::ALL;
                return if is_free && self.short(true, start)? { Ok(()) } else { self.bounded(number.range, start) };
            }
        };
        self.check_range(value, number.range, start)?;
        self.whole(value, start)
    }

    #[inline]
    pub(super) fn check_range(&mut self, value: i128, range: Range, start: u64) -> Result<()> {
        if range.contains(value) {
            return Ok(());
        }
        let bound = |bound: Option<i128>, open: &str| bound.map_or_else(|| open.to_string(), |bound| bound.to_string());
        self.breaks(start, format!("the number {value}"), format!("{} to {}", bound(range.low, "MIN"), bound(range.high, "MAX")))
    }

    #[inline]
    pub(super) fn whole(&mut self, value: i128, start: u64) -> Result<()> {
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

    /// Reads a number of up to seven octets behind their count, of a type that has no bounds but
    /// zero. Returns false, and reads nothing, if there is another one.
    #[inline]
    fn short(&mut self, signed: bool, start: u64) -> Result<bool> {
        if self.keys.is_open() || self.layout.canonical {
            return Ok(false);
        }
        if self.layout.aligned {
            return Ok(false);
        }
        let Some((number, octets)) = self.bits.counted() else { return Ok(false) };
        if self.is_heard() {
            let free = 64 - octets * 8;
            let scalar = if signed { Scalar::int((number << free) as i64 >> free) } else { Scalar::uint(number) };
            let span = self.span(start, self.bits.at());
            self.sink.scalar(scalar, span)?;
        }
        Ok(true)
    }

    /// Reads a number in two's complement that has a greatest value.
    pub(super) fn bounded(&mut self, range: Range, start: u64) -> Result<()> {
        let raw = self.gather(&Size::ANY)?;
        self.check_shortest(octets::superfluous(self.raw(raw)), start)?;
        if let Some(high) = range.high {
            let octets = self.raw(raw);
            let negative = octets.first().is_some_and(|first| *first >= 0x80);
            if octets::integer(octets).map_or(!negative, |value| value > high) {
                self.breaks(start, "a greater number".to_string(), format!("MIN to {high}"))?;
            }
        }
        self.emit_number(raw, start)
    }

    pub(super) fn check_shortest(&self, superfluous: usize, start: u64) -> Result<()> {
        if superfluous == 0 {
            return Ok(());
        }
        self.not_canonical(start, "a number that is longer than it needs to be", "the shortest form (X.696 10.4)")
    }

    /// Reads a number of any size in two's complement.
    pub(super) fn free(&mut self, start: u64) -> Result<()> {
        let raw = self.gather(&Size::ANY)?;
        self.check_shortest(octets::superfluous(self.raw(raw)), start)?;
        self.emit_number(raw, start)
    }

    pub(super) fn emit_number(&mut self, raw: Raw, start: u64) -> Result<()> {
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
    pub(super) fn semi(&mut self, low: i128, range: Range, start: u64) -> Result<()> {
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

    pub(super) fn enumerated(&mut self, index: u32, start: u64) -> Result<()> {
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
    pub(super) fn octet_enumerated(&mut self, index: u32, start: u64) -> Result<()> {
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
}

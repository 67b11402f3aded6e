//! BIT STRING (X.691 16, X.696 13).

use polywire_core::{ErrorKind, Field as Name, Len, Next, Open, Result, Scalar, Sink, Span, Str};
use smol_str::SmolStr;

use super::super::layout::Size;
use super::{Raw, Walk};
use crate::model::TypeId;
use crate::walk::{LENGTH, VALUE, meaning};

impl<'x, 'm, S: Sink<'m> + ?Sized> Walk<'_, 'x, 'm, S> {
    pub(super) fn bit_string(&mut self, ty: TypeId, index: u32, size: u32, start: u64) -> Result<()> {
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
        self.emit_bits(ty, index, total, start)
    }

    /// Emits a bit string, whose bits are at hand.
    pub(super) fn emit_bits(&mut self, ty: TypeId, index: u32, count: u64, start: u64) -> Result<()> {
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
            return self.emit_bytes(Some(ty), Raw::Copied, start);
        }
        if !self.is_heard() {
            return Ok(());
        }
        let span = self.span(start, self.bits.at());
        if self.guesses {
            let octets = std::mem::take(self.bytes);
            let noted = meaning::note(&self.layout.plan, ty, &octets, span, self.sink, self.text);
            *self.bytes = octets;
            noted?;
        }
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
    pub(super) fn named_bits(&mut self, names: &[(SmolStr, i128)], bytes: &[u8], count: u64, first: u64) -> Result<()> {
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

    /// Reads a bit string of OER (X.696 13).
    pub(super) fn octet_bit_string(&mut self, ty: TypeId, index: u32, size: &Size, start: u64) -> Result<()> {
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
        self.emit_bits(ty, index, count, start)
    }
}

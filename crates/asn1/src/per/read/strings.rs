//! Octets, characters and object identifiers (X.691 17, 24 and 30).

use polywire_core::{Result, Scalar, Sink, Str};

use super::super::layout::{Characters, Letters, Size};
use super::{Raw, Walk};
use crate::model::{StringKind, TypeId};
use crate::walk::checks::{self, Outside};
use crate::walk::plan::Op;
use crate::walk::{meaning, raise};

impl<'x, 'm, S: Sink<'m> + ?Sized> Walk<'_, 'x, 'm, S> {
    pub(super) fn emit_bytes(&mut self, ty: Option<TypeId>, raw: Raw, start: u64) -> Result<()> {
        if !self.is_heard() {
            return Ok(());
        }
        let span = self.span(start, self.bits.at());
        let octets = match (raw, self.message) {
            (Raw::There(start, end), Some(message)) => Str::Input(&message[start..end]),
            (Raw::There(start, end), None) => Str::Scratch(&self.bits.bytes()[start..end]),
            (Raw::Copied, _) => Str::Scratch(&self.bytes[..]),
        };
        if let Some(ty) = ty.filter(|_| self.guesses) {
            meaning::note(&self.layout.plan, ty, octets.get(), span, self.sink, &mut String::new())?;
        }
        self.sink.scalar(Scalar::Bytes(octets), span)
    }

    pub(super) fn emit_text(&mut self, kind: StringKind, raw: Raw, start: u64) -> Result<()> {
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

    pub(super) fn oid(&mut self, ty: TypeId, start: u64) -> Result<()> {
        let relative = self.layout.plan.node(ty).op == Op::RelativeOid;
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
        if self.guesses {
            meaning::note(&self.layout.plan, ty, octets, span, self.sink, &mut String::new())?;
        }
        self.sink.scalar(scalar, span)
    }

    pub(super) fn octets(&mut self, ty: TypeId, size: u32, start: u64) -> Result<()> {
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
        self.emit_bytes(Some(ty), raw, start)
    }

    pub(super) fn characters(&mut self, index: u32, start: u64) -> Result<()> {
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
        if !extended && (!self.lenient || self.guesses) {
            self.permitted(known, raw, start)?;
        }
        self.emit_text(known.kind, raw, start)
    }

    /// Checks the size and the characters of a text that OER writes as its octets.
    #[inline]
    pub(super) fn check_text(&mut self, ty: TypeId, raw: Raw, start: u64) -> Result<()> {
        if !self.layout.octets || !self.layout.plan.node(ty).constrained || (self.lenient && !self.guesses) {
            return Ok(());
        }
        match checks::scalar(&self.layout.plan, ty, self.raw(raw), 0) {
            Some(Outside { seen, expected }) => self.breaks(start, seen, expected),
            None => Ok(()),
        }
    }

    /// Checks the characters of a root value.
    pub(super) fn permitted(&mut self, known: &Characters, raw: Raw, start: u64) -> Result<()> {
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
            Some(code) => self.breaks(start, format!("the character U+{code:04X}"), "permitted characters".into()),
        }
    }

    /// Reads characters, as octets of X.690.
    pub(super) fn letters(&mut self, kind: StringKind, letters: &Letters, count: u64, out: &mut Vec<u8>) -> Result<()> {
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
}

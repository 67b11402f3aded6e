//! Fields, lengths and octets (X.691 11, X.696 8.6).

use polywire_core::{Error, ErrorKind, Note, Result, Sink, Span};

use super::super::layout::{Field, Size};
use super::{Raw, Walk};

impl<'x, 'm, S: Sink<'m> + ?Sized> Walk<'_, 'x, 'm, S> {
    // Parts of encodings.

    #[inline]
    pub(super) fn align(&mut self) -> Result<()> {
        if !self.layout.aligned {
            return Ok(());
        }
        self.skip_zeros("padding that is not 0", "zeros up to the next byte (X.691 11.2.6)")
    }

    /// Steps over zeros up to the next octet.
    #[inline]
    pub(super) fn skip_zeros(&mut self, seen: &'static str, expected: &'static str) -> Result<()> {
        let at = self.bits.at();
        let padding = (at.wrapping_neg() & 7) as u32;
        if self.bits.take(padding)? != 0 {
            return Err(self.bits.error(ErrorKind::Syntax, at).seen(seen).expected(expected));
        }
        Ok(())
    }

    #[inline]
    pub(super) fn field(&mut self, field: Field) -> Result<u64> {
        if field.align {
            self.align()?;
        }
        self.bits.take(field.bits.min(64))
    }

    /// Reads a length without bounds, and whether it is that of a fragment (X.691 11.9.3.5 to 8).
    #[inline]
    pub(super) fn length(&mut self) -> Result<(u64, bool)> {
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
    pub(super) fn octet_length(&mut self) -> Result<u64> {
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
    pub(super) fn not_canonical(&self, at: u64, seen: &'static str, expected: &'static str) -> Result<()> {
        if !self.layout.canonical {
            return Ok(());
        }
        Err(self.bits.error(ErrorKind::Syntax, at).seen(seen).expected(expected).hint("asn1-oer reads what is not canonical"))
    }

    /// Reads a number of elements in OER (X.696 17).
    pub(super) fn quantity(&mut self) -> Result<u64> {
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
    pub(super) fn pad(&mut self) -> Result<()> {
        if !self.layout.octets {
            return Ok(());
        }
        self.skip_zeros("unused bits that are not 0", "zeros (X.696 16.2.4)")
    }

    /// Reads the length of a string or list: its size, and whether it is that of a fragment.
    #[inline]
    pub(super) fn sized(&mut self, size: &Size) -> Result<(u64, bool)> {
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
    pub(super) fn outside(&self, at: u64, seen: String, expected: String) -> Error {
        let error = self.bits.error(ErrorKind::Range, at).seen(seen).expected(expected);
        error.hint("the schema's constraint forbids it: the sender may have another version of the schema")
    }

    /// Refuses a value outside of a constraint, or remarks it where the caller wants it read.
    #[cold]
    pub(super) fn breaks(&mut self, at: u64, seen: String, expected: String) -> Result<()> {
        if !self.lenient {
            return Err(self.outside(at, seen, expected));
        }
        if !self.guesses || self.muted > 0 || self.skipped || self.stopped {
            return Ok(());
        }
        self.sink.note(Note::Meaning(&format!("{seen} is outside of the module's {expected}")), Span::NONE)
    }

    /// Checks the size of a root value against a constraint that its length does not enforce.
    pub(super) fn check_size(&mut self, at: u64, count: u64, size: &Size) -> Result<()> {
        if size.contains(count) {
            return Ok(());
        }
        let most = size.most.map_or_else(|| "more".to_string(), |most| most.to_string());
        self.breaks(at, format!("a size of {count}"), format!("{} to {most}", size.low))
    }

    /// Reads a small number, most often less than 64 (X.691 11.6).
    pub(super) fn small(&mut self) -> Result<u64> {
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
    pub(super) fn gather(&mut self, size: &Size) -> Result<Raw> {
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
    pub(super) fn take_octets(&mut self, length: u64) -> Result<Raw> {
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

    pub(super) fn copied(&mut self, raw: Raw) -> Vec<u8> {
        match raw {
            Raw::There(start, end) => self.bits.bytes()[start..end].to_vec(),
            Raw::Copied => std::mem::take(self.bytes),
        }
    }

    pub(super) fn raw(&self, raw: Raw) -> &[u8] {
        match raw {
            Raw::There(start, end) => &self.bits.bytes()[start..end],
            Raw::Copied => self.bytes,
        }
    }
}

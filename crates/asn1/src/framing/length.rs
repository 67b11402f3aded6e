//! A length before each message, big-endian, which does not count itself.

use polywire_core::walk::Forward;
use polywire_core::{Error, ErrorKind, Fault, Frame, Lost, Result, Writer};

use super::Frames;

/// Framing by lengths of this many octets.
pub(super) struct Lengths(pub u8);

impl Frames for Lengths {
    fn frame(&mut self, buf: &[u8], base: u64, eof: bool) -> Result<Frame> {
        let start = usize::from(self.0);
        if buf.is_empty() && eof {
            return Ok(Frame::End);
        }
        let Some(octets) = buf.get(..start) else {
            return if eof { Err(Error::truncated(base, "the length of a message")) } else { Ok(Frame::More(start - buf.len())) };
        };
        let length = octets.iter().fold(0usize, |length, octet| length << 8 | usize::from(*octet));
        let there = buf.len() - start;
        match length.checked_sub(there).filter(|missing| *missing > 0) {
            None => Ok(Frame::Message { start, end: start + length }),
            // An unfinished message is walked as it is.
            Some(_) if eof => Ok(Frame::Message { start, end: buf.len() }),
            Some(missing) => Ok(Frame::More(missing)),
        }
    }
}

/// Writes the length before each message.
pub(crate) struct LengthWriter {
    inner: Box<dyn Writer>,
    octets: u8,
}

impl LengthWriter {
    /// Makes a writer of lengths of this many octets.
    pub fn new(inner: Box<dyn Writer>, octets: u8) -> LengthWriter {
        LengthWriter { inner, octets }
    }
}

impl<'m> Forward<'m> for LengthWriter {
    type To = dyn Writer + 'static;

    fn to(&mut self) -> &mut (dyn Writer + 'static) {
        &mut *self.inner
    }
}

impl Writer for LengthWriter {
    fn finish(&mut self, out: &mut Vec<u8>) -> Result<()> {
        let start = out.len();
        out.resize(start + usize::from(self.octets), 0);
        self.inner.finish(out)?;
        let length = (out.len() - start - usize::from(self.octets)) as u64;
        if length >> (8 * self.octets) != 0 {
            out.truncate(start);
            return Err(Error::new(ErrorKind::Range, Fault::Data).seen(format!("a message of {length} bytes")).expected(format!(
                "at most {}, which a length of {} octets holds",
                (1u64 << (8 * self.octets)) - 1,
                self.octets
            )));
        }
        let octets = length.to_be_bytes();
        out[start..start + usize::from(self.octets)].copy_from_slice(&octets[8 - usize::from(self.octets)..]);
        Ok(())
    }

    fn reset(&mut self) {
        self.inner.reset();
    }

    fn losses(&mut self) -> Vec<Lost> {
        self.inner.losses()
    }
}

//! What users call: generated code has these traits for every message.

use crate::error::Error;
use crate::limits::Limits;
use crate::output::Output;
use crate::read::{Own, Read, Reader};
use crate::{Arena, Buffer, shape, slow};

/// A message that bytes can be held against, without making anything of them.
pub trait Validate {
    /// Its type as a table.
    const SHAPE: &'static shape::Message;

    /// Holds that `bytes` are such a message.
    ///
    /// # Errors
    /// Why they are not, with offset and path.
    fn validate(bytes: &[u8], limits: &Limits) -> Result<(), Error> {
        slow::ordered(Self::SHAPE, bytes, limits).map(drop)
    }
}

/// A message that is decoded where its bytes are: strings are part of them, lists live in an arena.
pub trait Decode<'a>: Validate + Sized {
    /// Reads it from a reader, up to the end of the message that that is at.
    ///
    /// # Errors
    /// It is not there, or not in the order that fields are written in.
    fn read(reader: &mut Reader<'a, &'a Arena>) -> Read<Self>;

    /// The message that all of `bytes` are.
    ///
    /// # Errors
    /// Why they are none, with offset and path.
    #[inline]
    fn decode(bytes: &'a [u8], arena: &'a Arena) -> Result<Self, Error> {
        Self::decode_limited(bytes, arena, &Limits::DEFAULT)
    }

    /// The message that all of `bytes` are, within limits.
    ///
    /// # Errors
    /// Why they are none, with offset and path.
    #[inline]
    fn decode_limited(bytes: &'a [u8], arena: &'a Arena, limits: &Limits) -> Result<Self, Error> {
        if bytes.len() <= limits.length
            && let Ok(message) = Self::read(&mut Reader::new(bytes, limits.depth(), arena))
        {
            return Ok(message);
        }
        let ordered = slow::ordered(Self::SHAPE, bytes, limits)?;
        let mut next = ordered.iter();
        let kept = arena.fill(ordered.len(), || next.next().copied().ok_or(()));
        let kept: &'a [u8] = kept.unwrap_or_default();
        Self::read(&mut Reader::new(kept, limits.depth(), arena)).map_err(|_| shape::disagreed(Self::SHAPE))
    }
}

/// A message that owns all that it has.
pub trait DecodeOwned: Validate + Sized {
    /// Reads it from a reader, up to the end of the message that that is at.
    ///
    /// # Errors
    /// It is not there, or not in the order that fields are written in.
    fn read_owned(reader: &mut Reader<'_, Own>) -> Read<Self>;

    /// The message that all of `bytes` are.
    ///
    /// # Errors
    /// Why they are none, with offset and path.
    #[inline]
    fn decode_owned(bytes: &[u8]) -> Result<Self, Error> {
        Self::decode_owned_limited(bytes, &Limits::DEFAULT)
    }

    /// The message that all of `bytes` are, within limits.
    ///
    /// # Errors
    /// Why they are none, with offset and path.
    #[inline]
    fn decode_owned_limited(bytes: &[u8], limits: &Limits) -> Result<Self, Error> {
        if bytes.len() <= limits.length
            && let Ok(message) = Self::read_owned(&mut Reader::new(bytes, limits.depth(), Own))
        {
            return Ok(message);
        }
        let ordered = slow::ordered(Self::SHAPE, bytes, limits)?;
        Self::read_owned(&mut Reader::new(&ordered, limits.depth(), Own)).map_err(|_| shape::disagreed(Self::SHAPE))
    }
}

/// A message that can be written.
pub trait Encode {
    /// Writes it, from its last byte to its first.
    fn write(&self, out: &mut Output<'_>);

    /// Appends its bytes. A vector with enough room is not reallocated.
    #[inline]
    fn encode(&self, out: &mut Vec<u8>) {
        let mut output = Output::new(out);
        self.write(&mut output);
        output.finish();
    }

    /// Its bytes, in memory that is used again for the next message. They stay where they were written, which saves the copy of
    /// [`encode`](Self::encode).
    #[inline]
    fn encode_in<'b>(&self, buffer: &'b mut Buffer) -> &'b [u8] {
        let mut output = Output::new(buffer.empty());
        self.write(&mut output);
        output.unmoved()
    }

    /// Its bytes.
    fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.encode(&mut bytes);
        bytes
    }
}

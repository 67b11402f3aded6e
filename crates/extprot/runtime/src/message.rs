//! What users call: generated code has these traits for every message.

use crate::arena::Arena;
use crate::buffer::Buffer;
use crate::error::Error;
use crate::limits::Limits;
use crate::output::Output;
use crate::read::{Check, Own, Read, Reader};
use crate::shape::{Lazies, Shape};

/// A message that is decoded where its bytes are: strings are part of them, lists live in an arena.
pub trait Decode<'a>: Sized {
    /// What it looks like on the wire.
    fn shape() -> &'static Shape;

    /// Reads it from a reader.
    ///
    /// # Errors
    /// It is not there; [`shape`](Self::shape) tells why.
    fn read(reader: &mut Reader<'a, &'a Arena>) -> Read<Self>;

    /// The message at the start of `bytes`. What follows it is not looked at.
    ///
    /// # Errors
    /// Those of section 5.6, with offset and path.
    #[inline]
    fn decode(bytes: &'a [u8], arena: &'a Arena) -> Result<Self, Error> {
        Self::decode_limited(bytes, arena, &Limits::NONE).map(|(message, _)| message)
    }

    /// The message at the start of `bytes`, no larger than the limits, and where it ends: the next one of a stream starts there.
    ///
    /// # Errors
    /// Those of section 5.6, with offset and path.
    #[inline]
    fn decode_limited(bytes: &'a [u8], arena: &'a Arena, limits: &'a Limits) -> Result<(Self, usize), Error> {
        let mut reader = Reader::new(bytes, limits, arena);
        match Self::read(&mut reader) {
            Ok(message) => Ok((message, reader.offset())),
            Err(_) => Err(Self::shape().refusal(bytes, limits, Lazies::Skip)),
        }
    }
}

/// A message that owns all that it has.
pub trait DecodeOwned: Sized {
    /// What it looks like on the wire.
    fn shape() -> &'static Shape;

    /// Reads it from a reader.
    ///
    /// # Errors
    /// It is not there; [`shape`](Self::shape) tells why.
    fn read_owned(reader: &mut Reader<'_, Own>) -> Read<Self>;

    /// The message at the start of `bytes`. What follows it is not looked at.
    ///
    /// # Errors
    /// Those of section 5.6, with offset and path.
    #[inline]
    fn decode_owned(bytes: &[u8]) -> Result<Self, Error> {
        Self::decode_owned_limited(bytes, &Limits::NONE).map(|(message, _)| message)
    }

    /// The message at the start of `bytes`, no larger than the limits, and where it ends: the next one of a stream starts there.
    ///
    /// # Errors
    /// Those of section 5.6, with offset and path.
    #[inline]
    fn decode_owned_limited(bytes: &[u8], limits: &Limits) -> Result<(Self, usize), Error> {
        let mut reader = Reader::new(bytes, limits, Own);
        match Self::read_owned(&mut reader) {
            Ok(message) => Ok((message, reader.offset())),
            Err(_) => Err(Self::shape().refusal(bytes, limits, Lazies::Skip)),
        }
    }
}

/// A message that bytes can be held against, without making anything of them.
pub trait Validate {
    /// What it looks like on the wire.
    fn shape() -> &'static Shape;

    /// Reads over it.
    ///
    /// # Errors
    /// It is not there; [`shape`](Self::shape) tells why.
    fn check(reader: &mut Reader<'_, Check>) -> Read<()>;

    /// Holds that `bytes` start with a message, lazy fields and all; where it ends.
    ///
    /// # Errors
    /// Those of section 5.6, with offset and path.
    #[inline]
    fn validate(bytes: &[u8], limits: &Limits) -> Result<usize, Error> {
        let mut reader = Reader::new(bytes, limits, Check);
        match Self::check(&mut reader) {
            Ok(()) => Ok(reader.offset()),
            Err(_) => Err(Self::shape().refusal(bytes, limits, Lazies::Enter)),
        }
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

//! The traits of messages. Generated code implements them for each type and encoding, and users
//! call them.
//!
//! Where a type has one encoding, `value.encode(&mut out)` finds it. Where it has several, the call
//! names one: `Encode::<Usds>::encode(&value, &mut out)`.

use crate::arena::Arena;
use crate::buffer::Buffer;
use crate::encoding::Encoding;
use crate::error::Error;
use crate::read::{Check, Failed, Own, Read};

/// A type that bytes can be checked against, without making values of them.
pub trait Validate<E: Encoding> {
    /// The table of the type.
    const SHAPE: &'static E::Shape;

    /// Reads over a value, where code was generated that is faster than the table.
    ///
    /// # Errors
    /// The value is missing or wrong, or there is no such code.
    #[inline]
    fn check(reader: &mut E::Reader<'_, Check>) -> Read<()> {
        let _ = reader;
        Err(Failed)
    }

    /// Checks a message, by [`Encoding::LIMITS`].
    ///
    /// # Errors
    /// Why `bytes` are not such a message, with offset and path.
    #[inline]
    fn validate(bytes: &[u8]) -> Result<(), Error<E>>
    where
        Self: Sized,
        E: Whole<Self>,
    {
        E::validate(bytes, E::LIMITS).map(drop)
    }

    /// Checks a message and returns where it ends. Limits are inclusive.
    ///
    /// # Errors
    /// Why `bytes` are not such a message, with offset and path.
    #[inline]
    fn validate_limited(bytes: &[u8], limits: &E::Limits) -> Result<usize, Error<E>>
    where
        Self: Sized,
        E: Whole<Self>,
    {
        E::validate(bytes, limits)
    }
}

/// A type that borrows: its strings are parts of the message, its lists live in an arena.
pub trait Decode<'a, E: Encoding>: Validate<E> + Sized {
    /// Reads a value.
    ///
    /// # Errors
    /// The value is missing or wrong, or not in the order that the fast reader takes.
    fn read(reader: &mut E::Reader<'a, &'a Arena>) -> Read<Self>;

    /// Decodes a message, by [`Encoding::LIMITS`]. Encodings whose messages say where they end
    /// leave what follows alone.
    ///
    /// # Errors
    /// Why `bytes` are not such a message, with offset and path.
    #[inline]
    fn decode(bytes: &'a [u8], arena: &'a Arena) -> Result<Self, Error<E>>
    where
        E: Whole<Self>,
    {
        E::decode(bytes, arena, E::LIMITS).map(|(message, _)| message)
    }

    /// Decodes a message and returns where it ends: the next one of a stream starts there. Limits
    /// are inclusive.
    ///
    /// # Errors
    /// Why `bytes` are not such a message, with offset and path.
    #[inline]
    fn decode_limited(bytes: &'a [u8], arena: &'a Arena, limits: &'a E::Limits) -> Result<(Self, usize), Error<E>>
    where
        E: Whole<Self>,
    {
        E::decode(bytes, arena, limits)
    }
}

/// A type that owns its strings and lists.
pub trait DecodeOwned<E: Encoding>: Validate<E> + Sized {
    /// Reads a value.
    ///
    /// # Errors
    /// The value is missing or wrong, or not in the order that the fast reader takes.
    fn read_owned(reader: &mut E::Reader<'_, Own>) -> Read<Self>;

    /// Decodes a message, by [`Encoding::LIMITS`]. Encodings whose messages say where they end
    /// leave what follows alone.
    ///
    /// # Errors
    /// Why `bytes` are not such a message, with offset and path.
    #[inline]
    fn decode_owned(bytes: &[u8]) -> Result<Self, Error<E>>
    where
        E: Whole<Self>,
    {
        E::decode_owned(bytes, E::LIMITS).map(|(message, _)| message)
    }

    /// Decodes a message and returns where it ends: the next one of a stream starts there. Limits
    /// are inclusive.
    ///
    /// # Errors
    /// Why `bytes` are not such a message, with offset and path.
    #[inline]
    fn decode_owned_limited(bytes: &[u8], limits: &E::Limits) -> Result<(Self, usize), Error<E>>
    where
        E: Whole<Self>,
    {
        E::decode_owned(bytes, limits)
    }
}

/// A type that can be written.
pub trait Encode<E: Encoding> {
    /// Writes a value.
    fn write(&self, out: &mut E::Output<'_>);

    /// Appends the bytes of a message. A vector with enough room is not reallocated.
    #[inline]
    fn encode(&self, out: &mut Vec<u8>)
    where
        Self: Sized,
        E: Whole<Self>,
    {
        E::encode(self, out);
    }

    /// Returns the bytes of a message, in memory that is used again for the next one. An encoding
    /// that writes backwards leaves them where they were written, which saves the copy of
    /// [`encode`](Self::encode).
    #[inline]
    fn encode_in<'b>(&self, buffer: &'b mut Buffer) -> &'b [u8]
    where
        Self: Sized,
        E: Whole<Self>,
    {
        E::encode_in(self, buffer)
    }

    /// Returns the bytes of a message.
    fn to_bytes(&self) -> Vec<u8>
    where
        Self: Sized,
        E: Whole<Self>,
    {
        let mut bytes = Vec::new();
        self.encode(&mut bytes);
        bytes
    }
}

/// An encoding in which a value of type `T` can be a whole message: of any type in most encodings,
/// of a root in USDS. The runtime of the encoding has the functions behind the traits of messages.
pub trait Whole<T>: Encoding {
    /// Checks a message and returns where it ends.
    ///
    /// # Errors
    /// Why `bytes` are not such a message.
    fn validate(bytes: &[u8], limits: &Self::Limits) -> Result<usize, Error<Self>>
    where
        T: Validate<Self>;

    /// Decodes a message that borrows, and returns where it ends.
    ///
    /// # Errors
    /// Why `bytes` are not such a message.
    fn decode<'a>(bytes: &'a [u8], arena: &'a Arena, limits: &'a Self::Limits) -> Result<(T, usize), Error<Self>>
    where
        T: Decode<'a, Self>;

    /// Decodes a message that owns its parts, and returns where it ends.
    ///
    /// # Errors
    /// Why `bytes` are not such a message.
    fn decode_owned(bytes: &[u8], limits: &Self::Limits) -> Result<(T, usize), Error<Self>>
    where
        T: DecodeOwned<Self>;

    /// Appends the bytes of a message.
    fn encode(value: &T, out: &mut Vec<u8>)
    where
        T: Encode<Self>;

    /// Writes a message to a buffer and returns its bytes.
    fn encode_in<'b>(value: &T, buffer: &'b mut Buffer) -> &'b [u8]
    where
        T: Encode<Self>;
}

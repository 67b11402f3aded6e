//! Lazy fields (docs/spec/extprot.md 5.8).

use polywire_runtime::Arena;

use crate::error::Error;
use crate::limits::Limits;
use crate::read::{Own, Read, Reader};
use crate::shape::{Lazies, Shape};

/// A field that is decoded on access. `B` is the type of its bytes: `&[u8]` or `Vec<u8>`.
///
/// Two fields are equal if they have equal bytes or equal values. Bytes and a value are never
/// equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Lazy<B, T> {
    /// The bytes as they came, prefix included. They are written unchanged.
    Raw(B),
    /// The value.
    Decoded(T),
}

impl<B, T> Lazy<B, T> {
    /// Returns whether the field has its value.
    pub const fn is_decoded(&self) -> bool {
        matches!(self, Lazy::Decoded(_))
    }
}

impl<'a, T: Copy> Lazy<&'a [u8], T> {
    /// Returns the value, decoded by `read` if needed.
    ///
    /// # Errors
    /// Those of docs/spec/extprot.md 5.6, with offset and path inside the field.
    pub fn get(
        &self,
        arena: &'a Arena,
        shape: &'static Shape,
        read: impl FnOnce(&mut Reader<'a, &'a Arena>) -> Read<T>,
    ) -> Result<T, Error> {
        match *self {
            Lazy::Decoded(value) => Ok(value),
            Lazy::Raw(bytes) => {
                let mut reader = Reader::new(bytes, &Limits::NONE, arena);
                read(&mut reader).map_err(|_| shape.refusal(bytes, &Limits::NONE, Lazies::Skip))
            }
        }
    }
}

impl<T> Lazy<Vec<u8>, T> {
    /// Decodes the field in its place and returns the value.
    ///
    /// # Errors
    /// Those of docs/spec/extprot.md 5.6, with offset and path inside the field. The bytes stay.
    pub fn force(&mut self, shape: &'static Shape, read: impl FnOnce(&mut Reader<'_, Own>) -> Read<T>) -> Result<&mut T, Error> {
        if let Lazy::Raw(bytes) = self {
            let value = read(&mut Reader::new(bytes, &Limits::NONE, Own)).map_err(|_| shape.refusal(bytes, &Limits::NONE, Lazies::Skip))?;
            *self = Lazy::Decoded(value);
        }
        match self {
            Lazy::Decoded(value) => Ok(value),
            Lazy::Raw(_) => unreachable!("the bytes were decoded above"),
        }
    }
}

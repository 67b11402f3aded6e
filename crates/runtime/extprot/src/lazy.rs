//! Lazy fields (section 5.8).

use polywire_runtime::Arena;

use crate::error::Error;
use crate::limits::Limits;
use crate::read::{Own, Read, Reader};
use crate::shape::{Lazies, Shape};

/// A field that is decoded when it is asked for. `B` are the bytes: `&[u8]` or `Vec<u8>`.
///
/// Two of them are equal if they have equal bytes or equal values; bytes are not decoded to compare them with a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Lazy<B, T> {
    /// Its bytes, prefix included, as they came. They are written as they are.
    Raw(B),
    /// Its value.
    Decoded(T),
}

impl<B, T> Lazy<B, T> {
    /// Whether it has its value.
    pub const fn is_decoded(&self) -> bool {
        matches!(self, Lazy::Decoded(_))
    }
}

impl<'a, T: Copy> Lazy<&'a [u8], T> {
    /// The value, decoded by `read` if it is not yet.
    ///
    /// # Errors
    /// Those of section 5.6; offset and path are those inside of the field.
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
    /// The value, which takes the place of the bytes.
    ///
    /// # Errors
    /// Those of section 5.6; offset and path are those inside of the field. The bytes stay.
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

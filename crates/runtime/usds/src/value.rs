//! Values of any type of a dictionary, without a document around them.

use polywire_runtime::{Arena, Decode, DecodeOwned, Encode, Validate};

use crate::error::{Error, Problem};
use crate::marker::Usds;
use crate::output::Output;
use crate::read::{Own, Reader};
use crate::shape::Refused;

/// A type of a dictionary, whose values stand for themselves, without a tag in front.
pub trait Value: Validate<Usds> + Sized {
    /// Checks the value at the start of `bytes` and returns where it ends.
    ///
    /// # Errors
    /// Why there is none, with offset and path.
    fn validate_value(bytes: &[u8]) -> Result<usize, Error> {
        Self::SHAPE.shape.check(bytes, 0).map_err(|refused| Self::SHAPE.dictionary.error(refused, None))
    }

    /// Decodes the value at the start of `bytes`, borrowing, and returns where it ends.
    ///
    /// # Errors
    /// Why there is none, with offset and path.
    #[inline]
    fn decode_value<'a>(bytes: &'a [u8], arena: &'a Arena) -> Result<(Self, usize), Error>
    where
        Self: Decode<'a, Usds>,
    {
        let mut reader = Reader::new(bytes, 0, arena);
        match Self::read(&mut reader) {
            Ok(value) => Ok((value, reader.offset())),
            Err(_) => Err(explained::<Self>(bytes)),
        }
    }

    /// Decodes the value at the start of `bytes`, owning, and returns where it ends.
    ///
    /// # Errors
    /// Why there is none, with offset and path.
    #[inline]
    fn decode_value_owned(bytes: &[u8]) -> Result<(Self, usize), Error>
    where
        Self: DecodeOwned<Usds>,
    {
        let mut reader = Reader::new(bytes, 0, Own);
        match Self::read_owned(&mut reader) {
            Ok(value) => Ok((value, reader.offset())),
            Err(_) => Err(explained::<Self>(bytes)),
        }
    }

    /// Appends the value.
    #[inline]
    fn encode_value(&self, out: &mut Vec<u8>)
    where
        Self: Encode<Usds>,
    {
        self.write(&mut Output::new(out));
    }
}

impl<T: Validate<Usds>> Value for T {}

#[cold]
#[inline(never)]
fn explained<T: Validate<Usds>>(bytes: &[u8]) -> Error {
    let refused = T::SHAPE.shape.check(bytes, 0).err();
    let refused = refused.unwrap_or_else(|| Refused::new(Problem::End, 0, bytes));
    T::SHAPE.dictionary.error(refused, None)
}

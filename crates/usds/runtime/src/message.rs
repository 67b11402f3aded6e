//! What users call: generated code has these traits for every type with a name.

use crate::Arena;
use crate::dictionary::{Dictionary, Form, Roots};
use crate::error::Error;
use crate::output::Output;
use crate::read::{Own, Read, Reader};
use crate::shape::Shape;

/// A type that opens entries of a body.
pub trait Root {
    /// Id of its tag.
    const TAG: u32;
}

/// A type of a dictionary, which bytes can be held against without making anything of them.
pub trait Validate {
    /// The dictionary.
    const DICTIONARY: &'static Dictionary;

    /// The type as a table.
    const SHAPE: &'static Shape;

    /// Holds that a value is at the start of `bytes`; where it ends.
    ///
    /// # Errors
    /// Why it is none.
    fn validate_value(bytes: &[u8]) -> Result<usize, Error> {
        Self::SHAPE.check(bytes, 0).map_err(|refused| Self::DICTIONARY.error(refused, None))
    }

    /// Holds that `bytes` are a document or body of one such root.
    ///
    /// # Errors
    /// Why they are not.
    fn validate(bytes: &[u8]) -> Result<(), Error>
    where
        Self: Root,
    {
        Roots::open(bytes, Self::DICTIONARY)?.only(Self::TAG)
    }
}

/// A value that is decoded where its bytes are: text is part of them, arrays live in an arena.
pub trait Decode<'a>: Sized + Validate {
    /// Reads it from a reader.
    ///
    /// # Errors
    /// It is not there.
    fn read(reader: &mut Reader<'a, &'a Arena>) -> Read<Self>;

    /// The only root of a document, with or without its dictionary, or of a body.
    ///
    /// # Errors
    /// Those of section 8, with offset and path; another dictionary.
    #[inline]
    fn decode(bytes: &'a [u8], arena: &'a Arena) -> Result<Self, Error>
    where
        Self: Root,
    {
        let mut roots = Roots::open(bytes, Self::DICTIONARY)?;
        let value = roots.next(arena)?;
        roots.end()?;
        Ok(value)
    }

    /// The value at the start of `bytes`, without a tag in front, and where it ends.
    ///
    /// # Errors
    /// Those of section 8, with offset and path.
    #[inline]
    fn decode_value(bytes: &'a [u8], arena: &'a Arena) -> Result<(Self, usize), Error> {
        let mut reader = Reader::new(bytes, 0, arena);
        match Self::read(&mut reader) {
            Ok(value) => Ok((value, reader.offset())),
            Err(_) => Err(explained::<Self>(bytes)),
        }
    }
}

/// A value that owns all that it has.
pub trait DecodeOwned: Sized + Validate {
    /// Reads it from a reader.
    ///
    /// # Errors
    /// It is not there.
    fn read_owned(reader: &mut Reader<'_, Own>) -> Read<Self>;

    /// The only root of a document, with or without its dictionary, or of a body.
    ///
    /// # Errors
    /// Those of section 8, with offset and path; another dictionary.
    #[inline]
    fn decode_owned(bytes: &[u8]) -> Result<Self, Error>
    where
        Self: Root,
    {
        let mut roots = Roots::open(bytes, Self::DICTIONARY)?;
        let value = roots.next_owned()?;
        roots.end()?;
        Ok(value)
    }

    /// The value at the start of `bytes`, without a tag in front, and where it ends.
    ///
    /// # Errors
    /// Those of section 8, with offset and path.
    #[inline]
    fn decode_value_owned(bytes: &[u8]) -> Result<(Self, usize), Error> {
        let mut reader = Reader::new(bytes, 0, Own);
        match Self::read_owned(&mut reader) {
            Ok(value) => Ok((value, reader.offset())),
            Err(_) => Err(explained::<Self>(bytes)),
        }
    }
}

/// A value that can be written.
pub trait Encode: Validate {
    /// Writes it.
    fn write(&self, out: &mut Output<'_>);

    /// Appends a body with this as its only root.
    #[inline]
    fn encode(&self, out: &mut Vec<u8>)
    where
        Self: Root,
    {
        Self::DICTIONARY.open(out);
        self.encode_root(out);
    }

    /// Appends it as one more root of a body.
    #[inline]
    fn encode_root(&self, out: &mut Vec<u8>)
    where
        Self: Root,
    {
        let mut output = Output::new(out);
        output.uvarint(u64::from(Self::TAG));
        self.write(&mut output);
    }

    /// Appends the value without a tag in front.
    #[inline]
    fn encode_value(&self, out: &mut Vec<u8>) {
        self.write(&mut Output::new(out));
    }

    /// A document of that form with this as its only root.
    ///
    /// # Errors
    /// It is longer than a head can say.
    fn to_document(&self, form: Form) -> Result<Vec<u8>, Error>
    where
        Self: Root,
    {
        let (mut body, mut document) = (Vec::new(), Vec::new());
        self.encode(&mut body);
        Self::DICTIONARY.document(form, &body, &mut document)?;
        Ok(document)
    }
}

#[cold]
#[inline(never)]
fn explained<T: Validate>(bytes: &[u8]) -> Error {
    let refused = T::SHAPE.check(bytes, 0).err();
    let refused = refused.unwrap_or_else(|| crate::shape::Refused::new(crate::error::Problem::End, 0, bytes));
    T::DICTIONARY.error(refused, None)
}

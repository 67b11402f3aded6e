//! Types that open entries of a body.

use polywire_runtime::{Encode, Validate};

use crate::dictionary::{Dictionary, Form};
use crate::error::Error;
use crate::marker::Usds;
use crate::output::Output;

/// A type that opens entries of a body.
pub trait Root: Validate<Usds> + Sized {
    /// Id of its tag.
    const TAG: u32;

    /// The dictionary that the code was generated from.
    const DICTIONARY: &'static Dictionary = <Self as Validate<Usds>>::SHAPE.dictionary;

    /// Appends the value as one more root of a body.
    #[inline]
    fn encode_root(&self, out: &mut Vec<u8>)
    where
        Self: Encode<Usds>,
    {
        let mut output = Output::new(out);
        output.uvarint(u64::from(Self::TAG));
        self.write(&mut output);
    }

    /// Returns a document with this as its only root.
    ///
    /// # Errors
    /// The document is longer than a head can say.
    fn to_document(&self, form: Form) -> Result<Vec<u8>, Error>
    where
        Self: Encode<Usds>,
    {
        let (mut body, mut document) = (Vec::new(), Vec::new());
        Self::DICTIONARY.open(&mut body);
        self.encode_root(&mut body);
        Self::DICTIONARY.document(form, &body, &mut document)?;
        Ok(document)
    }
}

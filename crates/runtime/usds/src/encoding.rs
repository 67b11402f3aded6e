//! The traits of messages in USDS: those of roots.

use polywire_runtime::{Arena, Buffer, Decode, DecodeOwned, Encode, Encoding, Validate, Whole};

use crate::dictionary::Type;
use crate::error::{Cause, Error};
use crate::limits::NoLimits;
use crate::marker::Usds;
use crate::output::Output;
use crate::read::Reader;
use crate::root::Root;
use crate::roots::Roots;

impl Encoding for Usds {
    type Shape = Type;
    type Reader<'a, S> = Reader<'a, S>;
    type Output<'v> = Output<'v>;
    type Limits = NoLimits;
    type Cause = Cause;

    const LIMITS: &'static NoLimits = &NoLimits;
    const SEPARATOR: char = '.';
}

impl<T: Root> Whole<T> for Usds {
    #[inline]
    fn validate(bytes: &[u8], _: &NoLimits) -> Result<usize, Error>
    where
        T: Validate<Usds>,
    {
        Roots::open(bytes, T::DICTIONARY)?.only(T::TAG)?;
        Ok(bytes.len())
    }

    #[inline(always)]
    fn decode<'a>(bytes: &'a [u8], arena: &'a Arena, _: &'a NoLimits) -> Result<(T, usize), Error>
    where
        T: Decode<'a, Usds>,
    {
        let mut roots = Roots::open(bytes, T::DICTIONARY)?;
        let value = roots.next(arena)?;
        roots.end()?;
        Ok((value, bytes.len()))
    }

    #[inline(always)]
    fn decode_owned(bytes: &[u8], _: &NoLimits) -> Result<(T, usize), Error>
    where
        T: DecodeOwned<Usds>,
    {
        let mut roots = Roots::open(bytes, T::DICTIONARY)?;
        let value = roots.next_owned()?;
        roots.end()?;
        Ok((value, bytes.len()))
    }

    #[inline(always)]
    fn encode(value: &T, out: &mut Vec<u8>)
    where
        T: Encode<Usds>,
    {
        T::DICTIONARY.open(out);
        value.encode_root(out);
    }

    #[inline(always)]
    fn encode_in<'b>(value: &T, buffer: &'b mut Buffer) -> &'b [u8]
    where
        T: Encode<Usds>,
    {
        let bytes = buffer.empty();
        Self::encode(value, bytes);
        bytes
    }
}

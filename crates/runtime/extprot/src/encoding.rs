//! The traits of messages in extprot.

use polywire_runtime::{Arena, Buffer, Decode, DecodeOwned, Encode, Encoding, Validate, Whole};

use crate::error::{Cause, Error};
use crate::limits::Limits;
use crate::marker::Extprot;
use crate::output::Output;
use crate::read::{Check, Own, Reader};
use crate::shape::{Lazies, Shape};

impl Encoding for Extprot {
    type Shape = Shape;
    type Reader<'a, S> = Reader<'a, S>;
    type Output<'v> = Output<'v>;
    type Limits = Limits;
    type Cause = Cause;

    const LIMITS: &'static Limits = &Limits::NONE;
    const SEPARATOR: char = '/';
}

impl<T> Whole<T> for Extprot {
    #[inline(always)]
    fn validate(bytes: &[u8], limits: &Limits) -> Result<usize, Error>
    where
        T: Validate<Extprot>,
    {
        let mut reader = Reader::new(bytes, limits, Check);
        match T::check(&mut reader) {
            Ok(()) => Ok(reader.offset()),
            Err(_) => Err(T::SHAPE.refusal(bytes, limits, Lazies::Enter)),
        }
    }

    #[inline(always)]
    fn decode<'a>(bytes: &'a [u8], arena: &'a Arena, limits: &'a Limits) -> Result<(T, usize), Error>
    where
        T: Decode<'a, Extprot>,
    {
        let mut reader = Reader::new(bytes, limits, arena);
        match T::read(&mut reader) {
            Ok(message) => Ok((message, reader.offset())),
            Err(_) => Err(T::SHAPE.refusal(bytes, limits, Lazies::Skip)),
        }
    }

    #[inline(always)]
    fn decode_owned(bytes: &[u8], limits: &Limits) -> Result<(T, usize), Error>
    where
        T: DecodeOwned<Extprot>,
    {
        let mut reader = Reader::new(bytes, limits, Own);
        match T::read_owned(&mut reader) {
            Ok(message) => Ok((message, reader.offset())),
            Err(_) => Err(T::SHAPE.refusal(bytes, limits, Lazies::Skip)),
        }
    }

    #[inline(always)]
    fn encode(value: &T, out: &mut Vec<u8>)
    where
        T: Encode<Extprot>,
    {
        let mut output = Output::new(out);
        value.write(&mut output);
        output.finish();
    }

    #[inline(always)]
    fn encode_in<'b>(value: &T, buffer: &'b mut Buffer) -> &'b [u8]
    where
        T: Encode<Extprot>,
    {
        let mut output = Output::new(buffer.empty());
        value.write(&mut output);
        output.unmoved()
    }
}

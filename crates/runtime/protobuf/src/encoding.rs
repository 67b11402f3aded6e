//! The traits of messages in Protobuf.

use polywire_runtime::{Arena, Buffer, Decode, DecodeOwned, Encode, Encoding, Validate, Whole};

use crate::error::{Cause, Error};
use crate::limits::Limits;
use crate::marker::Protobuf;
use crate::output::Output;
use crate::read::{Own, Reader};
use crate::shape::{self, Message};
use crate::slow;

impl Encoding for Protobuf {
    type Shape = Message;
    type Reader<'a, S> = Reader<'a, S>;
    type Output<'v> = Output<'v>;
    type Limits = Limits;
    type Cause = Cause;

    const LIMITS: &'static Limits = &Limits::DEFAULT;
    const SEPARATOR: char = '.';
}

impl<T> Whole<T> for Protobuf {
    #[inline]
    fn validate(bytes: &[u8], limits: &Limits) -> Result<usize, Error>
    where
        T: Validate<Protobuf>,
    {
        slow::ordered(T::SHAPE, bytes, limits).map(|_| bytes.len())
    }

    #[inline(always)]
    fn decode<'a>(bytes: &'a [u8], arena: &'a Arena, limits: &'a Limits) -> Result<(T, usize), Error>
    where
        T: Decode<'a, Protobuf>,
    {
        if bytes.len() <= limits.length
            && let Ok(message) = T::read(&mut Reader::new(bytes, limits.depth(), arena))
        {
            return Ok((message, bytes.len()));
        }
        let ordered = slow::ordered(T::SHAPE, bytes, limits)?;
        let mut next = ordered.iter();
        let kept = arena.fill(ordered.len(), || next.next().copied().ok_or(()));
        let kept: &'a [u8] = kept.unwrap_or_default();
        let message = T::read(&mut Reader::new(kept, limits.depth(), arena)).map_err(|_| shape::disagreed(T::SHAPE))?;
        Ok((message, bytes.len()))
    }

    #[inline(always)]
    fn decode_owned(bytes: &[u8], limits: &Limits) -> Result<(T, usize), Error>
    where
        T: DecodeOwned<Protobuf>,
    {
        if bytes.len() <= limits.length
            && let Ok(message) = T::read_owned(&mut Reader::new(bytes, limits.depth(), Own))
        {
            return Ok((message, bytes.len()));
        }
        let ordered = slow::ordered(T::SHAPE, bytes, limits)?;
        let message = T::read_owned(&mut Reader::new(&ordered, limits.depth(), Own)).map_err(|_| shape::disagreed(T::SHAPE))?;
        Ok((message, bytes.len()))
    }

    #[inline(always)]
    fn encode(value: &T, out: &mut Vec<u8>)
    where
        T: Encode<Protobuf>,
    {
        let mut output = Output::new(out);
        value.write(&mut output);
        output.finish();
    }

    #[inline(always)]
    fn encode_in<'b>(value: &T, buffer: &'b mut Buffer) -> &'b [u8]
    where
        T: Encode<Protobuf>,
    {
        let mut output = Output::new(buffer.empty());
        value.write(&mut output);
        output.unmoved()
    }
}

//! The traits of messages in both protocols.

use polywire_runtime::{Arena, Buffer, Decode, DecodeOwned, Encode, Encoding, Validate, Whole};

use crate::error::{Cause, Error};
use crate::limits::Limits;
use crate::output::Output;
use crate::read::{Own, Reader};
use crate::shape::{Shape, disagreed};
use crate::{Binary, Compact};

macro_rules! protocol {
    ($protocol:ident) => {
        impl Encoding for $protocol {
            type Shape = Shape;
            type Reader<'a, S> = Reader<'a, $protocol, S>;
            type Output<'v> = Output<'v, $protocol>;
            type Limits = Limits;
            type Cause = Cause;

            const LIMITS: &'static Limits = &Limits::DEFAULT;
            const SEPARATOR: char = '.';
        }

        impl<T> Whole<T> for $protocol {
            #[inline]
            fn validate(bytes: &[u8], limits: &Limits) -> Result<usize, Error<$protocol>>
            where
                T: Validate<$protocol>,
            {
                T::SHAPE.explain(bytes, limits)
            }

            #[inline(always)]
            fn decode<'a>(bytes: &'a [u8], arena: &'a Arena, limits: &'a Limits) -> Result<(T, usize), Error<$protocol>>
            where
                T: Decode<'a, $protocol>,
            {
                let mut reader = Reader::new(bytes, limits, arena);
                match T::read(&mut reader) {
                    Ok(message) => Ok((message, bytes.len() - reader.left())),
                    Err(_) => Err(T::SHAPE.explain(bytes, limits).err().unwrap_or_else(disagreed)),
                }
            }

            #[inline(always)]
            fn decode_owned(bytes: &[u8], limits: &Limits) -> Result<(T, usize), Error<$protocol>>
            where
                T: DecodeOwned<$protocol>,
            {
                let mut reader = Reader::new(bytes, limits, Own);
                match T::read_owned(&mut reader) {
                    Ok(message) => Ok((message, bytes.len() - reader.left())),
                    Err(_) => Err(T::SHAPE.explain(bytes, limits).err().unwrap_or_else(disagreed)),
                }
            }

            #[inline(always)]
            fn encode(value: &T, out: &mut Vec<u8>)
            where
                T: Encode<$protocol>,
            {
                value.write(&mut Output::new(out));
            }

            #[inline(always)]
            fn encode_in<'b>(value: &T, buffer: &'b mut Buffer) -> &'b [u8]
            where
                T: Encode<$protocol>,
            {
                let out = buffer.empty();
                value.write(&mut Output::new(out));
                out
            }
        }
    };
}

protocol!(Binary);
protocol!(Compact);

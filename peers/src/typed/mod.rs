//! Libraries that read and write values of types known at compile time: each decodes and encodes the same messages in its own format.
//!
//! The input is the messages in Protobuf's format. A library of another format first gets them into its own. What each decodes is written by
//! prost and must be the input again; what it encodes is decoded for that.

pub mod asn1;
pub mod bson;
pub mod by_serde;
pub mod extprot;
pub mod finding;
#[cfg(feature = "native")]
pub mod generated;
pub mod json;
pub mod model;
pub mod protobuf;
#[cfg(feature = "native")]
pub mod sales;
pub mod usds;
pub mod xml;

use std::hint::black_box;
use std::marker::PhantomData;

use polywire_compare::harness::Subject;
use polywire_core::{Error, Result};
use prost::Message;

use crate::failed::failed;
use crate::input::Input;
use crate::peer::{Peer, Prepared, Work};
use model::{Complex, Flat, Sales};

/// A format and its library, for one type of messages.
pub trait Codec {
    /// What decoding makes: a value, or a view of the bytes.
    type Decoded<'b>;

    /// What is encoded.
    type Value;

    fn decode(bytes: &[u8]) -> Result<Self::Decoded<'_>>;

    /// Writes the message to `out`, which is empty.
    fn encode(value: &Self::Value, out: &mut Vec<u8>) -> Result<()>;

    /// The message in Protobuf's format.
    fn to_protobuf(decoded: &Self::Decoded<'_>) -> Result<Vec<u8>>;

    /// The message that Protobuf's format says.
    fn of_protobuf(bytes: &[u8]) -> Result<Self::Value>;

    /// A value as the library's users have it: by its own decoder, from a message in its own format, with nothing else allocated meanwhile. `protobuf`
    /// is the same in Protobuf's format, for libraries without a decoder of such values.
    fn value(_message: &[u8], protobuf: &[u8]) -> Result<Self::Value> {
        Self::of_protobuf(protobuf)
    }
}

/// Messages in a library's own format.
pub struct Messages {
    /// One behind the other, each at a multiple of sixteen: rkyv wants aligned messages.
    bytes: rkyv::util::AlignedVec,
    places: Vec<(usize, usize)>,
}

impl Messages {
    /// The messages of Protobuf that are the input.
    pub fn of<C: Codec>(input: &Input) -> Result<Messages> {
        let mut messages = Messages { bytes: rkyv::util::AlignedVec::new(), places: Vec::new() };
        let mut message = Vec::new();
        for value in input.each() {
            message.clear();
            C::encode(&C::of_protobuf(value)?, &mut message)?;
            messages.bytes.resize(messages.bytes.len().next_multiple_of(16), 0);
            let start = messages.bytes.len();
            messages.bytes.extend_from_slice(&message);
            messages.places.push((start, messages.bytes.len()));
        }
        Ok(messages)
    }

    /// Bytes of all messages.
    pub fn size(&self) -> usize {
        self.places.iter().map(|(start, end)| end - start).sum()
    }

    /// Each message.
    pub fn each(&self) -> impl Iterator<Item = &[u8]> {
        self.places.iter().map(|(start, end)| &self.bytes[*start..*end])
    }
}

struct Decoder<'a, C> {
    messages: Messages,
    input: &'a Input,
    codec: PhantomData<C>,
}

impl<C: Codec> Subject for Decoder<'_, C> {
    fn pass(&mut self) -> Result<()> {
        for message in self.messages.each() {
            black_box(C::decode(black_box(message))?);
        }
        Ok(())
    }
}

impl<'a, C: Codec + 'a> Peer<'a> for Decoder<'a, C> {
    fn check(&mut self) -> Result<u64> {
        for (message, expected) in self.messages.each().zip(self.input.each()) {
            if C::to_protobuf(&C::decode(message)?)? != expected {
                return Err(Error::internal("a rival decoded another message"));
            }
        }
        Ok(self.messages.places.len() as u64)
    }

    fn size(&self) -> Option<usize> {
        Some(self.messages.size())
    }
}

/// Each message is written to the same buffer. Values were made one after the other, in the order that they are written in: where they lie in memory
/// is as good for every library.
struct Encoder<'a, C: Codec> {
    values: Vec<C::Value>,
    out: Vec<u8>,
    /// Bytes of all messages, which the check counts.
    size: Option<usize>,
    input: &'a Input,
}

impl<C: Codec> Subject for Encoder<'_, C> {
    fn pass(&mut self) -> Result<()> {
        for value in &self.values {
            self.out.clear();
            C::encode(black_box(value), &mut self.out)?;
            black_box(&self.out);
        }
        Ok(())
    }
}

impl<'a, C: Codec + 'a> Peer<'a> for Encoder<'a, C> {
    fn check(&mut self) -> Result<u64> {
        let mut aligned = rkyv::util::AlignedVec::<16>::new();
        let mut size = 0;
        for (value, expected) in self.values.iter().zip(self.input.each()) {
            self.out.clear();
            C::encode(value, &mut self.out)?;
            size += self.out.len();
            aligned.clear();
            aligned.extend_from_slice(&self.out);
            if C::to_protobuf(&C::decode(&aligned)?)? != expected {
                return Err(Error::internal("a rival encoded another message"));
            }
        }
        self.size = Some(size);
        Ok(self.values.len() as u64)
    }

    fn size(&self) -> Option<usize> {
        self.size
    }
}

/// The library at that work.
pub fn prepare<C: Codec + 'static>(work: Work, input: &Input) -> Prepared<'_> {
    match work {
        Work::Decode => Ok(Some(Box::new(Decoder::<C> { messages: Messages::of::<C>(input)?, input, codec: PhantomData }))),
        Work::Encode => {
            let messages = Messages::of::<C>(input)?;
            let mut values = Vec::with_capacity(messages.places.len());
            for (message, protobuf) in messages.each().zip(input.each()) {
                values.push(C::value(message, protobuf)?);
            }
            Ok(Some(Box::new(Encoder::<C> { values, out: Vec::new(), size: None, input })))
        }
        _ => Ok(None),
    }
}

/// prost: owned values.
pub struct Prost<T>(PhantomData<T>);

impl<T: Message + Default> Codec for Prost<T> {
    type Decoded<'b> = T;
    type Value = T;

    fn decode(bytes: &[u8]) -> Result<T> {
        T::decode(bytes).map_err(failed)
    }

    fn encode(value: &T, out: &mut Vec<u8>) -> Result<()> {
        value.encode(out).map_err(failed)
    }

    fn to_protobuf(value: &T) -> Result<Vec<u8>> {
        Ok(value.encode_to_vec())
    }

    fn of_protobuf(bytes: &[u8]) -> Result<T> {
        T::decode(bytes).map_err(failed)
    }

    fn value(message: &[u8], _: &[u8]) -> Result<T> {
        Self::decode(message)
    }
}

/// bitcode: owned values.
pub struct Bitcode<T>(PhantomData<T>);

impl<T: Message + Default + bitcode::Encode + for<'b> bitcode::Decode<'b>> Codec for Bitcode<T> {
    type Decoded<'b> = T;
    type Value = T;

    fn decode(bytes: &[u8]) -> Result<T> {
        bitcode::decode(bytes).map_err(failed)
    }

    fn encode(value: &T, out: &mut Vec<u8>) -> Result<()> {
        out.extend_from_slice(&bitcode::encode(value));
        Ok(())
    }

    fn to_protobuf(value: &T) -> Result<Vec<u8>> {
        Ok(value.encode_to_vec())
    }

    fn of_protobuf(bytes: &[u8]) -> Result<T> {
        T::decode(bytes).map_err(failed)
    }

    fn value(message: &[u8], _: &[u8]) -> Result<T> {
        Self::decode(message)
    }
}

/// rkyv: views of the bytes, which are validated.
pub struct Rkyv<T>(PhantomData<T>);

macro_rules! rkyv {
    ($type:ty) => {
        impl Codec for Rkyv<$type> {
            type Decoded<'b> = &'b rkyv::Archived<$type>;
            type Value = $type;

            fn decode(bytes: &[u8]) -> Result<Self::Decoded<'_>> {
                rkyv::access::<rkyv::Archived<$type>, rkyv::rancor::Error>(bytes).map_err(failed)
            }

            fn encode(value: &$type, out: &mut Vec<u8>) -> Result<()> {
                *out = rkyv::api::high::to_bytes_in::<_, rkyv::rancor::Error>(value, std::mem::take(out)).map_err(failed)?;
                Ok(())
            }

            fn to_protobuf(decoded: &Self::Decoded<'_>) -> Result<Vec<u8>> {
                let value: $type = rkyv::deserialize::<$type, rkyv::rancor::Error>(*decoded).map_err(failed)?;
                Ok(value.encode_to_vec())
            }

            fn of_protobuf(bytes: &[u8]) -> Result<$type> {
                <$type as Message>::decode(bytes).map_err(failed)
            }

            fn value(message: &[u8], _: &[u8]) -> Result<$type> {
                rkyv::deserialize::<$type, rkyv::rancor::Error>(Self::decode(message)?).map_err(failed)
            }
        }
    };
}

rkyv!(Complex);
rkyv!(Flat);
rkyv!(Sales);

//! Our Protobuf: generated code of `proto/messages.proto` and `proto/finding.proto`, owning and borrowing.

#[allow(clippy::all, dead_code, missing_docs)]
mod code {
    include!(concat!(env!("OUT_DIR"), "/polywire/messages.rs"));
}

#[allow(clippy::all, dead_code, missing_docs)]
mod finding {
    include!(concat!(env!("OUT_DIR"), "/polywire/finding.rs"));
}

use std::hint::black_box;
use std::marker::PhantomData;

pub use code::{Complex, Flat, Sales};
pub use finding::FindItemsByKeywordsResponse as Reply;
use polywire_compare::harness::Subject;
use polywire_core::{Error, Result};
use polywire_protobuf_runtime::{Arena, Decode, DecodeOwned, Encode, Protobuf};

use super::Codec;
use crate::failed::failed;
use crate::input::Input;
use crate::peer::{Peer, Prepared, Work};

/// A message, and the type that borrows it.
pub trait Type: DecodeOwned<Protobuf> + Encode<Protobuf> + 'static {
    type Ref<'a>: Decode<'a, Protobuf> + Encode<Protobuf> + 'a;
}

impl Type for Complex {
    type Ref<'a> = code::ComplexRef<'a>;
}

impl Type for Flat {
    type Ref<'a> = code::FlatRef<'a>;
}

impl Type for Sales {
    type Ref<'a> = code::SalesRef<'a>;
}

impl Type for Reply {
    type Ref<'a> = finding::FindItemsByKeywordsResponseRef<'a>;
}

/// Values that own what they have.
pub struct Owned<T>(PhantomData<T>);

impl<T: Type> Codec for Owned<T> {
    type Decoded<'b> = T;
    type Value = T;

    fn decode(bytes: &[u8]) -> Result<T> {
        T::decode_owned(bytes).map_err(failed)
    }

    fn encode(value: &T, out: &mut Vec<u8>) -> Result<()> {
        value.encode(out);
        Ok(())
    }

    fn to_protobuf(value: &T) -> Result<Vec<u8>> {
        Ok(value.to_bytes())
    }

    fn of_protobuf(bytes: &[u8]) -> Result<T> {
        T::decode_owned(bytes).map_err(failed)
    }

    fn value(message: &[u8], _: &[u8]) -> Result<T> {
        Self::decode(message)
    }
}

/// Values that borrow from the message, and from an arena that is reset for each.
struct Borrowed<'a, T> {
    arena: Arena,
    input: &'a Input,
    of: PhantomData<T>,
}

impl<T: Type> Subject for Borrowed<'_, T> {
    fn pass(&mut self) -> Result<()> {
        for message in self.input.each() {
            self.arena.reset();
            black_box(T::Ref::decode(black_box(message), &self.arena).map_err(failed)?);
        }
        Ok(())
    }
}

impl<'a, T: Type> Peer<'a> for Borrowed<'a, T> {
    fn check(&mut self) -> Result<u64> {
        let mut count = 0;
        for message in self.input.each() {
            self.arena.reset();
            if T::Ref::decode(message, &self.arena).map_err(failed)?.to_bytes() != message {
                return Err(Error::internal("Protobuf: another message was decoded"));
            }
            count += 1;
        }
        Ok(count)
    }
}

/// Values in an arena, each written to the same vector. Messages and arena live as long as the program.
struct Written<'a, V> {
    values: Vec<V>,
    out: Vec<u8>,
    input: &'a Input,
}

impl<V: Encode<Protobuf>> Subject for Written<'_, V> {
    fn pass(&mut self) -> Result<()> {
        for value in &self.values {
            self.out.clear();
            black_box(value).encode(&mut self.out);
            black_box(&self.out);
        }
        Ok(())
    }
}

impl<'a, V: Encode<Protobuf> + 'a> Peer<'a> for Written<'a, V> {
    fn check(&mut self) -> Result<u64> {
        for (value, expected) in self.values.iter().zip(self.input.each()) {
            if value.to_bytes() != expected {
                return Err(Error::internal("Protobuf: another message was encoded"));
            }
        }
        Ok(self.values.len() as u64)
    }
}

/// The message decoded, borrowing, or encoded of what borrows.
pub fn borrowed<T: Type>(work: Work, input: &Input) -> Prepared<'_> {
    match work {
        Work::Decode => Ok(Some(Box::new(Borrowed::<T> { arena: Arena::new(), input, of: PhantomData }))),
        Work::Encode => {
            let arena: &'static Arena = Box::leak(Box::default());
            let mut values = Vec::new();
            for message in input.each() {
                let message: &'static [u8] = Box::leak(message.into());
                values.push(<T::Ref<'static> as Decode<'static, Protobuf>>::decode(message, arena).map_err(failed)?);
            }
            Ok(Some(Box::new(Written { values, out: Vec::new(), input })))
        }
        _ => Ok(None),
    }
}

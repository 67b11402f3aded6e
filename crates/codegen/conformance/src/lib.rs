//! The code that the build script generates from the protocols of the conformance vectors, and one way
//! into all of it.
#![forbid(unsafe_code)]

pub mod bytes;
pub mod protobuf;
pub mod sample;
pub mod twin;
pub mod usds;

use polywire_extprot_runtime::{Arena, Decode, DecodeOwned, Encode, Error, Extprot, Limits, Validate};
use serde::Serialize;
use serde_json::Value;

/// The generated code of one message.
pub struct Door {
    /// The whole protocol.
    pub protocol: &'static str,
    /// The message.
    pub message: &'static str,
    /// Decodes it into an arena: the value and where it ends.
    pub borrow: Decoding,
    /// Decodes what owns itself.
    pub own: Decoding,
    /// Checks it; where it ends.
    pub validate: fn(&[u8], &Limits) -> Result<usize, Error>,
    /// Decodes a message, encodes and decodes it as USDS, and encodes it again. Returns those bytes and a
    /// document of USDS. None for messages without USDS.
    pub usds: Option<Both>,
    /// Does the same by Protobuf. Returns the bytes of the protocol, and a message of Protobuf. None for
    /// messages without code for it.
    pub protobuf: Option<Both>,
    /// Decodes and encodes it, borrowing and owning; none for what has no encoder.
    pub encode: Option<(Recode, Recode)>,
}

/// Decodes bytes within limits: the value and where it ends.
pub type Decoding = fn(&[u8], &Limits) -> Result<(Value, usize), Error>;

/// Decodes bytes and encodes what came.
pub type Recode = fn(&[u8]) -> Result<Vec<u8>, Error>;

/// Decodes bytes and encodes what came in both encodings.
pub type Both = fn(&[u8]) -> Result<(Vec<u8>, Vec<u8>), Error>;

/// The door of a message, if its protocol was there when the code was made.
pub fn door(protocol: &str, message: &str) -> Option<&'static Door> {
    DOORS.iter().find(|door| door.protocol == protocol && door.message == message)
}

fn own<T: DecodeOwned<Extprot>>(bytes: &[u8]) -> Result<T, Error> {
    T::decode_owned(bytes)
}

fn borrow<'a, T: Decode<'a, Extprot>>(bytes: &'a [u8], arena: &'a Arena) -> Result<T, Error> {
    T::decode(bytes, arena)
}

fn bytes_of(value: &impl Encode<Extprot>) -> Vec<u8> {
    value.to_bytes()
}

fn json(value: &impl Serialize) -> Value {
    serde_json::to_value(value).expect("generated types are JSON")
}

include!(concat!(env!("OUT_DIR"), "/vectors.rs"));

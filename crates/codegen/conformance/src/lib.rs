//! The code that the build script generates from the protocols of the conformance vectors, with one
//! interface to all of it.
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
    /// Text of the protocol.
    pub protocol: &'static str,
    /// Name of the message.
    pub message: &'static str,
    /// Decodes the message into an arena, and returns the value and the offset of its end.
    pub borrow: Decoding,
    /// Decodes the owning type, and returns the value and the offset of its end.
    pub own: Decoding,
    /// Validates the message, and returns the offset of its end.
    pub validate: fn(&[u8], &Limits) -> Result<usize, Error>,
    /// Decodes a message, encodes and decodes it as USDS, and encodes it again. Returns those bytes
    /// and a USDS document. `None` for messages without USDS.
    pub usds: Option<Both>,
    /// Does the same with Protobuf. Returns the bytes of the protocol and a Protobuf message.
    /// `None` for messages without Protobuf.
    pub protobuf: Option<Both>,
    /// Decode and encode the message, borrowing and owning. `None` for types without an encoder.
    pub encode: Option<(Recode, Recode)>,
}

/// Decodes bytes within limits, and returns the value and the offset of its end.
pub type Decoding = fn(&[u8], &Limits) -> Result<(Value, usize), Error>;

/// Decodes bytes, and encodes the value.
pub type Recode = fn(&[u8]) -> Result<Vec<u8>, Error>;

/// Decodes bytes, and encodes the value in both encodings.
pub type Both = fn(&[u8]) -> Result<(Vec<u8>, Vec<u8>), Error>;

/// Returns the door of a message, if code was generated for its protocol.
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

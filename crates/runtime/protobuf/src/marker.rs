//! The type that stands for the encoding.

/// The Protobuf encoding. A message is all of the bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Protobuf;

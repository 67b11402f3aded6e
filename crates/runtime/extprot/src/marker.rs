//! The type that stands for the encoding.

/// The extprot encoding. A message may be followed by other bytes: decoders leave them alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extprot;

//! The type that stands for the encoding.

/// The USDS encoding. A message is all of the bytes: a document or a body, with one root.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Usds;

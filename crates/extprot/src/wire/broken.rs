//! Errors of the byte layer.

/// Reason why bytes cannot be read, independent of their meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Broken {
    /// The bytes end too early.
    End,
    /// A vint has more than 64 bits.
    Overflow,
    /// The wire type of a prefix is invalid.
    WireType,
}

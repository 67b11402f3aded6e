//! Errors of the byte layer.

/// Why bytes can't be read, before anything is known of their meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Broken {
    /// They end too early.
    End,
    /// A vint has more than 64 bits.
    Overflow,
    /// The wire type of a prefix is none.
    WireType,
}

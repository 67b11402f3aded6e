//! The limits of a decoder (docs/spec/extprot.md 5.5).

/// Inclusive maxima. They apply to what is decoded, not to what is skipped, and not to tuples and
/// constructors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Maximum of the `length` of a message or a list.
    pub message_length: u64,
    /// Maximum of the `count` of a message or a list.
    pub elements: u64,
    /// Maximum of the bytes of a string.
    pub string_length: u64,
}

impl Limits {
    /// No limits but the size of the input, which bounds all memory that a decoder takes.
    pub const NONE: Limits = Limits { message_length: u64::MAX, elements: u64::MAX, string_length: u64::MAX };
}

impl Default for Limits {
    fn default() -> Limits {
        Limits::NONE
    }
}

//! What a decoder accepts at most (section 5.5).

/// Inclusive maxima. They hold for what is decoded, not for what is skipped; tuples and constructors are not checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of a message or a list, as its `length` says.
    pub message_length: u64,
    /// Elements of a message or a list, as its `count` says.
    pub elements: u64,
    /// Bytes of a string.
    pub string_length: u64,
}

impl Limits {
    /// No limits but those of the input: no memory is taken that its bytes don't account for.
    pub const NONE: Limits = Limits { message_length: u64::MAX, elements: u64::MAX, string_length: u64::MAX };
}

impl Default for Limits {
    fn default() -> Limits {
        Limits::NONE
    }
}

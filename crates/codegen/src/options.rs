//! Options of the generator.

/// The parts of the code to generate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// Types that borrow from the message and an arena.
    pub borrowed: bool,
    /// Types that own their parts.
    pub owned: bool,
    /// Derived traits of serde, and its names of fields.
    pub serde: bool,
    /// A place in messages for fields that their schema does not have, in languages with such
    /// fields.
    pub unknown_fields: bool,
    /// Include folders, in search order.
    pub include: Vec<String>,
}

impl Default for Options {
    fn default() -> Options {
        Options { borrowed: true, owned: true, serde: false, unknown_fields: false, include: Vec::new() }
    }
}

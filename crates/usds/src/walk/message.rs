//! Kinds of messages.

/// Name in the registry and in errors.
pub const NAME: &str = "usds";

/// Kind of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Message {
    /// A document of any parts. Its value is a record of its roots, named by their tags; names may
    /// repeat.
    Document,
    /// A body of one root of that tag. Its value is the value of the root.
    Root(u32),
}

//! What one message is.

/// Name in the registry and in errors.
pub const NAME: &str = "usds";

/// What one message is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Message {
    /// A document of any parts: a record of its roots by the names of their tags, which repeat.
    Document,
    /// A body of one root of that tag: its value.
    Root(u32),
}

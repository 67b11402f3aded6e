//! The words of the values profile, which reader and writer share.

/// The namespace whose declaration at the root puts a document in the values profile.
pub const NAMESPACE: &str = "urn:polywire:values";

/// The writer's prefix for it, unless the message uses that itself.
pub const PREFIX: &str = "pw";

/// The element around a message that is not one element by itself.
pub const MESSAGE: &str = "message";

/// The element of a value without a name of its own: an element of a list, a key, or its value.
pub const ITEM: &str = "i";

/// Local name of the element that holds a field whose name is no element's name.
pub const ENTRY: &str = "e";

/// Local name of the element that holds a pair of a map: a key that is no text, and its value.
pub const PAIR: &str = "p";

/// Reports whether `name` has `prefix`, or declares it.
pub fn is_mark(name: &str, prefix: &str) -> bool {
    local(name, prefix).is_some() || name.strip_prefix("xmlns:") == Some(prefix)
}

/// Returns the part of `name` after `prefix` and a colon.
pub fn local<'n>(name: &'n str, prefix: &str) -> Option<&'n str> {
    name.strip_prefix(prefix)?.strip_prefix(':')
}

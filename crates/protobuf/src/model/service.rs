//! Services and their methods.

use super::file::Span;
use super::ids::{FileId, MessageId};

/// A service.
#[derive(Debug, Clone, PartialEq)]
pub struct Service {
    /// Full name, without a dot before it.
    pub name: Box<str>,
    /// File that declares it.
    pub file: FileId,
    /// Methods in the order of the text.
    pub methods: Vec<Method>,
    /// Text of its comment.
    pub doc: Box<str>,
    /// Place of its name in the text, if places are known.
    pub at: Option<Span>,
}

/// A method of a service.
#[derive(Debug, Clone, PartialEq)]
pub struct Method {
    /// Name.
    pub name: Box<str>,
    /// Message type of requests.
    pub input: MessageId,
    /// Message type of responses.
    pub output: MessageId,
    /// The client sends a stream of messages.
    pub client_streaming: bool,
    /// The server sends a stream of messages.
    pub server_streaming: bool,
    /// Text of its comment.
    pub doc: Box<str>,
    /// Place of its name in the text, if places are known.
    pub at: Option<Span>,
}

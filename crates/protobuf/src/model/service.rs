//! Services and their methods.

use super::file::Span;
use super::ids::{FileId, MessageId};

/// A service.
#[derive(Debug, Clone, PartialEq)]
pub struct Service {
    /// Full name, without a dot before it.
    pub name: Box<str>,
    /// The file that it is in.
    pub file: FileId,
    /// Methods in order.
    pub methods: Vec<Method>,
    /// What its comment says.
    pub doc: Box<str>,
    /// Its name in the text, where places are known.
    pub at: Option<Span>,
}

/// A method of a service.
#[derive(Debug, Clone, PartialEq)]
pub struct Method {
    /// Name.
    pub name: Box<str>,
    /// What it takes.
    pub input: MessageId,
    /// What it gives.
    pub output: MessageId,
    /// Whether it takes a stream of messages.
    pub client_streaming: bool,
    /// Whether it gives a stream of messages.
    pub server_streaming: bool,
    /// Its name in the text, where places are known.
    pub at: Option<Span>,
}

//! What a format does to be written.

use crate::error::Result;
use crate::walk::loss::Lost;
use crate::walk::sink::Sink;

/// Writes one format: a sink that makes bytes of a message.
pub trait Writer: for<'m> Sink<'m> + Send {
    /// The messages from here on follow each other in one stream, with the format's separator between them: what a stream says once for all of
    /// them, as a table does its header, comes with the first only. Without this call each message stands alone.
    fn begin_stream(&mut self) {}

    /// Set where nothing in a stream tells the end of a message, so that a second one would become part of the first: what to do instead, for people.
    fn only_one(&self) -> Option<&'static str> {
        None
    }

    /// Appends the message to `out` and is ready for the next one.
    ///
    /// After an error, from here or from an event, [`Writer::reset`] must come before the next message.
    fn finish(&mut self, out: &mut Vec<u8>) -> Result<()>;

    /// Forgets an unfinished message.
    fn reset(&mut self);

    /// What the messages since the last call lost, and what is to be cautioned of.
    fn losses(&mut self) -> Vec<Lost>;
}

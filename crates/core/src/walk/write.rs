//! The writing side of a format.

use std::ops::Range;

use crate::columns::View;
use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::value::Tree;
use crate::walk::layout::Layout;
use crate::walk::loss::Lost;
use crate::walk::read::Reader;
use crate::walk::sink::Sink;

/// Writes one format: a sink that makes the bytes of a message.
pub trait Writer: for<'m> Sink<'m> + Send {
    /// Begins a stream: the messages from here on follow each other. Parts that a stream has only
    /// once, such as CSV's header, come with the first message. The caller writes the format's
    /// separator after each. Without this call each message stands alone.
    fn begin_stream(&mut self) {}

    /// Sets the look of the messages from here on. Returns false, without an effect, if the format
    /// does not have that look.
    fn lay_out(&mut self, layout: &Layout) -> bool {
        let _ = layout;
        false
    }

    /// Returns advice for people if a stream can hold only one message: nothing marks a message's
    /// end, so a second one would become part of the first.
    fn only_one(&self) -> Option<&'static str> {
        None
    }

    /// Announces the fields that the records of a stream will have, before the first message. A
    /// format whose first message [gives the fields of all
    /// others](crate::format::Format::first_gives_fields) takes these in its place.
    fn fields(&mut self, names: &[String]) {
        let _ = names;
    }

    /// Announces the reader whose messages come next. Its values may keep the form that this writer
    /// needs; a writer knows readers of its own format by their type.
    fn meets(&mut self, reader: &mut dyn Reader) {
        let _ = reader;
    }

    /// Appends a message of `reader` to `out` straight from its bytes, if it can, as a walk and
    /// [`Writer::finish`] would. `wanted` says which fields are taken, by their names; the answer
    /// holds for all messages of the reader. Returns false, and leaves all as it was, if the
    /// message has to be walked.
    fn pass(
        &mut self,
        reader: &mut dyn Reader,
        message: &[u8],
        base: u64,
        wanted: &dyn Fn(&str) -> bool,
        limits: &Limits,
        out: &mut Vec<u8>,
    ) -> bool {
        let _ = (reader, message, base, wanted, limits, out);
        false
    }

    /// Appends the rows of columns as messages to `out`, each with its frame, as events and
    /// [`Writer::finish`] would. Returns false, and leaves `out` as it was, if the rows have to be
    /// walked.
    fn rows(&mut self, view: &View<'_>, rows: Range<usize>, out: &mut Vec<u8>) -> bool {
        let _ = (view, rows, out);
        false
    }

    /// Receives all events of a message that is a tree, with exact counts. This is [`Tree::emit`]
    /// without an indirect call per event.
    ///
    /// # Errors
    /// As the events' own.
    fn tree(&mut self, tree: &Tree<'_>) -> Result<()> {
        tree.emit_into(self)
    }

    /// Appends the message to `out` and is ready for the next one.
    ///
    /// After an error, from here or from an event, call [`Writer::reset`] before the next message.
    /// `out` may then end with a part of the failed one.
    ///
    /// # Errors
    /// The events made no whole value, or the format cannot hold the message: it is too long. A
    /// writer that sees the whole message before it writes also returns here what others return
    /// from an event: the value does not fit the schema, or is nested too deep.
    fn finish(&mut self, out: &mut Vec<u8>) -> Result<()>;

    /// Reports whether [`Writer::bad`] writes something in place of a bad message.
    fn takes_bad(&self) -> bool {
        false
    }

    /// Writes the reason of a message that failed in the message's place. [`Writer::reset`] was
    /// called before.
    ///
    /// # Errors
    /// The format cannot hold it.
    fn bad(&mut self, error: &Error, out: &mut Vec<u8>) -> Result<()> {
        let _ = (error, out);
        Err(Error::internal("the reason of a bad message for a format that has no place for it"))
    }

    /// Ends the stream that [`Writer::begin_stream`] began: appends what follows the last message.
    ///
    /// # Errors
    /// The format cannot hold the stream.
    fn end_stream(&mut self, out: &mut Vec<u8>) -> Result<()> {
        let _ = out;
        Ok(())
    }

    /// Forgets an unfinished message, and the losses that were not taken.
    fn reset(&mut self);

    /// Returns the losses and cautions of the messages since the last call.
    fn losses(&mut self) -> Vec<Lost>;
}

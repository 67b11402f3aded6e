//! What a format does to be read.

use std::any::Any;

use crate::error::Result;
use crate::limits::Budget;
use crate::walk::sink::Sink;

/// What [`Reader::frame`] found at the start of a buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Frame {
    /// A message lies at `start..end` of the buffer. The next call's buffer begins at `end`.
    Message {
        /// Offset of its first byte in the buffer; before it lies only what separates messages.
        start: usize,
        /// Offset after its last byte.
        end: usize,
    },
    /// At least so many bytes are missing. The next call's buffer begins with the same bytes and has more of them.
    More(usize),
    /// Nothing but separators is left in the stream.
    End,
}

/// Reads one format.
pub trait Reader: Any + Send {
    /// Finds the first message in `buf`, which lies at offset `base` of a stream; `eof` says that no more bytes will come.
    ///
    /// A reader remembers how far it looked, so that the time is linear in the length of the stream however it is cut.
    /// At the end of the stream an unfinished message is handed over as it is: the walk tells what is missing.
    fn frame(&mut self, buf: &[u8], base: u64, eof: bool) -> Result<Frame>;

    /// Tells `sink` what one message holds. In formats where a message may lean on an earlier one, as a table's row does on the header that came
    /// with the first row, one reader walks the messages of a stream in order; it may walk the last one again.
    ///
    /// `base` is the message's offset in the stream; all spans count from there.
    fn walk<'m>(&mut self, msg: &'m [u8], base: u64, sink: &mut dyn Sink<'m>, budget: &mut Budget) -> Result<()>;

    /// Whether fields of one name come once, repeated ones as one list, though repeated fields are lists in the format: what
    /// [`Needs::GROUPED`](crate::walk::sink::Needs::GROUPED) asks for.
    fn groups_fields(&self) -> bool {
        false
    }
}

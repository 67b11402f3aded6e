//! Bad messages that a run steps over.

use std::io::Read;

use crate::error::{Error, ErrorKind, Result};
use crate::tools::adapt::Walker;
use crate::tools::message::Message;
use crate::tools::stream::Stream;

/// Receiver of a bad message: the error, and its bytes as they are in the stream.
type Taker = Box<dyn FnMut(&Error, &[u8]) -> Result<()>>;

/// The bad messages of a run: how many there may be, and where they go.
pub struct Bad {
    most: u64,
    count: u64,
    taker: Taker,
}

impl Bad {
    /// Steps over `most` bad messages. Each goes to `taker`, in the order of the stream, with its
    /// error and its bytes: a line with its break, a message with the length before it. An error of
    /// `taker` ends the run.
    pub fn new(most: u64, taker: impl FnMut(&Error, &[u8]) -> Result<()> + 'static) -> Bad {
        Bad { most, count: 0, taker: Box::new(taker) }
    }

    /// Returns the number of bad messages so far.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Reports whether a run may go on behind an error: it is one of the message alone, and one
    /// more may be bad.
    pub fn may_pass(&self, error: &Error) -> bool {
        self.left() > 0 && is_of_message(error)
    }

    /// Returns the number of bad messages that may still come.
    pub(crate) fn left(&self) -> u64 {
        self.most - self.count
    }

    /// Reports whether `error` is that of a message that the end of the input cuts off: no other
    /// one is behind it, so a run may go on with the next input. `is_last` says that the input ends
    /// with the message.
    pub(crate) fn is_cut(error: &Error, is_last: bool) -> bool {
        is_last && error.kind() == ErrorKind::Truncated
    }

    /// Readies `walker`, which failed on `message` with `error`, for the next message. Returns true
    /// if the run may go on behind this one.
    pub fn allows(&self, walker: &mut Walker, message: Message<'_>, error: &Error) -> bool {
        self.may_pass(error) && walker.recover_from(message)
    }

    /// Reports whether a run may go on although the last message of `input` failed with `error`: the
    /// end of the input cuts it off.
    pub fn allows_cut<R: Read>(&self, input: &Stream<R>, error: &Error) -> bool {
        self.may_pass(error) && Bad::is_cut(error, input.is_at_end())
    }

    /// Counts the message that came last of `input`, and failed with `error`, as a bad one. Call it
    /// only if [`Bad::allows`] or [`Bad::allows_cut`] returned true.
    ///
    /// # Errors
    /// The message cannot be kept.
    pub fn step_over<R: Read>(&mut self, input: &Stream<R>, walker: &Walker, error: Error) -> Result<()> {
        let error = input.explain(error);
        self.take(&error, input.raw(walker.format().framing))
    }

    /// Counts a bad message, and passes it on. Call it only if one is left.
    ///
    /// # Errors
    /// The message cannot be kept.
    pub(crate) fn take(&mut self, error: &Error, bytes: &[u8]) -> Result<()> {
        self.count += 1;
        (self.taker)(error, bytes)
    }
}

/// Reports whether an error is about one message, and not about the run.
pub(crate) fn is_of_message(error: &Error) -> bool {
    match error.kind() {
        ErrorKind::Syntax
        | ErrorKind::Truncated
        | ErrorKind::Trailing
        | ErrorKind::Encoding
        | ErrorKind::Range
        | ErrorKind::DoubledKey
        | ErrorKind::Mismatch
        | ErrorKind::Limit
        | ErrorKind::Unsupported
        | ErrorKind::Loss => true,
        ErrorKind::UnknownFormat | ErrorKind::Usage | ErrorKind::Io | ErrorKind::BrokenPipe | ErrorKind::Internal => false,
    }
}

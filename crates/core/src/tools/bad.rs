//! Bad messages that a run steps over.

use crate::error::{Error, ErrorKind, Result};

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

    /// Counts a bad message, and passes it on. Call it only where one [may
    /// pass](Bad::may_pass).
    ///
    /// # Errors
    /// The message cannot be kept.
    pub fn take(&mut self, error: &Error, bytes: &[u8]) -> Result<()> {
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
        | ErrorKind::Limit
        | ErrorKind::Unsupported => true,
        ErrorKind::UnknownFormat | ErrorKind::Usage | ErrorKind::Io | ErrorKind::BrokenPipe | ErrorKind::Internal => false,
    }
}

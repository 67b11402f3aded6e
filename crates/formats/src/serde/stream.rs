//! A stream of messages to values of one type.

use std::io::Read;
use std::marker::PhantomData;
use std::ops::Range;

use polywire_core::tools::Stream;
use polywire_core::tools::adapt::Walker;
use polywire_core::{Limits, Result};
use serde_core::de::DeserializeOwned;

use crate::IntoDialect;
use crate::serde::read::TypedReader;

/// Iterates over the messages of an input as values of a type. It ends after the first error, as
/// the place of the next message may depend on the bad one.
///
/// Memory: a buffer, and at most twice the longest message. The default limits bound what is made
/// of a message, but not its length: [`Read::take`] does.
pub struct Messages<R, T> {
    stream: Stream<R>,
    /// Frames the messages.
    framer: Walker,
    reader: TypedReader,
    done: bool,
    values: PhantomData<fn() -> T>,
}

impl<R: Read, T: DeserializeOwned> Messages<R, T> {
    /// Makes the iterator over the messages of `input`, with the limits of [`TypedReader::new`].
    ///
    /// # Errors
    /// The format has no such name, or its feature was not compiled in.
    pub fn new(input: R, format: impl IntoDialect) -> Result<Messages<R, T>> {
        let reader = TypedReader::new(format)?;
        let framer = Walker::new(reader.dialect().clone(), &Limits::DEFAULT);
        Ok(Messages { stream: Stream::new(input), framer, reader, done: false, values: PhantomData })
    }

    /// Sets the bounds on each message: see [`TypedReader::limits`].
    #[must_use]
    pub fn limits(self, limits: Limits) -> Messages<R, T> {
        let framer = Walker::new(self.reader.dialect().clone(), &limits);
        Messages { framer, reader: self.reader.limits(limits), ..self }
    }

    /// Sets the number of containers that may be within each other: see [`TypedReader::depth`].
    #[must_use]
    pub fn depth(self, depth: u32) -> Messages<R, T> {
        Messages { reader: self.reader.depth(depth), ..self }
    }

    /// Returns the bytes of the message that came last, or failed; none before the first.
    pub fn bytes(&self) -> &[u8] {
        self.stream.last().bytes
    }

    /// Returns the range in the stream of the message that came last, or failed.
    pub fn range(&self) -> Range<u64> {
        let message = self.stream.last();
        message.base..message.base + message.bytes.len() as u64
    }

    /// Returns the number of messages so far.
    pub fn taken(&self) -> u64 {
        self.stream.taken()
    }
}

impl<R: Read, T: DeserializeOwned> Iterator for Messages<R, T> {
    type Item = Result<T>;

    fn next(&mut self) -> Option<Result<T>> {
        if self.done {
            return None;
        }
        let outcome = match self.stream.next(&mut self.framer) {
            Ok(Some(message)) => self.reader.message(message.bytes, message.base),
            Ok(None) => {
                self.done = true;
                return None;
            }
            Err(error) => Err(error),
        };
        Some(outcome.map_err(|error| {
            self.done = true;
            self.stream.explain(error)
        }))
    }
}

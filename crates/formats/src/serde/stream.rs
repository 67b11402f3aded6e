//! A stream of messages to values of one type.

use std::io::Read;
use std::marker::PhantomData;

use polywire_core::tools::Stream;
use polywire_core::tools::adapt::Walker;
use polywire_core::{Dialect, Limits, Result};
use serde_core::de::DeserializeOwned;

use crate::serde::read::TypedReader;

/// Iterates over the messages of an input as values of a type. It ends after the first error.
///
/// Memory: a buffer, and at most twice the longest message.
pub struct Messages<R, T> {
    stream: Stream<R>,
    /// Frames the messages.
    framer: Walker,
    reader: TypedReader,
    done: bool,
    values: PhantomData<fn() -> T>,
}

impl<R: Read, T: DeserializeOwned> Messages<R, T> {
    /// Makes the iterator over the messages of `input`, every message within `limits`.
    pub fn new(input: R, dialect: impl Into<Dialect>, limits: &Limits) -> Messages<R, T> {
        let dialect = dialect.into();
        Messages {
            stream: Stream::new(input),
            framer: Walker::new(dialect.clone(), limits),
            reader: TypedReader::new(dialect, limits),
            done: false,
            values: PhantomData,
        }
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

//! Streams of messages over any reader.

use std::io::Read;

use polywire_core::tools::adapt::{Doubles, Walker};
use polywire_core::tools::{self, Count, Surroundings};
use polywire_core::value::ValueSink;

use crate::reading::Reading;
use crate::{Error, IntoDialect, Limits, Result, Sink, Tree, Value};

/// The messages of a stream, one by one. Memory: a buffer, and at most twice the longest message.
///
/// As an iterator it yields a [`Value`] of each message. [`Messages::next_message`] lends the
/// message instead, to be read as a [`Tree`] without copies or by a sink of one's own.
///
/// ```
/// use polywire::{Messages, Value};
///
/// let lines = "{\"id\":1}\n{\"id\":2}\n";
/// let values: Vec<Value> = Messages::new(lines.as_bytes(), "jsonl")?.collect::<Result<_, _>>()?;
/// assert_eq!(values[1], Value::record([("id", Value::UInt(2))]));
/// # Ok::<(), polywire::Error>(())
/// ```
///
/// An error has the number of the message, the offset, and the path. Text formats add line and
/// column. After an error in one message, the stream goes on behind it where the format's framing
/// gives the place, as in JSON Lines. Elsewhere it ends.
///
/// ```
/// use polywire::Messages;
///
/// let lines = "{\"id\":1}\n{\"id\":}\n{\"id\":3}\n";
/// let outcomes: Vec<_> = Messages::new(lines.as_bytes(), "jsonl")?.collect();
/// let error = outcomes[1].as_ref().unwrap_err();
/// assert_eq!((error.message(), error.offset(), error.place().map(|at| (at.line, at.column))), (Some(2), Some(15), Some((2, 7))));
/// assert!(outcomes[0].is_ok() && outcomes[2].is_ok());
/// # Ok::<(), polywire::Error>(())
/// ```
pub struct Messages<R> {
    reading: Reading,
    stream: tools::Stream<R>,
    walker: Walker,
    ended: bool,
}

impl<R: Read> Messages<R> {
    /// Makes the stream of the messages of `input`.
    ///
    /// # Errors
    /// The format has no such name or is not compiled in.
    pub fn new(input: R, format: impl IntoDialect) -> Result<Messages<R>> {
        let reading = Reading::new(format.into_dialect()?);
        Ok(Messages { walker: reading.walker(), reading, stream: tools::Stream::new(input), ended: false })
    }

    /// Sets the bounds on each message.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Messages<R> {
        self.reading.limits = limits;
        self.with_reading()
    }

    /// Sets the treatment of duplicate keys, in formats where they have no meaning of their own.
    /// Default: an error.
    #[must_use]
    pub fn duplicate_keys(mut self, duplicates: Doubles) -> Messages<R> {
        self.reading.duplicates = duplicates;
        self.with_reading()
    }

    /// Makes the values at `path` the messages, such as the elements of one long list. `.` is the
    /// document itself. The whole document is never in memory, if the format is one of JSON, JSON
    /// Lines, MessagePack, CBOR, BSON, XML and YAML.
    ///
    /// ```
    /// use polywire::{Messages, Value};
    ///
    /// let document = br#"{"rows":[{"id":1},{"id":2}]}"#;
    /// let rows = Messages::new(&document[..], "json")?.each("rows")?;
    /// assert_eq!(rows.count(), 2);
    /// # Ok::<(), polywire::Error>(())
    /// ```
    ///
    /// # Errors
    /// The text is no path.
    pub fn each(mut self, path: &str) -> Result<Messages<R>> {
        self.reading.each(path)?;
        Ok(self.with_reading())
    }

    /// Reads only the values that `paths` name, and steps over the rest without checking it.
    ///
    /// ```
    /// use polywire::{Messages, Value};
    ///
    /// let message = br#"{"id":7,"body":{"from":"a","text":"long"}}"#;
    /// let mut messages = Messages::new(&message[..], "json")?.select(&["body.from"])?;
    /// let body = Value::record([("from", Value::text("a"))]);
    /// assert_eq!(messages.next().unwrap()?, Value::record([("body", body)]));
    /// # Ok::<(), polywire::Error>(())
    /// ```
    ///
    /// # Errors
    /// A text is no path.
    pub fn select(mut self, paths: &[&str]) -> Result<Messages<R>> {
        self.reading.select(paths)?;
        Ok(self.with_reading())
    }

    /// Returns the next message; `None` at the end.
    ///
    /// ```
    /// use polywire::Messages;
    ///
    /// let mut messages = Messages::new(&b"\x93\x01\x02\x03\xc3"[..], "msgpack")?;
    /// let mut places = Vec::new();
    /// while let Some(mut message) = messages.next_message()? {
    ///     assert!(message.tree()?.root().is_some());
    ///     places.push((message.offset(), message.bytes().len()));
    /// }
    /// assert_eq!(places, [(0, 4), (4, 1)]);
    /// # Ok::<(), polywire::Error>(())
    /// ```
    ///
    /// # Errors
    /// The input cannot be read, or the next message has no end. The stream is over then.
    pub fn next_message(&mut self) -> Result<Option<Message<'_>>> {
        if self.ended {
            return Ok(None);
        }
        match self.stream.next(&mut self.walker) {
            Ok(Some(_)) => Ok(Some(Message::last(&self.stream, &mut self.walker, &mut self.ended))),
            Ok(None) => Ok(None),
            Err(error) => {
                self.ended = true;
                Err(error)
            }
        }
    }

    fn with_reading(mut self) -> Messages<R> {
        self.walker = self.reading.walker();
        self
    }
}

impl<R: Read> Iterator for Messages<R> {
    type Item = Result<Value>;

    fn next(&mut self) -> Option<Result<Value>> {
        match self.next_message() {
            Ok(Some(mut message)) => Some(message.value()),
            Ok(None) => None,
            Err(error) => Some(Err(error)),
        }
    }
}

/// A message of a stream, before it is read.
pub struct Message<'s> {
    message: tools::Message<'s>,
    number: u64,
    around: Surroundings<'s>,
    walker: &'s mut Walker,
    ended: &'s mut bool,
}

impl<'s> Message<'s> {
    /// Makes the message that `stream` handed out last.
    pub(crate) fn last<R: Read>(stream: &'s tools::Stream<R>, walker: &'s mut Walker, ended: &'s mut bool) -> Message<'s> {
        Message { message: stream.last(), number: stream.taken(), around: stream.surroundings(), walker, ended }
    }

    /// Returns its bytes.
    pub fn bytes(&self) -> &'s [u8] {
        self.message.bytes
    }

    /// Returns the offset of its first byte in the stream.
    pub fn offset(&self) -> u64 {
        self.message.base
    }

    /// Returns its number in the stream, from 1.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Sends its events to a sink.
    ///
    /// # Errors
    /// The message cannot be read, or the sink fails.
    pub fn walk(&mut self, sink: &mut dyn Sink<'s>) -> Result<()> {
        self.walker.walk(self.message.bytes, self.message.base, sink).map_err(|error| {
            // The framing holds if it says so, or if nothing but the sink has failed.
            let goes_on = self.walker.recover_from(self.message)
                || self.walker.walk(self.message.bytes, self.message.base, &mut Count::default()).is_ok();
            *self.ended |= !goes_on;
            self.around.explain(error)
        })
    }

    /// Reads it as a value that owns its parts.
    ///
    /// # Errors
    /// The message cannot be read.
    pub fn value(&mut self) -> Result<Value> {
        let mut sink = ValueSink::default();
        self.walk(&mut sink)?;
        sink.finish().ok_or_else(|| Error::internal("a message without a value").at(self.message.base))
    }

    /// Reads it as a tree, whose texts lie in the message. A tree that is no longer needed lends
    /// its memory to the next one: [`Tree::recycle`] returns an empty one for [`Message::walk`].
    ///
    /// # Errors
    /// The message cannot be read.
    pub fn tree(&mut self) -> Result<Tree<'s>> {
        let mut tree = Tree::new();
        self.walk(&mut tree)?;
        Ok(tree)
    }
}

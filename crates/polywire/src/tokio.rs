//! Streams of messages over tokio's readers.

use std::future::poll_fn;
use std::io::{self, Read};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use futures_core::Stream;
use polywire_core::tools;
use polywire_core::tools::adapt::{Doubles, Walker};
#[cfg(feature = "serde")]
use polywire_formats::serde::TypedReader;
#[cfg(feature = "serde")]
use serde_core::de::DeserializeOwned;
#[cfg(feature = "serde")]
use std::{marker::PhantomData, ops::Range};
use tokio::io::{AsyncRead, ReadBuf};

use crate::reading::Reading;
use crate::{Error, IntoDialect, Limits, Message, Result, Value};

/// The messages of an asynchronous stream, one by one: [`crate::Messages`] over [`AsyncRead`].
///
/// It implements [`Stream`], with a [`Value`] of each message. [`Messages::next_message`] lends the
/// message instead. Both may be dropped while they wait: nothing is lost.
///
/// ```
/// use polywire::tokio::Messages;
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let input: &[u8] = b"{\"id\":1}\n{\"id\":2}\n";
/// let mut messages = Messages::new(input, "jsonl")?;
/// let mut values = Vec::new();
/// while let Some(mut message) = messages.next_message().await? {
///     values.push(message.value()?);
/// }
/// assert_eq!(values.len(), 2);
/// # Ok::<(), polywire::Error>(())
/// # }).unwrap();
/// ```
pub struct Messages<R> {
    input: R,
    chunk: Box<[u8]>,
    reading: Reading,
    stream: tools::Stream<Fed>,
    walker: Walker,
    ended: bool,
}

/// Bytes that are read at a time.
const CHUNK: usize = 64 << 10;

impl<R: AsyncRead + Unpin> Messages<R> {
    /// Makes the stream of the messages of `input`.
    ///
    /// # Errors
    /// The format has no such name or is not compiled in.
    pub fn new(input: R, format: impl IntoDialect) -> Result<Messages<R>> {
        let reading = Reading::new(format.into_dialect()?);
        let (walker, stream) = (reading.walker(), tools::Stream::new(Fed::default()));
        Ok(Messages { input, chunk: vec![0; CHUNK].into(), reading, stream, walker, ended: false })
    }

    /// Sets the bounds on each message.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Messages<R> {
        self.reading.limits = limits;
        self.with_reading()
    }

    /// Sets the treatment of duplicate keys: see [`crate::Messages::duplicate_keys`].
    #[must_use]
    pub fn duplicate_keys(mut self, duplicates: Doubles) -> Messages<R> {
        self.reading.duplicates = duplicates;
        self.with_reading()
    }

    /// Makes the values at `path` the messages: see [`crate::Messages::each`].
    ///
    /// # Errors
    /// The text is no path.
    pub fn each(mut self, path: &str) -> Result<Messages<R>> {
        self.reading.each(path)?;
        Ok(self.with_reading())
    }

    /// Reads only the values that `paths` name: see [`crate::Messages::select`].
    ///
    /// # Errors
    /// A text is no path.
    pub fn select(mut self, paths: &[&str]) -> Result<Messages<R>> {
        self.reading.select(paths)?;
        Ok(self.with_reading())
    }

    /// Returns the next message; `None` at the end.
    ///
    /// # Errors
    /// The input cannot be read, or the next message has no end. The stream is over then.
    pub async fn next_message(&mut self) -> Result<Option<Message<'_>>> {
        let came = poll_fn(|cx| self.poll_message(cx)).await?;
        Ok(came.then(|| Message::last(&self.stream, &mut self.walker, &mut self.ended)))
    }

    /// Takes the next message from the stream, and returns whether there is one.
    fn poll_message(&mut self, cx: &mut Context<'_>) -> Poll<Result<bool>> {
        loop {
            if self.ended {
                return Poll::Ready(Ok(false));
            }
            let next = self.stream.next(&mut self.walker).map(|message| message.is_some());
            if !self.stream.get_mut().is_starved() {
                self.ended = next.is_err();
                return Poll::Ready(next);
            }
            let mut read = ReadBuf::new(&mut self.chunk);
            if let Err(error) = ready!(Pin::new(&mut self.input).poll_read(cx, &mut read)) {
                self.ended = true;
                return Poll::Ready(Err(Error::io("reading", &error)));
            }
            self.stream.get_mut().feed(read.filled());
        }
    }

    fn with_reading(mut self) -> Messages<R> {
        self.walker = self.reading.walker();
        self
    }
}

impl<R: AsyncRead + Unpin> Stream for Messages<R> {
    type Item = Result<Value>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Value>>> {
        let this = self.get_mut();
        Poll::Ready(match ready!(this.poll_message(cx)) {
            Ok(true) => Some(Message::last(&this.stream, &mut this.walker, &mut this.ended).value()),
            Ok(false) => None,
            Err(error) => Some(Err(error)),
        })
    }
}

/// The messages of an asynchronous stream as values of a type, one by one: `serde::Messages` over
/// [`AsyncRead`].
///
/// It implements [`Stream`], and ends after the first error. [`TypedMessages::next_value`] may be
/// dropped while it waits: nothing is lost. Memory: two buffers, and at most twice the longest
/// message.
///
/// ```
/// use polywire::tokio::TypedMessages;
///
/// #[derive(serde::Deserialize)]
/// struct Reading {
///     sensor: String,
///     celsius: f64,
/// }
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let input: &[u8] = b"{\"sensor\":\"roof\",\"celsius\":-3.5}\n{\"sensor\":\"hall\",\"celsius\":20}\n";
/// let mut readings = TypedMessages::<_, Reading>::new(input, "jsonl")?;
/// let mut sum = 0.0;
/// while let Some(reading) = readings.next_value().await {
///     sum += reading?.celsius;
/// }
/// assert_eq!(sum, 16.5);
/// # Ok::<(), polywire::Error>(())
/// # }).unwrap();
/// ```
#[cfg(feature = "serde")]
pub struct TypedMessages<R, T> {
    messages: Messages<R>,
    reader: TypedReader,
    values: PhantomData<fn() -> T>,
}

#[cfg(feature = "serde")]
impl<R: AsyncRead + Unpin, T: DeserializeOwned> TypedMessages<R, T> {
    /// Makes the stream of the messages of `input`, with the limits of [`TypedReader::new`].
    ///
    /// # Errors
    /// The format has no such name or is not compiled in.
    pub fn new(input: R, format: impl IntoDialect) -> Result<TypedMessages<R, T>> {
        let reader = TypedReader::new(format)?;
        Ok(TypedMessages { messages: Messages::new(input, reader.dialect())?, reader, values: PhantomData })
    }

    /// Sets the bounds on each message: see [`TypedReader::limits`].
    #[must_use]
    pub fn limits(self, limits: Limits) -> TypedMessages<R, T> {
        TypedMessages { messages: self.messages.limits(limits), reader: self.reader.limits(limits), ..self }
    }

    /// Sets the number of containers that may be within each other: see [`TypedReader::depth`].
    #[must_use]
    pub fn depth(self, depth: u32) -> TypedMessages<R, T> {
        TypedMessages { reader: self.reader.depth(depth), ..self }
    }

    /// Returns the next value; `None` at the end, and after an error.
    ///
    /// # Errors
    /// The input cannot be read, or the next message is malformed, exceeds the limits, or is none
    /// of the type.
    pub async fn next_value(&mut self) -> Option<Result<T>> {
        poll_fn(|cx| self.poll_value(cx)).await
    }

    /// Returns the bytes of the message that came last, or failed; none before the first.
    pub fn bytes(&self) -> &[u8] {
        self.messages.stream.last().bytes
    }

    /// Returns the range in the stream of the message that came last, or failed.
    pub fn range(&self) -> Range<u64> {
        let message = self.messages.stream.last();
        message.base..message.base + message.bytes.len() as u64
    }

    fn poll_value(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<T>>> {
        let Messages { stream, ended, .. } = match ready!(self.messages.poll_message(cx)) {
            Ok(true) => &mut self.messages,
            Ok(false) => return Poll::Ready(None),
            Err(error) => return Poll::Ready(Some(Err(error))),
        };
        let message = stream.last();
        let outcome = self.reader.message(message.bytes, message.base);
        *ended |= outcome.is_err();
        Poll::Ready(Some(outcome.map_err(|error| stream.explain(error))))
    }
}

#[cfg(feature = "serde")]
impl<R: AsyncRead + Unpin, T: DeserializeOwned> Stream for TypedMessages<R, T> {
    type Item = Result<T>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<T>>> {
        self.get_mut().poll_value(cx)
    }
}

/// A reader of the bytes that it was fed with.
#[derive(Debug, Default)]
struct Fed {
    bytes: Vec<u8>,
    /// Bytes that were read.
    read: usize,
    eof: bool,
    starved: bool,
}

impl Fed {
    /// Adds bytes; none mean the end.
    fn feed(&mut self, bytes: &[u8]) {
        self.bytes.clear();
        self.bytes.extend_from_slice(bytes);
        self.read = 0;
        self.eof = bytes.is_empty();
    }

    /// Reports whether the last read failed for want of bytes.
    fn is_starved(&mut self) -> bool {
        std::mem::take(&mut self.starved)
    }
}

impl Read for Fed {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let rest = &self.bytes[self.read..];
        if rest.is_empty() && !self.eof {
            self.starved = true;
            return Err(io::ErrorKind::WouldBlock.into());
        }
        let count = rest.len().min(out.len());
        out[..count].copy_from_slice(&rest[..count]);
        self.read += count;
        Ok(count)
    }
}

//! Messages to Rust's types.

use polywire_core::format::{Framing, Nature, Repeats};
use polywire_core::serde::{FromTree, Reading};
use polywire_core::tools::adapt::{Doubles, Walker};
use polywire_core::tools::{Stream, locate};
use polywire_core::{Dialect, Error, ErrorKind, Frame, Limits, Result, Tree};
use serde_core::Deserialize;

use crate::serde::lacking::explain_lack;
use crate::serde::pulls::{is_pulled, pull};
use crate::{IntoDialect, registry};

/// Most containers within each other, unless [`TypedReader::depth`] allows more. A type is made by
/// recursion, which the stack of a thread has to bear.
pub const DEPTH: u32 = 128;

/// Reads the one message of `bytes` as a type, which may borrow from them.
///
/// # Errors
/// The format has no such name; the bytes are no message of it, are more than one, exceed the
/// limits, or the message is none of the type. The error has offset, path, and in text formats line
/// and column.
pub fn from_slice<'de, T: Deserialize<'de>>(bytes: &'de [u8], format: impl IntoDialect, limits: &Limits) -> Result<T> {
    TypedReader::new(format)?.limits(*limits).read(bytes)
}

/// Reads messages of one dialect as types, one after the other. The memory of a message is used
/// again for the next one.
pub struct TypedReader {
    dialect: Dialect,
    limits: Limits,
    /// Largest depth of the limits.
    deepest: u32,
    /// Name of the format whose pull reader reads the messages.
    pulled: Option<&'static str>,
    /// Made for the first message that is walked.
    walked: Option<Walked>,
}

struct Walked {
    walker: Walker,
    tree: Tree<'static>,
    how: Reading,
}

impl TypedReader {
    /// Makes a reader of a format or dialect, with the default limits and the depth [`DEPTH`].
    ///
    /// # Errors
    /// The format has no such name, or its feature was not compiled in.
    pub fn new(format: impl IntoDialect) -> Result<TypedReader> {
        let dialect = format.into_dialect()?;
        let pulled = (dialect.is_plain() && is_pulled(dialect.format())).then(|| registry::unframed(dialect.format()).name);
        Ok(TypedReader { dialect, limits: Limits::DEFAULT.with_depth(DEPTH), deepest: DEPTH, pulled, walked: None })
    }

    /// Walks all messages into a tree, even where there is a pull reader: its twin.
    #[must_use]
    pub fn walking(self) -> TypedReader {
        TypedReader { pulled: None, walked: None, ..self }
    }

    /// Sets the bounds on each message. Their depth is at most [`DEPTH`], or that of
    /// [`TypedReader::depth`].
    #[must_use]
    pub fn limits(self, limits: Limits) -> TypedReader {
        TypedReader { limits: limits.with_depth(limits.depth.min(self.deepest)), walked: None, ..self }
    }

    /// Sets the number of containers that may be within each other. The stack has to bear a
    /// recursion as deep: a debug build takes about 5 KB a level for a `Value`.
    #[must_use]
    pub fn depth(self, depth: u32) -> TypedReader {
        TypedReader { limits: self.limits.with_depth(depth), deepest: depth, walked: None, ..self }
    }

    /// Returns the dialect that it reads.
    pub fn dialect(&self) -> &Dialect {
        &self.dialect
    }

    /// Reads the one message of `bytes`.
    ///
    /// # Errors
    /// As [`from_slice`].
    pub fn read<'de, T: Deserialize<'de>>(&mut self, bytes: &'de [u8]) -> Result<T> {
        let outcome = match self.pulled {
            Some(_) => {
                let start =
                    if self.dialect.format().nature == Nature::Text && bytes.starts_with(polywire_json::frame::BOM) { 3 } else { 0 };
                self.message(&bytes[start..], start as u64)
            }
            None => self.only_message(bytes),
        };
        outcome.map_err(|error| self.explain(bytes, error))
    }

    /// Reads a message that was framed before, which starts at offset `base` of its stream.
    ///
    /// # Errors
    /// The message is malformed, exceeds the limits, or is none of the type. The error has offset
    /// and path.
    #[inline]
    pub fn message<'de, T: Deserialize<'de>>(&mut self, msg: &'de [u8], base: u64) -> Result<T> {
        match self.pulled.and_then(|name| pull(name, msg, base, &self.limits)) {
            Some(Ok(value)) => Ok(value),
            Some(Err(error)) => Err(self.failed(msg, base, error)),
            None => self.walk(msg, base),
        }
    }

    fn walk<'de, T: Deserialize<'de>>(&mut self, msg: &'de [u8], base: u64) -> Result<T> {
        let walked = self.walked();
        let how = walked.how;
        let mut tree = std::mem::take(&mut walked.tree).recycle();
        let outcome = walked.walker.walk(msg, base, &mut tree).and_then(|()| match tree.root() {
            Some(item) => FromTree::new(item, how).read(),
            None => Err(Error::internal("a message without a value")),
        });
        walked.tree = tree.recycle();
        outcome.map_err(|error| self.failed(msg, base, error))
    }

    fn walked(&mut self) -> &mut Walked {
        let TypedReader { dialect, limits, walked, .. } = self;
        walked.get_or_insert_with(|| {
            let format = dialect.format();
            let strict = !dialect.is_bound() && is_pulled(format);
            let how = Reading::default()
                .base64(format.nature == Nature::Text)
                .texts(!strict)
                .lists(format.repeats == Repeats::List && !dialect.reader().groups_fields());
            Walked { walker: Walker::new(dialect.clone(), limits).doubles(Doubles::Keep), tree: Tree::new(), how }
        })
    }

    /// Adds format and path to an error.
    #[cold]
    fn failed(&mut self, msg: &[u8], base: u64, error: Error) -> Error {
        let error = error.format_is(self.dialect.format().name);
        let error = explain_lack(error, &self.dialect, msg, base, &self.limits);
        let error = match error.kind() {
            ErrorKind::Limit if self.limits.depth < Limits::MAX_DEPTH && error.advice().starts_with("the limit `depth`") => {
                error.hint("the limit `depth` guards the stack, as a type is made by recursion; `depth` of the reader allows more")
            }
            _ => error,
        };
        match (error.path(), error.offset()) {
            (None, Some(offset)) => {
                let path = locate(self.dialect.reader().as_mut(), msg, base, offset, &self.limits);
                error.path_is(path)
            }
            _ => error,
        }
    }

    /// Frames the bytes, and reads the message if it is the only one.
    fn only_message<'de, T: Deserialize<'de>>(&mut self, bytes: &'de [u8]) -> Result<T> {
        // A walk that takes all bytes has found one message and no more, except where something of
        // the framing is no part of a message. If it fails, framing finds out why.
        if self.dialect.format().framing == Framing::Contents
            && let Some(outcome) = self.walk_all(bytes)
        {
            return outcome;
        }
        let (start, end) = match self.next_message(bytes, 0)? {
            Some(place) => place,
            None => return Err(Error::truncated(bytes.len() as u64, "a message").format_is(self.dialect.format().name)),
        };
        let value = self.message(&bytes[start..end], start as u64)?;
        if let Some((more, _)) = self.next_message(bytes, end)? {
            return Err(Error::data(ErrorKind::Trailing, more as u64)
                .seen("another message")
                .expected("one alone")
                .hint("a stream of messages is read one by one")
                .format_is(self.dialect.format().name));
        }
        Ok(value)
    }

    /// Reads all bytes as one message; `None` if they are none.
    fn walk_all<'de, T: Deserialize<'de>>(&mut self, bytes: &'de [u8]) -> Option<Result<T>> {
        let walked = self.walked();
        let how = walked.how;
        let mut tree = std::mem::take(&mut walked.tree).recycle();
        let outcome = match walked.walker.walk(bytes, 0, &mut tree) {
            Ok(()) => tree.root().map(|item| FromTree::new(item, how).read()),
            Err(_) => None,
        };
        walked.tree = tree.recycle();
        outcome.map(|outcome| outcome.map_err(|error| self.failed(bytes, 0, error)))
    }

    /// Returns the place of the first message from `at` on.
    fn next_message(&mut self, bytes: &[u8], mut at: usize) -> Result<Option<(usize, usize)>> {
        loop {
            match self.walked().walker.frame(&bytes[at..], at as u64, true)? {
                Frame::Message { start, end } => return Ok(Some((at + start, at + end))),
                Frame::Between(skipped) => at += skipped,
                Frame::End => return Ok(None),
                Frame::More(_) => return Err(Error::truncated(bytes.len() as u64, "the rest of the message")),
            }
        }
    }

    /// Adds line, column and excerpt to an error of a text format.
    #[cold]
    fn explain(&self, bytes: &[u8], error: Error) -> Error {
        let mut stream = Stream::new(bytes);
        // The place of an error in the first message is at hand once it is framed.
        let _ = stream.next(&mut Walker::new(self.dialect.clone(), &self.limits));
        let explained = match error.offset() {
            Some(offset) => stream.explain(Error::data(error.kind(), offset)),
            None => return error,
        };
        match explained.place() {
            Some(place) => error.or_place(|| place.clone()),
            None => error,
        }
    }
}

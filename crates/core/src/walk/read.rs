//! The reading side of a format.

use std::any::Any;

use crate::columns::Filling;
use crate::error::Result;
use crate::limits::{Budget, Limits};
use crate::walk::sink::Sink;

/// The result of [`Reader::frame`] on the start of a buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Frame {
    /// A message lies at `start..end` of the buffer. The next call's buffer begins at `end`.
    Message {
        /// Offset of its first byte in the buffer. Before it lie only bytes between messages:
        /// separators, a byte order mark, or the message's length.
        start: usize,
        /// Offset after its last byte.
        end: usize,
    },
    /// The first bytes of the buffer, this many and at least one, belong to no message. The next
    /// call's buffer begins after them.
    Between(usize),
    /// At least this number of bytes is missing. The next call's buffer begins with the same bytes
    /// and has more of them.
    More(usize),
    /// Only separators are left in the stream.
    End,
}

/// Treatment of half of a surrogate pair in text, which is no character.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Surrogates {
    /// An error.
    #[default]
    Refuse,
    /// It becomes U+FFFD.
    Replace,
    /// The text becomes octets in WTF-8, which holds it. Keys are refused.
    Keep,
}

/// Reads one format.
pub trait Reader: Any + Send {
    /// Finds the first message in `buf`, which starts at offset `base` of a stream. `eof` means
    /// that no bytes follow `buf`.
    ///
    /// A reader remembers how far it searched, so that the time is linear in the stream's length
    /// however the stream is cut. Where the format allows it, a malformed message ends at or after
    /// the bad byte, and an unfinished one at the end of the stream. The walk then reports the
    /// error.
    ///
    /// # Errors
    /// The message cannot be framed, and so no later one either. Its length, or another part that
    /// framing depends on, is malformed, unsupported or cut off.
    fn frame(&mut self, buf: &[u8], base: u64, eof: bool) -> Result<Frame>;

    /// Appends the bounds of the first messages of `buf` to `found`, as [`Reader::frame`] finds
    /// them one after the other. It stops at one that ends at `most` or behind it, and may stop at
    /// any one. A reader that finds line breaks alone is faster so.
    fn frame_many(&mut self, _buf: &[u8], _base: u64, _most: usize, _found: &mut Vec<(usize, usize)>) {}

    /// Emits the events of one message to `sink`. A message may depend on an earlier one, as rows
    /// of CSV depend on the header that came with the first. One reader therefore walks a stream's
    /// messages in order; it may walk the last one again.
    ///
    /// `base` is the message's offset in the stream; all spans count from there.
    ///
    /// # Errors
    /// The message is malformed, has trailing bytes, exceeds `budget`, or does not fit the reader's
    /// schema. A reader that needs a schema and has none fails on every message. An error of `sink`
    /// is returned, perhaps with the format's name or the message's offset.
    fn walk<'m>(&mut self, msg: &'m [u8], base: u64, sink: &mut dyn Sink<'m>, budget: &mut Budget) -> Result<()>;

    /// Appends a message to columns, as a walk into their sink does.
    ///
    /// Returns false if the message has to be walked: it is damaged or unusual, has values that the
    /// columns do not take, or exceeds `limits`. The caller then takes back the values that were
    /// appended.
    fn fill(&mut self, _msg: &[u8], _base: u64, _filling: &mut Filling<'_>, _limits: &Limits) -> bool {
        false
    }

    /// Appends the first messages of `bytes` to columns, as [`Reader::fill`] does with each one,
    /// and as [`Reader::frame`] finds them. At most `most` are taken.
    ///
    /// Returns the number of bytes and of messages that were appended. The message behind them, if
    /// there is a whole one, goes another way.
    fn fill_many(&mut self, _bytes: &[u8], _base: u64, _most: usize, _filling: &mut Filling<'_>, _limits: &Limits) -> (usize, usize) {
        (0, 0)
    }

    /// Makes a reader of messages behind those so far, which knows what they have given to later
    /// ones, such as a table's header. `None` if there is none, or if later ones may change it.
    fn follower(&self) -> Option<Box<dyn Reader>> {
        None
    }

    /// Sets the treatment of halves of surrogate pairs, in formats that can have them.
    fn surrogates(&mut self, _: Surrogates) {}

    /// Sets whether the spans of the walks to come count bits instead of bytes. Returns false,
    /// without an effect, if values of the format begin at bytes only.
    ///
    /// A reader that counts bits also emits notes on the bits that are no values, such as lengths,
    /// so that every bit has its place in `inspect`.
    fn count_bits(&mut self, bits: bool) -> bool {
        let _ = bits;
        false
    }

    /// Returns whether the walk already groups repeated fields into one list, as
    /// [`Needs::GROUPED`](crate::walk::sink::Needs::GROUPED) asks. This matters only for formats
    /// where a repeated field is a list.
    fn groups_fields(&self) -> bool {
        false
    }

    /// Returns whether no record of the messages to come has a key twice, because the reader knows
    /// their keys beforehand.
    fn has_unique_keys(&self) -> bool {
        false
    }

    /// Returns whether all messages of a stream have the fields of the first one.
    fn has_steady_fields(&self) -> bool {
        false
    }

    /// Returns remarks for people on how the messages so far were understood, a sentence each
    /// without a full stop. They are no losses: nothing is missing.
    fn remarks(&self) -> Vec<String> {
        Vec::new()
    }
}

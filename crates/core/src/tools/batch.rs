//! Whole messages of a stream in one piece, which another thread may have.

use crate::error::Error;
use crate::format::declaration::Framing;
use crate::text::lines::Lines;
use crate::tools::message::Message;

/// Messages that follow each other in a stream, with their bytes.
#[derive(Debug, Default)]
pub struct Batch {
    pub(crate) bytes: Vec<u8>,
    /// Start and end of each message in the bytes.
    pub(crate) places: Vec<(usize, usize)>,
    /// Offset of the bytes in the stream.
    pub(crate) base: u64,
    /// Number of messages before the first one.
    pub(crate) before: u64,
    /// Lines before the bytes, of a text format.
    pub(crate) lines: Option<Lines>,
    pub(crate) framing: Framing,
    /// The codecs that the stream was decoded from, such as `zstd`.
    pub(crate) codecs: Option<String>,
    /// True if the stream ends behind the last message.
    pub(crate) is_last: bool,
}

impl Batch {
    /// Returns the number of messages.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Returns true if there is no message.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Returns the number of bytes, with those between messages.
    pub fn size(&self) -> usize {
        self.bytes.len()
    }

    /// Returns the messages in their order.
    pub fn messages(&self) -> impl Iterator<Item = Message<'_>> {
        self.places.iter().map(|&(from, to)| Message { bytes: &self.bytes[from..to], base: self.base + from as u64 })
    }

    /// Returns the bytes of the messages from `index` on, with those between, and their offset.
    pub fn rest(&self, index: usize) -> (&[u8], u64) {
        let from = self.places.get(index).map_or(self.bytes.len(), |place| place.0);
        (&self.bytes[from..], self.base + from as u64)
    }

    /// Returns an error about the message at `index` with the number of the message, and with line,
    /// column and excerpt if the format is a text format.
    #[cold]
    pub fn explain(&self, error: Error, index: usize) -> Error {
        let error = in_codecs(error.or_message(self.before + index as u64 + 1), self.codecs.as_deref());
        let at = error.offset().and_then(|offset| offset.checked_sub(self.base)).filter(|at| *at <= self.bytes.len() as u64);
        match (self.lines, at) {
            (Some(lines), Some(at)) => error.or_place(|| lines.place(&self.bytes, at as usize)),
            _ => error,
        }
    }

    /// Reports whether the stream ends behind the message at `index`.
    pub fn ends_with(&self, index: usize) -> bool {
        self.is_last && index + 1 == self.places.len()
    }

    /// Returns the bytes of the message at `index` as they are in the stream: with its line break,
    /// or with the length before it.
    pub fn raw(&self, index: usize) -> &[u8] {
        let Some(&(from, to)) = self.places.get(index) else { return &[] };
        let before = index.checked_sub(1).and_then(|last| self.places.get(last)).map_or(0, |last| last.1);
        raw(&self.bytes, before, from, to, self.framing)
    }
}

/// Notes on an error in which codecs' contents its offset counts.
pub(crate) fn in_codecs(error: Error, codecs: Option<&str>) -> Error {
    match codecs {
        Some(codecs) if error.offset().is_some() => error.or_decoded(codecs.to_string()),
        _ => error,
    }
}

/// Returns the bytes of the message `from..to` of `bytes` as they are in the stream; the message
/// before it ends at `before`.
pub(crate) fn raw(bytes: &[u8], before: usize, from: usize, to: usize, framing: Framing) -> &[u8] {
    match framing {
        Framing::Lines => {
            let start = memchr::memrchr(b'\n', &bytes[before..from]).map_or(before, |at| before + at + 1);
            &bytes[start..to + line_end(&bytes[to..])]
        }
        _ => &bytes[before..to],
    }
}

/// Returns the number of bytes up to the end of the line, if only white space is before it.
pub(crate) fn line_end(bytes: &[u8]) -> usize {
    let white = bytes.iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r')).count();
    match bytes.get(white) {
        Some(b'\n') => white + 1,
        None => white,
        Some(_) => 0,
    }
}

//! From any format to any other.

use std::io::{Read, Write};

use polywire_core::tools::Stream;
use polywire_core::tools::convert::Converter;
use polywire_core::tools::loss::LossReport;

use crate::reading::Reading;
use crate::{Dialect, DuplicateKeys, IntoDialect, Limits, Result};

/// Converts messages of one format to another. All messages of `bytes` are converted, one after the
/// other.
///
/// Nothing is lost silently: a message that the target cannot keep whole is an error.
/// [`Conversion::lossy`] allows losses and counts them.
///
/// ```
/// let cbor = polywire::convert(br#"{"id":7,"tags":["a","b"]}"#, "json", "cbor")?;
/// assert_eq!(cbor, b"\xa2\x62id\x07\x64tags\x82\x61a\x61b");
/// # Ok::<(), polywire::Error>(())
/// ```
///
/// # Errors
/// A format has no such name or is not compiled in; a message cannot be read; or the target cannot
/// keep it whole.
pub fn convert(bytes: &[u8], from: impl IntoDialect, to: impl IntoDialect) -> Result<Vec<u8>> {
    Ok(Conversion::new(from, to)?.run(bytes)?.bytes)
}

/// A conversion with options: [`convert`] is one without.
///
/// ```
/// use polywire::Conversion;
///
/// // MessagePack's bytes become base64 text in JSON.
/// let msgpack = b"\x81\xa3key\xc4\x02\x01\x02";
/// let error = polywire::convert(msgpack, "msgpack", "json").unwrap_err();
/// assert_eq!(error.kind(), polywire::ErrorKind::Loss);
///
/// let converted = Conversion::new("msgpack", "json")?.lossy().run(msgpack)?;
/// assert_eq!(converted.bytes, b"{\"key\":\"AQI=\"}\n");
/// let losses: Vec<String> = converted.losses.iter().map(|loss| loss.to_string()).collect();
/// assert_eq!(losses, ["key: bytes became base64 text"]);
/// # Ok::<(), polywire::Error>(())
/// ```
#[derive(Clone)]
pub struct Conversion {
    from: Reading,
    to: Dialect,
    lossy: bool,
    threads: usize,
}

/// Result of a conversion in memory.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Converted {
    /// The messages in the target format.
    pub bytes: Vec<u8>,
    /// Number of messages.
    pub messages: u64,
    /// Values and notes that the target could not keep; empty unless losses are allowed.
    pub losses: LossReport,
}

/// Result of a conversion of a stream.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Copied {
    /// Number of messages.
    pub messages: u64,
    /// Values and notes that the target could not keep; empty unless losses are allowed.
    pub losses: LossReport,
}

impl Conversion {
    /// Makes a conversion from one format to another.
    ///
    /// # Errors
    /// A format has no such name or is not compiled in.
    pub fn new(from: impl IntoDialect, to: impl IntoDialect) -> Result<Conversion> {
        Ok(Conversion { from: Reading::new(from.into_dialect()?), to: to.into_dialect()?, lossy: false, threads: 1 })
    }

    /// Allows losses. They are counted in the result.
    #[must_use]
    pub fn lossy(self) -> Conversion {
        Conversion { lossy: true, ..self }
    }

    /// Sets the bounds on each message.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Conversion {
        self.from.limits = limits;
        self
    }

    /// Sets the treatment of duplicate keys, in formats where they have no meaning of their own.
    /// Default: an error.
    #[must_use]
    pub fn duplicate_keys(mut self, duplicates: DuplicateKeys) -> Conversion {
        self.from.duplicates = duplicates;
        self
    }

    /// Makes the values at `path` the messages: see [`Messages::each`](crate::Messages::each).
    ///
    /// # Errors
    /// The text is no path.
    pub fn each(mut self, path: &str) -> Result<Conversion> {
        self.from.each(path)?;
        Ok(self)
    }

    /// Converts only the values that `paths` name: see
    /// [`Messages::select`](crate::Messages::select).
    ///
    /// # Errors
    /// A text is no path.
    pub fn select(mut self, paths: &[&str]) -> Result<Conversion> {
        self.from.select(paths)?;
        Ok(self)
    }

    /// Converts on as many threads, for formats whose messages can be found without reading them,
    /// such as JSON Lines. The result is the same. Default 1.
    #[must_use]
    pub fn threads(self, threads: usize) -> Conversion {
        Conversion { threads, ..self }
    }

    /// Converts all messages of `bytes`.
    ///
    /// # Errors
    /// A message cannot be read, or the target cannot keep it whole and losses are not allowed.
    pub fn run(&self, bytes: &[u8]) -> Result<Converted> {
        let mut out = Vec::new();
        let Copied { messages, losses } = self.copy(bytes, &mut out)?;
        Ok(Converted { bytes: out, messages, losses })
    }

    /// Converts all messages of `input`, and writes them to `output` as they come. Memory: a
    /// buffer, and at most twice the longest message.
    ///
    /// ```
    /// use polywire::Conversion;
    ///
    /// let lines = "{\"n\":1}\n{\"n\":2}\n";
    /// let mut out = Vec::new();
    /// let copied = Conversion::new("jsonl", "msgpack")?.copy(lines.as_bytes(), &mut out)?;
    /// assert_eq!(copied.messages, 2);
    /// assert_eq!(out, b"\x81\xa1n\x01\x81\xa1n\x02");
    /// # Ok::<(), polywire::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Conversion::run`], and those of `input` and `output`. Messages before the error are
    /// written.
    pub fn copy(&self, input: impl Read, output: &mut dyn Write) -> Result<Copied> {
        let mut walker = self.from.walker();
        let mut converter = Converter::new(self.to.clone()).lossless(!self.lossy).threads(self.threads);
        converter.add(&mut Stream::new(input), output, &mut walker)?;
        converter.finish(output)?;
        let done = converter.into_done();
        Ok(Copied { messages: done.messages, losses: done.losses })
    }
}

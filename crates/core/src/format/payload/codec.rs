//! Codecs: the wrappings around a message.

use std::io::{self, Read, Write};
use std::ops::RangeInclusive;

/// Makes a reader of the bytes inside another reader's bytes.
pub type Decoder = for<'a> fn(Box<dyn Read + 'a>) -> io::Result<Box<dyn Read + 'a>>;

/// Makes a writer that encodes into another writer, with a level.
pub type Encode = for<'a> fn(Box<dyn Write + 'a>, u32) -> io::Result<Box<dyn Encoding + 'a>>;

/// A writer that encodes what it gets. Without [`Encoding::finish`] the end is missing.
pub trait Encoding: Write {
    /// Writes the end, and flushes it.
    ///
    /// # Errors
    /// The inner writer fails.
    fn finish(self: Box<Self>) -> io::Result<()>;
}

/// The writing side of a codec.
#[derive(Debug)]
pub struct Encoder {
    /// Levels, a higher one for fewer bytes and more time. A codec without levels has one.
    pub levels: RangeInclusive<u32>,
    /// The usual level.
    pub level: u32,
    /// Makes a writer. The level is one of `levels`.
    pub encode: Encode,
}

/// A way of wrapping bytes into other bytes: compression, or bytes as text.
#[derive(Debug)]
pub struct Codec {
    /// Name for reports and errors, lower case.
    pub name: &'static str,
    /// File extensions without the dot, the usual one first.
    pub extensions: &'static [&'static str],
    /// Returns true if `start` looks like the codec's bytes; `whole` means that nothing follows.
    pub recognise: fn(start: &[u8], whole: bool) -> bool,
    /// True if the first bytes alone prove the codec.
    pub certain: bool,
    /// Decodes piece by piece. Memory must be bounded however long the stream is.
    pub decoder: Decoder,
    /// Encodes, if the codec can be written.
    pub encoder: Option<Encoder>,
}

impl Codec {
    /// Returns a reader of the decoded bytes of `input`.
    ///
    /// # Errors
    /// A decoding error is an [`io::ErrorKind::InvalidData`] that names the codec. Errors of
    /// `input` are returned as they are.
    pub fn reader<'a>(&'static self, input: Box<dyn Read + 'a>) -> io::Result<Box<dyn Read + 'a>> {
        let decoder = (self.decoder)(input).map_err(|error| self.named(error))?;
        Ok(Box::new(Named { codec: self, decoder }))
    }

    fn named(&self, error: io::Error) -> io::Error {
        let ours = error.raw_os_error().is_none() && !matches!(error.kind(), io::ErrorKind::Interrupted | io::ErrorKind::InvalidData)
            || error.kind() == io::ErrorKind::InvalidData && !error.get_ref().is_some_and(|inner| inner.is::<Broken>());
        if ours { io::Error::new(io::ErrorKind::InvalidData, Broken { codec: self.name, why: error.to_string() }) } else { error }
    }
}

/// Cause of a decoding error. Outer codecs pass it on unchanged.
#[derive(Debug)]
struct Broken {
    codec: &'static str,
    why: String,
}

impl std::fmt::Display for Broken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} that cannot be decoded: {}", self.codec, self.why)
    }
}

impl std::error::Error for Broken {}

struct Named<'a> {
    codec: &'static Codec,
    decoder: Box<dyn Read + 'a>,
}

impl Read for Named<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        self.decoder.read(buf).map_err(|error| self.codec.named(error))
    }
}

//! Messages inside messages: text and bytes that hold another format, as they are or wrapped in
//! codecs such as compression.
//!
//! The registry of formats makes the lists of codecs and formats ([`Payloads`]); nothing here
//! names one.

mod codec;
pub mod raw;

use std::borrow::Cow;
use std::fmt;
use std::io::{self, Read};

use crate::error::{Error, ErrorKind, Result};
use crate::format::declaration::Format;
use crate::limits::Budget;

pub use codec::{Codec, Decoder, Encode, Encoder, Encoding};

/// Number of bytes that recognition looks at, before and after each codec.
pub const LOOK: usize = 4096;

/// Number of bytes that recognition looks at inside of a codec that the first bytes prove. A block
/// of Zstandard yields nothing before its end, and has up to 128 KiB (RFC 8878 3.1.1.2.4).
pub const FAR: usize = 160 << 10;

/// Maximum number of codecs within each other: base64 of compressed text takes two.
pub const LAYERS: usize = 4;

/// Number of bytes decoded at a time.
const CHUNK: usize = 16 << 10;

/// The codecs and formats that can be recognised inside of text and bytes.
#[derive(Debug, Clone, Copy)]
pub struct Payloads {
    /// The codecs; those that their first bytes prove come first.
    pub codecs: &'static [&'static Codec],
    /// Returns the format that a value's bytes hold beyond doubt, if any; `whole` means that
    /// nothing follows them.
    pub evident: fn(start: &[u8], whole: bool) -> Option<&'static Format>,
    /// Returns the format of bytes that are known to hold a message.
    pub likely: fn(start: &[u8], whole: bool) -> Option<&'static Format>,
    /// Returns the format of the bytes in a tagged value, if its tag declares one.
    pub tagged: fn(space: &str, code: u64) -> Option<&'static Format>,
}

/// The payload of text or bytes: codecs around a format. Printed as `json in gzip in base64`.
#[derive(Debug, Clone)]
pub struct Contents {
    /// The codecs, outermost first.
    pub codecs: Vec<&'static Codec>,
    /// The format inside of them.
    pub format: &'static Format,
}

impl Contents {
    /// Makes the contents of a format without codecs.
    pub const fn plain(format: &'static Format) -> Contents {
        Contents { codecs: Vec::new(), format }
    }
}

impl fmt::Display for Contents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.format.name)?;
        self.codecs.iter().rev().try_for_each(|codec| write!(f, " in {}", codec.name))
    }
}

impl Payloads {
    /// Returns the payload of `bytes`, if it is beyond doubt. Looks at no more than [`LOOK`] bytes
    /// per codec, or [`FAR`] where the first bytes prove the codec.
    pub fn look(&self, bytes: &[u8]) -> Option<Contents> {
        self.look_at(bytes, true, self.evident)
    }

    /// Returns the payload of a stream that begins with `start`; `whole` means that nothing
    /// follows.
    pub fn look_at_start(&self, start: &[u8], whole: bool) -> Option<Contents> {
        self.look_at(start, whole, self.evident)
    }

    /// Returns the payload of `bytes` that are known to hold a message, for which less evidence
    /// suffices.
    pub fn look_harder(&self, bytes: &[u8]) -> Option<Contents> {
        self.look(bytes).or_else(|| self.look_at(bytes, true, self.likely))
    }

    /// Returns the codecs that the first bytes of a stream prove, outermost first, whatever is
    /// inside of them.
    pub fn proved(&self, start: &[u8], whole: bool) -> Vec<&'static Codec> {
        let mut codecs = Vec::new();
        let (mut start, mut whole) = (Cow::Borrowed(start), whole);
        while let Some(codec) = self.proving(&start)
            && codecs.len() < LAYERS
        {
            codecs.push(codec);
            let Some((inside, ended)) = self.beginning(codec, &start, whole) else { break };
            (start, whole) = (inside.into(), ended);
        }
        codecs
    }

    /// Returns the codec that the first bytes prove.
    fn proving(&self, start: &[u8]) -> Option<&'static Codec> {
        self.codecs.iter().copied().find(|codec| codec.certain && (codec.recognise)(start, false))
    }

    fn look_at(&self, bytes: &[u8], whole: bool, format: fn(&[u8], bool) -> Option<&'static Format>) -> Option<Contents> {
        let mut codecs = Vec::new();
        let format = self.peel(&bytes[..bytes.len().min(FAR)], whole && bytes.len() <= FAR, format, &mut codecs)?;
        Some(Contents { codecs, format })
    }

    /// Takes the codecs off `start`, and returns the format inside of them. Recursion is bounded by
    /// [`LAYERS`].
    fn peel(
        &self,
        start: &[u8],
        whole: bool,
        format: fn(&[u8], bool) -> Option<&'static Format>,
        codecs: &mut Vec<&'static Codec>,
    ) -> Option<&'static Format> {
        let far = start;
        let start = &far[..far.len().min(LOOK)];
        let all = (far, whole);
        let whole = whole && start.len() == far.len();
        if codecs.len() < LAYERS {
            for codec in self.codecs.iter().copied().filter(|codec| (codec.recognise)(start, whole)) {
                let (start, whole) = if codec.certain { all } else { (start, whole) };
                let Some((inside, ended)) = self.beginning(codec, start, whole) else { continue };
                codecs.push(codec);
                let found = self.peel(&inside, ended, format, codecs);
                if found.is_some() {
                    return found;
                }
                codecs.pop();
            }
        }
        format(start, whole)
    }

    /// Decodes `bytes` by `codecs`, outermost first, and appends the result to `out`. Its length is
    /// spent from `budget`. `at` is the offset that errors name.
    ///
    /// # Errors
    /// The bytes are not in the codecs, or the budget is spent. `out` then has the bytes before the
    /// error.
    pub fn decode(&self, bytes: &[u8], codecs: &[&'static Codec], budget: &mut Budget, at: u64, out: &mut Vec<u8>) -> Result<()> {
        let mut input: Box<dyn Read + '_> = Box::new(bytes);
        for codec in codecs {
            input = codec.reader(input).map_err(|error| broken(&error, at))?;
        }
        let mut chunk = [0; CHUNK];
        loop {
            match input.read(&mut chunk) {
                Ok(0) => return Ok(()),
                Ok(read) => {
                    budget.decode(read as u64, at)?;
                    out.extend_from_slice(&chunk[..read]);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(broken(&error, at)),
            }
        }
    }

    /// Returns the first bytes inside of `codec`, and whether they are all; `None` if `start` is
    /// not in that codec.
    fn beginning(&self, codec: &'static Codec, start: &[u8], whole: bool) -> Option<(Vec<u8>, bool)> {
        let mut input = codec.reader(Box::new(start)).ok()?;
        let mut inside = vec![0; LOOK];
        let mut len = 0;
        let ended = loop {
            match input.read(&mut inside[len..]) {
                Ok(0) => break whole,
                Ok(read) => len += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                // A start that was cut ends early inside too. A later error does not prevent
                // recognition.
                Err(_) if !whole || codec.certain => break false,
                Err(_) => return None,
            }
            if len == LOOK && self.proving(&inside).is_some() {
                inside.resize(FAR, 0);
            } else if len == inside.len() {
                break false;
            }
        };
        inside.truncate(len);
        Some((inside, ended))
    }
}

fn broken(error: &io::Error, at: u64) -> Error {
    Error::data(ErrorKind::Encoding, at).seen(error.to_string())
}

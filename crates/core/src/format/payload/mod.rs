//! Messages inside messages: text and bytes that hold another format, as they are or wrapped in
//! codecs such as compression.
//!
//! What there is to be found comes from a table ([`Payloads`]) that the registry of formats makes;
//! nothing here knows a format or a codec by name.

mod codec;
pub mod raw;

use std::fmt;
use std::io::{self, Read};

use crate::error::{Error, ErrorKind, Result};
use crate::format::declaration::Format;
use crate::limits::Budget;

pub use codec::{Codec, Decoder};

/// How many bytes recognition looks at, before and after each codec.
pub const LOOK: usize = 4096;

/// Codecs within each other at most: base64 of compressed text takes two.
pub const LAYERS: usize = 4;

/// Bytes that are decoded at a time.
const CHUNK: usize = 16 << 10;

/// What can be found inside of text and bytes.
#[derive(Debug, Clone, Copy)]
pub struct Payloads {
    /// The codecs, those that are told from their first bytes first.
    pub codecs: &'static [&'static Codec],
    /// The format that bytes which came as a value hold beyond doubt, if any; `whole` says that
    /// nothing follows them.
    pub evident: fn(start: &[u8], whole: bool) -> Option<&'static Format>,
    /// The format that they hold if they are known to hold one.
    pub likely: fn(start: &[u8], whole: bool) -> Option<&'static Format>,
}

/// What text or bytes hold: codecs around a format. Printed as `json in gzip in base64`.
#[derive(Debug, Clone)]
pub struct Contents {
    /// The codecs, outermost first.
    pub codecs: Vec<&'static Codec>,
    /// The format inside of them.
    pub format: &'static Format,
}

impl fmt::Display for Contents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.format.name)?;
        self.codecs.iter().rev().try_for_each(|codec| write!(f, " in {}", codec.name))
    }
}

impl Payloads {
    /// What `bytes` hold, if that is beyond doubt. Takes time in proportion to [`LOOK`] at most.
    pub fn look(&self, bytes: &[u8]) -> Option<Contents> {
        self.look_at(bytes, true, self.evident)
    }

    /// What a stream that begins with `start` holds; `whole` says that nothing follows.
    pub fn look_at_start(&self, start: &[u8], whole: bool) -> Option<Contents> {
        self.look_at(start, whole, self.evident)
    }

    /// What `bytes` hold if they are known to hold a message: less evidence will do.
    pub fn look_harder(&self, bytes: &[u8]) -> Option<Contents> {
        self.look(bytes).or_else(|| self.look_at(bytes, true, self.likely))
    }

    fn look_at(&self, bytes: &[u8], whole: bool, format: fn(&[u8], bool) -> Option<&'static Format>) -> Option<Contents> {
        let start = &bytes[..bytes.len().min(LOOK)];
        let mut codecs = Vec::new();
        let format = self.peel(start, whole && start.len() == bytes.len(), format, &mut codecs)?;
        Some(Contents { codecs, format })
    }

    /// Recursion is bounded by [`LAYERS`].
    fn peel(
        &self,
        start: &[u8],
        whole: bool,
        format: fn(&[u8], bool) -> Option<&'static Format>,
        codecs: &mut Vec<&'static Codec>,
    ) -> Option<&'static Format> {
        if codecs.len() < LAYERS {
            for codec in self.codecs.iter().copied().filter(|codec| (codec.recognise)(start, whole)) {
                let Some((inside, ended)) = beginning(codec, start, whole) else { continue };
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

    /// The bytes of the messages in `bytes`, without the codecs around them; what is made is spent
    /// from `budget`. `at` is the offset that errors name; what came before an error is in `out`.
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
}

fn broken(error: &io::Error, at: u64) -> Error {
    Error::data(ErrorKind::Encoding, at).seen(error.to_string())
}

/// The first bytes of what `codec` holds, and whether they are all; `None` if `start` is none of
/// its.
fn beginning(codec: &'static Codec, start: &[u8], whole: bool) -> Option<(Vec<u8>, bool)> {
    let mut input = codec.reader(Box::new(start)).ok()?;
    let mut inside = vec![0; LOOK];
    let mut len = 0;
    let ended = loop {
        match input.read(&mut inside[len..]) {
            Ok(0) => break len < LOOK && whole,
            Ok(read) => len += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            // Where the start was cut, so is what it holds. What is broken further on may still be
            // recognised.
            Err(_) if !whole || codec.certain => break false,
            Err(_) => return None,
        }
        if len == LOOK {
            break false;
        }
    };
    inside.truncate(len);
    Some((inside, ended))
}

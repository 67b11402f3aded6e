//! The bytes of values in the binary and the compact protocol.
//!
//! Sources: `doc/specs/thrift-binary-protocol.md` and `thrift-compact-protocol.md` of
//! <https://github.com/apache/thrift>.

mod binary;
mod compact;
pub(crate) mod envelope;

use polywire_core::bytes::{Input, OutBuf};
use polywire_core::{Error, ErrorKind, Result};

pub use binary::Binary;
pub use compact::Compact;

use crate::kind::Kind;
use envelope::{Envelope, Found};

/// Tag space of sets and identifiers, and the name that numbers' spellings have in both protocols.
pub const NAME: &str = "thrift";

/// Head of a field.
#[derive(Debug, Clone, Copy)]
pub struct FieldHead {
    /// Number of the field.
    pub id: i16,
    /// Type of its value.
    pub kind: Kind,
    /// The value itself, where the head holds it: a truth value in the compact protocol.
    pub truth: Option<bool>,
}

/// Head of a list or set.
#[derive(Debug, Clone, Copy)]
pub struct ListHead {
    /// Type of the elements. `None` if there are none, and the number is no type's.
    pub kind: Option<Kind>,
    /// Number of elements, as claimed.
    pub count: u64,
}

/// Head of a map.
#[derive(Debug, Clone, Copy)]
pub struct MapHead {
    /// Types of keys and values. `None` if there are none and the bytes name no types.
    pub kinds: Option<(Kind, Kind)>,
    /// Number of pairs, as claimed.
    pub count: u64,
}

/// A protocol: how types, numbers, counts and envelopes lie in bytes.
pub trait Protocol: Send + Sync + Copy + Default + std::fmt::Debug + 'static {
    /// Name of the format.
    const NAME: &'static str;

    /// Number of the protocol in the header transport (`doc/specs/HeaderFormat.md`).
    const ID: u64;

    /// Reads the head of a field behind the field `last`, or the end of the struct (`None`).
    fn field(input: &mut Input<'_>, last: i16) -> Result<Option<FieldHead>>;

    /// Reads the head of a list or set.
    fn list(input: &mut Input<'_>) -> Result<ListHead>;

    /// Reads the head of a map.
    fn map(input: &mut Input<'_>) -> Result<MapHead>;

    /// Reads a truth value that stands alone.
    fn truth(input: &mut Input<'_>) -> Result<bool>;

    /// Reads an integer of a type.
    fn int(input: &mut Input<'_>, kind: Kind) -> Result<i64>;

    /// Reads a double.
    fn double(input: &mut Input<'_>) -> Result<f64>;

    /// Reads text or bytes.
    fn bytes<'m>(input: &mut Input<'m>) -> Result<&'m [u8]>;

    /// Returns the number of bytes of a value, if it is the same for all values of the type.
    fn fixed(kind: Kind) -> Option<u64>;

    /// Looks for an envelope at the start of `buf`. `old` means that messages have envelopes of the
    /// old kind, without a version.
    fn envelope(buf: &[u8], base: u64, eof: bool, old: bool) -> Found;

    /// Appends an envelope.
    ///
    /// # Errors
    /// The protocol cannot hold its name.
    fn put_envelope(out: &mut OutBuf, envelope: &Envelope<'_>, old: bool) -> Result<()>;

    /// Appends the head of a field behind the field `last`; `truth` is its value if it is a truth
    /// value. Returns whether the head holds that.
    fn put_field(out: &mut OutBuf, last: i16, id: i16, kind: Kind, truth: Option<bool>) -> bool;

    /// Changes the struct that is the message at `start`, if its bytes look like an envelope.
    fn tell_from_envelope(message: &mut Vec<u8>, start: usize) {
        let _ = (message, start);
    }

    /// Appends the end of a struct.
    fn put_stop(out: &mut OutBuf) {
        out.byte(0);
    }

    /// Returns the head of a list or set.
    fn list_head(kind: Kind, count: u32) -> Head;

    /// Returns the head of a map.
    fn map_head(kinds: (Kind, Kind), count: u32) -> Head;

    /// Appends a truth value that stands alone.
    fn put_truth(out: &mut OutBuf, truth: bool);

    /// Appends an integer of a type that holds it.
    fn put_int(out: &mut OutBuf, kind: Kind, value: i64);

    /// Appends a double.
    fn put_double(out: &mut OutBuf, value: f64);

    /// Appends the length of text or bytes.
    fn put_length(out: &mut OutBuf, len: u32) {
        out.put(Self::length(len).as_bytes());
    }

    /// Returns the length of text or bytes as bytes.
    fn length(len: u32) -> Head;
}

/// Bytes of a head, few enough for a gap of an [`OutBuf`].
#[derive(Debug, Clone, Copy, Default)]
pub struct Head {
    bytes: [u8; 7],
    len: u8,
}

impl Head {
    pub(crate) fn push(&mut self, byte: u8) {
        self.bytes[usize::from(self.len)] = byte;
        self.len += 1;
    }

    pub(crate) fn with(mut self, bytes: &[u8]) -> Head {
        bytes.iter().for_each(|byte| self.push(*byte));
        self
    }

    pub(crate) fn varint(mut self, mut value: u32) -> Head {
        while value >= 0x80 {
            self.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.push(value as u8);
        self
    }

    /// Returns the bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.len)]
    }
}

/// Largest count and length: those of a signed integer of 32 bits.
pub(crate) const MOST: u64 = i32::MAX as u64;

#[cold]
pub(crate) fn no_type(offset: u64, code: u8) -> Error {
    Error::data(ErrorKind::Syntax, offset).seen(format!("the type {code}")).expected("the number of a type")
}

/// Checks a count or length of a value at `offset`.
pub(crate) fn count(claimed: u64, offset: u64) -> Result<u64> {
    if claimed > MOST {
        return Err(Error::data(ErrorKind::Range, offset).seen(format!("a length of {claimed}")).expected(format!("at most {MOST}")));
    }
    Ok(claimed)
}

/// Reports whether text has control characters other than line breaks and tabs.
pub(crate) fn has_control(bytes: &[u8]) -> bool {
    bytes.iter().any(|byte| *byte == 0x7f || (*byte < 0x20 && !matches!(byte, b'\t' | b'\n' | b'\r')))
}

/// Returns the text that bytes are taken for: UTF-8 without control characters but line breaks and
/// tabs.
pub(crate) fn text(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes).ok().filter(|_| !has_control(bytes))
}

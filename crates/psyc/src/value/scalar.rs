//! Values without parts: numbers and moments, and where a value lies.

use crate::number::{self, Prefix};

/// Unix time of PSYC's time zero, 2015-08-24T19:20:41Z (docs/spec/psyc.md 2).
pub const PSYC_EPOCH: i64 = 1_440_444_041;

/// The default limit of lists and dicts within each other.
pub const DEPTH_MAX: u32 = 64;

/// An error in a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ValueError {
    /// The offset of the first wrong byte, from the start of the outermost value.
    pub at: usize,
    /// The expected input, for people.
    pub expected: &'static str,
}

impl core::fmt::Display for ValueError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "expected {} at byte {} of the value", self.expected, self.at)
    }
}

impl core::error::Error for ValueError {}

/// A moment, in seconds since [`PSYC_EPOCH`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date(pub i64);

impl Date {
    /// Returns the moment of a Unix time, or `None` if it is out of range.
    pub const fn from_unix(seconds: i64) -> Option<Date> {
        match seconds.checked_sub(PSYC_EPOCH) {
            Some(since) => Some(Date(since)),
            None => None,
        }
    }

    /// Returns its Unix time, or `None` if that is out of range.
    pub const fn unix(self) -> Option<i64> {
        self.0.checked_add(PSYC_EPOCH)
    }
}

/// The longest text that [`Value::write`](super::Value::write) makes of a number, in bytes.
pub const NUMBER_MAX: usize = 20;

pub(super) fn text(number: i64, digits: &mut [u8; NUMBER_MAX]) -> &[u8] {
    let mut buffer = itoa::Buffer::new();
    let text = buffer.format(number).as_bytes();
    digits[..text.len()].copy_from_slice(text);
    &digits[..text.len()]
}

/// Where a value lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place<'a> {
    pub bytes: &'a [u8],
    /// Its offset in the outermost value.
    pub at: usize,
    /// The number of lists and dicts that may still be nested.
    pub depth: u32,
}

/// Returns a whole number, or `None` if 64 bits do not hold it.
pub(super) fn whole(bytes: &[u8], at: usize) -> Result<Option<i64>, ValueError> {
    const EXPECTED: &str = "a whole number";
    let sign = usize::from(bytes.first() == Some(&b'-'));
    if bytes.len() == sign {
        return Err(ValueError { at: at + sign, expected: EXPECTED });
    }
    let Prefix { read, value } = number::signed(bytes);
    if read == bytes.len() {
        return Ok(Some(value));
    }
    match bytes[read..].iter().position(|byte| !byte.is_ascii_digit()) {
        Some(count) => Err(ValueError { at: at + read + count, expected: EXPECTED }),
        None => Ok(None),
    }
}

pub(super) fn seconds(bytes: &[u8], at: usize) -> Result<i64, ValueError> {
    whole(bytes, at)?.ok_or(ValueError { at, expected: "seconds within 64 bits" })
}

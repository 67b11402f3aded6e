//! The bytes that bencode's values start and end with, and its two numbers: BEP 3, "bencoding".

use polywire_core::{Error, ErrorKind, Result};

pub(super) const INTEGER: u8 = b'i';
pub(super) const LIST: u8 = b'l';
pub(super) const DICTIONARY: u8 = b'd';
pub(super) const END: u8 = b'e';
/// Between the length of a string and its bytes.
pub(super) const COLON: u8 = b':';

/// What a value may start with, for people.
pub(super) const VALUE: &str = "a value: i, l, d, or the length of a string";

/// Digits of the longest length that 64 bits hold.
const LENGTH_DIGITS: usize = 20;

/// How far a number in a buffer that may go on was read.
pub(super) enum Scan<T> {
    /// What was read, and the position after it.
    Done(T, usize),
    /// The buffer ends too early; everything before this position is a part of the number.
    More(usize),
}

/// The length of a string whose first digit is at `at`, with its colon.
pub(super) fn length(buf: &[u8], at: usize, base: u64) -> Result<Scan<usize>> {
    let mut value = 0usize;
    for (pos, &byte) in buf.iter().enumerate().skip(at) {
        match byte {
            COLON if pos > at => return Ok(Scan::Done(value, pos + 1)),
            b'0'..=b'9' if pos - at >= LENGTH_DIGITS => {
                return Err(Error::data(ErrorKind::Range, base + at as u64)
                    .seen("the length of a string in more than 20 digits")
                    .expected("a length of 64 bits"));
            }
            b'0'..=b'9' if pos == at + 1 && buf[at] == b'0' => {
                return Err(wrong(byte, pos, base).expected("':', since a length has no leading zeros"));
            }
            b'0'..=b'9' => value = value.saturating_mul(10).saturating_add(usize::from(byte - b'0')),
            _ => return Err(wrong(byte, pos, base).expected("a digit of the length of a string, or ':'")),
        }
    }
    Ok(Scan::More(buf.len()))
}

/// The integer whose `i` is at `at`; what is before `from` was looked at by a call before. Beside the end, nothing is told of it.
pub(super) fn integer(buf: &[u8], at: usize, from: usize, base: u64) -> Result<Scan<()>> {
    let first = at + 1;
    for (pos, &byte) in buf.iter().enumerate().skip(from.max(first)) {
        let digits_from = first + usize::from(buf[first] == b'-');
        match byte {
            b'-' if pos == first => {}
            b'0'..=b'9' if pos > digits_from && buf[digits_from] == b'0' => {
                return Err(wrong(byte, pos, base).expected("'e', since an integer has no leading zeros"));
            }
            b'0' if pos == digits_from && pos > first => {
                return Err(wrong(byte, pos, base).expected("a digit from 1 to 9, since there is no -0"));
            }
            b'0'..=b'9' => {}
            END if pos > digits_from => return Ok(Scan::Done((), pos + 1)),
            _ => return Err(wrong(byte, pos, base).expected("a digit of an integer, or 'e' after it")),
        }
    }
    Ok(Scan::More(buf.len()))
}

/// The error for a byte at `pos` that does not belong there.
#[cold]
pub(super) fn wrong(byte: u8, pos: usize, base: u64) -> Error {
    let seen = if byte.is_ascii_graphic() { format!("'{}'", char::from(byte)) } else { format!("byte 0x{byte:02x}") };
    Error::data(ErrorKind::Syntax, base + pos as u64).seen(seen)
}

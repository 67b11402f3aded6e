//! The bytes that start and end bencode's values, and its two kinds of numbers: BEP 3, "bencoding".

use polywire_core::{Error, ErrorKind, Result};

/// Name in the registry and in errors.
pub const NAME: &str = "bencode";

pub(super) const INTEGER: u8 = b'i';
pub(super) const LIST: u8 = b'l';
pub(super) const DICTIONARY: u8 = b'd';
pub(super) const END: u8 = b'e';
/// Separator between the length of a string and its bytes.
pub(super) const COLON: u8 = b':';

/// First bytes of a value, for people.
pub(super) const VALUE: &str = "a value: i, l, d, or the length of a string";

/// Digits of the longest length that 64 bits hold.
const LENGTH_DIGITS: usize = 20;

/// Progress on a number in a buffer that may continue.
pub(super) enum Scan<T> {
    /// The number, and the position after it.
    Done(T, usize),
    /// Incomplete: the buffer ends too early; everything before this position belongs to the
    /// number.
    More(usize),
}

/// Reads the length of a string, with its colon; its first digit is at `at`.
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

/// Scans the integer whose `i` is at `at`. The bytes before `from` were scanned by an earlier call.
/// Returns the end alone.
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

/// Returns the error for a byte at `pos` that does not belong there.
#[cold]
pub(super) fn wrong(byte: u8, pos: usize, base: u64) -> Error {
    let seen = if byte.is_ascii_graphic() { format!("'{}'", char::from(byte)) } else { format!("byte 0x{byte:02x}") };
    Error::data(ErrorKind::Syntax, base + pos as u64).seen(seen)
}

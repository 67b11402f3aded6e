//! Errors of JSON text, for all its readers.

use polywire_core::{Error, ErrorKind};
use polywire_json::cursor::{Mistake, MistakeKind};

/// Returns the error for an unexpected byte at `at` of a text, or at the end of the input, for
/// missing bytes. The text starts at offset `base` of the stream.
#[cold]
pub(super) fn unexpected(text: &str, base: u64, at: usize, kind: ErrorKind, expected: &'static str) -> Error {
    let offset = base + at as u64;
    match text.get(at..).and_then(|rest| rest.chars().next()) {
        Some(seen) => Error::data(if kind == ErrorKind::Truncated { ErrorKind::Syntax } else { kind }, offset)
            .seen(format!("{seen:?}"))
            .expected(expected),
        None => Error::truncated(offset, expected),
    }
}

/// Returns the error for a mistake in a string.
#[cold]
pub(super) fn mistake(text: &str, base: u64, Mistake { at, kind }: Mistake) -> Error {
    let unexpected = |kind, expected| unexpected(text, base, at, kind, expected);
    match kind {
        MistakeKind::Control => unexpected(ErrorKind::Syntax, "an escape such as \\n instead of a control character"),
        MistakeKind::Unclosed => unexpected(ErrorKind::Truncated, "the closing '\"' of a string"),
        MistakeKind::Escape => unexpected(ErrorKind::Syntax, "one of \" \\ / b f n r t u after a backslash"),
        MistakeKind::Digits { .. } => unexpected(ErrorKind::Syntax, "four hexadecimal digits"),
        MistakeKind::HalfPair(_) => Error::data(ErrorKind::Encoding, base + at as u64)
            .seen("half of a surrogate pair")
            .expected("two \\u escapes that make one character")
            .hint("such text has no meaning in Unicode; its writer may have cut a string within a character; --surrogates replace reads it, and --surrogates keep all but names"),
    }
}

/// Returns the error for a word at `start` that is not `word`, though it begins so.
#[cold]
pub(super) fn misspelt(text: &str, base: u64, start: usize, word: &[u8]) -> Error {
    let rest = text.as_bytes().get(start..).unwrap_or_default();
    let right = word.iter().zip(rest).take_while(|(wanted, byte)| wanted == byte).count();
    unexpected(text, base, start + right, ErrorKind::Syntax, "true, false or null")
}

/// Splits a message into its text and the place of the first byte that is no UTF-8.
///
/// The text before a bad byte is read, so that an earlier mistake is reported first and a dump
/// shows all that was understood.
#[inline]
pub(super) fn text_of(msg: &[u8]) -> (&str, Option<usize>) {
    match simdutf8::basic::from_utf8(msg) {
        Ok(text) => (text, None),
        Err(_) => bad_text(msg),
    }
}

#[cold]
fn bad_text(msg: &[u8]) -> (&str, Option<usize>) {
    match std::str::from_utf8(msg) {
        Ok(text) => (text, None),
        Err(error) => {
            let valid = error.valid_up_to();
            (std::str::from_utf8(&msg[..valid]).unwrap_or_default(), Some(valid))
        }
    }
}

/// Returns the outcome of reading a message whose text ends at a byte that is no UTF-8.
#[cold]
pub(super) fn at_bad_byte<T>(outcome: Result<T, Error>, msg: &[u8], base: u64, valid: usize) -> Result<T, Error> {
    match outcome {
        Err(error) if error.kind() != ErrorKind::Truncated => Err(error),
        _ => Err(Error::data(ErrorKind::Encoding, base + valid as u64).seen(format!("byte 0x{:02x}", msg[valid])).expected("UTF-8 text")),
    }
}

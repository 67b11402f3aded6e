//! The digest of the input, so that two reports can be known to be of the same messages.

use std::fmt::Write;

use sha2::{Digest, Sha256};

use crate::messages::Messages;

/// Returns the SHA-256 of the bytes of all messages, one after the other, in hexadecimal digits.
/// Separators between messages are no part of it.
pub(crate) fn of(messages: &Messages) -> String {
    let mut hasher = Sha256::new();
    (0..messages.len()).for_each(|index| hasher.update(messages.get(index).0));
    hasher.finalize().iter().fold(String::new(), |mut digits, byte| {
        let _ = write!(digits, "{byte:02x}");
        digits
    })
}

//! Results of calls as objects of C.

use std::ffi::{CString, c_char};
use std::ptr::null;

use crate::error::c_text;
use crate::pointer::{In, InMut, Out};

/// The result of a call: bytes, and what is to be said about them. Free it with
/// polywire_result_free().
pub struct Outcome {
    bytes: Vec<u8>,
    messages: u64,
    losses: CString,
}

impl Outcome {
    /// Makes a result of `bytes`, to which a byte 0 is added, and of losses as a JSON array.
    pub fn new(mut bytes: Vec<u8>, messages: u64, losses: &str) -> Outcome {
        bytes.push(0);
        Outcome { bytes, messages, losses: c_text(losses) }
    }

    fn bytes(&self) -> &[u8] {
        self.bytes.split_last().map_or(&[], |(_, bytes)| bytes)
    }
}

/// Returns the bytes, and stores their number in `length` unless that is null. A byte 0 follows
/// them, which does not count: a text without such a byte in it is a C string. They live as long as
/// the result.
#[unsafe(no_mangle)]
pub extern "C" fn polywire_result_bytes(result: *const Outcome, length: *mut usize) -> *const u8 {
    let bytes = result.object().map(Outcome::bytes);
    length.store(bytes.map_or(0, <[u8]>::len));
    bytes.map_or(null(), <[u8]>::as_ptr)
}

/// Returns the number of messages that were read.
#[unsafe(no_mangle)]
pub extern "C" fn polywire_result_messages(result: *const Outcome) -> u64 {
    result.object().map_or(0, |result| result.messages)
}

/// Returns what the target could not keep, as a JSON array: "[]" if nothing was lost.
/// docs/errors.md describes its objects.
#[unsafe(no_mangle)]
pub extern "C" fn polywire_result_losses(result: *const Outcome) -> *const c_char {
    result.object().map_or(null(), |result| result.losses.as_ptr())
}

/// Frees a result. Null is fine.
#[unsafe(no_mangle)]
pub extern "C" fn polywire_result_free(result: *mut Outcome) {
    result.free();
}

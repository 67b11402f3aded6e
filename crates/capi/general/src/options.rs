//! Options of calls.

use polywire_core::Limits;

use crate::pointer::{In, InMut, into_handle};

/// Options of a call. A null pointer in their place means the defaults. Free them with
/// polywire_options_free().
#[derive(Clone)]
pub struct Options {
    pub limits: Limits,
    pub lossy: bool,
    pub threads: usize,
    pub payload_depth: u32,
    /// Bytes of one message in a stream that is fed.
    pub longest: u64,
}

impl Default for Options {
    fn default() -> Options {
        Options { limits: Limits::DEFAULT, lossy: false, threads: 1, payload_depth: 0, longest: 1 << 30 }
    }
}

impl Options {
    /// Returns the options of a call.
    pub fn of(options: *const Options) -> Options {
        options.object().cloned().unwrap_or_default()
    }
}

/// Makes options with their defaults.
#[unsafe(no_mangle)]
pub extern "C" fn polywire_options_new() -> *mut Options {
    into_handle(Options::default())
}

/// Frees options. Null is fine.
#[unsafe(no_mangle)]
pub extern "C" fn polywire_options_free(options: *mut Options) {
    options.free();
}

/// Allows a conversion to lose what the target cannot keep; the result lists it. Default: false, a
/// loss is an error.
#[unsafe(no_mangle)]
pub extern "C" fn polywire_options_allow_losses(options: *mut Options, allow: bool) {
    if let Some(options) = options.object_mut() {
        options.lossy = allow;
    }
}

/// Sets the number of threads of a conversion, for formats whose messages can be found without
/// reading them, such as JSON Lines. The result is the same. Default 1.
#[unsafe(no_mangle)]
pub extern "C" fn polywire_options_set_threads(options: *mut Options, threads: usize) {
    if let Some(options) = options.object_mut() {
        options.threads = threads.clamp(1, 1024);
    }
}

/// Sets the depth of containers within each other, at most 2048. Default 512.
#[unsafe(no_mangle)]
pub extern "C" fn polywire_options_set_max_depth(options: *mut Options, depth: u32) {
    if let Some(options) = options.object_mut() {
        options.limits = options.limits.with_depth(depth);
    }
}

/// Sets the number of values and fields in one message. Default 2^32.
#[unsafe(no_mangle)]
pub extern "C" fn polywire_options_set_max_items(options: *mut Options, items: u64) {
    if let Some(options) = options.object_mut() {
        options.limits = options.limits.with_items(items);
    }
}

/// Sets the bytes that decoding may make of one message beyond its own, as by escapes and entities.
/// Default 256 MiB.
#[unsafe(no_mangle)]
pub extern "C" fn polywire_options_set_max_decoded(options: *mut Options, bytes: u64) {
    if let Some(options) = options.object_mut() {
        options.limits = options.limits.with_decoded(bytes);
    }
}

/// Sets the digits of one number. Default 4096.
#[unsafe(no_mangle)]
pub extern "C" fn polywire_options_set_max_digits(options: *mut Options, digits: u32) {
    if let Some(options) = options.object_mut() {
        options.limits = options.limits.with_digits(digits);
    }
}

/// Sets how many messages within messages polywire_inspect() opens, at most 32. Default 0: they are
/// named, and not opened.
#[unsafe(no_mangle)]
pub extern "C" fn polywire_options_set_payload_depth(options: *mut Options, depth: u32) {
    if let Some(options) = options.object_mut() {
        options.payload_depth = depth;
    }
}

/// Sets the bytes that one message of polywire_stream_feed() may have. Default 1 GiB.
#[unsafe(no_mangle)]
pub extern "C" fn polywire_options_set_max_message(options: *mut Options, bytes: u64) {
    if let Some(options) = options.object_mut() {
        options.longest = bytes;
    }
}

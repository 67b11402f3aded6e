//! The version of the library.

use std::ffi::{CStr, c_char};

const VERSION: &CStr = match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
    Ok(version) => version,
    Err(_) => c"",
};

/// Returns the version of the library, such as "0.2.0". The text is constant.
#[unsafe(no_mangle)]
pub extern "C" fn polywire_version() -> *const c_char {
    VERSION.as_ptr()
}

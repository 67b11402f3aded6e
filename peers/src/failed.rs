//! Errors of other libraries as errors of this program.

use polywire_core::Error;

/// Makes an error of a rival's.
pub fn failed(error: impl std::fmt::Display) -> Error {
    Error::internal(format!("a rival failed: {error}"))
}

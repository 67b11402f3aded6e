//! The repository's place, and the program's errors.

use std::path::{Path, PathBuf};

/// An error that ends the program, as text.
pub type Result<T> = std::result::Result<T, String>;

/// Returns the root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

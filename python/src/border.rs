//! The border between Python and Rust: no panic crosses it, and Rust works without the interpreter.

use std::panic::{AssertUnwindSafe, catch_unwind};

use pyo3::prelude::*;

use crate::fault::{Failure, of_panic};

/// Runs `work` while other threads may run Python.
pub fn apart<T: Send>(py: Python<'_>, work: impl FnOnce() -> Result<T, Failure> + Send) -> PyResult<T> {
    Ok(py.detach(|| guarded(work))?)
}

/// Runs `work`, and makes an exception of a panic.
pub fn guarded<T>(work: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(of_panic(panic)))
}

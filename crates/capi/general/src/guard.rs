//! The border between C and Rust: errors become a status and an object, and no panic crosses.

use std::panic::{AssertUnwindSafe, catch_unwind};

use polywire_core::{Error, Result};

use crate::error::{ErrorObject, Status};
use crate::pointer::New;

/// Runs the body of a function. A failure is its status, and an object in `error`.
pub fn guard(error: *mut *mut ErrorObject, body: impl FnOnce() -> Result<()>) -> Status {
    error.clear();
    let outcome = catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<&str>().map(ToString::to_string).or_else(|| panic.downcast_ref::<String>().cloned());
        Err(Error::internal(text.unwrap_or_else(|| "a panic".to_string())))
    });
    match outcome {
        Ok(()) => Status::Ok,
        Err(failed) => {
            let failed = ErrorObject::new(&failed);
            let status = failed.status();
            error.make(failed);
            status
        }
    }
}

#[cfg(test)]
mod tests {
    use std::ptr::null_mut;

    use super::*;

    #[test]
    fn a_panic_is_a_status() {
        let nobody = null_mut();
        assert_eq!(guard(nobody, || panic!("a test")), Status::Internal);
        assert_eq!(guard(nobody, || Err(Error::usage("a test"))), Status::Caller);
        assert_eq!(guard(nobody, || Ok(())), Status::Ok);
    }
}

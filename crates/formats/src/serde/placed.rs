//! Places of the errors that types raise.

use polywire_core::{Error, Result};

/// A pull reader, which adds the place of a value to errors that have none.
pub(crate) trait Placed {
    /// Returns the offset of the message in its stream.
    fn base(&self) -> u64;

    /// Adds the place of a value, which starts at `start` of the message.
    #[inline(always)]
    fn placed<T>(&self, start: usize, outcome: Result<T>) -> Result<T> {
        match outcome {
            Ok(value) => Ok(value),
            Err(error) => Err(self.place(start, error)),
        }
    }

    /// Adds the place of a value in place: the value is not moved.
    #[inline(always)]
    fn fix<T>(&self, start: usize, outcome: &mut Result<T>) {
        if let Err(error) = outcome {
            let unplaced = std::mem::replace(error, Error::internal(""));
            *error = self.place(start, unplaced);
        }
    }

    /// Adds the place of a value to its error.
    #[cold]
    fn place(&self, start: usize, error: Error) -> Error {
        error.or_at(self.base() + start as u64)
    }
}

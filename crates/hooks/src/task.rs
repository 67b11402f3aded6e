//! Tasks: what can be called, as data, so that it can run on a thread or in a worker process.

use polywire_doc::{Datum, Wanted};

use crate::engine::Raised;
use crate::sandbox::ModuleCall;
use crate::wire::Wire;

/// A call of something in a sandbox.
pub(crate) trait Task: Wire + Send + 'static {
    /// The answer of the call.
    type Answer: Wire + Send + 'static;

    /// Its number in messages to workers.
    const NUMBER: u8;

    /// Makes the call.
    fn run(self, call: &ModuleCall<'_, '_>) -> Result<Self::Answer, Raised>;

    /// Returns the source of a value that the message to a worker holds in part, or not at all.
    fn source(&self) -> Option<&dyn Source> {
        None
    }
}

/// The source of a value that the message to a worker holds in part, or not at all.
pub(crate) trait Source {
    /// Returns the whole value.
    fn whole(&self) -> Result<Datum, String>;

    /// Receives what scripts looked at. The value at `returned` is needed as a whole besides.
    fn looked_at(&self, _looked: Wanted, _returned: Option<&[&str]>) {}

    /// Returns whether the part of the value at `path` is enough as the answer.
    fn suffices(&self, _path: &[&str]) -> bool {
        false
    }
}

//! Values for scripts, whole or in part.

use std::fmt;
use std::sync::Arc;

use polywire_doc::{Datum, Wanted};

/// A parsed body, whole or in part. Hooks never see a difference: if they look beyond the part, the
/// whole body is fetched.
#[derive(Clone, Default)]
pub struct Parsed {
    /// The decoded value, or the decoded part of it.
    pub value: Datum,
    /// The source of the rest; `None` if `value` is whole.
    pub part: Option<Arc<dyn Part>>,
}

/// The source of a body that is decoded in part. It is called on the thread of the hook.
pub trait Part: Send + Sync {
    /// Returns what is decoded: the wanted members of each object, all elements of each list, and
    /// each value with its kind.
    fn wanted(&self) -> &Wanted;

    /// Decodes the whole body. It is called at most once per call, when a script looks beyond the
    /// part.
    ///
    /// # Errors
    /// The body cannot be decoded: the message is thrown where the script looked.
    fn whole(&self) -> Result<Datum, String>;

    /// Receives what scripts looked at, once, before the call is answered: places that were
    /// reached, and places below which everything was looked at. Places below wanted ones may be
    /// left out.
    fn looked_at(&self, looked: &Wanted);

    /// Returns whether the part of the value at `path` is enough when the hook returns that value
    /// unchanged in place of the body. Lists on the path are looked through.
    fn suffices(&self, path: &[&str]) -> bool;
}

impl From<Datum> for Parsed {
    fn from(value: Datum) -> Parsed {
        Parsed { value, part: None }
    }
}

impl fmt::Debug for Parsed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Parsed").field("value", &self.value).field("part", &self.part.as_ref().map(|part| part.wanted())).finish()
    }
}

//! Parsed bodies of replies, whole or in part.

use std::fmt;
use std::sync::Arc;

use polywire_doc::{Datum, Wanted};

/// A parsed body, of which a part may be there. Hooks never see a difference: when they look beyond the part, all of the body is fetched.
#[derive(Clone, Default)]
pub struct Parsed {
    /// What is there.
    pub value: Datum,
    /// What it is a part of; `None` if it is all.
    pub part: Option<Arc<dyn Part>>,
}

/// What a body that is there in part is a part of. It is asked on the thread of the hook.
pub trait Part: Send + Sync {
    /// What of the body is there: of each object the members that it wants, of each list all elements, each value of the kind that it has.
    fn wanted(&self) -> &Wanted;

    /// All of the body. It is asked at most once in a call, when a script looks beyond the part.
    ///
    /// # Errors
    /// It cannot be had: the message is thrown where the script looked.
    fn whole(&self) -> Result<Datum, String>;

    /// What scripts looked at, told once, before the call is answered: places that were reached, and those below which everything was looked at. What lies below wanted places need not be
    /// told.
    fn looked_at(&self, looked: &Wanted);

    /// Whether the part of the value at `path` is enough when the hook gives that value back, unchanged, in place of the body. Lists on the way are looked through.
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

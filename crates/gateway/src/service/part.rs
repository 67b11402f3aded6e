//! Replies that are decoded in part, though hooks look at them: what the script wants, and what the hooks of the verb have looked at in earlier replies. Where a hook looks beyond, the reply is
//! decoded once more, as a whole.

use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use bytes::Bytes;
use polywire_doc::{Datum, Wanted};
use polywire_hooks::Part;

use super::prepare::Prepared;
use crate::decode::{Decoded, Undecodable};

/// Places of replies that are remembered for a verb; with more, replies are decoded as a whole.
const MOST_PLACES: usize = 128;
/// Values that hooks put in the place of the body, by their paths, that are remembered for a verb.
const MOST_RESULTS: usize = 8;

/// What the hooks of a verb have looked at so far.
#[derive(Debug)]
pub(super) struct Looked(RwLock<Memory>);

#[derive(Debug)]
struct Memory {
    places: Wanted,
    /// What was put in the place of the body.
    results: Vec<Vec<String>>,
}

impl Default for Looked {
    fn default() -> Looked {
        Looked(RwLock::new(Memory { places: Wanted::nothing(), results: Vec::new() }))
    }
}

impl Looked {
    /// What to decode of a reply when a script wants `of_script` of what the hooks make of it.
    pub fn wanted(&self, of_script: &Wanted) -> Wanted {
        let memory = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let mut wanted = of_script.clone();
        wanted.merge(&memory.places);
        for path in &memory.results {
            wanted.merge(&of_script.below(path.iter().map(String::as_str)));
        }
        wanted
    }

    fn add(&self, looked: &Wanted) {
        if self.0.read().unwrap_or_else(PoisonError::into_inner).places.includes(looked) {
            return;
        }
        let mut memory = self.0.write().unwrap_or_else(PoisonError::into_inner);
        memory.places.merge(looked);
        if memory.places.places() > MOST_PLACES {
            memory.places = Wanted::everything();
        }
    }

    fn add_result(&self, path: &[&str]) {
        if path.is_empty() || self.0.read().unwrap_or_else(PoisonError::into_inner).results.iter().any(|known| known == path) {
            return;
        }
        let mut memory = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if memory.results.len() < MOST_RESULTS {
            memory.results.push(path.iter().map(ToString::to_string).collect());
        }
    }
}

/// A reply that was decoded in part.
pub(super) struct PartOf {
    pub prepared: Arc<Prepared>,
    pub body: Bytes,
    pub media: Option<String>,
    /// What was decoded.
    pub wanted: Wanted,
    /// What the script wants of what stands in the place of the body.
    pub of_script: Wanted,
    pub whole: OnceLock<Result<Decoded, Undecodable>>,
}

impl PartOf {
    /// All of the reply.
    pub fn all(&self) -> Result<&Decoded, &Undecodable> {
        let decode = || self.prepared.decoder.decode(&self.body, self.media.as_deref(), &Wanted::everything());
        self.whole.get_or_init(decode).as_ref()
    }
}

impl Part for PartOf {
    fn wanted(&self) -> &Wanted {
        &self.wanted
    }

    fn whole(&self) -> Result<Datum, String> {
        self.all().map(|decoded| decoded.value.clone()).map_err(ToString::to_string)
    }

    fn looked_at(&self, looked: &Wanted) {
        self.prepared.looked.add(looked);
    }

    fn suffices(&self, path: &[&str]) -> bool {
        self.prepared.looked.add_result(path);
        self.wanted.includes(&self.of_script.below(path.iter().copied()))
    }
}

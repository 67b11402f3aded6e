//! The places of replies that the hooks of a verb have looked at: these are decoded for them.

use std::sync::{PoisonError, RwLock};

use polywire_doc::Wanted;

/// The most places that are remembered for a verb; with more, replies are decoded as a whole.
const MOST_PLACES: usize = 128;
/// The most paths that are remembered for a verb, of values that hooks put in the place of the
/// body.
const MOST_RESULTS: usize = 8;

/// The places that the hooks of a verb have looked at so far.
#[derive(Debug)]
pub(super) struct Looked(RwLock<Memory>);

#[derive(Debug)]
struct Memory {
    places: Wanted,
    /// The paths of values put in the place of the body.
    results: Vec<Vec<String>>,
}

impl Default for Looked {
    fn default() -> Looked {
        Looked(RwLock::new(Memory { places: Wanted::nothing(), results: Vec::new() }))
    }
}

impl Looked {
    /// Returns the parts of a reply to decode when a script wants `of_script` of the hooks' result.
    pub fn wanted(&self, of_script: &Wanted) -> Wanted {
        let memory = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let mut wanted = of_script.clone();
        wanted.merge(&memory.places);
        for path in &memory.results {
            wanted.merge(&of_script.below(path.iter().map(String::as_str)));
        }
        wanted
    }

    pub fn add(&self, looked: &Wanted) {
        if self.0.read().unwrap_or_else(PoisonError::into_inner).places.includes(looked) {
            return;
        }
        let mut memory = self.0.write().unwrap_or_else(PoisonError::into_inner);
        memory.places.merge(looked);
        if memory.places.places() > MOST_PLACES {
            memory.places = Wanted::everything();
        }
    }

    pub fn add_result(&self, path: &[&str]) {
        if path.is_empty() || self.0.read().unwrap_or_else(PoisonError::into_inner).results.iter().any(|known| known == path) {
            return;
        }
        let mut memory = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if memory.results.len() < MOST_RESULTS {
            memory.results.push(path.iter().map(ToString::to_string).collect());
        }
    }
}

//! Where values changed, by place in the structure of the messages.

use std::collections::BTreeMap;

use polywire_core::tools::diff::{Difference, differences};
use polywire_core::value::Tree;
use polywire_core::walk::Path;
use polywire_core::{Error, Result};

use crate::comparison::Lost;

/// Differences of one message that are looked at.
const PER_MESSAGE: usize = 16;

/// Places in the structure whose differences are told apart.
const PLACES: usize = 200;

/// What changed, and how often, at each place.
#[derive(Default)]
pub(crate) struct Changes {
    places: BTreeMap<Path, Change>,
    /// Changes at places beyond those that are told apart.
    pub(crate) more: u64,
}

struct Change {
    count: u64,
    example: [String; 2],
}

impl Changes {
    /// Compares a message with what came of it.
    ///
    /// # Errors
    /// If one of the trees holds no value.
    pub(crate) fn compare(&mut self, wanted: &Tree<'_>, found: &Tree<'_>) -> Result<()> {
        let (Some(wanted), Some(found)) = (wanted.root(), found.root()) else {
            return Err(Error::internal("a message without a value"));
        };
        differences(wanted, found, PER_MESSAGE).into_iter().for_each(|difference| self.add(difference));
        Ok(())
    }

    fn add(&mut self, difference: Difference) {
        let path = difference.path.in_schema();
        if let Some(change) = self.places.get_mut(&path) {
            change.count += 1;
        } else if self.places.len() < PLACES {
            let side = |side: Option<(String, _)>| side.map_or_else(|| "nothing".to_string(), |(text, _)| text);
            self.places.insert(path, Change { count: 1, example: [side(difference.left), side(difference.right)] });
        } else {
            self.more += 1;
        }
    }

    /// A value at that place, before and after.
    pub(crate) fn example(&self, path: &Path) -> Option<[String; 2]> {
        self.places.get(path).map(|change| change.example.clone())
    }

    /// All places that `explained` does not know, each called `what`.
    pub(crate) fn lost(&self, what: &str, explained: impl Fn(&Path) -> bool) -> Vec<Lost> {
        let unexplained = self.places.iter().filter(|(path, _)| !explained(path));
        unexplained
            .map(|(path, change)| Lost {
                path: path.to_string(),
                what: what.to_string(),
                count: change.count,
                example: Some(change.example.clone()),
            })
            .collect()
    }
}

//! Changed values, by path in the structure of the messages.

use std::collections::BTreeMap;

use polywire_core::tools::diff::{Difference, differences};
use polywire_core::value::Tree;
use polywire_core::walk::Path;
use polywire_core::{Error, Result};

use crate::comparison::Lost;

/// Most differences of one message that are counted.
const PER_MESSAGE: usize = 16;

/// Most paths with a count of their own.
const PLACES: usize = 200;

/// Changes at each path, with their number.
#[derive(Default)]
pub(crate) struct Changes {
    places: BTreeMap<Path, Change>,
    /// Changes at further paths.
    pub(crate) more: u64,
}

struct Change {
    count: u64,
    example: [String; 2],
}

impl Changes {
    /// Compares a message with its result.
    ///
    /// # Errors
    /// A tree holds no value.
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

    /// Returns an example at that path: a value before and after.
    pub(crate) fn example(&self, path: &Path) -> Option<[String; 2]> {
        self.places.get(path).map(|change| change.example.clone())
    }

    /// Returns the changes at all paths that are not `explained`, described as `what`.
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

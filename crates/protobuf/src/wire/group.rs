//! Where groups end, found once.

use std::collections::HashMap;

use super::error::WireError;
use super::skip;

/// Remembers where the groups inside of groups end. Each level of a message asks for those that stand in it; without this, groups within groups would be
/// stepped over once for each level around them.
#[derive(Debug, Default)]
pub(crate) struct Groups {
    /// By the place of their first field: where they end, before and behind the end tag. Places are the sender's, so the hash has a random key.
    known: HashMap<usize, (usize, usize)>,
}

impl Groups {
    /// Where the group `number` ends whose first field starts at `at`: before its end tag, and behind it.
    pub(crate) fn end(&mut self, window: &[u8], at: usize, number: u32, depth: u32) -> Result<(usize, usize), WireError> {
        if let Some(ends) = self.known.get(&at) {
            return Ok(*ends);
        }
        let known = &mut self.known;
        let ends = skip::group(window, at, number, depth, |start, inside, behind| {
            known.insert(start, (inside, behind));
        })?;
        Ok(ends)
    }

    /// Forgets them, for the next message.
    pub(crate) fn clear(&mut self) {
        self.known.clear();
    }
}

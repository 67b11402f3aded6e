//! The ends of groups, found once.

use std::collections::HashMap;

use super::error::WireError;
use super::skip;

/// Remembers the ends of nested groups. Each level of a message asks for those in it; without this,
/// groups within groups would be stepped over once for each level around them.
#[derive(Debug, Default)]
pub(crate) struct Groups {
    /// Ends of groups, before and behind the end tag, by the offset of their first field. The
    /// sender decides these offsets, so the hash has a random key.
    known: HashMap<usize, (usize, usize)>,
}

impl Groups {
    /// Returns the end of the group `number` whose first field is at `at`: before its end tag, and
    /// behind it.
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

    /// Forgets the groups, for the next message.
    pub(crate) fn clear(&mut self) {
        self.known.clear();
    }
}

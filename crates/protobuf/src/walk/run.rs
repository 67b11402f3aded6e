//! The walk: drives a visitor over the bytes of a message, by the tables of a plan.
//!
//! Each message is surveyed before it is visited. Serialisers write fields in the order of their
//! numbers, each in one run; such a message is visited as it stands. Otherwise its fields are
//! gathered first, because the last value of a field counts, messages are merged, and elements of
//! one list may stand apart (encoding guide, "Last One Wins"). A survey steps over values, so that
//! all surveys of a message together are linear in its fields.
//!
//! A visitor that can start over does without surveys. A message out of order is then an error, and
//! the message is walked once more, with surveys.

use polywire_core::Result;

use super::state::{Body, Flow, LevelKind, Walk};
use super::visit::Visitor;

impl<'m, V: Visitor<'m> + ?Sized> Walk<'_, 'm, V> {
    /// Walks the message of type `root` whose first field is at `start`.
    pub(crate) fn run(self, root: u32, start: usize) -> Result<()> {
        self.walk(root, start, false)
    }

    /// Walks the message in one pass, for visitors that can start over. Its errors may differ from
    /// those of [`Walk::run`], and it may fail where that succeeds.
    pub(crate) fn run_at_once(self, root: u32, start: usize) -> Result<()> {
        self.walk(root, start, true)
    }

    fn walk(mut self, root: u32, start: usize, at_once: bool) -> Result<()> {
        let end = self.msg.len();
        self.scratch.at_once = at_once;
        self.scratch.levels.clear();
        self.scratch.gathered.clear();
        self.scratch.entries.clear();
        self.scratch.pieces.clear();
        self.scratch.groups.clear();
        let mut flow = self.open(root, Body::Whole(start, end), (start, start), (end, end))?;
        while let (Flow::On, Some(level)) = (flow, self.scratch.levels.last().copied()) {
            flow = match level.kind {
                LevelKind::Straight => self.straight()?,
                LevelKind::Gathered => self.shuffled(level)?,
                LevelKind::Map => self.entry(level)?,
            };
        }
        Ok(())
    }
}

//! Containers whose heads hold a count: the open containers of a writer of such a format.

use polywire_core::bytes::Mark;
use polywire_core::{Error, Result};

/// The open containers of a message.
#[derive(Debug, Default)]
pub(crate) struct Levels {
    /// The innermost container, or the message itself: it has one value when it is complete.
    inner: Level,
    /// Those around it, outermost first.
    outer: Vec<Level>,
}

#[derive(Debug, Clone, Copy)]
struct Level {
    kind: Kind,
    head: Counted,
    /// Number of keys and values so far.
    count: u64,
}

impl Default for Level {
    fn default() -> Self {
        Level { kind: Kind::List, head: Counted::Written(1), count: 0 }
    }
}

/// The kind of a container.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    List,
    Map,
    /// The values of a case of a sum type: nothing, one value, or a list.
    Variant,
    /// One value in a tag.
    Tagged,
}

/// The head of a container.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Counted {
    /// Written, with this number of entries.
    Written(u64),
    /// A gap, because the entries are counted first.
    Gap(Mark),
    /// Written, without a number: a mark ends the container.
    Endless,
}

/// The content of the gap of a closed container.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Fill {
    /// The head of a list with this number of values.
    List(Mark, u64),
    /// The head of a map with this number of pairs.
    Map(Mark, u64),
    /// Null: a case without values.
    Null(Mark),
    /// The mark that ends a container whose head has no number.
    Break,
}

impl Levels {
    /// Counts a key or value of the innermost container.
    #[inline]
    pub(crate) fn value(&mut self) {
        self.inner.count += 1;
    }

    #[inline]
    pub(crate) fn open(&mut self, kind: Kind, head: Counted) {
        self.outer.push(std::mem::replace(&mut self.inner, Level { kind, head, count: 0 }));
    }

    /// Closes the innermost container. Returns nothing to fill in if its head is written, or if it
    /// has none.
    ///
    /// # Errors
    /// The container is incomplete, its number of entries is not the claimed one, or there is none:
    /// the caller's mistake, in words.
    #[inline]
    pub(crate) fn close(&mut self) -> Result<Option<Fill>> {
        let Some(outer) = self.outer.pop() else { return Err(Error::internal("a close without an open")) };
        let Level { kind, head, count } = std::mem::replace(&mut self.inner, outer);
        if kind == Kind::Map && count % 2 != 0 {
            return Err(Error::internal("a map that ends after a key"));
        }
        let entries = if kind == Kind::Map { count / 2 } else { count };
        Ok(match (head, kind) {
            (Counted::Written(claimed), _) if entries != claimed => return Err(miscounted(entries, claimed)),
            (Counted::Written(_), _) => None,
            (Counted::Endless, _) => Some(Fill::Break),
            (Counted::Gap(mark), Kind::Map) => Some(Fill::Map(mark, entries)),
            (Counted::Gap(mark), Kind::Variant) if count == 0 => Some(Fill::Null(mark)),
            (Counted::Gap(_), Kind::Variant) if count == 1 => None,
            (Counted::Gap(mark), _) => Some(Fill::List(mark, entries)),
        })
    }

    /// Ends the message.
    ///
    /// # Errors
    /// It is not one complete value.
    pub(crate) fn finish(&mut self) -> Result<()> {
        if !self.outer.is_empty() || self.inner.count != 1 {
            let (roots, open) = (self.outer.first().unwrap_or(&self.inner).count, self.outer.len());
            return Err(Error::internal(format!("the end of a message of {roots} values with {open} containers still open")));
        }
        self.inner = Level::default();
        Ok(())
    }

    /// Returns whether the message has no value yet.
    pub(crate) fn are_untouched(&self) -> bool {
        self.outer.is_empty() && self.inner.count == 0
    }

    /// Drops the message.
    pub(crate) fn clear(&mut self) {
        self.outer.clear();
        self.inner = Level::default();
    }
}

#[cold]
fn miscounted(entries: u64, claimed: u64) -> Error {
    Error::internal(format!("{entries} entries in a container that claimed {claimed}"))
}

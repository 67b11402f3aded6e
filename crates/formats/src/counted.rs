//! Containers whose heads say how much they hold: what writers of such formats keep of those that are open.

use polywire_core::bytes::Mark;
use polywire_core::{Error, Result};

/// The open containers of a message, innermost last.
#[derive(Debug, Default)]
pub(crate) struct Levels {
    levels: Vec<Level>,
    /// Values outside of any container: one, when the message is whole.
    roots: u64,
}

#[derive(Debug, Clone, Copy)]
struct Level {
    kind: Kind,
    head: Counted,
    /// Keys and values so far.
    count: u64,
}

/// What a container is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    List,
    Map,
    /// What a case of a sum type carries: nothing, a value, or a list.
    Variant,
    /// One value under a mark.
    Tagged,
}

/// The head of a container.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Counted {
    /// It is written, with that many entries.
    Written(u64),
    /// It has a gap, since the entries are counted first.
    Gap(Mark),
}

/// What goes into the gap of a container that is closed.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Fill {
    /// The head of a list of so many values.
    List(Mark, u64),
    /// The head of a map of so many pairs.
    Map(Mark, u64),
    /// Null: a case that carries nothing.
    Null(Mark),
}

impl Levels {
    /// Counts a key or value of the innermost container.
    #[inline]
    pub(crate) fn value(&mut self) {
        match self.levels.last_mut() {
            Some(level) => level.count += 1,
            None => self.roots += 1,
        }
    }

    #[inline]
    pub(crate) fn open(&mut self, kind: Kind, head: Counted) {
        self.levels.push(Level { kind, head, count: 0 });
    }

    /// Closes the innermost container. Nothing is to be filled in where its head is written, or where it has none.
    ///
    /// # Errors
    /// It is not whole, holds another number of entries than was claimed, or there is none: the caller's mistake, in words.
    #[inline]
    pub(crate) fn close(&mut self) -> Result<Option<Fill>> {
        let Some(Level { kind, head, count }) = self.levels.pop() else { return Err(Error::internal("a close without an open")) };
        if kind == Kind::Map && count % 2 != 0 {
            return Err(Error::internal("a map that ends after a key"));
        }
        let entries = if kind == Kind::Map { count / 2 } else { count };
        Ok(match (head, kind) {
            (Counted::Written(claimed), _) if entries != claimed => {
                return Err(Error::internal(format!("{entries} entries in a container that claimed {claimed}")));
            }
            (Counted::Written(_), _) => None,
            (Counted::Gap(mark), Kind::Map) => Some(Fill::Map(mark, entries)),
            (Counted::Gap(mark), Kind::Variant) if count == 0 => Some(Fill::Null(mark)),
            (Counted::Gap(_), Kind::Variant) if count == 1 => None,
            (Counted::Gap(mark), _) => Some(Fill::List(mark, entries)),
        })
    }

    /// Ends the message.
    ///
    /// # Errors
    /// It is not one whole value.
    pub(crate) fn finish(&mut self) -> Result<()> {
        if !self.levels.is_empty() || self.roots != 1 {
            let (roots, open) = (self.roots, self.levels.len());
            return Err(Error::internal(format!("the end of a message of {roots} values with {open} containers still open")));
        }
        self.roots = 0;
        Ok(())
    }

    /// Forgets the message.
    pub(crate) fn clear(&mut self) {
        self.levels.clear();
        self.roots = 0;
    }
}

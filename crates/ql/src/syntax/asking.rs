//! Clauses that say how a service is asked for many rows: in pages, in batches, once.

use super::ast::{Counted, PagesBy, PagesClause, Pair};
use super::cursor::{Cursor, Fit};

impl Cursor<'_> {
    /// Reads `with pages by`, the way to the next page, and `most N`.
    pub(super) fn pages_clause(&mut self) -> Fit<PagesClause> {
        self.words(&["with", "pages", "by"])?;
        let by = if self.accept("page") {
            PagesBy::Page(self.page_parameter()?)
        } else if self.accept("offset") {
            PagesBy::Offset(self.page_parameter()?)
        } else if self.accept("cursor") {
            self.wide();
            PagesBy::Cursor { name: self.quoted()?, path: self.quoted_clause(&["at"])? }
        } else {
            self.token("link")?;
            PagesBy::Link { path: self.maybe(|this| this.quoted_clause(&["at"]))? }
        };
        Ok(PagesClause { by, most: self.counted("most")? })
    }

    /// Reads a parameter, `from N` and `size N`.
    fn page_parameter(&mut self) -> Fit<Counted> {
        self.wide();
        Ok(Counted { name: self.quoted()?, first: self.counted("from")?, size: self.counted("size")? })
    }

    /// Reads `with batches`, and parameters with the paths of their values in rows.
    pub(super) fn batches_clause(&mut self) -> Fit<Vec<Pair>> {
        self.words(&["with", "batches"])?;
        self.pairs()
    }

    /// Reads `with shared replies` as true, `with separate replies` as false.
    pub(super) fn shared_clause(&mut self) -> Fit<bool> {
        self.words(&["with"])?;
        let shared = self.accept("shared");
        if !shared {
            self.token("separate")?;
        }
        self.wide();
        self.token("replies")?;
        Ok(shared)
    }
}

//! The names of the fields of many records, for formats whose first message gives those of all.

use std::collections::HashSet;

use crate::error::Result;
use crate::walk::event::{Field, Next, Open, Part, Scalar, Span};
use crate::walk::sink::Sink;

/// Most names that are collected.
const MOST: usize = 100_000;

/// Collects the names of the fields of records, each once, in the order in which they came first.
#[derive(Debug, Default)]
pub struct FieldNames {
    names: Vec<String>,
    known: HashSet<String>,
    depth: usize,
    /// True for messages whose fields are not all named by text, and for too many of them.
    unclear: bool,
}

impl FieldNames {
    /// Returns the names, or `None` if some fields have none, or there are too many.
    pub fn into_names(self) -> Option<Vec<String>> {
        (!self.unclear).then_some(self.names)
    }

    /// Forgets an unfinished message.
    pub fn reset(&mut self) {
        self.depth = 0;
    }
}

impl<'m> Sink<'m> for FieldNames {
    fn open(&mut self, open: Open<'_>, _: Span) -> Result<Next> {
        if self.depth > 0 || !matches!(open, Open::Record { .. } | Open::Map(_)) {
            self.unclear = true;
            return Ok(Next::Skip);
        }
        self.depth = 1;
        Ok(Next::Enter)
    }

    fn field(&mut self, field: Field<'m, '_>, _: Span) -> Result<Next> {
        let name = field.name.get();
        if !self.known.contains(name) {
            self.unclear |= self.names.len() == MOST;
            if !self.unclear {
                self.known.insert(name.to_string());
                self.names.push(name.to_string());
            }
        }
        Ok(Next::Skip)
    }

    fn scalar(&mut self, _: Scalar<'m, '_>, _: Span) -> Result<()> {
        self.unclear = true;
        Ok(())
    }

    fn part(&mut self, _: Part<'_>, _: Span) -> Result<()> {
        self.unclear = true;
        Ok(())
    }

    fn close(&mut self, _: Span) -> Result<()> {
        self.depth = 0;
        Ok(())
    }
}

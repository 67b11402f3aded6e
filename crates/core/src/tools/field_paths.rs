//! Names of the fields that messages have, as paths that a person may type.

use std::collections::HashSet;
use std::time::Instant;

use crate::error::Result;
use crate::walk::event::{Field, Next, Open, Part, Scalar, Span};
use crate::walk::path::{Path, PathStep};
use crate::walk::sink::Sink;

/// Collects the paths of the fields of messages, each once, in the order in which they come. Lists
/// are looked through: their positions are no part of a path.
#[derive(Debug)]
pub struct FieldPaths {
    /// The paths.
    found: Vec<Path>,
    known: HashSet<Path>,
    /// Number of paths that suffice.
    most: usize,
    /// Time at which the walk stops.
    until: Instant,
    /// Names from the message to the value that is being walked.
    names: Vec<PathStep>,
    /// For each open container, whether it is the value of the last of the names.
    levels: Vec<bool>,
    /// True if the last of the names is that of the next value.
    is_named: bool,
    events: u32,
}

impl FieldPaths {
    /// Longest paths that are collected.
    const DEEPEST: usize = 16;

    /// Makes a sink that collects at most `most` paths, until a time.
    pub fn new(most: usize, until: Instant) -> FieldPaths {
        let (found, known) = (Vec::new(), HashSet::new());
        FieldPaths { found, known, most, until, names: Vec::new(), levels: Vec::new(), is_named: false, events: 0 }
    }

    /// Forgets where the last walk ended, for the next message.
    pub fn next_message(&mut self) {
        self.names.clear();
        self.levels.clear();
        self.is_named = false;
    }

    /// Reports whether nothing more is wanted.
    pub fn is_done(&self) -> bool {
        self.found.len() >= self.most || Instant::now() >= self.until
    }

    /// Returns the paths.
    pub fn paths(&self) -> &[Path] {
        &self.found
    }

    /// Returns `Stop` once nothing more is wanted. The clock is looked at now and then.
    fn next(&mut self) -> Next {
        self.events = self.events.wrapping_add(1);
        let is_due = self.events.is_multiple_of(256);
        if self.found.len() >= self.most || is_due && self.is_done() { Next::Stop } else { Next::Enter }
    }

    fn value_ends(&mut self) {
        if std::mem::take(&mut self.is_named) {
            self.names.pop();
        }
    }
}

impl<'m> Sink<'m> for FieldPaths {
    fn open(&mut self, _: Open<'_>, _: Span) -> Result<Next> {
        let next = self.next();
        match next {
            Next::Enter => self.levels.push(std::mem::take(&mut self.is_named)),
            _ => self.value_ends(),
        }
        Ok(next)
    }

    fn field(&mut self, field: Field<'m, '_>, _: Span) -> Result<Next> {
        // A field whose value was stepped over has no end of its own.
        self.value_ends();
        if self.names.len() >= FieldPaths::DEEPEST {
            return Ok(Next::Skip);
        }
        self.names.push(PathStep::Name(field.name.get().to_string()));
        self.is_named = true;
        let path = Path(self.names.clone());
        if self.known.insert(path.clone()) {
            self.found.push(path);
        }
        Ok(self.next())
    }

    fn scalar(&mut self, _: Scalar<'m, '_>, _: Span) -> Result<()> {
        self.value_ends();
        Ok(())
    }

    fn part(&mut self, part: Part<'_>, _: Span) -> Result<()> {
        if part.last {
            self.value_ends();
        }
        Ok(())
    }

    fn close(&mut self, _: Span) -> Result<()> {
        if self.levels.pop() == Some(true) {
            self.names.pop();
        }
        Ok(())
    }
}

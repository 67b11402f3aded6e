//! The path of a byte offset or of a span, found by a second walk.

use crate::error::Result;
use crate::limits::{Budget, Limits};
use crate::walk::event::{Field, Next, Open, Part, Scalar, Span};
use crate::walk::path::Path;
use crate::walk::read::Reader;
use crate::walk::sink::Sink;
use crate::walk::track::Tracker;

/// Returns the path at byte `offset` of a message, found by a second walk; a walk that failed there
/// fails there again.
pub fn locate(reader: &mut dyn Reader, msg: &[u8], base: u64, offset: u64, limits: &Limits) -> Path {
    let mut sink = Locate { tracker: Tracker::default(), offset, past: false };
    // The first walk had the same outcome.
    let _ = reader.walk(msg, base, &mut sink, &mut Budget::new(limits));
    sink.tracker.path()
}

/// Returns the path of the scalar that spans `at`, found by a second walk; `None` if there is none.
pub(crate) fn locate_scalar(reader: &mut dyn Reader, msg: &[u8], base: u64, at: Span, limits: &Limits) -> Option<Path> {
    let mut sink = LocateScalar { tracker: Tracker::default(), at, found: None };
    // The first walk had the same outcome.
    let _ = reader.walk(msg, base, &mut sink, &mut Budget::new(limits));
    sink.found
}

struct LocateScalar {
    tracker: Tracker,
    at: Span,
    found: Option<Path>,
}

impl LocateScalar {
    fn next(&self) -> Next {
        if self.found.is_some() { Next::Stop } else { Next::Enter }
    }
}

impl<'m> Sink<'m> for LocateScalar {
    fn open(&mut self, open: Open<'_>, _: Span) -> Result<Next> {
        self.tracker.open(&open);
        Ok(self.next())
    }

    fn field(&mut self, field: Field<'m, '_>, _: Span) -> Result<Next> {
        self.tracker.field(field.name.get());
        Ok(self.next())
    }

    fn scalar(&mut self, value: Scalar<'m, '_>, at: Span) -> Result<()> {
        if !self.tracker.scalar(&value) && at == self.at && self.found.is_none() {
            self.found = Some(self.tracker.last_path());
        }
        Ok(())
    }

    fn part(&mut self, part: Part<'_>, at: Span) -> Result<()> {
        if !self.tracker.part(&part) && part.last && at.end == self.at.end && self.found.is_none() {
            self.found = Some(self.tracker.last_path());
        }
        Ok(())
    }

    fn close(&mut self, _: Span) -> Result<()> {
        self.tracker.close();
        Ok(())
    }
}

struct Locate {
    tracker: Tracker,
    offset: u64,
    past: bool,
}

impl Locate {
    fn reached(&mut self, at: Span) -> bool {
        self.past = self.past || (at.start > self.offset && !at.is_empty());
        !self.past
    }
}

impl<'m> Sink<'m> for Locate {
    fn open(&mut self, open: Open<'_>, at: Span) -> Result<Next> {
        if !self.reached(at) {
            return Ok(Next::Stop);
        }
        self.tracker.open(&open);
        Ok(Next::Enter)
    }

    fn field(&mut self, field: Field<'m, '_>, at: Span) -> Result<Next> {
        if !self.reached(at) {
            return Ok(Next::Stop);
        }
        self.tracker.field(field.name.get());
        Ok(Next::Enter)
    }

    fn scalar(&mut self, value: Scalar<'m, '_>, at: Span) -> Result<()> {
        if self.reached(at) {
            self.tracker.scalar(&value);
            self.tracker.stay(self.offset < at.end);
            self.past = self.offset < at.end;
        }
        Ok(())
    }

    fn part(&mut self, part: Part<'_>, at: Span) -> Result<()> {
        if self.reached(at) {
            self.tracker.part(&part);
            self.tracker.stay(self.offset < at.end);
        }
        Ok(())
    }

    fn close(&mut self, at: Span) -> Result<()> {
        if self.reached(at) {
            self.tracker.close();
        }
        Ok(())
    }
}

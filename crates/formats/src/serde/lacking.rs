//! The fields that a record has where a type lacks one.

use polywire_core::serde::is_missing_field;
use polywire_core::{Budget, Dialect, Error, Field, Limits, Next, Open, Part, Result, Scalar, Sink, Span};

/// Most fields that an error lists.
const FIELDS: usize = 8;

/// Most characters of a name that an error repeats.
const NAME: usize = 32;

/// Adds the fields that are there to the error of a missing field, found by a second walk.
#[cold]
pub(super) fn explain_lack(error: Error, dialect: &Dialect, msg: &[u8], base: u64, limits: &Limits) -> Error {
    let Some(offset) = error.offset().filter(|_| is_missing_field(&error)) else { return error };
    let mut sink = Names { record: offset, depth: 0, inside: None, opened: false, names: Vec::new(), more: 0 };
    // The message was read up to here, so that the walk comes as far.
    let _ = dialect.reader().walk(msg, base, &mut sink, &mut Budget::new(limits));
    let there = match (&*sink.names, sink.more) {
        _ if sink.inside.is_none() => return error,
        ([], _) => "it has no fields".to_string(),
        (names, 0) => format!("it has {}", names.join(", ")),
        (names, more) => format!("it has {} and {more} more", names.join(", ")),
    };
    let seen = format!("{}: {there}", error.seen_text());
    error.seen(seen)
}

/// A sink that keeps the names of the fields of one record.
struct Names {
    /// Offset of the record.
    record: u64,
    depth: u32,
    /// Depth of the record, once it was opened.
    inside: Option<u32>,
    /// True right behind the start of a container without a mark of its own.
    opened: bool,
    names: Vec<String>,
    /// Number of fields beyond those.
    more: u64,
}

impl<'m> Sink<'m> for Names {
    fn open(&mut self, _: Open<'_>, at: Span) -> Result<Next> {
        self.depth += 1;
        self.opened = at.is_empty();
        if self.inside.is_none() && at.start == self.record && !self.opened {
            self.inside = Some(self.depth);
        }
        Ok(Next::Enter)
    }

    fn field(&mut self, field: Field<'m, '_>, at: Span) -> Result<Next> {
        if self.inside.is_none() && self.opened && at.start == self.record {
            self.inside = Some(self.depth);
        }
        self.opened = false;
        if self.inside != Some(self.depth) {
            return Ok(Next::Enter);
        }
        let name = field.name.get();
        match name.char_indices().nth(NAME) {
            _ if self.names.len() == FIELDS => self.more += 1,
            Some((end, _)) => self.names.push(format!("`{}…`", &name[..end])),
            None => self.names.push(format!("`{name}`")),
        }
        Ok(Next::Skip)
    }

    fn scalar(&mut self, _: Scalar<'m, '_>, _: Span) -> Result<()> {
        self.opened = false;
        Ok(())
    }

    fn part(&mut self, _: Part<'_>, _: Span) -> Result<()> {
        Ok(())
    }

    fn close(&mut self, _: Span) -> Result<()> {
        // No record behind this one is inside of it.
        if self.inside == Some(self.depth) {
            self.inside = Some(u32::MAX);
        }
        self.depth -= 1;
        Ok(())
    }
}

//! Records within records as columns of one record.

use std::collections::HashSet;

use crate::error::{Error, ErrorKind, Fault, Result};
use crate::walk::event::{Field, Len, Next, Note, Open, Part, Scalar, Span, Str};
use crate::walk::loss::Losses;
use crate::walk::sink::{Needs, Sink};

/// Passes a record on with the values of records, maps, lists and tuples in it as its own fields.
/// Their names are those on the way, with a separator between; elements of lists have their index.
///
/// An empty container stays, as do variants, tagged values, and maps whose first key is no text. A
/// message that is no record stays as it is.
pub struct Flatten<'a, S: ?Sized> {
    inner: &'a mut S,
    separator: &'a str,
    losses: &'a mut Losses,
    /// The names on the way to the value that comes, with separators.
    name: String,
    levels: Vec<Level>,
    /// The field of the value that comes.
    field: Option<(Option<u64>, Option<u32>, Span)>,
    /// Number of open containers that are passed on as they are.
    kept: usize,
    /// Names of the columns so far.
    columns: HashSet<String>,
    /// True inside of a value in parts.
    in_parts: bool,
    started: bool,
}

/// A container whose values become columns.
struct Level {
    /// Length of `name` before the container's own values.
    prefix: usize,
    /// The container, if nothing of it came so far.
    pending: Option<(Kind, Span)>,
    is_list: bool,
    /// Number of entries.
    count: u64,
    /// True if the entries have names that are their numbers.
    numbered: bool,
}

#[derive(Clone, Copy)]
enum Kind {
    List,
    Map,
    Tuple,
    Record,
}

impl Kind {
    fn of(open: &Open<'_>) -> Option<Kind> {
        match open {
            Open::List(_) => Some(Kind::List),
            Open::Map(_) => Some(Kind::Map),
            Open::Tuple(_) => Some(Kind::Tuple),
            Open::Record { .. } => Some(Kind::Record),
            Open::Variant { .. } | Open::Tagged { .. } => None,
        }
    }

    fn open(self) -> Open<'static> {
        match self {
            Kind::List => Open::List(Len::Unknown),
            Kind::Map => Open::Map(Len::Unknown),
            Kind::Tuple => Open::Tuple(Len::Unknown),
            Kind::Record => Open::Record { name: "", len: Len::Unknown },
        }
    }
}

impl<'a, S: ?Sized> Flatten<'a, S> {
    /// Makes the adapter before `inner`. `losses` gets the names that
    /// [`Unflatten`](super::Unflatten) takes for others.
    pub fn new(inner: &'a mut S, separator: &'a str, losses: &'a mut Losses) -> Self {
        Flatten {
            inner,
            separator,
            losses,
            name: String::new(),
            levels: Vec::new(),
            field: None,
            kept: 0,
            columns: HashSet::new(),
            in_parts: false,
            started: false,
        }
    }

    /// Extends the name by that of the list's next element, if the innermost container is a list.
    fn element(&mut self, at: Span) {
        let Some(level) = self.levels.last_mut().filter(|level| level.is_list) else { return };
        level.pending = None;
        self.name.truncate(level.prefix);
        self.name.push_str(self.separator);
        self.name.push_str(&level.count.to_string());
        level.count += 1;
        self.field = Some((None, None, Span::new(at.start, at.start)));
    }

    /// Passes on the name of the column whose value comes.
    fn column<'m>(&mut self) -> Result<Next>
    where
        S: Sink<'m>,
    {
        let Some((id, slot, at)) = self.field.take() else { return Err(Error::internal("a value without a name")) };
        if !self.columns.insert(self.name.clone()) {
            return Err(Error::new(ErrorKind::DoubledKey, Fault::Data)
                .seen(format!("two values for the column `{}`", self.name))
                .expected("one")
                .hint("choose another separator: --flatten=/")
                .at(at.start));
        }
        let top = self.levels.len() == 1;
        let field = Field { name: Str::Scratch(&self.name), id: id.filter(|_| top), slot: slot.filter(|_| top) };
        self.inner.field(field, at)
    }

    /// Passes the innermost container on as it is.
    fn keep<'m>(&mut self) -> Result<()>
    where
        S: Sink<'m>,
    {
        let Some(level) = self.levels.pop() else { return Ok(()) };
        let Some((kind, at)) = level.pending else { return Err(Error::internal("a container that has begun")) };
        self.name.truncate(level.prefix);
        self.field = Some((None, None, Span::new(at.start, at.start)));
        self.column()?;
        self.inner.open(kind.open(), at)?;
        self.kept = 1;
        Ok(())
    }

    /// Fails at a key that is no text in a map that has begun with one that is; a map that begins
    /// with it is passed on as it is.
    fn key<'m>(&mut self, at: Span) -> Result<bool>
    where
        S: Sink<'m>,
    {
        if self.levels.last().is_none_or(|level| level.is_list) || self.field.is_some() {
            return Ok(false);
        }
        if self.levels.len() > 1 && self.levels.last().is_some_and(|level| level.pending.is_some()) {
            self.keep()?;
            return Ok(true);
        }
        Err(Error::new(ErrorKind::Unsupported, Fault::Data)
            .seen("a key that is no text among keys that are")
            .expected("names for columns")
            .at(at.start))
    }
}

impl<'m, S: Sink<'m> + ?Sized> Sink<'m> for Flatten<'_, S> {
    fn needs(&self) -> Needs {
        self.inner.needs() | Needs::GROUPED
    }

    fn open(&mut self, open: Open<'_>, at: Span) -> Result<Next> {
        if self.kept > 0 {
            let next = self.inner.open(open, at)?;
            self.kept += usize::from(next == Next::Enter);
            return Ok(next);
        }
        if !std::mem::replace(&mut self.started, true) {
            let next = self.inner.open(open.unclaimed(), at)?;
            match Kind::of(&open) {
                _ if next != Next::Enter => {}
                Some(Kind::Record | Kind::Map) => {
                    self.levels.push(Level { prefix: 0, pending: None, is_list: false, count: 0, numbered: false });
                }
                _ => self.kept = 1,
            }
            return Ok(next);
        }
        if self.key(at)? {
            return self.open(open, at);
        }
        self.element(at);
        let Some(kind) = Kind::of(&open) else {
            let next = match self.column()? {
                Next::Enter => self.inner.open(open, at)?,
                other => other,
            };
            self.kept = usize::from(next == Next::Enter);
            return Ok(next);
        };
        if matches!(open, Open::Record { name, .. } if !name.is_empty()) {
            self.losses.value("type name of a record within others dropped", at);
        }
        self.field = None;
        let is_list = matches!(kind, Kind::List | Kind::Tuple);
        let level = Level { prefix: self.name.len(), pending: Some((kind, at)), is_list, count: 0, numbered: !is_list };
        self.levels.push(level);
        Ok(Next::Enter)
    }

    fn field(&mut self, field: Field<'m, '_>, at: Span) -> Result<Next> {
        if self.kept > 0 {
            return self.inner.field(field, at);
        }
        let top = self.levels.len() == 1;
        let Some(level) = self.levels.last_mut() else { return Err(Error::internal("a field outside of records")) };
        let name = field.name.get();
        if name.contains(self.separator) {
            self.losses.caution("name with the separator, which --unflatten takes apart", at);
        }
        level.pending = None;
        level.numbered &= name == level.count.to_string();
        level.count += 1;
        self.name.truncate(level.prefix);
        if !top {
            self.name.push_str(self.separator);
        }
        self.name.push_str(name);
        self.field = Some((field.id, field.slot, at));
        Ok(Next::Enter)
    }

    fn scalar(&mut self, value: Scalar<'m, '_>, at: Span) -> Result<()> {
        if self.kept > 0 || !std::mem::replace(&mut self.started, true) {
            return self.inner.scalar(value, at);
        }
        if self.key(at)? {
            return self.inner.scalar(value, at);
        }
        self.element(at);
        if self.column()? == Next::Enter {
            self.inner.scalar(value, at)?;
        }
        Ok(())
    }

    fn part(&mut self, part: Part<'_>, at: Span) -> Result<()> {
        if self.kept == 0 && self.started && !self.in_parts && !self.key(at)? {
            self.element(at);
            self.column()?;
        }
        self.started = true;
        self.in_parts = !part.last;
        self.inner.part(part, at)
    }

    fn close(&mut self, at: Span) -> Result<()> {
        if self.kept > 0 {
            self.kept -= 1;
            return self.inner.close(at);
        }
        if self.levels.len() > 1 && self.levels.last().is_some_and(|level| level.pending.is_some()) {
            self.keep()?;
            self.kept = 0;
            return self.inner.close(at);
        }
        let Some(level) = self.levels.pop() else { return Err(Error::internal("the end of no container")) };
        self.name.truncate(level.prefix);
        if self.levels.is_empty() {
            return self.inner.close(at);
        }
        if level.numbered {
            self.losses.caution("record with numbers as names, which --unflatten takes for a list", at);
        }
        Ok(())
    }

    fn note(&mut self, note: Note<'_>, at: Span) -> Result<()> {
        self.inner.note(note, at)
    }
}

//! Keeps only the values that are named, and lets the reader step over the rest.

use crate::error::Result;
use crate::tools::adapt::hits::Hits;
use crate::tools::adapt::projection::Projection;
use crate::walk::event::{Field, Next, Note, Open, Part, Scalar, Span, Str};
use crate::walk::sink::Sink;

/// Passes on the values that a [`Projection`] names. Containers on the way stay, with fewer
/// entries; scalars where a path goes deeper are dropped.
///
/// It goes by names: a path with positions counts up to its first one. [`Walker`](super::Walker)
/// follows positions too.
pub struct Select<'a, 'm, S: ?Sized> {
    inner: &'a mut S,
    projection: &'a Projection,
    levels: Vec<Level>,
    due: Due<'m>,
    /// Containers within a value that is wanted whole.
    whole: usize,
    delivered: bool,
    hits: Option<&'a mut Hits>,
}

struct Level {
    node: usize,
    /// Elements belong to `node` themselves.
    sequence: bool,
}

/// State of the next value.
enum Due<'m> {
    /// Nothing: its container decides.
    Container,
    /// It is wanted whole, and its name was passed on.
    Whole,
    /// Parts of it may be wanted; its name waits, since it is dropped with a scalar.
    Partly(usize, HeldField<'m>),
}

struct HeldField<'m> {
    name: std::borrow::Cow<'m, str>,
    id: Option<u64>,
    slot: Option<u32>,
    at: Span,
}

impl<'a, 'm, S: Sink<'m> + ?Sized> Select<'a, 'm, S> {
    /// Makes the adapter before `inner`.
    pub fn new(inner: &'a mut S, projection: &'a Projection) -> Self {
        let projection = projection.by_names();
        Select { inner, projection, levels: Vec::new(), due: Due::Container, whole: 0, delivered: false, hits: None }
    }

    /// Marks in `hits` the paths that named something.
    pub(crate) fn marking(mut self, hits: Option<&'a mut Hits>) -> Self {
        self.hits = hits;
        self
    }

    /// Notes that a wanted value, or name, is there. `around` is the node of what it stands in.
    #[inline]
    fn hit(&mut self, node: usize, around: Option<usize>) {
        if let Some(hits) = &mut self.hits {
            hits.mark(node);
            // The name fits `*` as well.
            if let Some(others) =
                around.and_then(|around| self.projection.others(around)).filter(|others| self.projection.is_whole(*others))
            {
                hits.mark(others);
            }
        }
    }

    /// Ends the message: one that held nothing that is wanted becomes null.
    pub fn finish(self) -> Result<()> {
        if self.delivered { Ok(()) } else { self.inner.scalar(Scalar::Null, Span::NONE) }
    }

    /// Returns true if a scalar that comes next is wanted.
    fn wants_scalar(&mut self) -> bool {
        if self.whole > 0 {
            return true;
        }
        matches!(std::mem::replace(&mut self.due, Due::Container), Due::Whole)
    }
}

impl<'m, S: Sink<'m> + ?Sized> Sink<'m> for Select<'_, 'm, S> {
    fn open(&mut self, open: Open<'_>, at: Span) -> Result<Next> {
        let due = std::mem::replace(&mut self.due, Due::Container);
        if self.whole > 0 || matches!(due, Due::Whole) {
            let next = self.inner.open(open, at)?;
            self.whole += usize::from(next == Next::Enter);
            return Ok(next);
        }
        let (node, held) = match due {
            Due::Partly(node, held) => (node, Some(held)),
            _ => match self.levels.last() {
                None => (0, None),
                Some(level) if level.sequence => (level.node, None),
                // A map's key that is a container: no path names its value.
                Some(_) => return Ok(Next::Skip),
            },
        };
        let node = match open {
            Open::Variant { name, .. } => match self.projection.child(node, name) {
                Some(child) => child,
                None => return Ok(Next::Skip),
            },
            _ => node,
        };
        if let Some(held) = held {
            let name = match &held.name {
                std::borrow::Cow::Borrowed(name) => Str::Input(*name),
                std::borrow::Cow::Owned(name) => Str::Scratch(name.as_str()),
            };
            match self.inner.field(Field { name, id: held.id, slot: held.slot }, held.at)? {
                Next::Enter => {}
                next => return Ok(next),
            }
        }
        self.delivered = true;
        if self.projection.is_whole(node) {
            self.hit(node, None);
            let next = self.inner.open(open, at)?;
            self.whole = usize::from(next == Next::Enter);
            return Ok(next);
        }
        let next = self.inner.open(open.unclaimed(), at)?;
        if next == Next::Enter {
            self.levels.push(Level { node, sequence: !matches!(open, Open::Record { .. } | Open::Map(_)) });
        }
        Ok(next)
    }

    #[inline]
    fn field(&mut self, field: Field<'m, '_>, at: Span) -> Result<Next> {
        if self.whole > 0 {
            return self.inner.field(field, at);
        }
        let Some(around) = self.levels.last().map(|level| level.node) else { return Ok(Next::Skip) };
        let Some(child) = self.projection.child(around, field.name.get()) else { return Ok(Next::Skip) };
        if self.projection.is_whole(child) {
            self.hit(child, Some(around));
            self.due = Due::Whole;
            return self.inner.field(field, at);
        }
        let name = match field.name {
            Str::Input(name) => name.into(),
            Str::Scratch(name) => name.to_string().into(),
        };
        self.due = Due::Partly(child, HeldField { name, id: field.id, slot: field.slot, at });
        Ok(Next::Enter)
    }

    fn scalar(&mut self, value: Scalar<'m, '_>, at: Span) -> Result<()> {
        if self.wants_scalar() { self.inner.scalar(value, at) } else { Ok(()) }
    }

    fn part(&mut self, part: Part<'_>, at: Span) -> Result<()> {
        let wanted = self.whole > 0 || matches!(self.due, Due::Whole);
        if part.last {
            self.wants_scalar();
        }
        if wanted { self.inner.part(part, at) } else { Ok(()) }
    }

    fn close(&mut self, at: Span) -> Result<()> {
        if self.whole > 0 {
            self.whole -= 1;
        } else {
            self.levels.pop();
        }
        self.inner.close(at)
    }

    fn note(&mut self, note: Note<'_>, at: Span) -> Result<()> {
        if self.whole > 0 { self.inner.note(note, at) } else { Ok(()) }
    }
}

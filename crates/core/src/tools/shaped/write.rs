//! Values of messages to those of the declarations.

use std::sync::Arc;

use super::fit::{Fit, misfit};
use super::shapes::{Case, ONLY, Shape, Shapes};
use crate::error::{Error, Result};
use crate::value::{Entry, Held, Item, View};
use crate::walk::{Field, Forward, Len, Losses, Lost, Needs, Next, Open, Path, PathStep, Scalar, Sink, Span, Str, Writer};

/// Writer of the messages of a schema, by the writer of its declarations.
pub(super) struct ShapedWriter {
    shapes: Arc<Shapes>,
    held: Held,
    inner: Box<dyn Writer>,
}

impl ShapedWriter {
    /// Makes a writer of `inner`, which writes by the declarations.
    pub fn new(shapes: Arc<Shapes>, inner: Box<dyn Writer>) -> ShapedWriter {
        ShapedWriter { shapes, held: Held::new(None), inner }
    }
}

impl<'m> Forward<'m> for ShapedWriter {
    type To = Held;

    fn to(&mut self) -> &mut Held {
        &mut self.held
    }

    fn needs(&self) -> Needs {
        Sink::needs(&self.held)
    }
}

impl Writer for ShapedWriter {
    fn only_one(&self) -> Option<&'static str> {
        self.inner.only_one()
    }

    fn finish(&mut self, out: &mut Vec<u8>) -> Result<()> {
        let tree = std::mem::take(&mut self.held.tree);
        let Some(root) = tree.root() else { return Err(Error::usage("no value").expected("a message")) };
        let mut lower = Lower { shapes: &self.shapes, sink: &mut *self.inner, losses: &mut self.held.losses };
        lower.value(self.shapes.root, root).map_err(|error| if error.path().is_none() { error.path_is(Path::default()) } else { error })?;
        self.inner.finish(out)?;
        self.held.tree = tree.recycle();
        Ok(())
    }

    fn reset(&mut self) {
        self.held.reset();
        self.inner.reset();
    }

    fn losses(&mut self) -> Vec<Lost> {
        let mut losses = self.held.losses();
        losses.append(&mut self.inner.losses());
        losses
    }
}

/// Recursion is bounded by the depth of the message.
struct Lower<'w> {
    shapes: &'w Shapes,
    sink: &'w mut dyn Writer,
    losses: &'w mut Losses,
}

impl Lower<'_> {
    fn value(&mut self, shape: u32, item: Item<'_, 'static>) -> Result<()> {
        let shapes = self.shapes;
        let at = item.opening();
        match (shapes.get(shape), item.view()) {
            (Shape::Scalar(Fit::Null), View::Scalar(Scalar::Null)) => self.null(at),
            (Shape::Only(inner), _) => {
                self.sink.open(Open::Record { name: "", len: Len::Claimed(1) }, at)?;
                self.name(ONLY, item)?;
                self.value(*inner, item)?;
                self.sink.close(Span::NONE)
            }
            (Shape::Map(key, value), View::Open(Open::Record { .. } | Open::Map(_))) => self.map(*key, *value, item),
            (Shape::Scalar(fit), _) => fit.lower(item, self.sink, self.losses),
            (Shape::Record(fields), View::Open(Open::Record { .. } | Open::Map(_))) => self.record(fields, item),
            (Shape::List(element), View::Open(open @ (Open::List(_) | Open::Tuple(_)))) => {
                let len = if let Open::List(len) | Open::Tuple(len) = open { len } else { Len::Unknown };
                self.sink.open(Open::List(len), at)?;
                for entry in item.entries() {
                    self.value(*element, entry.value())?;
                }
                self.sink.close(Span::NONE)
            }
            (Shape::Pairs(key, value), View::Open(Open::Record { .. } | Open::Map(_))) => self.pairs(*key, *value, item),
            (Shape::Row(parts, _), View::Open(Open::List(_) | Open::Tuple(_))) => self.row(parts, item, item.entries()),
            (Shape::Cases(cases), View::Open(Open::Variant { name, index })) => {
                let is_it = |case: &Case| *case.name == *name || name.is_empty() && case.index == index;
                let case = cases.iter().find(|case| is_it(case)).ok_or_else(|| misfit(item))?;
                self.case(case, item, item.entries())
            }
            (Shape::Named(cases), View::Scalar(Scalar::Text(name))) => {
                let case = cases.iter().find(|case| *case.name == *name.get() && case.carries.is_empty()).ok_or_else(|| misfit(item))?;
                self.alternative(&case.name, at, |lower| lower.null(at))
            }
            (Shape::Named(cases), View::Open(Open::Record { .. } | Open::Map(_))) => {
                let mut entries = item.entries();
                let (Some(Entry::Field(name, value)), None) = (entries.next(), entries.next()) else { return Err(misfit(item)) };
                let case = cases.iter().find(|case| *case.name == *name && !case.carries.is_empty()).ok_or_else(|| misfit(item))?;
                self.alternative(&case.name, at, |lower| lower.value(case.carries[0], value))
            }
            (Shape::Nullable(_), View::Scalar(Scalar::Null)) => self.alternative("null", at, |lower| lower.null(at)),
            (Shape::Nullable(inner), _) => self.alternative("value", at, |lower| lower.value(*inner, item)),
            (Shape::Untagged(cases), _) => {
                let (name, case) = shapes.chosen(cases, item).ok_or_else(|| misfit(item))?;
                self.alternative(name, at, |lower| lower.value(*case, item))
            }
            (Shape::Marked(space, code, inner), View::Open(Open::Tagged { space: own, code: mark }))
                if *own == **space && mark == *code =>
            {
                match item.entries().next() {
                    Some(Entry::Element(value)) => self.value(*inner, value),
                    _ => Err(misfit(item)),
                }
            }
            _ => Err(misfit(item)),
        }
    }

    fn record(&mut self, fields: &[(Box<str>, u32)], item: Item<'_, 'static>) -> Result<()> {
        self.sink.open(Open::Record { name: "", len: Len::Unknown }, item.opening())?;
        let mut hint = 0;
        for entry in item.entries() {
            let Entry::Field(name, value) = entry else { return Err(misfit(entry.value())) };
            let is_it = |place: usize| fields.get(place).is_some_and(|(known, _)| **known == *name);
            let found = if is_it(hint) { Some(hint) } else { (0..fields.len()).find(|place| is_it(*place)) };
            let Some(found) = found else {
                self.losses.value("field that the schema does not have dropped", value.opening());
                continue;
            };
            hint = found + 1;
            self.name(name, value)?;
            self.value(fields[found].1, value).map_err(|error| below(error, PathStep::Name(name.to_string())))?;
        }
        self.sink.close(Span::NONE)
    }

    /// Writes null, or the record that stands for it.
    fn null(&mut self, at: Span) -> Result<()> {
        if self.shapes.null {
            return self.sink.scalar(Scalar::Null, at);
        }
        self.sink.open(Open::Record { name: "", len: Len::Claimed(0) }, at)?;
        self.sink.close(Span::NONE)
    }

    fn map(&mut self, key: u32, value: u32, item: Item<'_, 'static>) -> Result<()> {
        self.sink.open(Open::Map(Len::Unknown), item.opening())?;
        for entry in item.entries() {
            let inner = entry.value();
            match entry {
                Entry::Field(name, _) if self.shapes.is_text(key) => {
                    self.name(name, inner)?;
                }
                Entry::Pair(key_item, _) => self.value(key, key_item)?,
                _ => return Err(misfit(inner)),
            }
            self.value(value, inner)?;
        }
        self.sink.close(Span::NONE)
    }

    fn pairs(&mut self, key: u32, value: u32, item: Item<'_, 'static>) -> Result<()> {
        self.sink.open(Open::List(Len::Unknown), item.opening())?;
        for entry in item.entries() {
            let inner = entry.value();
            self.sink.open(Open::Record { name: "", len: Len::Claimed(2) }, inner.opening())?;
            self.name("key", inner)?;
            match entry {
                Entry::Field(name, _) if self.shapes.is_text(key) => self.sink.scalar(Scalar::Text(Str::Scratch(name)), inner.opening())?,
                Entry::Pair(key_item, _) => self.value(key, key_item)?,
                _ => return Err(misfit(inner)),
            }
            self.name("value", inner)?;
            self.value(value, inner)?;
            self.sink.close(Span::NONE)?;
        }
        self.sink.close(Span::NONE)
    }

    /// Writes values without names as components.
    fn row<'t>(&mut self, parts: &[u32], item: Item<'_, 'static>, entries: impl Iterator<Item = Entry<'t, 'static>>) -> Result<()> {
        self.sink.open(Open::Record { name: "", len: Len::Unknown }, item.opening())?;
        let mut parts = parts.iter();
        for (entry, number) in entries.zip(1..) {
            let part = parts.next().ok_or_else(|| misfit(item))?;
            self.name(&format!("item-{number}"), entry.value())?;
            self.value(*part, entry.value())?;
        }
        if parts.next().is_some() {
            return Err(misfit(item));
        }
        self.sink.close(Span::NONE)
    }

    fn case<'t>(&mut self, case: &Case, item: Item<'_, 'static>, mut entries: impl Iterator<Item = Entry<'t, 'static>>) -> Result<()> {
        let at = item.opening();
        self.alternative(&case.name, at, |lower| match &case.carries[..] {
            [] if entries.next().is_none() => lower.null(at),
            [one] => match (entries.next(), entries.next()) {
                (Some(entry), None) => lower.value(*one, entry.value()),
                _ => Err(misfit(item)),
            },
            [] => Err(misfit(item)),
            several => lower.row(several, item, entries),
        })
    }

    fn alternative(&mut self, name: &str, at: Span, value: impl FnOnce(&mut Self) -> Result<()>) -> Result<()> {
        self.sink.open(Open::Variant { name, index: 0 }, at)?;
        value(self)?;
        self.sink.close(Span::NONE)
    }

    fn name(&mut self, name: &str, item: Item<'_, 'static>) -> Result<Next> {
        self.sink.field(Field::named(Str::Scratch(name)), item.opening())
    }
}

impl Shapes {
    fn is_text(&self, shape: u32) -> bool {
        matches!(self.get(shape), Shape::Scalar(Fit::Text))
    }

    /// Returns the first case that fits a value.
    fn chosen<'c>(&self, cases: &'c [(Box<str>, u32)], item: Item<'_, 'static>) -> Option<&'c (Box<str>, u32)> {
        let found = cases.iter().find(|(_, case)| self.fits(*case, item));
        // If nothing fits and there is one case, its error explains the misfit best.
        found.or(cases.first().filter(|_| cases.len() == 1))
    }

    /// Returns whether a value fits a shape, judged by the value alone.
    fn fits(&self, shape: u32, item: Item<'_, 'static>) -> bool {
        let is_list = matches!(item.view(), View::Open(Open::List(_) | Open::Tuple(_)));
        let is_named = matches!(item.view(), View::Open(Open::Record { .. } | Open::Map(_)));
        match self.get(shape) {
            Shape::Scalar(fit) => fit.fits(item),
            Shape::Record(_) | Shape::Map(..) | Shape::Pairs(..) => is_named,
            Shape::Only(inner) => self.fits(*inner, item),
            Shape::List(_) => is_list,
            Shape::Row(parts, _) => is_list && item.entries().take(parts.len() + 1).count() == parts.len(),
            Shape::Cases(_) => matches!(item.view(), View::Open(Open::Variant { .. })),
            Shape::Named(cases) => match item.view() {
                View::Scalar(Scalar::Text(name)) => cases.iter().any(|case| case.carries.is_empty() && *case.name == *name.get()),
                _ => {
                    let mut entries = item.entries();
                    let only = (entries.next(), entries.next());
                    is_named && matches!(only, (Some(Entry::Field(name, _)), None) if cases.iter().any(|case| *case.name == *name))
                }
            },
            Shape::Nullable(inner) => matches!(item.view(), View::Scalar(Scalar::Null)) || self.fits(*inner, item),
            Shape::Untagged(cases) => cases.iter().any(|(_, case)| self.fits(*case, item)),
            Shape::Marked(space, code, _) => {
                matches!(item.view(), View::Open(Open::Tagged { space: own, code: mark }) if *own == **space && mark == *code)
            }
        }
    }
}

#[cold]
fn below(error: Error, step: PathStep) -> Error {
    let mut path = error.path().cloned().unwrap_or_default();
    path.0.insert(0, step);
    error.path_is(path)
}

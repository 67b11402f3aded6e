//! Values by the declarations to those of the messages.

use std::sync::Arc;

use super::fit::Fit;
use super::shapes::{Shape, Shapes};
use crate::error::{Error, ErrorKind, Result};
use crate::limits::Budget;
use crate::value::emit_any;
use crate::walk::{Field, Frame, Len, Needs, Next, Note, Open, Part, Reader, Scalar, Sink, Span, Str};

/// Reader of the messages of a schema, by the reader of its declarations.
pub(super) struct ShapedReader {
    shapes: Arc<Shapes>,
    inner: Box<dyn Reader>,
    levels: Vec<Level>,
}

impl ShapedReader {
    /// Makes a reader of `inner`, which reads by the declarations.
    pub fn new(shapes: Arc<Shapes>, inner: Box<dyn Reader>) -> ShapedReader {
        ShapedReader { shapes, inner, levels: Vec::new() }
    }
}

impl Reader for ShapedReader {
    fn frame(&mut self, buf: &[u8], base: u64, eof: bool) -> Result<Frame> {
        self.inner.frame(buf, base, eof)
    }

    fn walk<'m>(&mut self, msg: &'m [u8], base: u64, sink: &mut dyn Sink<'m>, budget: &mut Budget) -> Result<()> {
        self.levels.clear();
        let own = budget.clone();
        let mut raise = Raise { shapes: &self.shapes, sink, levels: &mut self.levels, budget: own, part: self.shapes.root, stopped: false };
        self.inner.walk(msg, base, &mut raise, budget)
    }
}

/// Open container of the declarations. Numbers are those of shapes.
#[derive(Debug, Clone, Copy)]
enum Level {
    /// A structure whose fields are those of the message.
    Record(u32),
    /// A list of these elements.
    List(u32),
    /// A map. True if its next value belongs to a key.
    Entries(u32, u32, bool),
    /// A map: its entries are pairs.
    Map(u32, u32),
    /// The record around a message.
    Only(u32),
    /// A pair of a map.
    Pair(u32, u32, Half),
    /// A structure whose components are values without names.
    Row(u32),
    /// A case with several arguments, which come in a structure: number of the case.
    Several(u32, u32),
    /// The structure of a case's arguments.
    Arguments(u32, u32),
    /// A case with one argument, or a record of one field.
    Case(u32),
    /// An alternative that stands for its value.
    Through(u32),
    /// An alternative whose null is no value of the message. True if it is open in the message.
    Constant(bool),
    /// A mark around one value.
    Mark(u32),
}

/// Next part of a map's entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Half {
    Key,
    Value,
    /// A value that the sink steps over.
    Skipped,
}

/// Shape of an alternative that is null.
const NULL: u32 = u32::MAX;

struct Raise<'w, 'm> {
    shapes: &'w Shapes,
    sink: &'w mut dyn Sink<'m>,
    levels: &'w mut Vec<Level>,
    budget: Budget,
    /// Shape of the value behind the last field.
    part: u32,
    /// True if the sink wants no more.
    stopped: bool,
}

impl<'m> Raise<'_, 'm> {
    /// Returns the shape of the value that comes next.
    fn shape(&self) -> u32 {
        match self.levels.last() {
            Some(Level::List(inner) | Level::Case(inner) | Level::Through(inner) | Level::Mark(inner)) => *inner,
            Some(Level::Entries(_, inner, true) | Level::Entries(inner, _, false)) => *inner,
            _ => self.part,
        }
    }

    /// Opens the marks around the next value. Returns its shape, or `None` if the sink skips it.
    fn marks(&mut self, at: Span) -> Result<Result<u32, Next>> {
        let mut shape = self.shape();
        while shape != NULL
            && let Shape::Marked(space, code, inner) = self.shapes.get(shape)
        {
            self.budget.item(at.start)?;
            match self.sink.open(Open::Tagged { space, code: *code }, at)? {
                Next::Enter => self.levels.push(Level::Mark(*inner)),
                // The marks outside of it are open.
                other => return Ok(Err(other)),
            }
            shape = *inner;
        }
        Ok(Ok(shape))
    }

    /// Closes the marks around a value that ended, and goes on in the map that it is in.
    fn ended(&mut self) -> Result<()> {
        while !self.stopped
            && let Some(Level::Mark(_)) = self.levels.last()
        {
            self.levels.pop();
            self.sink.close(Span::NONE)?;
        }
        if let Some(Level::Entries(_, _, second)) = self.levels.last_mut() {
            *second = !*second;
        }
        Ok(())
    }

    fn entered(&mut self, next: Next, level: Level) -> Result<Next> {
        match next {
            Next::Enter => self.levels.push(level),
            Next::Skip => self.ended()?,
            Next::Stop => {}
        }
        Ok(next)
    }

    /// Opens a choice.
    fn choice(&mut self, shape: u32, index: u32, at: Span) -> Result<Next> {
        let shapes = self.shapes;
        let unknown = || Error::internal("an alternative that the schema does not have");
        match shapes.get(shape) {
            Shape::Nullable(inner) => {
                self.levels.push(Level::Through(if index == 0 { NULL } else { *inner }));
                Ok(Next::Enter)
            }
            Shape::Untagged(cases) => {
                self.levels.push(Level::Through(cases.get(index as usize).ok_or_else(unknown)?.1));
                Ok(Next::Enter)
            }
            Shape::Cases(cases) => {
                let case = cases.get(index as usize).ok_or_else(unknown)?;
                let next = self.sink.open(Open::Variant { name: &case.name, index: case.index }, at)?;
                let level = match &case.carries[..] {
                    [] => Level::Constant(true),
                    [one] => Level::Case(*one),
                    _ => Level::Several(shape, index),
                };
                self.entered(next, level)
            }
            Shape::Named(cases) => {
                let case = cases.get(index as usize).ok_or_else(unknown)?;
                let Some(inner) = case.carries.first() else {
                    self.sink.scalar(Scalar::Text(Str::Scratch(&case.name)), at)?;
                    self.levels.push(Level::Constant(false));
                    return Ok(Next::Enter);
                };
                let next = self.sink.open(Open::Record { name: "", len: Len::Claimed(1) }, at)?;
                if next != Next::Enter {
                    return self.entered(next, Level::Case(*inner));
                }
                match self.sink.field(Field { name: Str::Scratch(&case.name), id: None, slot: Some(0) }, at)? {
                    Next::Enter => {
                        self.levels.push(Level::Case(*inner));
                        Ok(Next::Enter)
                    }
                    Next::Skip => {
                        self.sink.close(Span::NONE)?;
                        self.ended()?;
                        Ok(Next::Skip)
                    }
                    Next::Stop => Ok(Next::Stop),
                }
            }
            _ => Err(Error::internal("a choice that the schema does not have")),
        }
    }
}

impl<'m> Sink<'m> for Raise<'_, 'm> {
    fn needs(&self) -> Needs {
        let known = [Needs::GROUPED, Needs::SCHEMA_ORDER, Needs::WHOLE_TEXT];
        let own = self.sink.needs();
        known.into_iter().filter(|need| own.has(*need)).fold(Needs::NONE, |all, need| all | need)
    }

    fn open(&mut self, open: Open<'_>, at: Span) -> Result<Next> {
        if self.stopped {
            return Ok(Next::Stop);
        }
        if matches!(self.levels.last(), Some(Level::Constant(_))) {
            return Ok(Next::Skip);
        }
        let inside = match self.levels.last() {
            Some(Level::Several(shape, case)) => Some(Level::Arguments(*shape, *case)),
            Some(Level::Map(key, value)) => Some(Level::Pair(*key, *value, Half::Key)),
            _ => None,
        };
        if let Some(level) = inside {
            self.levels.push(level);
            return Ok(Next::Enter);
        }
        let shape = match self.marks(at)? {
            Ok(shape) => shape,
            Err(Next::Skip) => {
                self.ended()?;
                return Ok(Next::Skip);
            }
            Err(next) => return Ok(next),
        };
        // The record that stands for null.
        if shape == NULL || matches!((self.shapes.get(shape), open), (Shape::Scalar(Fit::Null), Open::Record { .. })) {
            self.sink.scalar(Scalar::Null, at)?;
            self.ended()?;
            return Ok(if self.stopped { Next::Stop } else { Next::Skip });
        }
        match (self.shapes.get(shape), open) {
            (Shape::Record(_), Open::Record { .. }) => {
                let next = self.sink.open(open, at)?;
                self.entered(next, Level::Record(shape))
            }
            (Shape::List(inner), Open::List(_)) => {
                let next = self.sink.open(open, at)?;
                self.entered(next, Level::List(*inner))
            }
            (Shape::Only(inner), Open::Record { .. }) => {
                self.levels.push(Level::Only(*inner));
                Ok(Next::Enter)
            }
            (Shape::Map(key, value), Open::Map(_)) => {
                let next = self.sink.open(open, at)?;
                self.entered(next, Level::Entries(*key, *value, false))
            }
            (Shape::Pairs(key, value), Open::List(len)) => {
                let next = self.sink.open(Open::Map(len), at)?;
                self.entered(next, Level::Map(*key, *value))
            }
            (Shape::Row(parts, is_list), Open::Record { .. }) => {
                let len = Len::Claimed(parts.len() as u64);
                let next = self.sink.open(if *is_list { Open::List(len) } else { Open::Tuple(len) }, at)?;
                self.entered(next, Level::Row(shape))
            }
            (_, Open::Variant { index, .. }) => self.choice(shape, index, at),
            _ => Err(strange(open.kind(), at)),
        }
    }

    fn field(&mut self, field: Field<'m, '_>, at: Span) -> Result<Next> {
        let shapes = self.shapes;
        if self.stopped {
            return Ok(Next::Stop);
        }
        if let Some(Level::Entries(_, _, second)) = self.levels.last_mut() {
            let next = self.sink.field(field, at)?;
            *second = next == Next::Enter;
            return Ok(next);
        }
        let Some(slot) = field.slot else { return Ok(Next::Skip) };
        let slot = slot as usize;
        let lacks = || Error::internal("a component that the schema does not have");
        match self.levels.last_mut() {
            Some(Level::Record(shape)) => {
                let Shape::Record(fields) = shapes.get(*shape) else { return Err(lacks()) };
                self.part = fields.get(slot).ok_or_else(lacks)?.1;
                self.sink.field(field, at)
            }
            Some(Level::Only(inner)) => {
                self.part = *inner;
                Ok(Next::Enter)
            }
            Some(Level::Pair(key, _, half)) if slot == 0 => {
                (self.part, *half) = (*key, Half::Key);
                Ok(Next::Enter)
            }
            Some(Level::Pair(_, value, half)) => {
                self.part = *value;
                Ok(if std::mem::replace(half, Half::Value) == Half::Skipped { Next::Skip } else { Next::Enter })
            }
            Some(Level::Row(shape)) => {
                let Shape::Row(parts, _) = shapes.get(*shape) else { return Err(lacks()) };
                self.part = *parts.get(slot).ok_or_else(lacks)?;
                Ok(Next::Enter)
            }
            Some(Level::Arguments(shape, case)) => {
                let Shape::Cases(cases) = shapes.get(*shape) else { return Err(lacks()) };
                self.part = *cases[*case as usize].carries.get(slot).ok_or_else(lacks)?;
                Ok(Next::Enter)
            }
            _ => Err(lacks()),
        }
    }

    fn scalar(&mut self, value: Scalar<'m, '_>, at: Span) -> Result<()> {
        if self.stopped || matches!(self.levels.last(), Some(Level::Constant(_))) {
            return Ok(());
        }
        // The name of a map's entry.
        if let Some(Level::Pair(key, _, half @ Half::Key)) = self.levels.last_mut()
            && let (Shape::Scalar(Fit::Text), Scalar::Text(name)) = (self.shapes.get(*key), value)
        {
            match self.sink.field(Field::named(name), at)? {
                Next::Enter => {}
                Next::Skip => *half = Half::Skipped,
                Next::Stop => self.stopped = true,
            }
            return Ok(());
        }
        let shape = match self.marks(at)? {
            Ok(shape) => shape,
            Err(next) => {
                self.stopped = next == Next::Stop;
                return self.ended();
            }
        };
        let fit = match (shape, shape != NULL) {
            (_, false) => &Fit::Null,
            (shape, _) => match self.shapes.get(shape) {
                Shape::Scalar(fit) => fit,
                _ => return Err(strange(value.kind(), at)),
            },
        };
        let next = match (fit, value) {
            (Fit::Any, Scalar::Bytes(bytes)) => {
                let base = at.end.saturating_sub(bytes.get().len() as u64);
                match bytes {
                    Str::Input(bytes) => emit_any(bytes, base, self.sink, &mut self.budget)?,
                    Str::Scratch(bytes) => emit_any(bytes, base, &mut Copied(self.sink), &mut self.budget)?,
                }
            }
            _ => fit.raise(value, at, self.sink).map(|()| Next::Enter)?,
        };
        self.stopped = next == Next::Stop;
        self.ended()
    }

    fn part(&mut self, part: Part<'_>, at: Span) -> Result<()> {
        self.sink.part(part, at)
    }

    fn close(&mut self, at: Span) -> Result<()> {
        if self.stopped {
            return Ok(());
        }
        match self.levels.pop() {
            Some(Level::Pair(..) | Level::Arguments(..) | Level::Only(_)) => return Ok(()),
            Some(Level::Through(_) | Level::Constant(false)) => {}
            _ => self.sink.close(at)?,
        }
        self.ended()
    }

    fn note(&mut self, note: Note<'_>, at: Span) -> Result<()> {
        self.sink.note(note, at)
    }
}

/// Makes the error of a value of another type than the schema's, such as one of a later version.
#[cold]
fn strange(seen: &'static str, at: Span) -> Error {
    Error::data(ErrorKind::Mismatch, at.start)
        .seen(seen)
        .expected("a value of the type that the schema has there")
        .hint("the message is of another version of the schema, or of another schema")
}

/// Sink of values that do not live as long as the message.
struct Copied<'w, 'm>(&'w mut dyn Sink<'m>);

impl<'s> Sink<'s> for Copied<'_, '_> {
    fn open(&mut self, open: Open<'_>, at: Span) -> Result<Next> {
        self.0.open(open, at)
    }

    fn field(&mut self, field: Field<'s, '_>, at: Span) -> Result<Next> {
        self.0.field(Field { name: field.name.scratch(), id: field.id, slot: field.slot }, at)
    }

    fn scalar(&mut self, value: Scalar<'s, '_>, at: Span) -> Result<()> {
        self.0.scalar(value.scratch(), at)
    }

    fn part(&mut self, part: Part<'_>, at: Span) -> Result<()> {
        self.0.part(part, at)
    }

    fn close(&mut self, at: Span) -> Result<()> {
        self.0.close(at)
    }
}

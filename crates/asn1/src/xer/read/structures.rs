//! SEQUENCE, SET and CHOICE (X.680 25, 27 and 29).

use polywire_core::{Error, ErrorKind, Field, Len, Next, Note, Open, Result, Scalar, Str};

use super::super::markup::{Tag, TagKind, shortened};
use super::{Around, Frame, Walk};
use crate::walk::plan::{Occurrence, Structure};

impl<'m> Walk<'_, 'm> {
    pub(super) fn structure(&mut self, index: u32, around: Around<'m>) -> Result<()> {
        self.budget.enter(self.offset(around.start))?;
        let span = self.span(around.start);
        if !self.open(Open::Record { name: "", len: Len::Unknown }, around, span)? {
            self.budget.leave();
            return Ok(());
        }
        let known = self.plan.structure(index);
        self.keys.enter();
        if known.has_keys && !around.empty {
            self.find_keys(known);
        }
        let seen = self.seen.len();
        self.seen.resize(seen + known.components.len(), false);
        self.members(index, seen, 0, around)
    }

    /// Reads components up to the first whose value is under way.
    pub(super) fn members(&mut self, structure: u32, seen: usize, mut next: u32, around: Around<'m>) -> Result<()> {
        let plan = self.plan;
        let known = plan.structure(structure);
        loop {
            let Some(tag) = self.next_in(around)? else { return self.structure_end(known, seen, around) };
            self.markup.tag()?;
            let Some(index) = known.named(tag.name, next) else {
                self.addition(known, tag)?;
                continue;
            };
            next = index + 1;
            let component = &known.components[index as usize];
            if std::mem::replace(&mut self.seen[seen + index as usize], true) {
                let error = Error::data(ErrorKind::DoubledKey, self.offset(tag.start));
                return Err(error.seen(format!("a second element <{}>", component.name)).expected("one"));
            }
            self.budget.item(self.offset(tag.start))?;
            let field = Field { slot: Some(index), ..Field::named(Str::Scratch(&component.name)) };
            let (inner, span) = (Around::of(tag), self.span(tag.start));
            match self.sink.field(field, span)? {
                Next::Enter => {}
                Next::Skip => {
                    self.skip(inner)?;
                    continue;
                }
                Next::Stop => {
                    self.stopped = true;
                    return Ok(());
                }
            }
            let before = self.frames.len();
            self.frames.push(Frame::Structure { structure, seen, next, around });
            self.value(component.ty, inner)?;
            // A scalar leaves no frame: on with the next component.
            if self.frames.len() > before + 1 || self.stopped {
                return Ok(());
            }
            self.frames.pop();
        }
    }

    /// Reads an element of a later version.
    #[cold]
    fn addition(&mut self, known: &Structure, tag: Tag<'m>) -> Result<()> {
        if !known.extensible {
            let names: Vec<&str> = known.components.iter().take(8).map(|known| &*known.name).collect();
            let more = if known.components.len() > 8 { ", …" } else { "" };
            let error = self.markup.error(tag.start, format!("<{}>", shortened(tag.name)));
            return Err(error.expected(format!("a component: {}{more}", names.join(", "))));
        }
        self.budget.item(self.offset(tag.start))?;
        self.skip(Around::of(tag))?;
        let span = self.span(tag.start);
        self.sink.note(Note::Unknown(&self.markup.text.as_bytes()[tag.start..self.markup.at]), span)
    }

    fn structure_end(&mut self, known: &Structure, seen: usize, around: Around<'m>) -> Result<()> {
        let at = self.markup.at;
        let missing = known.components.iter().zip(&self.seen[seen..]).find(|(component, seen)| {
            // A sender of an earlier version has no additions.
            component.presence == Occurrence::Required && component.addition.is_none() && !**seen
        });
        if let Some((component, _)) = missing {
            let error = self.markup.error(at, format!("the end of <{}>", shortened(around.name)));
            return Err(error.expected(format!("the component `{}` of type {}", component.name, self.plan.shown(component.ty))));
        }
        let span = self.end(around)?;
        self.seen.truncate(seen);
        self.keys.leave();
        self.budget.leave();
        self.sink.close(span)
    }

    pub(super) fn choice(&mut self, index: u32, around: Around<'m>) -> Result<()> {
        let plan = self.plan;
        let choice = plan.choice(index);
        self.budget.enter(self.offset(around.start))?;
        let expected = || {
            let names: Vec<&str> = choice.alternatives.iter().take(8).map(|known| &*known.name).collect();
            let more = if choice.alternatives.len() > 8 { ", …" } else { "" };
            format!("an alternative: {}{more}", names.join(", "))
        };
        if around.empty {
            return Err(self.markup.error(around.start, format!("<{}/>", shortened(around.name))).expected(expected()));
        }
        let tag = self.markup.tag()?;
        let found = if tag.kind == TagKind::End { None } else { choice.named(tag.name) };
        let span = self.span(tag.start);
        let inner = Around::of(tag);
        let Some(found) = found else {
            if tag.kind == TagKind::End || !choice.extensible {
                return Err(self.markup.mismatch(tag, "").expected(expected()));
            }
            return self.later(inner, around);
        };
        let alternative = &choice.alternatives[found as usize];
        if !self.open(Open::Variant { name: &alternative.name, index: found }, inner, span)? {
            self.budget.leave();
            return if self.stopped { Ok(()) } else { self.end(around).map(drop) };
        }
        self.frames.push(Frame::Variant(around));
        self.value(alternative.ty, inner)
    }

    /// Reads an alternative of a later version, whose value is the bytes of its element.
    #[cold]
    fn later(&mut self, inner: Around<'m>, around: Around<'m>) -> Result<()> {
        let span = self.span(inner.start);
        // No other encoding has an alternative of this index.
        if !self.open(Open::Variant { name: inner.name, index: u32::MAX }, inner, span)? {
            self.budget.leave();
            return if self.stopped { Ok(()) } else { self.end(around).map(drop) };
        }
        self.budget.item(self.offset(inner.start))?;
        self.skip(inner)?;
        let span = self.span(inner.start);
        self.sink.scalar(Scalar::Bytes(Str::Input(&self.markup.text.as_bytes()[inner.start..self.markup.at])), span)?;
        self.frames.push(Frame::Variant(around));
        Ok(())
    }
}

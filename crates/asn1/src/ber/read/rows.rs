//! Lists of structures that have no parts with components, as most of a large message is: their
//! values are read in one loop, without a level for each.

use polywire_core::{Field, Len, Next, Note, Open, Result, Scalar, Sink, Str, bytes};

use super::super::header::Head;
use super::{Level, LevelKind, Walk};
use crate::model::TypeId;
use crate::walk::leaf::Leaf;
use crate::walk::octets::{self, Real};
use crate::walk::plan::{Node, Op, Structure};

impl<'m, S: Sink<'m> + ?Sized> Walk<'_, 'm, S> {
    /// Returns the structure of a type whose values are rows.
    #[inline]
    pub(super) fn row_of(&self, node: &Node) -> Option<u32> {
        match node.op {
            Op::Structure(index) if !self.keyed && node.tags.len() == 1 && self.plan.structure(index).is_row => Some(index),
            _ => None,
        }
    }

    /// Reads a list of rows of definite length, without a level as long as its elements have the
    /// form of most.
    pub(super) fn rows(&mut self, ty: TypeId, element: TypeId, index: u32, head: &Head) -> Result<()> {
        self.budget.item(self.offset(head.start))?;
        let next = self.sink.open(Open::List(Len::Unknown), self.span(head.start, head.contents))?;
        if next != Next::Enter {
            self.stop(next);
            self.at = head.end;
            return Ok(());
        }
        self.at = head.contents;
        self.budget.enter(self.offset(self.at))?;
        let around = std::mem::replace(&mut self.limit, head.end);
        let node = self.plan.node(element);
        let mut count = 0u32;
        while self.at < self.limit {
            if !self.row(node, index)? {
                let kind = LevelKind::List { ty, element, set: false, from: 0, to: 0, count };
                self.scratch.levels.push(Level { kind, end: head.end, limit: around });
                return Ok(());
            }
            if self.stopped {
                return Ok(());
            }
            count = count.saturating_add(1);
        }
        self.limit = around;
        self.budget.leave();
        self.sink.close(self.here())
    }

    /// Reads a row. Returns false, and reads nothing, if its head is another one than most rows
    /// have.
    #[inline]
    pub(super) fn row(&mut self, node: &Node, index: u32) -> Result<bool> {
        let kind = self.plan.structure(index);
        let start = self.at;
        let (contents, end) = match self.short(node.octet) {
            Some(end) => (start + 2, end),
            None => {
                let head = self.head()?;
                if head.tag != node.tags[0] || !head.constructed || head.is_indefinite() {
                    return Ok(false);
                }
                (head.contents, head.end)
            }
        };
        self.budget.item(self.offset(start))?;
        let next = self.sink.open(Open::Record { name: "", len: Len::Unknown }, self.span(start, contents))?;
        if next != Next::Enter {
            self.stop(next);
            self.at = end;
            return Ok(true);
        }
        self.at = contents;
        self.budget.enter(self.offset(contents))?;
        let around = std::mem::replace(&mut self.limit, end);
        if self.components(kind)? {
            self.limit = around;
            self.budget.leave();
            self.sink.close(self.here())?;
        }
        Ok(true)
    }

    /// Reads the components of a sequence that come next, as long as they are leaves whose heads
    /// have the form of most. Returns false if the sink has stopped the walk.
    #[inline(always)]
    pub(super) fn leaves(&mut self, kind: &Structure, next: &mut u32) -> Result<bool> {
        while let Some(component) = kind.components.get(*next as usize)
            && let Some(leaf) = component.leaf
            && let Some(end) = self.short(component.octet)
        {
            self.budget.item(self.offset(self.at))?;
            let field = Field { name: Str::Scratch(&component.name), id: None, slot: Some(*next) };
            *next += 1;
            match self.sink.field(field, self.here())? {
                Next::Enter if self.is_plain && self.leaf(leaf, end)? => {}
                Next::Enter => {
                    let head = self.head()?;
                    self.tagged(component.ty, self.plan.node(component.ty), head)?;
                }
                Next::Skip => self.at = end,
                Next::Stop => self.stopped = true,
            }
            if self.stopped {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Reads the components of a row up to its end. Returns false if the sink has stopped the walk.
    #[inline(always)]
    fn components(&mut self, kind: &Structure) -> Result<bool> {
        let plan = self.plan;
        let mut next = 0;
        while self.at < self.limit {
            if !self.leaves(kind, &mut next)? {
                return Ok(false);
            }
            if self.at >= self.limit {
                break;
            }
            let head = self.head()?;
            let Some(index) = self.find(kind, next, head.tag)? else {
                self.addition(kind, next, &head)?;
                continue;
            };
            let component = &kind.components[index as usize];
            next = index + 1;
            self.budget.item(self.offset(self.at))?;
            let field = Field { name: Str::Scratch(&component.name), id: None, slot: Some(index) };
            let answer = self.sink.field(field, self.here())?;
            if answer != Next::Enter {
                self.stop(answer);
                if self.stopped {
                    return Ok(false);
                }
                self.at = self.skipped(&head)?;
                continue;
            }
            self.tagged(component.ty, plan.node(component.ty), head)?;
            if self.stopped {
                return Ok(false);
            }
        }
        self.complete(kind, next, 0)?;
        Ok(true)
    }

    /// Reads an addition of a later version, or refuses the component.
    pub(super) fn addition(&mut self, kind: &Structure, next: u32, head: &Head) -> Result<()> {
        if !kind.extensible {
            return Err(self.no_component(kind, next));
        }
        let end = self.skipped(head)?;
        self.budget.item(self.offset(head.start))?;
        self.sink.note(Note::Unknown(&self.msg[head.start..end]), self.span(head.start, end))?;
        self.at = end;
        Ok(())
    }

    /// Returns the end of the encoding at this place, if it begins with this octet, and a length of
    /// one octet.
    #[inline(always)]
    pub(super) fn short(&self, octet: u16) -> Option<usize> {
        let [first, length, ..] = self.msg.get(self.at..self.limit)? else { return None };
        let end = self.at + 2 + usize::from(*length);
        (u16::from(*first) == octet && *length < 0x80 && end <= self.limit).then_some(end)
    }

    /// Reads the value of a leaf that [`short`](Walk::short) has found, if it has the form of most.
    /// Returns false, and reads nothing, if it has another one.
    #[inline(always)]
    fn leaf(&mut self, leaf: Leaf, end: usize) -> Result<bool> {
        let start = self.at;
        let raw = &self.msg[start + 2..end];
        let scalar = match leaf {
            Leaf::Integer if (1..=8).contains(&raw.len()) => Scalar::int(octets::short(raw)),
            Leaf::Boolean if raw.len() == 1 => Scalar::Bool(raw[0] != 0),
            Leaf::Octets => Scalar::Bytes(Str::Input(raw)),
            Leaf::Utf8 => match bytes::utf8(raw) {
                Some(text) => Scalar::Text(Str::Input(text)),
                None => Scalar::Octets(Str::Input(raw)),
            },
            Leaf::Real => match octets::real(raw) {
                Ok(Real::Float(value)) => Scalar::f64(value),
                _ => return Ok(false),
            },
            _ => return Ok(false),
        };
        self.budget.item(self.offset(start))?;
        self.at = end;
        self.sink.scalar(scalar, self.span(start, end))?;
        Ok(true)
    }
}

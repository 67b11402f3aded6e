//! Lists of structures that have no parts with components, as most of a large message is: their
//! values are read in one loop, without a level for each.

use polywire_core::{Field, Len, Next, Note, Open, Result, Scalar, Sink, Str, bytes};

use super::super::header::Head;
use super::Walk;
use crate::model::StringKind;
use crate::walk::octets::{self, Real};
use crate::walk::plan::{Component, Node, Op, Structure};

impl<'m, S: Sink<'m> + ?Sized> Walk<'_, 'm, S> {
    /// Returns the structure of a type whose values are rows.
    #[inline]
    pub(super) fn row_of(&self, node: &Node) -> Option<u32> {
        match node.op {
            Op::Structure(index) if !self.keyed && node.tags.len() == 1 && self.plan.structure(index).is_row => Some(index),
            _ => None,
        }
    }

    /// Reads a row. Returns false, and reads nothing, if its head is another one than most rows
    /// have.
    pub(super) fn row(&mut self, node: &Node, index: u32) -> Result<bool> {
        let plan = self.plan;
        let head = self.head()?;
        if head.tag != node.tags[0] || !head.constructed || head.is_indefinite() {
            return Ok(false);
        }
        let kind = plan.structure(index);
        self.budget.item(self.offset(head.start))?;
        let next = self.sink.open(Open::Record { name: "", len: Len::Unknown }, self.span(head.start, head.contents))?;
        if next != Next::Enter {
            self.stop(next);
            self.at = head.end;
            return Ok(true);
        }
        self.at = head.contents;
        self.budget.enter(self.offset(self.at))?;
        let around = std::mem::replace(&mut self.limit, head.end);
        if self.components(kind)? {
            self.limit = around;
            self.budget.leave();
            self.sink.close(self.here())?;
        }
        Ok(true)
    }

    /// Reads the components of a row up to its end. Returns false if the sink has stopped the walk.
    #[inline(always)]
    fn components(&mut self, kind: &Structure) -> Result<bool> {
        let plan = self.plan;
        let mut next = 0;
        while self.at < self.limit {
            if let Some(component) = kind.components.get(next as usize)
                && let Some(end) = self.short(component)
            {
                self.budget.item(self.offset(self.at))?;
                let field = Field { name: Str::Scratch(&component.name), id: None, slot: Some(next) };
                next += 1;
                match self.sink.field(field, self.here())? {
                    Next::Enter => {
                        let node = plan.node(component.ty);
                        if !self.is_plain || !self.leaf(node, end)? {
                            let head = self.head()?;
                            self.tagged(component.ty, node, head)?;
                        }
                    }
                    Next::Skip => self.at = end,
                    Next::Stop => self.stopped = true,
                }
                if self.stopped {
                    return Ok(false);
                }
                continue;
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

    /// Returns the end of the encoding at this place, if it is a primitive one of a leaf, with a
    /// tag and a length of one octet each.
    #[inline(always)]
    pub(super) fn short(&self, component: &Component) -> Option<usize> {
        let [first, length, ..] = self.msg.get(self.at..self.limit)? else { return None };
        let end = self.at + 2 + usize::from(*length);
        (u16::from(*first) == component.octet && *length < 0x80 && end <= self.limit).then_some(end)
    }

    /// Reads the value of a leaf that [`short`](Walk::short) has found, if it has the form of most.
    /// Returns false, and reads nothing, if it has another one.
    #[inline(always)]
    pub(super) fn leaf(&mut self, node: &Node, end: usize) -> Result<bool> {
        let start = self.at;
        let raw = &self.msg[start + 2..end];
        let scalar = match node.op {
            Op::Integer if (1..=8).contains(&raw.len()) => Scalar::int(octets::short(raw)),
            Op::Boolean if raw.len() == 1 => Scalar::Bool(raw[0] != 0),
            Op::Octets => Scalar::Bytes(Str::Input(raw)),
            Op::Text(StringKind::Utf8) => match bytes::utf8(raw) {
                Some(text) => Scalar::Text(Str::Input(text)),
                None => Scalar::Octets(Str::Input(raw)),
            },
            Op::Real => match octets::real(raw) {
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

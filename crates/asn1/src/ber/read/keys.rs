//! Values that choose rows of tables, where the sink does not want them.

use polywire_core::{Result, Sink};

use super::Walk;
use crate::ber::Rules;
use crate::ber::header::{self, Head, is_end};
use crate::model::TypeId;
use crate::walk::octets;
use crate::walk::plan::{Choice, Op, Structure};

/// Deepest nesting of structures and choices in a key.
const DEEPEST: u32 = 32;

impl<'m, S: Sink<'m> + ?Sized> Walk<'_, 'm, S> {
    /// Steps over a component that chooses a row, and keeps its contents.
    pub(super) fn skip_key(&mut self, ty: TypeId, head: &Head) -> Result<()> {
        let end = self.skipped(head)?;
        self.keep(ty, head, 0)?;
        self.at = end;
        Ok(())
    }

    /// Keeps the contents of a value that chooses a row, and those of the keys in it. Bytes that
    /// are not of their type are left out: nobody sees them.
    fn keep(&mut self, ty: TypeId, head: &Head, depth: u32) -> Result<()> {
        let node = self.plan.node(ty);
        let is_inner = matches!(node.op, Op::Choice(_) | Op::Open);
        let mut head = *head;
        for _ in 1..node.tags.len() + usize::from(is_inner) {
            if !head.constructed {
                return Ok(());
            }
            head = header::head(self.msg, head.contents, self.limit, self.base, Rules::Basic)?;
        }
        self.keep_contents(ty, &head, depth)
    }

    /// Keeps the contents of a value that chooses a row behind its last tag.
    pub(super) fn keep_contents(&mut self, ty: TypeId, head: &Head, depth: u32) -> Result<()> {
        if !self.keyed || !self.scratch.keys.is_open() || depth > DEEPEST {
            return Ok(());
        }
        let plan = self.plan;
        match plan.node(ty).op {
            Op::Choice(index) => {
                let choice = plan.choice(index);
                choice.tagged(head.tag).map_or(Ok(()), |found| self.keep_choice(choice, found, head, depth))
            }
            Op::Structure(index) if head.constructed => {
                self.scratch.keys.enter();
                let kept = self.keep_components(plan.structure(index), head, depth);
                self.scratch.keys.leave();
                kept
            }
            op if !head.constructed => {
                let raw = &self.msg[head.contents..head.end];
                let raw = match op {
                    Op::Integer | Op::Enumerated(_) => &raw[octets::superfluous(raw)..],
                    Op::Bits(_) => raw.get(1..).unwrap_or_default(),
                    _ => raw,
                };
                self.scratch.keys.put(raw);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    pub(super) fn keep_choice(&mut self, choice: &Choice, found: u32, head: &Head, depth: u32) -> Result<()> {
        if !self.keyed || !self.scratch.keys.is_open() {
            return Ok(());
        }
        self.scratch.keys.put(&[found as u8]);
        self.keep(choice.alternatives[found as usize].ty, head, depth + 1)
    }

    fn keep_components(&mut self, kind: &Structure, head: &Head, depth: u32) -> Result<()> {
        if !kind.has_keys {
            return Ok(());
        }
        let end = self.skipped(head)?;
        let (mut at, mut next) = (head.contents, 0);
        while at < end && !(head.is_indefinite() && is_end(&self.msg[..self.limit], at)) {
            let inner = header::head(self.msg, at, self.limit, self.base, Rules::Basic)?;
            let found = if kind.is_set { kind.tagged(self.plan, inner.tag) } else { self.find(kind, next, inner.tag).unwrap_or_default() };
            if let Some(index) = found {
                next = index + 1;
                if kind.components[index as usize].is_key {
                    self.scratch.keys.begin(index);
                    self.keep(kind.components[index as usize].ty, &inner, depth + 1)?;
                    self.scratch.keys.end();
                }
            }
            at = self.skipped(&inner)?;
        }
        Ok(())
    }
}

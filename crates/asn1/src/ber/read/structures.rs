//! SEQUENCE and SET (X.690 8.9 to 8.11).

use polywire_core::{Error, ErrorKind, Field, Len, Next, Open, Result, Sink, Str};

use super::super::Rules;
use super::super::header::{Head, refused};
use super::{Level, LevelKind, Walk};
use crate::model::TypeId;
use crate::walk::plan::{Component, First, Occurrence, Op, Structure, TagKey};
use crate::walk::raise::bad;

impl<'m, S: Sink<'m> + ?Sized> Walk<'_, 'm, S> {
    pub(super) fn structure(&mut self, ty: TypeId, structure: u32, head: &Head) -> Result<()> {
        let kind = self.plan.structure(structure);
        let seen = self.scratch.seen.len() as u32;
        let level = LevelKind::Structure { structure, next: 0, seen, last: TagKey(0) };
        if self.container(ty, Open::Record { name: "", len: Len::Unknown }, level, head)? {
            if kind.is_set {
                self.scratch.seen.resize(seen as usize + kind.components.len(), false);
            }
            if self.keyed {
                self.scratch.keys.enter();
            }
        }
        Ok(())
    }

    /// Opens a container and enters it. Returns false if the sink skips it.
    #[inline]
    pub(super) fn container(&mut self, ty: TypeId, open: Open<'_>, level: LevelKind, head: &Head) -> Result<bool> {
        if !head.constructed {
            return Err(bad("a primitive encoding", "", self.offset(self.at)).expected(format!("{}, constructed", self.plan.shown(ty))));
        }
        self.budget.item(self.offset(head.start))?;
        let next = self.sink.open(open, self.span(head.start, head.contents))?;
        if next != Next::Enter {
            self.stop(next);
            self.keep_contents(ty, head, 0)?;
            self.at = self.skipped(head)?;
            return Ok(false);
        }
        self.at = head.contents;
        self.push(level, head.end)?;
        Ok(true)
    }

    /// Reads the next components of the innermost structure, up to one that has components of its
    /// own, or to its end.
    pub(super) fn component(&mut self) -> Result<()> {
        self.end_key();
        let Some(&Level { kind: LevelKind::Structure { structure, mut next, seen, mut last }, end, .. }) = self.scratch.levels.last()
        else {
            return Err(Error::internal("a component outside of all structures"));
        };
        let kind = self.plan.structure(structure);
        loop {
            if self.is_plain && !kind.is_set && !self.leaves(kind, &mut next)? {
                return Ok(());
            }
            let octets = if end != Head::INDEFINITE { (self.at >= end).then_some(0) } else { self.ended()? };
            if let Some(octets) = octets {
                return self.structure_end(kind, next, seen, octets);
            }
            let head = self.head()?;
            let found = match kind.components.get(next as usize) {
                _ if kind.is_set => kind.tagged(self.plan, head.tag),
                Some(known) if known.first == First::One(head.tag) => Some(next),
                _ => self.find(kind, next, head.tag)?,
            };
            let Some(index) = found else {
                self.addition(kind, next, &head)?;
                continue;
            };
            let component = &kind.components[index as usize];
            if kind.is_set {
                if std::mem::replace(&mut self.scratch.seen[(seen + index) as usize], true) {
                    let error = Error::data(ErrorKind::DoubledKey, self.offset(self.at));
                    return Err(error.seen(format!("a second component `{}`", component.name)).expected("one"));
                }
                last = self.in_order(component, head.tag, last)?;
            }
            next = index + 1;
            if self.rules != Rules::Basic
                && component.presence == Occurrence::Default
                && let Some(default) = self.defaults.of(structure, index, self.rules)
                && self.msg[self.at..].starts_with(default)
            {
                let seen = format!("`{}` with its default value", component.name);
                return Err(refused(self.rules, seen, "no component, as the default is not written (X.690 11.5)", self.offset(self.at)));
            }
            self.budget.item(self.offset(self.at))?;
            let field = Field { name: Str::Scratch(&component.name), id: None, slot: Some(index) };
            let answer = self.sink.field(field, self.here())?;
            if answer != Next::Enter && !(self.keyed && component.is_key) {
                self.stop(answer);
                self.at = self.skipped(&head)?;
                if self.stopped {
                    return Ok(());
                }
                continue;
            }
            let node = self.plan.node(component.ty);
            if component.leaf.is_some() && !self.keyed && !head.constructed {
                // Nothing is under way behind it: on with the next component.
                self.tagged(component.ty, node, head)?;
                if self.stopped {
                    return Ok(());
                }
                continue;
            }
            if let Some(Level { kind: LevelKind::Structure { next: to, last: behind, .. }, .. }) = self.scratch.levels.last_mut() {
                (*to, *behind) = (next, last);
            }
            if self.keyed && component.is_key {
                self.scratch.keys.begin(index);
                if answer != Next::Enter {
                    self.stop(answer);
                    return self.skip_key(component.ty, &head);
                }
            }
            return match component.first {
                // The tag was compared.
                First::One(_) if node.tags.len() == 1 && !matches!(node.op, Op::Choice(_) | Op::Open) => {
                    self.tagged(component.ty, node, head)
                }
                _ => self.value(component.ty),
            };
        }
    }

    /// Finds the component of a sequence that starts with a tag, from `next` on.
    #[inline]
    pub(super) fn find(&self, kind: &Structure, next: u32, tag: TagKey) -> Result<Option<u32>> {
        let mut missing = None;
        for (component, index) in kind.components[next as usize..].iter().zip(next..) {
            if self.plan.starts(component.first, tag) {
                return match missing {
                    None => Ok(Some(index)),
                    Some(_) => Err(self.no_component(kind, next)),
                };
            }
            if component.presence == Occurrence::Required && component.addition.is_none() {
                missing.get_or_insert(index);
                // A later version may have put an addition in front of it.
                if !kind.extensible {
                    return Ok(None);
                }
            }
        }
        Ok(None)
    }

    /// Checks the order of a set's components (X.690 9.3, 10.3), and returns the tag that the next
    /// one has to follow.
    fn in_order(&self, component: &Component, tag: TagKey, last: TagKey) -> Result<TagKey> {
        if self.rules == Rules::Basic {
            return Ok(last);
        }
        let own = match component.first {
            First::Choice(index) if self.rules == Rules::Canonical => self.plan.choice(index).least(),
            _ => tag,
        };
        if own < last {
            let rule = if self.rules == Rules::Canonical {
                "components in the order of their tags (X.690 9.3)"
            } else {
                "components in the order of their tags (X.690 10.3)"
            };
            return Err(refused(
                self.rules,
                format!("`{}` behind a component of a higher tag", component.name),
                rule,
                self.offset(self.at),
            ));
        }
        Ok(own)
    }

    #[cold]
    pub(super) fn no_component(&self, kind: &Structure, next: u32) -> Error {
        let rest = kind.components.iter().skip(if kind.is_set { 0 } else { next as usize });
        let mut names = Vec::new();
        for component in rest {
            names.push(format!("`{}`", component.name));
            if names.len() == 8 || component.presence == Occurrence::Required && !kind.is_set {
                break;
            }
        }
        match names.is_empty() {
            true => self.unexpected("the end of the components"),
            false => self.unexpected(format!("the component {}", names.join(" or "))),
        }
    }

    /// Checks that no component is missing.
    #[inline]
    pub(super) fn complete(&self, kind: &Structure, next: u32, seen: u32) -> Result<()> {
        if !kind.is_set && next as usize == kind.components.len() {
            return Ok(());
        }
        let is_there = |index: usize| if kind.is_set { self.scratch.seen[seen as usize + index] } else { index < next as usize };
        let missing = |(index, component): &(usize, &Component)| {
            component.presence == Occurrence::Required && component.addition.is_none() && !is_there(*index)
        };
        match kind.components.iter().enumerate().find(missing) {
            None => Ok(()),
            Some((_, component)) => {
                let expected = format!("the component `{}` of type {}", component.name, self.plan.shown(component.ty));
                Err(bad("the end of the components", "", self.offset(self.at)).expected(expected))
            }
        }
    }

    fn structure_end(&mut self, kind: &Structure, next: u32, seen: u32, octets: usize) -> Result<()> {
        self.complete(kind, next, seen)?;
        self.scratch.seen.truncate(seen as usize);
        if self.keyed {
            self.scratch.keys.leave();
        }
        let span = self.span(self.at, self.at + octets);
        self.at += octets;
        self.pop();
        self.sink.close(span)
    }
}

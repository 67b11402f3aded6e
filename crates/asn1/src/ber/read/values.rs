//! Values of all types: their tags, choices, open types, and those without components.

use polywire_core::{Error, ErrorKind, Next, Note, Open, Result, Scalar, Sink, Span, Str};

use super::super::header::Head;
use super::super::{Rules, rules};
use super::shown::shown;
use super::{LevelKind, Walk};
use crate::model::TypeId;
use crate::walk::checks::{self, Outside};
use crate::walk::plan::{Choice, Node, Op, TagKey};
use crate::walk::raise::bad;
use crate::walk::scalars::{self, Contents};
use crate::walk::{meaning, octets};

impl<'m, S: Sink<'m> + ?Sized> Walk<'_, 'm, S> {
    /// Reads a value of a type, or its beginning if it has components.
    pub(super) fn value(&mut self, ty: TypeId) -> Result<()> {
        let node = self.plan.node(ty);
        match &node.tags[..] {
            [] => self.untagged(node),
            [tag] if !matches!(node.op, Op::Choice(_) | Op::Open) => {
                let head = self.head()?;
                if head.tag != *tag {
                    return Err(self.mistagged(ty, head.tag));
                }
                self.tagged(ty, node, head)
            }
            tags => {
                let is_inner = matches!(node.op, Op::Choice(_) | Op::Open);
                let outer = if is_inner { tags.len() } else { tags.len() - 1 };
                for tag in &tags[..outer] {
                    self.explicit(ty, *tag)?;
                }
                if is_inner {
                    return self.untagged(node);
                }
                let head = self.head()?;
                if head.tag != tags[outer] {
                    return Err(self.mistagged(ty, head.tag));
                }
                self.tagged(ty, node, head)
            }
        }
    }

    #[cold]
    fn mistagged(&self, ty: TypeId, tag: TagKey) -> Error {
        let expected = self.plan.node(ty).tags.last().map_or_else(String::new, |own| format!(", {}", shown(*own)));
        bad(shown(tag), "", self.offset(self.at)).expected(format!("{}{expected}", self.plan.shown(ty)))
    }

    /// Enters an explicit tag.
    fn explicit(&mut self, ty: TypeId, tag: TagKey) -> Result<()> {
        let head = self.head()?;
        if head.tag != tag || !head.constructed {
            let seen = if head.constructed { shown(head.tag) } else { format!("{}, primitive", shown(head.tag)) };
            return Err(bad(seen, "", self.offset(self.at)).expected(format!("{} around {}", shown(tag), self.plan.shown(ty))));
        }
        self.sink.note(Note::Frame("tag"), self.span(head.start, head.contents))?;
        self.at = head.contents;
        self.push(LevelKind::Tag, head.end)
    }

    fn untagged(&mut self, node: &Node) -> Result<()> {
        match node.op {
            Op::Choice(index) => self.choice(index),
            _ => self.open(node),
        }
    }

    fn choice(&mut self, index: u32) -> Result<()> {
        let choice = self.plan.choice(index);
        let head = self.head()?;
        self.budget.item(self.offset(self.at))?;
        let Some(found) = choice.tagged(head.tag) else {
            if !choice.extensible {
                let names: Vec<&str> = choice.alternatives.iter().take(8).map(|known| &*known.name).collect();
                return Err(self.unexpected(format!("an alternative: {}", names.join(", "))));
            }
            let end = self.skipped(&head)?;
            let index = u32::try_from(head.tag.number()).unwrap_or(u32::MAX);
            if self.sink.open(Open::Variant { name: "", index }, self.here()).map(|next| self.stop(next))? == Next::Enter {
                self.sink.scalar(Scalar::Bytes(Str::Input(&self.msg[head.start..end])), self.span(head.start, end))?;
                self.sink.close(self.span(end, end))?;
            }
            self.at = end;
            return Ok(());
        };
        self.chosen(choice, found, &head)
    }

    /// Opens a choice with an alternative, and reads its value.
    pub(super) fn chosen(&mut self, choice: &Choice, found: u32, head: &Head) -> Result<()> {
        let alternative = &choice.alternatives[found as usize];
        let next = self.sink.open(Open::Variant { name: &alternative.name, index: found }, self.here())?;
        if self.stop(next) != Next::Enter {
            self.keep_choice(choice, found, head, 0)?;
            self.at = self.skipped(head)?;
            return Ok(());
        }
        if self.keyed && self.scratch.keys.is_open() {
            self.scratch.keys.put(&[found as u8]);
        }
        self.push(LevelKind::Choice, Head::INDEFINITE)?;
        self.value(alternative.ty)
    }

    /// Reads an open type: a value if a table has its type, else the bytes of an encoding.
    fn open(&mut self, node: &Node) -> Result<()> {
        if self.keyed
            && let Some(ty) = self.scratch.keys.resolve(self.plan, node)
            && !self.is_closed(self.at)?
        {
            self.push(LevelKind::Open { from: self.at }, Head::INDEFINITE)?;
            return self.value(ty);
        }
        let head = self.head()?;
        self.budget.item(self.offset(self.at))?;
        let end = self.skipped(&head)?;
        self.sink.scalar(Scalar::Bytes(Str::Input(&self.msg[head.start..end])), self.span(head.start, end))?;
        self.at = end;
        Ok(())
    }

    /// Reads the value of a type behind its last tag.
    #[inline]
    pub(super) fn tagged(&mut self, ty: TypeId, node: &Node, head: Head) -> Result<()> {
        match node.op {
            Op::Structure(structure) => self.structure(ty, structure, &head),
            Op::List(element) => self.list(ty, element, &head),
            Op::Octets | Op::Bits(_) | Op::Text(_) => self.string(ty, node, &head),
            op => {
                if head.constructed {
                    return Err(self.constructed(ty));
                }
                let raw = &self.msg[head.contents..head.end];
                self.strict(op, raw, 0, head.contents)?;
                if self.checked && node.constrained {
                    self.check(checks::scalar(self.plan, ty, raw, 0), head.start)?;
                }
                if self.guesses && matches!(op, Op::Oid | Op::Integer) {
                    self.meaning(ty, raw, &head)?;
                }
                self.scalar(op, raw, &head)
            }
        }
    }

    /// Returns whether the value at a place is left as octets, and notes why.
    #[inline]
    pub(super) fn is_closed(&mut self, at: usize) -> Result<bool> {
        let Some(closed) = self.closed.iter().find(|closed| closed.at == at) else { return Ok(false) };
        if self.guesses {
            self.sink.note(Note::Meaning(&closed.reason), Span::NONE)?;
        }
        Ok(true)
    }

    /// Refuses a value outside of a constraint, or notes that it is.
    #[inline]
    pub(super) fn check(&mut self, outside: Option<Outside>, at: usize) -> Result<()> {
        let Some(Outside { seen, expected }) = outside else { return Ok(()) };
        if self.refuses {
            let error = Error::data(ErrorKind::Range, self.offset(at)).seen(seen).expected(expected);
            return Err(error.hint("the schema's constraint forbids it: the sender may have another version of the schema"));
        }
        self.sink.note(Note::Meaning(&format!("{seen} is outside of the module's {expected}")), Span::NONE)
    }

    /// Notes the meaning of a value.
    #[cold]
    pub(super) fn meaning(&mut self, ty: TypeId, raw: &[u8], head: &Head) -> Result<()> {
        let span = self.span(head.start, head.end);
        meaning::note(self.plan, ty, raw, span, self.sink, &mut self.scratch.text)
    }

    #[cold]
    fn constructed(&self, ty: TypeId) -> Error {
        bad("a constructed encoding", "", self.offset(self.at)).expected(format!("{}, primitive", self.plan.shown(ty)))
    }

    /// Checks the restrictions of DER and CER.
    #[inline]
    pub(super) fn strict(&self, op: Op, raw: &[u8], unused: u8, at: usize) -> Result<()> {
        if self.rules == Rules::Basic {
            return Ok(());
        }
        rules::check(self.plan, op, raw, unused, self.offset(at), self.rules)
    }

    #[inline]
    pub(super) fn scalar(&mut self, op: Op, raw: &'m [u8], head: &Head) -> Result<()> {
        if self.keyed && self.scratch.keys.is_open() {
            self.scratch.keys.put(if matches!(op, Op::Integer | Op::Enumerated(_)) { &raw[octets::superfluous(raw)..] } else { raw });
        }
        self.budget.item(self.offset(head.start))?;
        let contents = Contents { octets: Str::Input(raw), bits: 0, at: self.offset(head.contents), span: self.span(head.start, head.end) };
        self.at = head.end;
        scalars::emit(self.plan, op, contents, self.sink, self.budget, &mut self.scratch.text)?;
        Ok(())
    }
}

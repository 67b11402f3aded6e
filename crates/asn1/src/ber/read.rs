//! Encodings of a known type to events.

mod keys;
mod rows;

use std::sync::Arc;

use polywire_core::{Budget, Error, ErrorKind, Field, Frame, Len, Needs, Next, Note, Open, Reader, Result, Scalar, Sink, Span, Str};

use super::frame::Framer;
use super::header::{Head, head, is_end, refused};
use super::write::Defaults;
use super::{Rules, rules};
use crate::model::{Kind, StringKind, TypeId};
use crate::walk::checks::{self, Checks, Outside};
use crate::walk::keys::Keys;
use crate::walk::plan::{Choice, Component, First, Node, Occurrence, Op, Plan, Structure, TagKey};
use crate::walk::raise::bad;
use crate::walk::scalars::{self, Contents};
use crate::walk::{meaning, octets};

/// Reads messages of one type, in BER, DER or CER.
#[derive(Debug)]
pub struct BerReader {
    plan: Arc<Plan>,
    defaults: Arc<Defaults>,
    rules: Rules,
    framer: Framer,
    scratch: Scratch,
    checks: Checks,
    /// Alternative of the root type, if the caller knows it.
    alternative: Option<u32>,
    /// Open types and strings whose values do not follow their types: they are left as they are.
    closed: Vec<Closed>,
    /// Place of the innermost open type or string with a value that the last walk was in when it
    /// failed.
    failed_in: Option<usize>,
}

/// Value that is left as octets.
#[derive(Debug, Clone)]
pub(crate) struct Closed {
    /// Place in the message.
    pub at: usize,
    /// Reason, for people.
    pub reason: String,
}

/// Memory of a reader, from message to message.
#[derive(Debug, Default)]
struct Scratch {
    levels: Vec<Level>,
    text: String,
    octets: Vec<u8>,
    /// Components that the open sets have so far, innermost last.
    seen: Vec<bool>,
    keys: Keys,
}

/// Open encoding.
#[derive(Debug, Clone, Copy)]
struct Level {
    kind: LevelKind,
    /// Place behind its contents, or [`Head::INDEFINITE`].
    end: usize,
    /// Limit of the encoding around.
    limit: usize,
}

#[derive(Debug, Clone, Copy)]
enum LevelKind {
    /// Explicit tag.
    Tag,
    /// SEQUENCE or SET.
    Structure {
        structure: u32,
        /// Index of the next component.
        next: u32,
        /// Start of its part of `seen`.
        seen: u32,
        /// Tag of the last component, for the order of DER and CER.
        last: TagKey,
    },
    /// SEQUENCE OF or SET OF, with the place of the element before.
    List { ty: TypeId, element: TypeId, set: bool, from: usize, to: usize, count: u32 },
    /// CHOICE, which has no bytes of its own.
    Choice,
    /// Open type, which has none either, from this place on.
    Open { from: usize },
    /// Value in a string, which begins at this place.
    Contents { from: usize },
}

impl BerReader {
    /// Makes a reader of messages of the plan's root type.
    pub fn new(plan: Arc<Plan>, defaults: Arc<Defaults>, rules: Rules) -> BerReader {
        BerReader {
            plan,
            defaults,
            rules,
            framer: Framer::default(),
            scratch: Scratch::default(),
            checks: Checks::Remark,
            alternative: None,
            closed: Vec::new(),
            failed_in: None,
        }
    }

    /// Sets the treatment of values outside of constraints.
    #[must_use]
    pub fn checks(mut self, checks: Checks) -> BerReader {
        self.checks = checks;
        self
    }

    /// Sets the alternative of the plan's root, a CHOICE, that the next message has: no tag
    /// decides.
    pub(crate) fn alternative(&mut self, index: u32) -> &mut BerReader {
        self.alternative = Some(index);
        self
    }

    /// Sets the values of the next messages that are left as octets.
    pub(crate) fn close(&mut self, closed: Vec<Closed>) {
        self.closed = closed;
    }

    /// Returns the values that are left as octets.
    pub(crate) fn closed(&self) -> &[Closed] {
        &self.closed
    }

    /// Leaves one more value as octets: the innermost one in an open type or string that the last
    /// walk failed in, for this reason. Returns false if there was none.
    pub(crate) fn close_failed(&mut self, reason: String) -> bool {
        let Some(at) = self.failed_in.take() else { return false };
        self.closed.push(Closed { at, reason });
        true
    }

    /// Walks a message as [`Reader::walk`] does, for a sink whose type is known at compile time.
    ///
    /// # Errors
    /// Errors of the sink, and mistakes in the message.
    pub fn walk_into<'m, S: Sink<'m> + ?Sized>(&mut self, msg: &'m [u8], base: u64, sink: &mut S, budget: &mut Budget) -> Result<()> {
        let scratch = &mut self.scratch;
        scratch.levels.clear();
        scratch.seen.clear();
        scratch.keys.clear();
        let keyed = !self.plan.tables.is_empty();
        let guesses = sink.needs().has(Needs::GUESSES);
        let alternative = self.alternative.take();
        let mut walk = Walk {
            plan: &self.plan,
            defaults: &self.defaults,
            rules: self.rules,
            msg,
            base,
            sink,
            budget,
            scratch,
            at: 0,
            limit: msg.len(),
            keyed,
            guesses,
            refuses: self.checks == Checks::Refuse,
            checked: guesses || self.checks == Checks::Refuse,
            is_plain: self.rules == Rules::Basic && !keyed && !guesses && self.checks == Checks::Remark,
            closed: &self.closed,
            stopped: false,
        };
        let walked = walk.run(alternative);
        if walked.is_err() {
            let inner = |level: &Level| match level.kind {
                LevelKind::Contents { from } | LevelKind::Open { from } => Some(from),
                _ => None,
            };
            self.failed_in = self.scratch.levels.iter().rev().find_map(inner);
        }
        walked.map_err(|error| error.format_is(self.rules.name()))
    }
}

impl Reader for BerReader {
    fn frame(&mut self, buf: &[u8], base: u64, eof: bool) -> Result<Frame> {
        self.framer.frame(buf, base, eof).map_err(|error| error.format_is(self.rules.name()))
    }

    fn walk<'m>(&mut self, msg: &'m [u8], base: u64, sink: &mut dyn Sink<'m>, budget: &mut Budget) -> Result<()> {
        self.walk_into(msg, base, sink, budget)
    }

    fn has_unique_keys(&self) -> bool {
        true
    }
}

struct Walk<'w, 'm, S: ?Sized> {
    plan: &'w Plan,
    defaults: &'w Defaults,
    rules: Rules,
    msg: &'m [u8],
    base: u64,
    sink: &'w mut S,
    budget: &'w mut Budget,
    scratch: &'w mut Scratch,
    /// Place in the message.
    at: usize,
    /// End of the innermost encoding of definite length.
    limit: usize,
    /// True if there are open types that tables resolve.
    keyed: bool,
    /// The sink shows the meaning of values.
    guesses: bool,
    /// Values outside of constraints are errors.
    refuses: bool,
    /// Constraints are looked at.
    checked: bool,
    /// Values without components are read as they come: nothing is checked, shown, or kept as a
    /// key.
    is_plain: bool,
    /// Values that are left as octets.
    closed: &'w [Closed],
    /// The sink has stopped the walk.
    stopped: bool,
}

impl<'m, S: Sink<'m> + ?Sized> Walk<'_, 'm, S> {
    fn run(&mut self, alternative: Option<u32>) -> Result<()> {
        match (alternative, self.plan.node(self.plan.root).op) {
            (Some(index), Op::Choice(choice)) => {
                let head = self.head()?;
                self.budget.item(self.offset(0))?;
                self.chosen(self.plan.choice(choice), index, &head)?;
            }
            _ => self.value(self.plan.root)?,
        }
        while !self.stopped
            && let Some(level) = self.scratch.levels.last()
        {
            match level.kind {
                LevelKind::Structure { .. } => self.component()?,
                LevelKind::List { .. } => self.element()?,
                LevelKind::Choice => {
                    self.pop();
                    self.end_key();
                    self.sink.close(self.here())?;
                }
                LevelKind::Open { .. } => self.pop(),
                LevelKind::Tag => match self.ended()? {
                    Some(octets) => {
                        if octets > 0 {
                            self.sink.note(Note::Frame("end of contents"), self.span(self.at, self.at + octets))?;
                        }
                        self.at += octets;
                        self.pop();
                    }
                    None => return Err(self.unexpected("the end of a tagged value")),
                },
                LevelKind::Contents { .. } => match self.ended()? {
                    Some(_) => self.pop(),
                    None => return Err(self.unexpected("the end of the string around the value")),
                },
            }
        }
        if !self.stopped && self.at < self.msg.len() {
            return Err(Error::data(ErrorKind::Trailing, self.offset(self.at))
                .seen(format!("{} bytes behind the value", self.msg.len() - self.at))
                .expected("the end of the message"));
        }
        Ok(())
    }

    #[inline]
    fn offset(&self, at: usize) -> u64 {
        self.base + at as u64
    }

    #[inline]
    fn span(&self, start: usize, end: usize) -> Span {
        Span::at(self.base, start, end)
    }

    /// Returns the empty span at this place.
    #[inline]
    fn here(&self) -> Span {
        self.span(self.at, self.at)
    }

    #[inline(always)]
    fn head(&self) -> Result<Head> {
        head(self.msg, self.at, self.limit, self.base, self.rules)
    }

    #[cold]
    fn unexpected(&self, expected: impl Into<std::borrow::Cow<'static, str>>) -> Error {
        let seen = match self.head() {
            Ok(head) => shown(head.tag),
            Err(error) => return error,
        };
        bad(seen, "", self.offset(self.at)).expected(expected)
    }

    /// Enters an encoding whose contents begin at this place.
    #[inline]
    fn push(&mut self, kind: LevelKind, end: usize) -> Result<()> {
        self.budget.enter(self.base + self.at as u64)?;
        self.scratch.levels.push(Level { kind, end, limit: self.limit });
        if end != Head::INDEFINITE {
            self.limit = end;
        }
        Ok(())
    }

    #[inline]
    fn pop(&mut self) {
        if let Some(level) = self.scratch.levels.pop() {
            self.limit = level.limit;
            self.budget.leave();
        }
    }

    /// Returns the number of octets that end the innermost encoding, if it ends here.
    #[inline]
    fn ended(&self) -> Result<Option<usize>> {
        let Some(level) = self.scratch.levels.last() else { return Ok(None) };
        if level.end != Head::INDEFINITE {
            return Ok((self.at >= level.end).then_some(0));
        }
        if is_end(&self.msg[..self.limit], self.at) {
            return Ok(Some(2));
        }
        if self.at >= self.limit {
            return Err(Error::truncated(self.offset(self.at), "end-of-contents octets"));
        }
        Ok(None)
    }

    #[inline]
    fn end_key(&mut self) {
        if self.keyed && self.scratch.keys.is_open() {
            self.scratch.keys.end();
        }
    }

    /// Reads a value of a type, or its beginning if it has components.
    fn value(&mut self, ty: TypeId) -> Result<()> {
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
    fn chosen(&mut self, choice: &Choice, found: u32, head: &Head) -> Result<()> {
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

    /// Notes that a sink has stopped the walk.
    #[inline]
    fn stop(&mut self, next: Next) -> Next {
        self.stopped |= next == Next::Stop;
        next
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
    fn tagged(&mut self, ty: TypeId, node: &Node, head: Head) -> Result<()> {
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
    fn is_closed(&mut self, at: usize) -> Result<bool> {
        let Some(closed) = self.closed.iter().find(|closed| closed.at == at) else { return Ok(false) };
        if self.guesses {
            self.sink.note(Note::Meaning(&closed.reason), Span::NONE)?;
        }
        Ok(true)
    }

    /// Refuses a value outside of a constraint, or notes that it is.
    #[inline]
    fn check(&mut self, outside: Option<Outside>, at: usize) -> Result<()> {
        let Some(Outside { seen, expected }) = outside else { return Ok(()) };
        if self.refuses {
            let error = Error::data(ErrorKind::Range, self.offset(at)).seen(seen).expected(expected);
            return Err(error.hint("the schema's constraint forbids it: the sender may have another version of the schema"));
        }
        self.sink.note(Note::Meaning(&format!("{seen} is outside of the module's {expected}")), Span::NONE)
    }

    /// Notes the meaning of a value.
    #[cold]
    fn meaning(&mut self, ty: TypeId, raw: &[u8], head: &Head) -> Result<()> {
        let span = self.span(head.start, head.end);
        meaning::note(self.plan, ty, raw, span, self.sink, &mut self.scratch.text)
    }

    #[cold]
    fn constructed(&self, ty: TypeId) -> Error {
        bad("a constructed encoding", "", self.offset(self.at)).expected(format!("{}, primitive", self.plan.shown(ty)))
    }

    /// Checks the restrictions of DER and CER.
    #[inline]
    fn strict(&self, op: Op, raw: &[u8], unused: u8, at: usize) -> Result<()> {
        if self.rules == Rules::Basic {
            return Ok(());
        }
        rules::check(self.plan, op, raw, unused, self.offset(at), self.rules)
    }

    #[inline]
    fn scalar(&mut self, op: Op, raw: &'m [u8], head: &Head) -> Result<()> {
        if self.keyed && self.scratch.keys.is_open() {
            self.scratch.keys.put(if matches!(op, Op::Integer | Op::Enumerated(_)) { &raw[octets::superfluous(raw)..] } else { raw });
        }
        self.budget.item(self.offset(head.start))?;
        let contents = Contents { octets: Str::Input(raw), bits: 0, at: self.offset(head.contents), span: self.span(head.start, head.end) };
        self.at = head.end;
        scalars::emit(self.plan, op, contents, self.sink, self.budget, &mut self.scratch.text)?;
        Ok(())
    }

    fn structure(&mut self, ty: TypeId, structure: u32, head: &Head) -> Result<()> {
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

    fn list(&mut self, ty: TypeId, element: TypeId, head: &Head) -> Result<()> {
        if self.is_plain
            && head.constructed
            && !head.is_indefinite()
            && let Some(index) = self.row_of(self.plan.node(element))
        {
            return self.rows(ty, element, index, head);
        }
        let set = self.rules != Rules::Basic && matches!(self.plan.model().ty(ty).kind, Kind::SetOf(_));
        let level = LevelKind::List { ty, element, set, from: 0, to: 0, count: 0 };
        self.container(ty, Open::List(Len::Unknown), level, head).map(|_| ())
    }

    /// Opens a container and enters it. Returns false if the sink skips it.
    #[inline]
    fn container(&mut self, ty: TypeId, open: Open<'_>, level: LevelKind, head: &Head) -> Result<bool> {
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
    fn component(&mut self) -> Result<()> {
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
    fn find(&self, kind: &Structure, next: u32, tag: TagKey) -> Result<Option<u32>> {
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
    fn no_component(&self, kind: &Structure, next: u32) -> Error {
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
    fn complete(&self, kind: &Structure, next: u32, seen: u32) -> Result<()> {
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

    /// Reads the next element of the innermost list, all rows that come, or its end.
    fn element(&mut self) -> Result<()> {
        let Some(&Level { kind: LevelKind::List { ty, element, set, from, to, mut count }, end, .. }) = self.scratch.levels.last() else {
            return Err(Error::internal("an element outside of all lists"));
        };
        if set && to > from {
            self.sorted(from, to)?;
        }
        if !set && let Some(index) = self.row_of(self.plan.node(element)) {
            while self.at < end.min(self.limit) && !(end == Head::INDEFINITE && is_end(self.msg, self.at)) {
                if !self.row(self.plan.node(element), index)? {
                    break;
                }
                if self.stopped {
                    return Ok(());
                }
                count = count.saturating_add(1);
            }
        }
        if let Some(octets) = self.ended()? {
            if self.checked && self.plan.node(ty).constrained {
                let outside = checks::size(&self.plan.model().ty(ty).constraints, u64::from(count));
                self.check(outside, self.at)?;
            }
            let span = self.span(self.at, self.at + octets);
            self.at += octets;
            self.pop();
            return self.sink.close(span);
        }
        if let Some(Level { kind: LevelKind::List { count: known, .. }, .. }) = self.scratch.levels.last_mut() {
            *known = count.saturating_add(1);
        }
        if set && let Some(Level { kind: LevelKind::List { from: before, to: start, .. }, .. }) = self.scratch.levels.last_mut() {
            // The element before, up to this one.
            (*before, *start) = (to.max(*before), self.at);
            if to == 0 {
                *before = self.at;
            }
        }
        self.value(element)
    }

    /// Checks that an element at `to` does not sort before the one at `from` (X.690 11.6).
    fn sorted(&self, from: usize, to: usize) -> Result<()> {
        if self.at <= to || self.msg[from..to] <= self.msg[to..self.at] {
            return Ok(());
        }
        let rule = "elements in the order of their encodings (X.690 11.6)";
        Err(refused(self.rules, "an element that sorts before the one in front", rule, self.offset(to)))
    }

    /// Reads a string, which may have a value in it.
    fn string(&mut self, ty: TypeId, node: &Node, head: &Head) -> Result<()> {
        if head.constructed {
            return self.segmented(ty, node, head);
        }
        if self.rules == Rules::Canonical && head.end - head.contents > SEGMENT + usize::from(matches!(node.op, Op::Bits(_))) {
            let seen = format!("a primitive string of {} octets", head.end - head.contents);
            return Err(refused(self.rules, seen, "segments of 1000 octets (X.690 9.2)", self.offset(head.start)));
        }
        let raw = &self.msg[head.contents..head.end];
        let (raw, unused, start) = match node.op {
            Op::Bits(_) => {
                let (raw, unused) = self.unused(raw, head.contents)?;
                (raw, unused, head.contents + 1)
            }
            _ => (raw, 0, head.contents),
        };
        self.strict(node.op, raw, unused, head.contents)?;
        if unused == 0
            && let Some(inner) = self.scratch.keys.contents(self.plan, node)
            && !self.is_closed(head.start)?
        {
            self.sink.note(Note::Frame("string around a value"), self.span(head.start, start))?;
            self.at = start;
            self.push(LevelKind::Contents { from: head.start }, head.end)?;
            return self.value(inner);
        }
        if self.keyed && self.scratch.keys.is_open() {
            self.scratch.keys.put(raw);
        }
        self.budget.item(self.offset(head.start))?;
        let bits = raw.len() as u64 * 8 - u64::from(unused);
        if self.checked && node.constrained {
            self.check(checks::scalar(self.plan, ty, raw, bits), head.start)?;
        }
        if self.guesses && node.meaning.is_some() {
            self.meaning(ty, raw, head)?;
        }
        let contents = Contents { octets: Str::Input(raw), bits, at: self.offset(start), span: self.span(head.start, head.end) };
        self.at = head.end;
        let goes_on = scalars::emit(self.plan, node.op, contents, self.sink, self.budget, &mut self.scratch.text)?;
        self.stopped |= !goes_on;
        Ok(())
    }

    /// Returns the octets of a bit string behind the number of its unused bits, and that number.
    fn unused(&self, raw: &'m [u8], at: usize) -> Result<(&'m [u8], u8)> {
        match raw {
            [0, ..] | [1..=7, _, ..] => Ok((&raw[1..], raw[0])),
            [first, ..] => Err(bad(format!("{first} unused bits"), "at most 7, and none without octets (X.690 8.6.2)", self.offset(at))),
            [] => Err(bad("a BIT STRING without contents octets", "the number of unused bits (X.690 8.6.2)", self.offset(at))),
        }
    }

    /// Reads a string in segments (X.690 8.6.4, 8.7.3, 8.23.6).
    fn segmented(&mut self, ty: TypeId, node: &Node, head: &Head) -> Result<()> {
        if self.rules == Rules::Distinguished {
            return Err(refused(self.rules, "a string in segments", "one primitive encoding (X.690 10.2)", self.offset(head.start)));
        }
        let mut octets = std::mem::take(&mut self.scratch.octets);
        octets.clear();
        let joined = self.join(ty, node, head, &mut octets);
        let emitted = joined.and_then(|(end, unused)| {
            self.strict(node.op, &octets, unused, head.contents)?;
            if self.rules == Rules::Canonical && octets.len() <= SEGMENT {
                let seen = format!("segments of a string of {} octets", octets.len());
                return Err(refused(self.rules, seen, "one primitive encoding (X.690 9.2)", self.offset(head.start)));
            }
            if self.keyed && self.scratch.keys.is_open() {
                self.scratch.keys.put(&octets);
            }
            self.budget.item(self.offset(head.start))?;
            let bits = octets.len() as u64 * 8 - u64::from(unused);
            if self.checked && node.constrained {
                self.check(checks::scalar(self.plan, ty, &octets, bits), head.start)?;
            }
            let contents =
                Contents { octets: Str::Scratch(&octets), bits, at: self.offset(head.contents), span: self.span(head.start, end) };
            self.at = end;
            scalars::emit(self.plan, node.op, contents, self.sink, self.budget, &mut self.scratch.text)
        });
        self.scratch.octets = octets;
        self.stopped |= !emitted?;
        Ok(())
    }

    /// Joins the segments of a string. Returns the place behind them, and the number of unused
    /// bits.
    fn join(&mut self, ty: TypeId, node: &Node, head: &Head, octets: &mut Vec<u8>) -> Result<(usize, u8)> {
        let is_bits = matches!(node.op, Op::Bits(_));
        let wanted = TagKey::new(0, if is_bits { 3 } else { 4 });
        let own = match node.op {
            Op::Text(kind) => TagKey::new(0, kind.tag()),
            _ => wanted,
        };
        let mut unused = 0;
        let mut ends = vec![(head.end, self.limit)];
        let mut limit = head.end.min(self.limit);
        let mut at = head.contents;
        let mut full = true;
        self.budget.enter(self.offset(at))?;
        while let Some(&(end, around)) = ends.last() {
            let closed = match end {
                Head::INDEFINITE if is_end(&self.msg[..limit], at) => Some(2),
                Head::INDEFINITE if at >= limit => return Err(Error::truncated(self.offset(at), "end-of-contents octets")),
                Head::INDEFINITE => None,
                end => (at >= end).then_some(0),
            };
            if let Some(octets) = closed {
                at += octets;
                ends.pop();
                limit = around;
                self.budget.leave();
                continue;
            }
            let inner = super::header::head(self.msg, at, limit, self.base, self.rules)?;
            self.budget.item(self.offset(at))?;
            if inner.tag != wanted && inner.tag != own || inner.constructed && self.rules == Rules::Canonical {
                return Err(bad(shown(inner.tag), "", self.offset(at)).expected(format!("a segment of {}", self.plan.shown(ty))));
            }
            if inner.constructed {
                self.budget.enter(self.offset(at))?;
                ends.push((inner.end, limit));
                limit = inner.end.min(limit);
                at = inner.contents;
                continue;
            }
            let mut raw = &self.msg[inner.contents..inner.end];
            if is_bits {
                if unused > 0 {
                    return Err(bad(
                        "a segment behind one with unused bits",
                        "unused bits in the last alone (X.690 8.6.4)",
                        self.offset(at),
                    ));
                }
                (raw, unused) = self.unused(raw, inner.contents)?;
            }
            if self.rules == Rules::Canonical && (!full || raw.len() > SEGMENT || raw.is_empty()) {
                return Err(refused(self.rules, "a segment of another size", "segments of 1000 octets (X.690 9.2)", self.offset(at)));
            }
            full = raw.len() == SEGMENT;
            self.budget.decode(raw.len() as u64, self.offset(at))?;
            octets.extend_from_slice(raw);
            at = inner.end;
        }
        Ok((at, unused))
    }

    /// Returns the place behind an encoding, whose contents are stepped over.
    fn skipped(&mut self, head: &Head) -> Result<usize> {
        if !head.is_indefinite() {
            return Ok(head.end);
        }
        let (mut at, mut open) = (head.contents, 1u64);
        while open > 0 {
            if is_end(&self.msg[..self.limit], at) {
                at += 2;
                open -= 1;
                continue;
            }
            let inner = super::header::head(self.msg, at, self.limit, self.base, Rules::Basic)?;
            at = if inner.is_indefinite() {
                open += 1;
                if open > u64::from(self.budget.limits().depth) {
                    return Err(self.budget.too_deep(self.offset(at)));
                }
                inner.contents
            } else {
                inner.end
            };
        }
        Ok(at)
    }
}

/// Octets of a segment of CER (X.690 9.2).
pub(super) const SEGMENT: usize = 1000;

/// Returns a tag for people, as ASN.1 writes it.
pub(super) fn shown(tag: TagKey) -> String {
    let number = tag.number();
    match tag.class() {
        0 => match name(number) {
            Some(name) => name.to_string(),
            None => format!("[UNIVERSAL {number}]"),
        },
        1 => format!("[APPLICATION {number}]"),
        2 => format!("[{number}]"),
        _ => format!("[PRIVATE {number}]"),
    }
}

/// Returns the type of a universal tag (X.680 8.4).
fn name(number: u64) -> Option<&'static str> {
    Some(match number {
        1 => "BOOLEAN",
        2 => "INTEGER",
        3 => "BIT STRING",
        4 => "OCTET STRING",
        5 => "NULL",
        6 => "OBJECT IDENTIFIER",
        8 => "EXTERNAL",
        9 => "REAL",
        10 => "ENUMERATED",
        16 => "SEQUENCE",
        17 => "SET",
        _ => {
            return [
                StringKind::ObjectDescriptor,
                StringKind::Utf8,
                StringKind::Numeric,
                StringKind::Printable,
                StringKind::Teletex,
                StringKind::Ia5,
                StringKind::UtcTime,
                StringKind::GeneralizedTime,
                StringKind::Graphic,
                StringKind::Visible,
                StringKind::General,
                StringKind::Universal,
                StringKind::Bmp,
            ]
            .iter()
            .find(|kind| kind.tag() == number)
            .map(|kind| kind.keyword());
        }
    })
}

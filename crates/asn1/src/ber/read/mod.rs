//! Encodings of a known type to events.

mod keys;
mod lists;
mod rows;
mod shown;
mod strings;
mod structures;
mod values;

use std::sync::Arc;

use polywire_core::{Budget, Error, ErrorKind, Frame, Needs, Next, Note, Reader, Result, Sink, Span};

use self::shown::shown;
pub(super) use self::strings::SEGMENT;
use super::Rules;
use super::frame::Framer;
use super::header::{self, Head, is_end};
use super::write::Defaults;
use crate::model::TypeId;
use crate::walk::checks::Checks;
use crate::walk::keys::Keys;
use crate::walk::plan::{Op, Plan, TagKey};
use crate::walk::raise::bad;

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
        header::head(self.msg, self.at, self.limit, self.base, self.rules)
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

    /// Notes that a sink has stopped the walk.
    #[inline]
    fn stop(&mut self, next: Next) -> Next {
        self.stopped |= next == Next::Stop;
        next
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
            let inner = header::head(self.msg, at, self.limit, self.base, Rules::Basic)?;
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

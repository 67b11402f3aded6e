//! Starts and ends of messages and lists.

use polywire_core::{Error, Next, Result, Span};

use super::course::Course;
use super::state::{Body, Bounds, Flow, LevelKind, NONE, Walk, WalkLevel};
use super::survey::in_order;
use super::visit::{Inner, Visitor};
use crate::plan::{Field, Message};
use crate::wire::WireType;

impl<'m, V: Visitor<'m> + ?Sized> Walk<'_, 'm, V> {
    /// Starts a message that the bytes `head` announce.
    #[inline(always)]
    fn start(&mut self, ty: &Message, head: (usize, usize)) -> Result<Next> {
        let at = self.span(head.0, head.1);
        self.budget.item(at.start)?;
        self.budget.enter(at.start)?;
        let next = self.visitor.message(ty, at)?;
        if next == Next::Skip {
            self.budget.leave();
        }
        Ok(next)
    }

    /// Does as [`Walk::open`], for a field's value in a message that is visited as it stands.
    #[inline(always)]
    pub(super) fn open_inside(&mut self, message: u32, body: Body, head: (usize, usize), close: (usize, usize)) -> Result<Flow> {
        let plan = self.plan;
        let ty = plan.message(message);
        let Body::Whole(at, end) = body else { return self.open(message, body, head, close) };
        if !self.scratch.at_once || ty.is_shuffled() {
            return self.open(message, body, head, close);
        }
        match self.start(ty, head)? {
            Next::Enter => {}
            Next::Skip => return Ok(Flow::On),
            Next::Stop => return Ok(Flow::Stop),
        }
        let base = (self.scratch.gathered.len(), self.scratch.pieces.len());
        let course = Course::new(self.visitor.unwanted());
        self.scratch.levels.push(WalkLevel { kind: LevelKind::Straight, message, at, end, close, list: NONE, base, course });
        Ok(Flow::On)
    }

    /// Opens a message. `body` is its bytes; the bytes `head` announce it and `close` closes it.
    pub(super) fn open(&mut self, message: u32, body: Body, head: (usize, usize), close: (usize, usize)) -> Result<Flow> {
        let plan = self.plan;
        let ty = plan.message(message);
        match self.start(ty, head)? {
            Next::Enter => {}
            Next::Skip => return Ok(Flow::On),
            Next::Stop => return Ok(Flow::Stop),
        }
        let base = (self.scratch.gathered.len(), self.scratch.pieces.len());
        let straight = match body {
            Body::Whole(..) if self.scratch.at_once && !ty.is_shuffled() => true,
            Body::Whole(..) if ty.message_set => false,
            Body::Whole(start, end) => in_order(ty, self.msg, start, end) || self.survey(ty, start, end)?,
            Body::Pieces(..) => false,
        };
        let (kind, at_first, end) = match body {
            Body::Whole(start, end) if straight => (LevelKind::Straight, start, end),
            _ => {
                self.gather(ty, body, close.0)?;
                (LevelKind::Gathered, base.0, self.scratch.gathered.len())
            }
        };
        let course = Course::new(self.visitor.unwanted());
        self.scratch.levels.push(WalkLevel { kind, message, at: at_first, end, close, list: NONE, base, course });
        Ok(Flow::On)
    }

    /// Opens a message whose pieces, if it has several, start at index `pieces`.
    pub(super) fn open_in_pieces(
        &mut self,
        message: u32,
        body: Body,
        head: (usize, usize),
        close: (usize, usize),
        pieces: usize,
    ) -> Result<Flow> {
        let flow = self.open(message, body, head, close)?;
        // The pieces are read; the fields gathered from them stay.
        self.scratch.pieces.truncate(pieces);
        if let Some(level) = self.scratch.levels.last_mut() {
            level.base.1 = level.base.1.min(pieces);
        }
        Ok(flow)
    }

    /// Returns the bounds of the message at `at`, the value of `field`.
    #[inline(always)]
    pub(super) fn bounds(&mut self, field: &Field, window: &[u8], at: usize) -> Result<Bounds> {
        if field.wire == WireType::Start {
            let depth = self.budget.limits().depth;
            let (inside, behind) = self.scratch.groups.end(window, at, field.number, depth).map_err(|error| self.located(error))?;
            return Ok((Body::Whole(at, inside), (at, at), behind, (inside, behind)));
        }
        let (from, to) = self.length(window, at)?;
        Ok((Body::Whole(from, to), (at, from), to, (to, to)))
    }

    /// Ends the message that is the innermost level.
    #[inline(always)]
    pub(super) fn end(&mut self) -> Result<Flow> {
        let plan = self.plan;
        let Some(level) = self.scratch.levels.pop() else { return Err(Error::internal("the end of a message that is not open")) };
        self.scratch.gathered.truncate(level.base.0);
        self.scratch.pieces.truncate(level.base.1);
        self.budget.leave();
        let close = self.span(level.close.0, level.close.1);
        let inner = self.visitor.message_end(plan.message(level.message), close)?;
        match inner {
            None => Ok(Flow::On),
            Some(Inner { message, start, end }) => self.open(message, Body::Whole(start, end), (start, start), (end, end)),
        }
    }

    #[inline(always)]
    pub(super) fn open_list(&mut self, field: &Field, at: usize) -> Result<Next> {
        let span = self.span(at, at);
        self.budget.item(span.start)?;
        self.budget.enter(span.start)?;
        let next = self.visitor.list(field, span)?;
        if next == Next::Skip {
            self.budget.leave();
        }
        Ok(next)
    }

    #[inline(always)]
    pub(super) fn list_end(&mut self, at: Span) -> Result<()> {
        self.budget.leave();
        self.visitor.list_end(at)
    }
}

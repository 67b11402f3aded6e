//! Documents to events.

use std::sync::Arc;

use polywire_core::{Budget, Error, ErrorKind, Field, Frame, Len, Next, Note, Open, Reader, Result, Scalar, Sink, Span, Str};

use super::message::{Message, NAME};
use crate::dictionary::{Identity, section};
use crate::document::{Framing, Known, Located, Root, Roots, framed, signature};
use crate::error::{DecodeError, Problem, Revision};
use crate::events::{self, ELEMENT, Extent, Halt, Handler, MAX_DEPTH};
use crate::plan::Plan;

/// Reader of messages whose dictionary is known, or comes with them.
#[derive(Debug)]
pub struct UsdsReader {
    known: Known,
    message: Message,
    /// Finder of roots, if messages are roots.
    roots: Option<Roots>,
}

impl Default for UsdsReader {
    /// Returns a reader that knows no dictionary, and remembers those that come with documents.
    fn default() -> UsdsReader {
        UsdsReader { known: Known::default(), message: Message::Document, roots: None }
    }
}

impl UsdsReader {
    /// Returns a reader of documents of that dictionary, or of dictionaries that come with
    /// documents.
    pub fn documents(plan: Arc<Plan>) -> UsdsReader {
        let mut known = Known::new(plan.wire());
        // Nothing is known yet, so it cannot be a duplicate.
        let _ = known.add(plan);
        UsdsReader { known, message: Message::Document, roots: None }
    }

    /// Returns a reader of bodies of one root of that tag.
    pub fn roots(plan: Arc<Plan>, tag: u32) -> UsdsReader {
        let roots = Some(Roots::new(Arc::clone(&plan), MAX_DEPTH));
        UsdsReader { message: Message::Root(tag), roots, ..UsdsReader::documents(plan) }
    }

    fn whole<'m>(&mut self, msg: &'m [u8], base: u64, sink: &mut dyn Sink<'m>, budget: &mut Budget) -> Emitted {
        let located = self.known.locate(msg).map_err(|failure| bad(&failure, base))?;
        let plan = Arc::clone(&located.plan);
        parts(&located, msg, base, sink)?;
        let entries = located.entries();
        let start = entries.start.saturating_sub(1);
        let at = Span::at(base, start, entries.start);
        budget.item(at.start)?;
        budget.enter(at.start)?;
        match sink.open(Open::Record { name: "", len: Len::Unknown }, at)? {
            Next::Enter => {}
            _ => return Ok(()),
        }
        let depth = budget.limits().depth;
        let mut emitter = Emitter { plan: &plan, sink, budget, base };
        events::decode(&plan, &msg[..entries.end], entries.start, depth, &mut emitter).map_err(|halt| halted(*halt, base))?;
        budget.leave();
        sink.close(Span::at(base, msg.len(), msg.len()))?;
        Ok(())
    }

    fn root<'m>(&mut self, tag: u32, msg: &'m [u8], base: u64, sink: &mut dyn Sink<'m>, budget: &mut Budget) -> Emitted {
        let Some(roots) = &self.roots else { return Ok(()) };
        let plan = Arc::clone(roots.plan());
        let revision = plan.wire();
        let (found, start) = root_head(&plan, msg).map_err(|failure| bad(&failure, base))?;
        if found != tag {
            let seen = format!("the tag {found}, `{}`, and not {tag}, `{}`", plan.tag_name(found), plan.tag_name(tag));
            return Err(bad(&DecodeError::new(Problem::RootUnknown, revision, 1).seen(seen), base));
        }
        sink.note(Note::Frame("signature of the body"), Span::at(base, 0, 1))?;
        sink.note(Note::Frame("id of the root's tag"), Span::at(base, 1, start))?;
        let depth = budget.limits().depth;
        let mut emitter = Emitter { plan: &plan, sink, budget, base };
        let end = events::value(&plan, tag, msg, start, depth, &mut emitter).map_err(|halt| halted(*halt, base))?;
        if end < msg.len() {
            let error = Error::data(ErrorKind::Trailing, base + end as u64);
            return Err(Some(error.seen(format!("{} bytes after the root", msg.len() - end)).expected("its end")));
        }
        Ok(())
    }
}

/// Returns the tag of a body of one root, and the start of its value.
pub(crate) fn root_head(plan: &Plan, msg: &[u8]) -> Result<(u32, usize), DecodeError> {
    match msg.first() {
        None => Err(DecodeError::new(Problem::Empty, plan.wire(), 0)),
        Some(first) if *first == signature(plan.wire()) => events::tag(plan, msg, 1),
        Some(_) => Err(DecodeError::new(Problem::Document, plan.wire(), 0).seen("a byte that is not the signature of a body")),
    }
}

impl Reader for UsdsReader {
    fn frame(&mut self, buf: &[u8], base: u64, eof: bool) -> Result<Frame> {
        let rest = if buf.is_empty() { Frame::End } else { Frame::Message { start: 0, end: buf.len() } };
        if buf.is_empty() {
            return Ok(if eof { Frame::End } else { Frame::More(1) });
        }
        let more = |more: usize| if eof { rest } else { Frame::More(more) };
        if let Some(roots) = &mut self.roots {
            if buf[0] != signature(roots.plan().wire()) {
                let failure = DecodeError::new(Problem::Document, roots.plan().wire(), 0);
                return Err(failure.seen("a byte that is not the signature of a body").into_error(base).format_is(NAME));
            }
            return match roots.next(&buf[1..]) {
                Ok(Root::Whole { end, .. }) => Ok(Frame::Message { start: 0, end: end + 1 }),
                Ok(Root::More) => {
                    if eof {
                        roots.reset();
                    }
                    Ok(more(1))
                }
                Err(failure) => Err(failure.after(1).into_error(base).format_is(NAME)),
            };
        }
        match framed(buf) {
            Ok(Some(end)) if end <= buf.len() => Ok(Frame::Message { start: 0, end }),
            Ok(Some(end)) => Ok(more(end - buf.len())),
            // A document without a head ends with the stream.
            Ok(None) => Ok(more(1)),
            Err(Framing::More(missing)) => Ok(more(missing)),
            Err(Framing::Bad(failure)) => Err(failure.into_error(base).format_is(NAME)),
        }
    }

    fn walk<'m>(&mut self, msg: &'m [u8], base: u64, sink: &mut dyn Sink<'m>, budget: &mut Budget) -> Result<()> {
        let outcome = match self.message {
            Message::Document => self.whole(msg, base, sink, budget),
            Message::Root(tag) => self.root(tag, msg, base, sink, budget),
        };
        match outcome {
            Ok(()) | Err(None) => Ok(()),
            Err(Some(error)) => Err(error.format_is(NAME)),
        }
    }
}

/// Result of emitting; the error is `None` if the sink stopped.
type Emitted = Result<(), Option<Error>>;

#[cold]
fn bad(failure: &DecodeError, base: u64) -> Option<Error> {
    Some(failure.clone().into_error(base))
}

#[cold]
fn halted(halt: Halt<Option<Error>>, base: u64) -> Option<Error> {
    match halt {
        Halt::Stop => None,
        Halt::Handler(error) => error,
        Halt::Bad(failure) => bad(&failure, base),
    }
}

/// Reports the parts before the roots.
fn parts<'m>(located: &Located, msg: &'m [u8], base: u64, sink: &mut dyn Sink<'m>) -> Result<()> {
    let mut note = |what: &str, start: usize, end: usize| sink.note(Note::Frame(what), Span::at(base, start, end));
    if let Some(head) = &located.parts.head {
        let Identity { id, major, minor } = head.identity;
        note("head: `$S`, format 1.0", 0, 4)?;
        note(&format!("dictionary {id}"), 4, 8)?;
        note(&format!("version {major}.{minor}"), 8, 10)?;
        note(&format!("{} bytes follow", msg.len() - head.at.end), 10, head.at.end)?;
        if let Some(contents) = &located.parts.dictionary {
            note(&format!("dictionary section, {} bytes", contents.len()), head.at.end, contents.start)?;
            let revision = section::revision(&msg[contents.clone()]);
            let marks = if located.learned { section::marks(&msg[contents.clone()], revision.unwrap_or(Revision::A)) } else { Vec::new() };
            if marks.is_empty() {
                note("a dictionary that is known already", contents.start, contents.end)?;
            }
            let ends = marks.iter().skip(1).map(|(at, _)| *at).chain([contents.len()]);
            for ((start, what), end) in marks.iter().zip(ends) {
                note(what, contents.start + start, contents.start + end)?;
            }
        }
    }
    Ok(())
}

/// Handler that emits events to a sink.
struct Emitter<'t, 'p, S: ?Sized> {
    plan: &'p Plan,
    sink: &'t mut S,
    budget: &'t mut Budget,
    base: u64,
}

impl<S: ?Sized> Emitter<'_, '_, S> {
    #[inline(always)]
    fn span(&self, at: Extent) -> Span {
        Span::at(self.base, at.start, at.end)
    }

    /// Emits the name of a field. Returns false if the value is not wanted.
    #[inline(always)]
    fn named<'m>(&mut self, slot: u32, at: Extent) -> Answer
    where
        S: Sink<'m>,
    {
        if slot & ELEMENT != 0 {
            return Ok(Next::Enter);
        }
        let plan = self.plan;
        let found = &plan.slots[slot as usize];
        let id = found.id;
        let field = Field { name: Str::Scratch(&found.name), id: Some(u64::from(id)), slot: Some(id - 1) };
        // The name is not on the wire.
        let at = Span::at(self.base, at.start, at.start);
        self.budget.item(at.start)?;
        Ok(self.sink.field(field, at)?)
    }

    #[inline(always)]
    fn open<'m>(&mut self, slot: u32, open: Open<'_>, at: Extent) -> Answer
    where
        S: Sink<'m>,
    {
        match self.named(slot, at)? {
            Next::Enter => {}
            next => return Ok(next),
        }
        self.opened(open, at)
    }

    #[inline(always)]
    fn opened<'m>(&mut self, open: Open<'_>, at: Extent) -> Answer
    where
        S: Sink<'m>,
    {
        let at = self.span(at);
        self.budget.item(at.start)?;
        let next = self.sink.open(open, at)?;
        if next == Next::Enter {
            self.budget.enter(at.start)?;
        }
        Ok(next)
    }
}

/// The sink's answer about a value.
type Answer = Result<Next, Option<Error>>;

impl<'m, S: Sink<'m> + ?Sized> Handler<'m> for Emitter<'_, '_, S> {
    type Error = Option<Error>;

    fn root(&mut self, tag: u32, at: Extent) -> Answer {
        let span = self.span(at);
        self.budget.item(span.start)?;
        let name = self.plan.tag_name(tag);
        Ok(self.sink.field(Field { name: Str::Scratch(name), id: Some(u64::from(tag)), slot: Some(tag - 1) }, span)?)
    }

    #[inline(always)]
    fn scalar(&mut self, slot: u32, value: events::Scalar<'m>, at: Extent) -> Emitted {
        match self.named(slot, at)? {
            Next::Enter => {}
            Next::Skip => return Ok(()),
            Next::Stop => return Err(None),
        }
        let scalar = match value {
            events::Scalar::Bool(value) => Scalar::Bool(value),
            events::Scalar::Int(value) => Scalar::int(value),
            events::Scalar::UInt(value) => Scalar::uint(value),
            events::Scalar::F32(value) => Scalar::f32(value),
            events::Scalar::F64(value) => Scalar::f64(value),
            events::Scalar::Text(text) => Scalar::Text(Str::Input(text)),
            events::Scalar::Octets(bytes) => match crate::wire::utf8(bytes) {
                Some(text) => Scalar::Text(Str::Input(text)),
                None => Scalar::Octets(Str::Input(bytes)),
            },
            events::Scalar::Enumerator { enumeration, position, .. } => {
                let name = self.plan.enumerator(enumeration, position);
                return match self.opened(Open::Variant { name, index: position }, at)? {
                    Next::Enter => self.end(at.end),
                    Next::Skip => Ok(()),
                    Next::Stop => Err(None),
                };
            }
        };
        let span = self.span(at);
        self.budget.item(span.start)?;
        Ok(self.sink.scalar(scalar, span)?)
    }

    fn structure(&mut self, slot: u32, shape: u32, at: Extent) -> Answer {
        let plan = self.plan;
        let shape = &plan.shapes[shape as usize];
        let len = if shape.nullable == 0 { Len::Claimed(u64::from(shape.len)) } else { Len::Unknown };
        self.open(slot, Open::Record { name: "", len }, at)
    }

    fn array(&mut self, slot: u32, count: u32, at: Extent) -> Answer {
        self.open(slot, Open::List(Len::Claimed(u64::from(count))), at)
    }

    fn member(&mut self, slot: u32, tag: u32, position: u32, at: Extent) -> Answer {
        let plan = self.plan;
        self.open(slot, Open::Variant { name: plan.tag_name(tag), index: position }, at)
    }

    fn end(&mut self, at: usize) -> Emitted {
        self.budget.leave();
        let at = Span::at(self.base, at, at);
        Ok(self.sink.close(at)?)
    }
}

//! Messages of a known type to events, by the steps of docs/spec/extprot.md 5.

use std::marker::PhantomData;
use std::sync::Arc;

use polywire_core::bytes::unzigzag;
use polywire_core::tools::Count;
use polywire_core::value::emit_any;
use polywire_core::value::lexical::{Lexical, classify};
use polywire_core::{
    Budget, Error, ErrorKind, Field, Frame, Len, Limits, Next, Note, Open, Reader, Result, Scalar, Sink, Span, Str, Timestamp,
};
use polywire_extprot_runtime::scan::{self, One};

use super::frames::Frames;
use super::lazy;
use super::shared::{FIRST_OF_TUPLE, MAX_NESTED, NAME, ONLY_OF_TUPLE, text_or_octets};
use crate::error::{Cause, DecodeError, Size, SizeLimits};
use crate::model::{Literal, Primitive};
use crate::plan::{Absent, Case, MessageKind, Node, Plan, Run, Shape, View, accepted, own};
use crate::wire::{self, Broken, Prefix, WireType, skip, vint};

/// Reader of messages of one type.
///
/// A message or record becomes a record; a union becomes a variant that holds a record; a
/// constructor becomes a variant that holds its arguments. An absent value with a default is
/// emitted with an empty span. A string is text if it is valid UTF-8, octets otherwise.
#[derive(Debug, Clone)]
pub struct ExtprotReader {
    plan: Arc<Plan>,
    frames: Frames,
    limits: SizeLimits,
    unknown: bool,
}

impl ExtprotReader {
    /// Returns a reader for the messages of `plan`, without limits on sizes. Elements unknown to
    /// the plan are reported as [`Note::Unknown`].
    pub fn new(plan: Arc<Plan>) -> ExtprotReader {
        ExtprotReader { plan, frames: Frames::default(), limits: SizeLimits::NONE, unknown: true }
    }

    /// Sets the limits of docs/spec/extprot.md 5.5.
    #[must_use]
    pub fn limits(mut self, limits: SizeLimits) -> ExtprotReader {
        self.limits = limits;
        self
    }

    /// Sets whether elements unknown to the plan are reported.
    #[must_use]
    pub fn unknown(mut self, told: bool) -> ExtprotReader {
        self.unknown = told;
        self
    }

    /// Works like [`Reader::walk`], for a sink of a known type and a message that other bytes may
    /// follow. Returns the length of the message in bytes, or `None` if the sink stopped.
    ///
    /// # Errors
    /// The sink's error, or the fault in the message.
    pub fn walk_into<'m, S: Sink<'m> + ?Sized>(
        &self,
        msg: &'m [u8],
        base: u64,
        sink: &mut S,
        budget: &mut Budget,
    ) -> Result<Option<usize>, Refusal> {
        let plan = &*self.plan;
        let mut walk = Walk {
            plan,
            base,
            limits: &self.limits,
            sink,
            budget,
            unknown: self.unknown,
            defaults: true,
            entered: &[],
            nested: 0,
            message: PhantomData,
        };
        match walk.value(plan.root, 0, msg) {
            Ok(end) => Ok(Some(end)),
            Err(halt) => match *halt {
                Halt::Stop => Ok(None),
                Halt::Sink(error) => Err(Refusal::Sink(error)),
                Halt::Bad(failure, lazy) => Err(Refusal::Message(first(plan, msg, &self.limits, turned(failure), &lazy))),
            },
        }
    }
}

/// Reason why a walk ended early.
#[derive(Debug)]
pub enum Refusal {
    /// Error of the sink or of the budget.
    Sink(Error),
    /// The message is invalid.
    Message(DecodeError),
}

/// Decodes a message that was refused, for the sake of its failure.
#[cold]
pub(crate) fn explain(plan: &Plan, bytes: &[u8], limits: &SizeLimits) -> Result<usize, DecodeError> {
    decoded(plan, bytes, limits, &[]).map_err(|(failure, lazy)| first(plan, bytes, limits, failure, &lazy))
}

/// Returns the error that a decoder with lazy fields meets first, by [`lazy::first`].
#[cold]
fn first(plan: &Plan, bytes: &[u8], limits: &SizeLimits, failure: DecodeError, fields: &[usize]) -> DecodeError {
    lazy::first(plan, failure, fields, |plan, entered| decoded(plan, bytes, limits, entered).err().map(|(failure, _)| failure))
}

/// Decodes only to find the error. Returns where the message ends, or the error and the offsets
/// of the lazy fields around it, innermost first. Deferred fields are decoded only if their offset
/// is in `entered`.
fn decoded(plan: &Plan, bytes: &[u8], limits: &SizeLimits, entered: &[usize]) -> Result<usize, (DecodeError, Vec<usize>)> {
    let mut budget = Budget::new(&Limits::MAX);
    let mut sink = Count::default();
    // Defaults may be large, and whether they exist is known without decoding.
    let mut walk = Walk {
        plan,
        base: 0,
        limits,
        sink: &mut sink as &mut dyn Sink<'_>,
        budget: &mut budget,
        unknown: false,
        defaults: false,
        entered,
        nested: 0,
        message: PhantomData,
    };
    walk.value(plan.root, 0, bytes).map_err(|halt| match *halt {
        Halt::Bad(failure, lazy) => (turned(failure), lazy),
        Halt::Stop | Halt::Sink(_) => (DecodeError { cause: Cause::UnexpectedEnd, at: bytes.len(), path: Vec::new() }, Vec::new()),
    })
}

/// Reverses the path, which is collected from the inside out.
fn turned(mut failure: DecodeError) -> DecodeError {
    failure.path.reverse();
    failure
}

impl Reader for ExtprotReader {
    fn frame(&mut self, buf: &[u8], base: u64, eof: bool) -> Result<Frame> {
        self.frames.frame(buf, base, eof)
    }

    fn walk<'m>(&mut self, msg: &'m [u8], base: u64, sink: &mut dyn Sink<'m>, budget: &mut Budget) -> Result<()> {
        match self.walk_into(msg, base, sink, budget) {
            Ok(None) => Ok(()),
            Ok(Some(end)) if end == msg.len() => Ok(()),
            Ok(Some(end)) => Err(Error::data(ErrorKind::Trailing, base + end as u64)
                .seen(format!("{} bytes after the message", msg.len() - end))
                .expected("its end")
                .format_is(NAME)),
            Err(Refusal::Sink(error)) => Err(error),
            Err(Refusal::Message(failure)) => Err(failure.into_error(base).format_is(NAME)),
        }
    }
}

/// Remark about an int outside -2⁶² to 2⁶² - 1, which the original cannot hold
/// (extprot-D5).
const BEYOND: &str = "beyond the 63 bits of the original's int";

/// Remark about a lazy field, which a sink may skip and have walked later.
const LAZY: &str = "lazy";

enum Halt {
    Stop,
    Sink(Error),
    /// The error, and the offsets of the lazy fields around it, innermost first.
    Bad(DecodeError, Vec<usize>),
}

/// One machine word on success.
type Outcome<T> = Result<T, Box<Halt>>;

impl From<Error> for Box<Halt> {
    #[cold]
    fn from(error: Error) -> Box<Halt> {
        Box::new(Halt::Sink(error))
    }
}

#[cold]
fn bad(cause: Cause, at: usize) -> Box<Halt> {
    Box::new(Halt::Bad(DecodeError { cause, at, path: Vec::new() }, Vec::new()))
}

/// Returns the error of a vint, prefix or payload at `at`, in a composite that ends with
/// `window`.
#[cold]
fn broken(broken: Broken, at: usize, window: &[u8]) -> Box<Halt> {
    match broken {
        Broken::End => bad(Cause::UnexpectedEnd, window.len()),
        Broken::Overflow => bad(Cause::VintOverflow, at),
        Broken::WireType => bad(Cause::BadWireType(None), at),
    }
}

/// A composite whose length and count have been read.
struct Composite<'m> {
    /// The message up to the end of the composite.
    window: &'m [u8],
    length: u64,
    count: u64,
    /// Offset of its first element.
    at: usize,
}

/// A walk in progress. Recursion is bounded by the depth of types.
struct Walk<'w, 'm, S: ?Sized> {
    plan: &'w Plan,
    base: u64,
    limits: &'w SizeLimits,
    sink: &'w mut S,
    budget: &'w mut Budget,
    /// True if unknown elements are reported.
    unknown: bool,
    /// True if defaults are emitted.
    defaults: bool,
    /// Offsets of the deferred fields that are decoded all the same.
    entered: &'w [usize],
    /// Number of strings around the value.
    nested: usize,
    message: PhantomData<&'m [u8]>,
}

impl<'m, S: Sink<'m> + ?Sized> Walk<'_, 'm, S> {
    #[inline(always)]
    fn span(&self, start: usize, end: usize) -> Span {
        Span::at(self.base, start, end)
    }

    /// Emits the value at `at`, which may reach to the end of `window`. Returns its end.
    fn value(&mut self, node: u32, at: usize, window: &'m [u8]) -> Outcome<usize> {
        let plan = self.plan;
        let &Node { shape, view, .. } = plan.node(node);
        match shape {
            Shape::Primitive(primitive) => self.primitive(primitive, view, at, window),
            Shape::List(element) if view == View::Declared => self.list(element, at, window),
            Shape::List(element) => self.viewed_list(element, view, at, window),
            Shape::Tuple(case) => self.tuple(&plan.cases[case as usize], view, at, window),
            Shape::Sum { constants, cases } if view == View::Declared => self.sum(constants, cases, at, window),
            Shape::Sum { constants, cases } => self.viewed_sum(constants, cases, view, at, window),
            Shape::Message { cases, .. } if view == View::Wrapper => self.wrapper(cases, at, window),
            Shape::Message { name, cases, kind } => match self.message(cases, kind, at, window) {
                Ok(end) => Ok(end),
                Err(halt) => Err(within(halt, &plan.messages[name as usize])),
            },
            Shape::External => Err(Error::internal("a message of another module").into()),
            Shape::Deferred(node) => self.deferred(node, at, window),
            Shape::Nested(inner) => {
                let (prefix, from) = self.prefix(at, window)?;
                if prefix.wire != WireType::Bytes {
                    return Err(bad(Cause::BadWireType(Some(prefix.wire.code())), at));
                }
                let (from, to) = wire::length(window, from).map_err(|why| broken(why, at, window))?;
                let length = (to - from) as u64;
                if length > self.limits.string_length {
                    return Err(bad(Cause::LimitExceeded(Size::StringLength, length), at));
                }
                if self.nested == MAX_NESTED {
                    let error = Error::data(ErrorKind::Limit, self.base + at as u64);
                    return Err(error.seen(format!("more than {MAX_NESTED} values of one type within each other")).into());
                }
                self.nested += 1;
                let end = self.value(inner, from, &window[..to])?;
                self.nested -= 1;
                self.rest(end, &window[..to])?;
                Ok(to)
            }
            Shape::Marked { mark, inner } => {
                let (space, code) = &plan.marks[mark as usize];
                if self.open(Open::Tagged { space, code: *code }, at, at)? == Next::Skip {
                    return skip::value(window, at).map_err(|why| broken(why, at, window));
                }
                let end = self.value(inner, at, window)?;
                self.close(end)?;
                Ok(end)
            }
        }
    }

    /// Steps over a lazy field of a plan that defers them. A constant constructor is decoded at
    /// once (docs/spec/extprot.md 5.8).
    #[cold]
    fn deferred(&mut self, node: u32, at: usize, window: &'m [u8]) -> Outcome<usize> {
        if self.entered.contains(&at) || self.is_constant(node, at, window) {
            return self.value(node, at, window);
        }
        skip::value(window, at).map_err(|why| broken(why, at, window))
    }

    fn is_constant(&self, node: u32, at: usize, window: &'m [u8]) -> bool {
        matches!(self.plan.node(node).shape, Shape::Sum { constants: Run { len: 1.., .. }, .. })
            && wire::prefix(window, at).is_ok_and(|(prefix, _)| prefix.wire == WireType::Enum)
    }

    /// Returns the error in a field at `at`, which may be lazy.
    #[cold]
    fn within_field(&self, mut halt: Box<Halt>, case: &Case, number: usize, at: usize, window: &'m [u8]) -> Box<Halt> {
        let slot = case.slots.first as usize + number;
        if let Halt::Bad(_, lazy) = &mut *halt
            && self.plan.lazy[slot]
            && !self.is_constant(self.plan.slots[slot].node, at, window)
        {
            lazy.push(at);
        }
        within(halt, &self.plan.names[slot])
    }

    #[inline(always)]
    fn prefix(&self, at: usize, window: &'m [u8]) -> Outcome<(Prefix, usize)> {
        wire::prefix(window, at).map_err(|why| broken(why, at, window))
    }

    #[inline(always)]
    fn composite(&self, start: usize, at: usize, window: &'m [u8]) -> Outcome<Composite<'m>> {
        match wire::sizes(window, at, window.len()) {
            Ok(sizes) => Ok(Composite { window: &window[..sizes.end], length: sizes.length, count: sizes.count, at: sizes.first }),
            Err((why, end)) => Err(broken(why, start, &window[..end])),
        }
    }

    /// Checks a message or list against the size limits.
    #[inline(always)]
    fn check(&self, composite: &Composite<'m>, start: usize) -> Outcome<()> {
        if composite.count > self.limits.elements {
            return Err(bad(Cause::LimitExceeded(Size::Elements, composite.count), start));
        }
        if composite.length > self.limits.message_length {
            return Err(bad(Cause::LimitExceeded(Size::MessageLength, composite.length), start));
        }
        Ok(())
    }

    #[inline(always)]
    fn open(&mut self, open: Open<'_>, start: usize, end: usize) -> Outcome<Next> {
        let at = self.span(start, end);
        self.budget.item(at.start)?;
        self.budget.enter(at.start)?;
        match self.sink.open(open, at)? {
            Next::Stop => Err(Box::new(Halt::Stop)),
            next => {
                if next == Next::Skip {
                    self.budget.leave();
                }
                Ok(next)
            }
        }
    }

    #[inline(always)]
    fn close(&mut self, at: usize) -> Outcome<()> {
        self.budget.leave();
        let at = self.span(at, at);
        Ok(self.sink.close(at)?)
    }

    /// Reports the elements after the last one that the plan knows.
    #[inline(always)]
    fn rest(&mut self, at: usize, window: &'m [u8]) -> Outcome<()> {
        if self.unknown && at < window.len() { self.unknown_bytes(at, window) } else { Ok(()) }
    }

    #[cold]
    fn unknown_bytes(&mut self, at: usize, window: &'m [u8]) -> Outcome<()> {
        let span = self.span(at, window.len());
        Ok(self.sink.note(Note::Unknown(&window[at..]), span)?)
    }

    #[cold]
    fn remark(&mut self, remark: &'static str, start: usize, end: usize) -> Outcome<()> {
        let at = self.span(start, end);
        Ok(self.sink.note(Note::Coerced(remark), at)?)
    }

    /// Reads a primitive, by docs/spec/extprot.md 5.2.
    #[inline(always)]
    fn primitive(&mut self, primitive: Primitive, view: View, at: usize, window: &'m [u8]) -> Outcome<usize> {
        match window.get(at) {
            Some(&first) if first == own(primitive).code() => self.payload(primitive, view, own(primitive), (at, at + 1), window),
            _ => self.other(primitive, view, at, window),
        }
    }

    /// Reads a primitive whose prefix is not the shortest form of its own.
    #[cold]
    fn other(&mut self, primitive: Primitive, view: View, start: usize, window: &'m [u8]) -> Outcome<usize> {
        let (prefix, at) = self.prefix(start, window)?;
        if prefix.tag != 0 {
            return Err(bad(Cause::UnknownTag(prefix.tag), start));
        }
        if prefix.wire != WireType::Tuple {
            return self.widened(primitive, view, prefix.wire, (start, at), window);
        }
        let tuple = self.composite(start, at, window)?;
        if tuple.count == 0 {
            return Err(bad(Cause::BadWireType(Some(WireType::Tuple.code())), start));
        }
        let (first, at) = self.prefix(tuple.at, tuple.window)?;
        if first.tag != 0 {
            return Err(bad(Cause::UnknownTag(first.tag), tuple.at));
        }
        let alone = skip::payload(tuple.window, at, first.wire) == Ok(tuple.window.len());
        self.remark(if alone { ONLY_OF_TUPLE } else { FIRST_OF_TUPLE }, start, tuple.at)?;
        let end = self.widened(primitive, view, first.wire, (tuple.at, at), tuple.window)?;
        self.rest(end, tuple.window)?;
        Ok(tuple.window.len())
    }

    fn widened(
        &mut self,
        primitive: Primitive,
        view: View,
        wire: WireType,
        (start, at): (usize, usize),
        window: &'m [u8],
    ) -> Outcome<usize> {
        if accepted(primitive) >> wire.code() & 1 == 0 {
            return Err(bad(Cause::BadWireType(Some(wire.code())), start));
        }
        if wire != own(primitive) {
            self.remark("a narrower type on the wire", start, at)?;
        }
        self.payload(primitive, view, wire, (start, at), window)
    }

    /// Reads the payload at `at` of a primitive that starts at `start`, from any wire type that it
    /// accepts (docs/spec/extprot.md 5.4).
    #[inline(always)]
    fn payload(
        &mut self,
        primitive: Primitive,
        view: View,
        wire: WireType,
        (start, at): (usize, usize),
        window: &'m [u8],
    ) -> Outcome<usize> {
        let number;
        let end;
        match wire {
            WireType::Bits8 => {
                let [byte] = wire::array(window, at).map_err(|why| broken(why, start, window))?;
                (number, end) = (i64::from(byte), at + 1);
            }
            WireType::Vint => {
                let (zigzag, after) = vint::number(window, at).map_err(|why| broken(why, start, window))?;
                if zigzag > u64::MAX / 2 {
                    self.remark(BEYOND, start, after)?;
                }
                (number, end) = (unzigzag(zigzag), after);
            }
            WireType::Bits32 => {
                let bytes = wire::array(window, at).map_err(|why| broken(why, start, window))?;
                (number, end) = (i64::from(i32::from_le_bytes(bytes)), at + 4);
            }
            WireType::Bits64Long | WireType::Bits64Float => {
                let bytes = wire::array(window, at).map_err(|why| broken(why, start, window))?;
                (number, end) = (i64::from_le_bytes(bytes), at + 8);
            }
            _ => return self.string(view, start, at, window),
        }
        let scalar = match primitive {
            Primitive::Bool => Scalar::Bool(number != 0),
            Primitive::Float if wire == WireType::Bits64Float => Scalar::f64(f64::from_bits(number as u64)),
            Primitive::Float => Scalar::f64(number as f64),
            _ => Scalar::int(number),
        };
        let scalar = if view == View::Declared { scalar } else { viewed(view, number, scalar) };
        let span = self.span(start, end);
        self.budget.item(span.start)?;
        self.sink.scalar(scalar, span)?;
        Ok(end)
    }

    fn string(&mut self, view: View, start: usize, at: usize, window: &'m [u8]) -> Outcome<usize> {
        let (at, end) = wire::length(window, at).map_err(|why| broken(why, start, window))?;
        let length = (end - at) as u64;
        if length > self.limits.string_length {
            return Err(bad(Cause::LimitExceeded(Size::StringLength, length), start));
        }
        let bytes = &window[at..end];
        if view == View::Any {
            return match emit_any(bytes, self.base + at as u64, self.sink, self.budget)? {
                Next::Stop => Err(Box::new(Halt::Stop)),
                _ => Ok(end),
            };
        }
        let span = self.span(start, end);
        self.budget.item(span.start)?;
        self.sink.scalar(if view == View::Declared { text_or_octets(bytes) } else { viewed_string(view, bytes) }, span)?;
        Ok(end)
    }

    /// Reads a list, by docs/spec/extprot.md 5.3.
    fn list(&mut self, element: u32, start: usize, window: &'m [u8]) -> Outcome<usize> {
        let (prefix, at) = self.prefix(start, window)?;
        if prefix.wire != WireType::Htuple {
            return Err(bad(Cause::BadWireType(Some(prefix.wire.code())), start));
        }
        let list = self.composite(start, at, window)?;
        self.check(&list, start)?;
        let Composite { window, count, mut at, .. } = list;
        if self.open(Open::List(Len::Claimed(count)), start, at)? == Next::Skip {
            return Ok(window.len());
        }
        if let &Node { shape: Shape::Primitive(primitive), view, .. } = self.plan.node(element) {
            let few = count.min(scan::FEW as u64) as usize;
            let mut told = 0;
            if matches!(primitive, Primitive::Bool | Primitive::Byte)
                && view == View::Declared
                && 2 * few <= window.len() - at
                && scan::octets(window, at, few)
                && self.budget.all_items(few as u64)
            {
                for pair in window[at..].as_chunks::<2>().0[..few].iter() {
                    let scalar = if primitive == Primitive::Bool { Scalar::Bool(pair[1] != 0) } else { Scalar::uint(u64::from(pair[1])) };
                    let span = self.span(at, at + 2);
                    self.sink.scalar(scalar, span)?;
                    at += 2;
                }
                told = few as u64;
            }
            for _ in told..count {
                at = self.primitive(primitive, view, at, window)?;
            }
        } else if let (&Node { shape: Shape::Sum { constants, cases }, view: View::Declared, .. }, Some(lone)) =
            (self.plan.node(element), self.plan.lone(element))
        {
            for _ in 0..count {
                at = match lone.one(window, at) {
                    Some(one) if one.is_within(window.len()) && self.limits.string_length >= 0x80 => self.lone(constants, cases, &one)?,
                    _ => self.value(element, at, window)?,
                };
            }
        } else {
            for _ in 0..count {
                at = self.value(element, at, window)?;
            }
        }
        self.rest(at, window)?;
        self.close(window.len())?;
        Ok(window.len())
    }

    /// Reads a constant constructor, or the constructor of a single primitive, in its usual form.
    #[inline(always)]
    fn lone(&mut self, constants: Run, cases: Run, one: &One<'m>) -> Outcome<usize> {
        let plan = self.plan;
        let (start, argument, end) = one.places();
        let Some(number) = one.index().checked_sub(constants.len as usize) else {
            let (name, position) = &plan.constants[constants.first as usize + one.index()];
            if self.open(Open::Variant { name, index: *position }, start, end)? == Next::Enter {
                self.close(end)?;
            }
            return Ok(end);
        };
        let case = &plan.cases[cases.first as usize + number];
        if self.open(Open::Variant { name: &case.name, index: case.position }, start, argument)? == Next::Skip {
            return Ok(end);
        }
        let &Node { shape, view, .. } = plan.node(plan.slots(case)[0].node);
        let scalar = match shape {
            Shape::Primitive(Primitive::Bool) => Scalar::Bool(one.bool()),
            Shape::Primitive(Primitive::Byte) => Scalar::int(i64::from(one.byte())),
            Shape::Primitive(Primitive::Int) => Scalar::int(one.int()),
            Shape::Primitive(Primitive::Long) => Scalar::int(one.long()),
            Shape::Primitive(Primitive::Float) => Scalar::f64(one.float()),
            _ if view == View::Declared => text_or_octets(one.slice()),
            _ => viewed_string(view, one.slice()),
        };
        let scalar = match (view, scalar) {
            (View::Unsigned, Scalar::Int(number, _)) => Scalar::uint(number as u64),
            (View::Single, Scalar::F64(value, _)) => Scalar::f32(value as f32),
            (View::Whole, Scalar::F64(value, _)) => Scalar::number(value),
            (_, scalar) => scalar,
        };
        let span = self.span(argument, end);
        self.budget.item(span.start)?;
        self.sink.scalar(scalar, span)?;
        self.close(end)?;
        Ok(end)
    }

    /// Reads a tuple, by docs/spec/extprot.md 5.3.
    fn tuple(&mut self, case: &Case, view: View, start: usize, window: &'m [u8]) -> Outcome<usize> {
        let (prefix, at) = self.prefix(start, window)?;
        let len = Len::Claimed(u64::from(case.slots.len));
        let open = if view == View::Row { Open::List(len) } else { Open::Tuple(len) };
        if prefix.wire == WireType::Tuple {
            let tuple = self.composite(start, at, window)?;
            if prefix.tag != 0 && self.unknown {
                self.unknown_bytes(start, &window[..at])?;
            }
            if self.open(open, start, tuple.at)? == Next::Skip {
                return Ok(tuple.window.len());
            }
            return self.elements(case, &tuple);
        }
        self.promotable(case, prefix.wire, start)?;
        if self.open(open, start, start)? == Next::Skip {
            return skip::payload(window, at, prefix.wire).map_err(|why| broken(why, start, window));
        }
        self.promoted(case, prefix.wire, start, at, window)
    }

    /// Reads a sum, by docs/spec/extprot.md 5.3.
    fn sum(&mut self, constants: Run, cases: Run, start: usize, window: &'m [u8]) -> Outcome<usize> {
        let plan = self.plan;
        let (prefix, at) = self.prefix(start, window)?;
        let wrong = || bad(Cause::BadWireType(Some(prefix.wire.code())), start);
        let unknown = || bad(Cause::UnknownTag(prefix.tag), start);
        match prefix.wire {
            WireType::Enum => {
                if constants.len == 0 {
                    return Err(wrong());
                }
                let (name, position) = &plan.constants[constants.at(prefix.tag).ok_or_else(unknown)?];
                if self.open(Open::Variant { name, index: *position }, start, at)? == Next::Enter {
                    self.close(at)?;
                }
                Ok(at)
            }
            WireType::Tuple => {
                if cases.len == 0 {
                    return Err(wrong());
                }
                let row = self.composite(start, at, window)?;
                let case = &plan.cases[cases.at(prefix.tag).ok_or_else(unknown)?];
                if self.open(Open::Variant { name: &case.name, index: case.position }, start, row.at)? == Next::Skip {
                    return Ok(row.window.len());
                }
                self.elements(case, &row)
            }
            wire => {
                let case = &plan.cases[cases.at(0).ok_or_else(wrong)?];
                self.promotable(case, wire, start)?;
                if self.open(Open::Variant { name: &case.name, index: case.position }, start, start)? == Next::Skip {
                    return skip::payload(window, at, wire).map_err(|why| broken(why, start, window));
                }
                self.promoted(case, wire, start, at, window)
            }
        }
    }

    /// Returns the end of an optional or repeated field whose value says that the field is absent.
    fn no_field(&mut self, start: usize, window: &'m [u8]) -> Outcome<Option<usize>> {
        let (prefix, at) = self.prefix(start, window)?;
        match prefix.wire {
            WireType::Enum if prefix.tag == 0 => Ok(Some(at)),
            WireType::Htuple => {
                let list = self.composite(start, at, window)?;
                Ok((list.count == 0).then_some(list.window.len()))
            }
            _ => Ok(None),
        }
    }

    /// Reads a message that wraps a value of another type.
    fn wrapper(&mut self, cases: Run, start: usize, window: &'m [u8]) -> Outcome<usize> {
        let plan = self.plan;
        let (prefix, at) = self.prefix(start, window)?;
        if prefix.wire != WireType::Tuple {
            return Err(bad(Cause::BadWireType(Some(prefix.wire.code())), start));
        }
        let row = self.composite(start, at, window)?;
        self.check(&row, start)?;
        if row.count == 0 {
            return Err(bad(Cause::MissingField, row.at));
        }
        let slot = plan.slots(&plan.cases[cases.first as usize])[0];
        let end = self.value(slot.node, row.at, row.window)?;
        self.rest(end, row.window)?;
        Ok(row.window.len())
    }

    /// Reads a list that stands for a map, or the values of a repeated field.
    fn viewed_list(&mut self, element: u32, view: View, start: usize, window: &'m [u8]) -> Outcome<usize> {
        let plan = self.plan;
        let (prefix, at) = self.prefix(start, window)?;
        if prefix.wire != WireType::Htuple {
            return Err(bad(Cause::BadWireType(Some(prefix.wire.code())), start));
        }
        let list = self.composite(start, at, window)?;
        self.check(&list, start)?;
        let Composite { window, count, mut at, .. } = list;
        let (View::Pairs, Shape::Tuple(case)) = (view, plan.node(element).shape) else {
            if count != 1 {
                return self.list(element, start, window);
            }
            let end = self.value(element, at, window)?;
            self.rest(end, window)?;
            return Ok(window.len());
        };
        let pair = plan.slots(&plan.cases[case as usize]);
        if self.open(Open::Map(Len::Claimed(count)), start, at)? == Next::Skip {
            return Ok(window.len());
        }
        for _ in 0..count {
            let (prefix, inside) = self.prefix(at, window)?;
            if prefix.wire != WireType::Tuple {
                return Err(bad(Cause::BadWireType(Some(prefix.wire.code())), at));
            }
            let row = self.composite(at, inside, window)?;
            if row.count < 2 {
                return Err(bad(Cause::MissingTupleElement(row.count as u32), row.at));
            }
            let (key, _) = self.prefix(row.at, row.window)?;
            let text = match wire::prefix(row.window, row.at).and_then(|(_, at)| wire::length(row.window, at)) {
                Ok((from, to)) if key.wire == WireType::Bytes => std::str::from_utf8(&row.window[from..to]).ok().map(|text| (text, to)),
                _ => None,
            };
            let named = plan.node(pair[0].node).view == View::Declared;
            let (next, value) = match text {
                Some((name, end)) if named && plan.node(pair[0].node).shape == Shape::Primitive(Primitive::String) => {
                    let span = self.span(row.at, end);
                    self.budget.item(span.start)?;
                    match self.sink.field(Field::named(Str::Input(name)), span)? {
                        Next::Stop => return Err(Box::new(Halt::Stop)),
                        next => (next, end),
                    }
                }
                _ => (Next::Enter, self.value(pair[0].node, row.at, row.window)?),
            };
            if next == Next::Enter {
                let end = self.value(pair[1].node, value, row.window)?;
                self.rest(end, row.window)?;
            }
            at = row.window.len();
        }
        self.close(window.len())?;
        Ok(window.len())
    }

    /// Reads a sum type whose cases are not emitted as variants.
    fn viewed_sum(&mut self, constants: Run, cases: Run, view: View, start: usize, window: &'m [u8]) -> Outcome<usize> {
        let plan = self.plan;
        let (prefix, at) = self.prefix(start, window)?;
        let unknown = || bad(Cause::UnknownTag(prefix.tag), start);
        match prefix.wire {
            WireType::Enum => {
                let (name, _) = &plan.constants[constants.at(prefix.tag).ok_or_else(unknown)?];
                let span = self.span(start, at);
                self.budget.item(span.start)?;
                self.sink.scalar(if view == View::Named { Scalar::Text(Str::Scratch(name)) } else { Scalar::Null }, span)?;
                Ok(at)
            }
            WireType::Tuple => {
                let row = self.composite(start, at, window)?;
                let case = &plan.cases[cases.at(prefix.tag).ok_or_else(unknown)?];
                let (Some(slot), true) = (plan.slots(case).first(), row.count > 0) else {
                    return Err(bad(Cause::MissingTupleElement(0), row.at));
                };
                let end = row.window.len();
                if view != View::Named {
                    let after = self.value(slot.node, row.at, row.window)?;
                    self.rest(after, row.window)?;
                    return Ok(end);
                }
                if self.open(Open::Record { name: "", len: Len::Claimed(1) }, start, row.at)? == Next::Enter {
                    if self.field(&case.name, 0, row.at)? == Next::Enter {
                        let after = self.value(slot.node, row.at, row.window)?;
                        self.rest(after, row.window)?;
                    }
                    self.close(end)?;
                }
                Ok(end)
            }
            wire => Err(bad(Cause::BadWireType(Some(wire.code())), start)),
        }
    }

    /// Checks that a bare primitive of type `wire` may stand for a tuple or a constructor.
    fn promotable(&self, case: &Case, wire: WireType, start: usize) -> Outcome<()> {
        if case.promotes == Some(wire) && case.rest != Absent::Missing {
            Ok(())
        } else {
            Err(bad(Cause::BadWireType(Some(wire.code())), start))
        }
    }

    /// Reads an opened tuple or constructor of which only the first value is present.
    fn promoted(&mut self, case: &Case, wire: WireType, start: usize, at: usize, window: &'m [u8]) -> Outcome<usize> {
        let slots = self.plan.slots(case);
        self.remark("a bare value on the wire", start, at)?;
        let end = match self.plan.node(slots[0].node).shape {
            Shape::Primitive(primitive) => self.payload(primitive, View::Declared, wire, (start, at), window)?,
            _ => return Err(Error::internal("a promotion to what is no primitive").into()),
        };
        for slot in &slots[1..] {
            self.absent(slot.node, end, Cause::MissingField)?;
        }
        self.close(end)?;
        Ok(end)
    }

    /// Reads the elements of an opened tuple, or the arguments of an opened constructor.
    fn elements(&mut self, case: &Case, row: &Composite<'m>) -> Outcome<usize> {
        let mut at = row.at;
        for (n, slot) in self.plan.slots(case).iter().enumerate() {
            if n as u64 >= row.count {
                self.absent(slot.node, at, Cause::MissingTupleElement(n as u32))?;
            } else {
                at = self.part(slot.node, at, row.window)?;
            }
        }
        let end = row.window.len();
        self.rest(at, row.window)?;
        self.close(end)?;
        Ok(end)
    }

    /// Works like [`value`](Self::value), with primitives inlined because they are the most
    /// frequent.
    #[inline(always)]
    fn part(&mut self, node: u32, at: usize, window: &'m [u8]) -> Outcome<usize> {
        match *self.plan.node(node) {
            Node { shape: Shape::Primitive(primitive), view, .. } => self.primitive(primitive, view, at, window),
            Node { shape: Shape::List(element), view: View::Declared, .. } => self.list(element, at, window),
            _ => self.value(node, at, window),
        }
    }

    /// Reads a message, by docs/spec/extprot.md 5.1. Errors are located at the message or inside
    /// it.
    fn message(&mut self, cases: Run, kind: MessageKind, start: usize, window: &'m [u8]) -> Outcome<usize> {
        let plan = self.plan;
        let (prefix, at) = self.prefix(start, window)?;
        let unknown = || bad(Cause::UnknownTag(prefix.tag), start);
        if prefix.wire != WireType::Tuple {
            if kind == MessageKind::Subset {
                return Err(bad(Cause::BadWireType(Some(prefix.wire.code())), start));
            }
            let case = &plan.cases[cases.at(prefix.tag).ok_or_else(unknown)?];
            if case.promotes != Some(prefix.wire) {
                return Err(bad(Cause::BadWireType(Some(prefix.wire.code())), start));
            }
            let end = match self.promoted_message(case, kind, prefix.wire, (start, at), window) {
                Ok(end) => end,
                Err(halt) => return Err(if kind == MessageKind::Union { within(halt, &case.name) } else { halt }),
            };
            return Ok(end);
        }
        let row = self.composite(start, at, window)?;
        self.check(&row, start)?;
        let case = &plan.cases[cases.at(prefix.tag).ok_or_else(unknown)?];
        let end = row.window.len();
        let union = kind == MessageKind::Union;
        if union && self.open(Open::Variant { name: &case.name, index: case.position }, start, row.at)? == Next::Skip {
            return Ok(end);
        }
        // The header belongs to the variant.
        let from = if union { row.at } else { start };
        if self.open(Open::Record { name: "", len: entries(case) }, from, row.at)? == Next::Enter {
            match self.fields(case, &row) {
                Ok(()) => {}
                Err(halt) => return Err(if union { within(halt, &case.name) } else { halt }),
            }
            self.close(end)?;
        }
        if union {
            self.close(end)?;
        }
        Ok(end)
    }

    #[inline(always)]
    fn fields(&mut self, case: &Case, row: &Composite<'m>) -> Outcome<()> {
        let plan = self.plan;
        let window = row.window;
        let mut at = row.at;
        let mut told = 0;
        for (n, (slot, name)) in plan.slots(case).iter().zip(&plan.names[case.slots.range()]).enumerate() {
            let present = (n as u64) < row.count;
            if !slot.wanted {
                if present {
                    at = skip::value(window, at).map_err(|why| broken(why, at, window))?;
                }
                continue;
            }
            if !case.plain {
                if matches!(plan.node(slot.node).view, View::Optional | View::Repeated) {
                    let none = if present { self.no_field(at, window)? } else { Some(at) };
                    if let Some(after) = none {
                        at = after;
                        continue;
                    }
                }
                if present && self.unknown && plan.lazy[case.slots.first as usize + n] {
                    self.remark(LAZY, at, at)?;
                }
            }
            let next = self.field(name, told, at)?;
            told += 1;
            let outcome = if !present {
                if next == Next::Skip && plan.node(slot.node).absent != Absent::Missing {
                    continue;
                }
                self.absent(slot.node, at, Cause::MissingField)
            } else if next == Next::Skip {
                skip::value(window, at).map(|end| at = end).map_err(|why| broken(why, at, window))
            } else {
                self.value(slot.node, at, window).map(|end| at = end)
            };
            if let Err(halt) = outcome {
                return Err(if present { self.within_field(halt, case, n, at, window) } else { within(halt, name) });
            }
        }
        self.rest(at, window)
    }

    #[inline(always)]
    fn field(&mut self, name: &str, slot: u32, at: usize) -> Outcome<Next> {
        let span = self.span(at, at);
        self.budget.item(span.start)?;
        match self.sink.field(Field { name: Str::Scratch(name), id: None, slot: Some(slot) }, span)? {
            Next::Stop => Err(Box::new(Halt::Stop)),
            next => Ok(next),
        }
    }

    /// Reads a message of which only the first field is present. `start` and `at` are the offsets
    /// of the value and of its payload.
    fn promoted_message(
        &mut self,
        case: &Case,
        kind: MessageKind,
        wire: WireType,
        (start, at): (usize, usize),
        window: &'m [u8],
    ) -> Outcome<usize> {
        let plan = self.plan;
        let skipped = || skip::payload(window, at, wire).map_err(|why| broken(why, start, window));
        if kind == MessageKind::Union && self.open(Open::Variant { name: &case.name, index: case.position }, start, start)? == Next::Skip {
            return skipped();
        }
        let mut end = at;
        if self.open(Open::Record { name: "", len: entries(case) }, start, start)? == Next::Skip {
            end = skipped()?;
        } else {
            for (n, (slot, name)) in plan.slots(case).iter().zip(&plan.names[case.slots.range()]).enumerate() {
                let next = self.field(name, n as u32, if n == 0 { start } else { end })?;
                let outcome = match (n, plan.node(slot.node).shape) {
                    (0, _) if next == Next::Skip => skipped().map(|after| end = after),
                    (0, Shape::Primitive(primitive)) => {
                        self.remark("a bare value on the wire", start, at)?;
                        self.payload(primitive, View::Declared, wire, (start, at), window).map(|after| end = after)
                    }
                    _ if next == Next::Skip && plan.node(slot.node).absent != Absent::Missing => Ok(()),
                    _ => self.absent(slot.node, end, Cause::MissingField),
                };
                if let Err(halt) = outcome {
                    return Err(within(halt, name));
                }
            }
            self.close(end)?;
        }
        if kind == MessageKind::Union {
            self.close(end)?;
        }
        Ok(end)
    }

    /// Emits the default of a value that is absent at `at`; fails with `missing` if there is none.
    fn absent(&mut self, node: u32, at: usize, missing: Cause) -> Outcome<()> {
        match self.plan.node(node).absent {
            Absent::Missing => Err(bad(missing, at)),
            Absent::Broken => Err(bad(Cause::MissingField, at)),
            Absent::Default if self.defaults => self.default(node, at),
            Absent::Default => Ok(()),
        }
    }

    /// Emits a default value with empty spans (docs/spec/extprot.md 6). The budget limits the
    /// number of its values.
    fn default(&mut self, node: u32, at: usize) -> Outcome<()> {
        let plan = self.plan;
        let Node { shape, literal, .. } = plan.node(node);
        match *shape {
            Shape::Primitive(_) => {
                let scalar = match literal {
                    Some(Literal::Bool(value)) => Scalar::Bool(*value),
                    Some(Literal::Byte(value)) => Scalar::uint(u64::from(*value)),
                    Some(Literal::Int(value)) => Scalar::int(*value),
                    Some(Literal::Float(value)) => Scalar::f64(*value),
                    Some(Literal::Bytes(bytes)) => match std::str::from_utf8(bytes) {
                        Ok(text) => Scalar::Text(Str::Scratch(text)),
                        Err(_) => Scalar::Octets(Str::Scratch(bytes)),
                    },
                    None => return Err(bad(Cause::MissingField, at)),
                };
                let span = self.span(at, at);
                self.budget.item(span.start)?;
                self.sink.scalar(scalar, span)?;
            }
            Shape::List(_) => {
                if self.open(Open::List(Len::Claimed(0)), at, at)? == Next::Enter {
                    self.close(at)?;
                }
            }
            Shape::Tuple(case) => {
                let case = &plan.cases[case as usize];
                if self.open(Open::Tuple(Len::Claimed(u64::from(case.slots.len))), at, at)? == Next::Enter {
                    for slot in plan.slots(case) {
                        self.default(slot.node, at)?;
                    }
                    self.close(at)?;
                }
            }
            Shape::Sum { constants, .. } => {
                let Some(first) = constants.at(0) else { return Err(bad(Cause::MissingField, at)) };
                let (name, position) = &plan.constants[first];
                if self.open(Open::Variant { name, index: *position }, at, at)? == Next::Enter {
                    self.close(at)?;
                }
            }
            Shape::Message { cases, kind, .. } => {
                let case = &plan.cases[cases.first as usize];
                if kind == MessageKind::Union && self.open(Open::Variant { name: &case.name, index: case.position }, at, at)? == Next::Skip
                {
                    return Ok(());
                }
                if self.open(Open::Record { name: "", len: entries(case) }, at, at)? == Next::Enter {
                    let wanted = plan.slots(case).iter().zip(&plan.names[case.slots.range()]).filter(|(slot, _)| slot.wanted);
                    for (told, (slot, name)) in wanted.enumerate() {
                        let next = self.field(name, told as u32, at)?;
                        if next == Next::Enter {
                            self.default(slot.node, at)?;
                        }
                    }
                    self.close(at)?;
                }
                if kind == MessageKind::Union {
                    self.close(at)?;
                }
            }
            Shape::External | Shape::Deferred(_) | Shape::Nested(_) | Shape::Marked { .. } => return Err(bad(Cause::MissingField, at)),
        }
        Ok(())
    }
}

/// Returns the number of fields that a row of values is emitted with.
fn entries(case: &Case) -> Len {
    if case.fixed { Len::Claimed(u64::from(case.wanted)) } else { Len::Unknown }
}

/// Converts a number by its view.
fn viewed<'s>(view: View, number: i64, declared: Scalar<'s, 's>) -> Scalar<'s, 's> {
    match (view, declared) {
        (View::Unsigned, _) => Scalar::uint(number as u64),
        (View::Single, Scalar::F64(value, _)) => Scalar::f32(value as f32),
        (View::Whole, Scalar::F64(value, _)) => Scalar::number(value),
        _ => declared,
    }
}

/// Converts a string by its view.
fn viewed_string(view: View, bytes: &[u8]) -> Scalar<'_, '_> {
    match (view, std::str::from_utf8(bytes)) {
        (View::Bytes, _) => Scalar::Bytes(Str::Input(bytes)),
        (View::Number, Ok(text)) => match classify(text) {
            Lexical::Int(value) => Scalar::int(value),
            Lexical::UInt(value) => Scalar::uint(value),
            Lexical::F64(value) => Scalar::f64(value),
            Lexical::Big => Scalar::big(Str::Input(text)),
            Lexical::Decimal => Scalar::decimal(Str::Input(text)),
            Lexical::Bool(_) | Lexical::Text => Scalar::Text(Str::Input(text)),
        },
        (View::Moment, Ok(text)) => Timestamp::from_rfc3339(text).map_or(Scalar::Text(Str::Input(text)), Scalar::Time),
        _ => text_or_octets(bytes),
    }
}

/// Adds the name of a field, variant or message to the path of an error.
#[cold]
fn within(mut halt: Box<Halt>, name: &str) -> Box<Halt> {
    if let Halt::Bad(failure, _) = &mut *halt {
        failure.path.push(name.to_string());
    }
    halt
}

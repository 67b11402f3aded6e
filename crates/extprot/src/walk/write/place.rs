//! The steps of writing: containers open and close, fields find their places.

use polywire_core::bytes::Mark;
use polywire_core::walk::{Path, PathStep};
use polywire_core::{Error, ErrorKind, Fault, Field, Len, Next, Note, Open, Result, Scalar, Sink, Span, Str};

use super::state::{CHOICE, Frame, FrameKind, Skipped, State, Text, Want, Write};
use crate::model::Primitive;
use crate::plan::{self, Case, MessageKind, Node, Plan, Run, Shape};
use crate::walk::shared::MAX_NESTED;
use crate::walk::unknown::{Kept, elements};
use crate::wire::WireType;

const UNKNOWN_FIELD: &str = "field that the protocol does not have dropped";
const DOUBLED_FIELD: &str = "field of a name that was there already dropped";
const UNNAMED: &str = "entry whose key is no text dropped";
const SAMPLES: &str = "a value of the type of its samples";

impl Write<'_> {
    /// Starts a composite whose count comes next. Returns the gap of its length.
    #[inline(always)]
    pub(super) fn header(&mut self, wire: WireType, tag: u64) -> Mark {
        match wire.prefix(tag) {
            prefix @ 0..0x80 => self.s.out.byte(prefix as u8),
            prefix => self.s.out.varint(prefix),
        }
        self.s.out.open()
    }

    #[inline(always)]
    pub(super) fn end(&mut self, length: Mark) {
        let len = self.s.out.since(length) as u64;
        self.s.out.close_varint(length, len);
    }

    /// Starts a composite whose values come next; `None` means that the count is unknown.
    #[inline(always)]
    fn push(&mut self, kind: FrameKind, wire: WireType, tag: u64, count: Option<u64>, opened: &'static str, at: Span) {
        let length = self.header(wire, tag);
        let count = match count {
            Some(count @ 0..0x80) => {
                self.s.out.byte(count as u8);
                None
            }
            Some(count) => {
                self.s.out.varint(count);
                None
            }
            None => Some(self.s.out.open()),
        };
        self.s.frames.push(Frame { kind, length: Some(length), count, number: 0, opened, at });
    }

    /// Starts a composite around one value.
    pub(super) fn around(&mut self, wire: WireType, tag: u64, opened: &'static str, at: Span) {
        self.push(FrameKind::One, wire, tag, Some(1), opened, at);
    }

    /// Starts a string that holds one value.
    pub(super) fn nested(&mut self, inner: u32, opened: &'static str, at: Span) -> Result<()> {
        if self.s.frames.iter().filter(|frame| matches!(frame.kind, FrameKind::Nested)).count() == MAX_NESTED {
            let error = Error::new(ErrorKind::Limit, Fault::Data);
            return Err(error.seen(format!("more than {MAX_NESTED} values of one type within each other")).at(at.start));
        }
        let length = Some(self.header(WireType::Bytes, 0));
        self.s.frames.push(Frame { kind: FrameKind::Nested, length, count: None, number: 0, opened, at });
        self.s.want = Want::Value(inner);
        Ok(())
    }

    /// Opens a container that has no bytes of its own.
    fn bare(&mut self, kind: FrameKind, want: Want, opened: &'static str, at: Span) {
        self.s.frames.push(Frame { kind, length: None, count: None, number: 0, opened, at });
        self.s.want = want;
    }

    /// Starts a tuple or the arguments of a constructor.
    pub(super) fn row(&mut self, case: u32, wire: WireType, tag: u64, constructor: bool, opened: &'static str, at: Span) {
        let slots = self.plan.cases[case as usize].slots;
        let count = (!self.s.keeps).then_some(u64::from(slots.len));
        self.push(FrameKind::Row { slots, constructor: constructor.then_some(case) }, wire, tag, count, opened, at);
        self.s.want = if slots.len == 0 { Want::End } else { Want::Value(self.plan.slots[slots.first as usize].node) };
    }

    fn record(&mut self, case: u32, tag: u64, opened: &'static str, at: Span) {
        let slots = self.plan.cases[case as usize].slots;
        let count = (!self.s.keeps).then_some(u64::from(slots.len));
        let kind = FrameKind::Record { slots, field: 0, skipped: self.s.skipped.len(), late: None };
        self.push(kind, WireType::Tuple, tag, count, opened, at);
        self.s.want = Want::Name;
    }

    /// Closes the innermost container.
    #[inline(always)]
    fn pop(&mut self) {
        if let Some(Frame { length: Some(length), .. }) = self.s.frames.pop() {
            self.end(length);
        }
    }

    /// Notes that a value is complete.
    #[inline]
    pub(super) fn done(&mut self) {
        let plan = self.plan;
        while let Some(frame) = self.s.frames.last_mut() {
            match &mut frame.kind {
                FrameKind::Record { late, .. } => {
                    if let Some(late) = late.take() {
                        let Skipped { mark, piece, .. } = self.s.skipped[late];
                        if let Some(piece) = piece {
                            self.s.out.place(mark, piece);
                        }
                    }
                    self.s.want = Want::Name;
                    return;
                }
                FrameKind::Row { slots, .. } => {
                    frame.number += 1;
                    self.s.want = slots.at(frame.number).map_or(Want::End, |slot| Want::Value(plan.slots[slot].node));
                    return;
                }
                FrameKind::List { element, .. } => {
                    frame.number += 1;
                    self.s.want = Want::Value(*element);
                    return;
                }
                FrameKind::Pairs { .. } => {
                    frame.number += 1;
                    self.s.want = Want::Name;
                    return;
                }
                FrameKind::Pair { value, .. } if frame.number == 0 => {
                    frame.number = 1;
                    self.s.want = Want::Value(*value);
                    return;
                }
                FrameKind::Pair { .. } => self.pop(),
                FrameKind::One | FrameKind::Nested => self.pop(),
                FrameKind::Naming { .. } | FrameKind::Variant { .. } | FrameKind::Constant | FrameKind::Marked => break,
            }
        }
        self.s.want = Want::End;
    }

    #[inline]
    pub(super) fn scalar(&mut self, scalar: &Scalar<'_, '_>, at: Span) -> Result<()> {
        if self.s.depth > 0 {
            return self.s.held.scalar(scalar.scratch(), at);
        }
        if self.s.keeps {
            return self.kept_scalar(scalar, at);
        }
        if let Want::Value(node) = self.s.want {
            self.scalar_of(node, scalar, at)?;
            match self.s.frames.last() {
                Some(Frame { kind: FrameKind::Record { late: None, .. }, .. }) => self.s.want = Want::Name,
                _ => self.done(),
            }
            return Ok(());
        }
        self.stray_scalar(scalar, at)
    }

    /// Handles a scalar where something other than a typed value is wanted.
    fn stray_scalar(&mut self, scalar: &Scalar<'_, '_>, at: Span) -> Result<()> {
        match self.s.want {
            Want::Value(_) => Err(Error::internal("a value that is wanted")),
            Want::Name => {
                if let Some(key) = self.pair(at) {
                    self.scalar_of(key, scalar, at)?;
                    self.done();
                } else {
                    self.s.want = Want::Dropped(UNNAMED);
                }
                Ok(())
            }
            Want::Dropped(why) => {
                self.s.losses.value(why, at);
                self.s.want = Want::Name;
                Ok(())
            }
            Want::Arguments { case, tag } => {
                let arguments = self.plan.slots(&self.plan.cases[case as usize]);
                if arguments.len() > 1 {
                    return Err(Write::misfit(scalar.kind(), "a list of arguments", at));
                }
                self.inside(WireType::Tuple, tag, arguments[0].node, scalar, at)?;
                self.done();
                Ok(())
            }
            Want::NoArgument if *scalar == Scalar::Null => {
                self.done();
                Ok(())
            }
            Want::NoArgument => Err(Write::misfit(scalar.kind(), NO_ARGUMENT, at)),
            Want::Fields { .. } => Err(Write::misfit(scalar.kind(), "a record", at)),
            Want::End => Err(self.surplus(at)),
        }
    }

    #[inline]
    pub(super) fn open(&mut self, open: Open<'_>, at: Span) -> Result<Next> {
        if self.s.depth > 0 {
            self.s.depth += 1;
            return self.s.held.open(open, at);
        }
        let tag = if self.s.keeps { self.settle(true) } else { 0 };
        match self.s.want {
            Want::Value(node) => return self.open_value(node, open, tag, at),
            Want::Name => match self.pair(at) {
                Some(key) => return self.open_value(key, open, 0, at),
                None => {
                    self.s.want = Want::Dropped(UNNAMED);
                    return Ok(Next::Skip);
                }
            },
            Want::Dropped(why) => {
                self.s.losses.value(why, at);
                self.s.want = Want::Name;
                return Ok(Next::Skip);
            }
            Want::Fields { case, tag } => match open {
                Open::Record { .. } | Open::Map(_) => self.record(case, tag, open.kind(), at),
                _ => return Err(Write::misfit(open.kind(), "a record", at)),
            },
            Want::Arguments { case, tag } => {
                let arguments = self.plan.slots(&self.plan.cases[case as usize]);
                let is_list = matches!(open, Open::List(_) | Open::Tuple(_));
                // A list for one argument holds the arguments, unless the argument is a list
                // itself.
                let shape = self.plan.node(arguments[0].node).shape;
                if is_list && (arguments.len() > 1 || !matches!(shape, Shape::List(_) | Shape::Tuple(_))) {
                    self.row(case, WireType::Tuple, tag, false, open.kind(), at);
                } else if arguments.len() > 1 {
                    return Err(Write::misfit(open.kind(), "a list of arguments", at));
                } else {
                    self.around(WireType::Tuple, tag, open.kind(), at);
                    return self.open_inside(arguments[0].node, open, at);
                }
            }
            Want::NoArgument => match open {
                Open::Tagged { .. } => return Err(Write::misfit(open.kind(), NO_ARGUMENT, at)),
                _ => self.bare(FrameKind::Constant, Want::End, open.kind(), at),
            },
            Want::End => return Err(self.surplus(at)),
        }
        Ok(Next::Enter)
    }

    /// Opens a value of type `node`; `tag` is the tag that a tuple was read with. Recursion is
    /// bounded by the depth of types.
    fn open_value(&mut self, node: u32, open: Open<'_>, tag: u64, at: Span) -> Result<Next> {
        let plan = self.plan;
        let &Node { shape, view, .. } = plan.node(node);
        let opened = open.kind();
        let is_list = matches!(open, Open::List(_) | Open::Tuple(_));
        let is_named = matches!(open, Open::Map(_) | Open::Record { .. });
        match (shape, view) {
            (Shape::Message { cases, kind: MessageKind::Plain, .. }, plan::View::Declared) if is_named => {
                self.record(cases.first, 0, opened, at);
            }
            (Shape::Sum { constants, cases }, plan::View::Declared) => match open {
                Open::Variant { name, index } => self.variant(constants, cases, name, index, at)?,
                _ if is_named => self.bare(FrameKind::Naming { node, case: None }, Want::Name, opened, at),
                _ => return Err(Write::misfit(opened, "a case of a sum type", at)),
            },
            (Shape::List(element), plan::View::Declared) if is_list => self.list(element, open, at),
            (Shape::List(element), plan::View::Repeated) if matches!(open, Open::List(_)) => self.list(element, open, at),
            (Shape::Tuple(case), plan::View::Declared | plan::View::Row) if is_list => {
                self.row(case, WireType::Tuple, tag, false, opened, at);
            }
            (Shape::Message { cases, kind: MessageKind::Union, .. }, plan::View::Declared) => match open {
                Open::Variant { name, index } => {
                    let number = self.case(cases, name, Some(index)).ok_or_else(|| Write::unknown_case(name, Some(index), at))?;
                    let case = cases.first + number as u32;
                    self.bare(FrameKind::Variant { case }, Want::Fields { case, tag: number as u64 }, opened, at);
                }
                _ if is_named => self.bare(FrameKind::Naming { node, case: None }, Want::Name, opened, at),
                _ => return Err(Write::misfit(opened, "a variant", at)),
            },
            (Shape::Primitive(_), plan::View::Any) => {
                self.s.want = Want::Value(node);
                return self.hold(open, at);
            }
            (Shape::Nested(inner), _) => {
                self.nested(inner, opened, at)?;
                return self.open_inside(inner, open, at);
            }
            (Shape::Marked { mark, inner }, _) => {
                let (space, code) = &plan.marks[mark as usize];
                match open {
                    Open::Tagged { space: own, code: mark } if *own == **space && mark == *code => {
                        self.bare(FrameKind::Marked, Want::Value(inner), opened, at);
                    }
                    _ => return Err(Write::misfit(opened, SAMPLES, at)),
                }
            }
            (Shape::Message { cases, .. }, plan::View::Wrapper) => {
                self.around(WireType::Tuple, 0, opened, at);
                return self.open_inside(plan.slots(&plan.cases[cases.first as usize])[0].node, open, at);
            }
            (Shape::List(element), plan::View::Repeated) => {
                self.around(WireType::Htuple, 0, opened, at);
                return self.open_inside(element, open, at);
            }
            (Shape::List(pair), plan::View::Pairs) if is_named => self.pairs(pair, open, at)?,
            (Shape::Sum { .. }, plan::View::Named) if is_named => self.bare(FrameKind::Naming { node, case: None }, Want::Name, opened, at),
            (Shape::Sum { cases, .. }, plan::View::Nullable | plan::View::Optional | plan::View::Untagged) => match cases.len {
                0 => return Err(Write::misfit(opened, CHOICE, at)),
                1 => {
                    self.argument(cases, 0, opened, at);
                    return self.open_inside(plan.slots(&plan.cases[cases.first as usize])[0].node, open, at);
                }
                _ => {
                    self.s.want = Want::Value(node);
                    return self.hold(open, at);
                }
            },
            (_, view) if view != plan::View::Declared => return Err(Write::misfit(opened, SAMPLES, at)),
            (Shape::Primitive(primitive), _) => return Err(Write::misfit(opened, primitive.name(), at)),
            (Shape::List(_), _) => return Err(Write::misfit(opened, "a list", at)),
            (Shape::Tuple(_), _) => return Err(Write::misfit(opened, "a tuple", at)),
            (Shape::Message { kind: MessageKind::Plain, .. }, _) => return Err(Write::misfit(opened, "a record", at)),
            (Shape::Message { .. } | Shape::External | Shape::Deferred(_) | Shape::Sum { .. }, _) => {
                return Err(Error::internal("a type without an encoder"));
            }
        }
        Ok(Next::Enter)
    }

    /// Opens the value inside the composite that [`Write::around`] started.
    fn open_inside(&mut self, node: u32, open: Open<'_>, at: Span) -> Result<Next> {
        self.s.want = Want::Value(node);
        self.open_value(node, open, 0, at)
    }

    fn list(&mut self, element: u32, open: Open<'_>, at: Span) {
        let claimed = claimed(open);
        self.push(FrameKind::List { element, claimed }, WireType::Htuple, 0, claimed, open.kind(), at);
        self.s.want = Want::Value(element);
    }

    fn pairs(&mut self, pair: u32, open: Open<'_>, at: Span) -> Result<()> {
        let plan = self.plan;
        let slots = match plan.node(pair).shape {
            Shape::Tuple(case) => plan.slots(&plan.cases[case as usize]),
            _ => &[],
        };
        let [key, value] = slots else { return Err(Error::internal("a map of something else than pairs")) };
        let claimed = claimed(open);
        let kind = FrameKind::Pairs { key: key.node, value: value.node, claimed };
        self.push(kind, WireType::Htuple, 0, claimed, open.kind(), at);
        self.s.want = Want::Name;
        Ok(())
    }

    fn variant(&mut self, constants: Run, cases: Run, name: &str, index: u32, at: Span) -> Result<()> {
        if let Some(number) = self.constant(constants, name, Some(index)) {
            self.s.out.varint(WireType::Enum.prefix(number as u64));
            self.bare(FrameKind::Constant, Want::End, "variant", at);
            return Ok(());
        }
        let number = self.case(cases, name, Some(index)).ok_or_else(|| Write::unknown_case(name, Some(index), at))?;
        self.row(cases.first + number as u32, WireType::Tuple, number as u64, true, "variant", at);
        Ok(())
    }

    /// Returns the number of a constant constructor, by name, or by position if the name is empty.
    pub(super) fn constant(&self, constants: Run, name: &str, index: Option<u32>) -> Option<usize> {
        let matches = |(known, position): &(Box<str>, u32)| **known == *name || name.is_empty() && index == Some(*position);
        self.plan.constants[constants.range()].iter().position(matches)
    }

    /// Returns the number of a constructor or variant in the same way.
    pub(super) fn case(&self, cases: Run, name: &str, index: Option<u32>) -> Option<usize> {
        let matches = |case: &Case| *case.name == *name || name.is_empty() && index == Some(case.position);
        self.plan.cases[cases.range()].iter().position(matches)
    }

    /// Starts the next pair of a map. Returns the type of its key.
    fn pair(&mut self, at: Span) -> Option<u32> {
        let Some(&Frame { kind: FrameKind::Pairs { key, value, .. }, .. }) = self.s.frames.last() else { return None };
        self.push(FrameKind::Pair { value, named: None }, WireType::Tuple, 0, Some(2), "entry", at);
        self.s.want = Want::Value(key);
        Some(key)
    }

    #[inline]
    pub(super) fn field(&mut self, name: &str, at: Span) -> Result<Next> {
        if self.s.depth > 0 {
            return self.s.held.field(Field::named(Str::Scratch(name)), at);
        }
        if self.s.keeps {
            self.settle(false);
        }
        let plan = self.plan;
        match (self.s.want, self.s.frames.last_mut()) {
            (Want::Name, Some(frame)) => match &mut frame.kind {
                FrameKind::Record { slots, field, .. } => {
                    if let Some(slot) = slots.at(frame.number)
                        && *plan.names[slot] == *name
                    {
                        *field = frame.number as u32;
                        frame.number += 1;
                        self.s.want = Want::Value(plan.slots[slot].node);
                        return Ok(Next::Enter);
                    }
                    let slots = *slots;
                    self.field_out_of_order(slots, name);
                    Ok(Next::Enter)
                }
                FrameKind::Pairs { key, .. } => {
                    if plan.node(*key).shape != Shape::Primitive(Primitive::String) {
                        return Err(Write::misfit("text", "a key of the type of its samples", at));
                    }
                    self.pair(at);
                    let len = name.len();
                    self.string(name.as_bytes());
                    let start = self.s.out.position() - len;
                    if let Some(Frame { kind: FrameKind::Pair { named, .. }, .. }) = self.s.frames.last_mut() {
                        *named = Some(Text { start, len });
                    }
                    self.done();
                    Ok(Next::Enter)
                }
                FrameKind::Naming { node, .. } => {
                    let node = *node;
                    self.naming(node, name, at)?;
                    Ok(Next::Enter)
                }
                _ => Err(Error::internal("a field outside of a record")),
            },
            (Want::End, _) => Err(self.surplus(at)),
            _ => Err(Error::internal("a field without a record")),
        }
    }

    /// Handles a field that is not the next one of its record.
    fn field_out_of_order(&mut self, slots: Run, name: &str) {
        let plan = self.plan;
        let Some(number) = self.index.find(plan, slots, name) else {
            self.s.want = Want::Dropped(UNKNOWN_FIELD);
            return;
        };
        let Some(frame) = self.s.frames.last_mut() else { return };
        let FrameKind::Record { field, skipped, late, .. } = &mut frame.kind else { return };
        if u64::from(number) < frame.number {
            let start = *skipped;
            match self.s.skipped[start..].binary_search_by_key(&number, |skipped| skipped.slot) {
                Ok(found) if self.s.skipped[start + found].piece.is_none() => {
                    self.s.skipped[start + found].piece = Some(self.s.out.piece());
                    *late = Some(start + found);
                }
                _ => {
                    self.s.want = Want::Dropped(DOUBLED_FIELD);
                    return;
                }
            }
        } else {
            for slot in frame.number as u32..number {
                self.s.skipped.push(Skipped { slot, mark: self.s.out.open(), piece: None });
            }
            frame.number = u64::from(number) + 1;
        }
        *field = number;
        self.s.want = Want::Value(plan.slots[(slots.first + number) as usize].node);
    }

    /// Handles the name of a case, given as the only field of a record.
    fn naming(&mut self, node: u32, name: &str, at: Span) -> Result<()> {
        let plan = self.plan;
        let (constants, cases, is_union) = match plan.node(node).shape {
            Shape::Sum { constants, cases } => (constants, cases, false),
            Shape::Message { cases, .. } => (Run { first: 0, len: 0 }, cases, true),
            _ => return Err(Error::internal("a case of a type without cases")),
        };
        let view = plan.node(node).view;
        if view == plan::View::Declared
            && let Some(number) = self.constant(constants, name, None)
        {
            self.s.out.varint(WireType::Enum.prefix(number as u64));
            self.s.want = Want::NoArgument;
            return Ok(());
        }
        let number = self.case(cases, name, None).ok_or_else(|| Write::unknown_case(name, None, at))?;
        let (chosen, tag) = (cases.first + number as u32, number as u64);
        if let Some(Frame { kind: FrameKind::Naming { case, .. }, .. }) = self.s.frames.last_mut() {
            *case = Some(chosen);
        }
        if is_union {
            self.s.want = Want::Fields { case: chosen, tag };
        } else if view == plan::View::Declared {
            self.s.want = Want::Arguments { case: chosen, tag };
        } else {
            self.argument(cases, number, "record", at);
        }
        Ok(())
    }

    pub(super) fn close(&mut self, at: Span) -> Result<()> {
        if self.s.depth > 0 {
            self.s.held.close(at)?;
            self.s.depth -= 1;
            return if self.s.depth == 0 { self.release() } else { Ok(()) };
        }
        if self.s.keeps {
            self.settle(false);
        }
        let Some(frame) = self.s.frames.last() else { return Err(Error::internal("a close without its open")) };
        match frame.kind {
            FrameKind::Record { slots, skipped, .. } => self.close_record(slots, skipped)?,
            FrameKind::Row { .. } => return self.close_row().map(|()| self.done()),
            FrameKind::List { claimed, .. } | FrameKind::Pairs { claimed, .. } => {
                let number = frame.number;
                match (claimed, frame.count) {
                    (Some(claimed), _) if claimed != number => {
                        return Err(Error::internal(format!("{number} values where {claimed} were announced")));
                    }
                    (_, Some(count)) => self.s.out.close_varint(count, number),
                    _ => {}
                }
            }
            FrameKind::Naming { .. } | FrameKind::Variant { .. } | FrameKind::Marked if !matches!(self.s.want, Want::End) => {
                let expected = match frame.kind {
                    FrameKind::Variant { .. } => "a variant with fields",
                    FrameKind::Marked => "a marked value",
                    _ => NAMING,
                };
                return Err(Write::misfit(frame.opened, expected, frame.at));
            }
            FrameKind::Naming { .. } | FrameKind::Variant { .. } | FrameKind::Constant | FrameKind::Marked => {}
            FrameKind::One | FrameKind::Nested | FrameKind::Pair { .. } => return Err(Error::internal("a close inside of a value")),
        }
        self.pop();
        self.done();
        Ok(())
    }

    fn close_record(&mut self, slots: Run, skipped: usize) -> Result<()> {
        let plan = self.plan;
        let name = |slot: u32| move || format!("a field `{}`, which has no default", plan.names[(slots.first + slot) as usize]);
        for n in skipped..self.s.skipped.len() {
            let Skipped { slot, mark, piece } = self.s.skipped[n];
            if piece.is_none() {
                self.at_field(slot);
                self.absent_at(mark, plan.slots[(slots.first + slot) as usize].node, name(slot))?;
            }
        }
        self.s.skipped.truncate(skipped);
        let Some(frame) = self.s.frames.last_mut() else { return Ok(()) };
        for slot in frame.number as u32..slots.len {
            self.at_field(slot);
            self.absent(plan.slots[(slots.first + slot) as usize].node, name(slot))?;
        }
        self.count_slots(slots);
        Ok(())
    }

    /// Sets the field that errors name.
    fn at_field(&mut self, slot: u32) {
        if let Some(Frame { kind: FrameKind::Record { field, .. }, .. }) = self.s.frames.last_mut() {
            *field = slot;
        }
    }

    /// Closes a tuple or the arguments of a constructor.
    pub(super) fn close_row(&mut self) -> Result<()> {
        let Some(&Frame { kind: FrameKind::Row { slots, constructor }, number, opened, .. }) = self.s.frames.last() else {
            return Err(Error::internal("a row that is none"));
        };
        for n in number as u32..slots.len {
            let node = self.plan.slots[(slots.first + n) as usize].node;
            let wanted =
                || if opened == "text" && constructor.is_some() { "its arguments".to_string() } else { format!("{} values", slots.len) };
            self.absent(node, wanted)?;
            if let Some(frame) = self.s.frames.last_mut() {
                frame.number += 1;
            }
        }
        self.count_slots(slots);
        self.pop();
        Ok(())
    }

    /// Fills in the count of a complete record or row.
    #[inline(always)]
    fn count_slots(&mut self, slots: Run) {
        if let Some(&Frame { count: Some(count), number, .. }) = self.s.frames.last() {
            self.s.out.close_varint(count, number.max(u64::from(slots.len)));
        }
    }

    /// Returns the error of a value where none is allowed.
    #[cold]
    fn surplus(&self, at: Span) -> Error {
        match self.s.frames.last().map(|frame| (frame.kind, frame.opened, frame.at)) {
            Some((FrameKind::Row { slots, .. }, ..)) => Error::new(ErrorKind::Unsupported, Fault::Data)
                .seen(format!("value {} of a row", slots.len + 1))
                .expected(format!("at most {}", slots.len))
                .at(at.start),
            Some((FrameKind::Naming { .. }, opened, from)) => Write::misfit(opened, NAMING, from),
            Some((FrameKind::Constant, ..)) => Write::misfit("a value in it", "a case without values", at),
            Some((FrameKind::Marked, ..)) => Write::misfit("a second value in it", "one marked value", at),
            Some((FrameKind::Variant { .. }, ..)) => Write::misfit("a second value in it", "a variant with fields", at),
            _ => Error::internal("a value behind the message"),
        }
    }

    /// Works like [`Write::scalar`], where unknown elements are kept.
    fn kept_scalar(&mut self, scalar: &Scalar<'_, '_>, at: Span) -> Result<()> {
        let tuple = self.s.unknown.first();
        if tuple.is_none() {
            self.settle(false);
        }
        let Want::Value(node) = self.s.want else { return self.stray_scalar(scalar, at) };
        if let Some(more) = tuple {
            let length = self.header(WireType::Tuple, 0);
            let count = self.s.out.open();
            self.scalar_of(node, scalar, at)?;
            if more {
                self.s.unknown.inside(length, count);
            } else {
                self.end_tuple(length, count, 0);
            }
            return Ok(());
        }
        self.scalar_of(node, scalar, at)?;
        self.done();
        Ok(())
    }

    /// Finishes what a remark started, before any other event. Returns the tag of a tuple that
    /// follows, or 0.
    fn settle(&mut self, opens: bool) -> u64 {
        match self.s.unknown.take() {
            Kept::Nothing => 0,
            Kept::Tuple { length, count } => {
                self.end_tuple(length, count, 0);
                0
            }
            Kept::Tag(tag, at) => {
                let is_tuple = |node: u32| matches!(self.plan.node(node).shape, Shape::Tuple(_));
                match self.s.want {
                    Want::Value(node) if opens && is_tuple(node) => tag,
                    _ => {
                        self.s.losses.note(Note::Unknown(&[]), at);
                        0
                    }
                }
            }
        }
    }

    fn end_tuple(&mut self, length: Mark, count: Mark, more: u64) {
        self.s.out.close_varint(count, 1 + more);
        self.end(length);
        self.done();
    }

    /// Handles a remark where unknown elements are kept.
    pub(super) fn remark(&mut self, note: Note<'_>, at: Span) {
        if let Some((length, count)) = self.s.unknown.tuple() {
            // Only elements are kept; other bytes are lost.
            let more = match note {
                Note::Unknown(bytes) => elements(bytes).inspect(|_| self.s.out.put(bytes)),
                _ => None,
            };
            self.end_tuple(length, count, more.unwrap_or(0));
            if more.is_some() {
                return;
            }
        }
        if self.s.unknown.announces(note, at) {
            return;
        }
        if let (Note::Unknown(bytes), Some(frame)) = (note, self.s.frames.last_mut())
            && let FrameKind::Record { slots, .. } | FrameKind::Row { slots, .. } = frame.kind
            && frame.number >= u64::from(slots.len)
            && matches!(self.s.want, Want::Name | Want::End)
            && let Some(elements) = elements(bytes)
        {
            frame.number += elements;
            self.s.out.put(bytes);
            return;
        }
        self.s.losses.note(note, at);
    }
}

const NAMING: &str = "a case of a sum type, as its name, or as a record of one field";
const NO_ARGUMENT: &str = "null, for a case without values";

fn claimed(open: Open<'_>) -> Option<u64> {
    match open {
        Open::List(Len::Claimed(count))
        | Open::Tuple(Len::Claimed(count))
        | Open::Map(Len::Claimed(count))
        | Open::Record { len: Len::Claimed(count), .. } => Some(count),
        _ => None,
    }
}

/// Returns the path of the next value.
#[cold]
pub(super) fn path(plan: &Plan, state: &State) -> Path {
    let mut steps = Vec::new();
    let case = |case: u32| PathStep::Name(plan.cases[case as usize].name.to_string());
    for frame in &state.frames {
        match &frame.kind {
            FrameKind::Record { slots, field, .. } => steps.push(PathStep::Name(plan.names[(slots.first + field) as usize].to_string())),
            FrameKind::One | FrameKind::Nested | FrameKind::Constant | FrameKind::Marked | FrameKind::Pairs { .. } => {}
            FrameKind::Row { constructor, .. } => {
                steps.extend(constructor.map(case));
                steps.push(PathStep::Index(frame.number));
            }
            FrameKind::List { .. } => steps.push(PathStep::Index(frame.number)),
            FrameKind::Pair { named, .. } => {
                let text = named.and_then(|text| state.out.bytes().get(text.start..text.start + text.len));
                steps.extend(text.map(|text| PathStep::Name(String::from_utf8_lossy(text).into_owned())));
            }
            FrameKind::Naming { case: inside, .. } => steps.extend(inside.map(case)),
            FrameKind::Variant { case: inside } => steps.push(case(*inside)),
        }
    }
    Path(steps)
}

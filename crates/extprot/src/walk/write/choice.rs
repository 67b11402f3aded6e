//! Values whose type only their contents show: cases of untagged sums, as in inferred schemas.

use polywire_core::value::{Entry, Item, View, put_any};
use polywire_core::{Next, Open, Result, Scalar, Sink, Span};

use super::state::{CHOICE, Want, Write, only_field};
use crate::model::Primitive;
use crate::plan::{self, Node, Run, Shape};
use crate::wire::WireType;

type Value<'t> = Item<'t, 'static>;

impl Write<'_> {
    /// Holds a container until its contents determine the case.
    pub(super) fn hold(&mut self, open: Open<'_>, at: Span) -> Result<Next> {
        self.s.depth = 1;
        self.s.held.open(open, at)
    }

    /// Writes the held container, which is complete.
    pub(super) fn release(&mut self) -> Result<()> {
        let tree = std::mem::take(&mut self.s.held);
        let outcome = tree.root().map_or(Ok(()), |root| self.replay(root));
        self.s.held = tree.recycle();
        outcome
    }

    /// Writes a value that is known as a whole. Recursion is bounded by its depth.
    fn replay(&mut self, item: Value<'_>) -> Result<()> {
        let at = item.opening();
        let open = match item.view() {
            View::Scalar(scalar) => return self.scalar(&scalar, at),
            View::Open(open) => open,
        };
        // Descends to a type that can be written as its events arrive.
        while let Want::Value(node) = self.s.want {
            match *self.plan.node(node) {
                Node {
                    shape: Shape::Sum { cases, .. }, view: plan::View::Nullable | plan::View::Optional | plan::View::Untagged, ..
                } => {
                    let number = self.chosen(cases, None, Some(item)).ok_or_else(|| Write::misfit(open.kind(), CHOICE, at))?;
                    self.argument(cases, number, open.kind(), at);
                }
                Node { shape: Shape::List(element), view: plan::View::Repeated, .. } if !matches!(open, Open::List(_)) => {
                    self.around(WireType::Htuple, 0, open.kind(), at);
                    self.s.want = Want::Value(element);
                }
                Node { shape: Shape::Nested(inner), .. } => self.nested(inner, open.kind(), at)?,
                _ => break,
            }
        }
        if let Want::Value(node) = self.s.want
            && self.plan.node(node).view == plan::View::Any
        {
            let mut bytes = Vec::new();
            put_any(item, &mut bytes);
            self.string(&bytes);
            self.done();
            return Ok(());
        }
        if self.open(open, at)? != Next::Enter {
            return Ok(());
        }
        for entry in item.entries() {
            match entry {
                Entry::Element(value) => self.replay(value)?,
                Entry::Field(name, value) => {
                    if self.field(name, value.opening())? == Next::Enter {
                        self.replay(value)?;
                    }
                }
                Entry::Pair(key, value) => {
                    self.replay(key)?;
                    self.replay(value)?;
                }
            }
        }
        self.close(Span::NONE)
    }

    /// Opens the constructor with that number, whose only argument follows.
    pub(super) fn argument(&mut self, cases: Run, number: usize, opened: &'static str, at: Span) {
        let case = cases.first + number as u32;
        self.around(WireType::Tuple, number as u64, opened, at);
        self.s.want = Want::Value(self.plan.slots(&self.plan.cases[case as usize])[0].node);
    }

    /// Returns the number of the first case that fits a value, given as a scalar or as an item.
    pub(super) fn chosen(&self, cases: Run, scalar: Option<Scalar<'_, '_>>, item: Option<Value<'_>>) -> Option<usize> {
        let plan = self.plan;
        let fits = |case: &plan::Case| plan.slots(case).first().is_some_and(|slot| self.fits(slot.node, scalar, item));
        // If nothing fits and there is one case, its error explains the misfit best.
        plan.cases[cases.range()].iter().position(fits).or((cases.len == 1).then_some(0))
    }

    /// Returns whether a value fits type `node`, judged by the value alone.
    fn fits(&self, node: u32, scalar: Option<Scalar<'_, '_>>, item: Option<Value<'_>>) -> bool {
        let plan = self.plan;
        let &Node { shape, view, .. } = plan.node(node);
        let opened = |fits: fn(Open<'_>) -> bool| match item.map(Item::view) {
            Some(View::Open(open)) => fits(open),
            _ => false,
        };
        let scalar = scalar.or(match item.map(Item::view) {
            Some(View::Scalar(scalar)) => Some(scalar),
            _ => None,
        });
        let is_list = |open: Open<'_>| matches!(open, Open::List(_) | Open::Tuple(_));
        let is_named = |open: Open<'_>| matches!(open, Open::Map(_) | Open::Record { .. });
        match (shape, view) {
            (_, plan::View::Any) => true,
            (Shape::Primitive(Primitive::Bool), _) => matches!(scalar, Some(Scalar::Bool(_))),
            (Shape::Primitive(Primitive::Byte), _) => matches!(scalar, Some(Scalar::UInt(0..=255, _))),
            (Shape::Primitive(Primitive::Int | Primitive::Long), plan::View::Unsigned) => matches!(scalar, Some(Scalar::UInt(..))),
            (Shape::Primitive(Primitive::Int | Primitive::Long), _) => {
                matches!(scalar, Some(Scalar::Int(..) | Scalar::UInt(0..=0x7fff_ffff_ffff_ffff, _)))
            }
            (Shape::Primitive(Primitive::Float), plan::View::Single) => matches!(scalar, Some(Scalar::F32(..))),
            (Shape::Primitive(Primitive::Float), _) => {
                matches!(scalar, Some(Scalar::F64(..) | Scalar::F32(..) | Scalar::Int(..) | Scalar::UInt(..) | Scalar::Decimal(..)))
            }
            (Shape::Primitive(Primitive::String), plan::View::Number) => {
                matches!(scalar, Some(Scalar::Int(..) | Scalar::UInt(..) | Scalar::Big(..) | Scalar::Decimal(..) | Scalar::F64(..)))
            }
            (Shape::Primitive(Primitive::String), plan::View::Bytes) => matches!(scalar, Some(Scalar::Bytes(_))),
            (Shape::Primitive(Primitive::String), plan::View::Moment) => matches!(scalar, Some(Scalar::Time(_))),
            (Shape::Primitive(Primitive::String), _) => matches!(scalar, Some(Scalar::Text(_) | Scalar::Octets(_))),
            (Shape::List(_), plan::View::Pairs) => opened(is_named),
            (Shape::List(_), _) => opened(is_list),
            (Shape::Tuple(case), _) => {
                let slots = plan.cases[case as usize].slots.len as usize;
                opened(is_list) && item.is_some_and(|item| item.entries().take(slots + 1).count() == slots)
            }
            (Shape::Sum { constants, cases }, plan::View::Named) => match (scalar, item.and_then(only_field)) {
                (Some(Scalar::Text(name)), _) => plan.constants[constants.range()].iter().any(|(known, _)| **known == *name.get()),
                (None, Some(name)) => plan.cases[cases.range()].iter().any(|case| *case.name == *name),
                _ => false,
            },
            (Shape::Sum { .. }, plan::View::Declared) => opened(|open| matches!(open, Open::Variant { .. })),
            (Shape::Sum { cases, .. }, _) => {
                scalar == Some(Scalar::Null)
                    || plan.cases[cases.range()]
                        .iter()
                        .any(|case| plan.slots(case).first().is_some_and(|slot| self.fits(slot.node, scalar, item)))
            }
            (Shape::Message { .. }, _) => opened(is_named),
            (Shape::Nested(inner), _) => self.fits(inner, scalar, item),
            (Shape::Marked { mark, .. }, _) => {
                let (space, code) = &plan.marks[mark as usize];
                let same = |open| matches!(open, Open::Tagged { space: own, code: mark } if *own == **space && mark == *code);
                item.is_some_and(|item| matches!(item.view(), View::Open(open) if same(open)))
            }
            (Shape::External | Shape::Deferred(_), _) => false,
        }
    }
}

//! Default values of absent fields (docs/spec/extprot.md 6).

use polywire_core::bytes::{Mark, zigzag};
use polywire_core::{Error, ErrorKind, Fault, Result};

use super::state::Write;
use crate::model::{Literal, Primitive};
use crate::plan::{Absent, Case, Shape, own};
use crate::wire::WireType;

/// Most bytes that the defaults of one absent value may take. Nested types may have exponentially
/// large defaults.
const LARGEST: usize = 16 << 20;

impl Write<'_> {
    /// Writes the default of a value of type `node` that is missing from the innermost container.
    pub(super) fn absent(&mut self, node: u32, wanted: impl FnOnce() -> String) -> Result<()> {
        if self.plan.node(node).absent == Absent::Default {
            return self.default(node, self.s.out.len());
        }
        let (seen, at) = self.s.frames.last().map_or(("message", 0), |frame| (frame.opened, frame.at.start));
        Err(Error::new(ErrorKind::Unsupported, Fault::Data).seen(format!("a {seen} without it")).expected(wanted()).at(at))
    }

    /// Writes that default into a gap.
    pub(super) fn absent_at(&mut self, mark: Mark, node: u32, wanted: impl FnOnce() -> String) -> Result<()> {
        match (self.plan.node(node).shape, self.plan.node(node).absent) {
            (Shape::Sum { .. }, Absent::Default) => self.s.out.close_varint(mark, WireType::Enum.prefix(0)),
            (Shape::List(_), Absent::Default) => self.s.out.close(mark, &[WireType::Htuple.code(), 1, 0]),
            _ => {
                let piece = self.s.out.piece();
                self.absent(node, wanted)?;
                self.s.out.place(mark, piece);
            }
        }
        Ok(())
    }

    /// Writes a default value; `start` is the offset of the outermost one. Recursion is bounded by
    /// the depth of types.
    fn default(&mut self, node: u32, start: usize) -> Result<()> {
        if self.s.out.len() - start > LARGEST {
            return Err(Error::new(ErrorKind::Limit, Fault::Schema)
                .seen(format!("a default value of more than {LARGEST} bytes"))
                .expected("a value in its place"));
        }
        let plan = self.plan;
        let node = plan.node(node);
        let out = &mut self.s.out;
        match node.shape {
            Shape::Primitive(primitive) => match &node.literal {
                Some(Literal::Bool(value)) => out.put(&[own(primitive).code(), u8::from(*value)]),
                Some(Literal::Byte(value)) => out.put(&[own(primitive).code(), *value]),
                Some(Literal::Int(value)) if primitive == Primitive::Int => {
                    out.tagged_varint(own(primitive).code(), zigzag(*value));
                }
                Some(Literal::Int(value)) => out.tagged(own(primitive).code(), value.to_le_bytes()),
                Some(Literal::Float(value)) => out.tagged(own(primitive).code(), value.to_le_bytes()),
                Some(Literal::Bytes(bytes)) => self.string(bytes),
                None => return Err(Error::internal("a default that is none")),
            },
            Shape::List(_) => out.put(&[WireType::Htuple.code(), 1, 0]),
            Shape::Sum { .. } => out.varint(WireType::Enum.prefix(0)),
            Shape::Tuple(case) => self.defaults(&plan.cases[case as usize], start)?,
            Shape::Message { cases, .. } => self.defaults(&plan.cases[cases.first as usize], start)?,
            Shape::External | Shape::Deferred(_) => return Err(Error::internal("a message of another module")),
            Shape::Nested(_) | Shape::Marked { .. } => return Err(Error::internal("a default of a marked or nested value")),
        }
        Ok(())
    }

    fn defaults(&mut self, case: &Case, start: usize) -> Result<()> {
        let slots = self.plan.slots(case);
        let length = self.header(WireType::Tuple, 0);
        self.s.out.varint(slots.len() as u64);
        for slot in slots {
            self.default(slot.node, start)?;
        }
        self.end(length);
        Ok(())
    }
}

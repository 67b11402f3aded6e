//! Whether bytes are a message, without making anything of it.

use crate::failure::{Failure, SizeLimits};
use crate::model::Primitive;
use crate::plan::{Absent, Case, MessageKind, Plan, Shape, accepted};
use crate::walk::explain;
use crate::wire::{self, Prefix, WireType, skip, vint};

/// Holds that `bytes` start with a message of the plan's type, within `limits`; how many bytes it takes. What follows is the caller's.
///
/// # Errors
/// The first thing that is wrong, in the order of section 5.
pub fn validate(plan: &Plan, bytes: &[u8], limits: &SizeLimits) -> Result<usize, Failure> {
    let check = Check { plan, bytes, limits };
    match check.value(plan.root, 0, bytes.len()) {
        Some(end) => Ok(end),
        None => explain(plan, bytes, limits),
    }
}

/// Finds out that something is wrong, not what: reading may run over the end of a composite into the bytes that follow it, and is
/// refused when the end is compared once all elements are read. So each element costs no comparison with that end, and time stays linear, since a
/// run that went too far never comes back.
struct Check<'a> {
    plan: &'a Plan,
    bytes: &'a [u8],
    limits: &'a SizeLimits,
}

impl Check<'_> {
    /// Where the value at `at` ends; at most `end` where that matters: composites keep it, primitives are held to it by their composite.
    fn value(&self, node: u32, at: usize, end: usize) -> Option<usize> {
        match self.plan.node(node).shape {
            Shape::Primitive(primitive) => self.primitive(primitive, at, end),
            Shape::List(element) => self.list(element, at, end),
            Shape::Tuple(case) => self.tuple(&self.plan.cases[case as usize], at, end),
            Shape::Sum { constants, cases } => {
                let (prefix, at) = self.prefix(at)?;
                match prefix.wire {
                    WireType::Enum => (prefix.tag < u64::from(constants.len)).then_some(at),
                    WireType::Tuple => {
                        let case = cases.at(prefix.tag)?;
                        let (stop, count, at) = self.composite(at, end)?;
                        self.row(&self.plan.cases[case], count, at, stop)
                    }
                    wire => self.promoted(&self.plan.cases[cases.at(0)?], wire, at),
                }
            }
            Shape::Message { cases, kind, .. } => {
                let (prefix, at) = self.prefix(at)?;
                let case = &self.plan.cases[cases.at(prefix.tag)?];
                if prefix.wire != WireType::Tuple {
                    return if kind == MessageKind::Subset { None } else { self.promoted(case, prefix.wire, at) };
                }
                let (stop, count, at) = self.limited(at, end)?;
                if kind == MessageKind::Subset { self.subset(case, count, at, stop) } else { self.row(case, count, at, stop) }
            }
            Shape::External => None,
        }
    }

    #[inline(always)]
    fn prefix(&self, at: usize) -> Option<(Prefix, usize)> {
        wire::prefix(self.bytes, at).ok()
    }

    /// End, count, and the place of the first element of a composite that may reach to `end`.
    #[inline(always)]
    fn composite(&self, at: usize, end: usize) -> Option<(usize, u64, usize)> {
        let sizes = wire::sizes(self.bytes, at, end).ok()?;
        Some((sizes.end, sizes.count, sizes.first))
    }

    /// The same of one that limits apply to.
    #[inline(always)]
    fn limited(&self, at: usize, end: usize) -> Option<(usize, u64, usize)> {
        let (stop, count, first) = self.composite(at, end)?;
        // The length counts from behind itself, which is no earlier than where it starts.
        if count > self.limits.elements || (self.limits.message_length < self.bytes.len() as u64 && self.too_long(at)) {
            return None;
        }
        Some((stop, count, first))
    }

    #[cold]
    fn too_long(&self, at: usize) -> bool {
        vint::read(self.bytes, at).is_ok_and(|(length, _)| length > self.limits.message_length)
    }

    #[inline(always)]
    fn primitive(&self, primitive: Primitive, at: usize, end: usize) -> Option<usize> {
        let first = *self.bytes.get(at)?;
        match (primitive, first) {
            (Primitive::Bool | Primitive::Byte, 0x02) => Some(at + 2),
            (Primitive::Int, 0x00) => vint::skip(self.bytes, at + 1).ok(),
            (Primitive::Long, 0x06) | (Primitive::Float, 0x08) => Some(at + 9),
            (Primitive::String, 0x03) => self.string(at + 1),
            _ => self.other(primitive, at, end),
        }
    }

    #[inline(always)]
    fn string(&self, at: usize) -> Option<usize> {
        let (at, end) = wire::length(self.bytes, at).ok()?;
        ((end - at) as u64 <= self.limits.string_length).then_some(end)
    }

    /// A primitive whose prefix is not its own: widened, the first element of a tuple, or in an over-long form.
    #[inline(never)]
    fn other(&self, primitive: Primitive, at: usize, end: usize) -> Option<usize> {
        let (prefix, at) = self.prefix(at)?;
        if prefix.tag != 0 {
            return None;
        }
        if prefix.wire != WireType::Tuple {
            return self.payload(primitive, prefix.wire, at);
        }
        let (stop, count, at) = self.composite(at, end)?;
        if count == 0 {
            return None;
        }
        let (prefix, at) = self.prefix(at)?;
        if prefix.tag != 0 {
            return None;
        }
        (self.payload(primitive, prefix.wire, at)? <= stop).then_some(stop)
    }

    /// The payload of a primitive from a wire type that it accepts.
    fn payload(&self, primitive: Primitive, wire: WireType, at: usize) -> Option<usize> {
        if accepted(primitive) >> wire.code() & 1 == 0 {
            None
        } else if wire == WireType::Bytes {
            self.string(at)
        } else {
            skip::payload(self.bytes, at, wire).ok()
        }
    }

    fn list(&self, element: u32, at: usize, end: usize) -> Option<usize> {
        let (prefix, at) = self.prefix(at)?;
        if prefix.wire != WireType::Htuple {
            return None;
        }
        let (stop, count, mut at) = self.limited(at, end)?;
        match self.plan.node(element).shape {
            Shape::Primitive(primitive @ (Primitive::Bool | Primitive::Byte)) => at = self.bytes_in_a_row(primitive, count, at, stop)?,
            Shape::Primitive(primitive) => {
                for _ in 0..count {
                    at = self.primitive(primitive, at, stop)?;
                }
            }
            _ => {
                for _ in 0..count {
                    at = self.value(element, at, stop)?;
                }
            }
        }
        (at <= stop).then_some(stop)
    }

    /// Many values of one byte: four at a time, as long as each has its own prefix.
    #[inline(always)]
    fn bytes_in_a_row(&self, primitive: Primitive, mut count: u64, mut at: usize, stop: usize) -> Option<usize> {
        /// Every other byte of eight: the prefixes.
        const PREFIXES: u64 = 0x00ff_00ff_00ff_00ff;
        const BITS8: u64 = 0x0002_0002_0002_0002;
        while count > 0
            && let Some(eight) = self.bytes.get(at..).and_then(<[u8]>::first_chunk)
        {
            let values = count.min(4);
            // The bytes of those that are not wanted are taken for right.
            let others = u64::MAX.checked_shl(16 * values as u32).unwrap_or(0);
            if (u64::from_le_bytes(*eight) ^ BITS8) & PREFIXES & !others != 0 {
                break;
            }
            count -= values;
            at += 2 * values as usize;
        }
        for _ in 0..count {
            at = self.primitive(primitive, at, stop)?;
        }
        Some(at)
    }

    fn tuple(&self, case: &Case, at: usize, end: usize) -> Option<usize> {
        let (prefix, at) = self.prefix(at)?;
        if prefix.wire != WireType::Tuple {
            return self.promoted(case, prefix.wire, at);
        }
        let (stop, count, at) = self.composite(at, end)?;
        self.row(case, count, at, stop)
    }

    /// Values in a row that ends at `stop`, which is where it goes on.
    #[inline(always)]
    fn row(&self, case: &Case, count: u64, mut at: usize, stop: usize) -> Option<usize> {
        let slots = self.plan.slots(case);
        let present = slots.len().min(usize::try_from(count).unwrap_or(usize::MAX));
        for slot in &slots[..present] {
            at = match self.plan.node(slot.node).shape {
                Shape::Primitive(primitive) => self.primitive(primitive, at, stop)?,
                _ => self.value(slot.node, at, stop)?,
            };
        }
        for slot in &slots[present..] {
            if self.plan.node(slot.node).absent != Absent::Default {
                return None;
            }
        }
        (at <= stop).then_some(stop)
    }

    fn subset(&self, case: &Case, count: u64, mut at: usize, stop: usize) -> Option<usize> {
        for (n, slot) in self.plan.slots(case).iter().enumerate() {
            let present = n as u64 <= count.saturating_sub(1) && count > 0;
            match (slot.wanted, present) {
                (true, true) => at = self.value(slot.node, at, stop)?,
                (false, true) => at = skip::value(self.bytes, at).ok()?,
                (true, false) if self.plan.node(slot.node).absent != Absent::Default => return None,
                _ => {}
            }
        }
        (at <= stop).then_some(stop)
    }

    /// A first value that stands for the whole row.
    fn promoted(&self, case: &Case, wire: WireType, at: usize) -> Option<usize> {
        if case.promotes != Some(wire) || case.rest != Absent::Default {
            None
        } else if wire == WireType::Bytes {
            self.string(at)
        } else {
            skip::payload(self.bytes, at, wire).ok()
        }
    }
}

//! Validation of messages without decoding them.

use polywire_extprot_runtime::scan::{self, Cases};

use crate::error::{DecodeError, SizeLimits};
use crate::model::Primitive;
use crate::plan::{self, Absent, Case, MessageKind, Own, Plan, Shape, accepted};
use crate::walk::explain;
use crate::wire::{self, Prefix, WireType, skip, vint};

/// Checks that `bytes` start with a message of the plan's type, within `limits`. Returns the length
/// of the message in bytes; any bytes after it are left to the caller.
///
/// # Errors
/// The first fault, in the order of docs/spec/extprot.md 5.
pub fn validate(plan: &Plan, bytes: &[u8], limits: &SizeLimits) -> Result<usize, DecodeError> {
    let check = Check {
        plan,
        bytes,
        limits,
        last: bytes.len().saturating_sub(8),
        quick_elements: limits.elements.min(0x7f) as u8,
        quick_length: limits.message_length.min(0x7f) as u8,
        quick_string: limits.string_length.min(0x7f) as u8,
    };
    match check.value(plan.root, 0, bytes.len()) {
        Some(end) => Ok(end),
        None => explain(plan, bytes, limits),
    }
}

/// Check that finds out whether a message is invalid, but not why. Reading may pass the end of a
/// composite into the bytes after it; the end is compared once all elements are read. This saves a
/// comparison per element. Time stays linear, since a read that went too far is always refused.
struct Check<'a> {
    plan: &'a Plan,
    bytes: &'a [u8],
    limits: &'a SizeLimits,
    /// Offset of the last eight bytes.
    last: usize,
    /// Limit of elements, capped to one byte.
    quick_elements: u8,
    quick_length: u8,
    quick_string: u8,
}

/// Top bit of each of eight bytes, set if another byte of a vint follows.
const MORE: u64 = 0x8080_8080_8080_8080;

/// Mask of every other byte of eight: the prefixes of four bools.
const PREFIXES: u64 = 0x00ff_00ff_00ff_00ff;

/// Those bytes of four bools in their usual form.
const BITS8: u64 = 0x0002_0002_0002_0002;

/// Prefixes of 0 to 8 bools, in two words each.
const FIRST: [[u64; 2]; 9] = {
    let mut masks = [[0; 2]; 9];
    let mut count = 0;
    while count < 9 {
        masks[count] = [
            if count < 4 { PREFIXES & ((1 << (16 * count)) - 1) } else { PREFIXES },
            if count < 4 {
                0
            } else if count < 8 {
                PREFIXES & ((1 << (16 * (count - 4))) - 1)
            } else {
                PREFIXES
            },
        ];
        count += 1;
    }
    masks
};

impl Check<'_> {
    /// Returns the eight bytes at `at`, padded with zeros past the end. Values read from the
    /// padding are refused as too long.
    #[inline(always)]
    fn word(&self, at: usize) -> u64 {
        let start = at.min(self.last);
        match self.bytes.get(start..).and_then(<[u8]>::first_chunk) {
            Some(eight) => {
                // In two halves, since all bytes may be shifted out.
                let half = (at - start).min(15) * 4;
                (u64::from_le_bytes(*eight) >> half) >> half
            }
            None => self.short(at),
        }
    }

    /// The same for a message of fewer than eight bytes.
    #[cold]
    fn short(&self, at: usize) -> u64 {
        let mut eight = [0; 8];
        for (to, from) in eight.iter_mut().zip(self.bytes.get(at..).unwrap_or_default()) {
            *to = *from;
        }
        u64::from_le_bytes(eight)
    }

    /// Returns the payload length of a primitive that starts with `word`, and whether it is too
    /// long for the fast path.
    #[inline(always)]
    fn quick(&self, own: Own, word: u64) -> (usize, bool) {
        let ends = !word & MORE;
        let first = word as u8;
        let vint = (ends.trailing_zeros() / 8 + 1) as u8;
        let size = own.fixed | (vint & own.vint) | (first.wrapping_add(1) & own.length);
        (usize::from(size), (own.vint != 0) & (ends == 0) | ((first & own.length) > self.quick_string))
    }

    /// Returns the end of the primitive at `at`, by the fast path if it has its usual form.
    #[inline(always)]
    fn own(&self, primitive: Primitive, own: Own, at: usize, end: usize) -> Option<usize> {
        let prefix = *self.bytes.get(at)?;
        let (size, long) = self.quick(own, self.word(at + 1));
        if (prefix != own.prefix) | long { self.slow(primitive, at, end) } else { Some(at + 1 + size) }
    }

    /// Returns the end, at most `end`, and the count of the composite at `at` with prefix `wire`,
    /// tag 0 and sizes of one byte.
    #[inline(always)]
    fn small(&self, wire: WireType, at: usize, end: usize) -> Option<(usize, u8)> {
        let &[prefix, length, count] = self.bytes.get(at..)?.first_chunk()?;
        let stop = at + 2 + usize::from(length);
        ((prefix == wire.code()) & ((length | count) < 0x80) & (length > 0) & (stop <= end)).then_some((stop, count))
    }

    /// The same for a composite that limits apply to.
    #[inline(always)]
    fn small_limited(&self, wire: WireType, at: usize, end: usize) -> Option<(usize, u8)> {
        let (stop, count) = self.small(wire, at, end)?;
        ((count <= self.quick_elements) & (stop - at - 2 <= usize::from(self.quick_length))).then_some((stop, count))
    }

    /// Checks a list of bools or bytes.
    #[inline(always)]
    fn octets(&self, node: u32, primitive: Primitive, at: usize, end: usize) -> Option<usize> {
        let Some((stop, count)) = self.small_limited(WireType::Htuple, at, end) else { return self.value(node, at, end) };
        if scan::octets(self.bytes, at + 3, usize::from(count)) && 2 * usize::from(count) <= stop - at - 3 {
            return Some(stop);
        }
        let after = self.octets_in_a_row(primitive, u64::from(count), at + 3, stop)?;
        (after <= stop).then_some(stop)
    }

    /// Checks values of one byte, eight at a time, while each has its own prefix.
    #[inline(always)]
    fn octets_in_a_row(&self, primitive: Primitive, mut count: u64, mut at: usize, stop: usize) -> Option<usize> {
        loop {
            let now = count.min(8) as usize;
            let [one, other] = FIRST[now];
            if ((self.word(at) ^ BITS8) & one) | ((self.word(at + 8) ^ BITS8) & other) != 0 {
                break;
            }
            at += 2 * now;
            count -= now as u64;
            if count == 0 {
                return Some(at);
            }
        }
        for _ in 0..count {
            at = self.slow(primitive, at, stop)?;
        }
        Some(at)
    }

    #[cold]
    #[inline(never)]
    fn slow(&self, primitive: Primitive, at: usize, end: usize) -> Option<usize> {
        self.primitive(primitive, at, end)
    }

    /// Checks the value of a slot.
    #[inline(always)]
    fn slot(&self, check: plan::Check, at: usize, end: usize) -> Option<usize> {
        match check {
            plan::Check::Primitive(primitive, own) => self.own(primitive, own, at, end),
            plan::Check::Octets(node, primitive) => self.octets(node, primitive, at, end),
            plan::Check::Node(node) => self.value(node, at, end),
        }
    }

    /// Returns the end of the value at `at`. Composites end at or before `end`; the enclosing
    /// composite checks the end of primitives.
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
            Shape::Nested(_) => self.primitive(Primitive::String, at, end),
            Shape::Marked { inner, .. } => self.value(inner, at, end),
            Shape::External | Shape::Deferred(_) => None,
        }
    }

    #[inline(always)]
    fn prefix(&self, at: usize) -> Option<(Prefix, usize)> {
        wire::prefix(self.bytes, at).ok()
    }

    /// Returns the end, the count, and the offset of the first element of a composite that may
    /// reach to `end`.
    #[inline(always)]
    fn composite(&self, at: usize, end: usize) -> Option<(usize, u64, usize)> {
        let sizes = wire::sizes(self.bytes, at, end).ok()?;
        Some((sizes.end, sizes.count, sizes.first))
    }

    /// The same for a composite that limits apply to.
    #[inline(always)]
    fn limited(&self, at: usize, end: usize) -> Option<(usize, u64, usize)> {
        let (stop, count, first) = self.composite(at, end)?;
        // The length counts from its own end, which is never before its start.
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

    /// Checks a primitive in another form: widened, the first element of a tuple, or over-long.
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

    /// Checks the payload of a primitive, from a wire type that it accepts.
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
        // A count beyond a `usize` is none that values in memory fill.
        let values = usize::try_from(count).unwrap_or(usize::MAX);
        match self.plan.node(element).shape {
            Shape::Primitive(primitive @ (Primitive::Bool | Primitive::Byte)) => at = self.octets_in_a_row(primitive, count, at, stop)?,
            Shape::Primitive(Primitive::Int) if scan::ints(self.bytes, at, stop, values) => return Some(stop),
            Shape::Primitive(primitive) => {
                let own = Own::of(primitive);
                for _ in 0..count {
                    at = self.own(primitive, own, at, stop)?;
                }
            }
            Shape::Tuple(case) => {
                let case = &self.plan.cases[case as usize];
                for _ in 0..count {
                    at = match self.small(WireType::Tuple, at, stop) {
                        Some((inner, count)) => self.row(case, u64::from(count), at + 3, inner)?,
                        None => self.tuple(case, at, stop)?,
                    };
                }
            }
            _ => {
                let known = |cases: &Cases| cases.fill(self.bytes, at, stop, values) && self.quick_string == 0x7f;
                if self.plan.lone(element).is_some_and(known) {
                    return Some(stop);
                }
                for _ in 0..count {
                    at = self.value(element, at, stop)?;
                }
            }
        }
        (at <= stop).then_some(stop)
    }

    fn tuple(&self, case: &Case, at: usize, end: usize) -> Option<usize> {
        let (prefix, at) = self.prefix(at)?;
        if prefix.wire != WireType::Tuple {
            return self.promoted(case, prefix.wire, at);
        }
        let (stop, count, at) = self.composite(at, end)?;
        self.row(case, count, at, stop)
    }

    /// Checks a row of values that ends at `stop`. Returns `stop`.
    #[inline(always)]
    fn row(&self, case: &Case, count: u64, mut at: usize, stop: usize) -> Option<usize> {
        let checks = self.plan.checks(case);
        let present = checks.len().min(usize::try_from(count).unwrap_or(usize::MAX));
        for check in &checks[..present] {
            at = self.slot(*check, at, stop)?;
        }
        if (at > stop) | ((present < checks.len()) && self.lacks(case, present)) { None } else { Some(stop) }
    }

    /// Returns whether a value from number `present` on has no default.
    #[cold]
    fn lacks(&self, case: &Case, present: usize) -> bool {
        self.plan.slots(case)[present..].iter().any(|slot| self.plan.node(slot.node).absent != Absent::Default)
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

    /// Checks a first value that stands for the whole row.
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

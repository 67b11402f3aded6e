//! Constraints that an encoding does not need, which its values may break all the same.

use super::octets;
use super::plan::{Op, Plan};
use crate::model::{Bounds, Constraints, StringKind, TypeId};

/// Treatment of values outside of constraints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Checks {
    /// They are read, and an inspection gets a remark.
    #[default]
    Remark,
    /// They are errors.
    Refuse,
}

/// Value outside of a constraint: what was seen, and what the constraint allows.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Outside {
    pub seen: String,
    pub expected: String,
}

/// Returns whether a type has constraints that a value may be outside of. Those with an extension
/// marker allow any value.
pub(crate) fn is_constrained(constraints: &Constraints) -> bool {
    let closed = |bounds: &Option<Bounds>| bounds.is_some_and(|bounds| !bounds.extensible);
    !constraints.extensible && (closed(&constraints.value) || closed(&constraints.size) || constraints.alphabet.is_some())
}

/// Compares a value without components with the constraints of its type. `bits` is the number of
/// bits of a bit string.
pub(crate) fn scalar(plan: &Plan, ty: TypeId, raw: &[u8], bits: u64) -> Option<Outside> {
    let constraints = &plan.model().ty(ty).constraints;
    match plan.node(ty).op {
        Op::Integer => {
            let bounds = constraints.value.filter(|bounds| !bounds.extensible)?;
            let number = octets::integer(raw)?;
            (!bounds.range.contains(number)).then(|| Outside { seen: format!("the number {number}"), expected: range(bounds) })
        }
        Op::Octets => size(constraints, raw.len() as u64),
        // Zeros at the end of named bits mean nothing (X.680 22.7).
        Op::Bits(index) if !plan.bits[index as usize].names.is_empty() => size(constraints, bits.max(plan.bits[index as usize].least)),
        Op::Bits(_) => size(constraints, bits),
        Op::Text(kind) => {
            let width = match kind {
                StringKind::Bmp => 2,
                StringKind::Universal => 4,
                _ => 1,
            };
            size(constraints, (raw.len() / width) as u64).or_else(|| {
                let alphabet = constraints.alphabet.as_ref()?;
                let code = |character: &[u8]| character.iter().fold(0u32, |code, octet| code << 8 | u32::from(*octet));
                let strange = |code: &u32| !alphabet.ranges().iter().any(|(low, high)| (*low..=*high).contains(code));
                let bad = raw.chunks_exact(width).map(code).find(strange)?;
                let seen = char::from_u32(bad).map_or_else(|| format!("the character {bad:#x}"), |bad| format!("the character {bad:?}"));
                Some(Outside { seen, expected: "a character of the permitted alphabet".to_string() })
            })
        }
        _ => None,
    }
}

/// Appends characters as octets, of which each has as many as a constraint counts for one.
pub(crate) fn put_counted(kind: StringKind, text: &str, out: &mut Vec<u8>) {
    match kind {
        StringKind::Bmp => out.extend(text.encode_utf16().flat_map(u16::to_be_bytes)),
        StringKind::Universal => out.extend(text.chars().flat_map(|character| u32::from(character).to_be_bytes())),
        StringKind::Utf8 => out.extend_from_slice(text.as_bytes()),
        _ => out.extend(text.chars().map(|character| u8::try_from(character).unwrap_or(u8::MAX))),
    }
}

/// Compares the number of elements, octets, bits or characters with the constraint on the size.
pub(crate) fn size(constraints: &Constraints, count: u64) -> Option<Outside> {
    let bounds = constraints.size.filter(|bounds| !bounds.extensible && !constraints.extensible)?;
    let inside = bounds.range.contains(i128::from(count));
    (!inside).then(|| Outside { seen: format!("a size of {count}"), expected: range(bounds) })
}

fn range(bounds: Bounds) -> String {
    let bound = |bound: Option<i128>, open: &str| bound.map_or_else(|| open.to_string(), |bound| bound.to_string());
    format!("{} to {}", bound(bounds.range.low, "MIN"), bound(bounds.range.high, "MAX"))
}

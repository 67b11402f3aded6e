//! Scalars as words.

use crate::error::Problem;
use crate::events::Scalar;
use crate::plan::{Op, Plan};
use crate::wire::{FALSE, TRUE};

/// Returns the word of a boolean, which is its byte.
#[inline(always)]
pub(super) const fn truth(value: bool) -> u64 {
    (if value { TRUE } else { FALSE }) as u64
}

/// Returns the word of a scalar of a type; `boundary` is the offset at which the arena's own text
/// starts.
pub(super) fn rare_word(plan: &Plan, own: &mut Vec<u8>, boundary: usize, op: Op, value: Scalar<'_>) -> Result<u64, Problem> {
    Ok(match (op, value) {
        (Op::Boolean, Scalar::Bool(value)) => truth(value),
        (Op::Double, Scalar::F64(value)) => value.to_bits(),
        (Op::Double, Scalar::F32(value)) => f64::from(value).to_bits(),
        (Op::Float, Scalar::F32(value)) => u64::from(value.to_bits()),
        (Op::Long | Op::Varint, Scalar::Int(value)) => value as u64,
        (Op::Uvarint | Op::Ulong, Scalar::UInt(value)) => value,
        (Op::Text | Op::Octets, Scalar::Text(text)) => own_text(own, boundary, text.as_bytes())?,
        (Op::Octets, Scalar::Octets(bytes)) => own_text(own, boundary, bytes)?,
        (Op::Text, Scalar::Octets(bytes)) => match crate::wire::utf8(bytes) {
            Some(_) => own_text(own, boundary, bytes)?,
            None => return Err(Problem::Text),
        },
        (Op::Enumeration(index), value) => u64::from(position(plan, index, value)?),
        (op, Scalar::Int(_) | Scalar::UInt(_)) => {
            let number = match value {
                Scalar::Int(value) => i128::from(value),
                Scalar::UInt(value) => i128::from(value),
                _ => return Err(Problem::Conversion),
            };
            let (low, high) = op.whole().and_then(crate::wire::codes::Simple::range).ok_or(Problem::Conversion)?;
            if !(low..=high).contains(&number) {
                return Err(Problem::Range);
            }
            number as u64
        }
        _ => return Err(Problem::Conversion),
    })
}

pub(super) fn position(plan: &Plan, enumeration: u32, value: Scalar<'_>) -> Result<u32, Problem> {
    let members = &plan.enumerations[enumeration as usize];
    let found = match value {
        Scalar::Enumerator { number, .. } | Scalar::Int(number) => members.position(number),
        Scalar::UInt(number) => i64::try_from(number).ok().and_then(|number| members.position(number)),
        Scalar::Text(name) => members.names.iter().position(|(known, _)| **known == *name).map(|position| position as u32),
        _ => return Err(Problem::Conversion),
    };
    found.ok_or(Problem::NoEnumerator)
}

#[inline(always)]
pub(super) fn own_text(own: &mut Vec<u8>, boundary: usize, bytes: &[u8]) -> Result<u64, Problem> {
    let start = boundary + own.len();
    if start + bytes.len() > u32::MAX as usize {
        return Err(Problem::Limit);
    }
    crate::wire::put_bytes(own, bytes);
    Ok(start as u64 | (bytes.len() as u64) << 32)
}

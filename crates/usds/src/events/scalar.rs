//! Reading of scalars, counts and presence bits of a body.

use super::slot::Scalar;
use crate::error::Problem;
use crate::plan::{Op, Plan};
use crate::wire::codes::Simple;
use crate::wire::{self, Wire};

/// Returns the count of an array, and the start of its elements. Every element takes at least one
/// byte.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn count(bytes: &[u8], at: usize) -> Wire<(u32, usize)> {
    let (count, start) = wire::size(bytes, at)?;
    if count as usize > bytes.len() - start { Err(Problem::End) } else { Ok((count, start)) }
}

/// Returns whether the nullable field at that position is present.
#[inline]
pub(crate) fn is_present(bytes: &[u8], presence: usize, position: u32) -> bool {
    bytes.get(presence + position as usize / 8).is_some_and(|byte| byte >> (position % 8) & 1 == 1)
}

pub(crate) fn check_presence(bytes: &[u8], at: usize, nullable: u32) -> Wire<()> {
    let last = bytes.get(at + nullable.div_ceil(8) as usize - 1).ok_or(Problem::End)?;
    let used = (nullable - 1) % 8 + 1;
    if u16::from(*last) >> used == 0 { Ok(()) } else { Err(Problem::Padded) }
}

/// Reads text declared to be UTF-8.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn text(bytes: &[u8], at: usize) -> Wire<(&str, usize)> {
    let (start, end) = wire::sized(bytes, at)?;
    wire::utf8(&bytes[start..end]).map(|text| (text, end)).ok_or(Problem::Text)
}

/// Reads a scalar of any type.
#[inline(never)]
pub(super) fn scalar<'m>(plan: &Plan, op: Op, bytes: &'m [u8], at: usize) -> Wire<(Scalar<'m>, usize)> {
    Ok(match op {
        Op::Boolean => wire::boolean(bytes, at).map(|(value, end)| (Scalar::Bool(value), end))?,
        Op::Text => text(bytes, at).map(|(text, end)| (Scalar::Text(text), end))?,
        Op::Octets => wire::sized(bytes, at).map(|(start, end)| (Scalar::Octets(&bytes[start..end]), end))?,
        Op::Float => wire::array(bytes, at).map(|(chunk, end)| (Scalar::F32(f32::from_le_bytes(chunk)), end))?,
        Op::Double => wire::array(bytes, at).map(|(chunk, end)| (Scalar::F64(f64::from_le_bytes(chunk)), end))?,
        Op::Enumeration(index) => {
            let members = &plan.enumerations[index as usize];
            let (number, end) = whole(members.subtype, bytes, at)?;
            let position = members.position(number).ok_or(Problem::NoEnumerator)?;
            (Scalar::Enumerator { enumeration: index, position, number }, end)
        }
        Op::Ubyte | Op::Ushort | Op::Uint | Op::Ulong | Op::Uvarint => {
            natural(op, bytes, at).map(|(value, end)| (Scalar::UInt(value), end))?
        }
        op => signed(op, bytes, at).map(|(value, end)| (Scalar::Int(value), end))?,
    })
}

/// Reads a number of a signed type.
#[inline(never)]
pub(super) fn signed(op: Op, bytes: &[u8], at: usize) -> Wire<(i64, usize)> {
    match op.whole() {
        Some(simple @ (Simple::Byte | Simple::Short | Simple::Int | Simple::Long | Simple::Varint)) => whole(simple, bytes, at),
        _ => Err(Problem::Conversion),
    }
}

/// Reads a number of an unsigned type.
#[inline(never)]
pub(super) fn natural(op: Op, bytes: &[u8], at: usize) -> Wire<(u64, usize)> {
    match op {
        Op::Ubyte | Op::Ushort | Op::Uint | Op::Ulong => unsigned(op, bytes, at),
        Op::Uvarint => wire::uvarint(bytes, at),
        _ => Err(Problem::Conversion),
    }
}

#[inline]
fn unsigned(op: Op, bytes: &[u8], at: usize) -> Wire<(u64, usize)> {
    Ok(match op {
        Op::Ubyte => wire::array(bytes, at).map(|([byte], end)| (u64::from(byte), end))?,
        Op::Ushort => wire::array(bytes, at).map(|(chunk, end)| (u64::from(u16::from_le_bytes(chunk)), end))?,
        Op::Uint => wire::array(bytes, at).map(|(chunk, end)| (u64::from(u32::from_le_bytes(chunk)), end))?,
        _ => wire::array(bytes, at).map(|(chunk, end)| (u64::from_le_bytes(chunk), end))?,
    })
}

/// Reads a number of a signed type, or of the subtype of an enumeration.
#[inline]
fn whole(simple: Simple, bytes: &[u8], at: usize) -> Wire<(i64, usize)> {
    Ok(match simple {
        Simple::Byte => wire::array(bytes, at).map(|(chunk, end)| (i64::from(i8::from_le_bytes(chunk)), end))?,
        Simple::Ubyte => wire::array(bytes, at).map(|([byte], end)| (i64::from(byte), end))?,
        Simple::Short => wire::array(bytes, at).map(|(chunk, end)| (i64::from(i16::from_le_bytes(chunk)), end))?,
        Simple::Ushort => wire::array(bytes, at).map(|(chunk, end)| (i64::from(u16::from_le_bytes(chunk)), end))?,
        Simple::Int => wire::array(bytes, at).map(|(chunk, end)| (i64::from(i32::from_le_bytes(chunk)), end))?,
        Simple::Uint => wire::array(bytes, at).map(|(chunk, end)| (i64::from(u32::from_le_bytes(chunk)), end))?,
        Simple::Varint => wire::varint(bytes, at)?,
        _ => wire::array(bytes, at).map(|(chunk, end)| (i64::from_le_bytes(chunk), end))?,
    })
}

/// Reads a scalar as one word: the bits of a number, or the start and length of text.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn word(plan: &Plan, op: Op, bytes: &[u8], at: usize) -> Wire<(u64, usize)> {
    Ok(match op {
        Op::Boolean => wire::boolean(bytes, at).map(|(_, end)| (u64::from(bytes[at]), end))?,
        Op::Int => wire::array(bytes, at).map(|(chunk, end)| (i64::from(i32::from_le_bytes(chunk)) as u64, end))?,
        Op::Long | Op::Double | Op::Ulong => wire::array(bytes, at).map(|(chunk, end)| (u64::from_le_bytes(chunk), end))?,
        Op::Uvarint => wire::uvarint(bytes, at)?,
        Op::Text => {
            let (start, end) = wire::sized(bytes, at)?;
            wire::utf8(&bytes[start..end]).ok_or(Problem::Text)?;
            (start as u64 | ((end - start) as u64) << 32, end)
        }
        Op::Octets => {
            let (start, end) = wire::sized(bytes, at)?;
            (start as u64 | ((end - start) as u64) << 32, end)
        }
        op => rare_word(plan, op, bytes, at)?,
    })
}

fn rare_word(plan: &Plan, op: Op, bytes: &[u8], at: usize) -> Wire<(u64, usize)> {
    match op {
        Op::Ubyte | Op::Ushort | Op::Uint => unsigned(op, bytes, at),
        Op::Float => unsigned(Op::Uint, bytes, at),
        Op::Enumeration(index) => {
            let members = &plan.enumerations[index as usize];
            let (number, end) = whole(members.subtype, bytes, at)?;
            members.position(number).map(|position| (u64::from(position), end)).ok_or(Problem::NoEnumerator)
        }
        op => whole(op.whole().unwrap_or(Simple::Varint), bytes, at).map(|(value, end)| (value as u64, end)),
    }
}

//! The compact protocol: numbers in as few bytes as they need.

use polywire_runtime::vint::{unzigzag, zigzag};

use crate::error::Cause;
use crate::wire::{Cursor, Head, Protocol, Read, count, elements, kind};

/// The compact protocol. A message may be followed by other bytes: decoders leave them alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Compact;

/// Numbers of the types in the binary protocol, by those of the compact one.
const KINDS: [u8; 16] = [
    0,
    kind::BOOL,
    kind::BOOL,
    kind::I8,
    kind::I16,
    kind::I32,
    kind::I64,
    kind::DOUBLE,
    kind::STRING,
    kind::LIST,
    kind::SET,
    kind::MAP,
    kind::STRUCT,
    kind::UUID,
    0,
    0,
];

/// The byte of a truth value that is true, and its type.
const TRUE: u8 = 1;

/// The byte of a truth value that is false, and its type in the head of a field.
const FALSE: u8 = 2;

#[inline(always)]
const fn code(kind: u8) -> u8 {
    match kind {
        kind::BOOL => TRUE,
        kind::I8 => 3,
        kind::I16 => 4,
        kind::I32 => 5,
        kind::I64 => 6,
        kind::DOUBLE => 7,
        kind::STRING => 8,
        kind::LIST => 9,
        kind::SET => 10,
        kind::MAP => 11,
        kind::STRUCT => 12,
        _ => 13,
    }
}

#[inline(always)]
fn varint(cursor: &mut Cursor<'_>) -> Read<u64> {
    match cursor.rest {
        [byte, rest @ ..] if *byte < 0x80 => {
            cursor.rest = rest;
            Ok(u64::from(*byte))
        }
        [low, high, rest @ ..] if *high < 0x80 => {
            cursor.rest = rest;
            Ok(u64::from(low & 0x7f) | u64::from(*high) << 7)
        }
        _ => long_varint(cursor),
    }
}

#[inline(never)]
fn long_varint(cursor: &mut Cursor<'_>) -> Read<u64> {
    let mut value = 0u64;
    for shift in (0..64).step_by(7) {
        let byte = cursor.byte()?;
        if shift == 63 && byte > 1 {
            break;
        }
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Ok(value);
        }
    }
    Err(Cause::Range)
}

fn put_varint(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

#[inline(always)]
fn head(out: &mut Vec<u8>, last: i16, id: i16, code: u8) {
    match i32::from(id) - i32::from(last) {
        delta @ 1..=15 => out.push((delta as u8) << 4 | code),
        _ => {
            out.push(code);
            put_varint(out, zigzag(i64::from(id)));
        }
    }
}

impl Protocol for Compact {
    #[inline(always)]
    fn field(cursor: &mut Cursor<'_>, last: i16) -> Read<Option<Head>> {
        let head = cursor.byte()?;
        if head == kind::STOP {
            return Ok(None);
        }
        let kind = KINDS[usize::from(head & 15)];
        if kind == 0 {
            return Err(Cause::Kind(head & 15));
        }
        let id = match i16::from(head >> 4) {
            0 => Compact::int16(cursor)?,
            delta => last.checked_add(delta).ok_or(Cause::Range)?,
        };
        Ok(Some(Head { id, kind, truth: head & 15 == TRUE }))
    }

    #[inline(always)]
    fn truth(_: &mut Cursor<'_>, head: Head) -> Read<bool> {
        Ok(head.truth)
    }

    #[inline(always)]
    fn list(cursor: &mut Cursor<'_>) -> Read<(u8, u64)> {
        let head = cursor.byte()?;
        let count = match head >> 4 {
            15 => count(varint(cursor)?)?,
            short => u64::from(short),
        };
        Ok((elements(head & 15, KINDS[usize::from(head & 15)], count)?, count))
    }

    #[inline(always)]
    fn map(cursor: &mut Cursor<'_>) -> Read<(u8, u8, u64)> {
        let count = count(varint(cursor)?)?;
        if count == 0 {
            return Ok((0, 0, 0));
        }
        let types = cursor.byte()?;
        let kind = |code: u8| elements(code, KINDS[usize::from(code)], count);
        Ok((kind(types >> 4)?, kind(types & 15)?, count))
    }

    #[inline(always)]
    fn bool(cursor: &mut Cursor<'_>) -> Read<bool> {
        match cursor.byte()? {
            TRUE => Ok(true),
            // Some libraries write 0.
            0 | FALSE => Ok(false),
            byte => Err(Cause::Truth(byte)),
        }
    }

    #[inline(always)]
    fn int16(cursor: &mut Cursor<'_>) -> Read<i16> {
        i16::try_from(unzigzag(varint(cursor)?)).map_err(|_| Cause::Range)
    }

    #[inline(always)]
    fn int32(cursor: &mut Cursor<'_>) -> Read<i32> {
        i32::try_from(unzigzag(varint(cursor)?)).map_err(|_| Cause::Range)
    }

    #[inline(always)]
    fn int64(cursor: &mut Cursor<'_>) -> Read<i64> {
        Ok(unzigzag(varint(cursor)?))
    }

    #[inline(always)]
    fn double(cursor: &mut Cursor<'_>) -> Read<f64> {
        Ok(f64::from_le_bytes(cursor.array()?))
    }

    #[inline(always)]
    fn bytes<'a>(cursor: &mut Cursor<'a>) -> Read<&'a [u8]> {
        let len = count(varint(cursor)?)?;
        cursor.take(len)
    }

    #[inline(always)]
    fn least(kind: u8) -> u64 {
        match kind {
            kind::DOUBLE => 8,
            kind::UUID => 16,
            _ => 1,
        }
    }

    #[inline(always)]
    fn put_field(out: &mut Vec<u8>, last: i16, id: i16, kind: u8) {
        head(out, last, id, code(kind));
    }

    #[inline(always)]
    fn put_truth(out: &mut Vec<u8>, last: i16, id: i16, truth: bool) {
        head(out, last, id, if truth { TRUE } else { FALSE });
    }

    #[inline(always)]
    fn put_list(out: &mut Vec<u8>, kind: u8, count: u32) {
        if count < 15 {
            out.push((count as u8) << 4 | code(kind));
        } else {
            out.push(0xf0 | code(kind));
            put_varint(out, u64::from(count));
        }
    }

    #[inline(always)]
    fn put_map(out: &mut Vec<u8>, key: u8, value: u8, count: u32) {
        put_varint(out, u64::from(count));
        if count > 0 {
            out.push(code(key) << 4 | code(value));
        }
    }

    #[inline(always)]
    fn put_bool(out: &mut Vec<u8>, truth: bool) {
        out.push(if truth { TRUE } else { FALSE });
    }

    #[inline(always)]
    fn put_int16(out: &mut Vec<u8>, number: i16) {
        put_varint(out, zigzag(i64::from(number)));
    }

    #[inline(always)]
    fn put_int32(out: &mut Vec<u8>, number: i32) {
        put_varint(out, zigzag(i64::from(number)));
    }

    #[inline(always)]
    fn put_int64(out: &mut Vec<u8>, number: i64) {
        put_varint(out, zigzag(number));
    }

    #[inline(always)]
    fn put_double(out: &mut Vec<u8>, number: f64) {
        out.extend_from_slice(&number.to_le_bytes());
    }

    #[inline(always)]
    fn put_length(out: &mut Vec<u8>, len: u32) {
        put_varint(out, u64::from(len));
    }
}

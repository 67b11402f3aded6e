//! The binary protocol: numbers in their full width, big-endian.

use crate::error::Cause;
use crate::wire::{Cursor, Head, Protocol, Read, count, elements, kind};

/// The binary protocol. A message may be followed by other bytes: decoders leave them alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Binary;

/// Returns a type's number, or 0 if it is none's.
#[inline(always)]
const fn known(code: u8) -> u8 {
    // One bit for each number of a type.
    if code <= 16 && 0b1_1111_1101_0101_1100 >> code & 1 == 1 { code } else { 0 }
}

#[inline(always)]
fn length(cursor: &mut Cursor<'_>) -> Read<u64> {
    let claimed = i32::from_be_bytes(cursor.array()?);
    u64::try_from(claimed).map_err(|_| Cause::Count(u64::from(claimed as u32)))
}

impl Protocol for Binary {
    #[inline(always)]
    fn field(cursor: &mut Cursor<'_>, _: i16) -> Read<Option<Head>> {
        if let [kind, high, low, rest @ ..] = cursor.rest
            && known(*kind) != 0
        {
            cursor.rest = rest;
            return Ok(Some(Head { id: i16::from_be_bytes([*high, *low]), kind: *kind, truth: false }));
        }
        match cursor.byte()? {
            kind::STOP => Ok(None),
            code if known(code) == 0 => Err(Cause::Kind(code)),
            _ => Err(Cause::End),
        }
    }

    #[inline(always)]
    fn truth(cursor: &mut Cursor<'_>, _: Head) -> Read<bool> {
        Binary::bool(cursor)
    }

    #[inline(always)]
    fn list(cursor: &mut Cursor<'_>) -> Read<(u8, u64)> {
        let code = cursor.byte()?;
        let count = length(cursor)?;
        Ok((elements(code, known(code), count)?, count))
    }

    #[inline(always)]
    fn map(cursor: &mut Cursor<'_>) -> Read<(u8, u8, u64)> {
        let [key, value] = cursor.array()?;
        let count = length(cursor)?;
        Ok((elements(key, known(key), count)?, elements(value, known(value), count)?, count))
    }

    #[inline(always)]
    fn bool(cursor: &mut Cursor<'_>) -> Read<bool> {
        Ok(cursor.byte()? != 0)
    }

    #[inline(always)]
    fn int16(cursor: &mut Cursor<'_>) -> Read<i16> {
        Ok(i16::from_be_bytes(cursor.array()?))
    }

    #[inline(always)]
    fn int32(cursor: &mut Cursor<'_>) -> Read<i32> {
        Ok(i32::from_be_bytes(cursor.array()?))
    }

    #[inline(always)]
    fn int64(cursor: &mut Cursor<'_>) -> Read<i64> {
        Ok(i64::from_be_bytes(cursor.array()?))
    }

    #[inline(always)]
    fn double(cursor: &mut Cursor<'_>) -> Read<f64> {
        Ok(f64::from_be_bytes(cursor.array()?))
    }

    #[inline(always)]
    fn bytes<'a>(cursor: &mut Cursor<'a>) -> Read<&'a [u8]> {
        let len = length(cursor)?;
        cursor.take(count(len)?)
    }

    #[inline(always)]
    fn least(kind: u8) -> u64 {
        match kind {
            kind::I16 => 2,
            kind::I32 | kind::STRING => 4,
            kind::LIST | kind::SET => 5,
            kind::MAP => 6,
            kind::I64 | kind::DOUBLE => 8,
            kind::UUID => 16,
            _ => 1,
        }
    }

    #[inline(always)]
    fn put_field(out: &mut Vec<u8>, _: i16, id: i16, kind: u8) {
        let [high, low] = id.to_be_bytes();
        out.extend_from_slice(&[kind, high, low]);
    }

    #[inline(always)]
    fn put_truth(out: &mut Vec<u8>, _: i16, id: i16, truth: bool) {
        let [high, low] = id.to_be_bytes();
        out.extend_from_slice(&[kind::BOOL, high, low, u8::from(truth)]);
    }

    #[inline(always)]
    fn put_list(out: &mut Vec<u8>, kind: u8, count: u32) {
        let [a, b, c, d] = count.to_be_bytes();
        out.extend_from_slice(&[kind, a, b, c, d]);
    }

    #[inline(always)]
    fn put_map(out: &mut Vec<u8>, key: u8, value: u8, count: u32) {
        let [a, b, c, d] = count.to_be_bytes();
        out.extend_from_slice(&[key, value, a, b, c, d]);
    }

    #[inline(always)]
    fn put_bool(out: &mut Vec<u8>, truth: bool) {
        out.push(u8::from(truth));
    }

    #[inline(always)]
    fn put_int16(out: &mut Vec<u8>, number: i16) {
        out.extend_from_slice(&number.to_be_bytes());
    }

    #[inline(always)]
    fn put_int32(out: &mut Vec<u8>, number: i32) {
        out.extend_from_slice(&number.to_be_bytes());
    }

    #[inline(always)]
    fn put_int64(out: &mut Vec<u8>, number: i64) {
        out.extend_from_slice(&number.to_be_bytes());
    }

    #[inline(always)]
    fn put_double(out: &mut Vec<u8>, number: f64) {
        out.extend_from_slice(&number.to_be_bytes());
    }

    #[inline(always)]
    fn put_length(out: &mut Vec<u8>, len: u32) {
        out.extend_from_slice(&len.to_be_bytes());
    }
}

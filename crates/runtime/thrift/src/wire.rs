//! The types of values, and what a protocol has to read and write.

use polywire_runtime::Encoding;

use crate::error::Cause;
use crate::limits::Limits;
use crate::shape::Shape;

/// Numbers of the types, those of the binary protocol.
pub mod kind {
    /// The end of a struct.
    pub const STOP: u8 = 0;
    /// Truth value.
    pub const BOOL: u8 = 2;
    /// Signed, 8 bits.
    pub const I8: u8 = 3;
    /// IEEE 754 binary64.
    pub const DOUBLE: u8 = 4;
    /// Signed, 16 bits.
    pub const I16: u8 = 6;
    /// Signed, 32 bits, and enums.
    pub const I32: u8 = 8;
    /// Signed, 64 bits.
    pub const I64: u8 = 10;
    /// Text, or bytes.
    pub const STRING: u8 = 11;
    /// Struct, union or exception.
    pub const STRUCT: u8 = 12;
    /// Map.
    pub const MAP: u8 = 13;
    /// Set.
    pub const SET: u8 = 14;
    /// List.
    pub const LIST: u8 = 15;
    /// Universal unique identifier.
    pub const UUID: u8 = 16;
}

/// Returns the name of a type in the IDL.
pub(crate) fn kind_name(code: u8) -> &'static str {
    match code {
        kind::BOOL => "bool",
        kind::I8 => "i8",
        kind::DOUBLE => "double",
        kind::I16 => "i16",
        kind::I32 => "i32",
        kind::I64 => "i64",
        kind::STRING => "string",
        kind::STRUCT => "struct",
        kind::MAP => "map",
        kind::SET => "set",
        kind::LIST => "list",
        kind::UUID => "uuid",
        _ => "none",
    }
}

/// The result of reading, with the reason of a failure.
pub type Read<T> = Result<T, Cause>;

/// The head of a field.
#[derive(Debug, Clone, Copy)]
pub struct Head {
    /// Number of the field.
    pub id: i16,
    /// Type of the value.
    pub kind: u8,
    /// The value, where the head of a truth value holds it.
    pub truth: bool,
}

impl Head {
    /// Returns number and type in one: the number above the lowest eight bits.
    #[inline(always)]
    pub const fn key(self) -> u32 {
        key(self.id, self.kind)
    }
}

/// Returns the [key](Head::key) of a field.
pub const fn key(id: i16, kind: u8) -> u32 {
    (id as u16 as u32) << 8 | kind as u32
}

/// The bytes of a message that are left.
#[derive(Debug, Clone, Copy)]
pub struct Cursor<'a> {
    pub(crate) rest: &'a [u8],
}

impl<'a> Cursor<'a> {
    /// Reads one byte.
    ///
    /// # Errors
    /// There is none.
    #[inline(always)]
    pub fn byte(&mut self) -> Read<u8> {
        let (byte, rest) = self.rest.split_first().ok_or(Cause::End)?;
        self.rest = rest;
        Ok(*byte)
    }

    /// Reads bytes.
    ///
    /// # Errors
    /// There are not as many.
    #[inline(always)]
    pub fn array<const N: usize>(&mut self) -> Read<[u8; N]> {
        let (bytes, rest) = self.rest.split_first_chunk::<N>().ok_or(Cause::End)?;
        self.rest = rest;
        Ok(*bytes)
    }

    /// Takes bytes of a length that a message claims.
    ///
    /// # Errors
    /// There are not as many.
    #[inline(always)]
    pub fn take(&mut self, len: u64) -> Read<&'a [u8]> {
        let (bytes, rest) = usize::try_from(len).ok().and_then(|len| self.rest.split_at_checked(len)).ok_or(Cause::Count(len))?;
        self.rest = rest;
        Ok(bytes)
    }
}

/// A protocol: how types, numbers and counts lie in bytes.
pub trait Protocol: Encoding<Shape = Shape, Limits = Limits, Cause = Cause> {
    /// Reads the head of a field behind the field `last`, or the end of the struct.
    ///
    /// # Errors
    /// The bytes end; there is no such type.
    fn field(cursor: &mut Cursor<'_>, last: i16) -> Read<Option<Head>>;

    /// Reads the value of a field that is a truth value.
    ///
    /// # Errors
    /// The bytes end.
    fn truth(cursor: &mut Cursor<'_>, head: Head) -> Read<bool>;

    /// Reads the head of a list or set: the type of elements, 0 for none, and their count.
    ///
    /// # Errors
    /// The bytes end; there is no such type; a count out of range.
    fn list(cursor: &mut Cursor<'_>) -> Read<(u8, u64)>;

    /// Reads the head of a map: the types of keys and values, 0 for none, and the count of entries.
    ///
    /// # Errors
    /// Those of [`Protocol::list`].
    fn map(cursor: &mut Cursor<'_>) -> Read<(u8, u8, u64)>;

    /// Reads a truth value that stands alone.
    ///
    /// # Errors
    /// The bytes end; another byte.
    fn bool(cursor: &mut Cursor<'_>) -> Read<bool>;

    /// Reads a number of 8 bits.
    ///
    /// # Errors
    /// The bytes end.
    #[inline(always)]
    fn int8(cursor: &mut Cursor<'_>) -> Read<i8> {
        Ok(cursor.byte()? as i8)
    }

    /// Reads a number of 16 bits.
    ///
    /// # Errors
    /// The bytes end; a number out of range.
    fn int16(cursor: &mut Cursor<'_>) -> Read<i16>;

    /// Reads a number of 32 bits.
    ///
    /// # Errors
    /// Those of [`Protocol::int16`].
    fn int32(cursor: &mut Cursor<'_>) -> Read<i32>;

    /// Reads a number of 64 bits.
    ///
    /// # Errors
    /// Those of [`Protocol::int16`].
    fn int64(cursor: &mut Cursor<'_>) -> Read<i64>;

    /// Reads a double.
    ///
    /// # Errors
    /// The bytes end.
    fn double(cursor: &mut Cursor<'_>) -> Read<f64>;

    /// Reads text or bytes.
    ///
    /// # Errors
    /// The bytes end; a length out of range.
    fn bytes<'a>(cursor: &mut Cursor<'a>) -> Read<&'a [u8]>;

    /// Returns the fewest bytes of a value of a type.
    fn least(kind: u8) -> u64;

    /// Writes the head of a field behind the field `last`.
    fn put_field(out: &mut Vec<u8>, last: i16, id: i16, kind: u8);

    /// Writes the head of a field that is a truth value, and the value.
    fn put_truth(out: &mut Vec<u8>, last: i16, id: i16, truth: bool);

    /// Writes the head of a list or set.
    fn put_list(out: &mut Vec<u8>, kind: u8, count: u32);

    /// Writes the head of a map.
    fn put_map(out: &mut Vec<u8>, key: u8, value: u8, count: u32);

    /// Writes a truth value that stands alone.
    fn put_bool(out: &mut Vec<u8>, truth: bool);

    /// Writes a number of 16 bits.
    fn put_int16(out: &mut Vec<u8>, number: i16);

    /// Writes a number of 32 bits.
    fn put_int32(out: &mut Vec<u8>, number: i32);

    /// Writes a number of 64 bits.
    fn put_int64(out: &mut Vec<u8>, number: i64);

    /// Writes a double.
    fn put_double(out: &mut Vec<u8>, number: f64);

    /// Writes the length of text or bytes.
    fn put_length(out: &mut Vec<u8>, len: u32);
}

/// Checks a length or count: those of a signed number of 32 bits.
#[inline(always)]
pub(crate) fn count(claimed: u64) -> Read<u64> {
    if claimed > i32::MAX as u64 { Err(Cause::Count(claimed)) } else { Ok(claimed) }
}

/// Checks the type of elements. Libraries write any number where there are none.
#[inline(always)]
pub(crate) fn elements(code: u8, known: u8, count: u64) -> Read<u8> {
    if known == 0 && count > 0 { Err(Cause::Kind(code)) } else { Ok(known) }
}

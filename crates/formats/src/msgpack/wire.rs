//! The byte layout of MessagePack: the specification's sections "Formats" and "Timestamp extension
//! type".

use polywire_core::Timestamp;
use polywire_core::bytes::OutBuf;

/// Name in the registry and in errors, and the space of its tagged values. Their code is the
/// extension type as an unsigned byte.
pub const NAME: &str = "msgpack";

/// Head of a map of up to 15 entries, whose number is added.
pub(super) const FIXMAP: u8 = 0x80;
/// Head of a list of up to 15 values, whose number is added.
pub(super) const FIXARRAY: u8 = 0x90;
/// Head of a text of up to 31 bytes, whose length is added.
pub(super) const FIXSTR: u8 = 0xa0;
pub(super) const NIL: u8 = 0xc0;
/// The one head byte without a meaning in the specification.
pub(super) const NEVER_USED: u8 = 0xc1;
pub(super) const FALSE: u8 = 0xc2;
pub(super) const TRUE: u8 = 0xc3;
pub(super) const BIN8: u8 = 0xc4;
pub(super) const BIN16: u8 = 0xc5;
pub(super) const BIN32: u8 = 0xc6;
pub(super) const EXT8: u8 = 0xc7;
pub(super) const EXT16: u8 = 0xc8;
pub(super) const EXT32: u8 = 0xc9;
pub(super) const FLOAT32: u8 = 0xca;
pub(super) const FLOAT64: u8 = 0xcb;
pub(super) const UINT8: u8 = 0xcc;
pub(super) const UINT16: u8 = 0xcd;
pub(super) const UINT32: u8 = 0xce;
pub(super) const UINT64: u8 = 0xcf;
pub(super) const INT8: u8 = 0xd0;
pub(super) const INT16: u8 = 0xd1;
pub(super) const INT32: u8 = 0xd2;
pub(super) const INT64: u8 = 0xd3;
pub(super) const FIXEXT1: u8 = 0xd4;
pub(super) const FIXEXT16: u8 = 0xd8;
pub(super) const STR8: u8 = 0xd9;
pub(super) const STR16: u8 = 0xda;
pub(super) const STR32: u8 = 0xdb;
pub(super) const ARRAY16: u8 = 0xdc;
pub(super) const ARRAY32: u8 = 0xdd;
pub(super) const MAP16: u8 = 0xde;
pub(super) const MAP32: u8 = 0xdf;

/// Extension type -1, as the byte on the wire.
pub(super) const TIMESTAMP: u8 = 0xff;

/// Reports whether a head byte starts a map or a list.
pub(super) const fn is_container(head: u8) -> bool {
    matches!(head, 0x80..=0x9f | ARRAY16..=MAP32)
}

/// Width in bits of an integer's head, if a shorter one or, for numbers from zero up, an unsigned
/// one holds `value`.
#[inline]
pub(super) fn odd_width(head: u8, value: i128) -> Option<u8> {
    let (bits, from, to) = match head {
        UINT8 => (8, 0x80, 0xff),
        UINT16 => (16, 0x100, 0xffff),
        UINT32 => (32, 0x1_0000, 0xffff_ffff),
        UINT64 => (64, 0x1_0000_0000, i128::MAX),
        INT8 => (8, -0x80, -0x21),
        INT16 => (16, -0x8000, -0x81),
        INT32 => (32, -0x8000_0000, -0x8001),
        INT64 => (64, i128::MIN, -0x8000_0001),
        _ => return None,
    };
    if (from..=to).contains(&value) { None } else { Some(bits) }
}

/// Writes a non-negative whole number in the fewest bytes.
#[inline]
pub(super) fn put_uint(out: &mut OutBuf, value: u64) {
    match value {
        0..=0x7f => out.byte(value as u8),
        0x80..=0xff => out.tagged(UINT8, [value as u8]),
        0x100..=0xffff => out.tagged(UINT16, (value as u16).to_be_bytes()),
        0x1_0000..=0xffff_ffff => out.tagged(UINT32, (value as u32).to_be_bytes()),
        _ => out.tagged(UINT64, value.to_be_bytes()),
    }
}

/// Writes a whole number in the fewest bytes.
#[inline]
pub(super) fn put_int(out: &mut OutBuf, value: i64) {
    match value {
        0.. => put_uint(out, value as u64),
        -0x20..=-1 => out.byte(value as u8),
        -0x80..=-0x21 => out.tagged(INT8, (value as i8).to_be_bytes()),
        -0x8000..=-0x81 => out.tagged(INT16, (value as i16).to_be_bytes()),
        -0x8000_0000..=-0x8001 => out.tagged(INT32, (value as i32).to_be_bytes()),
        _ => out.tagged(INT64, value.to_be_bytes()),
    }
}

/// The head of a value with a length or a count: at most six bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Head {
    bytes: [u8; 6],
    len: u8,
}

impl Head {
    #[inline]
    fn short(byte: u8) -> Head {
        Head { bytes: [byte, 0, 0, 0, 0, 0], len: 1 }
    }

    /// Makes a head with a count; `head8` is 0 if the format has no one-byte width.
    #[inline]
    fn counted(heads: [u8; 3], n: u32) -> Head {
        let [head8, head16, head32] = heads;
        let [a, b, c, d] = n.to_be_bytes();
        match n {
            0..=0xff if head8 != 0 => Head { bytes: [head8, d, 0, 0, 0, 0], len: 2 },
            0..=0xffff => Head { bytes: [head16, c, d, 0, 0, 0], len: 3 },
            _ => Head { bytes: [head32, a, b, c, d, 0], len: 5 },
        }
    }

    #[inline]
    pub(super) fn text(len: u32) -> Head {
        if len < 32 { Head::short(FIXSTR | len as u8) } else { Head::counted([STR8, STR16, STR32], len) }
    }

    #[inline]
    pub(super) fn bytes(len: u32) -> Head {
        Head::counted([BIN8, BIN16, BIN32], len)
    }

    #[inline]
    pub(super) fn list(count: u32) -> Head {
        if count < 16 { Head::short(FIXARRAY | count as u8) } else { Head::counted([0, ARRAY16, ARRAY32], count) }
    }

    #[inline]
    pub(super) fn map(count: u32) -> Head {
        if count < 16 { Head::short(FIXMAP | count as u8) } else { Head::counted([0, MAP16, MAP32], count) }
    }

    /// Writes the head; most take one byte.
    #[inline]
    pub(super) fn put(self, out: &mut OutBuf) {
        if self.len == 1 { out.byte(self.bytes[0]) } else { out.put(self.as_bytes()) }
    }

    /// Returns the head of an extension, with its type byte.
    pub(super) fn ext(kind: u8, len: u32) -> Head {
        let mut head = match len {
            1 | 2 | 4 | 8 | 16 => Head::short(FIXEXT1 + len.trailing_zeros() as u8),
            _ => Head::counted([EXT8, EXT16, EXT32], len),
        };
        head.bytes[usize::from(head.len)] = kind;
        head.len += 1;
        head
    }

    #[inline]
    pub(super) fn as_bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.len)]
    }
}

/// Reads the payload of an extension of type -1. Returns `None` unless it has the length of one of
/// the three forms. The inner `None` means more nanoseconds than a second has, which the
/// specification forbids.
pub(super) fn timestamp(payload: &[u8]) -> Option<Option<Timestamp>> {
    if let Ok(seconds) = <[u8; 4]>::try_from(payload) {
        return Some(Timestamp::new(i64::from(u32::from_be_bytes(seconds)), 0));
    }
    if let Ok(both) = <[u8; 8]>::try_from(payload) {
        let both = u64::from_be_bytes(both);
        return Some(Timestamp::new((both & ((1 << 34) - 1)) as i64, (both >> 34) as u32));
    }
    let (nanos, seconds) = payload.split_first_chunk::<4>()?;
    let seconds = <[u8; 8]>::try_from(seconds).ok()?;
    Some(Timestamp::new(i64::from_be_bytes(seconds), u32::from_be_bytes(*nanos)))
}

/// Writes a moment in the shortest of the three forms that holds it.
pub(super) fn put_timestamp(out: &mut OutBuf, moment: Timestamp) {
    let (seconds, nanos) = (moment.seconds(), moment.nanos());
    match u64::try_from(seconds) {
        Ok(seconds) if seconds >> 32 == 0 && nanos == 0 => {
            Head::ext(TIMESTAMP, 4).put(out);
            out.put(&(seconds as u32).to_be_bytes());
        }
        Ok(seconds) if seconds >> 34 == 0 => {
            Head::ext(TIMESTAMP, 8).put(out);
            out.put(&(u64::from(nanos) << 34 | seconds).to_be_bytes());
        }
        _ => {
            Head::ext(TIMESTAMP, 12).put(out);
            out.put(&nanos.to_be_bytes());
            out.put(&seconds.to_be_bytes());
        }
    }
}

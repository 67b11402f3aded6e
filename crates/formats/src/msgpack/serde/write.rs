//! MessagePack's heads, for the serializer of counted formats.

use super::super::wire::{
    ARRAY16, ARRAY32, BIN8, BIN16, BIN32, FALSE, FIXARRAY, FIXMAP, FIXSTR, FLOAT32, FLOAT64, INT8, INT16, INT32, INT64, MAP16, MAP32, NIL,
    STR8, STR16, STR32, TRUE, UINT8, UINT16, UINT32, UINT64,
};
use crate::serde::counted::{Head, Heads, tagged};

/// Writes Rust's types as MessagePack.
pub(crate) enum Direct {}

#[inline(always)]
fn counted(fix: u8, head16: u8, head32: u8, count: u32) -> Head {
    match count {
        0..=15 => tagged(fix | count as u8, []),
        16..=0xffff => tagged(head16, (count as u16).to_be_bytes()),
        _ => tagged(head32, count.to_be_bytes()),
    }
}

impl Heads for Direct {
    const NULL: u8 = NIL;
    const FALSE: u8 = FALSE;
    const TRUE: u8 = TRUE;

    #[inline(always)]
    fn uint(value: u64) -> Head {
        match value {
            0..=0x7f => tagged(value as u8, []),
            0x80..=0xff => tagged(UINT8, [value as u8]),
            0x100..=0xffff => tagged(UINT16, (value as u16).to_be_bytes()),
            0x1_0000..=0xffff_ffff => tagged(UINT32, (value as u32).to_be_bytes()),
            _ => tagged(UINT64, value.to_be_bytes()),
        }
    }

    #[inline(always)]
    fn negative(value: i64) -> Head {
        match value {
            -0x20.. => tagged(value as u8, []),
            -0x80..=-0x21 => tagged(INT8, (value as i8).to_be_bytes()),
            -0x8000..=-0x81 => tagged(INT16, (value as i16).to_be_bytes()),
            -0x8000_0000..=-0x8001 => tagged(INT32, (value as i32).to_be_bytes()),
            _ => tagged(INT64, value.to_be_bytes()),
        }
    }

    #[inline(always)]
    fn f32(value: f32) -> Head {
        tagged(FLOAT32, value.to_be_bytes())
    }

    #[inline(always)]
    fn f64(value: f64) -> Head {
        tagged(FLOAT64, value.to_be_bytes())
    }

    #[inline(always)]
    fn text(length: u32) -> Head {
        match length {
            0..=31 => tagged(FIXSTR | length as u8, []),
            32..=0xff => tagged(STR8, [length as u8]),
            0x100..=0xffff => tagged(STR16, (length as u16).to_be_bytes()),
            _ => tagged(STR32, length.to_be_bytes()),
        }
    }

    #[inline]
    fn bytes(length: u32) -> Head {
        match length {
            0..=0xff => tagged(BIN8, [length as u8]),
            0x100..=0xffff => tagged(BIN16, (length as u16).to_be_bytes()),
            _ => tagged(BIN32, length.to_be_bytes()),
        }
    }

    #[inline(always)]
    fn list(count: u32) -> Head {
        counted(FIXARRAY, ARRAY16, ARRAY32, count)
    }

    #[inline(always)]
    fn map(count: u32) -> Head {
        counted(FIXMAP, MAP16, MAP32, count)
    }
}

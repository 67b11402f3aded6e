//! A whole tree of plain values to MessagePack bytes: the writer's fast way. Its twin is the sink,
//! which writes all values.

use polywire_core::bytes::{Fit, Place};
use polywire_core::value::{Plain, Tree};

use super::wire::{
    ARRAY16, ARRAY32, FALSE, FIXARRAY, FIXMAP, FIXSTR, FLOAT64, INT8, INT16, INT32, INT64, MAP16, MAP32, NIL, STR8, STR16, STR32, TRUE,
    UINT8, UINT16, UINT32, UINT64,
};

/// Writes the tree, if all of its values are plain.
#[inline]
pub(super) fn write(tree: &Tree<'_>, place: &mut Place<'_>) -> Fit {
    let Some(events) = tree.plain() else { return Fit::Unfit };
    for event in events {
        let written = match event {
            Plain::Name(text) | Plain::Text(text) => {
                let Ok(length) = u32::try_from(text.len()) else { return Fit::Unfit };
                string(place, length).and_then(|()| place.text(text.as_bytes()))
            }
            Plain::UInt(value) => uint(place, value),
            Plain::Int(value) => int(place, value),
            Plain::F64(value, _) => place.tagged(FLOAT64, value.to_be_bytes()),
            Plain::Bool(value) => place.put([if value { TRUE } else { FALSE }]),
            Plain::Null => place.put([NIL]),
            Plain::List(count) => container(place, [FIXARRAY, ARRAY16, ARRAY32], count),
            Plain::Map(count) => container(place, [FIXMAP, MAP16, MAP32], count),
            Plain::Close => Some(()),
            Plain::Other => return Fit::Unfit,
        };
        if written.is_none() {
            return Fit::TooLong;
        }
    }
    Fit::Written
}

#[inline(always)]
fn string(place: &mut Place<'_>, length: u32) -> Option<()> {
    match length {
        0..=31 => place.put([FIXSTR | length as u8]),
        32..=0xff => place.put([STR8, length as u8]),
        0x100..=0xffff => place.tagged(STR16, (length as u16).to_be_bytes()),
        _ => place.tagged(STR32, length.to_be_bytes()),
    }
}

#[inline(always)]
fn container(place: &mut Place<'_>, [fix, head16, head32]: [u8; 3], count: u32) -> Option<()> {
    match count {
        0..=15 => place.put([fix | count as u8]),
        16..=0xffff => place.tagged(head16, (count as u16).to_be_bytes()),
        _ => place.tagged(head32, count.to_be_bytes()),
    }
}

#[inline(always)]
fn uint(place: &mut Place<'_>, value: u64) -> Option<()> {
    match value {
        0..=0x7f => place.put([value as u8]),
        0x80..=0xff => place.put([UINT8, value as u8]),
        0x100..=0xffff => place.tagged(UINT16, (value as u16).to_be_bytes()),
        0x1_0000..=0xffff_ffff => place.tagged(UINT32, (value as u32).to_be_bytes()),
        _ => place.tagged(UINT64, value.to_be_bytes()),
    }
}

#[inline(always)]
fn int(place: &mut Place<'_>, value: i64) -> Option<()> {
    match value {
        0.. => uint(place, value as u64),
        -0x20..=-1 => place.put([value as u8]),
        -0x80..=-0x21 => place.put([INT8, value as u8]),
        -0x8000..=-0x81 => place.tagged(INT16, (value as i16).to_be_bytes()),
        -0x8000_0000..=-0x8001 => place.tagged(INT32, (value as i32).to_be_bytes()),
        _ => place.tagged(INT64, value.to_be_bytes()),
    }
}

//! A whole tree of plain values to CBOR bytes: the writer's fast way. Its twin is the sink, which
//! writes all values.

use polywire_core::bytes::{Fit, Place};
use polywire_core::value::{Plain, Tree};

use super::wire::{FALSE, FLOAT64, LIST, MAP, NEGATIVE, NULL, TEXT, TRUE, UINT};

/// Writes the tree, if all of its values are plain.
#[inline]
pub(super) fn write(tree: &Tree<'_>, place: &mut Place<'_>) -> Fit {
    let Some(events) = tree.plain() else { return Fit::Unfit };
    for event in events {
        let written = match event {
            Plain::Name(text) | Plain::Text(text) => head(place, TEXT, text.len() as u64).and_then(|()| place.text(text.as_bytes())),
            Plain::UInt(value) => head(place, UINT, value),
            Plain::Int(value) if value < 0 => head(place, NEGATIVE, !value as u64),
            Plain::Int(value) => head(place, UINT, value as u64),
            Plain::F64(value, _) => place.tagged(FLOAT64, value.to_be_bytes()),
            Plain::Bool(value) => place.put([if value { TRUE } else { FALSE }]),
            Plain::Null => place.put([NULL]),
            Plain::List(count) => head(place, LIST, u64::from(count)),
            Plain::Map(count) => head(place, MAP, u64::from(count)),
            Plain::Close => Some(()),
            Plain::Other => return Fit::Unfit,
        };
        if written.is_none() {
            return Fit::TooLong;
        }
    }
    Fit::Written
}

/// Writes the shortest head: RFC 8949, section 4.1.
#[inline(always)]
fn head(place: &mut Place<'_>, major: u8, arg: u64) -> Option<()> {
    let first = major << 5;
    match arg {
        0..=23 => place.put([first | arg as u8]),
        24..=0xff => place.put([first | 24, arg as u8]),
        0x100..=0xffff => place.tagged(first | 25, (arg as u16).to_be_bytes()),
        0x1_0000..=0xffff_ffff => place.tagged(first | 26, (arg as u32).to_be_bytes()),
        _ => place.tagged(first | 27, arg.to_be_bytes()),
    }
}

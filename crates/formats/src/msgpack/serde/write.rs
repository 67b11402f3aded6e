//! MessagePack's heads, for the serializer of counted formats.

use polywire_core::bytes::Place;

use super::super::plain::{container, int, string, uint};
use super::super::wire::{ARRAY16, ARRAY32, BIN8, BIN16, BIN32, FALSE, FIXARRAY, FIXMAP, FLOAT32, FLOAT64, MAP16, MAP32, NIL, TRUE};
use crate::serde::counted::Heads;

/// Writes Rust's types as MessagePack.
pub(crate) enum Direct {}

impl Heads for Direct {
    #[inline(always)]
    fn null(place: &mut Place<'_>) -> Option<()> {
        place.put([NIL])
    }

    #[inline(always)]
    fn bool(place: &mut Place<'_>, value: bool) -> Option<()> {
        place.put([if value { TRUE } else { FALSE }])
    }

    #[inline(always)]
    fn uint(place: &mut Place<'_>, value: u64) -> Option<()> {
        uint(place, value)
    }

    #[inline(always)]
    fn negative(place: &mut Place<'_>, value: i64) -> Option<()> {
        int(place, value)
    }

    #[inline(always)]
    fn f32(place: &mut Place<'_>, value: f32) -> Option<()> {
        place.tagged(FLOAT32, value.to_be_bytes())
    }

    #[inline(always)]
    fn f64(place: &mut Place<'_>, value: f64) -> Option<()> {
        place.tagged(FLOAT64, value.to_be_bytes())
    }

    #[inline(always)]
    fn text(place: &mut Place<'_>, length: u32) -> Option<()> {
        string(place, length)
    }

    #[inline]
    fn bytes(place: &mut Place<'_>, length: u32) -> Option<()> {
        match length {
            0..=0xff => place.put([BIN8, length as u8]),
            0x100..=0xffff => place.tagged(BIN16, (length as u16).to_be_bytes()),
            _ => place.tagged(BIN32, length.to_be_bytes()),
        }
    }

    #[inline(always)]
    fn list(place: &mut Place<'_>, count: u32) -> Option<()> {
        container(place, [FIXARRAY, ARRAY16, ARRAY32], count)
    }

    #[inline(always)]
    fn map(place: &mut Place<'_>, count: u32) -> Option<()> {
        container(place, [FIXMAP, MAP16, MAP32], count)
    }
}

//! CBOR's heads, for the serializer of counted formats.

use polywire_core::bytes::Place;

use super::super::plain::head;
use super::super::wire::{BYTES, FALSE, FLOAT32, FLOAT64, LIST, MAP, NEGATIVE, NULL, TEXT, TRUE, UINT};
use crate::serde::counted::Heads;

/// Writes Rust's types as CBOR.
pub(crate) enum Direct {}

impl Heads for Direct {
    #[inline(always)]
    fn null(place: &mut Place<'_>) -> Option<()> {
        place.put([NULL])
    }

    #[inline(always)]
    fn bool(place: &mut Place<'_>, value: bool) -> Option<()> {
        place.put([if value { TRUE } else { FALSE }])
    }

    #[inline(always)]
    fn uint(place: &mut Place<'_>, value: u64) -> Option<()> {
        head(place, UINT, value)
    }

    #[inline(always)]
    fn negative(place: &mut Place<'_>, value: i64) -> Option<()> {
        head(place, NEGATIVE, !value as u64)
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
        head(place, TEXT, u64::from(length))
    }

    #[inline]
    fn bytes(place: &mut Place<'_>, length: u32) -> Option<()> {
        head(place, BYTES, u64::from(length))
    }

    #[inline(always)]
    fn list(place: &mut Place<'_>, count: u32) -> Option<()> {
        head(place, LIST, u64::from(count))
    }

    #[inline(always)]
    fn map(place: &mut Place<'_>, count: u32) -> Option<()> {
        head(place, MAP, u64::from(count))
    }
}

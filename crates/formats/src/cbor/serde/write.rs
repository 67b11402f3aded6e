//! CBOR's heads, for the serializer of counted formats.

use super::super::wire::{BYTES, FALSE, FLOAT32, FLOAT64, LIST, MAP, NEGATIVE, NULL, TEXT, TRUE, UINT};
use crate::serde::counted::{Head, Heads, tagged};

/// Writes Rust's types as CBOR.
pub(crate) enum Direct {}

/// Returns the shortest head: RFC 8949, section 4.1.
#[inline(always)]
fn head(major: u8, arg: u64) -> Head {
    let first = major << 5;
    match arg {
        0..=23 => tagged(first | arg as u8, []),
        24..=0xff => tagged(first | 24, [arg as u8]),
        0x100..=0xffff => tagged(first | 25, (arg as u16).to_be_bytes()),
        0x1_0000..=0xffff_ffff => tagged(first | 26, (arg as u32).to_be_bytes()),
        _ => tagged(first | 27, arg.to_be_bytes()),
    }
}

impl Heads for Direct {
    const NULL: u8 = NULL;
    const FALSE: u8 = FALSE;
    const TRUE: u8 = TRUE;

    #[inline(always)]
    fn uint(value: u64) -> Head {
        head(UINT, value)
    }

    #[inline(always)]
    fn negative(value: i64) -> Head {
        head(NEGATIVE, !value as u64)
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
        head(TEXT, u64::from(length))
    }

    #[inline]
    fn bytes(length: u32) -> Head {
        head(BYTES, u64::from(length))
    }

    #[inline(always)]
    fn list(count: u32) -> Head {
        head(LIST, u64::from(count))
    }

    #[inline(always)]
    fn map(count: u32) -> Head {
        head(MAP, u64::from(count))
    }
}

//! The byte layout of CBOR: RFC 8949, section 3.

use polywire_core::bytes::{Input, OutBuf};
use polywire_core::{Error, ErrorKind, Hint, Result, Spelling};

pub use crate::spaces::cbor::NAME;

/// The space of simple values without a place in the model. Each is a tagged null whose code is the
/// simple value.
pub const SIMPLE: &str = "cbor-simple";

// Major types: the upper three bits of a head.
pub(crate) const UINT: u8 = 0;
pub(crate) const NEGATIVE: u8 = 1;
pub(crate) const BYTES: u8 = 2;
pub(crate) const TEXT: u8 = 3;
pub(crate) const LIST: u8 = 4;
pub(crate) const MAP: u8 = 5;
pub(crate) const TAG: u8 = 6;
pub(crate) const SIMPLE_OR_FLOAT: u8 = 7;

/// Additional information, the lower five bits, of a container or string that ends by a break.
pub(crate) const INDEFINITE: u8 = 31;

pub(crate) const FALSE: u8 = 0xf4;
pub(crate) const TRUE: u8 = 0xf5;
pub(crate) const NULL: u8 = 0xf6;
pub(crate) const FLOAT16: u8 = 0xf9;
pub(crate) const FLOAT32: u8 = 0xfa;
pub(crate) const FLOAT64: u8 = 0xfb;
pub(crate) const BREAK: u8 = 0xff;

// Tags: RFC 8949, sections 3.4.1 to 3.4.6.
pub(crate) const TAG_DATE_TEXT: u64 = 0;
pub(crate) const TAG_EPOCH: u64 = 1;
pub(crate) const TAG_BIG: u64 = 2;
pub(crate) const TAG_BIG_NEGATIVE: u64 = 3;
pub(crate) const TAG_DECIMAL: u64 = 4;
pub(crate) const TAG_SELF_DESCRIBED: u64 = 55799;

/// [`TAG_SELF_DESCRIBED`] in its shortest form.
pub(crate) const SELF_DESCRIBED_HEAD: [u8; 3] = [0xd9, 0xd9, 0xf7];

/// The countdown of an indefinite-length container or string: no message is long enough to use it
/// up. It is even, so that the lowest bit of a countdown of keys and values shows which is next.
pub(crate) const ENDLESS: u64 = u64::MAX - 1;

/// Reports whether a head byte starts a list, a map or a tagged value.
pub(crate) const fn is_container(head: u8) -> bool {
    matches!(head >> 5, LIST | MAP | TAG) && !matches!(head & 0x1f, 28..=30)
}

/// The note before a container of indefinite length, for writers that keep such lengths.
pub(crate) const INDEFINITE_NOTE: &str = "an array or map of indefinite length";

/// A head that was read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Head {
    pub(crate) major: u8,
    /// Additional information.
    pub(crate) info: u8,
    /// Value, length or count; 0 if the length is indefinite.
    pub(crate) arg: u64,
}

/// Reads the rest of a head after its first byte.
#[inline(always)]
pub(crate) fn head(input: &mut Input<'_>, first: u8) -> Result<Head> {
    let info = first & 0x1f;
    let arg = if info < 24 { u64::from(info) } else { long_argument(input, first)? };
    Ok(Head { major: first >> 5, info, arg })
}

/// Reads the argument of a head in bytes of its own.
// A `Head` returned in memory is written by bytes and read by words, which stalls.
#[inline(never)]
fn long_argument(input: &mut Input<'_>, first: u8) -> Result<u64> {
    Ok(match first & 0x1f {
        24 => u64::from(input.u8("an 8-bit argument")?),
        25 => u64::from(input.u16_be("a 16-bit argument")?),
        26 => u64::from(input.u32_be("a 32-bit argument")?),
        27 => input.u64_be("a 64-bit argument")?,
        INDEFINITE => 0,
        _ => return Err(reserved(input.offset() - 1, first)),
    })
}

/// The spelling of a number that came as a binary16.
pub(crate) static HALF: Spelling<'static> = Spelling::width(16);

impl Head {
    /// Returns the width in bits of the argument, if a shorter head holds it.
    #[inline]
    pub(crate) fn odd_width(&self) -> Option<u8> {
        const FROM: [u64; 4] = [24, 0x100, 0x1_0000, 0x1_0000_0000];
        match self.info.checked_sub(24) {
            Some(size @ 0..=3) if self.arg < FROM[usize::from(size)] => Some(8 << size),
            _ => None,
        }
    }
}

/// Returns the error for a head byte without a meaning: RFC 8949, section 3, additional information
/// 28 to 30, or 31 where nothing can be indefinite.
#[cold]
pub(crate) fn reserved(offset: u64, first: u8) -> Error {
    Error::data(ErrorKind::Syntax, offset).seen(format!("byte 0x{first:02x}, which CBOR reserves")).expected("the head of a value")
}

/// Returns the error for a break where nothing can end.
#[cold]
pub(crate) fn misplaced_break(offset: u64) -> Error {
    Error::data(ErrorKind::Syntax, offset).seen("a break (0xff)").expected("a value")
}

/// Returns the error for a piece of an indefinite-length string that is something else: RFC 8949,
/// section 3.2.3.
#[cold]
pub(crate) fn bad_chunk(offset: u64, first: u8, major: u8) -> Error {
    let expected =
        if major == TEXT { "a piece of text of definite length, or a break" } else { "a piece of bytes of definite length, or a break" };
    Error::data(ErrorKind::Syntax, offset).seen(format!("head byte 0x{first:02x}")).expected(expected)
}

/// Returns the error for a simple value below 32 in two bytes: RFC 8949, section 3.3.
#[cold]
pub(crate) fn bad_simple(offset: u64, value: u64) -> Error {
    Error::data(ErrorKind::Syntax, offset).seen(format!("simple value {value} in two bytes")).expected("one of 32 to 255")
}

/// Returns the value of a binary16, which every binary32 can hold: RFC 8949, appendix D.
pub(crate) fn half(bits: u16) -> f32 {
    let sign = u32::from(bits & 0x8000) << 16;
    let (exponent, fraction) = (u32::from(bits >> 10 & 0x1f), u32::from(bits & 0x3ff));
    match exponent {
        // Subnormal: a multiple of 2^-24.
        0 => {
            let magnitude = fraction as f32 / 16_777_216.0;
            if sign == 0 { magnitude } else { -magnitude }
        }
        0x1f => f32::from_bits(sign | 0x7f80_0000 | fraction << 13),
        _ => f32::from_bits(sign | (exponent + 112) << 23 | fraction << 13),
    }
}

/// Returns the binary16 of the same value, sign and payload, if there is one.
pub(crate) fn to_half(value: f32) -> Option<u16> {
    let bits = value.to_bits();
    let sign = (bits >> 16 & 0x8000) as u16;
    let (exponent, fraction) = (bits >> 23 & 0xff, bits & 0x7f_ffff);
    let magnitude = match exponent {
        0xff => 0x7c00 | fraction >> 13,
        113..=142 => (exponent - 112) << 10 | fraction >> 13,
        // Subnormal, or zero: a multiple of 2^-24.
        103..=112 => (fraction | 0x80_0000) >> (126 - exponent),
        _ => 0,
    };
    let half = sign | magnitude as u16;
    (self::half(half).to_bits() == bits).then_some(half)
}

/// A head to write: at most nine bytes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shortest {
    bytes: [u8; 9],
    len: usize,
}

impl Shortest {
    /// Returns the shortest head of `major` with argument `arg`: RFC 8949, section 4.1, preferred
    /// serialisation.
    #[inline]
    pub(crate) fn new(major: u8, arg: u64) -> Shortest {
        let first = major << 5;
        let mut bytes = [0; 9];
        let [a, b, c, d, e, f, g, h] = arg.to_be_bytes();
        let len = match arg {
            0..=23 => {
                bytes[0] = first | h;
                1
            }
            24..=0xff => {
                bytes[..2].copy_from_slice(&[first | 24, h]);
                2
            }
            0x100..=0xffff => {
                bytes[..3].copy_from_slice(&[first | 25, g, h]);
                3
            }
            0x1_0000..=0xffff_ffff => {
                bytes[..5].copy_from_slice(&[first | 26, e, f, g, h]);
                5
            }
            _ => {
                bytes = [first | 27, a, b, c, d, e, f, g, h];
                9
            }
        };
        Shortest { bytes, len }
    }

    #[inline]
    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.len]
    }
}

/// Writes the shortest head.
#[inline]
pub(crate) fn put_head(out: &mut OutBuf, major: u8, arg: u64) {
    let first = major << 5;
    match arg {
        0..=23 => out.byte(first | arg as u8),
        24..=0xff => out.tagged(first | 24, [arg as u8]),
        0x100..=0xffff => out.tagged(first | 25, (arg as u16).to_be_bytes()),
        0x1_0000..=0xffff_ffff => out.tagged(first | 26, (arg as u32).to_be_bytes()),
        _ => out.tagged(first | 27, arg.to_be_bytes()),
    }
}

/// Writes an integer: the bytes that it came as in CBOR, or else the shortest head.
#[inline]
pub(crate) fn put_integer(out: &mut OutBuf, major: u8, arg: u64, hint: Hint<'_>) {
    match hint.wire(NAME) {
        None => put_head(out, major, arg),
        Some(bytes) => out.put(bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::{half, to_half};

    #[test]
    fn every_half_float_comes_back_and_no_other_number_is_one() {
        for bits in 0..=u16::MAX {
            assert_eq!(to_half(half(bits)), Some(bits), "{bits:04x}");
        }
        let mut rng = fastrand::Rng::with_seed(11);
        for _ in 0..200_000 {
            let value = f32::from_bits(rng.u32(..));
            match to_half(value) {
                Some(bits) => assert_eq!(half(bits).to_bits(), value.to_bits()),
                None => assert_ne!(value.to_bits() & 0x7fff_ffff, 0),
            }
        }
        for value in [65505.0, 65536.0, 0.1, 5e-8, f32::MIN_POSITIVE, f32::from_bits(1)] {
            assert_eq!(to_half(value), None, "{value}");
        }
    }

    #[test]
    fn every_half_float_is_exact() {
        for bits in 0..=u16::MAX {
            let (sign, exponent, fraction) = (bits >> 15, i32::from(bits >> 10 & 0x1f), f64::from(bits & 0x3ff));
            let magnitude = match exponent {
                0 => fraction * 2f64.powi(-24),
                0x1f if fraction == 0.0 => f64::INFINITY,
                0x1f => f64::NAN,
                _ => (1024.0 + fraction) * 2f64.powi(exponent - 25),
            };
            let value = half(bits);
            assert_eq!(value.is_nan(), magnitude.is_nan());
            if !value.is_nan() {
                assert_eq!(f64::from(value).abs().to_bits(), magnitude.to_bits(), "{bits:04x}");
            }
            assert_eq!(value.is_sign_negative(), sign == 1, "{bits:04x}");
        }
    }
}

//! Finding the ends of names, lines and bodies, sixteen bytes at a time.
//!
//! The last sixteen bytes of a buffer are one block too, of which the bits before the place that is
//! searched from are shifted out: so what is near the end is found as fast as what is not.

use memchr::memchr;
use polywire_lanes::U8x16;

use super::bytes::{BAR, LF, TAB, is_keyword_byte};

const BLOCK: usize = 16;

/// How many blocks are searched here before a call of a general search is worth its price.
const NEAR: usize = 4;

/// Returns the sixteen bytes from `at` on.
#[inline(always)]
fn block(bytes: &[u8], at: usize) -> Option<U8x16> {
    Some(U8x16::new(*bytes.get(at..)?.first_chunk::<BLOCK>()?))
}

/// Returns the last sixteen bytes, and where they start.
#[inline(always)]
fn last_block(bytes: &[u8]) -> Option<(usize, U8x16)> {
    let from = bytes.len().checked_sub(BLOCK)?;
    Some((from, block(bytes, from)?))
}

/// One bit for each byte that is no keyword byte.
#[inline(always)]
fn others(bytes: U8x16) -> u32 {
    let letter = (bytes | U8x16::splat(0x20)) - U8x16::splat(b'a');
    let digit = bytes - U8x16::splat(b'0');
    let keyword = letter.simd_min(U8x16::splat(25)).simd_eq(letter)
        | digit.simd_min(U8x16::splat(9)).simd_eq(digit)
        | bytes.simd_eq(U8x16::splat(b'_'));
    !keyword.to_bitmask() & 0xffff
}

/// Position, from `at` on, of the first byte that is no keyword byte, or the length of `bytes`.
#[inline(always)]
pub(crate) fn keyword_end(bytes: &[u8], mut at: usize) -> usize {
    while let Some(block) = block(bytes, at) {
        let found = others(block);
        if found != 0 {
            return at + found.trailing_zeros() as usize;
        }
        at += BLOCK;
    }
    keyword_tail(bytes, at)
}

/// The same where less than a block is left.
#[inline(always)]
fn keyword_tail(bytes: &[u8], mut at: usize) -> usize {
    if let Some((from, block)) = last_block(bytes) {
        let found = others(block) >> (at.saturating_sub(from)).min(BLOCK);
        return if found != 0 { at + found.trailing_zeros() as usize } else { bytes.len().max(at) };
    }
    while at < bytes.len() && is_keyword_byte(bytes[at]) {
        at += 1;
    }
    at
}

/// Returns the number of keyword bytes that `bytes` starts with.
pub fn keyword_len(bytes: &[u8]) -> usize {
    keyword_end(bytes, 0)
}

/// Returns whether `bytes` is a keyword: one or more keyword bytes, and nothing else.
pub fn is_keyword(bytes: &[u8]) -> bool {
    !bytes.is_empty() && keyword_len(bytes) == bytes.len()
}

/// A line of a header, taken apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Line<'b> {
    pub name: &'b [u8],
    pub value: &'b [u8],
    /// Length in bytes from the operator on, without the LF.
    pub len: usize,
}

/// Returns the line that starts with its operator at the start of `bytes`: if it is all there, and
/// has a name and a value without a size.
#[inline(always)]
pub(crate) fn line(bytes: &[u8]) -> Option<Line<'_>> {
    let Some(near) = bytes.first_chunk::<{ 1 + 2 * BLOCK }>() else { return line_anywhere(bytes) };
    let (first, second) = (U8x16::new(*near[1..].first_chunk()?), U8x16::new(*near[1 + BLOCK..].first_chunk()?));
    // Name and LF are searched at once, so that neither waits for the other: no name holds an LF.
    let mut ends_name = others(first);
    let lf = U8x16::splat(LF);
    let ends = first.simd_eq(lf).to_bitmask() | second.simd_eq(lf).to_bitmask() << BLOCK;
    if ends_name == 0 {
        ends_name = others(second) << BLOCK;
        if ends_name == 0 {
            return line_anywhere(bytes);
        }
    }
    let name = 1 + ends_name.trailing_zeros() as usize;
    if name == 1 || near[name] != TAB {
        return None;
    }
    let len = if ends != 0 { 1 + ends.trailing_zeros() as usize } else { find(LF, bytes, 1 + 2 * BLOCK)? };
    Some(Line { name: &near[1..name], value: bytes.get(name + 1..len)?, len })
}

/// The same for a line of any length, anywhere.
#[inline(never)]
fn line_anywhere(bytes: &[u8]) -> Option<Line<'_>> {
    let name = keyword_end(bytes, 1);
    let len = find(LF, bytes, name)?;
    if name == 1 || bytes[name] != TAB {
        return None;
    }
    Some(Line { name: &bytes[1..name], value: bytes.get(name + 1..len)?, len })
}

/// Position of the first `byte` from `at` on.
#[inline(always)]
pub(crate) fn find(byte: u8, bytes: &[u8], mut at: usize) -> Option<usize> {
    for _ in 0..NEAR {
        let Some(block) = block(bytes, at) else { return find_tail(byte, bytes, at) };
        let found = block.simd_eq(U8x16::splat(byte)).to_bitmask();
        if found != 0 {
            return Some(at + found.trailing_zeros() as usize);
        }
        at += BLOCK;
    }
    far(byte, bytes, at)
}

/// The same where less than a block is left.
#[inline(always)]
fn find_tail(byte: u8, bytes: &[u8], at: usize) -> Option<usize> {
    if let Some((from, block)) = last_block(bytes) {
        let found = block.simd_eq(U8x16::splat(byte)).to_bitmask() >> (at.saturating_sub(from)).min(BLOCK);
        return (found != 0).then(|| at + found.trailing_zeros() as usize);
    }
    (at..bytes.len()).find(|&at| bytes[at] == byte)
}

#[inline(never)]
fn far(byte: u8, bytes: &[u8], at: usize) -> Option<usize> {
    memchr(byte, bytes.get(at..)?).map(|found| at + found)
}

/// Position of the first LF, bar, LF from `at` on.
#[inline(always)]
pub(crate) fn delimiter(bytes: &[u8], mut at: usize) -> Option<usize> {
    let Some(last) = bytes.len().checked_sub(BLOCK + 2) else { return plain_delimiter(bytes, at) };
    let (lf, bar) = (U8x16::splat(LF), U8x16::splat(BAR));
    for _ in 0..NEAR {
        let from = at.min(last);
        // Three loads, so that no delimiter lies across two blocks.
        let (first, second, third) = (block(bytes, from)?, block(bytes, from + 1)?, block(bytes, from + 2)?);
        let found = (first.simd_eq(lf) & second.simd_eq(bar) & third.simd_eq(lf)).to_bitmask() >> (at - from).min(BLOCK);
        if found != 0 {
            return Some(at + found.trailing_zeros() as usize);
        }
        if from < at {
            return None;
        }
        at += BLOCK;
    }
    far_delimiter(bytes, at)
}

fn plain_delimiter(bytes: &[u8], at: usize) -> Option<usize> {
    bytes.get(at..)?.windows(3).position(|three| three == [LF, BAR, LF]).map(|found| at + found)
}

/// The same in long data: bars are rare in most, so that is what is looked for, 64 bytes at a time.
#[inline(never)]
fn far_delimiter(bytes: &[u8], mut at: usize) -> Option<usize> {
    const WIDE: usize = 4 * BLOCK;
    let (lf, bar) = (U8x16::splat(LF), U8x16::splat(BAR));
    while let Some(chunk) = bytes.get(at + 1..).and_then(|rest| rest.first_chunk::<WIDE>()) {
        let bars: [U8x16; 4] = core::array::from_fn(|n| {
            let mut block = [0; BLOCK];
            block.copy_from_slice(&chunk[n * BLOCK..(n + 1) * BLOCK]);
            U8x16::new(block).simd_eq(bar)
        });
        if (bars[0] | bars[1] | bars[2] | bars[3]).to_bitmask() != 0 {
            for (n, bars) in bars.into_iter().enumerate() {
                let before = at + n * BLOCK;
                let (Some(first), Some(third)) = (block(bytes, before), block(bytes, before + 2)) else { break };
                let found = (first.simd_eq(lf) & bars & third.simd_eq(lf)).to_bitmask();
                if found != 0 {
                    return Some(before + found.trailing_zeros() as usize);
                }
            }
            // Bytes at the end that fill no block are searched below.
            if bytes.len() < at + WIDE + 2 {
                break;
            }
        }
        at += WIDE;
    }
    plain_delimiter(bytes, at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agree_with_their_twins_for_every_byte_at_every_place() {
        for byte in 0..=255 {
            for length in 0..70 {
                for place in (0..length).step_by(3) {
                    let mut bytes = [b'a'; 70];
                    bytes[place] = byte;
                    let bytes = &bytes[..length];
                    for at in [0, 1, place, length / 2, length] {
                        let plain = (at..length).find(|&at| !is_keyword_byte(bytes[at])).unwrap_or(length);
                        assert_eq!(keyword_end(bytes, at), plain, "{byte:#x} at {place} of {length} from {at}");
                        assert_eq!(
                            find(byte, bytes, at),
                            (at..length).find(|&at| bytes[at] == byte),
                            "{byte:#x} at {place} of {length} from {at}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn agree_with_their_twins_on_random_bytes() {
        let mut rng = fastrand::Rng::with_seed(4);
        for round in 0..60_000 {
            let alphabet: &[u8] = [&b"\n|a"[..], b"|||\n", b"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n|", b"abcdefghijklmnop_0\n|\t"][round % 4];
            let bytes: Vec<u8> = (0..rng.usize(..300)).map(|_| alphabet[rng.usize(..alphabet.len())]).collect();
            let at = rng.usize(..=bytes.len());
            assert_eq!(delimiter(&bytes, at), plain_delimiter(&bytes, at), "{bytes:?} from {at}");
            assert_eq!(far_delimiter(&bytes, at), plain_delimiter(&bytes, at), "{bytes:?} from {at}");
            assert_eq!(find(LF, &bytes, at), (at..bytes.len()).find(|&at| bytes[at] == LF), "{bytes:?} from {at}");
            let plain = (at..bytes.len()).find(|&at| !is_keyword_byte(bytes[at])).unwrap_or(bytes.len());
            assert_eq!(keyword_end(&bytes, at), plain, "{bytes:?} from {at}");
        }
    }
}

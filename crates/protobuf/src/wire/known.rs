//! Fast reads of bytes that were checked before. They return `None` where the bytes are unusual,
//! and leave it to the careful functions to find the reason.

use super::tag::Tag;

/// Returns the tag at `at`, if it has at most two bytes, and the offset of its value.
#[inline(always)]
pub(crate) fn tag(window: &[u8], at: usize) -> Option<(Tag, usize)> {
    let first = *window.get(at)?;
    if first < 0x80 {
        return Some((Tag(u32::from(first)), at + 1));
    }
    let second = *window.get(at + 1)?;
    (second < 0x80).then(|| (Tag(u32::from(first & 0x7f) | u32::from(second) << 7), at + 2))
}

/// Returns start and end of the value whose length is at `at` and has at most three bytes.
#[inline(always)]
pub(crate) fn length(window: &[u8], at: usize) -> Option<(usize, usize)> {
    let first = *window.get(at)?;
    let (length, from) = if first < 0x80 { (usize::from(first), at + 1) } else { long_length(window, at)? };
    let to = from + length;
    (to <= window.len()).then_some((from, to))
}

/// Returns the end of the value whose length is at `at` and has at most three bytes. The end may
/// lie behind that of `window`.
#[inline(always)]
pub(crate) fn end_of_length(window: &[u8], at: usize) -> Option<usize> {
    let first = *window.get(at)?;
    if first < 0x80 {
        return Some(at + 1 + usize::from(first));
    }
    long_length(window, at).map(|(length, from)| from + length)
}

#[inline(always)]
fn long_length(window: &[u8], at: usize) -> Option<(usize, usize)> {
    let [first, second, third] = *window.get(at..)?.first_chunk::<3>()?;
    let low = usize::from(first & 0x7f) | usize::from(second & 0x7f) << 7;
    if second < 0x80 {
        return Some((low, at + 2));
    }
    (third < 0x80).then(|| (low | usize::from(third) << 14, at + 3))
}

/// The highest bit of each byte.
const GOES_ON: u64 = 0x8080_8080_8080_8080;

/// Returns the eight bytes at `at`, and the high bit of the varint's last byte and of those like
/// it.
#[inline(always)]
fn word(msg: &[u8], at: usize) -> Option<(u64, u64)> {
    let word = u64::from_le_bytes(msg.get(at..at + 8)?.try_into().ok()?);
    let stops = !word & GOES_ON;
    (stops != 0).then_some((word, stops))
}

/// Returns the varint at `at`, if it has one byte.
#[inline(always)]
pub(crate) fn byte(window: &[u8], at: usize) -> Option<u8> {
    window.get(at).copied().filter(|byte| *byte < 0x80)
}

/// Returns the end of the varint at `at` in the first `end` bytes of `msg`. Bytes behind them are
/// loaded, but do not count.
#[inline(always)]
pub(crate) fn varint_end(msg: &[u8], at: usize, end: usize) -> Option<usize> {
    let next = match word(msg, at) {
        Some((_, stops)) => at + stops.trailing_zeros() as usize / 8 + 1,
        None => super::varint::read(&msg[..end], at).ok()?.1,
    };
    (next <= end).then_some(next)
}

/// Returns the varint at `at` and its end. There is no branch on the number's size, which
/// processors cannot predict.
#[inline(always)]
pub(crate) fn varint(msg: &[u8], at: usize, end: usize) -> Option<(u64, usize)> {
    match word(msg, at) {
        Some((word, stops)) => {
            let next = at + stops.trailing_zeros() as usize / 8 + 1;
            (next <= end).then(|| (joined(word & (stops ^ (stops - 1))), next))
        }
        None => super::varint::read(&msg[..end], at).ok(),
    }
}

/// Joins the seven low bits of each byte.
#[inline(always)]
const fn joined(word: u64) -> u64 {
    let word = word & !GOES_ON;
    let pairs = (word & 0x007f_007f_007f_007f) | (word & 0x7f00_7f00_7f00_7f00) >> 1;
    let fours = (pairs & 0x0000_3fff_0000_3fff) | (pairs & 0x3fff_0000_3fff_0000) >> 2;
    (fours & 0x0fff_ffff) | (fours & 0x0fff_ffff_0000_0000) >> 4
}

#[cfg(test)]
mod tests {
    use super::super::{self as wire, varint as plain};
    use super::*;

    fn random(rng: &mut fastrand::Rng) -> (Vec<u8>, usize, usize) {
        let more = rng.u8(..);
        let bytes: Vec<u8> = (0..rng.usize(..24)).map(|_| if rng.u8(..) < more { rng.u8(0x80..) } else { rng.u8(..0x80) }).collect();
        let end = rng.usize(..=bytes.len());
        let at = rng.usize(..=end);
        (bytes, at, end)
    }

    #[test]
    fn numbers_are_those_of_the_careful_way() {
        let mut rng = fastrand::Rng::with_seed(5);
        for _ in 0..100_000 {
            let (bytes, at, end) = random(&mut rng);
            let expected = plain::read(&bytes[..end], at).ok();
            assert_eq!(varint(&bytes, at, end), expected, "{bytes:?} from {at} to {end}");
            assert_eq!(varint_end(&bytes, at, end), expected.map(|(_, next)| next), "{bytes:?} from {at} to {end}");
        }
    }

    #[test]
    fn tags_and_lengths_are_those_of_the_careful_way_or_none() {
        let mut rng = fastrand::Rng::with_seed(6);
        for _ in 0..100_000 {
            let (bytes, at, end) = random(&mut rng);
            let window = &bytes[..end];
            if let Some(found) = tag(window, at) {
                assert_eq!(wire::bare_tag(window, at), Ok(found), "{window:?} from {at}");
            }
            if let Some(found) = length(window, at) {
                assert_eq!(wire::length(window, at), Ok(found), "{window:?} from {at}");
            }
        }
    }
}

//! A known text that is looked for at one place.

use polywire_lanes::U8x16;

/// Bytes that are compared at once.
const REACH: usize = 32;

/// A text that is compared with bytes again and again: its first bytes are compared in one step,
/// without a call. Only a text of more than 32 bytes is allocated.
#[derive(Debug, Clone)]
pub struct Starter {
    /// Its length.
    len: usize,
    /// Its first bytes, and zeros behind them.
    start: [u8; REACH],
    /// A bit for each byte of `start` that counts.
    counts: u32,
    /// The bytes behind `start`.
    rest: Box<[u8]>,
}

impl Starter {
    /// Prepares a search for `text`.
    pub fn new(text: &[u8]) -> Starter {
        let mut start = [0; REACH];
        start.iter_mut().zip(text).for_each(|(place, byte)| *place = *byte);
        let counts = if text.len() < REACH { (1 << text.len()) - 1 } else { u32::MAX };
        Starter { len: text.len(), start, counts, rest: text.get(REACH..).unwrap_or_default().into() }
    }

    /// Reports whether the text is `bytes`.
    #[inline]
    pub fn is(&self, bytes: &[u8]) -> bool {
        self.len == bytes.len() && self.ends(bytes, 0).is_some()
    }

    /// Returns where the text ends, if it starts at `at` of `bytes`.
    #[inline(always)]
    pub fn ends(&self, bytes: &[u8], at: usize) -> Option<usize> {
        let Some(seen) = bytes.get(at..).and_then(|rest| rest.first_chunk::<REACH>()) else { return self.ends_near_end(bytes, at) };
        let half = |of: &[u8; REACH], from: usize| of[from..].first_chunk::<16>().map_or(U8x16::splat(0), |half| U8x16::new(*half));
        let low = half(seen, 0).simd_eq(half(&self.start, 0)).to_bitmask();
        let high = half(seen, 16).simd_eq(half(&self.start, 16)).to_bitmask();
        let same = low | high << 16;
        let end = at + self.len;
        let begins = same & self.counts == self.counts;
        (begins && (self.len <= REACH || bytes.get(at + REACH..end) == Some(&*self.rest))).then_some(end)
    }

    /// Returns where the text ends, if it starts at `at`, where fewer bytes are left than are
    /// compared at once.
    #[inline(never)]
    fn ends_near_end(&self, bytes: &[u8], at: usize) -> Option<usize> {
        let text = self.start.get(..self.len)?;
        let seen = bytes.get(at..at + self.len)?;
        // Mostly a few bytes, which take no call.
        seen.iter().zip(text).all(|(seen, byte)| seen == byte).then_some(at + self.len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_its_twin() {
        let mut rng = fastrand::Rng::with_seed(4);
        let mut found = 0;
        for _ in 0..20_000 {
            let text: Vec<u8> = (0..rng.usize(..40)).map(|_| rng.u8(b'a'..=b'c')).collect();
            let mut bytes: Vec<u8> = (0..rng.usize(..90)).map(|_| rng.u8(b'a'..=b'c')).collect();
            let at = rng.usize(..=bytes.len() + 1);
            if rng.bool() && at + text.len() <= bytes.len() {
                bytes[at..at + text.len()].copy_from_slice(&text);
                if rng.u8(..4) == 0 && !text.is_empty() {
                    bytes[at + rng.usize(..text.len())] ^= 1;
                }
            }
            let stands = bytes.get(at..).is_some_and(|rest| rest.starts_with(&text));
            found += u32::from(stands);
            let starter = Starter::new(&text);
            assert_eq!(starter.ends(&bytes, at), stands.then(|| at + text.len()));
            assert!(starter.is(&text));
            let other = bytes.get(at..bytes.len().min(at + text.len())).unwrap_or_default();
            assert_eq!(starter.is(other), other == text);
        }
        assert!(found > 1000, "{found}");
    }
}

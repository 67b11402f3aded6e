//! A known text that is looked for at one place.

use wide::u8x16;

/// Bytes that are compared at once.
const REACH: usize = 32;

/// A text that is compared with bytes again and again: its first bytes are compared in one step,
/// without a call.
#[derive(Debug, Clone, Copy)]
pub struct Starter<'t> {
    text: &'t [u8],
    /// Its first bytes, and zeros behind them.
    start: [u8; REACH],
    /// A bit for each byte of `start` that counts.
    counts: u32,
}

impl<'t> Starter<'t> {
    /// Prepares a search for `text`.
    pub fn new(text: &'t [u8]) -> Starter<'t> {
        let mut start = [0; REACH];
        start.iter_mut().zip(text).for_each(|(place, byte)| *place = *byte);
        let counts = if text.len() < REACH { (1 << text.len()) - 1 } else { u32::MAX };
        Starter { text, start, counts }
    }

    /// Returns the text.
    pub fn text(&self) -> &'t [u8] {
        self.text
    }

    /// Reports whether the text is `bytes`. Most texts that differ do so in length or first byte.
    #[inline(always)]
    pub fn is(&self, bytes: &[u8]) -> bool {
        self.text.len() == bytes.len() && self.text.first() == bytes.first() && self.text == bytes
    }

    /// Returns where the text ends, if it starts at `at` of `bytes`. Near the end of `bytes` it may
    /// be missed: fewer than 32 remaining bytes never match.
    #[inline(always)]
    pub fn ends(&self, bytes: &[u8], at: usize) -> Option<usize> {
        let seen = bytes.get(at..)?.first_chunk::<REACH>()?;
        let half = |of: &[u8; REACH], from: usize| of[from..].first_chunk::<16>().map_or(u8x16::ZERO, |half| u8x16::new(*half));
        let low = half(seen, 0).simd_eq(half(&self.start, 0)).to_bitmask();
        let high = half(seen, 16).simd_eq(half(&self.start, 16)).to_bitmask();
        let same = low | high << 16;
        let end = at + self.text.len();
        let begins = same & self.counts == self.counts;
        (begins && (self.text.len() <= REACH || bytes.get(at + REACH..end) == Some(&self.text[REACH..]))).then_some(end)
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
            let stands = bytes.get(at..).is_some_and(|rest| rest.len() >= REACH && rest.starts_with(&text));
            found += u32::from(stands);
            assert_eq!(Starter::new(&text).ends(&bytes, at), stands.then(|| at + text.len()));
        }
        assert!(found > 1000, "{found}");
    }
}

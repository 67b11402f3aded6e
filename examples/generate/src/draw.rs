//! Seeded draws that come out the same on every platform.

use fastrand::Rng;

/// A seeded source of choices. It draws only 32 and 64 bit integers: those of pointer width and floats could differ between platforms.
pub struct Draw(Rng);

impl Draw {
    /// The source that `seed` starts.
    pub fn new(seed: u64) -> Draw {
        Draw(Rng::with_seed(seed))
    }

    /// A number below `end`, all equally likely; `end` is above zero.
    pub fn below(&mut self, end: u32) -> u32 {
        self.0.u32(0..end)
    }

    /// A number from `first` to `last`, all equally likely.
    pub fn between(&mut self, first: u32, last: u32) -> u32 {
        self.0.u32(first..=last)
    }

    /// True in `percent` of 100 cases.
    pub fn chance(&mut self, percent: u32) -> bool {
        self.below(100) < percent
    }

    /// Any 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0.u64(..)
    }

    /// One of `choices`, all equally likely; there is at least one.
    pub fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len() as u32) as usize]
    }

    /// One of `choices`, the earlier the likelier: the weight of a rank is its reciprocal (Zipf's law), as sales and words have it.
    pub fn favour<T: Copy>(&mut self, choices: &[T]) -> T {
        const FIRST: u32 = 1_000_000;
        let weight = |rank: usize| FIRST / (rank as u32 + 1);
        let mut left = self.below((0..choices.len()).map(weight).sum());
        let mut rank = 0;
        while left >= weight(rank) {
            left -= weight(rank);
            rank += 1;
        }
        choices[rank]
    }
}

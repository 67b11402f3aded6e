//! The messages of a stream that are taken: some of the first, those after some, or a sample.

use fastrand::Rng;

use crate::tools::message::Message;

/// A choice of messages by their number, over all inputs of a run.
///
/// ```
/// use polywire_core::tools::Take;
///
/// let mut take = Take::default().skip(1).head(2);
/// assert_eq!([take.next(), take.next(), take.next()], [false, true, true]);
/// assert!(take.is_over(), "nothing more has to be read");
/// ```
#[derive(Debug, Clone)]
pub struct Take {
    skip: u64,
    head: u64,
    /// Messages that came so far.
    seen: u64,
}

impl Default for Take {
    /// Takes all messages.
    fn default() -> Take {
        Take { skip: 0, head: u64::MAX, seen: 0 }
    }
}

impl Take {
    /// Leaves out the first `skip` messages.
    #[must_use]
    pub fn skip(self, skip: u64) -> Take {
        Take { skip, ..self }
    }

    /// Takes `head` messages at most.
    #[must_use]
    pub fn head(self, head: u64) -> Take {
        Take { head, ..self }
    }

    /// Returns true if no message that may come is taken, so that none has to be read.
    pub fn is_over(&self) -> bool {
        self.seen >= self.skip.saturating_add(self.head)
    }

    /// Counts the next message, and returns whether it is taken.
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self) -> bool {
        let taken = self.seen >= self.skip && !self.is_over();
        self.seen += 1;
        taken
    }

    /// Returns true if all messages are taken.
    pub fn is_all(&self) -> bool {
        self.skip == 0 && self.head == u64::MAX
    }

    /// Counts messages that came.
    pub(crate) fn pass(&mut self, messages: u64) {
        self.seen += messages;
    }

    /// Returns the number of messages that came so far.
    pub fn seen(&self) -> u64 {
        self.seen
    }
}

/// A random sample of a stream whose length nobody knows: every message is in it with the same
/// chance (a reservoir, Vitter's algorithm R). The same seed gives the same sample of the same
/// messages. Memory: the messages of the sample.
#[derive(Debug)]
pub struct Sample {
    size: usize,
    rng: Rng,
    seen: u64,
    kept: Vec<Sampled>,
}

/// A message of a sample.
#[derive(Debug)]
pub struct Sampled {
    /// Number of the message in the stream, from 0.
    pub number: u64,
    /// Number of its input, as the caller counts them.
    pub input: usize,
    bytes: Vec<u8>,
    base: u64,
}

impl Sampled {
    /// Returns the message.
    pub fn message(&self) -> Message<'_> {
        Message { bytes: &self.bytes, base: self.base }
    }
}

impl Sample {
    /// Makes an empty sample of `size` messages at most.
    pub fn new(size: usize, seed: u64) -> Sample {
        Sample { size, rng: Rng::with_seed(seed), seen: 0, kept: Vec::new() }
    }

    /// Counts a message of an input, and keeps it or not. One that was kept may go for it.
    pub fn offer(&mut self, input: usize, message: Message<'_>) {
        let number = self.seen;
        self.seen += 1;
        let fresh = |bytes: Vec<u8>| Sampled { number, input, bytes, base: message.base };
        if self.kept.len() < self.size {
            self.kept.push(fresh(message.bytes.to_vec()));
            return;
        }
        let place = self.rng.u64(..self.seen) as usize;
        if let Some(old) = self.kept.get_mut(place) {
            let mut bytes = std::mem::take(&mut old.bytes);
            bytes.clear();
            bytes.extend_from_slice(message.bytes);
            *old = fresh(bytes);
        }
    }

    /// Returns the sample in the order of the stream.
    pub fn into_messages(mut self) -> Vec<Sampled> {
        self.kept.sort_unstable_by_key(|sampled| sampled.number);
        self.kept
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(size: usize, of: u64, seed: u64) -> Vec<u64> {
        let mut sample = Sample::new(size, seed);
        for number in 0..of {
            sample.offer(0, Message { bytes: &number.to_be_bytes(), base: number * 8 });
        }
        let kept = sample.into_messages();
        assert!(kept.iter().all(|one| one.message().bytes == one.number.to_be_bytes() && one.message().base == one.number * 8));
        kept.iter().map(|one| one.number).collect()
    }

    #[test]
    fn a_sample_is_the_same_for_the_same_seed_and_even() {
        assert_eq!(sample(5, 3, 0), [0, 1, 2]);
        assert_eq!(sample(0, 3, 0), [0; 0]);
        assert_eq!(sample(10, 1000, 7), sample(10, 1000, 7));
        assert_ne!(sample(10, 1000, 7), sample(10, 1000, 8));
        let mut counts = [0; 20];
        for seed in 0..2000 {
            let kept = sample(5, 20, seed);
            assert!(kept.windows(2).all(|pair| pair[0] < pair[1]));
            kept.iter().for_each(|number| counts[*number as usize] += 1);
        }
        // Each is expected 500 times, with a standard deviation of 19.
        assert!(counts.iter().all(|count| (400..600).contains(count)), "{counts:?}");
    }

    #[test]
    fn what_is_taken_is_counted_over_all_that_comes() {
        let mut all = Take::default();
        assert!(all.next() && all.next() && !all.is_over());
        let none = Take::default().head(0);
        assert!(none.is_over());
        let mut rest = Take::default().skip(2).head(u64::MAX);
        assert_eq!([rest.next(), rest.next(), rest.next()], [false, false, true]);
        assert_eq!((rest.seen(), rest.is_over()), (3, false));
    }
}

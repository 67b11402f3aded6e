//! The split of the messages: those that schemas are learned on, and those that all rows are
//! measured on.

/// Fewest messages of which some are held out. With fewer, one message of the rest is more than 10
/// % of them, and a half says nothing about the other.
pub(crate) const HELD_OUT: usize = 20;

/// Percent of the measured messages that must fit a learned schema for a row to be ranked.
pub(crate) const FITTING: usize = 95;

/// The split of the messages.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Holdout {
    messages: usize,
    split: bool,
}

impl Holdout {
    /// Splits the messages if a schema is learned on them, and they are enough.
    pub(crate) fn new(messages: usize, learning: bool) -> Holdout {
        Holdout { messages, split: learning && messages >= HELD_OUT }
    }

    /// Reports whether messages are held out.
    pub(crate) fn is_split(self) -> bool {
        self.split
    }

    /// Reports whether schemas are learned on the message: on one of each two neighbours, else on
    /// all. Chance says which one, so that both halves have messages of all kinds where kinds take
    /// turns; it is the same chance for everybody.
    pub(crate) fn learns(self, index: usize) -> bool {
        // The first message is measured, since it may come with the head of the stream: the lowest
        // bit for the first pair is one.
        !self.split || index as u64 & 1 == mixed(index as u64 / 2) & 1
    }

    /// Reports whether the message is measured.
    pub(crate) fn measures(self, index: usize) -> bool {
        !self.split || !self.learns(index)
    }

    /// Returns the number of messages that schemas are learned on.
    pub(crate) fn learned(self) -> usize {
        if !self.split {
            return self.messages;
        }
        let last = self.messages - self.messages % 2;
        last / 2 + (last..self.messages).filter(|index| self.learns(*index)).count()
    }

    /// Returns the indices of the measured messages, in order.
    pub(crate) fn measured(self) -> Vec<usize> {
        (0..self.messages).filter(|index| self.measures(*index)).collect()
    }
}

/// Returns the indices of the messages that rows are measured on, in order, where schemas are
/// learned on the others of `messages`: one of each two neighbours. With fewer than twenty, nothing
/// is held out, and all are measured.
///
/// # Examples
/// ```
/// assert_eq!(polywire_compare::held_out(20).len(), 10);
/// assert_eq!(polywire_compare::held_out(19).len(), 19);
/// ```
pub fn held_out(messages: usize) -> Vec<usize> {
    Holdout::new(messages, true).measured()
}

/// Returns the bits of `number` mixed, as the finalizer of [SplitMix64] does.
///
/// [SplitMix64]: https://doi.org/10.1145/2714064.2660195
fn mixed(number: u64) -> u64 {
    let mut bits = number.wrapping_add(0x9E37_79B9_7F4A_7C15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^ (bits >> 31)
}

/// Reports whether so few messages are unfit that a row is ranked.
pub(crate) fn fits(unfit: usize, measured: usize) -> bool {
    100 * (measured - unfit.min(measured)) >= FITTING * measured
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_other_message_is_held_out() {
        for count in [20, 21, 22, 23, 500, 10_001] {
            let split = Holdout::new(count, true);
            assert!(split.measures(0) && (0..count).all(|index| split.learns(index) != split.measures(index)));
            assert_eq!(split.learned() + split.measured().len(), count);
            assert_eq!(split.learned(), (0..count).filter(|index| split.learns(*index)).count());
            assert!(split.learned().abs_diff(split.measured().len()) <= 1);
        }
        for whole in [Holdout::new(19, true), Holdout::new(500, false)] {
            assert!(!whole.is_split() && whole.measured().len() == whole.learned());
            assert!(whole.learns(1) && whole.measures(1));
        }
    }

    #[test]
    fn kinds_that_take_turns_are_in_both_halves() {
        let split = Holdout::new(400, true);
        for period in 2..=16 {
            for kind in 0..period {
                let all = (kind..400).step_by(period);
                let learned = all.clone().filter(|index| split.learns(*index)).count();
                assert!(5 * learned >= all.len() && 5 * learned <= 4 * all.len(), "{kind} of {period}: {learned} of {}", all.len());
            }
        }
    }

    #[test]
    fn a_row_is_ranked_from_95_percent_that_fit() {
        assert!(fits(0, 10) && fits(1, 20) && fits(5, 100));
        assert!(!fits(1, 19) && !fits(6, 100) && !fits(10, 10));
    }
}

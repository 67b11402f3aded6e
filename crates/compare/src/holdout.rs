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

    /// Reports whether schemas are learned on the message: on every other one, else on all.
    pub(crate) fn learns(self, index: usize) -> bool {
        // The first is measured: it may come with the head of the stream.
        !self.split || !index.is_multiple_of(2)
    }

    /// Reports whether the message is measured.
    pub(crate) fn measures(self, index: usize) -> bool {
        !self.split || !self.learns(index)
    }

    /// Returns the number of messages that schemas are learned on.
    pub(crate) fn learned(self) -> usize {
        if self.split { self.messages / 2 } else { self.messages }
    }

    /// Returns the indices of the measured messages, in order.
    pub(crate) fn measured(self) -> Vec<usize> {
        (0..self.messages).filter(|index| self.measures(*index)).collect()
    }
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
        let split = Holdout::new(21, true);
        assert_eq!((split.learned(), split.measured().len()), (10, 11));
        assert!(split.measures(0) && (0..21).all(|index| split.learns(index) != split.measures(index)));
        for whole in [Holdout::new(19, true), Holdout::new(500, false)] {
            assert!(!whole.is_split() && whole.measured().len() == whole.learned());
            assert!(whole.learns(1) && whole.measures(1));
        }
    }

    #[test]
    fn a_row_is_ranked_from_95_percent_that_fit() {
        assert!(fits(0, 10) && fits(1, 20) && fits(5, 100));
        assert!(!fits(1, 19) && !fits(6, 100) && !fits(10, 10));
    }
}

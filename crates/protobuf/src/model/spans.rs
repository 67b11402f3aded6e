//! Ranges of numbers, for many questions about them.

/// Ranges that may overlap.
pub(super) struct Spans {
    /// Starts in order, each with the largest end so far, which is exclusive.
    sorted: Vec<(i64, i64)>,
}

impl Spans {
    pub fn new(ranges: impl Iterator<Item = (i64, i64)>) -> Spans {
        let mut sorted: Vec<(i64, i64)> = ranges.collect();
        sorted.sort_unstable();
        let mut most = i64::MIN;
        for (_, end) in &mut sorted {
            most = most.max(*end);
            *end = most;
        }
        Spans { sorted }
    }

    pub fn contains(&self, number: i64) -> bool {
        let before = self.sorted.partition_point(|(start, _)| *start <= number);
        self.sorted[..before].last().is_some_and(|(_, end)| number < *end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_may_overlap() {
        let spans = Spans::new([(5, 9), (1, 20), (30, 31)].into_iter());
        let inside: Vec<i64> = (0..40).filter(|number| spans.contains(*number)).collect();
        assert_eq!(inside, (1..20).chain([30]).collect::<Vec<_>>());
        assert!(!Spans::new(std::iter::empty()).contains(0));
    }
}

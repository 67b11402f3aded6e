//! Median and spread of measurements.

use serde::{Deserialize, Serialize};

/// Median and spread of one measurement's rounds, in the unit of the samples.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Spread {
    /// Median: half of the rounds are above, half below.
    pub median: f64,
    /// First quartile: a quarter of the rounds is below.
    pub q1: f64,
    /// Third quartile: a quarter of the rounds is above.
    pub q3: f64,
    /// Fastest round.
    pub min: f64,
    /// Slowest round.
    pub max: f64,
    /// Number of rounds.
    pub rounds: usize,
}

impl Spread {
    /// Returns median and spread of `samples`; `None` if there are none, or one is not finite.
    pub fn of(samples: &[f64]) -> Option<Spread> {
        if samples.is_empty() || samples.iter().any(|sample| !sample.is_finite()) {
            return None;
        }
        let mut sorted = samples.to_vec();
        sorted.sort_by(f64::total_cmp);
        Some(Spread {
            median: quantile(&sorted, 0.5),
            q1: quantile(&sorted, 0.25),
            q3: quantile(&sorted, 0.75),
            min: sorted[0],
            max: sorted[sorted.len() - 1],
            rounds: sorted.len(),
        })
    }

    /// Returns half the distance between the quartiles as a fraction of the median. Reports show it
    /// after `±`.
    pub fn relative(&self) -> f64 {
        if self.median > 0.0 { (self.q3 - self.q1) / 2.0 / self.median } else { 0.0 }
    }
}

/// Returns the quantile `q` of `sorted`, interpolated between neighbours (Hyndman and Fan's type
/// 7).
fn quantile(sorted: &[f64], q: f64) -> f64 {
    let at = q * (sorted.len() - 1) as f64;
    let below = at.floor() as usize;
    let above = (below + 1).min(sorted.len() - 1);
    sorted[below] + (sorted[above] - sorted[below]) * (at - below as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_and_even_numbers_of_samples() {
        let odd = Spread::of(&[5.0, 1.0, 3.0]).unwrap();
        assert_eq!((odd.min, odd.q1, odd.median, odd.q3, odd.max, odd.rounds), (1.0, 2.0, 3.0, 4.0, 5.0, 3));
        let even = Spread::of(&[4.0, 1.0, 2.0, 3.0]).unwrap();
        assert_eq!((even.q1, even.median, even.q3), (1.75, 2.5, 3.25));
        assert_eq!(even.relative(), 0.3);
    }

    #[test]
    fn one_sample_has_no_spread_and_none_has_no_median() {
        let one = Spread::of(&[7.0]).unwrap();
        assert_eq!((one.q1, one.median, one.q3, one.relative()), (7.0, 7.0, 7.0, 0.0));
        assert_eq!(Spread::of(&[]), None);
        assert_eq!(Spread::of(&[1.0, f64::NAN]), None);
        assert_eq!(Spread::of(&[0.0, 0.0]).unwrap().relative(), 0.0);
    }

    #[test]
    fn an_outlier_does_not_move_the_median() {
        assert_eq!(Spread::of(&[1.0, 1.0, 1.0, 1.0, 1e9]).unwrap().median, 1.0);
    }
}

//! The one harness of all benchmarks: subjects are timed in interleaved rounds.
//!
//! A round runs every subject once, so that a disturbance of the machine affects all alike. The
//! number of passes per round is calibrated, so that the clock's resolution does not count.

use std::time::Instant;

use polywire_core::Result;

use crate::allocations::AllocCounter;
use crate::stats::Spread;

/// Default of the most rounds of a measurement.
pub const ROUNDS: usize = 21;

/// Least rounds of a measurement, even beyond its time budget.
pub const LEAST_ROUNDS: usize = 3;

/// Work whose time is measured.
pub trait Subject {
    /// Does the work once, over the whole workload.
    fn pass(&mut self) -> Result<()>;

    /// Does the work `count` times. Only this is timed.
    fn passes(&mut self, count: u64) -> Result<()> {
        (0..count).try_for_each(|_| self.pass())
    }

    /// Cleans up after some passes, untimed.
    fn rest(&mut self) {}
}

/// Measurements of one subject.
#[derive(Debug, Clone)]
pub struct Measured {
    /// Seconds per pass, by round. Equal indices of two subjects are the same round.
    pub rounds: Vec<f64>,
    /// Median of the rounds of each run.
    pub runs: Vec<f64>,
    /// Allocations per pass, if they were counted.
    pub allocations: Option<f64>,
}

impl Measured {
    /// Returns median and spread of the rounds, in seconds.
    pub fn spread(&self) -> Option<Spread> {
        Spread::of(&self.rounds)
    }

    /// Returns median and spread of this subject's time divided by `other`'s, by rounds.
    pub fn ratio(&self, other: &Measured) -> Option<Spread> {
        let ratios: Vec<f64> = self.rounds.iter().zip(&other.rounds).map(|(ours, theirs)| ours / theirs).collect();
        Spread::of(&ratios)
    }
}

/// Step of a run, for `watch`.
#[derive(Debug, Clone, Copy)]
pub struct Step {
    /// Index of the subject.
    pub subject: usize,
    /// Round; `None` during calibration.
    pub round: Option<usize>,
    /// Most rounds.
    pub rounds: usize,
}

/// Times `subjects`, each within about `time` seconds.
///
/// # Errors
/// The first error of a subject.
pub fn run(
    subjects: &mut [&mut dyn Subject],
    time: f64,
    counter: Option<AllocCounter>,
    watch: &mut dyn FnMut(Step),
) -> Result<Vec<Measured>> {
    run_rounds(subjects, time, ROUNDS, counter, watch)
}

/// Times `subjects` like [`run`], in `runs` runs one after the other: each has its own median.
///
/// # Errors
/// The first error of a subject.
pub fn runs(
    subjects: &mut [&mut dyn Subject],
    time: f64,
    runs: usize,
    counter: Option<AllocCounter>,
    watch: &mut dyn FnMut(Step),
) -> Result<Vec<Measured>> {
    let mut all = run(subjects, time, counter, watch)?;
    for _ in 1..runs {
        let more = run(subjects, time, counter, watch)?;
        for (measured, more) in all.iter_mut().zip(more) {
            measured.rounds.extend(more.rounds);
            measured.runs.extend(more.runs);
        }
    }
    Ok(all)
}

/// Times `subjects` like [`run`], in at most `rounds` rounds. A disturbance of the machine spoils
/// few of many short rounds, so the median is one of the others.
///
/// # Errors
/// The first error of a subject.
pub fn run_rounds(
    subjects: &mut [&mut dyn Subject],
    time: f64,
    rounds: usize,
    counter: Option<AllocCounter>,
    watch: &mut dyn FnMut(Step),
) -> Result<Vec<Measured>> {
    let mut plans = Vec::with_capacity(subjects.len());
    for (index, subject) in subjects.iter_mut().enumerate() {
        watch(Step { subject: index, round: None, rounds });
        plans.push(Plan::calibrate(*subject, time, rounds.max(LEAST_ROUNDS), counter)?);
    }
    let rounds = plans.iter().map(|plan| plan.rounds).max().unwrap_or(0);
    for round in 0..rounds {
        for (index, (plan, subject)) in plans.iter_mut().zip(subjects.iter_mut()).enumerate() {
            if round < plan.rounds {
                watch(Step { subject: index, round: Some(round), rounds });
                let seconds = clock(*subject, plan.passes)?;
                plan.measured.rounds.push(seconds / plan.passes as f64);
            }
        }
    }
    let medians = |measured: Measured| {
        let runs = Spread::of(&measured.rounds).map(|spread| spread.median).into_iter().collect();
        Measured { runs, ..measured }
    };
    Ok(plans.into_iter().map(|plan| medians(plan.measured)).collect())
}

struct Plan {
    /// Passes in one round.
    passes: u64,
    rounds: usize,
    measured: Measured,
}

impl Plan {
    /// Warms up, counts allocations, and finds the number of passes that fill the budget.
    fn calibrate(subject: &mut dyn Subject, time: f64, most: usize, counter: Option<AllocCounter>) -> Result<Plan> {
        clock(subject, 1)?;
        let mut allocations = None;
        if let Some(counter) = counter {
            let before = counter();
            subject.pass()?;
            allocations = Some(counter().saturating_sub(before) as f64);
            subject.rest();
        }
        let slice = time / most as f64;
        let mut passes = 1;
        let mut seconds = clock(subject, passes)?;
        // Far below the slice, the clock's own steps would count.
        while seconds < slice / 4.0 && passes < 1 << 40 {
            passes *= 2;
            seconds = clock(subject, passes)?;
        }
        let one = (seconds / passes as f64).max(1e-12);
        let passes = ((slice / one) as u64).max(1);
        let rounds = ((time / (one * passes as f64)) as usize).clamp(LEAST_ROUNDS, most);
        Ok(Plan { passes, rounds, measured: Measured { rounds: Vec::with_capacity(rounds), runs: Vec::new(), allocations } })
    }
}

/// Returns the seconds of `passes`.
fn clock(subject: &mut dyn Subject, passes: u64) -> Result<f64> {
    let start = Instant::now();
    subject.passes(passes)?;
    let seconds = start.elapsed().as_secs_f64();
    subject.rest();
    Ok(seconds)
}

#[cfg(test)]
mod tests {
    use super::*;
    use polywire_core::Error;

    struct Counted {
        passes: u64,
        rests: u64,
        fails_at: u64,
    }

    impl Subject for Counted {
        fn pass(&mut self) -> Result<()> {
            self.passes += 1;
            if self.passes == self.fails_at { Err(Error::internal("on purpose")) } else { Ok(()) }
        }

        fn rest(&mut self) {
            self.rests += 1;
        }
    }

    #[test]
    fn every_subject_has_its_rounds() {
        let counted = || Counted { passes: 0, rests: 0, fails_at: 0 };
        let (mut one, mut other) = (counted(), counted());
        let mut steps = 0;
        let measured = run(&mut [&mut one, &mut other], 1e-6, Some(|| 7), &mut |_| steps += 1).unwrap();
        for (measured, subject) in measured.iter().zip([&one, &other]) {
            assert!((LEAST_ROUNDS..=ROUNDS).contains(&measured.rounds.len()));
            assert!(subject.passes >= subject.rests && subject.rests >= measured.rounds.len() as u64);
            assert_eq!(measured.allocations, Some(0.0));
            assert!(measured.spread().is_some());
        }
        assert_eq!(steps, 2 + measured[0].rounds.len() + measured[1].rounds.len());
        assert!(measured[0].ratio(&measured[1]).is_some());
    }

    #[test]
    fn a_failing_subject_ends_the_run() {
        let mut subject = Counted { passes: 0, rests: 0, fails_at: 2 };
        assert!(run(&mut [&mut subject], 1e-6, None, &mut |_| {}).is_err());
    }
}

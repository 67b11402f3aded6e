//! Calls in processes that take long, by the function that they are for.
//!
//! A slow call does not count as one of those that run at once, so another process is started for
//! the calls behind it. There are places for a few slow calls, and one function gets half of them:
//! the others stay for the calls of all other functions.

use std::collections::HashMap;

use crate::settings::Settings;

/// Fewest places for slow calls.
const FEWEST: usize = 4;
/// Places for slow calls, for each thread.
const PER_THREAD: usize = 2;

/// The slow calls under way.
#[derive(Debug, Default)]
pub(super) struct Slow {
    all: usize,
    by_function: HashMap<Function, usize>,
}

/// Name and module of a function.
pub(super) type Function = (String, String);

/// Returns the places for slow calls.
pub(super) fn places(settings: &Settings) -> usize {
    FEWEST.max(PER_THREAD * settings.threads)
}

impl Slow {
    pub fn add(&mut self, function: &Function) {
        self.all += 1;
        *self.by_function.entry(function.clone()).or_default() += 1;
    }

    pub fn remove(&mut self, function: &Function) {
        self.all = self.all.saturating_sub(1);
        if let Some(count) = self.by_function.get_mut(function) {
            *count -= 1;
            if *count == 0 {
                self.by_function.remove(function);
            }
        }
    }

    pub fn count(&self) -> usize {
        self.all
    }

    /// Returns the number of slow calls of a function.
    pub fn of(&self, function: &Function) -> usize {
        // Most calls begin while none is slow.
        if self.all == 0 { 0 } else { self.by_function.get(function).copied().unwrap_or(0) }
    }

    /// Returns whether one more call of a function may begin.
    pub fn lets(&self, function: &Function, places: usize) -> bool {
        self.of(function) < places / 2
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_gets_half_of_the_places() {
        let function = |name: &str| (name.to_string(), "m.js".to_string());
        let mut slow = Slow::default();
        for _ in 0..4 {
            assert!(slow.lets(&function("f"), 8));
            slow.add(&function("f"));
        }
        assert!(!slow.lets(&function("f"), 8) && slow.lets(&function("g"), 8));
        slow.add(&function("g"));
        slow.remove(&function("f"));
        assert!(slow.lets(&function("f"), 8) && slow.count() == 4);
    }
}

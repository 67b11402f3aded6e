//! Plans of callers' scripts, kept for the next use.

use std::sync::Arc;

use moka::sync::Cache;
use polywire_core::text::diagnostic::{Diagnostics, Source};
use polywire_ql::plan::Plan;

use crate::directory::Directory;

/// The longest script whose plan is kept, in bytes.
const LONGEST: usize = 16 << 10;

/// The most memory of all plans together, in bytes.
const CAPACITY: u64 = 16 << 20;

/// A plan, or the diagnostics of its script.
pub(super) type Made = Result<Arc<Plan>, Arc<Diagnostics>>;

/// Plans by the generation of the directory that they were made for, and the text of the script.
pub(super) struct Plans(Cache<(u64, Arc<str>), Made>);

impl Plans {
    pub fn new() -> Plans {
        Plans(Cache::builder().max_capacity(CAPACITY).weigher(|(_, script): &(u64, Arc<str>), made| weight(script, made)).build())
    }

    /// Returns the plan of a script over the tables of a directory. A long script is planned each
    /// time.
    pub fn plan(&self, script: &str, directory: &Directory) -> Made {
        let make = || {
            let plan = Plan::new(&Source::new("script", script), &directory.public_config, None)
                .and_then(Plan::without_files)
                .and_then(|plan| directory.doubted(plan, &directory.public_config));
            for warning in plan.iter().flat_map(|plan| &plan.warnings) {
                tracing::warn!(code = warning.code, "a caller's script: {:?}", warning.message);
            }
            plan.map(Arc::new).map_err(Arc::new)
        };
        if script.len() > LONGEST {
            return make();
        }
        self.0.get_with((directory.generation, Arc::from(script)), make)
    }

    /// Drops all plans.
    pub fn clear(&self) {
        self.0.invalidate_all();
    }

    /// Returns their number, roughly.
    pub fn count(&self) -> u64 {
        self.0.entry_count()
    }
}

/// Returns the size of an entry in bytes, a rough upper bound: values written with two characters
/// have dozens of bytes, and a step that makes a table, or a mistake, more than a thousand.
fn weight(script: &str, made: &Made) -> u32 {
    let parts = match made {
        Ok(plan) => plan.steps.len(),
        Err(mistakes) => mistakes.findings.len(),
    };
    u32::try_from(1024 + 32 * script.len() + 2048 * parts).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_scripts_are_not_kept_and_many_do_not_stay() {
        let plans = Plans::new();
        let directory = Directory::default();
        let long = format!("return '{}'", "x".repeat(LONGEST));
        plans.plan(&long, &directory).unwrap();
        plans.0.run_pending_tasks();
        assert_eq!(plans.count(), 0);
        let kept = plans.plan("return 1", &directory).unwrap();
        assert!(Arc::ptr_eq(&kept, &plans.plan("return 1", &directory).unwrap()));
        for n in 0..500 {
            plans.plan(&format!("return '{n} {}'", "x".repeat(LONGEST - 100)), &directory).unwrap();
        }
        plans.0.run_pending_tasks();
        assert!(plans.0.weighted_size() <= CAPACITY && plans.count() < 500, "{}", plans.count());
    }

    #[test]
    fn a_plan_of_a_directory_from_before_is_not_one_of_the_next() {
        let plans = Plans::new();
        let (before, mut next) = (Directory::default(), Directory::default());
        next.generation = 1;
        plans.clear();
        let late = plans.plan("return 1", &before).unwrap();
        assert!(!Arc::ptr_eq(&late, &plans.plan("return 1", &next).unwrap()));
    }
}

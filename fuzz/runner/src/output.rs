//! What libFuzzer prints.

use std::path::{Path, PathBuf};

/// Returns the number of executions of a run: the final one, or that of the last line of progress if
/// the run ended with a finding.
pub fn executions(output: &str) -> u64 {
    let last = output.lines().rev().find_map(|line| line.strip_prefix("stat::number_of_executed_units:")?.trim().parse().ok());
    let progress = || output.lines().rev().find_map(|line| line.strip_prefix('#')?.split_ascii_whitespace().next()?.parse().ok());
    last.or_else(progress).unwrap_or(0)
}

/// Returns the files of inputs that failed. Inputs that are slow, within the bound, did not.
pub fn findings(output: &str) -> Vec<PathBuf> {
    let written = output.lines().filter_map(|line| Some(PathBuf::from(line.split_once("Test unit written to ")?.1.trim())));
    written.filter(|path| !path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("slow-unit-"))).collect()
}

/// Returns whether an input of [`findings`] failed by its time.
pub fn is_timeout(input: &Path) -> bool {
    input.file_name().is_some_and(|name| name.to_string_lossy().starts_with("timeout-"))
}

/// Returns how many inputs a merge kept, and how many edges of the program they reach.
pub fn merged(output: &str) -> Option<(u64, u64)> {
    let line = output.lines().rev().find_map(|line| line.split_once("MERGE-OUTER: ")?.1.split_once(" new files with"))?;
    let edges = line.1.split_once("; ")?.1.split_ascii_whitespace().next()?;
    Some((line.0.trim().parse().ok()?, edges.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_found() {
        let done =
            "#2\tINITED cov: 10 ft: 11 corp: 1/1b exec/s: 0 rss: 30Mb\n#9\tDONE   cov: 12 ft: 14\nstat::number_of_executed_units: 1234\n";
        assert_eq!(executions(done), 1234);
        let slow = "Slowest unit: 11 s:\nartifact_prefix='a/'; Test unit written to a/slow-unit-1\n";
        assert!(findings(slow).is_empty());
        let failed = "#2\tINITED cov: 10\n#512\tNEW    cov: 12\n==7== ERROR\nartifact_prefix='a/'; Test unit written to a/crash-1\n";
        assert_eq!((executions(failed), findings(failed)), (512, vec![PathBuf::from("a/crash-1")]));
        assert!(is_timeout(Path::new("a/timeout-1")) && !is_timeout(Path::new("timeout-a/crash-1")));
        assert_eq!(executions(""), 0);
        let outer = "MERGE-OUTER: 29 files, 0 in the initial corpus, 0 processed earlier\nMERGE-OUTER: 12 new files with 345 new features added; 67 new coverage edges\n";
        assert_eq!(merged(outer), Some((12, 67)));
        assert_eq!(merged("MERGE-OUTER: 3 files"), None);
    }
}
